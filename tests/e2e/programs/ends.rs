//! How runs of programs end that do not do well.

use agent_worker_protocol::{AgentShow, DeliveryState, FailureClass, RunState};

use super::stage::{ONCE, Stage};
use crate::support::{Watch, block_on, wait_until};

#[test]
fn a_program_without_the_daemons_tools_has_not_succeeded() {
    let stage = Stage::new(ONCE);
    for (script, says) in [
        ("begins s-1; says hello; ends done", "never asked the daemon for its tools"),
        (
            "echo '{\"type\":\"system\",\"subtype\":\"init\",\"mcp_servers\":[{\"name\":\"daemon\",\"status\":\"failed\"}]}'\n\
             says hello; ends done",
            "did not reach the daemon's tools",
        ),
    ] {
        block_on(async {
            let outcome = stage.play("claude", script).await;
            let run = outcome.run;
            assert_eq!(run.class, Some(FailureClass::Transient), "{run:?}");
            assert!(run.error.as_ref().unwrap().contains(says), "{run:?}");
            assert_eq!(outcome.mail.state, DeliveryState::Waiting, "it is tried again");
            assert_eq!(stage.left(), [""; 0]);
        });
    }
}

#[test]
fn each_failure_of_claude_ends_its_run_as_it_should() {
    use FailureClass::{Permanent, Transient, Unavailable};
    let failed = |status: &str, text: &str| {
        format!(
            "tools; begins s-1\necho '{{\"type\":\"result\",\"subtype\":\"success\",\
             \"is_error\":true,\"api_error_status\":{status},\"result\":\"{text}\",\
             \"usage\":{{}}}}'; exit 1"
        )
    };
    let stage = Stage::new(ONCE);
    for (script, class) in [
        (failed("401", "Invalid API key"), Permanent),
        (failed("404", "model: m-1"), Permanent),
        (failed("400", "Prompt is too long"), Permanent),
        (failed("400", "Your credit balance is too low"), Permanent),
        (failed("429", "Rate limited"), Unavailable),
        (failed("529", "Overloaded"), Unavailable),
        (failed("500", "Internal server error"), Unavailable),
        (failed("null", "Connection error."), Unavailable),
        ("tools; begins s-1; says hello; kill -9 $$".to_owned(), Transient),
        ("tools; begins s-1; says hello; exit 0".to_owned(), Transient),
        ("tools; begins s-1; says hello; ends done; exit 3".to_owned(), Transient),
        ("echo 'something broke' >&2; exit 1".to_owned(), Transient),
        ("echo 'unknown option' >&2; exit 1".to_owned(), Permanent),
    ] {
        block_on(async {
            let run = stage.play("claude", &script).await.run;
            assert_eq!(run.class, Some(class), "{script}: {run:?}");
            assert_eq!(stage.left(), [""; 0], "{script}");
        });
    }
}

#[test]
fn codex_whose_model_stays_away_uses_no_attempt() {
    let stage = Stage::new(&format!("{ONCE}idle = \"3s\"\n"));
    let script = "tools; echo '{\"type\":\"thread.started\",\"thread_id\":\"t-1\"}'\n\
        echo '{\"type\":\"error\",\"message\":\"Reconnecting... waiting for network (down)\"}'\n\
        sleep 1000";
    block_on(async {
        let run = stage.play("codex", script).await.run;
        assert_eq!(run.class, Some(FailureClass::Unavailable), "{run:?}");
        assert!(run.error.as_ref().unwrap().ends_with(": waiting for network (down)"), "{run:?}");
        assert_eq!(stage.left(), [""; 0]);
    });
}

#[test]
fn a_program_that_is_missing_pauses_its_agent() {
    let stage = Stage::new(&format!("{ONCE}stop_grace = \"100ms\"\n"));
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        let alice = stage.begin("claude", "sleep 60", "").await;
        watch.run_works("alice").await;
        stage.home.ok(&["stop", "alice@team"]);
        let stopped = stage.outcome(&mut watch, &alice).await.run;
        assert_eq!(stopped.class, Some(FailureClass::Cancelled), "{stopped:?}");
        std::fs::remove_file(stage.home.work().join("stub-program")).unwrap();
        stage.home.ok(&["resume", "alice@team"]);
        let run = stage.outcome(&mut watch, &alice).await.run;
        assert_eq!(run.class, Some(FailureClass::Permanent), "{run:?}");
        let shown = stage.client().call(&AgentShow { target: alice }).await.unwrap();
        let reason = shown.agent.paused_reason.unwrap();
        assert!(reason.contains("program `./stub-program` not found"), "{reason}");
        assert!(reason.contains("agent-worker resume alice@team"), "{reason}");
    });
}

#[test]
fn what_a_program_leaves_behind_ends_with_its_run() {
    let stage = Stage::new("");
    // A command in a session of its own, as programs start them, and a command that has lost its
    // parent.
    let script = "setsid sleep 1000 & echo $! >>stub/pids\n\
        (setsid sleep 1000 & echo $! >>stub/pids)\n\
        tools; begins s-1; says hello; ends done";
    block_on(async {
        let run = stage.play("claude", script).await.run;
        assert_eq!(run.state, RunState::Succeeded, "{run:?}");
        assert_eq!(stage.noted("pids").lines().count(), 3);
        assert_eq!(stage.left(), [""; 0]);
    });
}

#[test]
fn a_program_that_does_not_end_is_ended_after_its_last_word() {
    let stage = Stage::new("");
    let script = "trap '' TERM; tools; begins s-1; says hello; ends done; sleep 1000";
    block_on(async {
        let run = stage.play("claude", script).await.run;
        assert_eq!(run.state, RunState::Succeeded, "{run:?}");
        assert_eq!(stage.left(), [""; 0]);
    });
}

#[test]
fn a_run_that_is_cancelled_leaves_nothing() {
    let stage = Stage::new("[runs]\nstop_grace = \"100ms\"\n");
    let script = "trap '' TERM; (trap '' TERM; setsid sleep 1000) & echo $! >>stub/pids\n\
        tools; begins s-1; says hello; touch stub/hangs; while :; do sleep 1000; done";
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        let alice = stage.begin("claude", script, "").await;
        let hangs = stage.home.work().join("stub/hangs");
        wait_until("the program hangs", || hangs.exists());
        stage.home.ok(&["stop", "alice@team"]);
        let run = stage.outcome(&mut watch, &alice).await.run;
        assert_eq!(run.class, Some(FailureClass::Cancelled), "{run:?}");
        assert_eq!(stage.left(), [""; 0]);
    });
}
