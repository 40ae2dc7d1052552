use agent_worker_protocol::{
    Home, RunKind, ScheduleList, SchedulePause, ScheduleResume, ScheduleRun, ScheduleSet,
    ScheduleState, ScheduleTask, Task, TaskCancel, TaskList, TaskPause, TaskResume, Timestamp,
    WorkflowStop,
};
use serde_json::{Value, json};

use super::*;
use crate::{changes::schedule::fire, rows::schedule::next_due, rules::schedule::due};

const MINUTE: i64 = 60_000;

fn asked(fields: &Value) -> ScheduleTask {
    let mut all = json!({ "prompt": "sum it up", "schedule_type": "interval" });
    for (name, value) in fields.as_object().unwrap() {
        all[name] = value.clone();
    }
    serde_json::from_value(all).unwrap()
}

fn every(value: &str) -> ScheduleTask {
    asked(&json!({ "schedule_value": value }))
}

fn once(at: i64) -> ScheduleTask {
    let at = jiff::Timestamp::from_millisecond(at).unwrap().to_string();
    asked(&json!({ "schedule_type": "once", "schedule_value": at }))
}

/// A team of agents with homes whose alice is at work.
fn at_work(limits: Limits) -> (World, Claim) {
    let world = World::new();
    let mut launch = launch_of(&["alice", "bob"], "@alice go", Mode::Start, limits);
    for agent in &mut launch.agents {
        agent.home = Some(Home::Own);
    }
    world.try_start(launch).unwrap();
    let claim = world.claim();
    (world, claim)
}

impl World {
    fn tasks(&self, run: &Claim) -> Vec<(String, ScheduleState)> {
        let tasks = self.tool(run, TaskList {}).unwrap().tasks;
        tasks.into_iter().map(|task| (task.name.to_string(), task.state)).collect()
    }

    fn due(&self) -> Option<Claim> {
        self.daemon(|cx| fire::fire_due(cx).map(drop));
        self.try_claim()
    }
}

fn told(error: OpError) -> (String, String) {
    let body = error.into_body();
    (body.message, body.hint.unwrap_or_default())
}

#[test]
fn an_agent_has_itself_run_later_and_the_run_has_what_it_is_to_do() {
    let (world, run) = at_work(Limits::default());
    let Task { name, schedule, next_run, .. } = world.tool(&run, every("1800000")).unwrap();
    assert_eq!((name.as_str(), schedule.to_string()), ("task-1", "30m".to_owned()));
    assert!(next_run.is_some());
    world.succeed(&run, "");
    world.pass(30 * MINUTE);
    let due = world.due().unwrap();
    assert_eq!(world.run(due.run()).kind, RunKind::Scheduled);
    assert!(world.due().is_none());
    let last = &world.tool(&due, TaskList {}).unwrap().tasks[0].last_run;
    assert!(last.is_some());
}

#[test]
fn an_agent_without_a_home_makes_no_task() {
    let world = World::new();
    world.start_with(&["alice"], "@alice go", Mode::Start, Limits::default());
    let (message, hint) = told(world.tool(&world.claim(), every("1h")).unwrap_err());
    assert_eq!(message, "`alice@team` has no home");
    assert!(hint.contains("`home: true`"), "{hint}");
}

#[test]
fn tasks_end_with_the_home_of_their_agent() {
    let (world, run) = at_work(Limits::default());
    world.tool(&run, every("30m")).unwrap();
    let target = "alice@team".parse().unwrap();
    world.call("", ScheduleSet::usual(target, "1h".parse().unwrap())).unwrap();
    world.succeed(&run, "");
    world.call("", WorkflowStop { key: team(), now: false, purge: false, timeout: None }).unwrap();
    let launch = launch_of(&["alice", "bob"], "@alice go", Mode::Start, Limits::default());
    world.try_start(launch).unwrap();
    let left = world.call("", ScheduleList { all: false }).unwrap().schedules;
    let left: Vec<_> = left.iter().map(|row| (row.name.as_str(), row.maker.as_str())).collect();
    assert_eq!(left, [("main", "user")]);
}

