//! What is done with the selected line of a conversation.

use agent_worker_protocol::{Conversation, MemberKind, Message, RunId, Target};

use super::{find, item::Entry, pages::Pages, range, scroll};
use crate::{
    action::Action,
    model::{
        Address, Effect, Model, Place, Window,
        notes::{Note, What},
    },
    parts::{message, search},
    text::{cut, fenced::blocks},
};

/// How much of a line is quoted in a reply, in cells.
const QUOTED: usize = 60;

/// What is selected: something that was said, or that happened.
pub(super) enum Line {
    Message(Box<Message>),
    Note(Note),
}

pub(super) fn line(model: &Model) -> Option<Line> {
    let talk = model.known.talks.get(&model.conversation()?)?;
    let pages = Pages::new(model, talk);
    let item = pages.get(pages.index(scroll::current(model)?)?)?;
    Some(match item {
        Entry::Message(message) => Line::Message(Box::new(message.clone())),
        Entry::Note(note, _) => Line::Note(note.clone()),
    })
}

pub(super) fn done(model: &mut Model, action: Action) -> Option<Vec<Effect>> {
    Some(match action {
        Action::Open => with_message(model, open),
        Action::Pager => with_message(model, message::whole),
        Action::Reply => reply(model),
        Action::Cause => with_message(model, cause_of),
        Action::Search => {
            let find = search::sought(model).to_owned();
            vec![Effect::Open(Window::SearchConversation(find))]
        }
        Action::NextMatch => find::next(model, false),
        Action::PreviousMatch => find::next(model, true),
        Action::CopyCode => copy_code(model),
        Action::Copy => return range::copy(model),
        Action::Select => range::turn(model),
        Action::Moment => vec![Effect::Open(Window::Moment)],
        Action::Back => return back(model),
        _ => return None,
    })
}

/// One step back: what is searched for, then what is selected with others, then what is selected.
/// A hit of the search for everything stays selected: the step leads out of its place.
fn back(model: &mut Model) -> Option<Vec<Effect>> {
    let is_hit = model.selection.hit.is_some();
    let talk = model.known.talks.get_mut(&model.conversation()?);
    if !talk.find.is_empty() {
        talk.find.clear();
    } else if talk.anchor.take().is_some() {
        // What was selected last stays selected.
    } else if talk.selected.is_some() && !is_hit {
        talk.selected = None;
    } else {
        return None;
    }
    Some(Vec::new())
}

/// Copies a code block of the selected message; without a selection of the newest message that has
/// one, from the last that is on the screen up.
fn copy_code(model: &mut Model) -> Vec<Effect> {
    let found = scroll::current(model).zip(model.conversation()).and_then(|(mark, key)| {
        let talk = model.known.talks.get(&key)?;
        let to = talk.messages.partition_point(|message| message.seq <= mark.seq);
        let from = if talk.selected.is_some() { to.saturating_sub(1) } else { 0 };
        let messages = talk.messages.range(from..to).rev();
        messages.map(|message| blocks(&message.content)).find_map(Effect::copy_code)
    });
    found.map_or_else(|| model.tell("no code block here"), |effect| vec![effect])
}

fn nothing(model: &mut Model) -> Vec<Effect> {
    model.tell("no message here")
}

/// Does something with the selected message; of what happened shows what the line tells of.
fn with_message(
    model: &mut Model,
    act: impl FnOnce(&mut Model, &Message) -> Vec<Effect>,
) -> Vec<Effect> {
    match line(model) {
        Some(Line::Message(message)) => act(model, &message),
        Some(Line::Note(note)) => follow(model, &note),
        None => nothing(model),
    }
}

/// Unfolds a long message; else shows it with what became of it.
fn open(model: &mut Model, message: &Message) -> Vec<Effect> {
    let is_folded = |key: &_| {
        let talk = model.known.talks.get(key);
        talk.is_some_and(|talk| Pages::new(model, talk).is_folded(message))
    };
    if let Some(key) = model.conversation().filter(is_folded) {
        let talk = model.known.talks.get_mut(&key);
        talk.unfolded.insert(message.seq);
        talk.go_to(message.seq);
        return Vec::new();
    }
    vec![Effect::Open(Window::Message(message.id, Some(Box::new(message.clone()))))]
}

/// Shows what a line tells of.
fn follow(model: &mut Model, note: &Note) -> Vec<Effect> {
    match &note.what {
        What::Document { file, .. } => vec![Effect::show_document(&model.scope(), file)],
        What::Failed(id) => {
            let agent = model.known.talks.notes.run(*id).map(|run| run.agent.clone());
            let Some(agent) = agent else { return nothing(model) };
            open_run(model, &agent, *id)
        }
    }
}

fn open_run(model: &mut Model, agent: &Target, run: RunId) -> Vec<Effect> {
    if model.mirror().agent(agent).is_none() {
        return model.warn(format!("{agent} is gone"));
    }
    vec![Effect::show_run(agent, run)]
}

/// Goes to what a message came from: the run that wrote it, or the message it answers.
pub fn cause_of(model: &mut Model, message: &Message) -> Vec<Effect> {
    match (message.run, message.reply_to) {
        (Some(run), _) => {
            let known = model.mirror().run(run).map(|run| run.agent.clone());
            let agent = known
                .unwrap_or_else(|| Target::member(message.sender.clone(), message.scope.clone()));
            open_run(model, &agent, run)
        }
        (None, Some(answered)) => {
            vec![Effect::show_message(&message.scope, &message.group, answered)]
        }
        (None, None) => model.tell(format!("{} came from no run", message.id)),
    }
}

fn reply(model: &mut Model) -> Vec<Effect> {
    match line(model) {
        Some(Line::Message(message)) => reply_to(model, &message),
        Some(Line::Note(_)) => model.tell("no sender: select a message"),
        None => nothing(model),
    }
}

/// Writes an answer: its first line is quoted, and its author named. A text that was begun stays.
pub fn reply_to(model: &mut Model, message: &Message) -> Vec<Effect> {
    let place = Place::of_conversation(&message.scope, &message.group);
    let address = Address::of(&place.subject, &model.settings.identity);
    let Some(address) = address else { return model.warn("nothing is written to here") };
    let said = message::first_line(message);
    let said = cut::end(said, QUOTED, model.symbols().ellipsis);
    let mut text = format!("> {}\n", said.as_str());
    let is_named = message.group == Conversation::Channel
        && message.sender != model.settings.identity
        && matches!(message.sender_kind, MemberKind::Agent | MemberKind::External);
    if is_named {
        text.extend(["@", message.sender.as_str(), " "]);
    }
    vec![Effect::Write(address, text, Some(message.id))]
}
