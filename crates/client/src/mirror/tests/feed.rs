use agent_worker_protocol::{ErrorBody, ErrorCode, Event, Heartbeat, Timestamp};

use super::samples::*;
use crate::{ClientError, Connection, FeedItem, MirrorFeed, mirror::Next};

fn lost() -> ClientError {
    let source = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
    ClientError::Unreachable { base: "http://127.0.0.1:1".to_owned(), source }
}

fn item(event: Event) -> FeedItem {
    FeedItem::Event(Box::new(event))
}

fn beat(seq: i64) -> FeedItem {
    FeedItem::Heartbeat(Heartbeat { seq, at: Timestamp(5), disk_full: false })
}

/// A mirror that is live at this event of the epoch `e`.
fn live(seq: i64) -> MirrorFeed {
    let mut feed = MirrorFeed::default();
    assert_eq!(feed.hear(hello("e", seq, seq)), Next::Fetch);
    assert_eq!(feed.loaded(Ok(snapshot("e", seq))), Next::Hear);
    feed
}

fn is_live_at(feed: &MirrorFeed, epoch: &str, seq: i64) {
    assert!(matches!(feed.connection(), Connection::Live), "{:?}", feed.connection());
    assert_eq!(feed.mirror().snapshot(), snapshot(epoch, seq));
}

#[test]
fn the_first_picture_is_the_snapshot_and_the_events_after_it() {
    let mut feed = MirrorFeed::default();
    assert!(matches!(feed.connection(), Connection::Starting));
    assert_eq!(feed.hear(FeedItem::Connected), Next::Hear);
    assert_eq!(feed.hear(hello("e", 10, 10)), Next::Fetch);
    for seq in 11..=13 {
        assert_eq!(feed.hear(item(step(seq))), Next::Hear);
    }
    assert!(matches!(feed.connection(), Connection::Starting));
    assert_eq!(feed.mirror().epoch(), None);
    assert_eq!(feed.loaded(Ok(snapshot("e", 12))), Next::Hear);
    is_live_at(&feed, "e", 13);
}

#[test]
fn a_snapshot_that_is_newer_than_what_was_heard_is_not_done_twice() {
    let mut feed = MirrorFeed::default();
    let _ = feed.hear(hello("e", 10, 10));
    let _ = feed.hear(item(step(11)));
    let _ = feed.loaded(Ok(snapshot("e", 14)));
    for seq in 12..=15 {
        assert_eq!(feed.hear(item(step(seq))), Next::Hear);
    }
    is_live_at(&feed, "e", 15);
}

#[test]
fn a_heartbeat_says_whether_the_disk_is_full_and_only_of_a_live_connection_is_it_known() {
    let mut feed = live(10);
    let beat = |disk_full| FeedItem::Heartbeat(Heartbeat { seq: 10, at: Timestamp(5), disk_full });
    assert!(!feed.is_disk_full());
    for is_full in [true, false, true] {
        let _ = feed.hear(beat(is_full));
        assert_eq!(feed.is_disk_full(), is_full);
    }
    let _ = feed.hear(FeedItem::Disconnected { error: lost() });
    assert!(!feed.is_disk_full());
    let _ = feed.hear(hello("e", 10, 10));
    assert!(!feed.is_disk_full(), "another daemon may have freed space");
}

#[test]
fn a_lost_connection_keeps_the_picture_and_goes_on_where_it_was() {
    let mut feed = live(10);
    for tries in 1..=3 {
        assert_eq!(feed.hear(FeedItem::Disconnected { error: lost() }), Next::Hear);
        let Connection::Reconnecting { tries: told, .. } = feed.connection() else { panic!() };
        assert_eq!(*told, tries);
        assert_eq!(feed.mirror().seq(), 10);
    }
    assert_eq!(feed.hear(hello("e", 10, 12)), Next::Hear);
    assert!(matches!(feed.connection(), Connection::CatchingUp(2)));
    assert_eq!(feed.hear(item(step(11))), Next::Hear);
    assert!(matches!(feed.connection(), Connection::CatchingUp(1)));
    assert_eq!(feed.hear(item(step(12))), Next::Hear);
    is_live_at(&feed, "e", 12);
    let _ = feed.hear(FeedItem::Disconnected { error: lost() });
    assert!(matches!(feed.connection(), Connection::Reconnecting { tries: 1, .. }));
}