#[test]
fn a_task_is_due_every_minute_at_most_unless_the_workflow_allows_less() {
    let (world, run) = at_work(Limits::default());
    for often in ["59s", "59999"] {
        let (message, hint) = told(world.tool(&run, every(often)).unwrap_err());
        let rule = "is too frequent: due times must be at least 1m apart";
        assert!(message.ends_with(rule), "{message}");
        assert!(hint.contains("at least 1m"), "{hint}");
    }
    // Digits alone are milliseconds.
    let (message, _) = told(world.tool(&run, every("5")).unwrap_err());
    assert!(message.ends_with("is too short: a task is due every 1m at most"), "{message}");
    world.tool(&run, every("1m")).unwrap();
    world
        .tool(&run, asked(&json!({ "schedule_type": "cron", "schedule_value": "* * * * *" })))
        .unwrap();
    let span = |text: &str| Some(text.parse().unwrap());
    let (world, run) = at_work(Limits { task_interval: span("10s"), ..Limits::default() });
    world.tool(&run, every("10000")).unwrap();
    let (world, run) = at_work(Limits { task_interval: span("1h"), ..Limits::default() });
    let twice = asked(&json!({ "schedule_type": "cron", "schedule_value": "0,1 9 * * *" }));
    assert!(told(world.tool(&run, twice).unwrap_err()).0.contains("too frequent"));
}

#[test]
fn a_task_that_runs_once_is_due_no_sooner_than_a_minute_from_now() {
    let (world, run) = at_work(Limits::default());
    let (message, hint) = told(world.tool(&run, once(BEGIN + MINUTE - 1)).unwrap_err());
    let earliest = due::shown(Timestamp(BEGIN + MINUTE), &due::machine());
    assert!(message.ends_with(&format!("cannot be due before {earliest}")), "{message}");
    assert!(hint.ends_with("at least 1m apart"), "{hint}");
    world.tool(&run, once(BEGIN + MINUTE)).unwrap();
    world.succeed(&run, "");
    world.pass(MINUTE);
    let run = world.due().unwrap();
    let again = world.tool(&run, once(BEGIN + MINUTE + 1000)).unwrap_err();
    assert!(told(again).0.contains("is too soon"));
    world.tool(&run, once(BEGIN + 2 * MINUTE)).unwrap();
    let limits = Limits { task_interval: Some("10s".parse().unwrap()), ..Limits::default() };
    let (world, run) = at_work(limits);
    world.tool(&run, once(BEGIN + 10_000)).unwrap();
}

#[test]
fn a_task_in_the_place_of_another_is_due_no_sooner_than_that_would_be() {
    let limits = Limits { task_interval: Some("1h".parse().unwrap()), ..Limits::default() };
    let (world, run) = at_work(limits);
    let cron = |line: &str, name: &str| {
        asked(&json!({ "schedule_type": "cron", "schedule_value": line, "name": name }))
    };
    world.tool(&run, cron("0 * * * *", "look")).unwrap();
    world.succeed(&run, "");
    let next = world.daemon(|cx| next_due(cx.db, cx.now)).unwrap();
    world.pass(next.0 - BEGIN);
    let run = world.due().unwrap();
    world.tool(&run, cron("1 * * * *", "other")).unwrap();
    world.tool(&run, TaskCancel { task: "other".to_owned() }).unwrap();
    let refused = |name: &str| told(world.tool(&run, cron("1 * * * *", name)).unwrap_err()).0;
    assert!(refused("look").contains("is too soon"));
    world.tool(&run, TaskCancel { task: "look".to_owned() }).unwrap();
    assert!(refused("other").contains("is too soon"));
    world.pass(60 * MINUTE);
    world.tool(&run, cron("1 * * * *", "other")).unwrap();
}

#[test]
fn an_agent_has_ten_tasks_at_most_and_one_of_the_same_name_is_replaced() {
    let (world, run) = at_work(Limits::default());
    for _ in 0..10 {
        world.tool(&run, every("1h")).unwrap();
    }
    let (message, hint) = told(world.tool(&run, every("1h")).unwrap_err());
    assert_eq!(message, "at most 10 tasks are allowed, and you have 10");
    assert!(hint.starts_with("cancel_task"), "{hint}");
    let again = asked(&json!({ "schedule_value": "2h", "name": "task-3" }));
    assert_eq!(world.tool(&run, again).unwrap().schedule.to_string(), "2h");
    world.tool(&run, TaskCancel { task: "task-5".to_owned() }).unwrap();
    assert_eq!(world.tool(&run, every("1h")).unwrap().name.as_str(), "task-5");
}

