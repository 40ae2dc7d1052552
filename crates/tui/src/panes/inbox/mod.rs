//! Inboxes, and what waits for an agent. Looking changes nothing: nothing is acked, no cursor moves.

mod queue;
mod received;
mod words;

use agent_worker_protocol::{
    channel::Message,
    event::{Event, EventBody},
    id::MessageId,
    inbox::{DeliveryState, InboxMessage, InboxPage},
    queue::Queue,
    target::Target,
};
use ratatui_core::layout::Rect;

use crate::model::inboxes::{Inbox, Line, Mailbox};
use crate::parts::list::stride;
use crate::{
    action::Action,
    app::act,
    model::{
        State,
        acts::Act,
        layout,
        place::{Subject, Tab},
        requests::{Effect, Request},
    },
    overlays::{self, Overlay},
    paint::Painter,
};

pub use received::{first_line, text, to};
pub use words::{cause, sentence};

/// What the line below says of an inbox.
pub const LOOKING: &str = "looking here does not mark anything as read for the agent";

/// What the line below says of what waits.
pub const WAITING: &str = "in order; what wakes nobody is in the inbox alone";

fn of(state: &State) -> Option<&Target> {
    match &state.place.subject {
        Subject::Agent(target) => Some(target),
        _ => None,
    }
}

fn mailbox(state: &State) -> Option<&Mailbox> {
    state.panes.mail.get(of(state)?)
}

/// It came onto the screen: asks for what is not known.
pub fn shown(state: &mut State) -> Vec<Effect> {
    let Some(target) = of(state).cloned() else { return Vec::new() };
    let with_queue = state.place.tab == Tab::Queue;
    ask(state, &target, with_queue)
}

/// An agent's mail is looked at: asks for what is not known of it.
pub fn ask(state: &mut State, target: &Target, with_queue: bool) -> Vec<Effect> {
    if !state.is_live() {
        return Vec::new();
    }
    let mailbox = state.panes.mail.look(target);
    let mut effects = Vec::new();
    if mailbox.inbox.ask() {
        effects.push(Effect::Ask(Request::Inbox(target.clone())));
    }
    if with_queue && mailbox.queue.ask() {
        effects.push(Effect::Ask(Request::Queue(target.clone())));
    }
    effects
}

/// The picture is a new one: what is shown is asked for again, and stays until it is there.
pub fn renewed(state: &mut State) {
    state.panes.mail.distrust();
}

/// Something changed.
pub fn heard(state: &mut State, event: &Event) -> Vec<Effect> {
    let mail = &mut state.panes.mail;
    match &event.body {
        EventBody::MessageSent { message, deliveries } => {
            for delivery in deliveries {
                let message = InboxMessage::new((**message).clone(), delivery.clone());
                mail.receive(message);
            }
        }
        EventBody::DeliveryChanged(delivery) => mail.change(delivery),
        EventBody::AgentChanged(agent) => mail.outdate(|target| *target == agent.target),
        EventBody::WorkflowChanged(workflow) => {
            let scope = Some(&workflow.scope);
            mail.outdate(|target| target.scope.as_ref() == scope);
        }
        EventBody::AgentRemoved { target } => mail.forget(|known| known == target),
        EventBody::WorkflowRemoved { scope } => {
            mail.forget(|target| target.scope.as_ref() == Some(scope));
        }
        _ => return Vec::new(),
    }
    let is_shown = matches!(state.place.tab, Tab::Inbox | Tab::Queue);
    if is_shown { shown(state) } else { Vec::new() }
}

/// An inbox is loaded.
pub fn loaded(state: &mut State, target: &Target, page: InboxPage) -> Vec<Effect> {
    if let Some(mailbox) = state.panes.mail.get_mut(target) {
        mailbox.inbox.load(page);
    }
    crate::overlays::message::ask(state)
}

/// The message of which more is shown than its line.
pub fn looked_at(state: &State) -> Option<MessageId> {
    selected_id(state).filter(|_| state.place.tab == Tab::Inbox)
}

/// What waits is known.
pub fn lined_up(state: &mut State, target: &Target, queue: Queue) -> Vec<Effect> {
    let Some(mailbox) = state.panes.mail.get_mut(target) else { return Vec::new() };
    let is_old = mailbox.queue.load(queue);
    if !is_old {
        return Vec::new();
    }
    let mut effects = if state.place.tab == Tab::Queue { shown(state) } else { Vec::new() };
    effects.extend(crate::app::side_panel::shown(state));
    effects
}

/// It could not be loaded: it is asked for again when it is looked at again.
pub fn failed(state: &mut State, request: &Request) {
    let (Request::Inbox(target) | Request::Queue(target)) = request else { return };
    let Some(mailbox) = state.panes.mail.get_mut(target) else { return };
    match request {
        Request::Inbox(_) => mailbox.inbox.distrust(),
        _ => mailbox.queue.distrust(),
    }
}

/// The selected message, as far as it is known.
fn selected(state: &State) -> Option<&InboxMessage> {
    let mailbox = mailbox(state)?;
    match state.place.tab {
        Tab::Inbox => mailbox.inbox.selected(),
        _ => mailbox.inbox.get(mailbox.queue.selected()?.message?),
    }
}

fn selected_id(state: &State) -> Option<MessageId> {
    let mailbox = mailbox(state)?;
    match state.place.tab {
        Tab::Inbox => mailbox.inbox.selected().map(|message| message.delivery.message),
        _ => mailbox.queue.selected()?.message,
    }
}

fn delivery_state(state: &State) -> Option<DeliveryState> {
    match state.place.tab {
        Tab::Inbox => selected(state).map(|message| message.delivery.state),
        _ => mailbox(state)?.queue.selected()?.state,
    }
}

