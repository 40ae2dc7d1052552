use agent_worker_client::remote::ssh_line;
use agent_worker_protocol::{ByHand, Run, RunDetail, RunId, RunState, Timestamp};

use crate::{
    app::Msg,
    model::{
        Outside, Reach, RequestError,
        effects::Effect,
        place::{Subject, Tab},
        requests::{Reply, Request},
    },
    tests::{NOW, Story, review, run},
};

fn ended(backend: &str) -> Run {
    let ended_at = Some(Timestamp(NOW));
    let backend = Some(backend.to_owned());
    Run { state: RunState::Succeeded, ended_at, backend, ..run(8, "reviewer@review") }
}

fn detail(run: Run, by_hand: Option<ByHand>) -> Reply {
    let cwd = Some("/srv/work".to_owned());
    let (mail, result, stderr, pid) = (Vec::new(), None, None, None);
    Reply::Run(Box::new(RunDetail { run, mail, result, stderr, cwd, pid, by_hand }))
}

fn codex() -> ByHand {
    let args = ["resume", "0a-1"].map(str::to_owned).into();
    let (env, declared) = Default::default();
    ByHand { program: "codex".to_owned(), args, env, declared }
}

fn attach() -> Request {
    Request::Attach(RunId::new(8))
}

/// The reviewer's run has ended, and one of these shows it.
fn places() -> Vec<Story> {
    let reviewer = || Subject::Agent("reviewer@review".parse().unwrap());
    let places = [
        (reviewer(), Tab::Run),
        (reviewer(), Tab::History),
        (Subject::All, Tab::Runs),
        (Subject::Workflow(review()), Tab::Agents),
    ];
    let places = places.into_iter().map(|(subject, tab)| {
        let mut story = Story::review();
        story.runs(&ended("codex")).open(subject, tab);
        if tab == Tab::Agents {
            story.press("j");
        }
        story
    });
    places.collect()
}

#[test]
fn the_terminal_is_handed_to_the_program_of_a_run_and_comes_back() {
    for mut story in places() {
        assert_eq!(story.press("A").asks(), [attach()], "{}", story.screen());
        story.answer(attach(), detail(ended("codex"), Some(codex())));
        let cwd = Some("/srv/work".to_owned());
        let outside = Outside::Program { run: RunId::new(8), by_hand: codex(), cwd };
        assert_eq!(story.effects, [Effect::Outside(outside.clone())]);
        story.tell(Msg::Outside(outside, Ok(String::new())));
        assert!(story.screen().contains("back from codex"), "{}", story.screen());
    }
}

#[test]
fn without_a_program_or_a_session_the_reason_and_a_command_are_told() {
    for (backend, why) in [
        ("codex", "the run has no session, or it was removed with the agent"),
        ("opencode", "the run has no session, or its `provider:` cannot be passed on"),
        ("default", "backend `default` runs no agent program"),
    ] {
        let mut story = places().remove(0).sized(140, 30);
        story.press("A").answer(attach(), detail(ended(backend), None));
        assert_eq!(story.effects, []);
        let told = format!("cannot attach to run_8: {why}; agent-worker logs run_8 shows it");
        assert!(story.screen().contains(&told), "{}", story.screen());
    }
}

#[test]
fn the_command_for_a_run_of_another_machine_is_shown_and_copied_whole() {
    let mut story = places().remove(0);
    story.app.model.connection.is_remote = true;
    story.app.model.connection.host = "me@box".to_owned();
    assert_eq!(story.press("A").asks(), []);
    assert!(story.overlay().contains("its program is on me@box"), "{}", story.overlay());
    story.press("y");
    let line = ssh_line("me@box", "agent-worker resume-in-terminal run_8 --exec");
    assert!(story.effects.contains(&Effect::Copy(line)), "{:?}", story.effects);
}

#[test]
fn the_command_for_the_log_of_another_machine_is_shown_and_copied_whole() {
    let mut story = Story::blank();
    story.app.model.connection.is_remote = true;
    story.app.model.connection.host = "me@box".to_owned();
    let looked_at = "me@box".to_owned();
    story.tell(Msg::Reach(Reach::Nobody { looked_at, problem: None, is_starting: false }, None));
    story.press("L");
    assert!(story.screen().contains("it is on me@box"), "{}", story.screen());
    story.press("y");
    let line = ssh_line("me@box", "agent-worker daemon logs");
    assert!(story.effects.contains(&Effect::Copy(line)), "{:?}", story.effects);
}

#[test]
fn a_run_in_progress_is_left_alone() {
    let mut story = Story::review().sized(120, 30);
    let reviewer = Subject::Agent("reviewer@review".parse().unwrap());
    story.open(reviewer, Tab::Run);
    assert_eq!(story.press("A").asks(), []);
    let told = "cannot attach to run_8: it is in progress; x stops reviewer@review";
    assert!(story.screen().contains(told), "{}", story.screen());
    story.runs(&ended("codex")).press("A");
    story.answer(attach(), detail(run(8, "reviewer@review"), Some(codex())));
    assert!(story.effects.is_empty() && story.screen().contains(told), "{}", story.screen());
}

#[test]
fn a_session_that_a_later_run_uses_is_left_alone() {
    let cwd = Some("/srv/work".to_owned());
    let (live, earlier) = (RunId::new(9), RunId::new(8));
    let mut story = places().remove(0).sized(120, 30);
    story.runs(&run(9, "reviewer@review"));
    let beside = Request::Beside { live, run: earlier, by_hand: codex(), cwd: cwd.clone() };
    let program = Outside::Program { run: earlier, by_hand: codex(), cwd };
    story.answer(attach(), detail(ended("codex"), Some(codex())));
    assert_eq!(story.asks(), std::slice::from_ref(&beside));
    let live = || run(9, "reviewer@review");
    story.answer(beside.clone(), detail(live(), Some(codex())));
    let told = "cannot attach to run_8: run_9 uses its session; x stops reviewer@review";
    assert!(story.effects.is_empty() && story.screen().contains(told), "{}", story.screen());
    // Another session, or a run that has ended meanwhile, is not in the way.
    let over = Run { id: RunId::new(9), ..ended("codex") };
    for other in [detail(live(), None), detail(over, Some(codex()))] {
        story.answer(beside.clone(), other);
        assert_eq!(story.effects, [Effect::Outside(program.clone())]);
    }
}

#[test]
fn what_only_looks_attaches_to_nothing_and_a_refusal_is_shown() {
    let mut story = places().remove(0);
    story.press("A");
    let problem = RequestError::offline();
    story.tell(Msg::Answer(Box::new(attach()), Err(problem)));
    assert!(story.overlay().contains("attach to run_8"), "{}", story.overlay());
    story.press("esc").app.model.settings.read_only = true;
    assert_eq!(story.press("A").asks(), []);
}
