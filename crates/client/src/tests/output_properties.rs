//! Transcripts that grow while the connection to them breaks.

use agent_worker_protocol::{BlockKind, RunState, Timestamp};
use proptest::{prelude::*, sample::Index};

use super::*;
use crate::{
    cases::cases,
    tests::script::{
        Part, Reply, Script, broken_after, client, event, length, paused, torn, within,
    },
};

/// What a run writes, in order: it begins a block, adds to one, ends one.
#[derive(Debug, Clone)]
enum Deed {
    Begin,
    Grow(Index, String),
    End(Index),
}

/// How one connection goes.
#[derive(Debug, Clone)]
struct Leg {
    /// How far the run was when it was made
    at: Index,
    /// After how much of what the daemon has to say it breaks
    cut: Index,
    /// The lengths of the pieces in which it comes, and of the texts in which what is stored does
    pieces: Vec<usize>,
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let deed = prop_oneof![
        2 => Just(Deed::Begin),
        6 => (any::<Index>(), "[a-z é日👩\n\"\\\\]{1,8}").prop_map(|(at, text)| Deed::Grow(at, text)),
        2 => any::<Index>().prop_map(Deed::End),
    ];
    prop::collection::vec(deed, 0..24)
}

fn legs() -> impl Strategy<Value = Vec<Leg>> {
    let pieces = prop::collection::vec(prop_oneof![1..4_usize, 1..200_usize], 1..5);
    let leg = (any::<Index>(), any::<Index>(), pieces).prop_map(|(at, cut, pieces)| Leg {
        at,
        cut,
        pieces,
    });
    prop::collection::vec(leg, 0..6)
}

fn block(n: i64, state: BlockState) -> OutputEvent {
    let (kind, at) = (BlockKind::Text, Timestamp(5));
    let ended_at = (state != BlockState::Open).then_some(at);
    OutputEvent::Block { n, kind, state, name: None, at, ended_at }
}

/// What a run writes as those who watch it see it, to its end.
fn live(deeds: &[Deed]) -> Vec<OutputEvent> {
    let (mut told, mut open, mut next) = (Vec::new(), Vec::<(i64, usize)>::new(), 0);
    for deed in deeds {
        match deed {
            Deed::Begin => {
                told.push(block(next, BlockState::Open));
                open.push((next, 0));
                next += 1;
            }
            Deed::Grow(at, text) if !open.is_empty() => {
                let at = at.index(open.len());
                let (n, length) = &mut open[at];
                let off = i64::try_from(*length).unwrap();
                told.push(OutputEvent::Delta { n: *n, off, text: text.clone() });
                *length += text.len();
            }
            Deed::End(at) if !open.is_empty() => {
                let (n, _) = open.remove(at.index(open.len()));
                told.push(block(n, BlockState::Done));
            }
            Deed::Grow(..) | Deed::End(_) => {}
        }
    }
    told.extend(open.into_iter().map(|(n, _)| block(n, BlockState::Done)));
    told.push(OutputEvent::End { state: RunState::Succeeded, error: None });
    told
}

/// A transcript, put together from what was told of it.
#[derive(Debug, Default, PartialEq)]
struct Whole {
    /// Each block's text, and how it stands
    blocks: BTreeMap<i64, (String, BlockState)>,
    has_ended: bool,
}

impl Whole {
    /// Takes what comes next; it must follow what was there.
    fn take(&mut self, event: &OutputEvent) {
        assert!(!self.has_ended, "{event:?} behind the end");
        match event {
            OutputEvent::Block { n, state: BlockState::Open, .. } => {
                let known = self.blocks.insert(*n, (String::new(), BlockState::Open));
                assert_eq!(known, None, "{n} begins twice");
            }
            OutputEvent::Block { n, state, .. } => {
                let block = self.blocks.get_mut(n).expect("it has begun");
                assert_eq!(block.1, BlockState::Open, "{n} ends twice");
                block.1 = *state;
            }
            OutputEvent::Delta { n, off, text } => {
                let (known, state) = self.blocks.get_mut(n).expect("it has begun");
                assert_eq!((usize::try_from(*off), *state), (Ok(known.len()), BlockState::Open));
                known.push_str(text);
            }
            OutputEvent::End { .. } => self.has_ended = true,
        }
    }

    fn of(events: &[OutputEvent]) -> Self {
        let mut whole = Self::default();
        for event in events {
            whole.take(event);
        }
        whole
    }

    /// The transcript as a daemon tells it from the database, in texts of about this length.
    fn stored(&self, length: usize) -> Vec<OutputEvent> {
        let mut told = Vec::new();
        for (n, (text, state)) in &self.blocks {
            told.push(block(*n, BlockState::Open));
            let mut off = 0;
            while off < text.len() {
                let end = text.ceil_char_boundary((off + length).min(text.len()));
                let piece = text[off..end].to_owned();
                told.push(OutputEvent::Delta {
                    n: *n,
                    off: i64::try_from(off).unwrap(),
                    text: piece,
                });
                off = end;
            }
            told.extend((*state != BlockState::Open).then(|| block(*n, *state)));
        }
        told
    }
}

fn written(told: &OutputEvent) -> Part {
    let json = serde_json::to_value(told).unwrap();
    event(json["event"].as_str().unwrap(), "", &json["data"])
}

/// What comes over one connection that is made when so much was written: that, and what is
/// written then. Also how much was told of it before it breaks.
fn plays(live: &[OutputEvent], from: usize, leg: &Leg) -> (Vec<Part>, usize) {
    let mut says = Whole::of(&live[..from]).stored(leg.pieces[0]);
    let stored = says.len();
    says.extend_from_slice(&live[from..]);
    let says: Vec<Part> = says.iter().map(written).collect();
    let bytes = leg.cut.index(length(&says) + 1);
    let (_, whole) = broken_after(&says, bytes);
    let mut parts = torn(&says, bytes, &leg.pieces);
    parts.push(Part::Broken);
    (parts, (from + whole.saturating_sub(stored)).max(from))
}

/// Connections to a run that goes on writing while they break, and a last one to its end.
fn script(live: &[OutputEvent], legs: &[Leg]) -> Script {
    let (mut replies, mut told) = (Vec::new(), 0);
    for leg in legs {
        let from = told + leg.at.index(live.len() - told);
        let (parts, until) = plays(live, from, leg);
        replies.push(Reply::Stream(parts));
        told = until;
        if told == live.len() {
            return Script::new(replies);
        }
    }
    let says = Whole::of(&live[..told]).stored(7);
    replies.push(Reply::Stream(says.iter().chain(&live[told..]).map(written).collect()));
    Script::new(replies)
}

async fn read(script: &Script) -> Whole {
    let mut output = RunOutput::follow(&client(), RunId::new(3));
    output.link.dial = script.dial();
    let mut whole = Whole::default();
    while let Some(item) = within(output.next()).await {
        if let OutputItem::Output(event) = item.unwrap() {
            whole.take(&event);
        }
    }
    whole
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn however_its_connection_breaks_a_transcript_is_the_one_that_was_written(
        deeds in deeds(),
        legs in legs(),
    ) {
        let live = live(&deeds);
        prop_assert_eq!(paused(read(&script(&live, &legs))), Whole::of(&live));
    }
}
