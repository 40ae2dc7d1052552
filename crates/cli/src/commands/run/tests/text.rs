use agent_worker_protocol::{FailureClass, Usage};

use super::*;
use crate::{tests::samples, text::plain};

#[test]
fn errors_have_a_column_only_where_there_are_some() {
    let mut failed = samples::run(RunState::Failed);
    (failed.class, failed.attempt) = (Some(FailureClass::Transient), 2);
    failed.error = Some("it crashed\nbadly".to_owned());
    (failed.usage, failed.cost) = (Usage::default(), None);
    let runs = [samples::run(RunState::Running), failed.clone()];
    insta::assert_snapshot!(plain(&table(&samples::view(), &runs, &[], false)), @r"
    RUN    AGENT            STATE                          FOR      TIME  TOKENS  COST     STARTED  ERROR
    run_3  reviewer@review  running                        mention  3.4s  2,560   $0.0096  22:13    -
    run_3  reviewer@review  failed (transient, attempt 2)  mention  3.4s  -       -        22:13    it crashed ⏎ badly
    ");
    assert_eq!(table(&samples::view(), &[], &[], false), "no runs");
    assert_eq!(
        ended(&samples::view(), &failed),
        "run_3 reviewer failed (transient, attempt 2), 3.4s: it crashed ⏎ badly"
    );
    assert_eq!(began(&failed), "run_3 reviewer started (mention msg_12, attempt 2)");
}

#[test]
fn a_long_error_is_cut_in_a_table() {
    let mut failed = samples::run(RunState::Failed);
    failed.error = Some("it crashed\n".repeat(100));
    let list = plain(&table(&samples::view(), &[failed], &[], false));
    assert!(list.ends_with('…') && list.lines().last().unwrap().chars().count() < 250, "{list}");
}

#[test]
fn a_run_that_says_nothing_is_silent() {
    let mut run = samples::run(RunState::Running);
    run.activity = Some("calling shell".to_owned());
    run.spoke_at = Some(Timestamp(samples::NOW - 92_000));
    let table = plain(&table(&samples::view(), &[run.clone()], &[], false));
    assert!(table.contains("running (calling shell, silent for 1m32s)"), "{table}");
    run.spoke_at = Some(Timestamp(samples::NOW - 9_000));
    assert_eq!(silence(&samples::view(), &run), None);
}

#[test]
fn a_run_that_waits_for_an_answer_is_not_called_silent() {
    let mut run = samples::run(RunState::Running);
    run.activity = Some("calling ask_person".to_owned());
    run.spoke_at = Some(Timestamp(samples::NOW - 92_000));
    let mut agent = samples::agent("reviewer@review", AgentState::Waiting);
    agent.run = Some(run.id);
    let of = |agent: &Agent| {
        let (runs, agents) = (std::slice::from_ref(&run), std::slice::from_ref(agent));
        plain(&table(&samples::view(), runs, agents, false))
    };
    let shown = of(&agent);
    assert!(shown.contains("asks you") && !shown.contains("silent"), "{shown}");
    agent.state = AgentState::Running;
    assert!(of(&agent).contains("silent for 1m32s"));
}

#[test]
fn an_end_tells_what_it_cost() {
    let mut run = samples::run(RunState::Succeeded);
    assert_eq!(
        ended(&samples::view(), &run),
        "run_3 reviewer succeeded, 3.4s, 2,560 tokens, $0.0096"
    );
    assert_eq!(changed(&run), "run_3 of reviewer@review: succeeded");
    (run.state, run.end_by) = (RunState::Running, Some(Timestamp(samples::NOW)));
    assert_eq!(changed(&run), "run_3 of reviewer@review: ending");
}
