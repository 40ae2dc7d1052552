//! What its keys do, and what it hears.

use agent_worker_protocol::{DeliveryState, Event, EventBody, InboxMessage, Target};
use ratatui_core::layout::Rect;

use super::{
    queue, received,
    state::{self, Line, is_inbox, list_height, mailbox, selected, selected_id},
};
use crate::{
    action::Action,
    model::{
        Act, Answer, Effect, Item, Mailbox, Model, Pick, Place, Reply, Request, Tab, Window,
        known::inboxes::Load,
    },
    paint::{Painter, Row},
    panes::Pane,
    parts::{list, mail, message, table, tabs},
    theme::Role,
};

/// What the line below says of an inbox.
pub const LOOKING: &str = "looking here does not mark anything as read for the agent";

/// The same where not all of it is shown.
const OLDER: &str = "older messages are not shown; looking here marks nothing as read";

/// What the line below says of what waits.
pub const WAITING: &str = "in order; messages that start no run are in the inbox only";

fn nothing(model: &mut Model) -> Vec<Effect> {
    model.tell("no message is selected")
}

fn open(model: &mut Model) -> Vec<Effect> {
    let Some(id) = selected_id(model) else { return nothing(model) };
    let message = selected(model).map(|message| Box::new(message.message.clone()));
    vec![Effect::Open(Window::Message(id, message))]
}

/// Marks the selected message for an act on several, or no longer.
fn mark(model: &mut Model) -> Vec<Effect> {
    let Some(id) = selected_id(model) else { return nothing(model) };
    let marked = &mut model.selection.marked_messages;
    if !marked.remove(&id) {
        marked.insert(id);
    }
    Vec::new()
}

/// What an act means for one message, or why it means nothing.
fn of_one(model: &Model, action: Action, (id, state): Line) -> Result<Act, String> {
    let why = match (action, state) {
        (Action::Retry, Some(DeliveryState::Dead)) => return Ok(Act::RetryMessage(id)),
        (Action::Retry, _) => "only a dead letter can be retried".to_owned(),
        (Action::Release, Some(DeliveryState::Held)) => return Ok(Act::ReleaseMessage(id)),
        (Action::Release, _) => "it is not held".to_owned(),
        (_, Some(DeliveryState::Acked | DeliveryState::Dropped)) => "it is done already".to_owned(),
        (_, Some(DeliveryState::Leased)) => {
            format!("it is in a run, which {} stops", model.key(Action::Stop))
        }
        _ => return Ok(Act::Drop(id)),
    };
    Err(why)
}

/// Inboxes, and what waits for agents: what is known of them is the model's.
#[derive(Debug, Default)]
pub struct Inbox;

impl Pane for Inbox {
    /// It came onto the screen: asks for what is not known.
    fn on_show(&mut self, model: &mut Model) -> Vec<Effect> {
        let Some(target) = model.place.subject.agent().cloned() else { return Vec::new() };
        let with_queue = model.place.tab == Tab::Queue;
        mail::ask(model, &target, with_queue)
    }

    fn on_hide(&mut self, model: &mut Model) {
        model.selection.marked_messages.clear();
    }

    /// The picture is a new one: what is shown is asked for again, and stays until it is there.
    fn on_reset(&mut self, model: &mut Model) -> Vec<Effect> {
        model.known.inboxes.distrust();
        Vec::new()
    }

    fn on_event(&mut self, model: &mut Model, event: &Event) -> Vec<Effect> {
        let boxes = &mut model.known.inboxes;
        match &event.body {
            EventBody::MessageSent { message, deliveries } => {
                for delivery in deliveries {
                    let message = InboxMessage::new((**message).clone(), delivery.clone());
                    boxes.receive(message);
                }
            }
            EventBody::DeliveryChanged(delivery) => boxes.change(delivery),
            EventBody::AgentChanged(agent) => boxes.outdate(|target| *target == agent.target),
            EventBody::WorkflowChanged(workflow) => {
                let scope = Some(&workflow.scope);
                boxes.outdate(|target| target.scope.as_ref() == scope);
            }
            EventBody::AgentRemoved { target } => boxes.forget(|known| known == target),
            EventBody::WorkflowRemoved { scope } => {
                boxes.forget(|target| target.scope.as_ref() == Some(scope));
            }
            _ => return Vec::new(),
        }
        if state::is_shown(model) { self.on_show(model) } else { Vec::new() }
    }

