use agent_worker_protocol::{BlockKind, BlockState};
use tokio::time::sleep;

use super::*;

async fn after(ms: u64, item: OutputItem) -> Next {
    sleep(Duration::from_millis(ms)).await;
    Some(Ok(item))
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_opens_slowly_is_waited_for_and_silence_ends_it_afterwards() {
    let text = || OutputItem::Output(OutputEvent::Delta { n: 0, off: 0, text: "x".to_owned() });
    let mut stored = Stored::from_now();
    assert!(stored.next(true, after(4000, OutputItem::Connected)).await.is_ok());
    assert!(stored.next(true, after(200, text())).await.is_ok());
    assert!(stored.next(false, after(9000, text())).await.is_ok());
    assert!(stored.next(true, after(400, text())).await.is_err());

    let mut stored = Stored::from_now();
    let began = Instant::now();
    assert!(stored.next(true, std::future::pending()).await.is_err());
    assert_eq!(began.elapsed(), OPENING);
}

#[test]
fn the_last_lines_are_whole() {
    for (lines, expected) in
        [(0, ""), (1, "c\n"), (2, "b\nc\n"), (3, "a\nb\nc\n"), (9, "a\nb\nc\n")]
    {
        assert_eq!(last("a\nb\nc\n", lines), expected);
    }
    assert_eq!(last("a\nb", 1), "b");
    assert_eq!(last("", 2), "");
}

#[test]
fn a_block_that_ended_before_is_left_out_with_its_text() {
    let mut recent = Recent::from(Some(Timestamp(100)));
    let block = |n, ended_at: Option<i64>| OutputEvent::Block {
        n,
        kind: BlockKind::Text,
        state: BlockState::Done,
        name: None,
        at: Timestamp(10),
        ended_at: ended_at.map(Timestamp),
    };
    let delta = |n| OutputEvent::Delta { n, off: 0, text: "x".to_owned() };
    assert!(!recent.has(&block(0, Some(99))) && !recent.has(&delta(0)));
    assert!(recent.has(&block(1, Some(100))) && recent.has(&delta(1)));
    assert!(recent.has(&block(2, None)));
}
