//! Text that terminals do not agree about, and what stands beside it.

use std::process::{Command, Output};

use unicode_width::UnicodeWidthStr;

use super::{screen::Setup, stage::Stage};
use crate::support::{skip, wait_until};

/// Wide, joined, combining, coloured, from right to left, and blank without being one.
const RISKY: &str = "\u{4e2d}\u{6587} \u{ff76}\u{ff9e} e\u{301} \u{1f44d}\u{1f3fd} \
    \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} \u{2764}\u{fe0f} 1\u{fe0f}\u{20e3} \
    \u{1f1eb}\u{1f1f7} \u{633}\u{644}\u{627}\u{645} \u{3164}";

/// The column of the rule beside the tree, on a screen of eighty columns.
const RULE: usize = 22;

/// A team of whom it is said, and whose channel is full of it.
fn risky() -> Stage {
    let stage = Stage::idle();
    for number in 0..20 {
        stage.home.ok(&["send", "@team", &format!("{}{RISKY} end {number}", "x".repeat(number))]);
    }
    stage
}

#[test]
fn b_5_the_rule_beside_risky_text_stands_in_its_column_in_every_row() {
    let stage = risky();
    let small = Setup { columns: 80, rows: 24, ..Setup::default() };
    let terminal = stage.tui(&small, &["@team"]);
    terminal.wait_for_text("end 19");
    for key in ["", "\r", "k", "\x1b[5~", "G"] {
        if !key.is_empty() {
            terminal.press(key);
        }
        terminal.wait_for_quiet(std::time::Duration::from_millis(300));
        terminal.look(|emulator| {
            let screen = emulator.screen();
            for row in 2..22 {
                let rule = screen.cell(row, u16::try_from(RULE).unwrap()).unwrap();
                assert_eq!(
                    rule.contents(),
                    "\u{2502}",
                    "row {row}:\n{}",
                    super::screen::text(screen)
                );
            }
        });
    }
}

/// A tmux of a test's own.
struct Tmux<'a> {
    stage: &'a Stage,
}

impl Tmux<'_> {
    fn run(&self, args: &[&str]) -> std::io::Result<Output> {
        let like = self.stage.home.command(&[]);
        let mut command = Command::new("tmux");
        command.args(["-u", "-f", "/dev/null", "-S"]).arg(self.stage.home.work().join("tmux"));
        command.args(args).env_clear().current_dir(self.stage.home.work());
        command.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("TERM", "xterm-256color").output()
    }

    /// What its only pane shows.
    fn shown(&self) -> String {
        let output = self.run(&["capture-pane", "-p"]).expect("it runs");
        String::from_utf8(output.stdout).expect("it is text")
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        drop(self.run(&["kill-server"]));
    }
}

#[test]
fn b_5_the_same_in_tmux() {
    let stage = risky();
    let tmux = Tmux { stage: &stage };
    let program = stage.home.command(&[]).get_program().to_str().unwrap().to_owned();
    let new = ["new-session", "-d", "-x", "80", "-y", "24", &program, "tui", "@team"];
    match tmux.run(&new) {
        Ok(output) => assert!(output.status.success(), "{output:?}"),
        Err(error) => return skip("b_5_the_same_in_tmux", &format!("no tmux: {error}")),
    }
    let mut shown = String::new();
    wait_until("the channel is shown", || {
        shown = tmux.shown();
        shown.contains("end 19") && shown.contains("q quit")
    });
    for (row, line) in shown.lines().enumerate().skip(2).take(20) {
        let (tree, _) = line.split_once('\u{2502}').unwrap_or_else(|| panic!("{row}:\n{shown}"));
        assert_eq!(tree.width(), RULE, "row {row}:\n{shown}");
    }
}
