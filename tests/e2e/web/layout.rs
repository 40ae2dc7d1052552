//! Where texts stand on the page.

use serde_json::json;

use super::chat::{ENTER, WIDE, item, open, start};
use crate::support::{Home, block_on, mock};

/// A phone's; a headless browser may refuse to be as narrow.
const NARROW: (u32, u32) = (390, 800);

/// A phone's that is held sideways.
const LOW: (u32, u32) = (667, 375);

/// So low that no row has room to spare.
const FLAT: (u32, u32) = (900, 300);

/// The place of the text of the first element that a selector finds.
fn text_of(selector: &str) -> String {
    format!(
        "((range) => {{
            range.selectNodeContents(document.querySelector('{selector}'));
            return range.getBoundingClientRect();
        }})(document.createRange())"
    )
}

#[test]
fn words_in_a_table_stay_whole_in_a_narrow_window() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "words_in_a_table_stay_whole_in_a_narrow_window";
        let Some(browser) = open(test, &home, NARROW).await else { return };
        let long = "what there is to say about it ".repeat(20);
        let table = format!("| file | about |\n|---|---|\n| parser | {long} |");
        home.ok(&["send", "@global", &table]);
        browser.until(&item("parser")).await;
        let height = browser.run(&format!("return {}.height", text_of("#talk td"))).await;
        assert!(height.as_f64().is_some_and(|height| height < 40.0), "one line: {height}");
    });
}

#[test]
fn a_text_that_is_written_from_right_to_left_begins_on_the_right() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_text_that_is_written_from_right_to_left_begins_on_the_right";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        home.ok(&["send", "@global", "שלום עולם."]);
        browser.until(&item("שלום")).await;
        let edge = "document.querySelector('#talk .text p').getBoundingClientRect().left";
        let before = format!("return {}.left - {edge}", text_of("#talk .text p"));
        let before = browser.run(&before).await;
        assert!(before.as_f64().is_some_and(|before| before > 100.0), "{before}");
        let typed = "return getComputedStyle(document.querySelector('#text')).unicodeBidi";
        assert_eq!(browser.run(typed).await, "plaintext");
    });
}

#[test]
fn only_a_draft_with_a_very_long_line_has_one_direction_for_all_its_lines() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "only_a_draft_with_a_very_long_line_has_one_direction_for_all_its_lines";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let kinds = "const text = document.querySelector('#text');
            return ['a'.repeat(60000), 'a'.repeat(40000), 'aaaaa\\n'.repeat(10000)].map((draft) => {
                text.value = draft;
                text.dispatchEvent(new Event('input'));
                return getComputedStyle(text).unicodeBidi;
            })";
        assert_eq!(browser.run(kinds).await, json!(["normal", "plaintext", "plaintext"]));
    });
}

#[test]
fn the_mark_of_an_item_stands_where_its_text_begins() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "the_mark_of_an_item_stands_where_its_text_begins";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        home.ok(&["send", "@global", "- שלום\n- mixed\n\nand\n\n1. left\n2. right"]);
        browser.until(&item("שלום")).await;
        let sides =
            [("ul li", "marginRight"), ("ul li + li", "marginLeft"), ("ol li", "marginLeft")];
        for (one, side) in sides {
            let style = format!("getComputedStyle(document.querySelector('#talk .text {one}'))");
            let room = browser.run(&format!("return parseFloat({style}.{side})")).await;
            assert!(room.as_f64().is_some_and(|room| room > 20.0), "{one}: {room}");
        }
    });
}

#[test]
fn the_marks_of_a_list_begin_with_discs() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "the_marks_of_a_list_begin_with_discs";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        home.ok(&["send", "@global", "- one\n  - two\n    - three"]);
        browser.until(&item("three")).await;
        let marks = "return [...document.querySelectorAll('#talk .text ul')]
            .map((one) => getComputedStyle(one).listStyleType)";
        assert_eq!(browser.run(marks).await, json!(["disc", "circle", "square"]));
    });
}

