use agent_worker_protocol::{
    EventBody, Fire, Fired, MessageId, Overlap, RunId, Schedule, ScheduleDetail, ScheduleDetails,
    ScheduleId, ScheduleSet, ScheduleState, Scope, Target,
};

use crate::{
    model::{
        acts::Act,
        place::{Subject, Tab},
        requests::{Reply, Request},
    },
    screen,
    tests::{Story, team::pr},
};

fn schedules() -> Story {
    let mut story = Story::team();
    story.visit(Subject::Workflow(pr()), Tab::Schedules);
    story
}

fn of(story: &Story, agent: &str) -> Schedule {
    let mut all = story.app.model.mirror().schedules_of(&pr());
    all.find(|one| one.agent.name.as_ref().is_some_and(|name| name.as_str() == agent))
        .unwrap()
        .clone()
}

fn reviewer() -> Target {
    "reviewer@review:pr-123".parse().unwrap()
}

fn main() -> agent_worker_protocol::Name {
    "main".parse().unwrap()
}

/// The line of the main pane that begins so.
fn line(story: &Story, begin: &str) -> String {
    let pane = story.main_pane();
    let found = pane.lines().find(|line| line.trim_start().starts_with(begin));
    found.unwrap_or_else(|| panic!("no line begins with {begin}: {pane}")).trim().to_owned()
}

#[test]
fn each_is_seen_with_its_next_time_and_what_became_of_the_last() {
    let story = schedules();
    let list = line(&story, "❯reviewer");
    assert!(list.contains("15m") && list.contains("14:15:00 in 8 min"), "{list}");
    assert!(line(&story, "tester").contains("paused"), "{}", story.screen());
    assert!(line(&story, "next").starts_with("next    14:15:00  14:30:00"), "{}", story.screen());
    assert!(story.main_pane().contains("14:00:00  run_84"), "{}", story.main_pane());
    assert!(story.main_pane().contains("13:45:00 overlap"), "{}", story.main_pane());
}

#[test]
fn a_heartbeat_says_its_hours_and_what_it_is_for() {
    let mut story = schedules();
    let mut beat = of(&story, "reviewer");
    (beat.name, beat.prompt) = ("heartbeat".parse().unwrap(), None);
    beat.hours = Some("08:00-22:00".parse().unwrap());
    story.happens(EventBody::ScheduleChanged(Box::new(beat)));
    assert!(story.main_pane().contains("heartbeat: 15m, 08:00-22:00"), "{}", story.main_pane());
    assert_eq!(line(&story, "prompt"), "prompt  do what HEARTBEAT.md says");
}

#[test]
fn a_line_of_text_has_the_next_time_and_what_became_of_the_last() {
    let story = schedules();
    let (lines, _) = story.app.pane().lines(&story.app.model);
    let of = |agent: &str| lines.iter().find(|line| line.starts_with(agent)).unwrap();
    let line = of("reviewer@");
    assert!(line.contains("15m, 14:15:00 in 8 min, ran 14:00:00"), "{line}");
    assert!(of("tester@").contains(", paused"), "{lines:?}");
}

#[test]
fn a_time_that_comes_is_seen_and_what_became_of_it_is_asked_for() {
    let mut story = schedules();
    let mut due = of(&story, "reviewer");
    due.next_due = due.next_due.map(|at| agent_worker_protocol::Timestamp(at.0 + 900_000));
    story.happens(EventBody::ScheduleChanged(Box::new(due)));
    assert!(line(&story, "❯reviewer").contains("14:30:00"), "{}", story.screen());
    assert_eq!(story.asks(), [Request::Schedules(reviewer())]);
}

#[test]
fn a_time_that_has_come_is_seen_to_wait_for_the_last_run() {
    let mut story = schedules();
    let mut due = Schedule { overlap: Overlap::Queue, ..of(&story, "reviewer") };
    due.next_due = due.next_due.map(|at| agent_worker_protocol::Timestamp(at.0 - 900_000));
    story.happens(EventBody::ScheduleChanged(Box::new(due)));
    assert!(line(&story, "❯reviewer").contains("14:00:00 waits"), "{}", story.screen());
    let pane = story.main_pane();
    assert!(pane.contains("14:00:00 waits for its last run"), "{pane}");
}

