//! Looking for a text in a conversation, all of it.

use agent_worker_protocol::channel::Message;

use super::scroll;
use crate::{
    app::answer,
    model::{
        State,
        requests::{Effect, Reply, Request, Trouble},
        talks::{Mark, Side},
    },
    text::found::holds,
};

/// Looks for a text: from what is on the screen to older messages, unless newer ones are wanted.
pub fn find(state: &mut State, text: &str, _: bool) -> Vec<Effect> {
    let Some(key) = scroll::shown(state) else { return Vec::new() };
    let from = scroll::current(state);
    text.clone_into(&mut state.talks.get_mut(&key).find);
    seek(state, false, from.map(|mark| Mark { seq: mark.seq + 1, ..mark }))
}

/// Goes to the next match.
pub fn next(state: &mut State, newer: bool) -> Vec<Effect> {
    let from = scroll::current(state);
    seek(state, newer, from)
}

/// Goes to the next match before or after a line: what is loaded is searched first, then the
/// daemon is asked.
fn seek(state: &mut State, newer: bool, from: Option<Mark>) -> Vec<Effect> {
    let Some(key) = scroll::shown(state) else { return Vec::new() };
    let Some(talk) = state.talks.get(&key) else { return Vec::new() };
    if talk.find.is_empty() {
        state.tell("nothing is searched for: / searches");
        return Vec::new();
    }
    let Some(from) = from else { return super::nothing(state) };
    let is_hit = |message: &&Message| holds(&message.content, &talk.find);
    let hit = if newer {
        talk.messages.iter().filter(|message| message.seq > from.seq).find(is_hit)
    } else {
        talk.messages.iter().rev().filter(|message| message.seq < from.seq).find(is_hit)
    };
    if let Some(id) = hit.map(|hit| hit.id) {
        return scroll::go_to(state, id);
    }
    let side = if newer {
        talk.messages.back().filter(|_| talk.has_newer).map(|last| Side::After(last.id))
    } else {
        talk.messages.front().filter(|_| talk.has_older).map(|first| Side::Before(first.id))
    };
    let text = talk.find.clone();
    match side {
        Some(side) if state.is_live() => {
            state.tell(format!("searching all of it for {text}"));
            let (scope, group) = key;
            vec![Effect::Ask(Request::Find { scope, group, text, side })]
        }
        _ => {
            none(state, &text, newer);
            Vec::new()
        }
    }
}

fn none(state: &mut State, text: &str, newer: bool) {
    let (which, key) = if newer { ("newer", "n") } else { ("older", "N") };
    state.tell(format!("no {which} match for {text}: {key} goes the other way"));
}

/// It was found, or not.
pub fn found(state: &mut State, request: &Request, answer: Result<Reply, Trouble>) -> Vec<Effect> {
    let Request::Find { scope, group, text, side } = request else { return Vec::new() };
    let key = (scope.clone(), group.clone());
    let is_wanted = scroll::shown(state).as_ref() == Some(&key)
        && state.talks.get(&key).is_some_and(|talk| talk.find == *text);
    match answer {
        _ if !is_wanted => Vec::new(),
        Ok(Reply::Messages(page)) => {
            let Some(message) = page.messages.first() else {
                none(state, text, matches!(side, Side::After(_)));
                return Vec::new();
            };
            state.notice = None;
            scroll::go_to(state, message.id)
        }
        Ok(_) => Vec::new(),
        Err(trouble) => {
            answer::told(state, &trouble);
            Vec::new()
        }
    }
}
