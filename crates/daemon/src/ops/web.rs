//! Letting browsers in by a link, and shutting them out: `web_revoke`.

use agent_worker_protocol::{WebRevoke, WebRevoked};

use crate::{
    context::{Cx, Run},
    error::Result,
    rows::{NewBrowser, browser},
};

impl Run for WebRevoke {
    fn run(&self, cx: &mut Cx<'_>) -> Result<WebRevoked> {
        cx.operator_only("shutting browsers out")?;
        // Links that were not used yet go with them.
        browser::note_shut_out(cx.db)?;
        let browsers = i64::try_from(browser::remove_all(cx.db)?).unwrap_or(i64::MAX);
        Ok(WebRevoked { browsers })
    }
}

/// What a link is good for: until all browsers are shut out the next time.
pub fn door(cx: &mut Cx<'_>) -> Result<i64> {
    browser::shut_outs(cx.db)
}

/// Lets a browser in by a link that was made at this door. False if all were shut out meanwhile.
pub fn let_in(cx: &mut Cx<'_>, hash: &[u8; 32], by: i64) -> Result<bool> {
    let is_open = door(cx)? == by;
    if is_open {
        cx.db.insert(&NewBrowser { hash, created_at: cx.now })?;
    }
    Ok(is_open)
}
