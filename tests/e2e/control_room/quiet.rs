//! That nothing is written, and nothing done, while nothing happens.

use std::time::Duration;

use agent_worker_protocol::DocWrite;

use super::{emulator::Profile, screen::Setup, stage::Stage};
use crate::{hostile::terminal::HOSTILE, support::block_on};

/// Longer than from one sign of life of the daemon to the next.
const HEARTBEAT: Duration = Duration::from_secs(12);
const SETTLED: Duration = Duration::from_secs(2);

#[test]
fn g_1_g_2_while_nothing_happens_nothing_is_written_and_hardly_anything_done() {
    let stage = Stage::idle();
    let terminal = stage.tui(&Setup::default(), &["@team"]);
    terminal.wait_for_quiet(SETTLED);
    let (cpu, wakes) = (terminal.cpu_time(), terminal.wake_ups());
    assert_eq!(terminal.written_within(HEARTBEAT), 0);
    let (cpu, wakes) = (terminal.cpu_time() - cpu, terminal.wake_ups() - wakes);
    assert!(cpu <= Duration::from_millis(30), "{cpu:?}");
    assert!(wakes <= 12, "{wakes}");
}

#[test]
fn g_3_what_changes_nothing_that_is_seen_writes_nothing() {
    let stage = Stage::idle();
    let terminal = stage.tui(&Setup::default(), &[]);
    terminal.wait_for_quiet(SETTLED);
    let before = terminal.written();
    block_on(async {
        let client = stage.client().at("@team".parse().unwrap());
        for number in 0..20 {
            let content = format!("version {number}");
            let file = Some("notes.md".to_owned());
            client
                .call(&DocWrite { content, file, if_version: None })
                .await
                .expect("it is written");
        }
    });
    assert!(stage.events() >= 20);
    terminal.wait_for_quiet(SETTLED);
    assert_eq!(terminal.written() - before, 0, "{}", terminal.text());
}

#[test]
fn g_4_agents_at_work_that_say_nothing_write_little() {
    let stage = Stage::busy("[runs]\nmax_runs = 8\n", &["a", "b", "c", "d", "e"]);
    let terminal = stage.tui(&Setup::default(), &[]);
    terminal.written_within(SETTLED);
    let (bytes, frames) = (terminal.written(), terminal.writes());
    terminal.written_within(HEARTBEAT);
    let (bytes, frames) = (terminal.written() - bytes, terminal.writes() - frames);
    let seconds = usize::try_from(HEARTBEAT.as_secs()).unwrap();
    assert!(bytes <= 500 * seconds, "{bytes} bytes");
    assert!(frames <= seconds + 2, "{frames} frames");
    assert!(bytes > 0, "times go on:\n{}", terminal.text());
}

#[test]
fn h_4_without_motion_nothing_turns() {
    let stage = Stage::busy("[tui]\nmotion = \"off\"\n", &["a", "b", "c"]);
    let terminal = stage.tui(&Setup::default(), &[]);
    terminal.written_within(SETTLED);
    let turning = || -> String {
        let is_frame = |c: &char| ('\u{2801}'..='\u{28ff}').contains(c);
        terminal.text().chars().filter(is_frame).collect()
    };
    let (before, frames) = (turning(), terminal.writes());
    assert!(before.chars().count() >= 4, "{}", terminal.text());
    terminal.written_within(HEARTBEAT);
    assert_eq!(turning(), before);
    assert!(terminal.writes() - frames <= 3, "{}", terminal.writes() - frames);
}

#[test]
fn g_8_every_frame_is_shown_at_once_where_the_terminal_can() {
    let stage = Stage::idle();
    for (profile, can) in [(Profile::Kitty, true), (Profile::Tmux, false)] {
        let terminal = stage.tui(&Setup { profile, ..Setup::default() }, &["@team"]);
        terminal.wait_for_quiet(SETTLED);
        let before = terminal.bytes().len();
        for key in ["j", "k", "?", "\x1b", "i"] {
            terminal.press(key);
            terminal.wait_for_quiet(Duration::from_millis(300));
        }
        let text = String::from_utf8(terminal.bytes().split_off(before)).unwrap();
        let (begun, ended) =
            (text.matches("\x1b[?2026h").count(), text.matches("\x1b[?2026l").count());
        assert_eq!(begun, ended, "{text:?}");
        assert_eq!(begun > 0, can, "{text:?}");
        let mut open = false;
        for part in text.split("\x1b[?2026").skip(1) {
            assert_ne!(open, part.starts_with('h'), "none is within another: {text:?}");
            open = part.starts_with('h');
        }
    }
}

#[test]
fn b_8_what_agents_write_makes_no_sequence() {
    let stage = Stage::idle();
    let sent = stage.home.run_with(&["send", "@team", "-"], HOSTILE);
    assert_eq!(sent.code, Some(0), "{sent:?}");
    let terminal = stage.tui(&Setup::default(), &["@team"]);
    terminal.wait_for_text("seen");
    for key in ["\r", "j", "\r", "o"] {
        terminal.press(key);
        terminal.wait_for_quiet(Duration::from_millis(300));
    }
    terminal.look(|emulator| {
        let modes = emulator.modes();
        assert_eq!(modes.unknown, Vec::<String>::new());
        assert_eq!((modes.bells, modes.clipboard.as_slice()), (0, b"".as_slice()));
        assert!(!modes.title.contains("title") && !modes.title.contains("evil"), "{}", modes.title);
    });
}
