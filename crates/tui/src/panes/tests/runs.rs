//! Tables of runs on the screen.

use std::{collections::BTreeSet, ops::RangeInclusive};

use agent_worker_protocol::{
    AgentState, FailureClass, MemberKind, MessageId, Run, RunId, RunState, Runs, Timestamp, Usage,
};

use crate::{
    app::{Msg, go},
    model::{
        Focus,
        acts::Act,
        effects::Effect,
        place::{Place, Subject, Tab},
        requests::{Reply, Request},
    },
    tests::{NOW, Story, agent, run, snapshot},
};

fn ended(number: i64, target: &str) -> Run {
    let mut run = run(number, target);
    run.state = RunState::Succeeded;
    run.started_at = Timestamp(NOW - 1_000_000 + number * 10_000);
    run.ended_at = Some(Timestamp(run.started_at.0 + 51_000));
    run
}

fn failed(number: i64, target: &str) -> Run {
    let mut run = ended(number, target);
    (run.state, run.class) = (RunState::Failed, Some(FailureClass::Transient));
    run.error = Some("provider timeout after 120 s".to_owned());
    (run.usage, run.cost) = (Usage::default(), None);
    run
}

/// A snapshot with a live run, a failed run, and a run of another agent.
fn team(width: u16, height: u16) -> Story {
    let mut picture = snapshot();
    picture.runs = vec![
        run(8, "reviewer@review"),
        failed(7, "reviewer@review"),
        ended(6, "coder@review"),
        ended(5, "reviewer@review"),
    ];
    Story::of(picture).sized(width, height)
}

fn open(story: &mut Story, place: Place) {
    story.effects = go(&mut story.app, place);
    story.app.model.selection.focus = Focus::Main;
}

fn history(width: u16, height: u16) -> Story {
    let mut story = team(width, height);
    let target = "reviewer@review".parse().unwrap();
    open(&mut story, Place::at(Subject::Agent(target), Tab::History));
    story
}

fn page(story: &mut Story, of: Option<&str>, before: Option<i64>, runs: Vec<Run>, more: bool) {
    let of = of.map(|of| of.parse().unwrap());
    let request = Request::Runs(of, before.map(RunId::new));
    story.tell(Msg::Answer(Box::new(request), Ok(Reply::Runs(Runs { runs, more }))));
}

fn asked(story: &Story) -> Vec<Request> {
    let asks = story.effects.iter().filter_map(|effect| match effect {
        Effect::Ask(request @ Request::Runs(..)) => Some(request.clone()),
        _ => None,
    });
    asks.collect()
}

