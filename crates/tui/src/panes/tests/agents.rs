use agent_worker_protocol::{
    AgentState, AgentUsed, AttentionItem, AttentionKind, EventBody, FailureClass, MemberKind,
    RunId, RunState, Timestamp, Usage, Wanted,
};

use crate::{
    app::go,
    model::{
        Focus,
        acts::Act,
        place::{Place, Subject, Tab},
        requests::Request,
        settings, tree_lines,
    },
    tests::{NOW, Story, agent, need_of, question, review, run},
};

fn need(kind: AttentionKind, subject: &str) -> AttentionItem {
    AttentionItem {
        kind,
        subject: subject.to_owned(),
        scope: review(),
        reason: String::new(),
        hint: None,
        since: Timestamp(NOW - 120_000),
    }
}

/// Five agents, each in another state, those in need first.
fn team() -> Story {
    let mut story = Story::review();
    story.app.model.settings.chosen.order = settings::Order::Need;
    let mut failed = run(7, "coder@review");
    failed.state = RunState::Failed;
    (failed.class, failed.attempt) = (Some(FailureClass::Transient), 3);
    failed.error = Some("provider timeout after 120 s".to_owned());
    (failed.ended_at, failed.cost) = (Some(Timestamp(NOW - 10_000)), Some(0.31));
    failed.usage = Usage { input: Some(40_000), output: Some(1_000), ..Usage::default() };
    let used = |tokens, cost| AgentUsed { tokens, cost };
    let mut scout = agent("scout@review");
    scout.used = used(60_900, Some(0.27));
    (scout.state, scout.run, scout.unread) = (AgentState::Waiting, Some(RunId::new(9)), 1);
    let mut asking = run(9, "scout@review");
    asking.activity = Some("may I open a PR?".to_owned());
    let mut tester = agent("tester@review");
    (tester.state, tester.unread) = (AgentState::Queued, 2);
    let mut stopped = agent("editor@review");
    (stopped.state, stopped.wanted) = (AgentState::Stopped, Wanted::Stopped);
    let mut coder = agent("coder@review");
    coder.state = AgentState::Idle;
    coder.used = used(123_000, Some(0.93));
    for body in [
        EventBody::RunChanged(Box::new(failed)),
        EventBody::AgentChanged(Box::new(coder)),
        EventBody::AgentChanged(Box::new(scout)),
        EventBody::RunChanged(Box::new(asking)),
        EventBody::AgentChanged(Box::new(tester)),
        EventBody::AgentChanged(Box::new(stopped)),
    ] {
        story.happens(body);
    }
    let asked = question(7, "scout@review", &["yes", "no"]);
    story.asks_person(&asked);
    story.needs(vec![need(AttentionKind::Dead, "coder@review"), need_of(&asked)]);
    open(&mut story);
    story
}

fn open(story: &mut Story) {
    story.open(Subject::Workflow(review()), Tab::Agents);
}

fn names(story: &Story) -> Vec<String> {
    let agents = story.app.panes.agents.agents(&story.app.model).into_iter();
    agents.map(|agent| agent.name.to_string()).collect()
}

