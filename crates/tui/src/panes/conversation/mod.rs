//! The keys of a conversation.

use agent_worker_protocol::{
    agent::MemberKind,
    channel::Message,
    conversation::Conversation,
    event::{Event, EventPage},
    id::RunId,
    target::{Scope, Target},
};

use self::{
    item::Item,
    pages::{Pages, happened},
};
use crate::{
    action::Action,
    app::{act as doing, compose},
    model::{
        State,
        acts::Act,
        drafts::{Address, Draft},
        notes::{Note, What},
        place::Subject,
        requests::{Effect, Request},
        talks::Kinds,
    },
    overlays::{self, Overlay},
    paint::Row,
    text::cut,
    theme::Role,
};

pub mod draw;
mod find;
pub mod item;
pub mod pages;
pub mod scroll;
pub use find::{find, found};

/// How much of a line is quoted in a reply, in cells.
const QUOTED: usize = 60;

/// What is selected: something that was said, or that happened.
enum Line {
    Message(Box<Message>),
    Note(Note),
}

fn line(state: &State) -> Option<Line> {
    let talk = state.talks.get(&scroll::shown(state)?)?;
    let pages = Pages::new(state, talk);
    let item = pages.get(pages.index(scroll::current(state)?)?)?;
    Some(match item {
        Item::Message(message) => Line::Message(Box::new(message.clone())),
        Item::Note(note, _) => Line::Note(note.clone()),
    })
}

/// Something changed: what is part of the story is noted.
pub fn heard(state: &mut State, event: &Event) {
    state.talks.notes.take(&event.body);
}

/// The picture is a new one.
pub fn renewed(state: &mut State) {
    state.talks.notes.renew(state.feed.mirror());
}

/// A part of the log is there. The part before it is asked for when the view moves, so that a long
/// log is not read as a whole for one look at the first message.
pub fn told(state: &mut State, scope: &Scope, page: &EventPage) {
    state.talks.notes.load(scope, page);
}

/// A part of the log could not be read.
pub fn failed(state: &mut State, request: &Request) {
    if let Request::Story(scope, _) = request {
        state.talks.notes.give_up(scope);
    }
}

/// Its keys.
pub fn act(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    moved(state, action).or_else(|| done(state, action))
}

fn moved(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    let height = scroll::height(state, &scroll::shown(state)?);
    let page = isize::try_from(height).unwrap_or(1).max(1);
    Some(match action {
        Action::Down => scroll::scroll(state, 1),
        Action::Up => scroll::scroll(state, -1),
        Action::HalfDown => scroll::scroll(state, page / 2),
        Action::HalfUp => scroll::scroll(state, -page / 2),
        Action::PageDown => scroll::scroll(state, page),
        Action::PageUp => scroll::scroll(state, -page),
        Action::NextItem => scroll::step(state, 1),
        Action::PreviousItem => scroll::step(state, -1),
        Action::First => scroll::oldest(state),
        Action::Last => scroll::newest(state),
        Action::NextUnread => return scroll::to_unread(state),
        _ => return None,
    })
}

fn done(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    Some(match action {
        Action::Open => open(state),
        Action::Pager => whole(state),
        Action::Reply => reply(state),
        Action::Cause => cause(state),
        Action::Search => overlays::open(state, Overlay::search(state)),
        Action::NextMatch => find::next(state, false),
        Action::PreviousMatch => find::next(state, true),
        Action::Back => return back(state),
        _ => return None,
    })
}

/// What an act means for the selected line; none where it means the same as elsewhere.
pub fn wish(state: &State, action: Action) -> Option<Result<Act, String>> {
    match (action, line(state)?) {
        (Action::Retry, Line::Note(Note { what: What::Failed(run), .. })) => {
            Some(Ok(Act::RetryRun(run)))
        }
        _ => None,
    }
}

/// One step back: what is searched for, then what is selected.
fn back(state: &mut State) -> Option<Vec<Effect>> {
    let talk = state.talks.get_mut(&scroll::shown(state)?);
    if !talk.find.is_empty() {
        talk.find.clear();
    } else if talk.selected.is_some() {
        talk.selected = None;
    } else {
        return None;
    }
    Some(Vec::new())
}

fn nothing(state: &mut State) -> Vec<Effect> {
    state.tell("there is no message here");
    Vec::new()
}

/// Unfolds a long message; else shows it with what became of it.
fn open(state: &mut State) -> Vec<Effect> {
    match line(state) {
        Some(Line::Message(message)) if is_folded(state, &message) => unfold(state, &message),
        Some(Line::Message(message)) => crate::overlays::message::open(state, &message),
        Some(Line::Note(note)) => follow(state, &note),
        None => nothing(state),
    }
}

fn is_folded(state: &State, message: &Message) -> bool {
    let talk = scroll::shown(state).and_then(|key| state.talks.get(&key));
    talk.is_some_and(|talk| Pages::new(state, talk).is_folded(message))
}

fn unfold(state: &mut State, message: &Message) -> Vec<Effect> {
    if let Some(key) = scroll::shown(state) {
        let talk = state.talks.get_mut(&key);
        talk.unfolded.insert(message.seq);
        talk.go_to(message.seq);
    }
    Vec::new()
}

