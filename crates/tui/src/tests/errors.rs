//! What is said when something fails: what it was, what became of it, and a key that goes on.

use agent_worker_protocol::{Conversation, ErrorCode, MessageId, RunId, Target};

use super::story::{Story, review};
use crate::{
    app::Msg,
    model::{
        acts::Act,
        known::talks::Side,
        place::{Subject, Tab},
        requests::{LogPage, Request, RequestError},
    },
};

const NOT_LOADED: &str = "not loaded: its workflow is stopped; R loads it again";

fn refused() -> RequestError {
    RequestError {
        code: Some(ErrorCode::Conflict),
        message: "its workflow is stopped".to_owned(),
        hint: Some("agent-worker resume @review".to_owned()),
        is_unsure: false,
    }
}

fn unsure() -> RequestError {
    RequestError {
        code: None,
        message: "no daemon answers at http://127.0.0.1:1".to_owned(),
        hint: None,
        is_unsure: true,
    }
}

fn acts() -> Vec<Act> {
    let coder: Target = "coder@review".parse().unwrap();
    vec![
        Act::Stop(vec![coder.clone()]),
        Act::Kill(coder.clone()),
        Act::Resume(coder.clone()),
        Act::Wake(vec![coder.clone()]),
        Act::Remove(coder.clone()),
        Act::StopWorkflow(review()),
        Act::ResumeWorkflow(review()),
        Act::RetryRun(RunId::new(8)),
        Act::RetryMail(coder.clone()),
        Act::RetryMessage(MessageId::new(3)),
        Act::Release(coder),
        Act::ReleaseMessage(MessageId::new(3)),
        Act::Drop(MessageId::new(3)),
    ]
}

/// Everything that changes something, and what it is called where it fails.
fn changes() -> Vec<(Request, String)> {
    let mut all: Vec<_> = acts()
        .into_iter()
        .map(|act| {
            let name = format!("{} {}", act.verb(), act.object());
            (Request::Act(act), name)
        })
        .collect();
    let start = Request::Start { path: "review.yaml".to_owned(), tag: None, params: Vec::new() };
    let new = Request::New { scope: review(), name: "alice".to_owned(), model: None };
    let (scope, file, text) = (review(), "notes.md".to_owned(), "text".to_owned());
    let save = Request::Save { scope, file, text, version: 3 };
    all.extend([
        (start, "start".to_owned()),
        (new, "create alice".to_owned()),
        (save, "save notes.md".to_owned()),
    ]);
    all
}

fn failed(request: &Request, trouble: RequestError) -> String {
    let mut story = Story::review();
    story.open_channel();
    story.tell(Msg::Answer(Box::new(request.clone()), Err(trouble)));
    let screen = story.screen();
    assert_eq!(story.press("esc").asks(), [], "what failed is not done by itself");
    screen
}

#[test]
fn h_3_every_refusal_says_what_failed_what_was_not_changed_and_a_key() {
    for (request, name) in changes() {
        let screen = failed(&request, refused());
        for words in [
            &format!("{name}: refused"),
            "its workflow is stopped",
            "what would help: agent-worker resume @review",
            "Nothing was changed.",
            "Esc close",
        ] {
            assert!(screen.contains(words), "{words}:\n{screen}");
        }
    }
}

#[test]
fn h_3_what_was_refused_is_not_said_to_begin() {
    let mut story = Story::review();
    let asked = story.press("s").type_in("news.yaml").press("enter").asks();
    assert!(story.screen().contains("starting the workflow"), "{}", story.screen());
    let start = asked.into_iter().find(|ask| matches!(ask, Request::Start { .. })).unwrap();
    story.tell(Msg::Answer(Box::new(start), Err(refused())));
    let screen = story.screen();
    assert!(screen.contains("start: refused"), "{screen}");
    assert!(!screen.contains("starting the workflow"), "{screen}");
}

#[test]
fn h_3_what_may_have_been_done_is_not_called_undone() {
    for (request, name) in changes() {
        let screen = failed(&request, unsure());
        for words in
            [&format!("{name}: no answer"), "It may have been done: check the screen.", "Esc close"]
        {
            assert!(screen.contains(words), "{words}:\n{screen}");
        }
        assert!(!screen.contains("Nothing was changed"), "{screen}");
    }
}

#[test]
fn h_3_what_was_done_in_part_is_not_called_undone() {
    let acts = [3, 4, 5].map(|id| Act::Drop(MessageId::new(id))).to_vec();
    let message = "2 of 3 done: msg_4 is done".to_owned();
    let trouble = RequestError { message, is_unsure: true, ..refused() };
    let screen = failed(&Request::Act(Act::Each(acts)), trouble);
    assert!(screen.contains("refused in part") && screen.contains("2 of 3 done"), "{screen}");
    assert!(!screen.contains("Nothing was changed"), "{screen}");
}

#[test]
fn h_3_what_could_not_be_loaded_is_named_with_the_key_that_loads_it() {
    let agent: Target = "coder@review".parse().unwrap();
    for request in [
        Request::Page(review(), Conversation::Channel, Side::Newest, 0),
        Request::Agent(agent),
        Request::Log(None, LogPage::Newest),
        Request::Document(review(), "notes.md".to_owned(), None),
    ] {
        let screen = failed(&request, refused());
        assert!(screen.contains(NOT_LOADED), "{request:?}:\n{screen}");
    }
}

#[test]
fn h_3_that_mail_and_runs_could_not_be_loaded_is_told_where_they_are_shown() {
    let coder: Target = "coder@review".parse().unwrap();
    let of = |name: &str| Subject::Agent(name.parse().unwrap());
    let mail = Request::Inbox(coder.clone());
    let queue = Request::Queue(coder.clone());
    let (own, all) = (Request::Runs(Some(coder), None), Request::Runs(None, None));
    for (request, subject, tab, is_told) in [
        (&mail, of("coder@review"), Tab::Inbox, true),
        (&mail, of("coder@review"), Tab::Queue, true),
        (&mail, of("tester@review"), Tab::Inbox, false),
        (&mail, of("coder@review"), Tab::Run, false),
        (&queue, of("coder@review"), Tab::Queue, true),
        (&queue, Subject::Workflow(review()), Tab::Channel, false),
        (&own, of("coder@review"), Tab::History, true),
        (&own, of("coder@review"), Tab::Run, true),
        (&own, of("tester@review"), Tab::History, false),
        (&own, of("coder@review"), Tab::Inbox, false),
        (&own, Subject::All, Tab::Runs, false),
        (&all, Subject::All, Tab::Runs, true),
        (&all, Subject::All, Tab::Cost, true),
        (&all, Subject::All, Tab::Events, false),
    ] {
        let mut story = Story::review();
        story.open(subject.clone(), tab);
        story.tell(Msg::Answer(Box::new(request.clone()), Err(refused())));
        let screen = story.screen();
        assert_eq!(
            screen.contains(NOT_LOADED),
            is_told,
            "{request:?} {subject:?} {tab:?}\n{screen}"
        );
    }
}
