//! What is written is sent once, and nothing else is.

use agent_worker_protocol::Mode;
use serde_json::{Value, json};

use super::{
    browser::Browser,
    chat::{ENTER, WIDE, item, open, start},
    streams::{go_to_others, start_others},
};
use crate::support::{Home, Team, block_on, mock};

const TEXT: &str = "document.querySelector('#text').value";
const TOLD: &str = "document.querySelector('#told').textContent";
const UNANSWERED: &str = "Not sent: the daemon does not answer (agent-worker daemon start)";

/// Has requests of `/send` arrive without an answer, but for the first ones, which are held.
async fn lose_answers(browser: &Browser, held: usize) {
    let script = format!(
        "const real = window.fetch;
         let held = {held};
         window.fetch = async (path, request) => {{
             if (!path.startsWith('/send')) return real(path, request);
             if (held > 0) {{
                 held -= 1;
                 await new Promise((go) => (window.letGo = go));
                 return real(path, request);
             }}
             await real(path, request);
             throw new TypeError('cut');
         }};
         window.answer = () => (window.fetch = real);"
    );
    browser.run(&script).await;
}

/// Writes in place of what is written.
pub async fn write(browser: &Browser, text: &str) {
    let all = "\u{e009}a\u{e000}";
    browser.keys("#text", &format!("{all}{text}")).await;
}

async fn assert_once(browser: &Browser, text: &str) {
    browser.run("window.answer?.()").await;
    write(browser, &format!("the last of all{ENTER}")).await;
    browser.until(&item("the last of all")).await;
    let count = format!(
        "return [...document.querySelectorAll('#talk .text')]
            .filter((one) => one.textContent === '{text}').length"
    );
    assert_eq!(browser.run(&count).await, 1);
}

#[test]
fn what_is_written_behind_a_message_on_its_way_is_left_alone() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "what_is_written_behind_a_message_on_its_way_is_left_alone";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        lose_answers(&browser, 1).await;
        browser.keys("#text", &format!("first{ENTER}")).await;
        browser.keys("#text", "and more").await;
        browser.run("window.letGo()").await;
        browser.until(&format!("{TEXT} === 'and more'")).await;
        browser.reload().await;
        browser.until(&format!("{TEXT} === 'and more'")).await;
    });
}

#[test]
fn a_second_enter_while_a_message_is_on_its_way_repeats_nothing() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_second_enter_while_a_message_is_on_its_way_repeats_nothing";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        lose_answers(&browser, 1).await;
        browser.keys("#text", &format!("first{ENTER}")).await;
        browser.keys("#text", &format!(" and more{ENTER}")).await;
        browser.until(&format!("{TOLD} === 'Still sending …'")).await;
        browser.run("window.letGo(); window.answer()").await;
        browser.until(&format!("{TEXT} === ' and more'")).await;
        browser.keys("#text", ENTER).await;
        browser.until(&format!("{TEXT} === ''")).await;
        assert_once(&browser, "first").await;
        let texts = "return [...document.querySelectorAll('#talk .text')]
            .map((one) => one.textContent.trim())";
        let all = browser.run(texts).await;
        assert_eq!(all, json!(["first", "and more", "the last of all"]));
    });
}

#[test]
fn a_message_whose_answer_is_lost_is_sent_once_though_an_earlier_one_is_answered() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_message_whose_answer_is_lost_is_sent_once_though_an_earlier_one_is_answered";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        lose_answers(&browser, 1).await;
        browser.keys("#text", &format!("one{ENTER}")).await;
        write(&browser, &format!("two{ENTER}")).await;
        browser.until(&format!("{TOLD} === '{UNANSWERED}'")).await;
        browser.run("window.letGo()").await;
        browser.until(&format!("{TOLD} === ''")).await;
        assert_eq!(browser.run(&format!("return {TEXT}")).await, "two");
        browser.run("window.answer()").await;
        browser.keys("#text", ENTER).await;
        browser.until(&format!("{TEXT} === ''")).await;
        assert_once(&browser, "two").await;
    });
}

#[test]
fn a_message_whose_answer_is_lost_is_sent_once_after_a_reload() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_message_whose_answer_is_lost_is_sent_once_after_a_reload";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        lose_answers(&browser, 0).await;
        browser.keys("#text", &format!("one{ENTER}")).await;
        browser.until(&format!("{TOLD} === '{UNANSWERED}'")).await;
        browser.reload().await;
        browser.until(&format!("{TEXT} === 'one'")).await;
        browser.keys("#text", ENTER).await;
        browser.until(&format!("{TEXT} === ''")).await;
        assert_once(&browser, "one").await;
    });
}

