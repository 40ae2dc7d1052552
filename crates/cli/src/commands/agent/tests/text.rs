use agent_worker_protocol::{Interval, Limits, RunId, RunState, Timestamp, Wanted};

use super::*;
use crate::{tests::samples, text::plain};

#[test]
fn a_list_says_what_each_is_doing() {
    let mut busy = samples::agent("reviewer@review", AgentState::Running);
    busy.run = Some(RunId::new(3));
    busy.status = Some("reading".to_owned());
    busy.task = Some("the diff\nof pr 1".to_owned());
    busy.unread = 2;
    let mut paused = samples::agent("coder@review", AgentState::Paused);
    (paused.role, paused.wanted) = (None, Wanted::Paused);
    paused.paused_reason = Some("no key".to_owned());
    let mut person = samples::agent("user@review", AgentState::Idle);
    person.kind = MemberKind::Person;
    let agents = [busy, paused, person, samples::agent("alice", AgentState::Idle)];
    insta::assert_snapshot!(plain(&table(&samples::view(), &agents, &[])), @r"
    AGENT            STATE    BACKEND  UNREAD  ROLE             DOING
    reviewer@review  running  mock     2       reviews changes  reading: the diff ⏎ of pr 1
    coder@review     paused   mock     0       -                no key
    alice            idle     mock     0       reviews changes  -
    ");
    assert_eq!(table(&samples::view(), &agents[2..3], &[]), "no agents");
}

#[test]
fn a_tree_of_thousands_of_agents_has_each_once_below_its_parent() {
    let mut agents: Vec<_> = (0..3_000)
        .map(|n| samples::agent(&format!("agent-{n:04}@review"), AgentState::Idle))
        .collect();
    let parents: Vec<_> = agents.iter().map(|agent| agent.name.clone()).collect();
    // Every tenth was hired by the one before, and the last by an agent that is elsewhere.
    for n in (1..agents.len()).filter(|n| n % 10 == 1) {
        agents[n].parent = Some(parents[n - 1].clone());
    }
    agents[2_999].parent = Some("elsewhere".parse().unwrap());
    agents.swap(0, 2_500);
    let shown = plain(&tree(&samples::view(), &agents, &[]));
    let names = shown.lines().skip(1).map(|line| line.split_whitespace().next().unwrap());
    assert_eq!(names.collect::<std::collections::BTreeSet<_>>().len(), 3_000);
    assert_eq!(shown.lines().filter(|line| line.starts_with("  agent-")).count(), 300);
    assert!(shown.contains("\nagent-0000@review  "), "{shown}");
    let below = shown.split_once("\nagent-0000@review").unwrap().1.lines().nth(1).unwrap();
    assert!(below.starts_with("  agent-0001@review"), "{below}");
}

#[test]
fn a_long_reason_of_a_pause_is_cut_in_the_list() {
    let mut paused = samples::agent("coder@review", AgentState::Paused);
    paused.paused_reason = Some("the command said no\n".repeat(100));
    let list = plain(&table(&samples::view(), &[paused], &[]));
    assert!(list.ends_with('…') && list.lines().last().unwrap().chars().count() < 250, "{list}");
}

#[test]
fn a_long_role_is_cut_in_a_list() {
    let mut agent = samples::agent("alice", AgentState::Idle);
    agent.role = Some("reviews ".repeat(600));
    let shown = plain(&table(&samples::view(), &[agent], &[]));
    assert!(shown.contains("…  -"), "{shown}");
    assert!(shown.lines().all(|line| line.len() < 300), "{shown}");
}

#[test]
fn an_agent_that_waits_for_an_answer_is_not_called_silent() {
    let mut asking = samples::agent("reviewer@review", AgentState::Waiting);
    asking.run = Some(RunId::new(3));
    let mut live = samples::run(RunState::Running);
    live.spoke_at = Some(Timestamp(samples::NOW - 92_000));
    let shown = plain(&table(&samples::view(), &[asking], &[live]));
    assert!(shown.contains("asks you") && !shown.contains("silent"), "{shown}");
}

#[test]
fn an_agent_is_shown_whole() {
    let detail = AgentDetail {
        agent: samples::agent("reviewer@review", AgentState::Idle),
        system: Some("You review changes.\nBe brief.\n".to_owned()),
        cwd: Some("/work".to_owned()),
        home: None,
        env: vec!["TOKEN".to_owned()],
        timeout: Interval::seconds(1800),
        origin: Origin::File,
        hired: false,
        created_at: Timestamp(samples::NOW),
        paused_at: None,
        attempts: 3,
        tools: vec!["channel_send".to_owned()],
        limits: Limits::default(),
        schedules: Vec::new(),
        held: 1,
        dead: 0,
        session: None,
        runs: vec![samples::run(RunState::Succeeded)],
    };
    let mut waiting = detail.clone();
    waiting.agent.state = AgentState::Backoff;
    waiting.agent.not_before = Some(Timestamp(samples::NOW + 10_000));
    let told = plain(&super::detail(&samples::view(), &waiting));
    assert!(told.contains("backoff until 22:13:30\n"), "{told}");
    let hired = AgentDetail { origin: Origin::New, hired: true, ..detail.clone() };
    let told = plain(&super::detail(&samples::view(), &hired));
    assert!(told.contains("created      22:13:20 by an agent that was removed\n"), "{told}");
    insta::assert_snapshot!(plain(&super::detail(&samples::view(), &detail)), @r"
    agent        reviewer@review
    state        idle
    role         reviews changes
    backend      mock
    works in     /work
    is given     TOKEN
    created      22:13:20 by its workflow file
    longest run  30m
    inbox        0 unread, 1 held
    system       You review changes.
                 Be brief.

    RUN    AGENT            STATE      FOR      TIME  TOKENS  COST     STARTED
    run_3  reviewer@review  succeeded  mention  3.4s  2,560   $0.0096  22:13
    ");
}

#[test]
fn the_person_is_no_agent_and_has_no_runs() {
    let mut agent = samples::agent("user@review", AgentState::Idle);
    agent.kind = MemberKind::Person;
    (agent.role, agent.backend) = (None, None);
    let detail = AgentDetail {
        agent,
        system: None,
        cwd: None,
        home: None,
        env: Vec::new(),
        timeout: Interval::seconds(1800),
        origin: Origin::System,
        hired: false,
        created_at: Timestamp(samples::NOW),
        paused_at: None,
        attempts: 3,
        tools: Vec::new(),
        limits: Limits::default(),
        schedules: Vec::new(),
        held: 0,
        dead: 0,
        session: None,
        runs: Vec::new(),
    };
    insta::assert_snapshot!(plain(&super::detail(&samples::view(), &detail)), @r"
    person  user@review
    inbox   0 unread
    ");
}

#[test]
fn what_was_done_is_told_in_a_line() {
    let mut agent = samples::agent("alice", AgentState::Stopped);
    assert_eq!(changed(&agent), "alice is stopped");
    assert_eq!(woken(&agent), changed(&agent));
    agent.run = Some(RunId::new(9));
    assert_eq!(changed(&agent), "alice is stopped (run_9 is live)");
    assert_eq!(woken(&agent), "alice runs again after run_9");
    assert_eq!(removed(&agent.target), "alice is removed");
}
