//! A conversation as a pane: its keys, what it hears and what it is asked.

use agent_worker_protocol::{Event, MessageId, Target};
use ratatui_core::layout::Rect;

use super::{
    acts::{Line, done, line},
    draw, find, moment,
    pages::happened,
    range, scroll,
};
use crate::{
    action::Action,
    model::{
        Act, Answer, Effect, Item, Model, Place, Reply, Request, Subject, Tab,
        groups::wakes,
        known::talks::{Bookmark, Kinds},
        layout::{self, Class},
        needs,
        notes::{Note, What},
    },
    paint::{Painter, Row},
    panes::Pane,
    parts::{list::moved, message},
    theme::Role,
};

fn move_to(model: &mut Model, action: Action) -> Option<Vec<Effect>> {
    let is_selecting = range::count(model) > 0;
    let height = scroll::height(model, &model.conversation()?);
    Some(match action {
        Action::Down if is_selecting => scroll::step(model, 1),
        Action::Up if is_selecting => scroll::step(model, -1),
        Action::NextItem => scroll::step(model, 1),
        Action::PreviousItem => scroll::step(model, -1),
        Action::First => scroll::oldest(model),
        Action::Last => scroll::newest(model),
        Action::NextUnread => return scroll::to_unread(model),
        _ => scroll::scroll(model, moved(action, height)?),
    })
}

/// What of a conversation is shown, in the order of the menu.
const KINDS: [(Kinds, &str); 3] = [
    (Kinds::All, "everything"),
    (Kinds::Said, "what members say"),
    (Kinds::Happened, "what happened"),
];

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

    /// What was new is not any more.
    fn on_hide(&mut self, model: &mut Model) {
        if let Some(key) = model.conversation() {
            let talk = model.known.talks.get_mut(&key);
            talk.bookmark = Bookmark::default();
            talk.anchor = None;
            talk.unfolded.clear();
        }
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
            (Request::Page(scope, group, side, pictures), answer) => {
                let key = (scope.clone(), group.clone());
                let talk = model.known.talks.get_mut(&key);
                let is_awaited = talk.awaits(*side, *pictures);
                match answer {
                    Ok(Reply::Messages(page)) if is_awaited => {
                        talk.load(*side, page);
                        scroll::show_match(model, &key);
                    }
                    Ok(_) => {}
                    // The next key asks again: asking at once would never end.
                    Err(trouble) => {
                        talk.loading = talk.loading.filter(|_| !is_awaited);
                        return model.not_loaded(&trouble);
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
            // A reading that was refused is told again when the connection or the picture is new:
            // at once would never end.
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
        move_to(model, action).or_else(|| done(model, action))
    }

    fn scroll(&mut self, model: &mut Model, rows: isize) -> Vec<Effect> {
        scroll::scroll(model, rows)
    }

    /// Selects what stands in the row, if anything does; the view stays.
    fn click(&mut self, model: &mut Model, row: u16) -> Option<Vec<Effect>> {
        let key = model.conversation()?;
        let talk = model.known.talks.get(&key)?;
        let mark = draw::line_at(model, &key, talk, usize::from(row))?;
        model.known.talks.get_mut(&key).selected = Some(mark);
        Some(Vec::new())
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

    fn item(&self, model: &Model) -> Option<(Place, Item, String)> {
        let talk = model.known.talks.get(&model.conversation()?)?;
        talk.selected?;
        let Line::Message(message) = line(model)? else { return None };
        Some((model.place.clone(), Item::Message(message.id), message::label(&message)))
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

    /// Only what was said has a sender.
    fn is_possible(&self, model: &Model, action: Action) -> bool {
        action != Action::Reply || matches!(line(model), Some(Line::Message(_)))
    }

    /// What can be shown of the conversation, and which of it is.
    fn filters(&self, model: &Model) -> Option<(Vec<String>, usize)> {
        let talk = model.conversation().and_then(|key| model.known.talks.get(&key))?;
        let words = KINDS.iter().map(|(_, words)| (*words).to_owned());
        Some((words.collect(), talk.kinds as usize))
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
        let talk = model.conversation().and_then(|key| model.known.talks.get(&key));
        let Some(talk) = talk else { return Row::new() };
        let mut row = Row::new();
        match talk.kinds {
            Kinds::All => {}
            Kinds::Said => row.push("only what is said ", Role::Wait),
            Kinds::Happened => row.push("only what happened ", Role::Wait),
        }
        match range::count(model) {
            0 => {}
            count => row.push(format!("{count} selected "), Role::Accent),
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
