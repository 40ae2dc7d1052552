use agent_worker_protocol::{Interval, Timestamp, Used};

use super::*;
use crate::{tests::samples, text::plain};

#[test]
fn reasons_have_a_column_only_where_there_are_some() {
    let mut stalled = samples::workflow(WorkflowState::Stalled);
    stalled.outcome_reason = Some("mail of coder is held".to_owned());
    let list = [samples::workflow(WorkflowState::Running), stalled];
    insta::assert_snapshot!(plain(&table(&samples::view(), &list)), @r"
    WORKFLOW  STATE    AGENTS  RUNS  TOKENS  COST     STARTED  REASON
    @review   running  2       3     4,890   $0.0148  22:12    -
    @review   stalled  2       3     4,890   $0.0148  22:12    mail of coder is held
    ");
    assert!(!table(&samples::view(), &list[..1]).contains("REASON"));
}

#[test]
fn a_limit_that_is_reached_is_told_before_anything_is_held() {
    let mut workflow = samples::workflow(WorkflowState::Running);
    workflow.limits.tokens = Some(4891);
    let list = |workflow: &Workflow| table(&samples::view(), std::slice::from_ref(workflow));
    assert!(!list(&workflow).contains("REASON"));
    workflow.limits = Limits {
        tokens: Some(4890),
        cost: Some(0.01),
        duration: Some("2s".parse().unwrap()),
        ..workflow.limits
    };
    let told = "limit reached: tokens=4890 cost=0.01 duration=2s";
    assert!(plain(&list(&workflow)).ends_with(told), "{}", list(&workflow));
    assert!(plain(&detail(&samples::view(), &workflow, &default())).contains(told));
    workflow.state = WorkflowState::Stopped;
    assert!(!list(&workflow).contains("REASON"));
}

#[test]
fn a_workflow_that_was_stopped_in_its_setup_has_failed() {
    let mut failed = samples::workflow(WorkflowState::Failed);
    failed.outcome_reason = Some("stopped in setup".to_owned());
    assert_eq!(changed(&failed), "@review has failed: stopped in setup");
    assert_eq!(changed(&samples::workflow(WorkflowState::Running)), "@review is running");
}

#[test]
fn a_long_reason_is_cut_in_a_table_and_told_whole_of_one_workflow() {
    let mut failed = samples::workflow(WorkflowState::Failed);
    let usage = "    --no-index   compare two files\n".repeat(200);
    failed.outcome_reason =
        Some(format!("the setup step `git diff main` failed: exit code 129\nusage:\n{usage}"));
    let list = plain(&table(&samples::view(), std::slice::from_ref(&failed)));
    let row = list.lines().last().unwrap();
    assert!(row.contains("failed: exit code 129 ⏎ usage:"), "{row}");
    assert!(row.ends_with('…') && row.chars().count() < 250, "{row}");
    let narrow = View { width: Some(100), ..samples::view() };
    assert!(table(&narrow, std::slice::from_ref(&failed)).lines().count() < 12);
    let whole = plain(&detail(&samples::view(), &failed, &default()));
    assert_eq!(whole.matches("--no-index").count(), 200);
}

fn default() -> Limits {
    Limits {
        hops: Some(40),
        runs: Some(200),
        agents: Some(Limits::AGENTS),
        task_interval: Some(Limits::TASK_INTERVAL),
        ..Limits::default()
    }
}

#[test]
fn a_workflow_is_shown_whole() {
    let workflow = samples::workflow(WorkflowState::Completed);
    insta::assert_snapshot!(plain(&detail(&samples::view(), &workflow, &default())), @r"
    workflow     @review
    state        completed
    mode         ends when all work is done
    agents       coder, reviewer
    started      22:12:15
    ended        22:12:20
    used         3 runs, tokens 4,890, cost $0.0148
    limits       runs=20
    by default   hops=40 agents=20 (if agents hire) task_interval=1m; no limit for tokens, cost, duration, max_runs
    at work for  2.1s
    ");
}

#[test]
fn an_outcome_tells_why_and_what_helps() {
    let mut workflow = samples::workflow(WorkflowState::Stalled);
    workflow.outcome_reason = Some("mail of coder is held (cancelled)".to_owned());
    (workflow.used, workflow.used.runs) = (Used::default(), 1);
    insta::assert_snapshot!(plain(&outcome(&samples::view(), &workflow, Duration::from_secs(5))), @r"
    stalled: @review, 1 run, tokens -, cost -, 5.0s
      mail of coder is held (cancelled)
    ");
    let item = |kind, hint: &str| AttentionItem {
        kind,
        subject: "coder@review".to_owned(),
        scope: samples::scope(),
        reason: "1 message: cancelled".to_owned(),
        hint: Some(hint.to_owned()),
        since: Timestamp(0),
    };
    let items = [
        item(AttentionKind::Held, "agent-worker release coder@review"),
        item(AttentionKind::Mention, "agent-worker inbox user@review"),
    ];
    insta::assert_snapshot!(remedies(&workflow, &items), @r"
    coder@review: 1 message: cancelled
    hint: agent-worker release coder@review
    ");
    assert_eq!(remedies(&workflow, &items[1..]), "hint: agent-worker why @review");
    let stalled = item(AttentionKind::Stalled, "agent-worker resume coder@review");
    assert_eq!(remedies(&workflow, &[stalled]), "hint: agent-worker resume coder@review");
    let with_held =
        |hint: &str| remedies(&workflow, &[item(AttentionKind::Stalled, hint), items[0].clone()]);
    insta::assert_snapshot!(with_held("agent-worker resume tester@review"), @r"
    coder@review: 1 message: cancelled
    hint: agent-worker release coder@review
    hint: agent-worker resume tester@review
    ");
    for told in ["agent-worker release coder@review", "agent-worker resume @review"] {
        assert_eq!(with_held(told), remedies(&workflow, &items), "{told}");
    }
    (workflow.state, workflow.used.runs) = (WorkflowState::Failed, 0);
    assert_eq!(remedies(&workflow, &[]), "");
    let failed = item(AttentionKind::Failed, "agent-worker start FILE");
    assert_eq!(remedies(&workflow, &[failed]), "", "its reason is shown already");
}

#[test]
fn a_start_that_is_left_says_what_is_starting_and_how_to_stop_it() {
    let told = still_starting(Some(samples::scope()));
    assert_eq!(told, "the daemon is still starting @review\nhint: agent-worker stop @review");
    let told = still_starting(None);
    assert_eq!(told, "the daemon is still starting the workflow\nhint: agent-worker list");
}

#[test]
fn a_start_in_the_background_says_what_it_does_with_what_was_there() {
    let mut started = Started {
        workflow: samples::workflow(WorkflowState::Running),
        continued: false,
        archived: None,
        cursor: String::new(),
        last_seq: 0,
        warnings: Vec::new(),
    };
    let left = left_running(&started.workflow);
    assert_eq!(background(&started), left);
    started.continued = true;
    let continued = "continues where it was, without a second kickoff";
    assert_eq!(background(&started), format!("{continued}\n{left}"));
    (started.continued, started.archived) = (false, Some(samples::scope()));
    let archived = "earlier messages and documents are in @review";
    assert_eq!(background(&started), format!("{archived}\n{left}"));
}

#[test]
fn limits_are_written_as_they_are_given() {
    assert_eq!(limits(&Limits::default()), "none of its own");
    let some =
        Limits { cost: Some(2.5), duration: Some(Interval::seconds(7200)), ..Limits::default() };
    assert_eq!(limits(&some), "cost=2.5 duration=2h");
    let others = "hops=40 runs=200 agents=20 (if agents hire) task_interval=1m; \
                  no limit for tokens, max_runs";
    assert_eq!(other_limits(&some, &default()), others);
}
