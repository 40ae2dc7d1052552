//! Windows that are too small, and windows that change.

use std::time::Duration;

use super::{
    screen::{Setup, text},
    stage::Stage,
};

#[test]
fn b_3_a_window_that_is_too_small_says_so_and_forgets_nothing() {
    let stage = Stage::idle();
    let terminal = stage.tui(&Setup { columns: 80, rows: 24, ..Setup::default() }, &["@team"]);
    terminal.press("i");
    terminal.wait_for_text("F1 help");
    terminal.paste("half a thought");
    terminal.wait_for_text("half a thought");
    terminal.wait_for_text("draft saved");
    terminal.wait_for_quiet(Duration::from_secs(1));
    let before = terminal.text();
    for (columns, rows) in [(59, 15), (60, 14)] {
        terminal.resize(columns, rows);
        terminal.wait_for_text(&format!("The window is {columns}x{rows}"));
        let text = terminal.text();
        assert!(text.contains("needs 60x15") && text.contains("q quit"), "{text}");
        assert!(!text.contains("half a thought"), "{text}");
    }
    terminal.resize(80, 24);
    terminal.wait_for(&format!("the same picture:\n{before}\n"), |screen| text(screen) == before);
}

#[test]
fn g_9_a_window_that_is_dragged_is_not_drawn_for_each_size() {
    let stage = Stage::idle();
    let terminal = stage.tui(&Setup { columns: 80, rows: 24, ..Setup::default() }, &[]);
    terminal.wait_for_quiet(Duration::from_secs(1));
    let before = terminal.bytes().len();
    for size in 1..=40 {
        terminal.resize(80 + size, 24);
        terminal.written_within(Duration::from_millis(50));
    }
    terminal.wait_for("the last size", |screen| {
        let row: String = screen.rows(0, 120).next().unwrap();
        row.contains("help") && row.find("help") > Some(110)
    });
    let bytes = terminal.bytes().split_off(before);
    let frames = bytes.windows(4).filter(|part| part == b"\x1b[2J").count();
    assert!((1..=30).contains(&frames), "{frames}");
}
