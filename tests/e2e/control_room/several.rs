//! The daemons of two machines in one control room.

use super::screen::{self, Setup, Terminal};
use crate::{
    remote::{BOX, Machines},
    support::{Team, block_on, mock, wait_until},
};
use agent_worker_protocol::Mode;

/// The end of a link on the other machine.
const END: &str = "agent-worker remote-end";

/// The control room of both machines, each with a team.
fn room(machines: &Machines) -> Terminal {
    let near = Team::new("nearby", "").agent("ann", &mock("- say: \"done here\""));
    let far = Team::new("faraway", "").agent("ben", &mock("- say: \"done there\""));
    block_on(async {
        near.start(&machines.near, &machines.near.client(), Mode::Start).await;
        far.start(&machines.far, &machines.far.client(), Mode::Start).await;
    });
    let command = machines.near.command(&["tui", "--host", "here", "--host", BOX]);
    let room = Terminal::start(command, &Setup::default());
    room.wait_for_text("nearby:main");
    room.wait_for_text("faraway:main");
    room
}

/// The line of the other machine in the tree.
fn root(screen: &vt100::Screen) -> String {
    let text = screen::text(screen);
    let mut lines = text.lines().skip(2).map(|line| line.chars().take(28).collect::<String>());
    lines.find(|line| line.contains(BOX)).unwrap_or_default()
}

#[test]
fn two_daemons_are_roots_of_one_tree_and_each_gets_what_is_written_to_it() {
    let machines = Machines::new();
    let (_near, _far) = (machines.near.daemon(), machines.far.daemon());
    let mut room = room(&machines);
    room.press("f");
    room.paste("workflow faraway");
    room.wait_for_text("> workflow faraway");
    room.wait_for_text("workflow faraway:main on me@box");
    room.press("\r");
    room.wait_for_text("aw │ me@box │");
    room.press("i");
    room.paste("for those far away");
    room.wait_for_text("for those far away");
    room.press("\r");
    wait_until("it is there", || {
        machines.far.ok(&["peek", "@faraway"]).contains("for those far away")
    });
    assert!(!machines.near.ok(&["peek", "@nearby"]).contains("far away"));
    // The box is there until the answer is.
    room.wait_for_text("q quit");
    room.press("q");
    assert!(room.end_clean().success());
    wait_until("no link is left", || machines.far.members().beginning(END).is_empty());
}

#[test]
fn the_others_are_shown_while_one_is_cut_off_or_cannot_be_reached() {
    let machines = Machines::new();
    let (_near, far) = (machines.near.daemon(), machines.far.daemon());
    let mut room = room(&machines);
    machines.set_reachable(false);
    machines.cut();
    room.wait_for("the cut is told at its root", |screen| root(screen).contains("RECONNECTING"));
    assert!(room.text().contains("\u{283f} live"), "{}", room.text());
    machines.set_reachable(true);
    room.wait_for("it is there again", |screen| !root(screen).contains("RECONNECTING"));
    room.press("q");
    assert!(room.end_clean().success());
    drop(far);
    machines.set_reachable(false);
    let command = machines.near.command(&["tui", "--host", "here", "--host", BOX]);
    let mut room = Terminal::start(command, &Setup::default());
    room.wait_for("its root says so", |screen| root(screen).contains("UNREACHABLE"));
    room.wait_for_text("nearby:main");
    room.press("q");
    assert!(room.end_clean().success());
}

#[test]
fn hosts_of_the_settings_are_shown_together_and_can_be_printed() {
    let machines = Machines::new();
    let (_near, _far) = (machines.near.daemon(), machines.far.daemon());
    let config = format!("[tui]\nhosts = [\"here\", \"{BOX}\"]\n");
    std::fs::write(machines.near.path().join("config.toml"), config).unwrap();
    let shown = machines.near.ok(&["tui", "--dump", "100x30"]);
    let roots = shown.lines().filter(|line| line.contains('▾')).count();
    assert!(roots == 2 && shown.contains(BOX), "{shown}");
    let one = machines.near.ok(&["tui", "--host", "here", "--dump", "100x30"]);
    assert!(!one.contains(BOX), "{one}");
    let refused = machines.near.run(&["list", "--host", "here", "--host", BOX]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("only `tui` shows them together"), "{refused:?}");
}
