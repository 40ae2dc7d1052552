//! What ended says how it ended (§8, §9).

use agent_worker_process::Process;
use agent_worker_protocol::WorkflowState;
use rustix::process::Signal;
use serde_json::Value;

use crate::support::{Home, Running, Team, Watch, block_on, mock, wait_until};

#[test]
fn a_workflow_whose_time_is_over_says_so_and_not_that_the_user_stopped_it() {
    let home = Home::with_config("[runs]\nstop_grace = \"100ms\"\n");
    let _daemon = home.daemon();
    let file = Team::new("slow", "@ivy begin").agent("ivy", &mock("- fail: hang")).write(&home);
    let ended = home.run(&["run", &file, "--timeout", "300ms"]);
    assert_eq!(ended.code, Some(4), "{ended:?}");
    assert!(ended.stderr.contains("timed out after 300ms"), "{ended:?}");
    let shown = home.json(&["info", "@slow"]);
    assert_eq!(shown["outcome_reason"], "timed out after 300ms");
}

#[test]
fn a_workflow_that_was_stopped_ends_with_what_its_last_run_has_used() {
    let home = Home::with_config("[runs]\nstop_grace = \"1m\"\n");
    let _daemon = home.daemon();
    let told = |name: &str, more: &[&str]| {
        let steps = format!(
            "- shell: \"until [ -e {name}.go ]; do sleep 0.05; done\"\n- say: done\n\
             - usage: {{ input: 100, output: 5, cost: 0.01 }}"
        );
        let file = Team::new(name, "@ivy begin").agent("ivy", &mock(&steps)).write(&home);
        let running = block_on(async {
            let mut watch = Watch::now(&home.client()).await;
            let running = home.start(&[&["run", file.as_str()][..], more].concat());
            watch.run_is("ivy", "calling shell").await;
            running.signal(Signal::INT);
            watch.workflow(WorkflowState::Stopped).await;
            running
        });
        home.write(&format!("{name}.go"), "");
        let ended = running.finish();
        assert_eq!(ended.code, Some(130), "{ended:?}");
        ended.stdout
    };
    let text = told("text", &[]);
    assert!(text.contains("stopped: @text, 1 run, tokens 105, cost $0.0100, "), "{text}");
    let lines = told("lines", &["--json"]);
    let mut events = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let last = events.rfind(|event| event["kind"] == "workflow.changed").unwrap();
    assert_eq!(last["body"]["used"]["tokens"], 105, "{lines}");
}

/// A command that follows a workflow and is stopped while the workflow ends in this state: its agent
/// ivy waits for the file `go`.
fn ends_unseen(home: &Home, file: &str, state: WorkflowState) -> Running {
    block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        let slow = home.start(&["run", file]);
        watch.run_is("ivy", "calling shell").await;
        slow.signal(Signal::STOP);
        let process = Process::of(slow.pid().as_raw_nonzero().get()).expect("it is there");
        wait_until("the command is stopped", || process.is_stopped());
        home.write("go", "");
        watch.workflow(state).await;
        slow
    })
}

#[test]
fn a_run_that_another_start_archives_once_it_has_ended_ends_as_it_did() {
    let home = Home::new();
    let _daemon = home.daemon();
    let waits = mock("- shell: \"until [ -e go ]; do sleep 0.05; done\"\n- say: done");
    let file = Team::new("news", "@ivy begin").agent("ivy", &waits).write(&home);
    let slow = ends_unseen(&home, &file, WorkflowState::Completed);
    // The other one uses more, so that the two cannot be taken for each other.
    let team = Team::new("news", "@ivy @bob begin").agent("ivy", &waits).agent("bob", &waits);
    home.ok(&["run", &team.write(&home), "--fresh"]);
    slow.signal(Signal::CONT);
    let ended = slow.finish();
    assert_eq!((ended.code, ended.stderr.contains("removed")), (Some(0), false), "{ended:?}");
    assert!(ended.stdout.contains("completed: @news, 1 run,"), "{ended:?}");
}

#[test]
fn a_run_that_stalled_is_told_no_remedy_of_what_its_scope_was_started_with_next() {
    let home = Home::new();
    let _daemon = home.daemon();
    let steps = "- shell: \"until [ -e go ]; do sleep 0.05; done\"\n- fail: permanent";
    let team = |agent, kickoff| Team::new("news", kickoff).agent(agent, &mock(steps));
    let file = team("ivy", "@ivy begin").write(&home);
    let slow = ends_unseen(&home, &file, WorkflowState::Stalled);
    let next = home.run(&["run", &team("bob", "@bob begin").write(&home), "--fresh"]);
    assert!(next.code == Some(5) && next.stderr.contains("resume bob@news"), "{next:?}");
    slow.signal(Signal::CONT);
    let ended = slow.finish();
    assert_eq!((ended.code, ended.stderr.contains("bob")), (Some(5), false), "{ended:?}");
    assert!(ended.stdout.contains("stalled: @news"), "{ended:?}");
}

#[test]
fn a_stalled_team_stays_stalled_in_the_archive_and_needs_nobody() {
    let home = Home::new();
    let _daemon = home.daemon();
    let file =
        Team::new("news", "@ivy begin").agent("ivy", &mock("- fail: permanent")).write(&home);
    assert_eq!(home.run(&["run", &file]).code, Some(5));
    assert_eq!(home.run(&["run", &file, "--fresh"]).code, Some(5));
    home.ok(&["stop", "@news"]);
    let archived = home.json(&["info", "@news:main.old-1"]);
    assert_eq!(archived["state"], "stalled");
    assert!(!home.ok(&["status"]).contains("stalled: @news:main.old-1"));
}

#[test]
fn a_vote_that_the_end_of_the_run_cuts_off_says_how_many_had_voted() {
    let home = Home::new();
    let _daemon = home.daemon();
    let proposes = "- call: team_proposal_create\n  with: { type: decision, title: Colour, \
                    options: [red, blue], quorum: 3, \
                    binding: false }\n- say: done";
    let file = Team::new("vote", "@ann begin")
        .agent("ann", &mock(proposes))
        .agent("bea", &mock("- say: \"no opinion\""))
        .agent("cem", &mock("- say: \"no opinion\""))
        .write(&home);
    assert_eq!(home.run(&["run", &file, "--timeout", "60s"]).code, Some(0));
    let shown = home.ok(&["proposal", "show", "prop_1"]);
    assert!(shown.contains("workflow ended: 0 of 3 had voted"), "{shown}");
}