#[test]
fn a_run_whose_message_is_held_tells_it_and_why() {
    let mut story = schedules().sized(120, 40);
    let reason = Some(format!("{}: budget: 7 of 5 tokens are used", Fire::HELD));
    let old = of(&story, "reviewer");
    let fire = Fire { reason, ..old.last.clone().unwrap() };
    let schedule = Schedule { last: Some(fire.clone()), ..old };
    story.happens(EventBody::ScheduleChanged(Box::new(schedule.clone())));
    let fired = vec![Fired { fire, run: Some(RunId::new(84)) }];
    let detail = ScheduleDetail { schedule, next: Vec::new(), fired };
    let details = ScheduleDetails { schedules: vec![detail] };
    story.answer(Request::Schedules(reviewer()), Reply::Schedules(details));
    let pane = story.main_pane();
    assert!(line(&story, "❯reviewer").contains("14:00:00, message held"), "{pane}");
    let expected = "14:00:00  run_84, its message is held: budget: 7 of 5 tokens are used";
    assert!(pane.contains(expected), "{pane}");
    let (lines, _) = story.app.pane().lines(&story.app.model);
    assert!(lines.iter().any(|line| line.contains(", ran 14:00:00, message held")), "{lines:?}");
}

#[test]
fn a_cleared_schedule_tells_how_many_of_its_messages_are_still_held() {
    let clear = Act::ClearSchedule(reviewer(), main());
    let told = |held: &[i64]| {
        let held: Vec<MessageId> = held.iter().map(|number| MessageId::new(*number)).collect();
        clear.still_held(&held)
    };
    assert_eq!(told(&[]), None);
    let expected = "cleared schedule main of reviewer@review:pr-123; 2 messages are still held";
    assert_eq!(told(&[4, 9]).as_deref(), Some(expected));
}

#[test]
fn the_menu_names_the_schedule_and_leaves_out_whose_it_is() {
    let mut story = schedules();
    story.press("space");
    let menu = story.overlay();
    assert!(menu.contains("pause schedule main  "), "{menu}");
    assert!(!menu.contains("main of"), "{menu}");
}

#[test]
fn a_schedule_that_comes_above_the_selected_one_does_not_take_its_place() {
    let mut story = Story::team();
    story.visit(Subject::All, Tab::Schedules);
    let lines = |story: &Story| story.app.pane().lines(&story.app.model);
    let (before, at) = lines(&story);
    let selected = before[at.unwrap()].clone();
    let scope: Scope = "@a".parse().unwrap();
    let agent = "early@a".parse().unwrap();
    let above = Schedule { id: ScheduleId::new(1_000), scope, agent, ..of(&story, "reviewer") };
    story.happens(EventBody::ScheduleChanged(Box::new(above)));
    let (after, at) = lines(&story);
    assert!(after[0].contains("early@a"), "{after:#?}");
    assert_eq!(after[at.unwrap()], selected);
}

#[test]
fn it_runs_now_pauses_and_is_cleared_each_after_it_was_asked_about() {
    let mut story = schedules();
    story.press("w");
    let screen = story.screen();
    assert!(
        screen.contains("run schedule main of reviewer@review:pr-123? A run starts"),
        "{screen}"
    );
    story.wait(200).press("y");
    assert_eq!(story.acts(), [Act::RunSchedule(reviewer(), main())]);
    story.press("P").wait(200).press("y");
    let pause = Act::PauseSchedule(reviewer(), main());
    assert_eq!(pause.shell(), "agent-worker schedule reviewer@review:pr-123 pause main");
    assert_eq!(story.acts(), [pause]);
    let paused = Schedule { state: ScheduleState::Paused, ..of(&story, "reviewer") };
    story.happens(EventBody::ScheduleChanged(Box::new(paused)));
    story.press("P").wait(200).press("y");
    assert_eq!(story.acts().last(), Some(&Act::ResumeSchedule(reviewer(), main())));
    story.press("X").type_in("main").press("enter");
    assert_eq!(story.acts().last(), Some(&Act::ClearSchedule(reviewer(), main())));
}

