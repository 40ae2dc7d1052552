use std::{sync::Arc, thread};

use agent_worker_protocol::RunId;

use super::*;
use crate::app::Msg;

fn delta(run: i64, off: i64, text: &str) -> Msg {
    Msg::Output(RunId::new(run), OutputEvent::Delta { n: 0, off, text: text.to_owned() })
}

#[test]
fn text_that_goes_on_is_merged_and_no_other() {
    let queue = Queue::default();
    for msg in [delta(1, 0, "ab"), delta(1, 2, "cd"), delta(2, 0, "x"), delta(1, 9, "y")] {
        queue.message(0, msg);
    }
    queue.message(1, delta(1, 10, "z"));
    let batch = queue.take(None);
    assert_eq!(batch.messages.len(), 4);
    let (0, Msg::Output(_, OutputEvent::Delta { text, .. })) = &batch.messages[0] else { panic!() };
    assert_eq!(text, "abcd");
}

#[test]
fn d_3_whoever_brings_too_much_waits_and_nothing_is_lost() {
    let queue = Arc::new(Queue::default());
    let other = Arc::clone(&queue);
    let thread = thread::spawn(move || {
        for number in 0..3_000 {
            other.message(0, Msg::RetryIn(number));
        }
    });
    let mut seen = Vec::new();
    while seen.len() < 3_000 {
        assert!(queue.lock().messages.len() <= MOST);
        let batch = queue.take(None);
        assert!(batch.messages.len() <= BATCH);
        seen.extend(batch.messages.into_iter().map(|(_, msg)| match msg {
            Msg::RetryIn(number) => number,
            other => panic!("{other:?}"),
        }));
    }
    thread.join().unwrap();
    assert_eq!(seen, (0..3_000).collect::<Vec<_>>());
}

#[test]
fn the_person_goes_first() {
    let queue = Queue::default();
    for number in 0..600 {
        queue.message(0, Msg::RetryIn(number));
    }
    queue.input(Input::Focus(true));
    assert_eq!(queue.take(None).inputs.len(), 1);
}