    fn done(&mut self, model: &mut Model, action: Action) -> Option<Vec<Effect>> {
        match action {
            Action::Mark => Some(mark(model)),
            Action::Open => Some(open(model)),
            Action::Cause | Action::Pager => {
                let said = selected(model).map(|mail| mail.message.clone());
                let Some(said) = said else { return Some(nothing(model)) };
                if action == Action::Pager {
                    return Some(message::whole(model, &said));
                }
                Some(vec![Effect::show_message(&said.scope, &said.group, said.id)])
            }
            _ => None,
        }
    }

    fn item(&self, model: &Model) -> Option<(Place, Item, String)> {
        let said = &selected(model)?.message;
        let place = Place::of_conversation(&said.scope, &said.group);
        Some((place, Item::Message(said.id), message::label(said)))
    }

    /// What an act means for the selected message; none where the act is not about mail.
    fn allowed(&self, model: &Model, action: Action) -> Option<Result<Act, String>> {
        let is_about_mail = matches!(action, Action::Retry | Action::Release | Action::Drop);
        if !is_about_mail {
            return None;
        }
        let marked = state::marked(model);
        if !marked.is_empty() {
            let tried = marked.into_iter().map(|line| of_one(model, action, line));
            let refused = |why| format!("nothing to do for the marked messages: {why}");
            return Some(Act::of_several(tried).map_err(refused));
        }
        Some(match state::selected_line(model) {
            Some(line) => of_one(model, action, line),
            None => Err("no message is selected".to_owned()),
        })
    }

    /// How many messages are marked.
    fn note(&self, model: &Model) -> Row {
        match state::marked(model).len() {
            0 => Row::new(),
            count => Row::of(format!("{count} marked "), Role::Accent),
        }
    }

    /// The selected message's text.
    fn copied(&self, model: &Model, _: Option<Target>) -> Option<String> {
        selected(model).map(|message| message.message.content.clone())
    }