#[test]
fn those_in_need_stand_first_and_numbers_are_whole() {
    let story = team();
    insta::assert_snapshot!(story.main_pane(), @r"
     agent      state     doing             for    q   try
    ❯coder      ✗ failed  provider timeout…        0   3/3
     scout      ? asks you may I open a PR? 2m 0s  1   1/3
     reviewer   ⠿ running thinking          1m 12s 0   1/3
     tester     ⧗ queued  waits for its tu… 0s     2
     editor     ▪ stopped                          0
    ");
}

#[test]
fn more_room_shows_more_columns() {
    let story = team().sized(120, 40);
    insta::assert_snapshot!(story.main_pane(), @r"
     agent      state     doing            for    q   try   unread  tokens   cost    last run
    ❯coder      ✗ failed  provider timeou…        0   3/3   0       123k     $0.93   14:06
     scout      ? asks you may I open a P… 2m 0s  1   1/3   1       60.9k    $0.27   now
     reviewer   ⠿ running thinking         1m 12s 0   1/3   0       -        -       now
     tester     ⧗ queued  waits for its t… 0s     2         2       -        -       -
     editor     ▪ stopped                         0         0       -        -       -
     total                                                          183k     $1.20
    ");
}

#[test]
fn the_widest_screen_gives_its_room_to_sentences() {
    let story = team().sized(200, 60);
    let screen = story.main_pane();
    assert!(screen.lines().next().unwrap().ends_with("last run"), "{screen}");
    assert!(screen.contains("provider timeout after 120 s "), "{screen}");
    assert_eq!(screen.lines().map(|line| line.chars().count()).max(), Some(167), "{screen}");
}

#[test]
fn a_long_name_is_whole_where_sentences_have_room_left() {
    let mut story = team().sized(200, 60);
    story.agent_is(&agent("integration-tester-linux@review"));
    let wide = story.main_pane();
    assert!(wide.contains("integration-tester-linux ◦ idle"), "{wide}");
    assert!(wide.contains("coder                    ✗ failed"), "{wide}");
    let small = story.sized(80, 24).main_pane();
    assert!(small.contains("integrat") && !small.contains("integration-tester"), "{small}");
    assert!(small.contains("may I open"), "{small}");
}

#[test]
fn all_agents_have_a_column_for_where_they_are() {
    let mut story = team().sized(120, 40);
    story.happens(EventBody::AgentChanged(Box::new(agent("bob@global"))));
    go(&mut story.app, Place::of(Subject::All));
    insta::assert_snapshot!(story.main_pane(), @r"
     agent      workflow          state     doing            for    q   try   unread  tokens
    ❯coder      review:main       ✗ failed  provider timeou…        0   3/3   0       123k
     scout      review:main       ? asks you may I open a P… 2m 0s  1   1/3   1       60.9k
     reviewer   review:main       ⠿ running thinking         1m 12s 0   1/3   0       -
     tester     review:main       ⧗ queued  waits for its t… 0s     2         2       -
     bob        global:main       ◦ idle                            0         0       -
     editor     review:main       ▪ stopped                         0         0       -
     total                                                                            183k
    ");
}

#[test]
fn an_event_does_not_move_the_selection_from_its_agent() {
    let mut story = team();
    story.press("j").press("j");
    assert_eq!(
        story.app.pane().selected(&story.app.model),
        Some("reviewer@review".parse().unwrap())
    );
    let mut coder = agent("coder@review");
    coder.unread = 1;
    story.happens(EventBody::AgentChanged(Box::new(coder)));
    story.needs(vec![need(AttentionKind::Dead, "reviewer@review")]);
    assert_eq!(names(&story)[0], "reviewer");
    assert_eq!(
        story.app.pane().selected(&story.app.model),
        Some("reviewer@review".parse().unwrap())
    );
    let target = "reviewer@review".parse().unwrap();
    story.happens(EventBody::AgentRemoved { target });
    assert_eq!(
        story.app.pane().selected(&story.app.model),
        Some(format!("{}@review", names(&story)[0]).parse().unwrap())
    );
}

#[test]
fn what_agents_do_moves_lines_only_of_a_table_that_is_ordered_or_filtered_by_it() {
    let mut story = team();
    let follows = |story: &Story| story.app.panes.agents.is_by_state(&story.app.model);
    assert!(follows(&story), "its order is that of need");
    story.app.model.settings.chosen.order = settings::Order::Name;
    assert!(!follows(&story));
    sort(&mut story, "cost");
    assert!(follows(&story));
    sort(&mut story, "as it comes");
    assert!(!follows(&story));
    story.press("F").press("down").press("enter");
    assert!(follows(&story));
}

#[test]
fn an_agent_that_is_gone_leaves_its_line_to_the_next_by_name() {
    let mut story = team();
    story.app.model.settings.chosen.order = settings::Order::Name;
    story.press("j").press("j");
    assert_eq!(selected_name(&story), "reviewer");
    story.agent_is(&agent("ann@review"));
    let target = "reviewer@review".parse().unwrap();
    story.happens(EventBody::AgentRemoved { target });
    assert_eq!(names(&story)[3], "scout");
    assert_eq!(selected_name(&story), "scout");
}

fn sort(story: &mut Story, field: &str) -> String {
    story.press("O").type_in(field).press("enter");
    names(story).join(" ")
}

#[test]
fn agents_are_sorted_by_any_column_and_the_other_way() {
    let mut story = team();
    assert_eq!(names(&story).join(" "), "coder scout reviewer tester editor");
    assert_eq!(sort(&mut story, "cost"), "coder scout reviewer tester editor");
    assert_eq!(sort(&mut story, "cost"), "scout coder reviewer tester editor", "unknown is last");
    assert_eq!(sort(&mut story, "agent"), "tester scout reviewer editor coder");
    assert_eq!(sort(&mut story, "agent"), "coder editor reviewer scout tester");
    assert!(story.screen().contains("sorted by agent; O sorts"), "{}", story.screen());
    assert_eq!(sort(&mut story, "as it comes"), "coder scout reviewer tester editor");
}

#[test]
fn a_filter_lets_one_kind_through_and_says_so() {
    let mut story = team();
    let mut shown = Vec::new();
    for _ in 0..5 {
        story.press("F").press("down").press("enter");
        shown.push(names(&story).join(" "));
    }
    assert_eq!(shown, ["coder scout", "scout reviewer", "tester", "coder", "editor"]);
    story.press("F");
    let menu = story.overlay();
    assert!(menu.contains("show only") && menu.contains("in need of you: 2"), "{menu}");
    story.type_in("need").press("enter");
    let screen = story.screen();
    assert!(screen.contains("ordered by need for you; only those in need of you;"), "{screen}");
}

#[test]
fn enter_opens_the_run() {
    let mut story = team();
    story.press("j").press("enter");
    let target = "scout@review".parse().unwrap();
    assert_eq!(story.app.model.place, Place::at(Subject::Agent(target), Tab::Run));
    assert_eq!(story.app.model.selection.focus, Focus::Main);
}

#[test]
fn what_is_marked_is_acted_on_together() {
    let mut story = team();
    story.press("*").press("j").press("*").press("j").press("*");
    assert!(story.screen().contains("*reviewer"), "{}", story.screen());
    story.press("x").wait(200);
    assert!(story.screen().contains("stop 3 agents?"), "{}", story.screen());
    let acts = story.press("y").acts();
    let [Act::Stop(targets)] = acts.as_slice() else { panic!("{acts:?}") };
    assert_eq!(targets.len(), 3);
    assert!(story.app.model.selection.marked.is_empty());
}

fn mark(story: &mut Story, wanted: &[&str]) {
    story.press("g");
    for name in names(story) {
        if wanted.contains(&name.as_str()) {
            story.press("*");
        }
        story.press("j");
    }
}

#[test]
fn one_consequence_is_told_of_many_and_who_is_left_out() {
    let mut story = team().sized(160, 40);
    mark(&mut story, &["scout", "tester", "editor"]);
    let asked = story.press("x").screen();
    for part in ["stop 2 agents?", "1 run ends: scout", "1 queued agent waits", "3 messages wait"] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
    assert!(asked.contains("1 marked agent is left out"), "editor is stopped: {asked}");
    story.wait(200).press("n");
    let asked = story.wait(200).press("w").screen();
    assert!(asked.contains("wake 2 agents? 2 runs start, and use tokens. 1 marked"), "{asked}");
    story.wait(200).press("n").press("s");
    let act = Act::Resume("editor@review".parse().unwrap());
    assert_eq!(story.acts(), [act], "one that can be resumed is, and at once as always");
}

#[test]
fn an_agent_that_is_gone_is_not_marked_any_more() {
    let mut story = team().sized(160, 40);
    mark(&mut story, &["scout", "tester", "editor"]);
    story.happens(EventBody::AgentRemoved { target: "editor@review".parse().unwrap() });
    story.agent_is(&agent("editor@review"));
    let asked = story.press("x").screen();
    assert!(asked.contains("stop 2 agents?") && !asked.contains("left out"), "{asked}");
    story.wait(200).press("n").press("#");
    let members = story.overlay();
    assert!(members.contains("scout tester") && !members.contains("editor"), "{members}");
}

#[test]
fn marked_agents_are_removed_together_once_their_number_is_typed() {
    let mut story = team();
    for name in ["tester@review", "coder@review"] {
        let mut stopped = agent(name);
        (stopped.state, stopped.wanted, stopped.unread) = (AgentState::Stopped, Wanted::Stopped, 2);
        story.agent_is(&stopped);
    }
    mark(&mut story, &["coder", "tester", "editor", "reviewer"]);
    story.press("X");
    let dialog = story.overlay();
    assert!(dialog.contains("3 inboxes with 4 messages and the runs are removed"), "{dialog}");
    assert!(dialog.contains("1 marked agent is left out"), "{dialog}");
    let acts = story.press("backspace").type_in("3").press("enter").acts();
    let [Act::Each(each)] = acts.as_slice() else { panic!("{acts:?}") };
    assert!(each.iter().all(|act| matches!(act, Act::Remove(_))) && each.len() == 3, "{each:?}");
}

#[test]
fn a_message_goes_to_all_marked_agents_wherever_they_are() {
    let mut story = Story::team().sized(120, 40);
    story.visit(Subject::All, Tab::Agents);
    mark(&mut story, &["coder", "writer"]);
    story.press("m");
    let screen = story.screen();
    assert!(screen.contains("to coder@review:pr-123, writer@docs   wakes 1: coder"), "{screen}");
    assert_eq!(story.type_in("stop at noon").press("enter").sends(), ["stop at noon"]);
    let [request] = &story.asks()[..] else { panic!("{:?}", story.effects) };
    let Request::Send(sending) = request else { panic!("{request:?}") };
    assert_eq!(sending.address.to_string(), "coder@review:pr-123, writer@docs");
}

#[test]
fn what_is_marked_means_nothing_where_keys_mean_something_else() {
    let mut story = team();
    mark(&mut story, &["scout", "tester"]);
    story.open(Subject::Workflow(review()), Tab::Proposals);
    story.press("X");
    assert!(!story.screen().contains("2 agents"), "{}", story.screen());
}

#[test]
fn how_long_an_agent_is_queued_is_known_once_the_feed_has_told() {
    let mut story = team();
    story.wait(14_000);
    let screen = story.main_pane();
    let line = screen.lines().find(|line| line.contains("tester")).unwrap();
    assert!(line.contains(" 14s "), "{screen}");
}

#[test]
fn d_7_one_event_changes_tree_table_needs_and_counts_together() {
    let mut story = Story::review();
    open(&mut story);
    let before = story.screen();
    assert!(before.contains("1 running") && !before.contains("NEEDS YOU"), "{before}");
    let mut failed = run(8, "reviewer@review");
    (failed.state, failed.attempt) = (RunState::Failed, 3);
    failed.ended_at = Some(Timestamp(NOW));
    story.happens(EventBody::RunChanged(Box::new(failed)));
    story.happens(EventBody::AgentChanged(Box::new(agent("reviewer@review"))));
    story.needs(vec![need(AttentionKind::Dead, "reviewer@review")]);
    let rings = |story: &Story| {
        story
            .effects
            .iter()
            .filter(|effect| **effect == crate::model::effects::Effect::Bell)
            .count()
    };
    assert_eq!(rings(&story), 1);
    let screen = story.screen();
    assert!(screen.contains("0 running") && screen.contains("✗1"), "{screen}");
    assert!(screen.contains("NEEDS YOU"), "{screen}");
    let lines: Vec<_> = screen.lines().filter(|line| line.contains("✗ reviewer")).collect();
    assert_eq!(lines.len(), 2, "{screen}");
    assert!(lines.iter().any(|line| line.contains("failed")), "{screen}");
    assert!(story.main_pane().contains("reviewer   ✗ failed"), "{screen}");
    // The same state does not ring again.
    story.needs(vec![need(AttentionKind::Dead, "reviewer@review")]);
    assert_eq!(rings(&story), 0);
}

#[test]
fn d_8_what_fails_twice_in_one_state_rings_once() {
    let mut story = Story::review();
    let mut rings = 0;
    let mut tell = |story: &mut Story, items: Vec<AttentionItem>| {
        story.needs(items);
        rings += story
            .effects
            .iter()
            .filter(|effect| **effect == crate::model::effects::Effect::Bell)
            .count();
    };
    let mention = || need(AttentionKind::Mention, "@review");
    tell(&mut story, vec![mention()]);
    tell(&mut story, vec![AttentionItem { reason: "2 unread".to_owned(), ..mention() }]);
    tell(&mut story, vec![mention(), need(AttentionKind::Dead, "coder@review")]);
    tell(&mut story, vec![mention(), need(AttentionKind::Dead, "coder@review")]);
    tell(&mut story, vec![]);
    tell(&mut story, vec![mention()]);
    assert_eq!(rings, 3);
}

#[test]
fn nothing_moves_under_the_eyes_unless_the_settings_say_so() {
    let mut story = team();
    story.app.model.settings.chosen.order = settings::Order::Name;
    for name in ["runner-10@review", "runner-2@review"] {
        story.happens(EventBody::AgentChanged(Box::new(agent(name))));
    }
    let order = ["coder", "editor", "reviewer", "runner-2", "runner-10", "scout", "tester"];
    assert_eq!(names(&story), order);
    let tree = tree_lines::lines(&story.app.model);
    for (name, state) in
        [("runner-10@review", AgentState::Running), ("coder@review", AgentState::Queued)]
    {
        let mut changed = agent(name);
        changed.state = state;
        story.happens(EventBody::AgentChanged(Box::new(changed)));
    }
    assert_eq!(names(&story), order);
    assert_eq!(tree_lines::lines(&story.app.model), tree);
    story.app.model.settings.chosen.order = settings::Order::Need;
    assert_ne!(tree_lines::lines(&story.app.model), tree);
}

#[test]
fn a_filter_that_nothing_matches_says_so() {
    let mut story = Story::review();
    story.open(Subject::Workflow(review()), Tab::Agents);
    story.press("F").type_in("stopped").press("enter");
    let screen = story.screen();
    assert!(screen.contains("no agent is stopped: F shows others"), "{screen}");
}

#[test]
fn what_is_marked_is_what_acts_are_for() {
    let mut story = team();
    story.press("*").press("j").press("*").press("G");
    assert_eq!(selected_name(&story), "editor");
    let screen = story.press("x").screen();
    assert!(screen.contains("stop 2 agents?"), "{screen}");
    story.wait(200).press("n").press("m");
    assert_eq!(story.app.model.writing.composer.text(), "@coder @scout ");
    story.press("esc").press("t").wait(200);
    assert!(story.screen().contains("try again run_7?"), "{}", story.screen());
    story.press("y");
    assert_eq!(story.acts(), [Act::RetryRun(RunId::new(7))]);
}

#[test]
fn what_a_resume_does_is_not_tried_again() {
    let mut story = Story::review();
    let mut failed = run(7, "coder@review");
    failed.state = RunState::Failed;
    story.runs(&failed);
    let mut paused = agent("coder@review");
    paused.state = AgentState::Paused;
    story.agent_is(&paused).select_agent("coder@review");
    let screen = story.press("t").screen();
    assert!(screen.contains("coder@review is paused: s resumes it"), "{screen}");
}

#[test]
fn an_agent_that_works_outside_is_not_woken_from_here() {
    let mut story = Story::review().sized(120, 30);
    let mut outside = agent("coder@review");
    (outside.kind, outside.state) = (MemberKind::External, AgentState::Queued);
    story.agent_is(&outside);
    story.open(Subject::Workflow(review()), Tab::Agents);
    assert!(story.main_pane().contains("fetches messages"), "{}", story.main_pane());
    let screen = story.select_agent("coder@review").press("w").screen();
    assert!(screen.contains("works outside: it fetches its messages itself"), "{screen}");
}

fn selected_name(story: &Story) -> String {
    story.app.pane().selected(&story.app.model).unwrap().name.unwrap().to_string()
}

#[test]
fn cost_and_tokens_are_those_of_all_runs_with_a_total() {
    let story = team().sized(120, 40);
    let pane = story.main_pane();
    let line = |name: &str| pane.lines().find(|line| line.contains(name)).unwrap_or_default();
    assert!(line("coder").contains("123k     $0.93"), "{pane}");
    assert!(line("total").contains("183k     $1.20"), "{pane}");
    let mut story = team().sized(120, 40);
    assert!(sort(&mut story, "tokens").starts_with("coder scout"), "{}", story.main_pane());
}

#[test]
fn a_paused_agent_is_resumed_and_not_woken() {
    let mut story = Story::review();
    let mut coder = agent("coder@review");
    (coder.state, coder.wanted) = (AgentState::Paused, Wanted::Paused);
    story.agent_is(&coder).select_agent("coder@review");
    story.press("w");
    assert_eq!(story.acts(), []);
    assert!(story.screen().contains("coder@review is paused: s resumes it"), "{}", story.screen());
}

#[test]
fn no_time_is_shown_of_an_agent_in_backoff_while_it_is_unknown_or_over() {
    let mut story = Story::review();
    let mut coder = agent("coder@review");
    coder.state = AgentState::Backoff;
    story.agent_is(&coder);
    let line = |story: &Story| {
        let screen = story.screen();
        screen.lines().find(|line| line.contains("coder")).unwrap().to_owned()
    };
    assert!(line(&story).contains("backoff"), "{}", story.screen());
    story.open(Subject::Workflow(review()), Tab::Agents);
    assert!(!story.screen().contains("again in"), "{}", story.screen());
    coder.not_before = Some(Timestamp(NOW + 90_000));
    story.agent_is(&coder);
    assert!(line(&story).contains("again in 1m 30s"), "{}", story.screen());
    coder.not_before = Some(Timestamp(NOW - 1000));
    story.agent_is(&coder);
    assert!(!line(&story).contains("again in"), "{}", story.screen());
    assert!(line(&story).contains("backoff"), "{}", story.screen());
}
