use std::{
    io::ErrorKind,
    sync::{Arc, Mutex},
};

use agent_worker_protocol::{Ask, EventBody, RunId, Status};
use serde_json::json;
use tokio::time::Instant;

use super::*;
use crate::{
    AskStream, RunOutput,
    tests::fake::{self, Fake},
    tests::script::{Part, Reply, Script, broken_after, client, event, length, within},
};

fn hello(epoch: &str, seq: i64) -> Part {
    event("hello", "", &json!({ "epoch": epoch, "seq": seq, "version": "0.1.0" }))
}

fn beat(seq: i64) -> Part {
    event("heartbeat", "", &json!({ "seq": seq, "at": 5 }))
}

fn removed(epoch: &str, seq: i64) -> Part {
    let body = json!({
        "seq": seq, "kind": "workflow.removed", "scope": "@global", "run": null,
        "actor": "daemon", "at": 5, "body": { "scope": "@review" }
    });
    event("workflow.removed", &format!("{epoch}-{seq}"), &body)
}

fn feed(script: &Script, after: Option<&str>) -> Feed {
    let after = after.map(|text| text.parse().unwrap());
    let mut feed = Feed::follow(&client(), FeedFilter::default(), after);
    feed.link.dial = script.dial();
    feed
}

fn word(item: &FeedItem) -> String {
    match item {
        FeedItem::Connected => "connected".to_owned(),
        FeedItem::Hello(hello) => format!("hello {}", hello.seq),
        FeedItem::Event(event) => format!("event {}", event.seq),
        FeedItem::Unknown { seq } => format!("unknown {seq}"),
        FeedItem::Heartbeat(heartbeat) => format!("beat {}", heartbeat.seq),
        FeedItem::Reset(reset) => format!("reset {}", reset.seq),
        FeedItem::Disconnected { .. } => "disconnected".to_owned(),
    }
}

/// The next items in words.
async fn next(feed: &mut Feed, count: usize) -> Vec<String> {
    let mut words = Vec::new();
    for _ in 0..count {
        match within(feed.next()).await {
            Some(Ok(item)) => words.push(word(&item)),
            Some(Err(error)) => words.push(format!("error: {error}")),
            None => words.push("none".to_owned()),
        }
    }
    words
}

#[tokio::test(start_paused = true)]
async fn a_cut_in_the_middle_of_an_event_loses_nothing_and_doubles_nothing() {
    let half = Part::Text("id: e-13\nevent: workflow.removed\ndata: {\"seq\": 13, \"ki".to_owned());
    let script = Script::new(vec![
        Reply::Stream(vec![hello("e", 10), removed("e", 11), removed("e", 12), half, Part::Broken]),
        Reply::Stream(vec![hello("e", 12), removed("e", 12), removed("e", 13), Part::Silence]),
    ]);
    let mut feed = feed(&script, Some("e-10"));
    assert_eq!(
        next(&mut feed, 5).await,
        ["connected", "hello 10", "event 11", "event 12", "disconnected"]
    );
    assert_eq!(next(&mut feed, 3).await, ["connected", "hello 12", "event 13"]);
    assert_eq!(feed.cursor().unwrap().to_string(), "e-13");
    let ids: Vec<_> =
        script.dialled().iter().map(|d| d.header("last-event-id").unwrap().to_owned()).collect();
    assert_eq!(ids, ["e-10", "e-12"]);
    let first = &script.dialled()[0];
    assert_eq!(first.header("authorization"), Some("Bearer secret"));
    assert_eq!(first.header("agent-worker-api"), Some("1.0"));
    assert_eq!(first.uri, "http://127.0.0.1:1/events");
}