#[test]
fn the_message_box_has_no_scrollbar_before_it_is_full() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "the_message_box_has_no_scrollbar_before_it_is_full";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let over = "const text = document.querySelector('#text');
            text.value = 'one\\ntwo\\nthree';
            text.dispatchEvent(new Event('input'));
            return text.scrollHeight - text.clientHeight";
        assert_eq!(browser.run(over).await, 0);
    });
}

#[test]
fn the_menu_of_a_narrow_window_gives_the_focus_back() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "the_menu_of_a_narrow_window_gives_the_focus_back";
        let Some(browser) = open(test, &home, NARROW).await else { return };
        let is_open = "document.body.classList.contains('tree')";
        let has_focus = |selector: &str| format!("document.activeElement.matches('{selector}')");
        let (escape, tab) = ("\u{e00c}", "\u{e004}");
        browser.keys("#menu", ENTER).await;
        browser.until(&format!("{is_open} && {}", has_focus("#tree [aria-current]"))).await;
        browser.keys(":focus", escape).await;
        browser.until(&format!("!{is_open} && {}", has_focus("#menu"))).await;
        browser.keys("#menu", ENTER).await;
        browser.until(is_open).await;
        browser.run("[...document.querySelectorAll('#tree button')].at(-1).focus()").await;
        browser.keys(":focus", tab).await;
        browser.until(&format!("{is_open} && {}", has_focus("#menu"))).await;
        // What comes next is behind the menu.
        browser.keys(":focus", tab).await;
        browser.until(&format!("!{is_open} && {}", has_focus("#talk"))).await;
    });
}

#[test]
fn a_long_word_below_the_message_leaves_the_send_button_in_a_narrow_window() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_long_word_below_the_message_leaves_the_send_button_in_a_narrow_window";
        let Some(browser) = open(test, &home, NARROW).await else { return };
        let long = "so-long-a-word-".repeat(7);
        let refuse = format!(
            "const body = JSON.stringify({{ error: {{ message: '{long}' }} }});
             const real = window.fetch;
             window.fetch = async (path, request) => path.startsWith('/send')
                 ? new Response(body, {{ status: 400 }})
                 : real(path, request);"
        );
        browser.run(&refuse).await;
        browser.keys("#text", &format!("one{ENTER}")).await;
        browser.until("document.querySelector('#told').textContent !== ''").await;
        let over = "document.body.style.width = '320px';
            return document.querySelector('#send').getBoundingClientRect().right > 320";
        assert_eq!(browser.run(over).await, false);
    });
}

#[test]
fn a_question_with_long_words_is_as_wide_as_a_narrow_window() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_question_with_long_words_is_as_wide_as_a_narrow_window";
        let Some(browser) = open(test, &home, NARROW).await else { return };
        let long = "so_long_a_word_".repeat(7);
        let asks = format!(
            "- call: ask_person\n  with: {{ question: \"Which one?\", \
             options: [left, {long}], default: {long} }}"
        );
        start(&home, &browser, &mock(&asks)).await;
        home.ok(&["send", "@team", "@alice go"]);
        browser.until("document.querySelector('#needs form')").await;
        let over = "document.body.style.width = '320px';
            const needs = document.querySelector('#needs');
            return needs.scrollWidth - needs.clientWidth";
        assert_eq!(browser.run(over).await, 0);
    });
}

#[test]
fn a_question_has_room_for_its_answers_in_a_low_window() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_question_has_room_for_its_answers_in_a_low_window";
        let Some(browser) = open(test, &home, LOW).await else { return };
        let room =
            "return parseFloat(getComputedStyle(document.querySelector('#needs')).maxHeight)";
        let room = browser.run(room).await;
        assert!(room.as_f64().is_some_and(|room| room >= 176.0), "{room}");
    });
}

