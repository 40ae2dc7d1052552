//! The control room of another machine's daemon, whose link breaks.

use super::{
    screen::{Setup, Terminal},
    stage::say,
};
use crate::{
    remote::{BOX, Machines},
    support::{Team, block_on, mock},
};
use agent_worker_protocol::Mode;

#[test]
fn a_cut_is_seen_and_the_screen_goes_on_when_ssh_works_again() {
    let machines = Machines::new();
    let _daemon = machines.far.daemon();
    let client = machines.far.client();
    let team = Team::new("team", "").agent("alice", &mock("- say: \"done\""));
    block_on(async { team.start(&machines.far, &client, Mode::Start).await });
    let mut room =
        Terminal::start(machines.near.command(&["--host", BOX, "tui", "@team"]), &Setup::default());
    room.wait_for_text("\u{283f} live");
    assert!(room.text().contains(BOX), "{}", room.text());
    assert!(!machines.logins()[0].contains("BatchMode"), "a password may be asked for at first");
    machines.set_reachable(false);
    machines.cut();
    room.wait_for_text("RECONNECTING");
    block_on(async { say(&client, "said behind the cut").await });
    machines.set_reachable(true);
    room.wait_for_text("\u{283f} live");
    room.wait_for_text("said behind the cut");
    assert!(machines.logins().last().unwrap().contains("BatchMode=yes"), "nothing is asked");
    room.press("q");
    assert!(room.end_clean().success());
    crate::support::wait_until("no link is left", || machines.near.members().is_empty());
}
