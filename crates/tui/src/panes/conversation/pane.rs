//! A conversation as a pane: its keys, what it hears and what it is asked.

use agent_worker_protocol::{
    agent::MemberKind,
    channel::Message,
    conversation::Conversation,
    event::Event,
    id::{MessageId, RunId},
    target::Target,
};
use ratatui_core::layout::Rect;

use super::{
    draw, find,
    item::Entry,
    moment,
    pages::{Pages, happened},
    scroll,
};
use crate::{
    action::Action,
    model::{
        Act, Address, Answer, Effect, Item, Model, Reply, Request, Subject, Tab, Window,
        groups::wakes,
        known::talks::Kinds,
        layout::{self, Class},
        needs,
        notes::{Note, What},
    },
    paint::{Painter, Row},
    panes::Pane,
    parts::message,
    text::{cut, fenced::blocks},
    theme::Role,
};

/// How much of a line is quoted in a reply, in cells.
const QUOTED: usize = 60;

/// What is selected: something that was said, or that happened.
enum Line {
    Message(Box<Message>),
    Note(Note),
}

fn line(model: &Model) -> Option<Line> {
    let talk = model.known.talks.get(&model.conversation()?)?;
    let pages = Pages::new(model, talk);
    let item = pages.get(pages.index(scroll::current(model)?)?)?;
    Some(match item {
        Entry::Message(message) => Line::Message(Box::new(message.clone())),
        Entry::Note(note, _) => Line::Note(note.clone()),
    })
}

fn moved(model: &mut Model, action: Action) -> Option<Vec<Effect>> {
    let height = scroll::height(model, &model.conversation()?);
    let page = isize::try_from(height).unwrap_or(1).max(1);
    Some(match action {
        Action::Down => scroll::scroll(model, 1),
        Action::Up => scroll::scroll(model, -1),
        Action::HalfDown => scroll::scroll(model, page / 2),
        Action::HalfUp => scroll::scroll(model, -page / 2),
        Action::PageDown => scroll::scroll(model, page),
        Action::PageUp => scroll::scroll(model, -page),
        Action::NextItem => scroll::step(model, 1),
        Action::PreviousItem => scroll::step(model, -1),
        Action::First => scroll::oldest(model),
        Action::Last => scroll::newest(model),
        Action::NextUnread => return scroll::to_unread(model),
        _ => return None,
    })
}

fn done(model: &mut Model, action: Action) -> Option<Vec<Effect>> {
    Some(match action {
        Action::Open => with_message(model, open),
        Action::Pager => with_message(model, message::whole),
        Action::Reply => reply(model),
        Action::Cause => with_message(model, cause_of),
        Action::Search => vec![Effect::Open(Window::SearchConversation(searched(model)))],
        Action::NextMatch => find::next(model, false),
        Action::PreviousMatch => find::next(model, true),
        Action::CopyCode => copy_code(model),
        Action::Moment => vec![Effect::Open(Window::Moment)],
        Action::Back => return back(model),
        _ => return None,
    })
}