#[test]
fn a_task_that_goes_on_is_listed_however_many_were_completed_after_it() {
    let (world, run) = at_work(Limits::default());
    let kept = asked(&json!({ "schedule_value": "1h", "name": "kept" }));
    world.tool(&run, kept).unwrap();
    for _ in 0..31 {
        world.tool(&run, every("1h")).unwrap();
        world.tool(&run, TaskCancel { task: "task-1".to_owned() }).unwrap();
    }
    let tasks = world.tasks(&run);
    assert_eq!(tasks.len(), 30);
    assert_eq!(tasks[0], ("kept".to_owned(), ScheduleState::Active));
    assert!(tasks[1..].iter().all(|(_, state)| *state == ScheduleState::Completed));
}

#[test]
fn a_list_of_tasks_has_the_beginning_of_each_prompt() {
    let (world, run) = at_work(Limits::default());
    for count in [400, 401] {
        let long = asked(&json!({ "schedule_value": "1h", "prompt": "ü".repeat(count) }));
        world.tool(&run, long).unwrap();
    }
    let tasks = world.tool(&run, TaskList {}).unwrap().tasks;
    assert_eq!(tasks[0].prompt, "ü".repeat(400));
    assert_eq!(tasks[1].prompt, "ü".repeat(400) + "…");
}

#[test]
fn only_tasks_of_its_own_are_seen_and_changed_by_an_agent() {
    let (world, run) = at_work(Limits::default());
    let target = "alice@team".parse().unwrap();
    world.call("", ScheduleSet::usual(target, "1h".parse().unwrap())).unwrap();
    assert_eq!(world.tasks(&run), []);
    let (message, hint) =
        told(world.tool(&run, TaskPause { task: "main".to_owned() }).unwrap_err());
    assert_eq!(
        (message.as_str(), hint.as_str()),
        ("you have no task `main`", "schedule_task creates one")
    );
    let taken = asked(&json!({ "schedule_value": "1h", "name": "main" }));
    let (message, _) = told(world.tool(&run, taken).unwrap_err());
    assert_eq!(message, "a schedule `main` of yours already exists, from user");
    world.tool(&run, every("1h")).unwrap();
    world.call("@team", say("@bob your turn")).unwrap();
    let bob = world.claim();
    assert_eq!(world.tasks(&bob), []);
    world.tool(&bob, TaskCancel { task: "sched_2".to_owned() }).unwrap_err();
    assert_eq!(world.tasks(&run), [("task-1".to_owned(), ScheduleState::Active)]);
}

#[test]
fn a_task_is_paused_resumed_and_ended_by_its_name_or_its_id() {
    let (world, run) = at_work(Limits::default());
    world.tool(&run, every("1h")).unwrap();
    world.succeed(&run, "");
    let wake = |text: &str| {
        world.send(text);
        world.claim()
    };
    let run = wake("@alice pause");
    let paused = world.tool(&run, TaskPause { task: "task-1".to_owned() }).unwrap();
    assert_eq!((paused.state, paused.next_run), (ScheduleState::Paused, None));
    world.succeed(&run, "");
    world.pass(90 * MINUTE);
    assert!(world.due().is_none());
    let run = wake("@alice resume");
    let resumed = world.tool(&run, TaskResume { task: "sched_1".to_owned() }).unwrap();
    assert_eq!(resumed.state, ScheduleState::Active);
    let (_, hint) = told(world.tool(&run, TaskCancel { task: "task-2".to_owned() }).unwrap_err());
    assert_eq!(hint, "did you mean `task-1`?");
    let ended = world.tool(&run, TaskCancel { task: "task-1".to_owned() }).unwrap();
    assert_eq!(ended.state, ScheduleState::Completed);
    assert_eq!(world.tasks(&run), [("task-1".to_owned(), ScheduleState::Completed)]);
}