fn whole(state: &mut State) -> Vec<Effect> {
    match line(state) {
        Some(Line::Message(message)) => super::inbox::whole(state, &message),
        Some(Line::Note(note)) => follow(state, &note),
        None => nothing(state),
    }
}

/// Shows what a line tells of.
fn follow(state: &mut State, note: &Note) -> Vec<Effect> {
    match &note.what {
        What::Document { file, .. } => {
            let scope = state.scope();
            super::documents::open(state, &scope, file)
        }
        What::Failed(id) => {
            let agent = state.talks.notes.run(*id).map(|run| run.agent.clone());
            match agent {
                Some(agent) => open_run(state, &agent, *id),
                None => nothing(state),
            }
        }
    }
}

fn open_run(state: &mut State, agent: &Target, run: RunId) -> Vec<Effect> {
    if state.mirror().agent(agent).is_none() {
        state.warn(format!("{agent} is gone"));
        return Vec::new();
    }
    super::run::open(state, agent, run)
}

fn cause(state: &mut State) -> Vec<Effect> {
    match line(state) {
        Some(Line::Message(message)) => cause_of(state, &message),
        Some(Line::Note(note)) => follow(state, &note),
        None => nothing(state),
    }
}

/// Goes to what a message came from: the run that wrote it, or the message it answers.
pub fn cause_of(state: &mut State, message: &Message) -> Vec<Effect> {
    match (message.run, message.reply_to) {
        (Some(run), _) => {
            let known = state.mirror().run(run).map(|run| run.agent.clone());
            let agent = known
                .unwrap_or_else(|| Target::member(message.sender.clone(), message.scope.clone()));
            open_run(state, &agent, run)
        }
        (None, Some(answered)) => doing::to_line(state, &message.scope, &message.group, answered),
        (None, None) => {
            state.tell(format!("{} came from no run", message.id));
            Vec::new()
        }
    }
}

fn reply(state: &mut State) -> Vec<Effect> {
    match line(state) {
        Some(Line::Message(message)) => reply_to(state, &message),
        Some(Line::Note(_)) => {
            state.tell("nobody has said that: select a message");
            Vec::new()
        }
        None => nothing(state),
    }
}

/// Writes an answer: its first line is quoted, and its author named. A text that was begun stays.
pub fn reply_to(state: &mut State, message: &Message) -> Vec<Effect> {
    let place = (message.scope.clone(), message.group.clone());
    let subject = match &place.1 {
        Conversation::Channel => Subject::Workflow(place.0),
        _ => Subject::Talk(place.0, place.1),
    };
    let Some(address) = Address::of(&subject, &state.identity) else {
        state.warn("nothing is written to here");
        return Vec::new();
    };
    let effects = compose::open(state, address);
    if !state.composer.is_open {
        return effects;
    }
    let said = super::inbox::first_line(message);
    let mut text = state.composer.text();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str("> ");
    text.push_str(cut::end(said, QUOTED, state.look.symbols.ellipsis).as_str());
    text.push('\n');
    let is_named = message.group == Conversation::Channel
        && message.sender != state.identity
        && matches!(message.sender_kind, MemberKind::Agent | MemberKind::External);
    if is_named {
        text.extend(["@", message.sender.as_str(), " "]);
    }
    let row = text.matches('\n').count();
    let column = text.rsplit('\n').next().map_or(0, |line| line.chars().count());
    state.composer.set(&Draft { text, caret: (row, column) });
    state.composer.changed_at = Some(state.now);
    effects
}

/// What of a conversation is shown, in the order of the menu.
const KINDS: [(Kinds, &str); 3] = [
    (Kinds::All, "everything"),
    (Kinds::Said, "what members say"),
    (Kinds::Happened, "what happened"),
];

/// What can be shown of the conversation, and which of it is.
pub fn filters(state: &State) -> Option<(Vec<String>, usize)> {
    let talk = scroll::shown(state).and_then(|key| state.talks.get(&key))?;
    let at = KINDS.iter().position(|(kind, _)| *kind == talk.kinds).unwrap_or(0);
    Some((KINDS.iter().map(|(_, words)| (*words).to_owned()).collect(), at))
}

/// Shows only one of them.
pub fn filter(state: &mut State, at: usize) -> Vec<Effect> {
    let Some(key) = scroll::shown(state) else { return Vec::new() };
    let Some((kinds, words)) = KINDS.get(at) else { return Vec::new() };
    let talk = state.talks.get_mut(&key);
    (talk.kinds, talk.selected) = (*kinds, None);
    state.tell(format!("shown: {words}"));
    scroll::more(state, &key)
}

/// What is left out, and what is searched for.
pub fn note(state: &State) -> Row {
    let mut row = Row::new();
    let Some(talk) = scroll::shown(state).and_then(|key| state.talks.get(&key)) else { return row };
    match talk.kinds {
        Kinds::All => {}
        Kinds::Said => row.push("only what is said ", Role::Wait),
        Kinds::Happened => row.push("only what happened ", Role::Wait),
    }
    if !talk.find.is_empty() {
        row.push(format!("/{}", talk.find), Role::Match);
    }
    row
}

/// The selected line's text.
pub fn copied(state: &State) -> Option<String> {
    Some(match line(state)? {
        Line::Message(message) => message.content,
        Line::Note(note) => happened(state, &note),
    })
}