#[tokio::test(start_paused = true)]
async fn a_cut_after_any_byte_loses_nothing_and_doubles_nothing() {
    let news = || [hello("e", 10), removed("e", 11), beat(11), removed("e", 12), removed("e", 13)];
    let place = [10, 10, 11, 11, 12, 13];
    for bytes in 0..=length(&news()) {
        let (cut, whole) = broken_after(&news(), bytes);
        let last = place[whole];
        let rest = (last + 1..=14).map(|seq| removed("e", seq));
        let rest = std::iter::once(hello("e", last)).chain(rest).collect();
        let script = Script::new(vec![cut, Reply::Stream(rest)]);
        let mut feed = feed(&script, Some("e-10"));
        let mut seqs = Vec::new();
        while seqs.last() != Some(&14) {
            if let FeedItem::Event(event) = within(feed.next()).await.unwrap().unwrap() {
                seqs.push(event.seq);
            }
        }
        assert_eq!(seqs, [11, 12, 13, 14], "after {bytes} bytes");
        let asked = script.dialled()[1].header("last-event-id").map(ToOwned::to_owned);
        assert_eq!(asked, Some(format!("e-{last}")), "after {bytes} bytes");
    }
}

#[tokio::test(start_paused = true)]
async fn a_feed_from_now_on_goes_on_from_its_greeting() {
    let script = Script::new(vec![
        Reply::Stream(vec![hello("e", 40)]),
        Reply::Stream(vec![hello("e", 40), removed("e", 41), Part::Silence]),
    ]);
    let mut feed = feed(&script, None);
    assert_eq!(next(&mut feed, 3).await, ["connected", "hello 40", "disconnected"]);
    assert_eq!(next(&mut feed, 3).await, ["connected", "hello 40", "event 41"]);
    assert_eq!(script.dialled()[0].header("last-event-id"), None);
    assert_eq!(script.dialled()[1].header("last-event-id"), Some("e-40"));
}

#[tokio::test(start_paused = true)]
async fn a_feed_that_is_hurried_does_not_wait_for_its_next_connection() {
    let lost = (0..6).map(|_| Reply::Refused);
    let script = Script::new(lost.chain([Reply::Stream(vec![hello("e", 1)])]).collect());
    let mut feed = feed(&script, None);
    assert_eq!(next(&mut feed, 6).await, ["disconnected"; 6]);
    let waiting = tokio::time::timeout(Duration::from_secs(1), feed.next()).await;
    assert!(waiting.is_err(), "it waits for much longer by now");
    let at = Instant::now();
    feed.try_now();
    assert_eq!(next(&mut feed, 2).await, ["connected", "hello 1"]);
    assert_eq!(Instant::now(), at);
    feed.try_now();
    assert_eq!(next(&mut feed, 1).await, ["disconnected"], "it changes nothing where open");
}

#[tokio::test(start_paused = true)]
async fn a_bare_place_is_asked_for_in_the_query_and_gets_its_epoch() {
    let script = Script::new(vec![Reply::Stream(vec![hello("e", 40), removed("e", 18)])]);
    let mut feed = feed(&script, Some("17"));
    assert_eq!(next(&mut feed, 3).await, ["connected", "hello 40", "event 18"]);
    assert_eq!(script.dialled()[0].uri, "http://127.0.0.1:1/events?after=17");
    assert_eq!(script.dialled()[0].header("last-event-id"), None);
    assert_eq!(feed.cursor().unwrap().to_string(), "e-18");
}

#[tokio::test(start_paused = true)]
async fn a_reset_moves_the_place_to_another_epoch() {
    let reset = event("reset", "", &json!({ "epoch": "f", "seq": 3, "reason": "another epoch" }));
    let script = Script::new(vec![
        Reply::Stream(vec![hello("f", 3), reset, removed("f", 4)]),
        Reply::Stream(vec![hello("f", 4), Part::Silence]),
    ]);
    let mut feed = feed(&script, Some("e-900"));
    let items = next(&mut feed, 7).await;
    let wanted =
        ["connected", "hello 3", "reset 3", "event 4", "disconnected", "connected", "hello 4"];
    assert_eq!(items, wanted);
    assert_eq!(script.dialled()[1].header("last-event-id"), Some("f-4"));
}