#[test]
fn a_page_that_cannot_send_says_how_to_start_the_daemon_until_it_is_back() {
    let home = Home::new();
    let daemon = home.daemon();
    block_on(async {
        let test = "a_page_that_cannot_send_says_how_to_start_the_daemon_until_it_is_back";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        daemon.kill();
        browser.until("document.querySelector('#link').textContent === 'reconnecting …'").await;
        browser.keys("#text", &format!("one{ENTER}")).await;
        browser.until(&format!("{TOLD} === '{UNANSWERED}'")).await;
        let _daemon = home.daemon();
        browser.until(&format!("{TOLD} === ''")).await;
        browser.keys("#text", ENTER).await;
        browser.until(&item("one")).await;
    });
}

#[test]
fn enter_makes_a_new_line_on_a_phone_where_the_button_sends() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "enter_makes_a_new_line_on_a_phone_where_the_button_sends";
        let Some(browser) = open(test, &home, (390, 800)).await else { return };
        browser
            .run(
                "const real = window.matchMedia.bind(window);
                 window.matchMedia = (query) =>
                     query === '(pointer: coarse)' ? { matches: true } : real(query);",
            )
            .await;
        browser.keys("#text", &format!("one{ENTER}two")).await;
        assert_eq!(browser.run(&format!("return {TEXT}")).await, "one\ntwo");
        browser.run("document.querySelector('#send').click()").await;
        browser.until(&item("two")).await;
        browser.until(&format!("{TEXT} === ''")).await;
    });
}

#[test]
fn a_long_name_leaves_the_send_button_in_a_narrow_window() {
    let home = Home::new();
    let _daemon = home.daemon();
    let name = "a-reviewer-of-the-release-notes";
    home.ok(&["new", name, "--backend", "mock"]);
    block_on(async {
        let test = "a_long_name_leaves_the_send_button_in_a_narrow_window";
        let Some(browser) = open(test, &home, (390, 800)).await else { return };
        let agent = format!("document.querySelector('[data-key=\"{name} @global\"]')");
        browser.until(&agent).await;
        browser.run(&format!("{agent}.click()")).await;
        let title = "document.querySelector('#title').textContent";
        browser.until(&format!("{title} === '{name} @global'")).await;
        // A headless browser may refuse to be as narrow as a phone.
        let over = "document.body.style.width = '320px';
            return document.querySelector('#send').getBoundingClientRect().right > 320";
        assert_eq!(browser.run(over).await, false);
    });
}

#[test]
fn the_name_that_is_chosen_with_the_arrows_is_seen_and_said() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "the_name_that_is_chosen_with_the_arrows_is_seen_and_said";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let team = (0..20).fold(Team::new("team", ""), |team, n| {
            team.agent(&format!("agent-{n:02}"), &mock("- say: la"))
        });
        team.start(&home, &home.client(), Mode::Start).await;
        let channel = "document.querySelector('[data-key=\"channel @team\"]')";
        browser.until(channel).await;
        browser.run(&format!("{channel}.click()")).await;
        let up = "\u{e013}";
        browser.keys("#text", "@").await;
        browser.until("document.querySelectorAll('#names li').length === 21").await;
        browser.keys("#text", up).await;
        browser
            .until("document.querySelector('#names [aria-selected=true]').id === 'name-20'")
            .await;
        let said = "return document.querySelector('#text').getAttribute('aria-activedescendant')";
        assert_eq!(browser.run(said).await, "name-20");
        let below = "return document.querySelector('#name-20').getBoundingClientRect().bottom
            > document.querySelector('#names').getBoundingClientRect().bottom";
        assert_eq!(browser.run(below).await, false);
        browser.keys("#text", ENTER).await;
        browser.until(&format!("{TEXT} === '@all '")).await;
        assert_eq!(browser.run(said).await, Value::Null);
    });
}

#[test]
fn a_name_is_offered_in_any_case_and_behind_any_sign_that_may_stand_there() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_name_is_offered_in_any_case_and_behind_any_sign_that_may_stand_there";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        start(&home, &browser, &mock("- say: la")).await;
        let clear = "const text = document.querySelector('#text');
            text.value = '';
            text.dispatchEvent(new Event('input'));";
        for typed in ["please @Ali", "(@ali", "请@ali", "@bob/@ali"] {
            browser.keys("#text", typed).await;
            browser.until("document.querySelector('#names li')?.textContent === '@alice'").await;
            browser.keys("#text", ENTER).await;
            let whole = typed.to_lowercase().replace("@ali", "@alice ");
            browser.until(&format!("{TEXT} === '{whole}'")).await;
            browser.run(clear).await;
        }
        for typed in ["mail@ali", "example/@ali"] {
            browser.keys("#text", typed).await;
            browser.until(&format!("{TEXT} === '{typed}'")).await;
            let hidden = browser.run("return document.querySelector('#names').hidden").await;
            assert_eq!(hidden, true, "{typed}");
            browser.run(clear).await;
        }
    });
}

