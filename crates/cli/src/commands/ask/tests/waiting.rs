use agent_worker_client::Endpoint;

use super::*;

#[tokio::test]
async fn a_question_that_is_not_confirmed_waits_for_that_alone() {
    let (base, token) = ("http://127.0.0.1:1".to_owned(), String::new());
    let client = Client::new(Endpoint { base, token });
    let waits = of_question(&client, &"bob".parse().unwrap(), None).await;
    assert_eq!(waits.as_deref(), Some("the daemon has not confirmed the question yet"));
}

#[test]
fn each_further_time_is_twice_as_long() {
    let mut quiet = Quiet::default();
    let spans: Vec<_> = std::iter::repeat_with(|| {
        quiet.lengthen();
        quiet.span.as_secs()
    })
    .take(5)
    .collect();
    assert_eq!(spans, [10, 20, 40, 60, 60]);
    quiet.end();
    assert_eq!(quiet.span, FIRST);
}

#[test]
fn a_retry_is_told_with_its_time() {
    let (text, at) = ("it failed: it is retried at this time", Timestamp(0));
    let time = Clock::system().exact(at);
    assert_eq!(dated(text, Some(at)), format!("it failed: it is retried at {time}"));
    assert_eq!(dated("run_1 is at work", Some(at)), "run_1 is at work");
}

#[test]
fn a_reason_of_a_message_names_it() {
    let link = |subject: &str, text: &str| Because {
        subject: subject.to_owned(),
        text: text.to_owned(),
        at: None,
    };
    let dead = link("msg_3", "it is a dead letter after 3 attempts: it broke");
    assert_eq!(of_link(&dead), "msg_3: it is a dead letter after 3 attempts: it broke");
    assert_eq!(of_link(&link("run_1", "bob: working")), "bob: working");
}

#[test]
fn a_longer_silence_alone_is_not_told() {
    let text = |text: &str| Some(text.to_owned());
    let mut quiet = Quiet::default();
    assert!(quiet.news(text("bob: working, silent for 31s; msg_3: it is held")).is_some());
    assert_eq!(quiet.news(text("bob: working, silent for 1m2s; msg_3: it is held")), None);
    assert!(quiet.news(text("bob: working, silent for 2m; msg_4: it is held")).is_some());
}

#[test]
fn the_same_is_told_once() {
    let text = |text: &str| Some(text.to_owned());
    let mut quiet = Quiet::default();
    assert_eq!(quiet.news(text("a")), text("a"));
    assert_eq!(quiet.news(text("a")), None);
    assert_eq!(quiet.news(None), None);
    assert_eq!(quiet.news(text("b")), text("b"));
}