/// Rows of the list on the screen.
fn list_height(state: &State) -> usize {
    let height = usize::from(layout::regions(state).main.height);
    let count = mailbox(state).map_or(0, |mailbox| match state.place.tab {
        Tab::Inbox => mailbox.inbox.messages.len(),
        _ => mailbox.queue.queue.len(),
    });
    count.min(height / 2).max(1)
}

/// Its keys.
pub fn act(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    let height = list_height(state);
    if let Some(by) = stride(action, height) {
        step(
            state,
            |inbox| inbox.picked.step(&inbox.ids(), by, height),
            |line| line.picked.step(&line.keys(), by, height),
        );
        return Some(Vec::new());
    }
    match action {
        Action::Open => Some(open(state)),
        Action::Cause => Some(with_selected(state, |state, message| {
            act::to_line(state, &message.scope, &message.group, message.id)
        })),
        Action::Pager => Some(with_selected(state, |state, message| whole(state, &message))),
        _ => None,
    }
}

fn step(state: &mut State, inbox: impl FnOnce(&mut Inbox), line: impl FnOnce(&mut Line)) {
    let Some(target) = of(state).cloned() else { return };
    let Some(mailbox) = state.panes.mail.get_mut(&target) else { return };
    match state.place.tab {
        Tab::Inbox => inbox(&mut mailbox.inbox),
        _ => line(&mut mailbox.queue),
    }
}

fn nothing(state: &mut State) -> Vec<Effect> {
    state.tell("no message is selected");
    Vec::new()
}

fn with_selected(
    state: &mut State,
    act: impl FnOnce(&mut State, Message) -> Vec<Effect>,
) -> Vec<Effect> {
    match selected(state).map(|message| message.message.clone()) {
        Some(message) => act(state, message),
        None => nothing(state),
    }
}

fn open(state: &mut State) -> Vec<Effect> {
    match (selected(state).map(|message| message.message.clone()), selected_id(state)) {
        (Some(message), _) => crate::overlays::message::open(state, &message),
        (None, Some(id)) => crate::overlays::message::open_id(state, id),
        (None, None) => nothing(state),
    }
}

/// Shows a message's whole text; that of a long one is asked for.
pub fn whole(state: &mut State, message: &Message) -> Vec<Effect> {
    match message.resource {
        Some(resource) if state.is_live() => {
            state.tell(format!("loading {resource}"));
            vec![Effect::Ask(Request::Resource(message.scope.clone(), resource))]
        }
        _ => overlays::open(state, Overlay::pager(message.id.to_string(), &message.content)),
    }
}

/// What an act means for the selected message; none where the act is not about mail.
pub fn wish(state: &State, action: Action) -> Option<Result<Act, String>> {
    let is_about_mail = matches!(action, Action::Retry | Action::Release | Action::Drop);
    if !is_about_mail {
        return None;
    }
    let Some(id) = selected_id(state) else {
        return Some(Err("no message is selected".to_owned()));
    };
    let wish = match (action, delivery_state(state)) {
        (Action::Retry, Some(DeliveryState::Dead)) => Ok(Act::RetryMessage(id)),
        (Action::Retry, _) => Err("it was not given up: there is nothing to try again"),
        (Action::Release, Some(DeliveryState::Held)) => Ok(Act::ReleaseMessage(id)),
        (Action::Release, _) => Err("it is not held"),
        (_, Some(DeliveryState::Acked | DeliveryState::Dropped)) => Err("it is done already"),
        (_, Some(DeliveryState::Leased)) => Err("it is in a run, which x stops"),
        _ => Ok(Act::Drop(id)),
    };
    Some(wish.map_err(ToOwned::to_owned))
}

/// The selected message's text.
pub fn copied(state: &State) -> Option<String> {
    selected(state).map(|message| message.message.content.clone())
}

/// Its lines as they are searched, and the selected one.
pub fn lines(state: &State) -> (Vec<String>, Option<usize>) {
    let Some(mailbox) = mailbox(state) else { return (Vec::new(), None) };
    let told = |mail: &InboxMessage| {
        let said = &mail.message;
        let (word, _) = words::delivery(state, &mail.delivery);
        format!("{} {} {} {word}", said.id, said.sender, said.content)
    };
    if state.place.tab == Tab::Inbox {
        let inbox = &mailbox.inbox;
        return (inbox.messages.iter().map(told).collect(), inbox.picked.at(&inbox.ids()));
    }
    let queued = |queued: &agent_worker_protocol::queue::Queued| {
        let message = queued.message.and_then(|id| mailbox.inbox.get(id)).map(told);
        format!("{} {} {}", words::cause(queued), queued.text, message.unwrap_or_default())
    };
    let line = &mailbox.queue;
    (line.queue.iter().map(queued).collect(), line.picked.at(&line.keys()))
}

/// Selects one of them.
pub fn pick_line(state: &mut State, at: usize) -> Vec<Effect> {
    step(
        state,
        |inbox| inbox.picked.pick(&inbox.ids(), at),
        |line| line.picked.pick(&line.keys(), at),
    );
    crate::overlays::message::ask(state)
}

/// A row was clicked.
pub fn click(state: &mut State, row: u16) -> Vec<Effect> {
    let (row, height) = (usize::from(row), list_height(state));
    if row >= height {
        return Vec::new();
    }
    step(
        state,
        |inbox| {
            let ids = inbox.ids();
            inbox.picked.pick(&ids, inbox.picked.top(&ids, height) + row);
        },
        |line| {
            let keys = line.keys();
            line.picked.pick(&keys, line.picked.top(&keys, height) + row);
        },
    );
    Vec::new()
}

/// Draws it.
pub fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) {
    match state.place.tab {
        Tab::Inbox => received::draw(state, painter, area),
        _ => queue::draw(state, painter, area),
    }
}
