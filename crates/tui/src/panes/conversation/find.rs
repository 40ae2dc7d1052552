//! Looking for a text in a conversation, all of it.

use agent_worker_protocol::{Message, MessageId};

use super::scroll;
use crate::{
    action::Action,
    model::{
        Answer, Effect, Model, Reply, Request,
        known::talks::{Mark, Side},
    },
    text::found::holds,
};

/// Looks for a text: from what is on the screen to older messages.
pub fn find(model: &mut Model, text: &str) -> Vec<Effect> {
    let Some(key) = model.conversation() else { return Vec::new() };
    let from = scroll::current(model);
    text.clone_into(&mut model.known.talks.get_mut(&key).find);
    seek(model, false, from.map(|mark| Mark { seq: mark.seq + 1, ..mark }))
}

/// Goes to the next match.
pub fn next(model: &mut Model, newer: bool) -> Vec<Effect> {
    let from = scroll::current(model);
    seek(model, newer, from)
}

/// Goes to the next match before or after a line: what is loaded is searched first, then the
/// daemon is asked. Of a long message only the beginning is loaded: unless that matches, the daemon
/// is asked from there on.
fn seek(model: &mut Model, newer: bool, from: Option<Mark>) -> Vec<Effect> {
    let Some(key) = model.conversation() else { return Vec::new() };
    let Some(talk) = model.known.talks.get(&key) else { return Vec::new() };
    if talk.find.is_empty() {
        let search = model.key(Action::Search);
        return model.tell(format!("nothing is searched for: {search} searches"));
    }
    let Some(from) = from else { return model.tell("no message here") };
    let is_live = model.is_live();
    let is_hit = |message: &&Message| holds(&message.content, &talk.find);
    let is_cut = |message: &&Message| is_live && message.resource.is_some();
    let may_hold = |message: &&Message| is_hit(message) || is_cut(message);
    let nearest = if newer {
        talk.messages.iter().filter(|message| message.seq > from.seq).find(may_hold)
    } else {
        talk.messages.iter().rev().filter(|message| message.seq < from.seq).find(may_hold)
    };
    if let Some(id) = nearest.filter(is_hit).map(|hit| hit.id) {
        return scroll::go_to_match(model, id);
    }
    let side = match nearest.map(|long| long.seq) {
        Some(seq) if newer => Some(Side::After(MessageId::new(seq - 1))),
        Some(seq) => Some(Side::Before(MessageId::new(seq + 1))),
        None if newer => {
            talk.messages.back().filter(|_| talk.has_newer).map(|last| Side::After(last.id))
        }
        None => {
            talk.messages.front().filter(|_| talk.has_older).map(|first| Side::Before(first.id))
        }
    };
    let text = talk.find.clone();
    match side {
        Some(side) if is_live => {
            model.tell(format!("searching all of it for {text}"));
            let (scope, group) = key;
            vec![Effect::Ask(Request::Find { scope, group, text, side })]
        }
        _ => none(model, &text, newer),
    }
}

fn none(model: &mut Model, text: &str, newer: bool) -> Vec<Effect> {
    let (which, other) =
        if newer { ("newer", Action::NextMatch) } else { ("older", Action::PreviousMatch) };
    let key = model.key(other);
    model.tell(format!("no {which} match for {text}: {key} goes the other way"))
}

/// It was found, or not.
pub fn found(model: &mut Model, request: &Request, answer: Answer) -> Vec<Effect> {
    let Request::Find { scope, group, text, side } = request else { return Vec::new() };
    let key = (scope.clone(), group.clone());
    let is_wanted = model.conversation().as_ref() == Some(&key)
        && model.known.talks.get(&key).is_some_and(|talk| talk.find == *text);
    match answer {
        _ if !is_wanted => Vec::new(),
        Ok(Reply::Messages(page)) => {
            let Some(message) = page.messages.first() else {
                return none(model, text, matches!(side, Side::After(_)));
            };
            model.prompt.notice = None;
            if !holds(&message.content, text) {
                let open = model.pane_key(Action::Pager);
                model.tell(format!("the match is in the whole text: {open} opens it"));
            }
            scroll::go_to_match(model, message.id)
        }
        Ok(_) => Vec::new(),
        Err(trouble) => model.not_loaded(&trouble),
    }
}