#[test]
fn a_task_that_the_user_paused_is_resumed_or_ended_by_the_user_alone() {
    let (world, run) = at_work(Limits::default());
    let daily = asked(&json!({ "schedule_value": "1h", "name": "daily" }));
    let (target, name) = (target("alice@team"), daily.name.clone());
    let pause = || world.tool(&run, TaskPause { task: "daily".to_owned() }).unwrap();
    let resume = || world.tool(&run, TaskResume { task: "daily".to_owned() });
    world.tool(&run, daily.clone()).unwrap();
    pause();
    world.call("", SchedulePause { target: target.clone(), name: name.clone() }).unwrap();
    pause();
    let (message, hint) = told(resume().unwrap_err());
    let known = "your task `daily` was paused by user, and only user can resume or end it";
    assert_eq!(message, known);
    assert_eq!(hint, "ask your user: agent-worker schedule alice@team resume daily");
    assert_eq!(told(world.tool(&run, daily).unwrap_err()).0, message, "nor is it replaced");
    let cancel = || world.tool(&run, TaskCancel { task: "daily".to_owned() });
    assert_eq!(told(cancel().unwrap_err()).0, message, "nor does it end");
    assert_eq!(world.tasks(&run), [("daily".to_owned(), ScheduleState::Paused)]);
    world.call("", ScheduleResume { target, name }).unwrap();
    assert_eq!(world.tasks(&run), [("daily".to_owned(), ScheduleState::Active)]);
    pause();
    assert_eq!(resume().unwrap().state, ScheduleState::Active);
    pause();
    assert_eq!(cancel().unwrap().state, ScheduleState::Completed);
}

#[test]
fn a_task_is_not_named_as_ids_are_written() {
    let (world, run) = at_work(Limits::default());
    let named = |name: &str| asked(&json!({ "schedule_value": "1h", "name": name }));
    let (message, hint) = told(world.tool(&run, named("sched_3")).unwrap_err());
    assert_eq!(message, "invalid `name`: `sched_3` is the form of an id");
    assert_eq!(hint, "give the task another `name`");
    world.tool(&run, named("sched_x")).unwrap();
}

#[test]
fn a_task_that_has_ended_is_said_to_have_ended() {
    let (world, run) = at_work(Limits::default());
    world.tool(&run, every("1h")).unwrap();
    world.tool(&run, TaskCancel { task: "task-1".to_owned() }).unwrap();
    world.tool(&run, asked(&json!({ "schedule_value": "1h", "name": "task-2" }))).unwrap();
    for task in ["task-1", "sched_1"] {
        let pause = TaskPause { task: task.to_owned() };
        let (message, hint) = told(world.tool(&run, pause).unwrap_err());
        assert_eq!(message, format!("your task `{task}` has ended"));
        assert_eq!(hint, "schedule_task makes a new one");
    }
}

#[test]
fn a_value_that_does_not_fit_its_type_is_refused_with_an_example() {
    let (world, run) = at_work(Limits::default());
    for (form, value, example) in [
        ("cron", "9", "`0 9 * * 1-5`"),
        ("interval", "soon", "`30m`, or milliseconds"),
        ("once", "tomorrow", "`2030-01-31T09:00`"),
    ] {
        let wrong = asked(&json!({ "schedule_type": form, "schedule_value": value }));
        let (message, hint) = told(world.tool(&run, wrong).unwrap_err());
        assert!(message.starts_with("invalid `schedule_value`: "), "{message}");
        assert!(hint.contains(example), "{hint}");
    }
    let past = asked(&json!({ "schedule_type": "once", "schedule_value": "2001-01-01T09:00" }));
    assert!(told(world.tool(&run, past).unwrap_err()).0.contains("is in the past"));
}

#[test]
fn the_names_of_other_programs_arguments_are_understood() {
    let (world, run) = at_work(Limits::default());
    let call = json!({
        "prompt": "go on", "scheduleType": "interval", "scheduleValue": "3600000",
        "contextMode": "main",
    });
    let call: ScheduleTask = serde_json::from_value(call).unwrap();
    assert_eq!(world.tool(&run, call).unwrap().schedule.to_string(), "1h");
}

/// A task's runs are as far from a person as the run that made it, and each due time begins anew.
#[test]
fn what_a_task_does_is_as_far_from_a_person_as_the_run_that_made_it() {
    let (world, run) = at_work(Limits::default());
    world.tool(&run, say("@bob plan it")).unwrap();
    let second = world.claim();
    world.tool(&second, every("1h")).unwrap();
    assert_eq!(world.claimed_hop(&second), 1);
    world.succeed(&run, "");
    world.succeed(&second, "");
    while let Some(reply) = world.try_claim() {
        world.succeed(&reply, "");
    }
    world.call("", ScheduleRun { target: "bob@team".parse().unwrap(), name: None }).unwrap();
    let due = world.claim();
    assert_eq!(world.claimed_hop(&due), 1);
}

impl World {
    fn claimed_hop(&self, claim: &Claim) -> i64 {
        let run = claim.run();
        self.daemon(move |cx| Ok(RunRow::by_id(cx.db, run)?.hop))
    }
}