/// One step back: what is searched for, then what is selected.
fn back(model: &mut Model) -> Option<Vec<Effect>> {
    let talk = model.known.talks.get_mut(&model.conversation()?);
    if !talk.find.is_empty() {
        talk.find.clear();
    } else if talk.selected.is_some() {
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
    if is_folded(model, message) {
        return unfold(model, message);
    }
    vec![Effect::Open(Window::Message(message.id, Some(Box::new(message.clone()))))]
}

fn is_folded(model: &Model, message: &Message) -> bool {
    let talk = model.conversation().and_then(|key| model.known.talks.get(&key));
    talk.is_some_and(|talk| Pages::new(model, talk).is_folded(message))
}

fn unfold(model: &mut Model, message: &Message) -> Vec<Effect> {
    if let Some(key) = model.conversation() {
        let talk = model.known.talks.get_mut(&key);
        talk.unfolded.insert(message.seq);
        talk.go_to(message.seq);
    }
    Vec::new()
}

/// Shows what a line tells of.
fn follow(model: &mut Model, note: &Note) -> Vec<Effect> {
    match &note.what {
        What::Document { file, .. } => {
            let scope = model.scope();
            vec![Effect::show_document(&scope, file)]
        }
        What::Failed(id) => {
            let agent = model.known.talks.notes.run(*id).map(|run| run.agent.clone());
            match agent {
                Some(agent) => open_run(model, &agent, *id),
                None => nothing(model),
            }
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
    let place = (message.scope.clone(), message.group.clone());
    let subject = match &place.1 {
        Conversation::Channel => Subject::Workflow(place.0),
        _ => Subject::Talk(place.0, place.1),
    };
    let Some(address) = Address::of(&subject, &model.settings.identity) else {
        return model.warn("nothing is written to here");
    };
    let said = message::first_line(message);
    let said = cut::end(said, QUOTED, model.symbols().ellipsis);
    let mut text = format!("> {}\n", said.as_str());
    let is_named = message.group == Conversation::Channel
        && message.sender != model.settings.identity
        && matches!(message.sender_kind, MemberKind::Agent | MemberKind::External);
    if is_named {
        text.extend(["@", message.sender.as_str(), " "]);
    }
    vec![Effect::Write(address, text)]
}

/// What of a conversation is shown, in the order of the menu.
const KINDS: [(Kinds, &str); 3] = [
    (Kinds::All, "everything"),
    (Kinds::Said, "what members say"),
    (Kinds::Happened, "what happened"),
];

/// What was searched for last in the shown conversation.
fn searched(model: &Model) -> String {
    let talk = model.conversation().and_then(|key| model.known.talks.get(&key));
    talk.map(|talk| talk.find.clone()).unwrap_or_default()
}

/// Conversations: what is known of them is the model's.
#[derive(Debug, Default)]
pub struct Talking {
    /// The message that is gone to once its conversation is shown
    awaited: Option<MessageId>,
}

impl Pane for Talking {
    fn on_show(&mut self, model: &mut Model) -> Vec<Effect> {
        let mut effects = scroll::open(model);
        if let Some(message) = self.awaited.take() {
            effects.extend(scroll::go_to(model, message));
        }
        effects
    }

    fn on_hide(&mut self, model: &mut Model) {
        scroll::close(model);
    }

    fn on_reset(&mut self, model: &mut Model) -> Vec<Effect> {
        model.known.talks.notes.renew(model.connection.feed.mirror());
        Vec::new()
    }

    /// What is part of the story is noted.
    fn on_event(&mut self, model: &mut Model, event: &Event) -> Vec<Effect> {
        model.known.talks.notes.take(&event.body);
        Vec::new()
    }

    fn on_answer(&mut self, model: &mut Model, request: &Request, answer: Answer) -> Vec<Effect> {
        match (request, answer) {
            (Request::Page(scope, group, side), answer) => {
                let key = (scope.clone(), group.clone());
                match answer {
                    Ok(Reply::Messages(page)) => {
                        model.known.talks.get_mut(&key).load(*side, page);
                    }
                    Ok(_) => {}
                    Err(trouble) => {
                        model.known.talks.get_mut(&key).loading = None;
                        model.not_loaded(&trouble);
                    }
                }
                return scroll::more(model, &key);
            }
            (Request::Find { .. }, answer) => return find::found(model, request, answer),
            (Request::Since(..), answer) => return moment::found(model, request, answer),
            // The part before it is asked for when the view moves, so that a long log is not read
            // as a whole for one look at the first message.
            (Request::Story(scope, _), Ok(Reply::Log(page))) => {
                model.known.talks.notes.load(scope, &page);
            }
            (Request::Story(scope, _), Err(trouble)) => {
                model.known.talks.notes.give_up(scope);
                model.not_loaded(&trouble);
            }
            (Request::Read(scope, group, _), Err(_)) => {
                model.known.talks.get_mut(&(scope.clone(), group.clone())).told = 0;
            }
            _ => {}
        }
        Vec::new()
    }

    fn go_to(&mut self, _: &mut Model, _: &Subject, item: Item) {
        if let Item::Message(message) = item {
            self.awaited = Some(message);
        }
    }

    fn act(&mut self, model: &mut Model, action: Action) -> Option<Vec<Effect>> {
        moved(model, action).or_else(|| done(model, action))
    }

    fn scroll(&mut self, model: &mut Model, rows: isize) -> Vec<Effect> {
        scroll::scroll(model, rows)
    }

    fn click(&mut self, model: &mut Model, row: u16) -> Vec<Effect> {
        scroll::click(model, row)
    }

    fn draw(&self, model: &Model, painter: &mut Painter<'_>, area: Rect) {
        draw::draw(model, painter, area);
    }

    fn count(&self, model: &Model, tab: Tab) -> Option<(String, Role)> {
        let (scope, name) = model.place.subject.conversation()?;
        let unread = model.unread(model.mirror().group(&scope, &name)?);
        let named = if tab == Tab::Channel { needs::named(model, &scope) } else { 0 };
        let is_small = layout::class(model.display.size) == Class::Small;
        match (unread, named) {
            (0, _) => None,
            (unread, 0) => Some((unread.to_string(), Role::Dim)),
            (_, named) if is_small => Some((format!("@{named}"), Role::Named)),
            (unread, named) => Some((format!("@{named} {unread}"), Role::Named)),
        }
    }

    /// What an act means for the selected line; none where it means the same as elsewhere.
    fn allowed(&self, model: &Model, action: Action) -> Option<Result<Act, String>> {
        match (action, line(model)?) {
            (Action::Retry, Line::Note(Note { what: What::Failed(run), .. })) => {
                Some(Ok(Act::RetryRun(run)))
            }
            _ => None,
        }
    }

    /// What can be shown of the conversation, and which of it is.
    fn filters(&self, model: &Model) -> Option<(Vec<String>, usize)> {
        let talk = model.conversation().and_then(|key| model.known.talks.get(&key))?;
        let at = KINDS.iter().position(|(kind, _)| *kind == talk.kinds).unwrap_or(0);
        Some((KINDS.iter().map(|(_, words)| (*words).to_owned()).collect(), at))
    }

    /// Shows only one of them.
    fn filter(&mut self, model: &mut Model, at: usize) -> Vec<Effect> {
        let Some(key) = model.conversation() else { return Vec::new() };
        let Some((kinds, words)) = KINDS.get(at) else { return Vec::new() };
        let talk = model.known.talks.get_mut(&key);
        (talk.kinds, talk.selected) = (*kinds, None);
        model.tell(format!("shown: {words}"));
        scroll::more(model, &key)
    }

    /// What is left out, and what is searched for.
    fn note(&self, model: &Model) -> Row {
        let mut row = Row::new();
        let Some(talk) = model.conversation().and_then(|key| model.known.talks.get(&key)) else {
            return row;
        };
        match talk.kinds {
            Kinds::All => {}
            Kinds::Said => row.push("only what is said ", Role::Wait),
            Kinds::Happened => row.push("only what happened ", Role::Wait),
        }
        if !talk.find.is_empty() {
            row.push(format!("/{} ", talk.find), Role::Match);
        }
        if let Some((group, _)) = model.shown_group() {
            row.push(format!("{} ", wakes(group.wake)), Role::Dim);
        }
        row.append(moment::position(model, talk));
        row
    }

    /// The selected line's text.
    fn copied(&self, model: &Model, _: Option<Target>) -> Option<String> {
        Some(match line(model)? {
            Line::Message(message) => message.content,
            Line::Note(note) => happened(model, &note),
        })
    }
}
