use agent_worker_protocol::{EventBody, Interval, RunId, RunState, Runs, Timestamp, Usage};

use crate::{
    model::{
        Tab,
        place::{Place, Subject},
        requests::{Reply, Request},
    },
    tests::{NOW, Story, review, run, story::workflow},
};

const HOUR: i64 = 3_600_000;

/// A run that is over: its model, how many hours ago it began, how long it lasted, its cost.
fn over(
    number: i64,
    target: &str,
    of: &str,
    (ago, hours): (i64, i64),
    cost: Option<f64>,
) -> agent_worker_protocol::Run {
    let mut run = run(number, target);
    (run.state, run.activity) = (RunState::Succeeded, None);
    run.started_at = Timestamp(NOW - ago * HOUR);
    run.ended_at = Some(Timestamp(NOW - (ago - hours) * HOUR));
    (run.model, run.cost) = (Some(of.to_owned()), cost);
    let (input, output) = (Some(2_000), Some(1_000));
    let (cache_read, cache_write) = (Some(4_000), Some(3_000));
    run.usage = Usage { input, output, cache_read, cache_write, reasoning: None };
    run
}

/// Four runs of three agents that are gone, of two models, on two days.
fn used() -> Story {
    let mut snapshot = crate::tests::snapshot();
    snapshot.runs.clear();
    for agent in &mut snapshot.agents {
        agent.run = None;
    }
    let mut story = Story::of(snapshot).sized(120, 40);
    story.open(Subject::All, Tab::Cost);
    let mut failed = over(4, "ann@review", "big", (2, 2), Some(1.0));
    failed.state = RunState::Failed;
    let runs = vec![
        failed,
        over(3, "ann@review", "small", (3, 1), Some(0.25)),
        over(2, "ben@review", "small", (4, 1), None),
        over(1, "cat@global", "big", (30, 1), Some(0.5)),
    ];
    story.answer(Request::Runs(None, None), Reply::Runs(Runs { runs, more: false }));
    story
}

fn group(story: &mut Story, by: &str) {
    story.press("F").type_in(by).press("enter");
}

fn lines(story: &Story) -> Vec<String> {
    let pane = story.main_pane();
    let lines = pane.lines().skip(3).take_while(|line| !line.trim().is_empty());
    lines
        .map(|line| line.trim_start_matches('❯').split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn the_key_that_groups_runs_is_named_as_it_is() {
    let mut story = used();
    story.app.model.settings.keymap.set("cost", "group", &["f8".to_owned()]).unwrap();
    assert!(story.screen().contains("; F8 groups by model"), "{}", story.screen());
}

#[test]
fn runs_are_summed_up_by_agent_model_workflow_and_day() {
    let mut story = used();
    assert_eq!(
        lines(&story),
        [
            "agent cost tokens per hour runs failed",
            "ann@review $1.25 20.0k $0.50 2 1",
            "cat $0.50 10.0k 1",
            "ben@review - 10.0k 1",
        ]
    );
    group(&mut story, "model");
    assert_eq!(lines(&story)[1..], ["big $1.50 20.0k $0.50 2 1", "small $0.25 20.0k 2"]);
    group(&mut story, "day");
    assert_eq!(
        lines(&story)[1..],
        ["2025-02-18 $1.25 30.0k $0.50 3 1", "2025-02-17 $0.50 10.0k 1"]
    );
}

#[test]
fn a_long_name_is_cut_once_and_in_its_middle() {
    let mut story = used().sized(80, 24);
    let of = "a-provider/a-model-with-a-long-name-20250218";
    let runs = vec![over(9, "ann@review", of, (2, 2), Some(5.0))];
    story.answer(Request::Runs(None, None), Reply::Runs(Runs { runs, more: false }));
    group(&mut story, "model");
    let lines = lines(&story);
    let name = lines[1].split_whitespace().next().unwrap();
    assert!(name.starts_with("a-") && name.ends_with("20250218"), "{lines:#?}");
    assert_eq!(name.matches('…').count(), 1, "{lines:#?}");
}

#[test]
fn the_rate_is_what_the_last_hour_took() {
    let story = used();
    // The run that lasted two hours took half of its dollar and of its tokens in the last of them.
    let pane = story.main_pane();
    assert!(
        pane.contains("now $0.50/h  5.0k tokens/h │ today $1.25  30.0k tokens  3 runs"),
        "{pane}"
    );
    let bars = pane.lines().nth(1).unwrap();
    assert!(bars.contains("██▄▄ tokens") || bars.contains("█"), "{bars}");
}

#[test]
fn limits_say_how_far_off_they_are_and_when_they_are_reached() {
    let mut story = used();
    let mut workflow = workflow("@review", &[]);
    (workflow.used.cost, workflow.used.tokens, workflow.used.runs) = (4.0, 1_000, 9);
    (workflow.used.duration_ms, workflow.used.running_since) = (HOUR, Some(Timestamp(NOW - HOUR)));
    workflow.limits.cost = Some(5.0);
    workflow.limits.duration = Some("8h".parse::<Interval>().unwrap());
    story.happens(EventBody::WorkflowChanged(Box::new(workflow)));
    group(&mut story, "workflow");
    let pane = story.main_pane();
    assert!(pane.contains("20 % of cost left"), "{pane}");
    assert!(
        pane.contains("cost   $4.00 of $5.00, 20 % left, reached in 2h 0m at this rate"),
        "{pane}"
    );
    assert!(
        pane.contains("time   2h 0m of 8h 0m, 75 % left, reached in 6h 0m at this rate"),
        "{pane}"
    );
    story.press("O").type_in("left").press("enter");
    assert!(story.screen().contains("by left down"), "{}", story.screen());
}

#[test]
fn enter_shows_the_agent_the_workflow_or_the_runs_of_a_model() {
    let mut story = used();
    group(&mut story, "model");
    story.press("enter");
    assert_eq!(story.app.model.place, Place::at(Subject::All, Tab::Runs));
    let (shown, _) = story.app.pane().lines(&story.app.model);
    assert_eq!(shown.len(), 2, "{shown:#?}");
    let mut story = used();
    group(&mut story, "workflow");
    story.press("&").type_in("name:review").press("enter").press("enter");
    assert_eq!(story.app.model.place, Place::at(Subject::Workflow(review()), Tab::Agents));
}

#[test]
fn the_runs_of_a_week_are_asked_for_page_by_page() {
    let mut story = used();
    story.press("R");
    assert!(story.asks().contains(&Request::Runs(None, None)), "{:?}", story.effects);
    let page = |from: i64, ago: i64| {
        let runs =
            (from..from + 50).rev().map(|number| over(number, "ann@review", "big", (ago, 1), None));
        Reply::Runs(Runs { runs: runs.collect(), more: true })
    };
    story.answer(Request::Runs(None, None), page(1_000, 5));
    let next = Request::Runs(None, Some(RunId::new(1_000)));
    assert_eq!(story.asks(), std::slice::from_ref(&next));
    story.answer(next, page(900, 8 * 24));
    assert_eq!(story.asks(), [], "a week is enough");
}
