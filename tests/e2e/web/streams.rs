//! What the page follows, and how it goes on when that is refused.

use serde_json::json;

use super::chat::{WIDE, open};
use crate::support::{Home, block_on};

#[test]
fn a_refused_feed_is_asked_for_ever_more_rarely() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_refused_feed_is_asked_for_ever_more_rarely";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let waits = browser
            .wait(
                "const done = arguments[arguments.length - 1];
                 const [real, later] = [window.fetch, window.setTimeout];
                 const refused = () => new Response('{}', { status: 503 });
                 window.fetch = async (path, request) =>
                     path.startsWith('/events') ? refused() : real(path, request);
                 const waits = [];
                 window.setTimeout = (go, time) => {
                     if (time < 250 || time > 5000) return later(go, time);
                     waits.push(time);
                     return waits.length < 4 ? later(go, 0) : done(waits);
                 };
                 import('/web/mirror.js').then(({ follow }) => follow(() => {}));",
            )
            .await;
        assert_eq!(waits, json!([250, 500, 1000, 2000]));
    });
}