#[test]
fn a_question_is_seen_in_a_very_low_window() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_question_is_seen_in_a_very_low_window";
        let Some(browser) = open(test, &home, FLAT).await else { return };
        let needs = "document.querySelector('#needs').offsetHeight";
        assert_eq!(browser.run(&format!("return {needs}")).await, 0);
        start(&home, &browser, &mock("- call: ask_person\n  with: { question: \"Go on?\" }")).await;
        home.ok(&["send", "@team", "@alice go"]);
        browser.until("document.querySelector('#needs form')").await;
        let missing = format!("return Math.min(40, innerHeight / 5) - {needs} < 1");
        assert_eq!(browser.run(&missing).await, true);
    });
}

#[test]
fn a_question_and_a_draft_leave_room_for_the_conversation_in_a_low_window() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_question_and_a_draft_leave_room_for_the_conversation_in_a_low_window";
        let Some(browser) = open(test, &home, LOW).await else { return };
        let long = "Which one? ".repeat(60);
        let asks = format!("- call: ask_person\n  with: {{ question: \"{long}\" }}");
        start(&home, &browser, &mock(&asks)).await;
        home.ok(&["send", "@team", "@alice go"]);
        browser.until("document.querySelector('#needs form')").await;
        let room = "const missing = () => Math.min(80, innerHeight / 4)
                - document.querySelector('#talk').offsetHeight;
            const before = missing();
            const text = document.querySelector('#text');
            text.value = 'one\\n'.repeat(12);
            text.dispatchEvent(new Event('input'));
            const below = document.querySelector('#composer').getBoundingClientRect().bottom;
            return [before, missing(), below - innerHeight].map((over) => over < 1)";
        assert_eq!(browser.run(room).await, json!([true, true, true]));
    });
}

#[test]
fn what_is_told_of_the_daemon_has_a_row_of_its_own_in_a_narrow_window() {
    let home = Home::new();
    let _daemon = home.daemon();
    let name = "a-reviewer-of-the-release-notes";
    home.ok(&["new", name, "--backend", "mock"]);
    block_on(async {
        let test = "what_is_told_of_the_daemon_has_a_row_of_its_own_in_a_narrow_window";
        let Some(browser) = open(test, &home, NARROW).await else { return };
        let agent = format!("document.querySelector('[data-key=\"{name} @global\"]')");
        browser.until(&agent).await;
        browser.run(&format!("{agent}.click()")).await;
        let title = "document.querySelector('#title').textContent";
        browser.until(&format!("{title} === '{name} @global'")).await;
        let height = "document.body.style.width = '320px';
            const link = document.querySelector('#link');
            link.textContent = 'The daemon was updated: reload this page.';
            return link.offsetHeight";
        let height = browser.run(height).await;
        assert!(height.as_f64().is_some_and(|height| height < 60.0), "two lines: {height}");
    });
}

#[test]
fn the_button_of_the_history_looks_pressed_while_the_history_is_shown() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.ok(&["new", "alice", "--backend", "mock"]);
    block_on(async {
        let test = "the_button_of_the_history_looks_pressed_while_the_history_is_shown";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let alice = "document.querySelector('[data-key=\"alice @global\"]')";
        browser.until(alice).await;
        browser.run(&format!("{alice}.click()")).await;
        let colours = "const history = document.querySelector('#history');
            const colour = () => getComputedStyle(history).borderTopColor;
            const before = colour();
            history.click();
            const pressed = colour();
            history.click();
            return [before === pressed, before === colour()]";
        assert_eq!(browser.run(colours).await, json!([false, true]));
    });
}

#[test]
fn the_hint_in_the_message_box_has_the_contrast_of_other_soft_texts_in_the_dark() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "the_hint_in_the_message_box_has_the_contrast_of_other_soft_texts_in_the_dark";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let colours = "document.documentElement.style.colorScheme = 'dark';
            const colour = (id, part) => getComputedStyle(document.querySelector(id), part).color;
            return [colour('#text', '::placeholder'), colour('#told')]";
        let soft = "rgb(154, 163, 178)";
        assert_eq!(browser.run(colours).await, json!([soft, soft]));
    });
}
