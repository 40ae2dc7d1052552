//! §6, §13: whatever a worker and its children put out, the run ends as it would have, and neither
//! the daemon nor the worker keeps more of it than it shows.

use agent_worker_protocol::{DeliveryState, FailureClass, Mode, Peek, RunState, WorkflowState};

use super::stage::{ONCE, Outcome, Stage, shell};
use crate::support::{Home, Team, Watch, block_on, mock, peak_memory, wait_until};

/// By how much a flood may make the daemon grow, in KiB.
const LITTLE: u64 = 48 << 10;

/// Plays a run, and says by how much the daemon grew meanwhile, in KiB.
fn flooded(steps: &str) -> (Outcome, u64) {
    let mut stage = Stage::new(ONCE);
    let outcome = block_on(async {
        // What is there once does not count.
        stage.play("- say: hello").await;
        let before = peak_memory(stage.daemon.pid());
        let outcome = stage.play(steps).await;
        (outcome, peak_memory(stage.daemon.pid()) - before)
    });
    stage.home.assert_only_the_daemon_is_left();
    outcome
}

#[test]
fn a_line_without_an_end_is_not_kept() {
    let (outcome, grown) = flooded("- fail: flood 1GiB");
    assert_eq!(outcome.run.class, Some(FailureClass::Transient), "{outcome:?}");
    assert_eq!((outcome.mail.state, outcome.mail.attempts), (DeliveryState::Waiting, 1));
    assert!(grown < LITTLE, "{grown} KiB");
}

#[test]
fn a_flood_of_complaints_is_read_and_forgotten() {
    let complaints = shell("head -c 1G /dev/zero >/proc/$PPID/fd/2");
    let (outcome, grown) = flooded(&format!("{complaints}\n- say: done"));
    assert_eq!(outcome.run.state, RunState::Succeeded, "{outcome:?}");
    assert!(grown < LITTLE, "{grown} KiB");
}

#[test]
fn a_flood_of_small_lines_is_read_and_the_run_goes_on() {
    // The worker is quiet meanwhile: its own lines would fall into the middle of others.
    let lines = "yes '{\"report\":\"heartbeat\"}' | head -n 300000 >/proc/$PPID/fd/1";
    let lines = shell(&format!("kill -STOP $PPID; {lines}; kill -CONT $PPID"));
    let (outcome, grown) = flooded(&format!("{lines}\n- say: done"));
    assert_eq!(outcome.run.state, RunState::Succeeded, "{outcome:?}");
    assert!(grown < LITTLE, "{grown} KiB");
}

#[test]
fn a_transcript_of_countless_blocks_is_cut() {
    let config = "[transcript]\nrun_bytes = 1048576\n";
    let mut stage = Stage::new(&format!("{ONCE}{config}"));
    let blocks = "i=2; while [ $i -lt 30002 ]; do \
         echo '{\"report\":\"block\",\"n\":'$i',\"kind\":\"text\"}'; \
         echo '{\"report\":\"block_end\",\"n\":'$i'}'; i=$((i+1)); done >/proc/$PPID/fd/1";
    let run = block_on(stage.play(&format!("{}\n- fail: silent", shell(blocks)))).run;
    let log = stage.home.ok(&["logs", &run.id.to_string(), "--json"]);
    let blocks = log.lines().filter(|line| line.contains("\"state\":\"done\"")).count();
    assert!((3000..4200).contains(&blocks), "{blocks}");
    assert!(log.lines().rev().take(4).any(|line| line.contains("the rest is not kept")));
}

#[test]
fn a_command_that_puts_out_much_does_not_make_its_worker_large() {
    let mut stage = Stage::new(ONCE);
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        let steps = format!("{}\n- think: hm\n- sleep: 10m", shell("head -c 1G /dev/zero"));
        stage.begin(&steps).await;
        watch.run_is("alice", "thinking").await;
        let worker = stage.home.members().beginning("agent-worker worker")[0];
        let peak = peak_memory(worker);
        assert!(peak < 64 << 10, "{peak} KiB");
    });
}

#[test]
fn a_setup_step_may_put_out_as_much_as_a_value_holds() {
    let home = Home::with_config("[setup]\noutput_bytes = 1000000\n");
    let daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let before = peak_memory(daemon.pid());
        let team =
            Team::new("team", "@alice read ${{ said }}").agent("alice", &mock("- say: done"));
        let team = team.with("setup: [ { shell: \"yes word | head -c 400M\", as: said } ]");
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        watch.workflow(WorkflowState::Completed).await;
        let scope = client.at("@team".parse().unwrap());
        let said = scope.call(&Peek::default()).await.unwrap().messages;
        assert!(said[0].content.contains("word\nword\n"), "{}", said[0].content);
        let grown = peak_memory(daemon.pid()) - before;
        assert!(grown < LITTLE, "{grown} KiB");
    });
    wait_until("only the daemon is left", || home.members().pids().count() == 1);
}
