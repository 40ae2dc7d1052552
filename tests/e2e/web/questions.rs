//! What agents ask, and the answers that are given on the page.

use agent_worker_protocol::Mode;
use serde_json::json;

use super::{
    chat::{ENTER, WIDE, open, start},
    streams::TURNS,
};
use crate::support::{Home, Team, block_on, mock};

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

/// Two agents that ask the same.
fn two_who_ask() -> Team {
    let asks =
        mock("- call: ask_person\n  with: { question: \"Which one?\", options: [left, right] }");
    Team::new("team", "@alice go").agent("alice", &asks).agent("bob", &asks)
}

#[test]
fn the_focus_goes_from_an_answered_question_to_the_next_and_then_to_the_message_box() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test =
            "the_focus_goes_from_an_answered_question_to_the_next_and_then_to_the_message_box";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        two_who_ask().start(&home, &home.client(), Mode::Start).await;
        home.ok(&["send", "@team", "@bob go too"]);
        browser.until("document.querySelectorAll('#needs form').length === 2").await;
        browser.keys("#needs form button", ENTER).await;
        browser.until("document.activeElement.matches('#needs form:only-child')").await;
        browser.keys("#needs form button", ENTER).await;
        browser.until("document.activeElement.id === 'text'").await;
    });
}

#[test]
fn a_double_click_answers_one_question() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_double_click_answers_one_question";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        two_who_ask().start(&home, &home.client(), Mode::Start).await;
        home.ok(&["send", "@team", "@bob go too"]);
        browser.until("document.querySelectorAll('#needs form').length === 2").await;
        let click = "const real = window.fetch;
            window.answered = 0;
            window.fetch = (path, request) => {
                if (path.startsWith('/questions/')) window.answered += 1;
                return real(path, request);
            };
            window.click = (detail) => document.querySelector('#needs form button')
                .dispatchEvent(new MouseEvent('click', { detail }));
            window.click(1);";
        browser.run(click).await;
        browser.until("document.querySelectorAll('#needs form').length === 1").await;
        let answered = "window.click(2); return window.answered";
        assert_eq!(browser.run(answered).await, 1);
        browser.run("window.click(1)").await;
        browser.until("!document.querySelector('#needs form')").await;
    });
}

#[test]
fn no_form_moves_under_the_pointer_when_another_window_answers() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "no_form_moves_under_the_pointer_when_another_window_answers";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        two_who_ask().start(&home, &home.client(), Mode::Start).await;
        let second = "#needs form:nth-child(2)";
        browser.until("document.querySelector('#needs form')").await;
        home.ok(&["send", "@team", "@bob go too"]);
        browser.until(&format!("document.querySelector('{second}')")).await;
        let top = format!("return document.querySelector('{second}').getBoundingClientRect().top");
        browser.press(&format!("{second} p")).await;
        browser.release().await;
        let before = browser.run(&top).await;
        home.ok(&["answer", "q_1", "right"]);
        let told = "document.querySelector('#needs form [role=status]')?.textContent";
        browser.until(&format!("{told} === 'already answered: right'")).await;
        assert_eq!(browser.run(&top).await, before);
        // The pointer leaves the forms.
        browser.press("#text").await;
        browser.release().await;
        browser.until(&format!("!document.querySelector('{second}')")).await;
        // What is answered here goes away at once.
        browser.press("#needs form button").await;
        browser.release().await;
        browser.until("!document.querySelector('#needs form')").await;
    });
}

#[test]
fn a_second_enter_behind_the_last_answer_does_not_send_a_draft() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_second_enter_behind_the_last_answer_does_not_send_a_draft";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let asks =
            "- call: ask_person\n  with: { question: \"Which one?\", options: [left, right] }";
        start(&home, &browser, &mock(asks)).await;
        browser.keys("#text", "half a draft").await;
        home.ok(&["send", "@team", "@alice go"]);
        browser.until("document.querySelector('#needs form')").await;
        browser.keys("#needs form button", ENTER).await;
        browser.until("document.activeElement.id === 'talk'").await;
    });
}

#[test]
fn an_answer_that_is_typed_stays_until_it_is_dismissed_when_another_was_given() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "an_answer_that_is_typed_stays_until_it_is_dismissed_when_another_was_given";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let asks = mock("- call: ask_person\n  with: { question: \"Which one?\" }");
        let team = Team::new("team", "@alice go").agent("alice", &asks).agent("bob", &asks);
        team.start(&home, &home.client(), Mode::Start).await;
        let [first, second] = ["#needs form:nth-child(1)", "#needs form:nth-child(2)"];
        let told =
            |form: &str| format!("document.querySelector('{form} [role=status]')?.textContent");
        browser.until(&format!("document.querySelector('{first}')")).await;
        home.ok(&["send", "@team", "@bob go too"]);
        browser.until(&format!("document.querySelector('{second}')")).await;
        browser.keys(&format!("{first} input"), "one half").await;
        browser.keys(&format!("{second} input"), "the other half").await;
        home.ok(&["answer", "q_1", "from a shell"]);
        browser.until(&format!("{} === 'already answered: from a shell'", told(first))).await;
        // After a break no event says what was answered.
        browser.run(&format!("{TURNS} window.turn(true)")).await;
        home.ok(&["answer", "q_2", "meanwhile"]);
        browser.run("window.turn(false)").await;
        browser.until(&format!("{} === 'already answered: meanwhile'", told(second))).await;
        let typed = "return [...document.querySelectorAll('#needs input')]
            .map((one) => one.value)";
        assert_eq!(browser.run(typed).await, json!(["one half", "the other half"]));
        browser.keys(&format!("{second} button"), ENTER).await;
        browser.until("document.activeElement.matches('#needs form:only-child')").await;
        browser.keys(&format!("{first} button"), ENTER).await;
        let is_over = "!document.querySelector('#needs form')";
        browser.until(&format!("{is_over} && document.activeElement.id === 'text'")).await;
    });
}