#[test]
fn a_group_offers_the_names_of_its_members_alone() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_group_offers_the_names_of_its_members_alone";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        start(&home, &browser, &mock("- say: la")).await;
        home.ok(&["new", "bob", "--backend", "mock", "--workflow", "team"]);
        home.ok(&["group", "create", "few", "alice", "--in", "@team"]);
        let entry = |name: &str| format!("document.querySelector('[data-key=\"{name} @team\"]')");
        browser.until(&format!("{} && {}", entry("bob"), entry("few"))).await;
        for (place, offered) in
            [("few", json!(["@alice", "@all"])), ("channel", json!(["@alice", "@bob", "@all"]))]
        {
            browser.run(&format!("{}.click()", entry(place))).await;
            write(&browser, "@").await;
            browser.until("!document.querySelector('#names').hidden").await;
            let names = "return [...document.querySelectorAll('#names li')]
                .map((one) => one.textContent)";
            assert_eq!(browser.run(names).await, offered, "{place}");
        }
    });
}

#[test]
fn enter_sends_behind_a_name_that_is_written_in_full() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "enter_sends_behind_a_name_that_is_written_in_full";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        start(&home, &browser, &mock("- say: la")).await;
        browser.keys("#text", "hello @Alice").await;
        browser.until("document.querySelector('#names li')?.textContent === '@alice'").await;
        browser.keys("#text", ENTER).await;
        browser.until(&item("hello @Alice")).await;
        let hidden = browser.run("return document.querySelector('#names').hidden").await;
        assert_eq!(hidden, true);
    });
}

#[test]
fn enter_sends_behind_all_beside_a_member_whose_name_begins_so() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "enter_sends_behind_all_beside_a_member_whose_name_begins_so";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let team = Team::new("team", "").agent("allan", &mock("- say: la"));
        team.start(&home, &home.client(), Mode::Start).await;
        browser.until("document.querySelector('[data-key=\"allan @team\"]')").await;
        let channel = "document.querySelector('[data-key=\"channel @team\"]')";
        browser.until(channel).await;
        browser.run(&format!("{channel}.click()")).await;
        browser.keys("#text", "hello @all").await;
        browser.until("document.querySelectorAll('#names li').length === 2").await;
        browser.keys("#text", ENTER).await;
        browser.until(&item("hello @all")).await;
    });
}

#[test]
fn enter_that_confirms_a_word_of_an_input_method_sends_nothing() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "enter_that_confirms_a_word_of_an_input_method_sends_nothing";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        browser.keys("#text", "half").await;
        let confirms = "const confirms = { key: 'Enter', keyCode: 229, cancelable: true };
            return document.querySelector('#text')
                .dispatchEvent(new KeyboardEvent('keydown', confirms));";
        assert_eq!(browser.run(confirms).await, true, "the page leaves it to the browser");
        browser.keys("#text", ENTER).await;
        browser.until(&item("half")).await;
    });
}

#[test]
fn a_conversation_of_others_takes_no_message() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_conversation_of_others_takes_no_message";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        start_others(&home).await;
        let input = "document.querySelector('#text')";
        let form = format!("[{input}, document.querySelector('#send')]");
        go_to_others(&browser).await;
        let told = format!("{input}.placeholder === 'Only its members write here'");
        for _ in 0..2 {
            browser.until(&told).await;
            browser.until(&format!("{form}.every((one) => one.disabled)")).await;
            // Then the page opens the conversation before it knows the members.
            browser.reload().await;
        }
        browser.until(&told).await;
        let channel = "document.querySelector('[data-key=\"channel @team\"]')";
        browser.until(channel).await;
        browser.run(&format!("{channel}.click()")).await;
        browser.until(&format!("{form}.every((one) => !one.disabled)")).await;
        let placeholder = browser.run(&format!("return {input}.placeholder")).await;
        assert_eq!(placeholder, "Message (@name wakes an agent)");
    });
}

#[test]
fn a_message_for_a_stopped_workflow_is_told_in_the_words_of_the_command_line() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_message_for_a_stopped_workflow_is_told_in_the_words_of_the_command_line";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        start(&home, &browser, &mock("- say: la")).await;
        home.ok(&["stop", "@team"]);
        browser
            .until(
                "[...document.querySelectorAll('#tree h2')]
                    .some((one) => one.textContent === '@team stopped')",
            )
            .await;
        browser.keys("#text", &format!("@alice and @ghost, go{ENTER}")).await;
        let told = "@ghost not found, alice (waits: its workflow is stopped)";
        browser.until(&format!("{TOLD} === '{told}'")).await;
        assert!(home.ok(&["send", "@team", "@alice go"]).contains("its workflow is stopped"));
    });
}
