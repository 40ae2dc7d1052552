//! A question of an agent, answered from the control room.

use std::time::Duration;

use agent_worker_protocol::{Mode, RunState};

use super::{screen::Setup, stage::Stage};
use crate::support::{Team, Watch, block_on, mock};

/// After how long a key is the answer to what has just been asked.
const MOMENT: Duration = Duration::from_millis(300);

#[test]
fn d_4_what_an_agent_asks_is_seen_and_answered() {
    let stage = Stage::empty();
    let terminal = stage.tui(&Setup { columns: 80, rows: 24, ..Setup::default() }, &[]);
    let script = mock(
        "- ask: shell\n  with: { command: \"make deploy\" }\n  as: p\n- say: \"${{ p.allowed }}\"",
    );
    block_on(async {
        let client = stage.client();
        let mut watch = Watch::now(&client).await;
        let team = Team::new("team", "@alice go").agent("alice", &script);
        team.start(&stage.home, &client, Mode::Start).await;
        terminal.wait_for_text("asks you");
        terminal.press("a");
        terminal.press("\r");
        terminal.wait_for_text("command: make deploy");
        terminal.press("1");
        terminal.wait_for_text("answer q_1 with allow?");
        terminal.wait_for_quiet(MOMENT);
        terminal.press("y");
        assert_eq!(watch.run_ended(|_| true).await.state, RunState::Succeeded);
    });
    terminal.wait_for("nothing needs the person", |screen| !screen.contents().contains("asks you"));
    let shown = stage.home.ok(&["questions", "--all"]);
    assert!(shown.contains("user answered allow"), "{shown}");
}
