//! The control room, stopped and continued.

use std::process::Command;

use rustix::{process::Signal, termios::LocalModes};

use super::{
    screen::{Setup, Terminal, text},
    stage::{Stage, say},
};
use crate::support::{block_on, wait_until};

fn small() -> Setup {
    Setup { columns: 80, rows: 24, ..Setup::default() }
}

/// A shell that has jobs, and edits no lines.
fn shell(stage: &Stage) -> Terminal {
    let like = stage.home.command(&["tui"]);
    let mut command = Command::new("bash");
    command.args(["--norc", "--noprofile", "--noediting", "-i"]);
    command.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("PS1", "shell> ").env("PROGRAM", like.get_program());
    command.current_dir(stage.home.work());
    let terminal = Terminal::start(command, &small());
    terminal.wait_for_text("shell>");
    terminal
}

#[test]
fn a_9_it_can_be_stopped_and_goes_on_where_it_was() {
    let stage = Stage::idle();
    let terminal = shell(&stage);
    terminal.press("$PROGRAM tui @team\r");
    terminal.wait_for_text("\u{283f} live");
    terminal.press("j");
    terminal.wait_for_text("\u{276f} \u{25e6} alice");
    terminal.wait_for_quiet(std::time::Duration::from_secs(1));
    let before = terminal.text();
    terminal.press("\x1a");
    terminal.wait_until("the shell's screen", |emulator| {
        emulator.left_on().is_empty() && emulator.screen().contents().contains("Stopped")
    });
    let modes = terminal.termios().local_modes;
    assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG), "{modes:?}");
    terminal.press("echo is $((40 + 2))\r");
    terminal.wait_for_text("is 42");
    terminal.press("fg\r");
    terminal.wait_for("the same picture", |screen| text(screen) == before);
    terminal.press("q");
    terminal.wait_until("the shell's screen", |emulator| emulator.left_on().is_empty());
    terminal.wait_for_text("still running");
}

/// Whether the control room on a shell's terminal is stopped.
fn is_stopped(stage: &Stage) -> bool {
    let rooms = stage.home.members().beginning("agent-worker tui");
    rooms.iter().any(|pid| {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
        stat.is_ok_and(|stat| stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T')))
    })
}

/// Whether the shell waits for a command.
fn has_prompt(screen: &vt100::Screen) -> bool {
    screen.contents().trim_end().ends_with("shell>")
}

/// Waits until the shell has heard that its job is stopped: what it takes for running it does not
/// continue.
fn wait_until_told(terminal: &Terminal, sum: u32) {
    let mut tries = 0;
    wait_until("the shell knows of it", || {
        tries += 1;
        terminal.press(&format!("echo $(jobs -s | wc -l) stopped, {sum}.{tries}\r"));
        let answer = |count: u32| format!("{count} stopped, {sum}.{tries}");
        let (none, one) = (answer(0), answer(1));
        terminal.wait_for("its answer", |screen| {
            let text = screen.contents();
            text.contains(&none) || text.contains(&one)
        });
        terminal.look(|emulator| emulator.screen().contents().contains(&one))
    });
}

/// Waits until it is stopped and nothing of it is on the terminal, and the shell works.
fn assert_is_the_shells(stage: &Stage, terminal: &Terminal, sum: u32) {
    wait_until("the control room is stopped", || is_stopped(stage));
    terminal.wait_until("the shell's screen", |emulator| {
        emulator.left_on().is_empty() && has_prompt(emulator.screen())
    });
    terminal.press(&format!("echo is $(({sum} + 0))\r"));
    terminal.wait_for_text(&format!("is {sum}"));
    // What the shell was told to do before is done: if the room was continued, it is stopped again.
    wait_until("the control room is stopped", || is_stopped(stage));
    wait_until_told(terminal, sum);
    assert!(terminal.look(|emulator| emulator.left_on().is_empty()), "{}", terminal.text());
    let modes = terminal.termios().local_modes;
    assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG), "{modes:?}");
}

/// Leaves the control room, after which the shell has its terminal again.
fn assert_leaves_clean(terminal: &Terminal) {
    terminal.press("q");
    terminal.wait_until("the shell's screen", |emulator| emulator.left_on().is_empty());
    terminal.wait_for("the shell asks", |screen| {
        screen.contents().contains("still running") && has_prompt(screen)
    });
    terminal.press("echo is $((40 + 2))\r");
    terminal.wait_for_text("is 42");
}

#[test]
fn a_9_started_in_the_background_it_waits_and_touches_nothing() {
    let stage = Stage::idle();
    let terminal = shell(&stage);
    terminal.press("$PROGRAM tui @team &\r");
    assert_is_the_shells(&stage, &terminal, 11);
    terminal.press("fg\r");
    terminal.wait_for_text("\u{283f} live");
    terminal.press("j");
    terminal.wait_for_text("\u{276f} \u{25e6} alice");
    assert_leaves_clean(&terminal);
}

#[test]
fn a_9_stopped_again_and_sent_to_the_background_it_is_what_it_was() {
    let stage = Stage::idle();
    block_on(async {
        let client = stage.client();
        for number in 0..40 {
            say(&client, &format!("number {number}")).await;
        }
    });
    let terminal = shell(&stage);
    terminal.press("$PROGRAM tui @team\r");
    terminal.wait_for_text("number 39");
    terminal.press("\r");
    terminal.wait_for_text("reply");
    terminal.press("\x1b[5~");
    terminal.wait_for_text("G newest");
    terminal.wait_for_quiet(std::time::Duration::from_secs(1));
    let before = terminal.text();
    for sum in [12, 13] {
        terminal.press("\x1a");
        assert_is_the_shells(&stage, &terminal, sum);
        terminal.press("fg\r");
        terminal.wait_for("the same picture", |screen| text(screen) == before);
    }
    terminal.press("\x1a");
    assert_is_the_shells(&stage, &terminal, 14);
    terminal.press("bg\r");
    assert_is_the_shells(&stage, &terminal, 15);
    terminal.press("fg\r");
    terminal.wait_for("the same picture", |screen| text(screen) == before);
    assert_leaves_clean(&terminal);
}

#[test]
fn a_10_stopped_from_outside_it_comes_back_at_the_size_that_is() {
    let stage = Stage::idle();
    let terminal = stage.tui(&small(), &[]);
    terminal.signal(Signal::STOP);
    wait_until("it is stopped", || terminal.is_stopped());
    terminal.resize(100, 30);
    terminal.signal(Signal::CONT);
    terminal.wait_for("the new size", |screen| {
        let rows: Vec<_> = screen.rows(0, 100).collect();
        rows[0].trim_end().ends_with("help")
            && rows[0].trim_end().len() > 90
            && rows[29].contains("q quit")
    });
}
