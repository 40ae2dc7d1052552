//! The terminal of the tests itself.

use std::process::Command;

use super::{
    emulator::Profile,
    screen::{Setup, Terminal},
};
use crate::support::Home;

#[test]
fn a_program_is_on_a_terminal_and_is_answered() {
    let setup = Setup { columns: 40, rows: 5, profile: Profile::Kitty, ..Setup::default() };
    let home = Home::new();
    let mut command = Command::new("sh");
    command.current_dir(home.work()).args([
        "-c",
        "old=$(stty -g); stty size; stty raw -echo; printf '\\033[c\\033[?1004h'; dd bs=1 count=9 2>/dev/null | tr '\\033' E; \
         printf '\\033[?1004l'; stty \"$old\"",
    ]);
    let mut terminal = Terminal::start(command, &setup);
    terminal.wait_for_text("5 40");
    terminal.wait_for_text("E[?62;22c");
    assert!(terminal.end_clean().success());
}
