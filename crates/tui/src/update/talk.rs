//! Conversations: what is loaded, where the view stands, what was read.

use agent_worker_protocol::{conversation::Conversation, id::MessageId, target::Scope};

use crate::{
    message::{Effect, Request},
    state::{
        Focus, State,
        place::Tab,
        talk::{Side, Talk, View},
    },
    view::{channel::Pages, flow},
};

type Key = (Scope, Conversation);

/// How near to the edge of what is loaded the next page is asked for, in messages.
const NEAR: usize = 60;

/// The conversation on the screen.
pub fn shown(state: &State) -> Option<Key> {
    let is_talk = matches!(state.place.tab, Tab::Channel | Tab::Messages);
    state.place.subject.conversation().filter(|_| is_talk)
}

/// A conversation came onto the screen.
pub fn open(state: &mut State) -> Vec<Effect> {
    let Some(key) = shown(state) else { return Vec::new() };
    state.talks.look(&key);
    let read = state.mirror().group(&key.0, &key.1).map(|group| group.read_seq);
    let talk = state.talks.get_mut(&key);
    if talk.read_before.is_none() {
        talk.read_before = read;
    }
    if talk.is_loaded || talk.loading.is_some() {
        return Vec::new();
    }
    if talk.view != View::Following && !talk.messages.is_empty() {
        let first = talk.selected.or(talk.messages.front().map(|first| first.seq));
        if let Some(seq) = first {
            return ask(state, &key, Side::Around(MessageId::new(seq)));
        }
    }
    ask(state, &key, Side::Newest)
}

/// A conversation left the screen: what was new is not any more.
pub fn close(state: &mut State) {
    if let Some(key) = shown(state) {
        let talk = state.talks.get_mut(&key);
        talk.read_before = None;
        talk.unfolded.clear();
    }
}

fn ask(state: &mut State, key: &Key, side: Side) -> Vec<Effect> {
    if !state.is_live() {
        return Vec::new();
    }
    let talk = state.talks.get_mut(key);
    if talk.loading.is_some() {
        return Vec::new();
    }
    talk.loading = Some(side);
    vec![Effect::Ask(Request::Page(key.0.clone(), key.1.clone(), side))]
}

/// Moves the view by rows.
pub fn scroll(state: &mut State, rows: isize) -> Vec<Effect> {
    let Some(key) = shown(state) else { return Vec::new() };
    let height = crate::view::layout::channel_height(state);
    let view = {
        let Some(talk) = state.talks.get(&key) else { return Vec::new() };
        let pages = Pages::new(state, talk);
        let place = flow::scrolled(&pages, pages.place(height), rows, height);
        pages.view(place, height)
    };
    let talk = state.talks.get_mut(&key);
    talk.view = view;
    talk.selected = None;
    more(state, &key)
}

/// Selects the message before or after the selected one.
pub fn step(state: &mut State, by: isize) -> Vec<Effect> {
    let Some(key) = shown(state) else { return Vec::new() };
    let height = crate::view::layout::channel_height(state);
    let Some(talk) = state.talks.get(&key).filter(|talk| !talk.messages.is_empty()) else {
        return Vec::new();
    };
    let last = talk.messages.len() - 1;
    let at = talk.selected.and_then(|seq| talk.index(seq));
    let to = match at {
        Some(at) => at.saturating_add_signed(by).min(last),
        None if by < 0 => {
            let pages = Pages::new(state, talk);
            flow::last_visible(&pages, pages.place(height), height)
        }
        None => last,
    };
    let seq = talk.messages[to].seq;
    let (view, is_end) = {
        let pages = Pages::new(state, talk);
        let place = flow::with(&pages, pages.place(height), to, height);
        (pages.view(place, height), to == last && by > 0 && at == Some(last))
    };
    let talk = state.talks.get_mut(&key);
    talk.view = view;
    talk.selected = (!is_end).then_some(seq);
    more(state, &key)
}

/// To the newest, and following.
pub fn newest(state: &mut State) -> Vec<Effect> {
    let Some(key) = shown(state) else { return Vec::new() };
    let talk = state.talks.get_mut(&key);
    talk.view = View::Following;
    talk.selected = None;
    if talk.has_newer {
        talk.loading = None;
        return ask(state, &key, Side::Newest);
    }
    Vec::new()
}

/// To the first.
pub fn oldest(state: &mut State) -> Vec<Effect> {
    let Some(key) = shown(state) else { return Vec::new() };
    let talk = state.talks.get_mut(&key);
    if talk.has_older {
        talk.loading = None;
        return ask(state, &key, Side::Oldest);
    }
    if let Some(first) = talk.messages.front() {
        talk.view = View::At { seq: first.seq, line: 0 };
        talk.selected = Some(first.seq);
    }
    Vec::new()
}

/// To one message, wherever it is.
pub fn go_to(state: &mut State, id: MessageId) -> Vec<Effect> {
    let Some(key) = shown(state) else { return Vec::new() };
    let height = crate::view::layout::channel_height(state);
    let talk = state.talks.get_mut(&key);
    if talk.index(id.number()).is_none() {
        talk.loading = None;
        return ask(state, &key, Side::Around(id));
    }
    talk.selected = Some(id.number());
    let Some(talk) = state.talks.get(&key) else { return Vec::new() };
    let view = {
        let pages = Pages::new(state, talk);
        let to = talk.index(id.number()).unwrap_or(0);
        pages.view(flow::with(&pages, pages.place(height), to, height), height)
    };
    state.talks.get_mut(&key).view = view;
    Vec::new()
}

/// Asks for what the view comes near to.
pub fn more(state: &mut State, key: &Key) -> Vec<Effect> {
    let Some(talk) = state.talks.get(key) else { return Vec::new() };
    let View::At { seq, .. } = talk.view else { return Vec::new() };
    let at = talk.index(seq).unwrap_or(0);
    let (first, last) = (talk.messages.front(), talk.messages.back());
    let side = if talk.has_older && at < NEAR {
        first.map(|first| Side::Before(first.id))
    } else if talk.has_newer && talk.messages.len() - at < NEAR * 2 {
        last.map(|last| Side::After(last.id))
    } else {
        None
    };
    side.map_or_else(Vec::new, |side| ask(state, key, side))
}

/// Tells the daemon what was read: only when the newest message is on the screen of a terminal that
/// has focus, and the pane has focus too.
pub fn read(state: &mut State) -> Vec<Effect> {
    let Some(key) = shown(state) else { return Vec::new() };
    let is_seen = state.has_focus
        && state.focus == Focus::Main
        && state.overlays.is_empty()
        && state.is_live()
        && !state.read_only;
    if !is_seen {
        return Vec::new();
    }
    let Some(talk) = state.talks.get(&key) else { return Vec::new() };
    let Some(until) = newest_seen(state, talk) else { return Vec::new() };
    let known = state.mirror().group(&key.0, &key.1).map_or(0, |group| group.read_seq);
    if until <= known || until <= talk.told {
        return Vec::new();
    }
    state.talks.get_mut(&key).told = until;
    vec![Effect::Ask(Request::Read(key.0, key.1, MessageId::new(until)))]
}

fn newest_seen(state: &State, talk: &Talk) -> Option<i64> {
    if !talk.is_loaded || talk.has_newer {
        return None;
    }
    let height = crate::view::layout::channel_height(state);
    let pages = Pages::new(state, talk);
    let is_at_end = flow::below(&pages, pages.place(height), height) == 0;
    is_at_end.then(|| talk.messages.back().map(|last| last.seq))?
}
