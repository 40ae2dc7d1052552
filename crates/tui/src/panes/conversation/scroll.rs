//! Conversations: what is loaded, where the view stands, what was read.

use agent_worker_protocol::{conversation::Conversation, id::MessageId, target::Scope};

use super::{draw, item::Item, pages::Pages};
use crate::{
    model::{
        Focus, State, layout,
        place::Tab,
        requests::{Effect, Request},
        talks::{Bookmark, Kinds, MOST, Mark, PAGE, Side, Talk, View, unread},
    },
    parts::flow,
};

type Key = (Scope, Conversation);

/// How near to the edge of what is loaded the next page is asked for, in messages.
const NEAR: usize = 40;

/// The conversation on the screen.
pub fn shown(state: &State) -> Option<Key> {
    let is_talk = matches!(state.place.tab, Tab::Channel | Tab::Messages);
    state.place.subject.conversation().filter(|_| is_talk)
}

/// A conversation came onto the screen.
pub fn open(state: &mut State) -> Vec<Effect> {
    let Some(key) = shown(state) else { return Vec::new() };
    state.talks.look(&key);
    let group = state.mirror().group(&key.0, &key.1);
    let is_unread = group.is_some_and(|group| unread(group) > 0);
    let read = group.map(|group| group.read_seq);
    let talk = state.talks.get_mut(&key);
    if talk.bookmark.read.is_none() {
        talk.bookmark = Bookmark { read, has_new: is_unread };
    }
    if talk.is_loaded || talk.loading.is_some() {
        return story(state);
    }
    let selected = talk.selected.map(|mark| mark.seq);
    let first = selected.or(talk.messages.front().map(|first| first.seq));
    match first.filter(|_| talk.view != View::Following) {
        Some(seq) => ask(state, &key, Side::Around(MessageId::new(seq))),
        None => ask(state, &key, Side::Newest),
    }
}

/// Asks for what happened between the messages that are loaded.
pub fn story(state: &mut State) -> Vec<Effect> {
    let Some((scope, Conversation::Channel)) = shown(state).filter(|_| state.is_live()) else {
        return Vec::new();
    };
    let talk = state.talks.get(&(scope.clone(), Conversation::Channel));
    let first = talk.and_then(|talk| talk.messages.front()).map(|first| first.created_at);
    let request = first.and_then(|first| state.talks.notes.ask(&scope, first));
    request.map(Effect::Ask).into_iter().collect()
}