#[test]
fn runs_of_an_agent_are_there_before_any_page_is() {
    let story = history(120, 24);
    insta::assert_snapshot!(story.screen(), @r"
     aw │ devbox │ ⠿ live │ 1 running │ 1 queued │ $3.64                                                   as user │ ? help
     reviewer@review   1 Run  2 Inbox  3 Queue [4 History] 5 Prompt  6 Info
     WORKFLOWS                  │ state        run      start           took      in/out    cost try what
      All                       │❯⠿ running    run_8    14:05:00      1m 12s  18.2k/2.1k $0.0900   1 thinking
     ▾ review:main              │ ✗ failed     run_7    13:50:42         51s         -/-       -   1 transient: provider ti…
      # channel                 │ ✓ succeeded  run_5    13:50:22         51s  18.2k/2.1k $0.0900   1 mention msg_1
      ⧗ coder          queued 2 │ ⠿ loading older
    ❯ ⠿ reviewer       thinking │
      ◦ tester             idle │
     GLOBAL                     │
       none yet                 │
                                │
                                │
                                │
                                │
                                │
                                │
                                │
                                │
                                │
                                │
                                │
     ✎ to reviewer │ i to write: it is read once this run ends
     Enter open  c cause  i write  p peek  x stop  / search  Space menu  : command                           ? help  q quit
    ");
}

#[test]
fn runs_of_all_fit_a_small_screen_with_their_agents() {
    let mut story = team(80, 24);
    open(&mut story, Place::at(Subject::All, Tab::Runs));
    insta::assert_snapshot!(story.screen(), @r"
     aw │ devbox │ ⠿ live │ 1 running │ 1 queued                   as user │ ? help
     everything   1 Agents [2 Runs] 3 Events  4 Sched  5 Cost
     WORKFLOWS            │ state        run      agent         start  what
    ❯ All                 │❯⠿ running    run_8    reviewer      14:05  thinking
     ▾ review:main        │ ✗ failed     run_7    reviewer      13:50  transient: p…
      # channel           │ ✓ succeeded  run_6    coder         13:50  mention msg_1
      ⧗ coder    queued 2 │ ✓ succeeded  run_5    reviewer      13:50  mention msg_1
      ⠿ reviewer thinking │ ⠿ loading older
      ◦ tester       idle │
     GLOBAL               │
       none yet           │
                          │
                          │
                          │
                          │
                          │
                          │
                          │
                          │
                          │
                          │
                          │
     ✎ # global:main │ i to write, Enter sends, @ names an agent
     Enter open  c cause  i write  p peek  x stop  / search          ? help  q quit
    ");
}

#[test]
fn where_an_agent_has_no_run_it_is_said_what_starts_one() {
    let mut story = team(120, 34);
    let mut tester = agent("tester@review");
    let place = Place::at(Subject::Agent(tester.target.clone()), Tab::History);
    for (kind, state, told) in [
        (MemberKind::Agent, AgentState::Idle, "i writes to it, w wakes it"),
        (MemberKind::Agent, AgentState::Stopped, "i writes to it, s resumes it"),
        (
            MemberKind::External,
            AgentState::Queued,
            "i writes to it, it fetches its messages itself",
        ),
    ] {
        (tester.kind, tester.state) = (kind, state);
        story.agent_is(&tester);
        open(&mut story, place.clone());
        page(&mut story, Some("tester@review"), None, Vec::new(), false);
        assert!(story.screen().contains(told), "{told}: {}", story.screen());
    }
}

#[test]
fn runs_of_several_workflows_say_which_one_on_a_small_screen_too() {
    let mut picture = snapshot();
    picture.runs = vec![ended(7, "coder@review"), ended(6, "coder")];
    let mut story = Story::of(picture).sized(80, 24);
    open(&mut story, Place::at(Subject::All, Tab::Runs));
    let shown = story.main_pane();
    assert!(shown.contains("run_7    coder@review"), "{shown}");
    assert!(shown.contains("run_6    coder "), "{shown}");
}

#[test]
fn runs_of_all_on_a_wide_screen() {
    let mut story = team(160, 24);
    story.app.model.display.dock = Some(false);
    open(&mut story, Place::at(Subject::All, Tab::Runs));
    insta::assert_snapshot!(story.screen(), @r"
     aw │ devbox │ ⠿ live │ 1 running │ 1 queued │ $3.64 │ 122k tokens │ 1 workflow, 3 agents                                                      as user │ ? help
     everything   1 Agents [2 Runs] 3 Events  4 Sched  5 Cost
     WORKFLOWS                    │ state        run      agent                start           took      in/out    cost try what
    ❯ All                         │❯⠿ running    run_8    reviewer@review      14:05:00      1m 12s  18.2k/2.1k $0.0900   1 thinking
     ▾ review:main                │ ✗ failed     run_7    reviewer@review      13:50:42         51s         -/-       -   1 transient: provider timeout after 120 s
      # channel                   │ ✓ succeeded  run_6    coder@review         13:50:32         51s  18.2k/2.1k $0.0900   1 mention msg_1
      ⧗ coder            queued 2 │ ✓ succeeded  run_5    reviewer@review      13:50:22         51s  18.2k/2.1k $0.0900   1 mention msg_1
      ⠿ reviewer         thinking │ ⠿ loading older
      ◦ tester               idle │
     GLOBAL                       │
       none yet                   │
                                  │
                                  │
                                  │
                                  │
                                  │
                                  │
                                  │
                                  │
                                  │
                                  │
                                  │
     ✎ # global:main │ i to write, Enter sends, @ names an agent
     Enter open  c cause  i write  p peek  x stop  / search  Space menu  : command                                                                   ? help  q quit
    ");
}

#[test]
fn the_number_of_a_run_is_whole_up_to_eight_digits() {
    let mut story = history(120, 24);
    for (number, shown) in [
        (99_999, "run_99999 14:05:00"),
        (12_345_678, "run_12345678 14:05:00"),
        (1_234_567_890, "run_1234567… 14:05:00"),
    ] {
        story.runs(&run(number, "reviewer@review"));
        let screen = story.main_pane();
        assert!(screen.contains(shown) && screen.contains("run_8 "), "{screen}");
        let starts = screen.lines().take(2).map(|line| {
            let at = line.find("start").or_else(|| line.find("14:05:00")).unwrap();
            line[..at].chars().count()
        });
        let starts: BTreeSet<_> = starts.collect();
        assert_eq!(starts.len(), 1, "{screen}");
    }
}

#[test]
fn older_runs_are_asked_for_page_by_page_and_once() {
    let mut story = history(120, 24);
    let target = || Some("reviewer@review".parse().unwrap());
    assert_eq!(asked(&story), [Request::Runs(target(), None)]);
    story.press("G");
    assert_eq!(asked(&story), []);
    let newest = (40..90).rev().map(|number| ended(number, "reviewer@review")).collect();
    page(&mut story, Some("reviewer@review"), None, newest, true);
    let oldest = Some(RunId::new(5));
    assert_eq!(asked(&story), [Request::Runs(target(), oldest)]);
    story.press("G");
    assert_eq!(asked(&story), []);
    story.press("k").press("j");
    assert_eq!(asked(&story), []);
    page(&mut story, Some("reviewer@review"), Some(5), vec![ended(4, "reviewer@review")], false);
    story.press("G");
    assert_eq!(asked(&story), []);
    assert!(story.screen().contains("❯✓ succeeded  run_4"), "{}", story.screen());
}

#[test]
fn the_last_run_is_one_key_away_unless_another_is_selected_meanwhile() {
    let mut story = team(120, 24);
    open(&mut story, Place::at(Subject::All, Tab::Runs));
    let answer = |story: &mut Story, runs: RangeInclusive<i64>| {
        let (before, more) = (Some(runs.end() + 1).filter(|end| *end < 201), *runs.start() > 1);
        let runs = runs.rev().map(|number| ended(number, "coder@review")).collect();
        page(story, None, before, runs, more);
        asked(story)
    };
    let next = |before| [Request::Runs(None, Some(RunId::new(before)))];
    assert_eq!(answer(&mut story, 151..=200), []);
    story.press("G");
    assert_eq!(asked(&story), next(151));
    assert_eq!(answer(&mut story, 101..=150), next(101));
    assert_eq!(answer(&mut story, 51..=100), next(51));
    story.press("k");
    assert_eq!(answer(&mut story, 9..=50), []);
    assert!(story.screen().contains("❯✓ succeeded  run_52 "), "{}", story.screen());
    story.press("G");
    assert_eq!(asked(&story), next(9));
    assert_eq!(answer(&mut story, 1..=8), []);
    assert!(story.screen().contains("❯✓ succeeded  run_1 "), "{}", story.screen());
}

#[test]
fn where_no_more_runs_are_loaded_it_is_said_what_lists_them() {
    let mut story = team(120, 24);
    open(&mut story, Place::at(Subject::All, Tab::Runs));
    let runs = (8_001..=10_000).rev().map(|number| ended(number, "coder@review")).collect();
    page(&mut story, None, None, runs, true);
    story.press("G");
    assert_eq!(asked(&story), []);
    let told = "only the newest 2000 runs are loaded: agent-worker runs -n 10000 lists more";
    assert!(story.screen().contains(told), "{}", story.screen());
}

#[test]
fn everybodys_runs_have_no_hole_between_the_picture_and_a_page() {
    let mut story = team(120, 24);
    open(&mut story, Place::at(Subject::All, Tab::Runs));
    page(
        &mut story,
        None,
        None,
        vec![run(8, "reviewer@review"), failed(7, "reviewer@review")],
        true,
    );
    let screen = story.screen();
    assert!(screen.contains("run_7") && !screen.contains("run_5"), "{screen}");
    story.press("G");
    assert_eq!(asked(&story), [Request::Runs(None, Some(RunId::new(7)))]);
    page(&mut story, None, Some(7), vec![ended(6, "coder@review")], false);
    let screen = story.screen();
    assert!(screen.contains("run_6") && screen.contains("run_5"), "{screen}");
}

#[test]
fn an_old_run_that_changes_is_not_where_the_next_page_begins() {
    let mut story = team(120, 24);
    open(&mut story, Place::at(Subject::All, Tab::Runs));
    let newest = vec![run(8, "reviewer@review"), failed(7, "reviewer@review")];
    page(&mut story, None, None, newest, true);
    story.runs(&run(3, "tester@review"));
    assert!(!story.screen().contains("run_3"), "{}", story.screen());
    story.press("G");
    assert_eq!(asked(&story), [Request::Runs(None, Some(RunId::new(7)))]);
    let older = [6, 5, 4, 3].map(|number| ended(number, "tester@review")).to_vec();
    page(&mut story, None, Some(7), older, false);
    let screen = story.screen();
    assert!(screen.contains("run_4") && screen.contains("run_3"), "{screen}");
}

#[test]
fn a_page_that_failed_is_asked_for_again() {
    let mut story = history(120, 24);
    let request = asked(&story).remove(0);
    let trouble = crate::model::requests::RequestError::offline();
    story.tell(Msg::Answer(Box::new(request.clone()), Err(trouble)));
    story.press("4");
    assert_eq!(asked(&story), [request]);
}

#[test]
fn a_first_page_that_failed_is_asked_for_again_also_after_a_run_began() {
    let mut story = history(120, 24);
    let request = asked(&story).remove(0);
    story.runs(&run(9, "reviewer@review"));
    let trouble = crate::model::requests::RequestError::offline();
    story.tell(Msg::Answer(Box::new(request.clone()), Err(trouble)));
    story.press("4");
    assert_eq!(asked(&story), [request]);
}

#[test]
fn a_run_that_changed_while_a_page_was_on_its_way_is_as_it_is_now() {
    let mut story = history(120, 24);
    let target = "reviewer@review".parse().unwrap();
    story.runs(&ended(9, "reviewer@review"));
    page(&mut story, Some("reviewer@review"), None, vec![run(9, "reviewer@review")], false);
    let known = story.app.model.known.runs.get(Some(&target)).unwrap();
    assert_eq!(known.runs[&RunId::new(9)].state, RunState::Succeeded);
}

#[test]
fn the_selected_run_stays_selected_when_another_begins() {
    let mut story = history(120, 24);
    story.press("j");
    assert!(story.screen().contains("❯✗ failed     run_7"), "{}", story.screen());
    story.runs(&run(9, "reviewer@review"));
    assert!(story.screen().contains("❯✗ failed     run_7"), "{}", story.screen());
    assert!(story.screen().contains("run_9"), "{}", story.screen());
}

#[test]
fn the_first_run_stays_selected_too_and_is_followed_from_the_tree() {
    let mut story = history(120, 24);
    story.runs(&run(9, "reviewer@review"));
    assert!(story.screen().contains("❯⠿ running    run_8"), "{}", story.screen());
    let mut story = history(120, 24);
    story.app.model.selection.focus = Focus::Nav;
    story.runs(&run(9, "reviewer@review"));
    let screen = story.screen();
    let selected = screen.lines().find(|line| line.contains('❯')).unwrap();
    assert!(selected.contains("run_9"), "{screen}");
}

#[test]
fn a_run_of_the_table_is_opened_in_its_agents_tab() {
    let mut story = team(120, 24);
    open(&mut story, Place::at(Subject::All, Tab::Runs));
    story.press("j").press("enter");
    assert_eq!(story.app.model.place.tab, Tab::Run);
    let screen = story.screen();
    assert!(screen.contains("run_7 ✗ failed 51s"), "{screen}");
    assert!(story.effects.contains(&Effect::Follow(RunId::new(7))), "{:?}", story.effects);
}

#[test]
fn a_run_that_failed_is_tried_again_and_no_other() {
    let mut story = history(120, 24);
    assert_eq!(story.press("t").acts(), []);
    assert!(story.screen().contains("run_8 is at work"), "{}", story.screen());
    story.press("j").press("t").wait(200).press("y");
    assert_eq!(story.acts(), [Act::RetryRun(RunId::new(7))]);
}

#[test]
fn how_long_a_run_is_silent_is_whole() {
    let mut story = history(120, 40);
    let mut hung = run(8, "reviewer@review");
    hung.activity = Some("calling shell".to_owned());
    hung.spoke_at = Some(Timestamp(NOW - 13_000));
    story.runs(&hung);
    let shown = story.main_pane();
    assert!(shown.contains("silent 13s run_8") && shown.contains("calling shell"), "{shown}");
}

#[test]
fn what_woke_a_run_is_shown_whichever_conversation_it_is_in() {
    let mut story = history(120, 24);
    story.press("c");
    let shown = story.app.overlays.last().and_then(|overlay| overlay.message());
    assert_eq!(shown, Some(MessageId::new(1)));
    assert!(story.effects.contains(&Effect::Ask(Request::Message(MessageId::new(1)))));
}

#[test]
fn g_4_a_run_at_work_ticks_once_a_second_and_nothing_else_does() {
    let mut story = history(120, 24);
    let mut frames = BTreeSet::from([story.screen()]);
    for _ in 0..40 {
        story.wait(250);
        frames.insert(story.screen());
    }
    // Ten seconds; in the last of them the run becomes silent.
    assert_eq!(frames.len(), 11);
}
