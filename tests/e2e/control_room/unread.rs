//! What is unread, in one terminal and in others.

use agent_worker_protocol::Mode;

use super::{
    screen::{Setup, Terminal},
    stage::Stage,
    way::Way,
};
use crate::support::{Team, Watch, block_on, mock};

fn small() -> Setup {
    Setup { columns: 80, rows: 24, ..Setup::default() }
}

/// A daemon with a team whose agent alice has sent twelve messages, two of them to the user. She
/// sends one more whenever she is woken.
fn told() -> Stage {
    let stage = Stage::empty();
    let said: Vec<_> = (1..=12)
        .map(|number| {
            let to = if number % 6 == 0 { "@user " } else { "" };
            format!("    - call: channel_send\n      with: {{ message: \"{to}number {number}\" }}")
        })
        .collect();
    let more = mock("- call: channel_send\n  with: { message: \"one more\" }");
    let script = format!("- do:\n{}\n{more}", said.join("\n"));
    block_on(async {
        let client = stage.client();
        let mut watch = Watch::now(&client).await;
        let team = Team::new("team", "").agent("alice", &script);
        team.start(&stage.home, &client, Mode::Start).await;
        stage.home.ok(&["send", "alice@team", "go"]);
        watch.run_ended(|_| true).await;
    });
    stage
}

/// What the line of the team's channel in the tree says behind its name.
fn count(screen: &vt100::Screen) -> Option<String> {
    let text = screen.contents();
    let line = text.lines().find(|line| line.contains("# channel"))?;
    let line = line.split('\u{2502}').next()?;
    Some(line.split("# channel").nth(1)?.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn wait_for_count(terminals: &[&Terminal], wanted: &str) {
    for terminal in terminals {
        terminal.wait_for(&format!("`{wanted}` behind the channel"), |screen| {
            count(screen).as_deref() == Some(wanted)
        });
    }
}

/// Whether the line that says what is new stands above the first of it.
fn has_line(screen: &vt100::Screen, count: usize, first: &str) -> bool {
    let text = screen.contents();
    let lines: Vec<_> = text.lines().collect();
    let line =
        lines.iter().position(|line| line.contains(&format!("\u{2500} {count} new \u{2500}")));
    line.is_some_and(|line| lines[line + 1].trim_end().ends_with(first))
}

fn resize(terminal: &Terminal, rows: u16) {
    terminal.resize(80, rows);
    // A frame for the size before may still come: its last lines are all in the last row. Of the
    // frame that is there only one end is kept.
    terminal.wait_for("the new size", |screen| {
        let rows: Vec<_> = screen.rows(0, 80).collect();
        rows[0].starts_with(" aw ")
            && rows[rows.len() - 2].contains('\u{270e}')
            && rows[rows.len() - 1].contains("? help")
    });
}

/// Makes the window so low that not all fits, and scrolls until this is not seen any more.
fn scroll_up(terminal: &Terminal, last: &str) {
    resize(terminal, 15);
    terminal.press("\x1b[5~");
    terminal.wait_for(&format!("{last} is not seen"), |screen| !screen.contents().contains(last));
}

#[test]
fn d_5_what_is_unread_counts_until_the_last_of_it_was_seen_with_focus() {
    let stage = told();
    let reader = stage.tui(&small(), &["@team"]);
    let other = stage.tui(&small(), &[]);
    let both = [&reader, &other];
    // The pane has no focus.
    reader.wait_for("the line", |screen| has_line(screen, 12, "number 1"));
    wait_for_count(&both, "@2 12");
    // The terminal has none.
    reader.send(b"\x1b[O");
    reader.press("\r");
    reader.wait_for_text("reply");
    reader.press("\x0c");
    reader.wait_for_quiet(std::time::Duration::from_secs(1));
    wait_for_count(&both, "@2 12");
    // The last one is not on the screen.
    scroll_up(&reader, "number 12");
    reader.send(b"\x1b[I");
    reader.wait_for_quiet(std::time::Duration::from_secs(1));
    wait_for_count(&both, "@2 12");
    reader.press("G");
    wait_for_count(&both, "");
    // The line stays until the conversation is left.
    resize(&reader, 24);
    reader.wait_for("the line", |screen| has_line(screen, 12, "number 1"));
    for terminal in both {
        terminal.wait_for("no need", |screen| !screen.contents().contains("names you"));
    }
    // What comes under the person's eyes is read at once; what comes below them is not.
    stage.home.ok(&["send", "alice@team", "go on"]);
    reader.wait_for_text("one more");
    wait_for_count(&both, "");
    scroll_up(&reader, "one more");
    stage.home.ok(&["send", "alice@team", "go on"]);
    wait_for_count(&both, "1");
    reader.press("G");
    wait_for_count(&both, "");
    reader.press("\x1b");
    reader.wait_for("the tree has focus", |screen| !screen.contents().contains("reply"));
    reader.press("j");
    reader.wait_for("another subject", |screen| {
        screen.contents().lines().nth(1).is_some_and(|line| line.contains("alice"))
    });
    reader.press("k");
    reader.wait_for_text("number 12");
    assert!(!reader.text().contains(" new \u{2500}"), "{}", reader.text());
}

#[test]
fn d_6_looking_at_an_agent_asks_for_nothing_that_changes_anything() {
    let stage = Stage::idle();
    stage.home.ok(&["stop", "alice@team"]);
    for number in 0..3 {
        stage.home.ok(&["send", "alice@team", &format!("number {number}")]);
    }
    let inbox = || stage.home.ok(&["inbox", "alice@team", "--json"]);
    let before = inbox();
    let way = Way::of(&stage.home);
    let terminal = stage.tui(&small(), &["alice@team"]);
    for keys in
        ["2", "\r", "j", "k", "\r", "\x1b", "\x1b", "3", "\r", "j", "\x1b", "4", "6", "5", "1"]
    {
        terminal.press(keys);
        terminal.wait_for_quiet(std::time::Duration::from_millis(200));
    }
    assert!(!way.asked("GET").is_empty());
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
        assert_eq!(way.asked(method), Vec::<String>::new());
    }
    assert_eq!(inbox(), before);
}
