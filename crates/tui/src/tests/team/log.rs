//! The feed's log.

use agent_worker_protocol::{Document, EventBody, EventPage, LoggedEvent, RunId, Scope, Timestamp};

use super::{at, papers, people, pr, said, work};

/// Number of the last event.
pub const LAST: i64 = 88_213;

/// What has happened, the newest last.
fn events() -> Vec<(Timestamp, String, String, EventBody)> {
    let notes = |version, author: &str, clock: &str| {
        let document = papers::documents().into_iter().find(|paper| paper.file == "notes.md");
        let document = document.unwrap();
        let (author, updated_at) = (author.parse().unwrap(), at(clock));
        EventBody::DocumentChanged(Document { version, author, updated_at, ..document })
    };
    let run = |number| {
        let run = work::runs().into_iter().find(|run| run.id == RunId::new(number)).unwrap();
        EventBody::RunChanged(Box::new(run))
    };
    let sent = |seq: i64| {
        let message = said::channel_of_pr().into_iter().find(|message| message.seq == seq);
        EventBody::MessageSent { message: Box::new(message.unwrap()), deliveries: Vec::new() }
    };
    let agent = |name: &str| {
        let agent = people::agents()
            .into_iter()
            .find(|agent| agent.scope == pr() && agent.name.as_str() == name);
        EventBody::AgentChanged(Box::new(agent.unwrap()))
    };
    let happened = |clock: &str, actor: &str, subject: &str, body| {
        (at(clock), actor.to_owned(), subject.to_owned(), body)
    };
    vec![
        happened("13:58:04", "user", "msg_4404", sent(4_404)),
        happened("13:59:02", "reviewer", "notes.md", notes(12, "reviewer", "13:59:02")),
        happened("14:00:20", "daemon", "run_838", run(838)),
        happened("14:01:44", "user", "msg_4410", sent(4_410)),
        happened("14:02:12", "editor", "notes.md", notes(13, "editor", "14:02:12")),
        happened("14:03:10", "daemon", "run_839", run(839)),
        happened("14:03:30", "coder", "msg_4414", sent(4_414)),
        happened("14:04:01", "coder", "notes.md", notes(14, "coder", "14:04:01")),
        happened("14:04:10", "scout", "scout@review:pr-123", agent("scout")),
        happened("14:04:50", "tester", "msg_4415", sent(4_415)),
        happened("14:05:00", "daemon", "run_842", run(842)),
        happened("14:05:40", "reviewer", "msg_4416", sent(4_416)),
        happened("14:05:58", "tester", "msg_4417", sent(4_417)),
        happened("14:06:02", "daemon", "run_841", run(841)),
        happened("14:06:02", "daemon", "coder@review:pr-123", agent("coder")),
    ]
}

/// The newest page.
pub fn page(scope: Option<&Scope>) -> EventPage {
    let events = events();
    let first = LAST + 1 - i64::try_from(events.len()).unwrap();
    let logged = |(seq, (at, actor, subject, body)): (i64, (_, _, _, EventBody))| LoggedEvent {
        seq,
        scope: pr(),
        kind: body.kind().to_owned(),
        subject,
        run: match &body {
            EventBody::RunChanged(run) => Some(run.id),
            _ => None,
        },
        actor,
        at,
        body: serde_json::to_value(&body).unwrap()["body"].clone(),
    };
    let events: Vec<LoggedEvent> = (first..)
        .zip(events)
        .map(logged)
        .filter(|event| scope.is_none_or(|scope| event.scope == *scope))
        .collect();
    EventPage { events, more: false, next: None, epoch: "e".to_owned(), oldest: 1, newest: LAST }
}