/// A conversation left the screen: what was new is not any more.
pub fn close(state: &mut State) {
    if let Some(key) = shown(state) {
        let talk = state.talks.get_mut(&key);
        talk.bookmark = Bookmark::default();
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

/// Rows that the messages of a conversation have.
pub fn height(state: &State, key: &Key) -> usize {
    let height = layout::channel_height(state);
    match state.talks.get(key) {
        Some(talk) => draw::height_of_flow(state, key, talk, height),
        None => height,
    }
}

/// Moves the view by rows.
pub fn scroll(state: &mut State, rows: isize) -> Vec<Effect> {
    let Some(key) = shown(state) else { return Vec::new() };
    let height = height(state, &key);
    let view = {
        let Some(talk) = state.talks.get(&key) else { return Vec::new() };
        let pages = Pages::new(state, talk);
        let place = flow::scrolled(&pages, pages.place(height), rows, height);
        pages.view(place, height)
    };
    let talk = state.talks.get_mut(&key);
    talk.look(view);
    talk.selected = None;
    more(state, &key)
}

/// Selects the line before or after the selected one.
pub fn step(state: &mut State, by: isize) -> Vec<Effect> {
    let Some(key) = shown(state) else { return Vec::new() };
    let height = height(state, &key);
    let Some(talk) = state.talks.get(&key) else { return Vec::new() };
    let (view, selected) = {
        let pages = Pages::new(state, talk);
        let Some(last) = flow::Flow::len(&pages).checked_sub(1) else { return Vec::new() };
        let at = talk.selected.and_then(|mark| pages.index(mark));
        let to = match at {
            Some(at) => at.saturating_add_signed(by).min(last),
            None if by < 0 => flow::last_visible(&pages, pages.place(height), height),
            None => last,
        };
        let place = flow::with(&pages, pages.place(height), to, height);
        let is_end = to == last && by > 0 && at == Some(last);
        (pages.view(place, height), pages.get(to).map(Item::mark).filter(|_| !is_end))
    };
    let talk = state.talks.get_mut(&key);
    talk.look(view);
    talk.selected = selected;
    more(state, &key)
}

/// Selects what stands in a row of the pane; the view stays.
pub fn click(state: &mut State, row: u16) -> Vec<Effect> {
    let Some(key) = shown(state) else { return Vec::new() };
    let Some(talk) = state.talks.get(&key) else { return Vec::new() };
    if let Some(mark) = draw::line_at(state, &key, talk, usize::from(row)) {
        state.talks.get_mut(&key).selected = Some(mark);
    }
    Vec::new()
}

/// What is selected: without a selection the last line that is on the screen.
pub fn current(state: &State) -> Option<Mark> {
    let key = shown(state)?;
    let talk = state.talks.get(&key)?;
    let pages = Pages::new(state, talk);
    if let Some(mark) = talk.selected.filter(|mark| pages.index(*mark).is_some()) {
        return Some(mark);
    }
    let height = height(state, &key);
    let last = flow::last_visible(&pages, pages.place(height), height);
    pages.get(last).map(Item::mark)
}

/// To the newest, and following.
pub fn newest(state: &mut State) -> Vec<Effect> {
    let Some(key) = shown(state) else { return Vec::new() };
    let talk = state.talks.get_mut(&key);
    talk.look(View::Following);
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
    if let Some(seq) = talk.messages.front().map(|first| first.seq) {
        talk.go_to(seq);
    }
    Vec::new()
}

/// To one message, wherever it is.
pub fn go_to(state: &mut State, id: MessageId) -> Vec<Effect> {
    let Some(key) = shown(state) else { return Vec::new() };
    let height = height(state, &key);
    let talk = state.talks.get_mut(&key);
    if talk.index(id.number()).is_none() {
        talk.loading = None;
        return ask(state, &key, Side::Around(id));
    }
    let mark = Mark::message(id.number());
    talk.selected = Some(mark);
    talk.kinds = Kinds::All;
    let Some(talk) = state.talks.get(&key) else { return Vec::new() };
    let view = {
        let pages = Pages::new(state, talk);
        let to = pages.position(mark);
        pages.view(flow::with(&pages, pages.place(height), to, height), height)
    };
    state.talks.get_mut(&key).look(view);
    Vec::new()
}

/// Asks for what the view comes near to.
pub fn more(state: &mut State, key: &Key) -> Vec<Effect> {
    let Some(talk) = state.talks.get(key) else { return Vec::new() };
    let View::At { mark, .. } = talk.view else { return fill(state, key) };
    let at = talk.messages.partition_point(|message| message.seq < mark.seq);
    let (first, last) = (talk.messages.front(), talk.messages.back());
    // The view stands at its first row: at most so many messages more are on the screen.
    let ahead = NEAR + height(state, key);
    let side = if talk.has_older && at < NEAR {
        first.map(|first| Side::Before(first.id))
    } else if talk.has_newer && talk.messages.len() - at < ahead {
        last.map(|last| Side::After(last.id))
    } else {
        None
    };
    let mut effects = side.map_or_else(Vec::new, |side| ask(state, key, side));
    effects.extend(story(state));
    effects
}

/// Asks for older messages while those that are shown leave room.
fn fill(state: &mut State, key: &Key) -> Vec<Effect> {
    let Some(talk) = state.talks.get(key) else { return Vec::new() };
    let has_room = talk.has_older && talk.messages.len() + PAGE as usize <= MOST;
    let is_short = {
        let pages = Pages::new(state, talk);
        flow::end(&pages, height(state, key)) == flow::Spot::default()
    };
    let first = talk.messages.front().filter(|_| has_room && is_short).map(|first| first.id);
    let mut effects = first.map_or_else(Vec::new, |first| ask(state, key, Side::Before(first)));
    effects.extend(story(state));
    effects
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
    let Some(talk) = state.talks.get(&key) else { return Vec::new() };
    let Some(until) = newest_seen(state, &key, talk).filter(|_| is_seen) else {
        unseen(state, &key);
        return Vec::new();
    };
    let talk = state.talks.get_mut(&key);
    if !talk.bookmark.has_new {
        // What comes under the person's eyes is not new.
        talk.bookmark.read = talk.bookmark.read.max(Some(until));
    }
    let told = talk.told;
    let known = state.mirror().group(&key.0, &key.1).map_or(0, |group| group.read_seq);
    if until <= known || until <= told {
        return Vec::new();
    }
    state.talks.get_mut(&key).told = until;
    vec![Effect::Ask(Request::Read(key.0, key.1, MessageId::new(until)))]
}

/// What came while the person did not look is new.
fn unseen(state: &mut State, key: &Key) {
    let own = state.identity.clone();
    let talk = state.talks.get_mut(key);
    let read = talk.bookmark.read.unwrap_or(i64::MAX);
    talk.bookmark.has_new |= talk.messages.iter().rev().any(|it| it.seq > read && it.sender != own);
}

fn newest_seen(state: &State, key: &Key, talk: &Talk) -> Option<i64> {
    if !talk.is_loaded || talk.has_newer || talk.kinds == Kinds::Happened {
        return None;
    }
    let newest = talk.messages.back().map(|last| last.seq);
    let View::At { mark, .. } = talk.view else { return newest };
    let height = height(state, key);
    let from = talk.messages.partition_point(|message| message.seq < mark.seq);
    if talk.messages.len() - from > height {
        return None;
    }
    let pages = Pages::new(state, talk);
    newest.filter(|_| flow::below(&pages, pages.place(height), height) == 0)
}

/// Goes to where what is new begins; false if it is on the screen already, or nothing is new.
pub fn to_unread(state: &mut State) -> Option<Vec<Effect>> {
    let key = shown(state)?;
    let talk = state.talks.get(&key)?;
    let read = talk.bookmark.read?;
    let is_unread = state.mirror().group(&key.0, &key.1).is_some_and(|group| group.last_seq > read);
    if !is_unread || !talk.is_loaded {
        return None;
    }
    let is_loaded = !talk.has_older || talk.messages.front().is_some_and(|first| first.seq <= read);
    if !is_loaded {
        let side = if read == 0 { Side::Oldest } else { Side::Around(MessageId::new(read)) };
        state.talks.get_mut(&key).loading = None;
        return Some(ask(state, &key, side));
    }
    let height = height(state, &key);
    let first = talk.messages.iter().find(|message| message.seq > read)?;
    let mark = Mark::message(first.seq);
    let view = {
        let pages = Pages::new(state, talk);
        let (place, item) = (pages.place(height), pages.index(mark)?);
        let is_seen = place.item <= item && item <= flow::last_visible(&pages, place, height);
        if is_seen {
            return None;
        }
        pages.view(flow::Spot { item, line: 0 }.min(flow::end(&pages, height)), height)
    };
    let talk = state.talks.get_mut(&key);
    talk.look(view);
    talk.selected = None;
    Some(more(state, &key))
}