#[test]
fn a_reset_keeps_the_old_picture_until_the_new_one_is_there() {
    let mut feed = live(900);
    assert_eq!(feed.hear(reset("f", 3)), Next::Fetch);
    let Connection::Reloading { reason } = feed.connection() else { panic!() };
    assert_eq!(reason, "the events after the cursor are no longer kept");
    assert_eq!(feed.mirror().snapshot(), snapshot("e", 900));
    assert_eq!(feed.hear(item(step(4))), Next::Hear);
    assert_eq!(feed.loaded(Ok(snapshot("f", 3))), Next::Hear);
    is_live_at(&feed, "f", 4);
}

#[test]
fn a_snapshot_of_another_database_or_of_before_is_asked_for_again() {
    let mut feed = live(900);
    assert_eq!(feed.hear(reset("f", 3)), Next::Fetch);
    for wrong in [snapshot("e", 900), snapshot("f", 2)] {
        assert_eq!(feed.loaded(Ok(wrong)), Next::FetchLater);
        assert!(matches!(feed.connection(), Connection::Reloading { .. }));
        assert_eq!(feed.mirror().snapshot(), snapshot("e", 900));
    }
    assert_eq!(feed.loaded(Ok(snapshot("f", 3))), Next::Hear);
    is_live_at(&feed, "f", 3);
}

#[test]
fn a_feed_of_another_database_begins_anew_also_without_a_reset() {
    let mut feed = live(10);
    let _ = feed.hear(FeedItem::Disconnected { error: lost() });
    assert_eq!(feed.hear(hello("f", 10, 10)), Next::Fetch);
    assert_eq!(feed.loaded(Ok(snapshot("f", 10))), Next::Hear);
    is_live_at(&feed, "f", 10);
}

#[test]
fn e_5_an_event_that_does_not_come_is_missed_at_once() {
    let mut feed = live(10);
    assert_eq!(feed.hear(item(step(12))), Next::Fetch);
    let Connection::Reloading { reason } = feed.connection() else { panic!() };
    assert_eq!(reason, "event 11 has not come");
    assert_eq!(feed.loaded(Ok(snapshot("e", 11))), Next::FetchLater);
    assert_eq!(feed.hear(item(step(13))), Next::Hear);
    assert_eq!(feed.loaded(Ok(snapshot("e", 12))), Next::Hear);
    is_live_at(&feed, "e", 13);
}

#[test]
fn an_event_that_is_missed_while_a_snapshot_is_on_its_way_needs_a_later_one() {
    let mut feed = MirrorFeed::default();
    let _ = feed.hear(hello("e", 10, 10));
    assert_eq!(feed.hear(item(step(11))), Next::Hear);
    assert_eq!(feed.hear(item(step(13))), Next::Fetch);
    assert_eq!(feed.loaded(Ok(snapshot("e", 11))), Next::FetchLater);
    assert_eq!(feed.loaded(Ok(snapshot("e", 13))), Next::Hear);
    is_live_at(&feed, "e", 13);
}

#[test]
fn events_of_a_newer_daemon_are_no_gap() {
    let mut feed = live(10);
    assert_eq!(feed.hear(FeedItem::Unknown { seq: 11 }), Next::Hear);
    assert_eq!(feed.hear(item(step(12))), Next::Hear);
    is_live_at(&feed, "e", 12);
    let _ = feed.hear(reset("e", 20));
    assert_eq!(feed.hear(FeedItem::Unknown { seq: 21 }), Next::Hear);
    assert_eq!(feed.hear(item(step(22))), Next::Hear);
    assert_eq!(feed.hear(FeedItem::Unknown { seq: 23 }), Next::Hear);
    assert_eq!(feed.loaded(Ok(snapshot("e", 20))), Next::Hear);
    assert_eq!(feed.mirror().seq(), 23);
    assert_eq!(feed.hear(item(step(24))), Next::Hear);
    is_live_at(&feed, "e", 24);
}

