//! All runs of an agent in one scroll.

use agent_worker_protocol::{BlockKind, OutputEvent, Run, RunId, RunState, Runs, Timestamp};

use crate::{
    app::Msg,
    model::{
        Focus,
        effects::Effect,
        requests::{Reply, Request},
    },
    tests::{NOW, Story, block, run, snapshot},
};

/// What a run was told and said: the first call of each is never answered.
fn said(number: i64) -> Vec<OutputEvent> {
    let mut events = block(0, BlockKind::Prompt, "", "a message", -9_000, -9_000);
    let call = format!(r#"{{"of":{number}}}"#);
    events.extend(block(1, BlockKind::ToolCall, "channel_read", &call, -8_000, -8_000));
    events.extend(block(2, BlockKind::Text, "", &format!("word {number}"), -7_000, -7_000));
    events
}

fn over(state: RunState) -> OutputEvent {
    OutputEvent::End { state, error: None }
}

fn older(number: i64) -> Run {
    let (state, ended_at) = (RunState::Succeeded, Some(Timestamp(NOW)));
    Run { state, ended_at, ..run(number, "reviewer@review") }
}

/// The reviewer, whose eighth run goes on.
fn reviewer() -> Story {
    let mut picture = snapshot();
    picture.runs.extend((4..8).map(older));
    picture.runs.sort_by_key(|run| std::cmp::Reverse(run.id));
    let mut story = Story::of(picture).sized(120, 60);
    story.select_agent("reviewer@review");
    story.app.model.selection.focus = Focus::Main;
    story.output(8, said(8));
    story
}

fn is_followed(story: &Story, runs: std::ops::RangeInclusive<i64>) -> bool {
    runs.map(RunId::new).all(|run| story.effects.contains(&Effect::Follow(run)))
}

fn places(screen: &str, what: impl Fn(i64) -> String, runs: &[i64]) -> Vec<Option<usize>> {
    runs.iter().map(|number| screen.find(&what(*number))).collect()
}

#[test]
fn all_runs_of_an_agent_are_one_scroll_each_below_its_own_line() {
    let mut story = reviewer();
    story.press("=");
    assert!(is_followed(&story, 4..=8), "{:?}", story.effects);
    // They are told in whatever order their streams have.
    for number in [6, 8, 4, 7, 5] {
        story.output(number, said(number));
        if number != 8 {
            story.output(number, vec![over(RunState::Succeeded)]);
        }
    }
    let screen = story.screen();
    let heads = places(&screen, |number| format!("  run_{number} "), &[4, 5, 6, 7]);
    let words = places(&screen, |number| format!("word {number}"), &[4, 5, 6, 7, 8]);
    assert!(words.iter().all(Option::is_some) && words.is_sorted(), "{screen}");
    assert!(heads.iter().zip(&words).all(|(head, word)| head < word), "{screen}");
    assert!(heads[1..].iter().zip(&words).all(|(head, word)| head > word), "{screen}");
    assert_eq!(screen.matches("tool 1").count(), 5, "each run counts its own: {screen}");
    assert_eq!(screen.matches("no answer").count(), 4, "only the last goes on: {screen}");

    let asked = Request::Runs(Some("reviewer@review".parse().unwrap()), Some(RunId::new(4)));
    let page = Runs { runs: (1..4).rev().map(older).collect(), more: false };
    story.tell(Msg::Answer(Box::new(asked), Ok(Reply::Runs(page))));
    story.press("g");
    assert!(is_followed(&story, 1..=3), "{:?}", story.effects);
    for number in 1..=3 {
        story.output(number, said(number)).output(number, vec![over(RunState::Failed)]);
    }
    let screen = story.screen();
    assert!(screen.contains("word 8") && screen.contains("word 2"), "it follows: {screen}");
    story.press("g");
    assert!(story.screen().contains("word 1"), "{}", story.screen());
    story.press("=");
    assert!(!story.screen().contains("word 7") && story.screen().contains("word 8"));
}
