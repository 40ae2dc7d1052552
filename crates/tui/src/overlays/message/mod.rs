//! A message whole: its text, who got it, who has read it, which run wrote it and which it led to.

mod rows;
use std::collections::{BTreeMap, BTreeSet};

use agent_worker_client::Clean;
use agent_worker_protocol::{
    channel::Message,
    event::{Event, EventBody},
    id::MessageId,
    message::MessageDetail,
    resource::ResourceText,
};
use ratatui_core::layout::Rect;

use super::{Outcome, Overlay, frame, pairs};
use crate::{
    key::{Code, Key},
    model::{
        State,
        requests::{Effect, Request},
    },
    overlays,
    paint::{Painter, Row},
    theme::Role,
};

pub use rows::{read_by, recipients};

/// How many messages are known whole at once.
const MOST: usize = 100;

/// Messages that were looked at whole.
#[derive(Debug, Default)]
pub struct Details {
    known: BTreeMap<MessageId, MessageDetail>,
    /// Those that something has happened to since, or that could not be loaded
    old: BTreeSet<MessageId>,
    failed: BTreeSet<MessageId>,
    asked: Option<MessageId>,
}

/// One message, over the panes.
#[derive(Debug)]
pub struct Detail {
    id: MessageId,
    message: Option<Box<Message>>,
    top: usize,
}

/// What is known of a message.
pub fn get(state: &State, id: MessageId) -> Option<&MessageDetail> {
    state.panes.detail.known.get(&id)
}

/// Shows a message whole.
pub fn open(state: &mut State, message: &Message) -> Vec<Effect> {
    let message = Some(Box::new(message.clone()));
    show(
        state,
        Detail { id: message.as_ref().map_or(MessageId::new(0), |it| it.id), message, top: 0 },
    )
}

/// Shows a message of which only the number is known.
pub fn open_id(state: &mut State, id: MessageId) -> Vec<Effect> {
    let message = get(state, id).map(|detail| Box::new(detail.message.clone()));
    show(state, Detail { id, message, top: 0 })
}

fn show(state: &mut State, detail: Detail) -> Vec<Effect> {
    state.panes.detail.failed.remove(&detail.id);
    let mut effects = overlays::open(state, Overlay::Detail(detail));
    effects.extend(ask(state));
    effects
}

/// The message that is looked at: over the panes, else in an inbox.
fn wanted(state: &State) -> Option<MessageId> {
    match state.overlays.last() {
        Some(Overlay::Detail(detail)) => Some(detail.id),
        _ => crate::panes::inbox::looked_at(state),
    }
}

/// Asks for what is known of the message that is looked at, one at a time: who runs down a list
/// asks for few of it.
pub fn ask(state: &mut State) -> Vec<Effect> {
    let Some(id) = wanted(state).filter(|_| state.is_live()) else { return Vec::new() };
    let details = &mut state.panes.detail;
    let is_known = details.known.contains_key(&id) && !details.old.contains(&id);
    if is_known || details.asked.is_some() || details.failed.contains(&id) {
        return Vec::new();
    }
    details.asked = Some(id);
    details.old.remove(&id);
    vec![Effect::Ask(Request::Message(id))]
}

/// It is known.
pub fn loaded(state: &mut State, id: MessageId, detail: MessageDetail) -> Vec<Effect> {
    let details = &mut state.panes.detail;
    details.asked.take_if(|asked| *asked == id);
    if details.known.len() >= MOST {
        details.known.pop_first();
    }
    details.known.insert(id, detail);
    ask(state)
}

/// It could not be loaded.
pub fn failed(state: &mut State, request: &Request) {
    if let Request::Message(id) = request {
        let details = &mut state.panes.detail;
        details.asked.take_if(|asked| asked == id);
        details.failed.insert(*id);
    }
}

/// The picture is a new one: what was known may be old.
pub fn renewed(state: &mut State) {
    let details = &mut state.panes.detail;
    details.old = details.known.keys().copied().collect();
    details.failed.clear();
    details.asked = None;
}

/// Something changed.
pub fn heard(state: &mut State, event: &Event) -> Vec<Effect> {
    let details = &mut state.panes.detail;
    match &event.body {
        EventBody::DeliveryChanged(delivery) => {
            details.old.insert(delivery.message);
        }
        EventBody::RunChanged(run) => details.old.extend(run.cause),
        EventBody::GroupChanged(_) => {
            // The person's reading is a part of it.
            details.old.extend(details.known.keys().copied().collect::<Vec<_>>());
        }
        _ => return Vec::new(),
    }
    let details = &mut state.panes.detail;
    let known = &details.known;
    details.old.retain(|id| known.contains_key(id) || details.asked == Some(*id));
    ask(state)
}

