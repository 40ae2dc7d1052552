//! What agents ask, and the answers that are given on the page.

use super::chat::{WIDE, open, start};
use crate::support::{Home, block_on, mock};

#[test]
fn a_question_says_how_long_it_waits_and_what_applies_then() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_question_says_how_long_it_waits_and_what_applies_then";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let asks = "- call: ask_person\n  with: { question: \"Which one?\", \
            options: [left, right], default: right, expires_in: 2h }";
        start(&home, &browser, &mock(asks)).await;
        home.ok(&["send", "@team", "@alice go"]);
        let left = "document.querySelector('#needs small')?.textContent";
        let hours = "/^1h 5[0-9]m left, then: right$/";
        browser.until(&format!("{hours}.test({left})")).await;
        // The time goes on while the question is open.
        browser.run("const real = Date.now; Date.now = () => real() + 6600000").await;
        let minutes = "/^[0-9]m [0-9]+s left, then: right$/";
        browser.until(&format!("{minutes}.test({left})")).await;
    });
}
