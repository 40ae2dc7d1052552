//! Conversations: what is loaded, where the view stands, what was read.

use agent_worker_protocol::{Conversation, MessageId, Scope};

use super::{draw, item::Entry, pages::Pages};
use crate::{
    model::{
        Effect, Focus, Model, Request, Talk,
        known::talks::{Bookmark, Kinds, MOST, Mark, PAGE, Side, View},
        layout,
    },
    parts::flow::{self, Spot},
};

type Key = (Scope, Conversation);

/// How near to the edge of what is loaded the next page is asked for, in messages.
const NEAR: usize = 40;

/// A conversation came onto the screen.
pub fn open(model: &mut Model) -> Vec<Effect> {
    let Some(key) = model.conversation() else { return Vec::new() };
    model.known.talks.look(&key);
    let group = model.mirror().group(&key.0, &key.1);
    let is_unread = group.is_some_and(|group| model.unread(group) > 0);
    // What others write to each other is not new to the person: no line says so.
    let read =
        group.map(|group| if model.is_of_others(group) { group.last_seq } else { group.read_seq });
    let talk = model.known.talks.get_mut(&key);
    if talk.bookmark.read.is_none() {
        talk.bookmark = Bookmark { read, has_new: is_unread };
    }
    if talk.is_loaded || talk.loading.is_some() {
        return story(model);
    }
    let selected = talk.selected.map(|mark| mark.seq);
    let first = selected.or(talk.messages.front().map(|first| first.seq));
    let first = first.filter(|_| talk.view != View::Following).map(MessageId::new);
    ask(model, &key, first.map_or(Side::Newest, Side::Around))
}

/// Asks for what happened between the messages that are loaded.
pub fn story(model: &mut Model) -> Vec<Effect> {
    let may_ask = model.is_live() && model.view.is_none();
    let shown = model.conversation().filter(|_| may_ask);
    let Some((scope, Conversation::Channel)) = shown else { return Vec::new() };
    let talk = model.known.talks.get(&(scope.clone(), Conversation::Channel));
    let first = talk.and_then(|talk| talk.messages.front()).map(|first| first.created_at);
    let before = first.and_then(|first| model.known.talks.notes.ask(&scope, first));
    before.map(|before| Effect::Ask(Request::Story(scope, before))).into_iter().collect()
}

/// Asks for messages of a conversation, unless others are on their way.
pub fn ask(model: &mut Model, key: &Key, side: Side) -> Vec<Effect> {
    if !model.is_live() {
        return Vec::new();
    }
    let talk = model.known.talks.get_mut(key);
    if talk.loading.is_some() {
        return Vec::new();
    }
    talk.loading = Some(side);
    vec![Effect::Ask(Request::Page(key.0.clone(), key.1.clone(), side, talk.pictures))]
}

/// Rows that the messages of a conversation have.
pub fn height(model: &Model, key: &Key) -> usize {
    let height = layout::channel_height(model);
    let talk = model.known.talks.get(key);
    talk.map_or(height, |talk| draw::height_of_flow(model, key, talk, height))
}