/// The whole of a long text is there.
pub fn whole(state: &mut State, text: &ResourceText) -> Vec<Effect> {
    state.notice = None;
    let more = if text.more { ", not all of it" } else { "" };
    let title = format!("{} ({} characters{more})", text.id, text.chars);
    overlays::open(state, Overlay::pager(title, &text.content))
}

impl Detail {
    fn message<'a>(&'a self, state: &'a State) -> Option<&'a Message> {
        let known = get(state, self.id).map(|detail| &detail.message);
        known.or(self.message.as_deref())
    }

    fn rows(&self, state: &State, width: usize) -> Vec<Row> {
        match self.message(state) {
            Some(message) => rows::rows(state, message, get(state, self.id), width),
            None if state.panes.detail.failed.contains(&self.id) => {
                vec![Row::of("it could not be loaded", Role::Failed)]
            }
            None => vec![Row::of("loading", Role::Dim)],
        }
    }

    fn size(state: &State) -> (u16, u16) {
        (state.size.0.saturating_sub(4).min(100), state.size.1.saturating_sub(4).min(20))
    }

    fn last(&self, state: &State) -> usize {
        let (width, height) = Self::size(state);
        let count = self.rows(state, usize::from(width.saturating_sub(4))).len();
        count.saturating_sub(usize::from(height.saturating_sub(2)))
    }

    /// A key.
    pub fn key(&mut self, state: &State, key: Key) -> Outcome {
        let last = self.last(state);
        let page = usize::from(Self::size(state).1.saturating_sub(3)).max(1);
        match key.code {
            Code::Down | Code::Char('j') => self.top = (self.top + 1).min(last),
            Code::Up | Code::Char('k') => self.top = self.top.min(last).saturating_sub(1),
            Code::PageDown | Code::Char(' ') => self.top = (self.top + page).min(last),
            Code::PageUp => self.top = self.top.min(last).saturating_sub(page),
            Code::Home | Code::Char('g') => self.top = 0,
            Code::End | Code::Char('G') => self.top = last,
            Code::Char('q') | Code::Enter => return Outcome::close(),
            code => return self.act(state, code),
        }
        Outcome::stay()
    }

    fn act(&self, state: &State, code: Code) -> Outcome {
        let Some(message) = self.message(state).cloned() else { return Outcome::stay() };
        match code {
            Code::Char('y') => {
                let text = Clean::text(&message.content).as_str().to_owned();
                Outcome::Stay(vec![Effect::Copy(text)])
            }
            Code::Char('o') => {
                Outcome::With(Box::new(move |state| crate::panes::inbox::whole(state, &message)))
            }
            Code::Char('c') => {
                Outcome::then(move |state| crate::panes::conversation::cause_of(state, &message))
            }
            Code::Char('r') if !state.read_only => {
                Outcome::then(move |state| crate::panes::conversation::reply_to(state, &message))
            }
            _ => Outcome::stay(),
        }
    }

    /// Its keys.
    pub fn keys(state: &State) -> Vec<(String, String)> {
        let mut keys =
            pairs(&[("j k", "scroll"), ("o", "whole text"), ("y", "copy"), ("c", "cause")]);
        if !state.read_only {
            keys.extend(pairs(&[("r", "reply")]));
        }
        keys.extend(pairs(&[("Esc", "close")]));
        keys
    }

    /// Draws it.
    pub fn draw(&self, state: &State, painter: &mut Painter<'_>, area: Rect) -> Option<(u16, u16)> {
        let (width, height) = Self::size(state);
        let rows = self.rows(state, usize::from(width.saturating_sub(4)));
        let wanted = u16::try_from(rows.len() + 2).unwrap_or(u16::MAX).clamp(5, height.max(5));
        let top = self.top.min(self.last(state));
        let seen = top + usize::from(wanted.saturating_sub(2));
        let bottom = if seen < rows.len() {
            format!("{} more rows", rows.len() - seen)
        } else {
            String::new()
        };
        let title = self.id.to_string();
        let inside = frame(painter, area, (width, wanted), title, bottom);
        for (y, row) in (0..inside.height).zip(rows.iter().skip(top)) {
            painter.row(inside, 0, y, row);
        }
        None
    }
}
