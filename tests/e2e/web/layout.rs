//! Where texts stand on the page.

use super::chat::{WIDE, item, open};
use crate::support::{Home, block_on};

/// A phone's; a headless browser may refuse to be as narrow.
const NARROW: (u32, u32) = (390, 800);

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