/// Looks at a conversation as it is on the screen, with the number of its rows.
fn looked<T>(model: &Model, key: &Key, look: impl FnOnce(&Pages<'_>, usize) -> T) -> Option<T> {
    let talk = model.known.talks.get(key)?;
    Some(look(&Pages::new(model, talk), height(model, key)))
}

/// Has the view stand there, with this selected.
fn move_to(model: &mut Model, key: &Key, view: View, selected: Option<Mark>) -> Vec<Effect> {
    let talk = model.known.talks.get_mut(key);
    talk.look(view);
    // What is selected together stays so while the view moves.
    if selected.is_some() || talk.anchor.is_none() {
        talk.selected = selected;
    }
    more(model, key)
}

/// Moves the view by rows.
pub fn scroll(model: &mut Model, rows: isize) -> Vec<Effect> {
    let Some(key) = model.conversation() else { return Vec::new() };
    let view = looked(model, &key, |pages, height| {
        pages.view(flow::scrolled(pages, pages.place(height), rows, height), height)
    });
    view.map_or_else(Vec::new, |view| move_to(model, &key, view, None))
}

/// Selects the line before or after the selected one.
pub fn step(model: &mut Model, by: isize) -> Vec<Effect> {
    let Some(key) = model.conversation() else { return Vec::new() };
    let moved = looked(model, &key, |pages, height| {
        let last = flow::Flow::len(pages).checked_sub(1)?;
        let at = pages.talk.selected.and_then(|mark| pages.index(mark));
        let to = match at {
            Some(at) => at.saturating_add_signed(by).min(last),
            None if by < 0 => flow::last_visible(pages, pages.place(height), height),
            None => last,
        };
        let place = flow::with(pages, pages.place(height), to, height);
        let is_end = to == last && by > 0 && at == Some(last);
        Some((pages.view(place, height), pages.get(to).map(Entry::mark).filter(|_| !is_end)))
    });
    let Some((view, selected)) = moved.flatten() else { return Vec::new() };
    move_to(model, &key, view, selected)
}

/// What is selected: without a selection the last line that is on the screen.
pub fn current(model: &Model) -> Option<Mark> {
    let key = model.conversation()?;
    looked(model, &key, |pages, height| {
        let selected = pages.talk.selected.filter(|mark| pages.index(*mark).is_some());
        let last = || pages.get(flow::last_visible(pages, pages.place(height), height));
        selected.or_else(|| last().map(Entry::mark))
    })?
}

/// To the newest, and following.
pub fn newest(model: &mut Model) -> Vec<Effect> {
    let Some(key) = model.conversation() else { return Vec::new() };
    let talk = model.known.talks.get_mut(&key);
    talk.look(View::Following);
    let last = talk.messages.back().map(|last| Mark::message(last.seq));
    talk.selected = talk.anchor.and(last);
    if talk.has_newer {
        talk.loading = None;
        return ask(model, &key, Side::Newest);
    }
    Vec::new()
}

pub fn oldest(model: &mut Model) -> Vec<Effect> {
    let Some(key) = model.conversation() else { return Vec::new() };
    let talk = model.known.talks.get_mut(&key);
    if talk.has_older {
        talk.loading = None;
        return ask(model, &key, Side::Oldest);
    }
    if let Some(seq) = talk.messages.front().map(|first| first.seq) {
        talk.go_to(seq);
    }
    Vec::new()
}

/// To one message, wherever it is.
pub fn go_to(model: &mut Model, id: MessageId) -> Vec<Effect> {
    let Some(key) = model.conversation() else { return Vec::new() };
    let talk = model.known.talks.get_mut(&key);
    talk.kinds = Kinds::All;
    if talk.index(id.number()).is_none() {
        talk.loading = None;
        return ask(model, &key, Side::Around(id));
    }
    let mark = Mark::message(id.number());
    talk.selected = Some(mark);
    let view = looked(model, &key, |pages, height| {
        let to = pages.position(mark);
        pages.view(flow::with(pages, pages.place(height), to, height), height)
    });
    model.known.talks.get_mut(&key).look(view.unwrap_or_default());
    Vec::new()
}

/// To a message that holds what is searched for, with that on the screen.
pub fn go_to_match(model: &mut Model, id: MessageId) -> Vec<Effect> {
    let Some(key) = model.conversation() else { return Vec::new() };
    let effects = go_to(model, id);
    let talk = model.known.talks.get_mut(&key);
    talk.found = Some(id.number());
    if talk.index(id.number()).is_some() {
        show_match(model, &key);
    }
    effects
}

/// Shows the row that matches, once its message is loaded and selected: the message is unfolded if
/// the row is in the folded part.
pub fn show_match(model: &mut Model, key: &Key) {
    let talk = model.known.talks.get_mut(key);
    let found = talk.found.take().map(Mark::message);
    let Some(mark) = found.filter(|mark| talk.selected == Some(*mark)) else { return };
    let is_folded = looked(model, key, |pages, _| {
        let message = pages.get(pages.index(mark)?)?.message()?;
        Some(pages.is_match_folded(message))
    });
    if is_folded.flatten() == Some(true) {
        model.known.talks.get_mut(key).unfolded.insert(mark.seq);
    }
    let view = looked(model, key, |pages, height| {
        let item = pages.index(mark)?;
        let row = pages.row_found(pages.get(item)?.message()?);
        let spot = match row.map(|row| pages.rules_above(item) + row) {
            Some(line) if flow::Flow::height(pages, item) > height => {
                let spot = Spot { item, line: line.saturating_sub(height / 3) };
                spot.min(flow::end(pages, height))
            }
            _ => flow::with(pages, pages.place(height), item, height),
        };
        Some(pages.view(spot, height))
    });
    if let Some(view) = view.flatten() {
        model.known.talks.get_mut(key).look(view);
    }
}

/// Asks for what the view comes near to; at the end, for older messages while those that are shown
/// leave room.
pub fn more(model: &mut Model, key: &Key) -> Vec<Effect> {
    let Some(talk) = model.known.talks.get(key) else { return Vec::new() };
    let (count, height) = (talk.messages.len(), height(model, key));
    let (is_near_first, is_near_last) = match talk.view {
        View::At { mark, .. } => {
            let at = talk.messages.partition_point(|message| message.seq < mark.seq);
            // The view stands at its first row: at most its height more are on the screen.
            (at < NEAR, count - at < NEAR + height)
        }
        View::Following => {
            let is_short = flow::end(&Pages::new(model, talk), height) == Spot::default();
            (is_short && count + PAGE as usize <= MOST, false)
        }
    };
    let side = if talk.has_older && is_near_first {
        talk.messages.front().map(|first| Side::Before(first.id))
    } else {
        let last = talk.messages.back().filter(|_| talk.has_newer && is_near_last);
        last.map(|last| Side::After(last.id))
    };
    let mut effects = side.map_or_else(Vec::new, |side| ask(model, key, side));
    effects.extend(story(model));
    effects
}

/// Tells the daemon what was read: only when the newest message is on the screen of a terminal that
/// has focus, and the pane has focus too.
pub fn read(model: &mut Model, is_covered: bool) -> Vec<Effect> {
    let Some(key) = model.conversation() else { return Vec::new() };
    let is_seen = model.display.has_focus
        && model.selection.focus == Focus::Main
        && !is_covered
        && model.is_live()
        && model.view.is_none()
        && !model.settings.read_only;
    let Some(talk) = model.known.talks.get(&key) else { return Vec::new() };
    let Some(until) = newest_seen(model, &key, talk).filter(|_| is_seen) else {
        unseen(model, &key);
        return Vec::new();
    };
    let talk = model.known.talks.get_mut(&key);
    if !talk.bookmark.has_new {
        // What comes under the person's eyes is not new.
        talk.bookmark.read = talk.bookmark.read.max(Some(until));
    }
    let told = talk.told;
    let group = model.mirror().group(&key.0, &key.1);
    if group.is_some_and(|group| model.is_of_others(group)) {
        return Vec::new();
    }
    let known = group.map_or(0, |group| group.read_seq);
    if until <= known || until <= told {
        return Vec::new();
    }
    model.known.talks.get_mut(&key).told = until;
    vec![Effect::Ask(Request::Read(key.0, key.1, MessageId::new(until)))]
}

/// What came while the person did not look is new.
fn unseen(model: &mut Model, key: &Key) {
    let own = model.person().clone();
    let talk = model.known.talks.get_mut(key);
    let read = talk.bookmark.read.unwrap_or(i64::MAX);
    talk.bookmark.has_new |= talk.messages.iter().rev().any(|it| it.seq > read && it.sender != own);
}

fn newest_seen(model: &Model, key: &Key, talk: &Talk) -> Option<i64> {
    if !talk.is_loaded || talk.has_newer || talk.kinds == Kinds::Happened {
        return None;
    }
    let newest = talk.messages.back().map(|last| last.seq);
    let View::At { mark, .. } = talk.view else { return newest };
    let height = height(model, key);
    let from = talk.messages.partition_point(|message| message.seq < mark.seq);
    if talk.messages.len() - from > height {
        return None;
    }
    let pages = Pages::new(model, talk);
    newest.filter(|_| flow::below(&pages, pages.place(height), height) == 0)
}

/// Goes to where what is new begins; false if it is on the screen already, or nothing is new.
pub fn to_unread(model: &mut Model) -> Option<Vec<Effect>> {
    let key = model.conversation()?;
    let talk = model.known.talks.get(&key)?;
    let read = talk.bookmark.read?;
    let is_unread = model.mirror().group(&key.0, &key.1).is_some_and(|group| group.last_seq > read);
    if !is_unread || !talk.is_loaded {
        return None;
    }
    let is_loaded = !talk.has_older || talk.messages.front().is_some_and(|first| first.seq <= read);
    if !is_loaded {
        let side = if read == 0 { Side::Oldest } else { Side::Around(MessageId::new(read)) };
        model.known.talks.get_mut(&key).loading = None;
        return Some(ask(model, &key, side));
    }
    let own = model.person();
    let mut messages = talk.messages.iter();
    let first = messages.find(|message| message.seq > read && message.sender != *own)?;
    let mark = Mark::message(first.seq);
    let view = looked(model, &key, |pages, height| {
        let (place, item) = (pages.place(height), pages.index(mark)?);
        let is_seen = place.item <= item && item <= flow::last_visible(pages, place, height);
        let spot = Spot { item, line: 0 }.min(flow::end(pages, height));
        (!is_seen).then(|| pages.view(spot, height))
    })??;
    Some(move_to(model, &key, view, None))
}
