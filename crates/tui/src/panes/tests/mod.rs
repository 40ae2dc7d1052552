//! The panes, as stories show them.

mod agents;
mod attach;
mod conversation;
mod cost;
mod detail;
mod dock;
mod documents;
mod events;
mod family;
mod groups;
mod heads;
mod inbox;
mod info;
mod members;
mod proposals;
mod run;
mod runs;
mod schedules;

use crate::{app::Msg, tests::Story};

/// A text of `count` words: `Word1000`, `Word1001` and so on.
fn words(count: usize) -> String {
    let words: Vec<String> = (1_000..1_000 + count).map(|number| format!("Word{number}")).collect();
    words.join(" ")
}

/// The number of the first of [`words`] in the main pane.
fn first_word(story: &Story) -> i64 {
    let shown = story.main_pane();
    let number = shown.split_once("Word").and_then(|(_, rest)| rest.get(..4));
    number.and_then(|number| number.parse().ok()).unwrap()
}

/// Makes a screen of 200×60 smaller, and as large again: about the same of [`words`] stays at the
/// top. Gives the first one of the small screen.
fn keeps_its_place(story: &mut Story) -> i64 {
    let wide = first_word(story);
    story.tell(Msg::Resize(80, 24));
    let narrow = first_word(story);
    assert!(wide.abs_diff(narrow) < 25, "{wide} became {narrow}");
    story.tell(Msg::Resize(200, 60));
    assert_eq!(first_word(story), wide);
    narrow
}