#[test]
fn a_connection_lost_while_a_snapshot_is_on_its_way_loses_nothing() {
    let mut feed = MirrorFeed::default();
    let _ = feed.hear(hello("e", 10, 10));
    let _ = feed.hear(item(step(11)));
    let _ = feed.hear(FeedItem::Disconnected { error: lost() });
    assert_eq!(feed.loaded(Err(lost())), Next::Hear);
    assert!(matches!(feed.connection(), Connection::Reconnecting { .. }));
    assert_eq!(feed.hear(hello("e", 11, 12)), Next::Fetch);
    assert_eq!(feed.loaded(Ok(snapshot("e", 10))), Next::Hear);
    assert!(matches!(feed.connection(), Connection::CatchingUp(1)));
    let _ = feed.hear(item(step(12)));
    is_live_at(&feed, "e", 12);
}

#[test]
fn a_picture_that_comes_over_a_lost_connection_is_not_yet_live() {
    let mut feed = MirrorFeed::default();
    let _ = feed.hear(hello("e", 10, 10));
    let _ = feed.hear(FeedItem::Disconnected { error: lost() });
    assert_eq!(feed.loaded(Ok(snapshot("e", 11))), Next::Hear);
    assert!(matches!(feed.connection(), Connection::Reconnecting { .. }));
    assert_eq!(feed.mirror().snapshot(), snapshot("e", 11));
    assert_eq!(feed.hear(hello("e", 10, 11)), Next::Hear);
    let _ = feed.hear(item(step(11)));
    is_live_at(&feed, "e", 11);
}

#[test]
fn a_snapshot_that_is_refused_is_asked_for_later() {
    let mut feed = MirrorFeed::default();
    let _ = feed.hear(hello("e", 10, 10));
    let refused =
        ErrorBody { code: ErrorCode::Internal, message: "the disk is full".to_owned(), hint: None };
    assert_eq!(feed.loaded(Err(refused.into())), Next::FetchLater);
    assert!(matches!(feed.connection(), Connection::Starting));
    assert_eq!(feed.loaded(Ok(snapshot("e", 10))), Next::Hear);
    is_live_at(&feed, "e", 10);
}

#[test]
fn more_events_than_are_kept_make_it_wait_for_a_later_snapshot() {
    let mut feed = MirrorFeed::default();
    let _ = feed.hear(hello("e", 0, 0));
    let mut seq = 0;
    while feed.hear(item(step(seq + 1))) == Next::Hear {
        seq += 1;
    }
    assert_eq!(seq, 10_000);
    assert_eq!(feed.loaded(Ok(snapshot("e", seq))), Next::FetchLater);
    assert_eq!(feed.loaded(Ok(snapshot("e", seq + 1))), Next::Hear);
    is_live_at(&feed, "e", seq + 1);
}

#[test]
fn silence_is_told_and_over_with_the_first_sign_of_life() {
    let mut feed = live(10);
    feed.fall_silent();
    assert!(matches!(feed.connection(), Connection::Silent));
    assert_eq!(feed.hear(beat(10)), Next::Hear);
    is_live_at(&feed, "e", 10);
    let _ = feed.hear(FeedItem::Disconnected { error: lost() });
    feed.fall_silent();
    assert!(matches!(feed.connection(), Connection::Reconnecting { .. }));
}

#[test]
fn a_feed_that_has_ended_says_why() {
    let mut feed = live(10);
    feed.end(lost());
    assert!(matches!(feed.connection(), Connection::Refused { .. }));
    assert_eq!(feed.mirror().snapshot(), snapshot("e", 10));
}
