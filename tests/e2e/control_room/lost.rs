//! A daemon that goes away and comes back, as it is seen.

use std::{collections::BTreeSet, time::Duration};

use agent_worker_client::Client;
use agent_worker_protocol::DocWrite;

use super::{
    emulator::Profile,
    mirror::is_gone,
    screen::{Setup, Terminal, text},
    stage::{Stage, say},
    way::Way,
};
use crate::support::{block_on, within};

/// Where a room is open: what it shows first, which tab, on what screen.
const PLACES: [(&[&str], &str, (u16, u16)); 6] = [
    (&["@team"], "", (80, 24)),
    (&["@team"], "", (200, 60)),
    (&[], "", (120, 40)),
    (&["alice@team"], "", (120, 40)),
    (&["alice@team"], "4", (120, 40)),
    (&[], "2", (160, 40)),
];

fn rooms(stage: &Stage) -> Vec<Terminal> {
    PLACES.iter().map(|(target, tab, size)| room(stage, target, tab, *size)).collect()
}

fn room(stage: &Stage, target: &[&str], tab: &str, (columns, rows): (u16, u16)) -> Terminal {
    let terminal = stage.tui(&Setup { columns, rows, ..Setup::default() }, target);
    if let Some(target) = target.first() {
        terminal.wait_for("what was wanted", |screen| is_shown(screen, target));
    }
    if !tab.is_empty() {
        terminal.press(tab);
        terminal.wait_for("the tab", |screen| subject(screen).contains(&format!("[{tab} ")));
    }
    terminal
}

/// The line that says what is shown.
fn subject(screen: &vt100::Screen) -> String {
    text(screen).lines().nth(1).unwrap_or_default().to_owned()
}

fn is_shown(screen: &vt100::Screen, target: &str) -> bool {
    let name = target.split('@').find(|part| !part.is_empty()).unwrap();
    subject(screen).trim_start().starts_with(name)
}

/// Everything but the line of the connection, the line of the composer and the keys.
fn picture(screen: &vt100::Screen) -> String {
    let text = text(screen);
    let lines: Vec<_> = text.lines().collect();
    lines[1..usize::from(screen.size().0.get()) - 2].join("\n")
}

/// Whether something is shown as if it was at work.
fn is_turning(picture: &str) -> bool {
    picture.contains(|c: char| ('\u{2801}'..='\u{28ff}').contains(&c))
}

fn status(screen: &vt100::Screen) -> String {
    text(screen).lines().next().unwrap_or_default().to_owned()
}

/// Whether the connection was tried so often.
fn is_tried(screen: &vt100::Screen, tries: u32) -> bool {
    let status = status(screen);
    let number = status.split("(try ").nth(1).and_then(|rest| rest.split([',', ')']).next());
    number.and_then(|number| number.parse::<u32>().ok()).is_some_and(|known| known >= tries)
}

#[test]
fn e_1_when_the_daemon_is_killed_the_picture_is_still_and_called_old() {
    let stage = Stage::busy("", &["alice"]);
    stage.home.ok(&["send", "@team", "good morning"]);
    let rooms = rooms(&stage);
    for room in &rooms {
        room.wait_for("alice is at work", |screen| is_turning(&picture(screen)));
    }
    let Stage { home, daemon } = stage;
    daemon.kill();
    let mut pictures = Vec::new();
    for room in &rooms {
        room.wait_for("the connection is lost, and nothing is at work", |screen| {
            let picture = picture(screen);
            is_tried(screen, 1) && !is_turning(&picture) && picture.contains("~ alice")
        });
        assert!(room.text().contains("RECONNECTING"), "{}", room.text());
        room.wait_for_quiet(Duration::from_millis(300));
        pictures.push(room.look(|emulator| picture(emulator.screen())));
    }
    for (room, before) in rooms.iter().zip(&pictures) {
        room.wait_for("more tries", |screen| is_tried(screen, 4));
        let seen = room.look(|emulator| picture(emulator.screen()));
        assert_eq!(&seen, before, "no time goes on");
    }
    let wide = rooms[2].text();
    assert!(wide.contains("data as of "), "{wide}");
    drop(rooms);
    home.assert_nobody_is_left();
}

/// What another screen shows is told too, if a test fails.
struct Beside<'a>(&'a Terminal);

impl Drop for Beside<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the other screen shows:\n{}", self.0.text());
        }
    }
}

#[test]
fn e_2_when_it_is_there_again_every_screen_is_what_a_new_one_is() {
    let stage = Stage::busy("[runs]\nstop_grace = \"50ms\"\n", &["alice"]);
    let rooms = rooms(&stage);
    for room in &rooms {
        room.wait_for("alice is at work", |screen| is_turning(&picture(screen)));
    }
    let Stage { home, daemon } = stage;
    daemon.kill();
    for room in &rooms {
        room.wait_for_text("RECONNECTING");
    }
    let daemon = home.daemon();
    let stage = Stage { home, daemon };
    for room in &rooms {
        room.wait_for_text("\u{283f} live");
        room.wait_for_text("the daemon was restarted");
    }
    stage.home.ok(&["send", "@team", "and on it goes"]);
    // Nothing goes on by itself from here on.
    stage.home.ok(&["stop", "alice@team"]);
    let fresh = self::rooms(&stage);
    for ((place, old), new) in PLACES.iter().zip(&rooms).zip(&fresh) {
        let _beside = Beside(new);
        if !place.1.is_empty() {
            // What was looked at stays selected: a new screen begins with the newest.
            for room in [old, new] {
                room.wait_for_text("run_2");
                room.press("g");
            }
        }
        old.wait_for(&format!("at {place:?} the same"), |screen| {
            let new = new.look(|emulator| picture(emulator.screen()));
            picture(screen) == new && !is_turning(&new)
        });
    }
}

