//! Shutting browsers out: `web_revoke`.

use agent_worker_protocol::web::{WebRevoke, WebRevoked};

use crate::{
    context::{cx::Cx, run::Run},
    error::OpError,
    rows::browser,
};

impl Run for WebRevoke {
    fn run(&self, cx: &mut Cx<'_>) -> Result<WebRevoked, OpError> {
        cx.operator_only("shutting browsers out")?;
        let browsers = i64::try_from(browser::remove_all(cx.db)?).unwrap_or(i64::MAX);
        Ok(WebRevoked { browsers })
    }
}