    fn fields(&self, model: &Model) -> &'static [&'static str] {
        if is_inbox(model) { &state::MAIL } else { &state::WORK }
    }

    /// Its lines as they are searched, and the selected one.
    fn lines(&self, model: &Model) -> (Vec<String>, Option<usize>) {
        let Some(mailbox) = mailbox(model) else { return (Vec::new(), None) };
        let told = |mail: &InboxMessage| {
            let said = &mail.message;
            let (word, _) = mail::delivery(model, &mail.delivery);
            format!("{} {} {} {word}", said.id, said.sender, said.content)
        };
        if is_inbox(model) {
            return (state::mails(model).into_iter().map(told).collect(), state::at(model));
        }
        let queued = |queued: &agent_worker_protocol::Queued| {
            let message = queued.message.and_then(|id| mailbox.inbox.get(id)).map(told);
            format!("{} {} {}", mail::cause(queued), queued.text, message.unwrap_or_default())
        };
        (state::works(model).into_iter().map(queued).collect(), state::at(model))
    }

    fn is_possible(&self, model: &Model, action: Action) -> bool {
        action != Action::Open || selected(model).is_some()
    }

    fn list_height(&self, model: &Model) -> Option<usize> {
        Some(list_height(model))
    }

    fn pick(&mut self, model: &mut Model, to: Pick) -> Vec<Effect> {
        let (keys, is_inbox) = (state::keys(model), is_inbox(model));
        let Some(target) = model.place.subject.agent() else { return Vec::new() };
        if let Some(Mailbox { inbox, queue }) = model.known.inboxes.get_mut(target) {
            let picked = if is_inbox { &mut inbox.picked } else { &mut queue.picked };
            picked.go(&keys, to);
        }
        Vec::new()
    }

    fn draw(&self, model: &Model, painter: &mut Painter<'_>, area: Rect) {
        let area = list::margin(area);
        let Some(Mailbox { inbox, queue: waiting }) = mailbox(model) else { return };
        let (keys, height, is_inbox) = (state::keys(model), list_height(model), is_inbox(model));
        if keys.is_empty() {
            let load = if is_inbox { inbox.load } else { waiting.load };
            let words = match load {
                Load::There if is_inbox => "nothing came in yet",
                Load::There => "nothing waits",
                _ => "loading",
            };
            return painter.hint(area, 2, table::nothing(model, words));
        }
        let width = usize::from(area.width.saturating_sub(1));
        let id_width = keys.iter().flatten().map(|id| id.to_string().len()).max().unwrap_or(0);
        let (mails, works) = (state::mails(model), state::works(model));
        let picked = if is_inbox { &inbox.picked } else { &waiting.picked };
        list::lines(model, painter, list::split(area, height).0, (picked, &keys), |at| {
            if is_inbox {
                received::line(model, mails[at], id_width, width)
            } else {
                queue::line(model, works[at], id_width, width)
            }
        });
        let Some(at) = picked.at(&keys) else { return };
        let (title, rows) = if is_inbox {
            (mails[at].message.id.to_string(), received::detail(model, mails[at], width))
        } else {
            let more = if waiting.has_more { "+" } else { "" };
            let title = format!("{} of {}{more}", works[at].position, waiting.queue.len());
            (title, queue::detail(model, works[at], width))
        };
        let y = u16::try_from(height).unwrap_or(u16::MAX);
        painter.rule(area, y, Some(Row::of(title, Role::Title)));
        for (y, row) in (y + 1..area.height).zip(&rows) {
            painter.row(area, 1, y, row);
        }
    }

    /// Mail, or what waits.
    fn on_answer(&mut self, model: &mut Model, request: &Request, answer: Answer) -> Vec<Effect> {
        let (Request::Inbox(target) | Request::Unfinished(target) | Request::Queue(target)) =
            request
        else {
            return Vec::new();
        };
        let mailbox = model.known.inboxes.get_mut(target);
        let answer = match answer {
            Ok(answer) => answer,
            // It is asked for again when it is looked at again.
            Err(trouble) => {
                match (mailbox, request) {
                    (Some(mailbox), Request::Inbox(_)) => mailbox.inbox.load = Load::Missing,
                    (Some(mailbox), Request::Unfinished(_)) => mailbox.inbox.seek_no_more(),
                    (Some(mailbox), _) => mailbox.queue.load = Load::Missing,
                    (None, _) => {}
                }
                let is_seen = state::is_shown(model) && model.place.subject.agent() == Some(target);
                return if is_seen { model.not_loaded(&trouble) } else { Vec::new() };
            }
        };
        let Some(mailbox) = mailbox else { return Vec::new() };
        match answer {
            Reply::Inbox(page) if matches!(request, Request::Unfinished(_)) => {
                mailbox.inbox.load_older(page);
            }
            Reply::Inbox(page) => {
                mailbox.inbox.load(page);
                if mailbox.inbox.seek_older() {
                    return vec![Effect::Ask(Request::Unfinished(target.clone()))];
                }
            }
            Reply::Queue(queue) => {
                let is_old = mailbox.queue.load(queue);
                if is_old && model.place.tab == Tab::Queue {
                    return self.on_show(model);
                }
            }
            _ => {}
        }
        Vec::new()
    }

    fn line(&self, model: &Model) -> Option<String> {
        let has_older = mailbox(model).is_some_and(|mailbox| mailbox.inbox.has_older);
        let words = match model.place.tab {
            Tab::Inbox if has_older => OLDER,
            Tab::Inbox => LOOKING,
            _ => WAITING,
        };
        Some(words.to_owned())
    }

    fn count(&self, model: &Model, tab: Tab) -> Option<(String, Role)> {
        let target = model.place.subject.agent().filter(|_| tab == Tab::Inbox)?;
        let unread = model.mirror().agent(target)?.unread;
        tabs::count(usize::try_from(unread).unwrap_or(0))
    }
}
