//! Going to a time in a conversation, and where in it the view stands.

use agent_worker_client::text::numbers;
use agent_worker_protocol::{MessageId, Timestamp};

use super::scroll;
use crate::{
    action::Action,
    model::{
        Answer, Effect, Model, Reply, Request, Talk,
        known::talks::{Kinds, View},
        layout::{self, Class},
    },
    paint::Row,
    text::moment::moment,
    theme::Role,
};

/// Goes to the first message from a time on: what is loaded is looked at first, then the daemon is
/// asked. An error says what a time looks like.
pub fn go_to(model: &mut Model, text: &str) -> Result<Vec<Effect>, String> {
    let at = moment(text, model.shown_at(), model.zone())?;
    let Some(key) = model.conversation() else { return Ok(Vec::new()) };
    let talk = model.known.talks.get_mut(&key);
    let from = talk.messages.partition_point(|message| message.created_at < at);
    let is_loaded = talk.is_loaded && (from > 0 || !talk.has_older);
    match talk.messages.get(from).map(|message| message.seq) {
        Some(seq) if is_loaded => Ok(show(model, seq, at)),
        None if is_loaded && !talk.has_newer => Ok(nothing_since(model, at)),
        _ if model.is_live() => {
            model.tell("looking for that time");
            let (scope, group) = key;
            Ok(vec![Effect::Ask(Request::Since(scope, group, at))])
        }
        _ => Err("not connected: that time is not loaded".to_owned()),
    }
}

/// Shows the first message from a time on that the daemon has found.
pub fn found(model: &mut Model, request: &Request, answer: Answer) -> Vec<Effect> {
    let Request::Since(scope, group, at) = request else { return Vec::new() };
    if model.conversation().as_ref() != Some(&(scope.clone(), group.clone())) {
        return Vec::new();
    }
    match answer {
        Ok(Reply::Messages(page)) => match page.messages.first() {
            Some(message) => show(model, message.seq, *at),
            None => nothing_since(model, *at),
        },
        Ok(_) => Vec::new(),
        Err(trouble) => model.not_loaded(&trouble),
    }
}

/// Has a message on top, and selected.
fn show(model: &mut Model, seq: i64, at: Timestamp) -> Vec<Effect> {
    let Some(key) = model.conversation() else { return Vec::new() };
    let talk = model.known.talks.get_mut(&key);
    if talk.kinds == Kinds::Happened {
        talk.kinds = Kinds::All;
    }
    let is_there = talk.index(seq).is_some();
    let time = model.zone().near(at, model.shown_at());
    let last = model.key(Action::Last);
    model.tell(format!("first message from {time} on: {last} goes back to the newest"));
    if !is_there {
        return scroll::go_to(model, MessageId::new(seq));
    }
    model.known.talks.get_mut(&key).go_to(seq);
    scroll::more(model, &key)
}

fn nothing_since(model: &mut Model, at: Timestamp) -> Vec<Effect> {
    let time = model.zone().near(at, model.shown_at());
    model.tell(format!("no message since {time}: this is the newest"));
    scroll::newest(model)
}

/// Which message the view stands at, and when it was said: `388 of 4,410  Tue 14:05`; empty at the
/// end. Between two parts that are not loaded only the time is known.
pub fn position(model: &Model, talk: &Talk) -> Row {
    let View::At { mark, .. } = talk.view else { return Row::new() };
    let seq = talk.selected.unwrap_or(mark).seq;
    let index = talk.messages.partition_point(|message| message.seq < seq);
    let Some(message) = talk.messages.get(index) else { return Row::new() };
    let group = model.conversation().and_then(|(scope, name)| model.mirror().group(&scope, &name));
    let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let total = group.map_or(0, |group| group.messages);
    let number = if talk.has_older {
        (!talk.has_newer).then(|| total - count(talk.messages.len() - index) + 1)
    } else {
        Some(count(index) + 1)
    };
    let mut row = Row::new();
    if let Some(number) = number.filter(|number| (1..=total).contains(number)) {
        let words = format!("{} of {} ", numbers::count(number), numbers::count(total));
        row.push(words, Role::Dim);
    }
    if layout::class(model.display.size) != Class::Small {
        let time = model.zone().near(message.created_at, model.shown_at());
        row.push(format!("{time} "), Role::Dim);
    }
    row
}