#[tokio::test(start_paused = true)]
async fn silence_is_a_cut_and_a_heartbeat_is_not_silence() {
    let wait = || Part::Wait(Duration::from_secs(24));
    let script = Script::new(vec![
        Reply::Stream(vec![hello("e", 1), wait(), beat(1), wait(), beat(1), Part::Silence]),
        Reply::Stream(vec![hello("e", 1), Part::Silence]),
    ]);
    let mut feed = feed(&script, None);
    let began = Instant::now();
    let mut words = Vec::new();
    while words.last().is_none_or(|last| last != "disconnected") {
        words.push(word(&feed.next().await.unwrap().unwrap()));
    }
    assert_eq!(words, ["connected", "hello 1", "beat 1", "beat 1", "disconnected"]);
    assert_eq!(began.elapsed().as_secs(), 24 + 24 + 25);

    feed.link.patience = Patience::Always(silence(Duration::from_secs(2)));
    assert_eq!(next(&mut feed, 2).await, ["connected", "hello 1"]);
    let began = Instant::now();
    match feed.next().await {
        Some(Ok(FeedItem::Disconnected { error: ClientError::Unreachable { source, .. } })) => {
            assert_eq!(source.kind(), ErrorKind::TimedOut);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(began.elapsed().as_secs(), 5);
}

#[test]
fn the_silence_of_a_stopped_daemon_is_told_with_what_helps() {
    use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
    let mut daemon = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let pid = Pid::from_child(&daemon);
    let client = Client::new(endpoint()).of_process(daemon.id());
    let mut feed = Feed::follow(&client, FeedFilter::default(), None);
    let mut silent = || {
        let error = ClientError::unreachable("it", &std::io::Error::from(ErrorKind::TimedOut));
        matches!(feed.lost(error), FeedItem::Disconnected { error }
            if error.hint().is_some_and(|hint| hint.contains("kill -CONT")))
    };
    assert!(!silent(), "it may be slow");
    kill_process(pid, Signal::STOP).unwrap();
    waitpid(Some(pid), WaitOptions::UNTRACED).unwrap();
    assert!(silent());
    daemon.kill().unwrap();
    daemon.wait().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_is_never_answered_is_a_cut() {
    let script = Script::new(vec![]);
    let mut feed = feed(&script, None);
    let began = Instant::now();
    assert_eq!(next(&mut feed, 1).await, ["disconnected"]);
    assert_eq!(began.elapsed().as_secs(), 15);
}

#[tokio::test(start_paused = true)]
async fn what_will_not_change_is_final() {
    let body = r#"{"error":{"code":"unauthorized","message":"invalid token","hint":null}}"#;
    for (reply, said) in [
        (Reply::Status(401, body), "error: invalid token"),
        (
            Reply::Status(403, "no"),
            "error: the answer to `GET /events` is invalid: status 403, `no`",
        ),
        (
            Reply::Page("hi"),
            "error: the answer to `GET /events` is invalid: it is `text/html`, not a stream of events",
        ),
    ] {
        let script = Script::new(vec![reply]);
        assert_eq!(next(&mut feed(&script, None), 3).await, [said, "none", "none"]);
        assert_eq!(script.dialled().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn the_daemons_own_trouble_passes() {
    let body = r#"{"error":{"code":"shutting_down","message":"bye","hint":null}}"#;
    let script = Script::new(vec![
        Reply::Status(503, body),
        Reply::Status(500, ""),
        Reply::Refused,
        Reply::Stream(vec![hello("e", 1), Part::Silence]),
    ]);
    let items = next(&mut feed(&script, None), 5).await;
    assert_eq!(items, ["disconnected", "disconnected", "disconnected", "connected", "hello 1"]);
}

#[tokio::test(start_paused = true)]
async fn delays_grow_and_a_good_connection_ends_that() {
    let mut replies: Vec<_> = (0..8).map(|_| Reply::Refused).collect();
    replies.push(Reply::Stream(vec![hello("e", 1)]));
    replies.push(Reply::Refused);
    let script = Script::new(replies);
    let mut feed = feed(&script, None);
    for _ in 0..12 {
        feed.next().await.unwrap().unwrap();
    }
    let dialled = script.dialled();
    let gaps: Vec<_> = dialled.windows(2).map(|two| two[1].at - two[0].at).collect();
    for (gap, ms) in gaps.iter().zip([250, 500, 1000, 2000, 4000, 8000, 8000, 8000, 250]) {
        let wanted =
            Duration::from_millis(ms).mul_f64(0.8)..Duration::from_millis(ms + 2).mul_f64(1.2);
        assert!(wanted.contains(gap), "{gaps:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn listening_in_turns_with_something_else_changes_no_delay() {
    let script = Script::new((0..8).map(|_| Reply::Refused).collect());
    let mut feed = feed(&script, None);
    let mut cuts = 0;
    let began = Instant::now();
    while cuts < 4 {
        tokio::select! {
            item = feed.next() => cuts += usize::from(item.is_some()),
            () = tokio::time::sleep(Duration::from_millis(10)) => {}
        }
        assert!(began.elapsed() < Duration::from_secs(5));
    }
    assert!(began.elapsed() >= Duration::from_millis(1400));
}

#[tokio::test(start_paused = true)]
async fn a_daemon_that_moved_is_found_and_one_that_is_gone_is_not_asked() {
    let script = Script::new(vec![
        Reply::Stream(vec![hello("e", 1)]),
        Reply::Stream(vec![hello("e", 1), Part::Silence]),
    ]);
    let gone = io_error();
    let answers = Arc::new(Mutex::new(vec![
        Ok(Endpoint { base: "http://127.0.0.1:2".to_owned(), token: "new".to_owned() }),
        Err(gone),
    ]));
    let asked = Arc::clone(&answers);
    let mut feed = feed(&script, None).relocate(move || {
        let answer = asked.lock().unwrap().pop().unwrap();
        async { answer }
    });
    assert_eq!(next(&mut feed, 3).await, ["connected", "hello 1", "disconnected"]);
    assert_eq!(next(&mut feed, 1).await, ["disconnected"]);
    assert_eq!(script.dialled().len(), 1);
    assert_eq!(next(&mut feed, 2).await, ["connected", "hello 1"]);
    let second = &script.dialled()[1];
    assert_eq!(second.uri, "http://127.0.0.1:2/events");
    assert_eq!(second.header("authorization"), Some("Bearer new"));
}

#[tokio::test(start_paused = true)]
async fn a_feed_comes_back_as_soon_as_the_daemon_says_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("daemon.json");
    let closed = || Reply::Stream(vec![hello("e", 1)]);
    let script = Script::new((0..5).map(|_| closed()).collect());
    let is_there = file.clone();
    let mut feed = feed(&script, None).watch(Some(file.clone())).relocate(move || {
        let found = is_there.exists();
        async move { if found { Ok(endpoint()) } else { Err(io_error()) } }
    });
    next(&mut feed, 3).await;
    // By now it waits for many seconds.
    next(&mut feed, 5).await;
    assert!(feed.connects_in().unwrap() > Duration::from_secs(5));
    std::fs::write(&file, "{}").unwrap();
    let begun = Instant::now();
    assert_eq!(next(&mut feed, 2).await, ["connected", "hello 1"]);
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
}

fn endpoint() -> Endpoint {
    Endpoint { base: "http://127.0.0.1:2".to_owned(), token: "new".to_owned() }
}

fn io_error() -> ClientError {
    let source = std::io::Error::from(ErrorKind::NotFound);
    ClientError::Unreachable { base: "nowhere".to_owned(), source }
}

#[tokio::test(start_paused = true)]
async fn a_filter_is_in_the_query() {
    let script = Script::new(vec![Reply::Stream(vec![hello("e", 1), Part::Silence])]);
    let filter = FeedFilter {
        scope: Some("@review:pr-1".parse().unwrap()),
        kinds: vec!["run.changed".to_owned(), "message.sent".to_owned()],
    };
    let mut feed = Feed::follow(&client(), filter, None);
    feed.link.dial = script.dial();
    next(&mut feed, 1).await;
    let uri = &script.dialled()[0].uri;
    assert!(
        uri.ends_with("/events?scope=%40review%3Apr-1&kind=run.changed%2Cmessage.sent"),
        "{uri}"
    );
}

#[tokio::test(start_paused = true)]
async fn kinds_of_a_newer_daemon_are_told_of_by_their_place_alone() {
    let newer = event("weather.changed", "e-11", &json!({ "seq": 11, "what": "ever" }));
    let script = Script::new(vec![
        Reply::Stream(vec![hello("e", 10), newer, beat(11), Part::Text(": hi\n\n".to_owned())]),
        Reply::Stream(vec![hello("e", 11), removed("e", 12), Part::Silence]),
    ]);
    let mut feed = feed(&script, None);
    let items = next(&mut feed, 5).await;
    assert_eq!(items, ["connected", "hello 10", "unknown 11", "beat 11", "disconnected"]);
    assert_eq!(next(&mut feed, 3).await, ["connected", "hello 11", "event 12"]);
    assert_eq!(script.dialled()[1].header("last-event-id"), Some("e-11"));
}

#[tokio::test(start_paused = true)]
async fn a_known_event_that_cannot_be_read_is_the_end() {
    let odd = event("message.sent", "e-11", &json!({ "seq": 11, "kind": "message.sent" }));
    let script = Script::new(vec![Reply::Stream(vec![hello("e", 10), odd, removed("e", 12)])]);
    let items = next(&mut feed(&script, None), 4).await;
    assert!(items[2].starts_with("error: the event `message.sent` is invalid"), "{items:?}");
    assert_eq!(items[3], "none");
}

#[tokio::test(start_paused = true)]
async fn an_event_that_is_owed_is_fetched_over_a_new_connection() {
    let script = Script::new(vec![
        Reply::Stream(vec![hello("e", 10), beat(12), removed("e", 11), beat(12), Part::Silence]),
        Reply::Stream(vec![hello("e", 11), removed("e", 12), beat(12), beat(12), Part::Silence]),
    ]);
    let mut feed = feed(&script, None);
    let items = next(&mut feed, 5).await;
    assert_eq!(items, ["connected", "hello 10", "beat 12", "event 11", "disconnected"]);
    let items = next(&mut feed, 5).await;
    assert_eq!(items, ["connected", "hello 11", "event 12", "beat 12", "beat 12"]);
}

#[tokio::test]
async fn over_a_real_connection_it_is_the_same() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let one: &'static str = Box::leak(
        format!("{head}event: hello\ndata: {{\"epoch\":\"e\",\"seq\":7,\"version\":\"0\"}}\n\n")
            .into_boxed_str(),
    );
    let refused = json!({ "error": { "code": "denied", "message": "no", "hint": null } });
    let fake = Fake::start(vec![
        fake::Reply::Raw(one),
        fake::Reply::Close,
        fake::Reply::Json(403, refused),
    ])
    .await;
    let mut feed = Feed::follow(&fake.client(), FeedFilter::default(), None);
    let items = next(&mut feed, 6).await;
    let wanted = ["connected", "hello 7", "disconnected", "disconnected", "error: no", "none"];
    assert_eq!(items, wanted);
    let seen = fake.seen();
    assert_eq!(seen[0].line, "GET /events HTTP/1.1");
    assert_eq!(seen[0].header("last-event-id"), None);
    assert_eq!(seen[0].header("accept"), Some("text/event-stream"));
    assert_eq!(seen[1].header("last-event-id"), Some("e-7"));
    assert_eq!(seen[2].header("authorization"), Some("Bearer secret"));
}

#[test]
fn the_kinds_are_those_of_the_protocol() {
    let error = EventBody::read("?", "{}").unwrap_err().to_string();
    let kinds: Vec<_> = error.split('`').skip(3).step_by(2).collect();
    assert_eq!(kinds, KINDS, "{error}");
}

#[test]
fn whoever_follows_may_do_so_in_a_task() {
    fn is_send<T: Send>(_: T) {}
    let ask = Ask::new("alice".parse().unwrap(), String::new());
    is_send(Feed::follow(&client(), FeedFilter::default(), None).next());
    is_send(RunOutput::follow(&client(), RunId::new(1)).next());
    is_send(AskStream::ask(&client(), &ask).next());
    is_send(client().call(&Status {}));
}
