//! What others do, as it comes onto the screen.

use super::{
    screen::{Setup, Terminal},
    stage::Stage,
};

#[test]
fn d_1_what_is_sent_in_a_shell_is_on_every_screen() {
    let stage = Stage::idle();
    let small = Setup { columns: 80, rows: 24, ..Setup::default() };
    let rooms = [stage.tui(&small, &["@team"]), stage.tui(&Setup::default(), &["@team"])];
    for number in 0..5 {
        let text = format!("message {number} of a shell");
        stage.home.ok(&["send", "@team", &text]);
        for room in &rooms {
            room.wait_for_text(&text);
            assert_eq!(room.text().matches(&text).count(), 1, "{}", room.text());
        }
    }
}

#[test]
fn a_watched_status_is_shown_again_below_itself_where_a_terminal_prints_lines_only() {
    let stage = Stage::empty();
    let lines_only = Setup { term: "dumb", ..Setup::default() };
    let watching = stage.home.command(&["status", "--watch"]);
    let terminal = Terminal::start(watching, &lines_only);
    let last = "nothing needs you";
    terminal.wait_for_text(last);
    stage.home.ok(&["send", "@global", "something changes"]);
    terminal.wait_for("two reports", |screen| screen.contents().matches(last).count() > 1);
}
