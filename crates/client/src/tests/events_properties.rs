//! Feeds that break wherever they can, before a daemon that keeps its word.

use std::collections::BTreeSet;

use proptest::{prelude::*, sample::Index};
use serde_json::json;

use super::*;
use crate::{
    cases::cases,
    tests::script::{Dialled, Part, Reply, Script, client, event, length, paused, torn, within},
};

/// A daemon and its feed. Another database may take its place.
#[derive(Debug, Clone)]
struct Daemon {
    epoch: &'static str,
    /// The places of the events, and whether this version knows their kind
    table: Vec<(i64, bool)>,
    /// The newest event when a reader first came, or lost its place; more came later
    newest: i64,
}

/// How one connection goes.
#[derive(Debug, Clone)]
struct Leg {
    /// After how much of what the daemon has to say it ends
    cut: Index,
    end: End,
    /// The lengths of the pieces in which it comes
    pieces: Vec<usize>,
    /// How many events are told a second time
    again: usize,
    /// Before which events the heart beats
    beats: Vec<Index>,
}

#[derive(Debug, Clone, Copy)]
enum End {
    Broken,
    Closed,
    Silent,
    /// What is behind the cut is lost on the way, and only the heart beats
    Lossy,
}

fn daemon(epoch: &'static str) -> impl Strategy<Value = Daemon> {
    let table = prop::collection::vec((1..4_i64, prop::bool::weighted(0.8)), 1..12);
    (table, any::<Index>()).prop_map(move |(steps, at)| {
        let (mut table, mut seq) = (Vec::new(), 0);
        let mut places = Vec::new();
        for (step, is_known) in steps {
            places.push(seq);
            seq += step;
            table.push((seq, is_known));
        }
        Daemon { epoch, table, newest: places[at.index(places.len())] }
    })
}

fn leg() -> impl Strategy<Value = Leg> {
    let end = prop::sample::select(vec![End::Broken, End::Closed, End::Silent, End::Lossy]);
    let pieces = prop::collection::vec(prop_oneof![1..4_usize, 1..400_usize], 1..5);
    let beats = prop::collection::vec(any::<Index>(), 0..4);
    (any::<Index>(), end, pieces, 0..3_usize, beats)
        .prop_map(|(cut, end, pieces, again, beats)| Leg { cut, end, pieces, again, beats })
}

fn beat(seq: i64) -> Part {
    event("heartbeat", "", &json!({ "seq": seq, "at": 5 }))
}

impl Daemon {
    fn entry(&self, (seq, is_known): (i64, bool)) -> Part {
        let id = format!("{}-{seq}", self.epoch);
        if !is_known {
            return event("weather.changed", &id, &json!({ "what": "ever: é\n\n" }));
        }
        let body = json!({
            "seq": seq, "kind": "workflow.removed", "scope": "@global", "run": null,
            "actor": "é\u{2028}日本\r\n\n", "at": 5, "body": { "scope": "@review" }
        });
        event("workflow.removed", &id, &body)
    }

    /// All that it has to say to this reader, to whom it tells some events again.
    fn says(&self, asked: &Dialled, again: usize, beats: &[Index]) -> Vec<Part> {
        let (epoch, newest) = (self.epoch, self.newest);
        let cursor = asked.header("last-event-id").map(|id| id.parse::<Cursor>().unwrap());
        let own = cursor.as_ref().filter(|cursor| cursor.epoch.as_deref() == Some(epoch));
        let after = own.map_or(newest, |cursor| cursor.seq);
        let id = format!("{epoch}-{after}");
        let mut says = vec![if own.is_none() && cursor.is_some() {
            let reset = json!({ "epoch": epoch, "seq": after, "reason": "another database" });
            event("reset", &id, &reset)
        } else {
            let hello = json!({ "epoch": epoch, "seq": after, "newest": newest, "version": "0" });
            event("hello", &id, &hello)
        }];
        let begin = self.table.partition_point(|(seq, _)| *seq <= after);
        let begin = if own.is_some() { begin.saturating_sub(again) } else { begin };
        let entries = &self.table[begin..];
        let beats: BTreeSet<usize> =
            beats.iter().map(|beat| beat.index(entries.len() + 1)).collect();
        let mut last = after;
        for (at, entry) in entries.iter().map(Some).chain([None]).enumerate() {
            if beats.contains(&at) {
                says.extend([Part::Text(": here\n\n".to_owned()), beat(last)]);
            }
            if let Some(entry) = entry {
                says.push(self.entry(*entry));
                last = last.max(entry.0);
            }
        }
        says
    }

