//! What agents ask, and the answers that are given on the page.

use super::{
    chat::{ENTER, WIDE, open, start},
    streams::TURNS,
};
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
        // The clock that counts is the daemon's.
        browser.run(&format!("{TURNS} window.turn(true); window.turn(false)")).await;
        browser.until(&format!("{hours}.test({left})")).await;
    });
}

#[test]
fn an_answer_that_failed_says_what_to_do_until_its_cause_is_gone() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "an_answer_that_failed_says_what_to_do_until_its_cause_is_gone";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let asks = "- call: ask_person\n  with: { question: \"Which one?\" }";
        start(&home, &browser, &mock(asks)).await;
        home.ok(&["send", "@team", "@alice go"]);
        browser.until("document.querySelector('#needs input')").await;
        let told = "document.querySelector('#needs form [role=status]').textContent";
        browser.keys("#needs input", ENTER).await;
        let empty = "the answer is empty (agent-worker answer q_1 TEXT)";
        browser.until(&format!("{told} === '{empty}'")).await;
        browser.keys("#needs input", "le").await;
        assert_eq!(browser.run(&format!("return {told}")).await, "");
        browser
            .run(&format!(
                "{TURNS}
                 const real = window.fetch;
                 window.fetch = async (path, request) => {{
                     if (!path.startsWith('/questions/')) return real(path, request);
                     window.fetch = real;
                     throw new TypeError('cut');
                 }};"
            ))
            .await;
        browser.keys("#needs input", ENTER).await;
        let down = "the daemon does not answer (agent-worker daemon start)";
        browser.until(&format!("{told} === '{down}'")).await;
        browser.run("window.turn(true); window.turn(false)").await;
        browser.until(&format!("{told} === ''")).await;
        browser.keys("#needs input", &format!("ft{ENTER}")).await;
        browser.until("!document.querySelector('#needs form')").await;
        assert!(home.ok(&["questions", "--all"]).contains("user answered left"));
    });
}
