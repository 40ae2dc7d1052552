//! The control room, stopped and continued.

use std::process::Command;

use rustix::{process::Signal, termios::LocalModes};

use super::{
    screen::{Setup, Terminal, text},
    stage::Stage,
};
use crate::support::wait_until;

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