    /// What comes over one connection.
    fn plays(&self, asked: &Dialled, leg: &Leg) -> Vec<Part> {
        let mut says = self.says(asked, leg.again, &leg.beats);
        let bytes = leg.cut.index(length(&says) + 1);
        let (bytes, end) = match leg.end {
            End::Broken => (bytes, Some(Part::Broken)),
            End::Closed => (bytes, None),
            End::Silent => (bytes, Some(Part::Silence)),
            End::Lossy => {
                let last = self.table.last().expect("there is an event").0;
                says.truncate(leg.cut.index(says.len()) + 1);
                says.extend([beat(last), beat(last)]);
                (usize::MAX, Some(Part::Silence))
            }
        };
        torn(&says, bytes, &leg.pieces).into_iter().chain(end).collect()
    }

    /// The events after this one.
    fn after(&self, seq: i64) -> Vec<(String, i64, bool)> {
        let later = self.table.iter().filter(|(other, _)| *other > seq);
        later.map(|(seq, is_known)| (self.epoch.to_owned(), *seq, *is_known)).collect()
    }
}

/// One connection for each leg, and a last connection that tells all events.
fn script(daemons: &[(Daemon, Vec<Leg>)]) -> Script {
    let reply = |daemon: &Daemon, leg: &Leg| {
        let (daemon, leg) = (daemon.clone(), leg.clone());
        Reply::To(Box::new(move |asked| daemon.plays(asked, &leg)))
    };
    let mut replies = Vec::new();
    for (daemon, legs) in daemons {
        replies.extend(legs.iter().map(|leg| reply(daemon, leg)));
    }
    let last = daemons.last().expect("there is a daemon").0.clone();
    replies.push(Reply::To(Box::new(move |asked| {
        let mut says = last.says(asked, 2, &[]);
        says.push(Part::Silence);
        says
    })));
    Script::new(replies)
}

/// What a reader is given until it has seen the last event: the events, and how often it was told
/// that something is lost.
async fn read(
    script: &Script,
    after: Option<Cursor>,
    last: &(String, i64, bool),
) -> (Vec<(String, i64, bool)>, usize) {
    let mut feed = Feed::follow(&client(), FeedFilter::default(), after);
    feed.link.dial = script.dial();
    let (mut given, mut resets) = (Vec::new(), 0);
    for _ in 0..1_000 {
        let place = match within(feed.next()).await.unwrap().unwrap() {
            FeedItem::Event(event) => (event.seq, true),
            FeedItem::Unknown { seq } => (seq, false),
            FeedItem::Reset(_) => {
                resets += 1;
                continue;
            }
            _ => continue,
        };
        let cursor = feed.cursor().expect("it has a place");
        given.push((cursor.epoch.clone().expect("it has an epoch"), place.0, place.1));
        if given.last() == Some(last) {
            return (given, resets);
        }
    }
    panic!("{last:?} does not come after {given:?}");
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn however_a_feed_breaks_every_event_comes_once_and_in_order(
        daemon in daemon("e"),
        legs in prop::collection::vec(leg(), 0..6),
        from in prop::option::of(any::<Index>()),
    ) {
        let place = |at: Index| [0].into_iter().chain(daemon.table.iter().map(|entry| entry.0)).nth(at.index(daemon.table.len()));
        let from = from.and_then(place);
        let after = from.map(|seq| Cursor { epoch: Some("e".to_owned()), seq });
        let wanted = daemon.after(from.unwrap_or(daemon.newest));
        let last = wanted.last().expect("something comes").clone();
        let given = paused(read(&script(&[(daemon, legs)]), after, &last));
        prop_assert_eq!(given, (wanted, 0));
    }

    #[test]
    fn however_often_it_breaks_a_reader_is_told_once_that_its_database_is_another(
        first in daemon("e"),
        legs in prop::collection::vec(leg(), 0..4),
        second in daemon("f"),
        more in prop::collection::vec(leg(), 0..4),
    ) {
        let after = Some(Cursor { epoch: Some("e".to_owned()), seq: 0 });
        let (of_first, of_second) = (first.after(0), second.after(second.newest));
        let last = of_second.last().expect("something comes").clone();
        let (given, resets) = paused(read(&script(&[(first, legs), (second, more)]), after, &last));
        let seen = given.len() - of_second.len().min(given.len());
        prop_assert_eq!(&given[seen..], &of_second);
        prop_assert_eq!(&given[..seen], &of_first[..seen.min(of_first.len())]);
        prop_assert_eq!(resets, 1);
    }
}