#[test]
fn e_2_a_connection_that_was_cut_is_not_called_a_restart() {
    let stage = Stage::idle();
    let way = Way::of(&stage.home);
    let terminal = stage.tui(&Setup::default(), &["@team"]);
    way.cut();
    terminal.wait_for_text("live again");
    assert!(!terminal.text().contains("restarted"), "{}", terminal.text());
}

/// Events are gone after a moment.
const FORGETFUL: &str = "[feed]\nkeep = \"1ms\"\nkeep_events = 10\n[runs]\nsweep = \"20ms\"\n";

/// Whether every character of a picture is dim.
fn is_dim(screen: &vt100::Screen) -> bool {
    let (rows, columns) = screen.size();
    let shown = (2..rows.get() - 2).flat_map(|row| (30..columns.get()).map(move |x| (row, x)));
    let cells: Vec<_> = shown.filter_map(|(row, x)| screen.cell(row, x)).collect();
    let written = || cells.iter().filter(|cell| !cell.contents().trim().is_empty());
    written().count() > 0 && written().all(|cell| cell.dim())
}

/// A room of a daemon whose feed has forgotten what the room has missed, and whose snapshot does
/// not come.
fn reloading(client: &Client, way: &Way, terminal: &Terminal) {
    way.hold(Some("/events"));
    way.cut();
    terminal.wait_for_text("RECONNECTING");
    block_on(async {
        let client = client.at("@team".parse().unwrap());
        let before = client.snapshot().await.expect("it is told").seq;
        for number in 0..20 {
            let content = number.to_string();
            let file = Some("notes.md".to_owned());
            let write = DocWrite { content, file, if_version: None };
            client.call(&write).await.expect("it is written");
        }
        say(&client, "said meanwhile").await;
        within("what was missed is gone", async { while !is_gone(&client, before).await {} }).await;
    });
    way.hold(Some("/snapshot"));
    terminal.wait_for_text("reloading");
}

#[test]
fn e_8_while_all_is_loaded_anew_keys_work_and_the_old_picture_is_dim() {
    let stage = Stage::busy(FORGETFUL, &["alice"]);
    let client = stage.client();
    block_on(say(&client, "said before"));
    let way = Way::of(&stage.home);
    let setup = Setup { profile: Profile::Kitty, ..Setup::default() };
    let terminal = stage.tui(&setup, &["@team"]);
    terminal.wait_for_text("said before");
    assert!(!terminal.look(|emulator| is_dim(emulator.screen())));
    terminal.keep_frames();
    reloading(&client, &way, &terminal);
    let seen = terminal.text();
    assert!(seen.contains("said before") && !seen.contains("said meanwhile"), "{seen}");
    terminal.wait_for("the old picture is dim", is_dim);
    // Keys: another line, another tab and back, help and out of it, a draft. Lines by arrows: six
    // letters that come as fast as frames are drawn are not taken for typed.
    terminal.press("\x1b[B");
    terminal.wait_for("the next line", |screen| subject(screen).contains("alice"));
    terminal.press("\x1b[A");
    terminal.wait_for("the line before", |screen| is_shown(screen, "@team"));
    terminal.press("2");
    terminal.wait_for("another tab", |screen| subject(screen).contains("[2 "));
    terminal.press("1");
    terminal.wait_for("the tab before", |screen| subject(screen).contains("[1 "));
    terminal.press("?");
    terminal.wait_for_text("type to filter these keys");
    terminal.press("\x1b");
    terminal.wait_for("no help", |screen| {
        let shown = screen.contents();
        shown.contains("q quit") && !shown.contains("filter these")
    });
    terminal.press("i");
    terminal.wait_for_text("F1 help");
    terminal.press("x");
    terminal.wait_for_text("not connected: kept as draft");
    terminal.press("\x1b");
    terminal.wait_for_text("reloading");
    assert_eq!(way.asked("GET /snapshot").len(), 2, "it is asked for once each time");
    way.hold(None);
    terminal.wait_for_text("said meanwhile");
    terminal.wait_for_text("\u{283f} live");
    assert!(!terminal.look(|emulator| is_dim(emulator.screen())));
    terminal.look(|emulator| {
        let lines: BTreeSet<_> =
            emulator.frames().iter().map(|it| it.text.lines().count()).collect();
        // Each of the nine keys has one, but for what comes in the frame of the next.
        assert!(emulator.frames().len() >= 8, "{}", emulator.frames().len());
        for frame in emulator.frames() {
            assert!(
                frame.text.contains("WORKFLOWS") && frame.text.contains("alice"),
                "{}",
                frame.text
            );
        }
        assert_eq!(lines, BTreeSet::from([40]), "no frame is half of one");
    });
}