#[test]
fn where_no_schedule_is_the_key_that_makes_one_is_named() {
    let mut story = Story::review();
    story.open(Subject::All, Tab::Schedules);
    story.app.model.settings.keymap.set("schedules", "new", &["f8".to_owned()]).unwrap();
    for key in ["P", "enter"] {
        story.press(key);
        let told = story.app.model.prompt.notice.take().map(|notice| notice.text);
        assert_eq!(told.as_deref(), Some("no schedule here: F8 creates one"), "{key}");
    }
}

#[test]
fn the_footer_says_whether_its_key_pauses_or_resumes() {
    let mut story = schedules();
    let footer = |story: &Story| screen::footer_row(&story.app, 120).0.text();
    assert!(footer(&story).contains(" P pause "), "{}", footer(&story));
    let paused = Schedule { state: ScheduleState::Paused, ..of(&story, "reviewer") };
    story.happens(EventBody::ScheduleChanged(Box::new(paused)));
    assert!(footer(&story).contains(" P resume "), "{}", footer(&story));
}

#[test]
fn it_is_changed_in_a_form_and_all_else_stays() {
    let mut story = schedules();
    let old = of(&story, "reviewer");
    story.press("e").press("end").press("backspace").type_in("x").press("enter");
    assert!(story.overlay().contains("is neither a span of time"), "{}", story.overlay());
    story.press("backspace").type_in("m").press("enter");
    let expected = ScheduleSet {
        name: Some(old.name),
        prompt: old.prompt,
        timezone: Some(old.timezone),
        only_if_unread: Some(old.only_if_unread),
        overlap: Some(old.overlap),
        missed: Some(old.missed),
        context: Some(old.context),
        ..ScheduleSet::usual(reviewer(), "15m".parse().unwrap())
    };
    assert_eq!(story.acts(), [Act::SetSchedule(Box::new(expected))]);
}

#[test]
fn a_new_one_says_whose_when_and_what() {
    let mut story = schedules();
    story
        .press("j")
        .press("+")
        .press("tab")
        .type_in("2h")
        .press("tab")
        .type_in("look")
        .press("enter");
    let [Act::SetSchedule(set)] = &story.acts()[..] else { panic!("{:?}", story.acts()) };
    assert_eq!(set.target.to_string(), "tester@review:pr-123");
    assert_eq!((set.spec.to_string(), set.prompt.as_deref()), ("2h".to_owned(), Some("look")));
    let shell = Act::SetSchedule(set.clone()).shell();
    assert_eq!(shell, "agent-worker schedule tester@review:pr-123 set 2h --prompt look");
}

#[test]
fn the_run_of_the_last_time_is_one_key_away() {
    let mut story = schedules();
    story.press("enter");
    assert_eq!(story.app.model.place.subject, Subject::Agent(reviewer()));
}

#[test]
fn without_one_it_says_how_one_is_made() {
    let mut story = Story::team();
    story.visit(Subject::Workflow("@docs".parse().unwrap()), Tab::Schedules);
    assert!(story.main_pane().contains("none yet: + creates one"), "{}", story.screen());
    story.press("w");
    assert_eq!(story.acts(), []);
}

#[test]
fn a_schedule_of_a_workflow_file_is_not_said_to_be_created_by_the_system() {
    let mut story = schedules().sized(120, 40);
    let mut of_file = of(&story, "reviewer");
    of_file.maker = agent_worker_protocol::Name::system();
    story.happens(EventBody::ScheduleChanged(Box::new(of_file)));
    let shown = story.main_pane();
    assert!(shown.contains("created 13:58:00 by its workflow file"), "{shown}");
}
