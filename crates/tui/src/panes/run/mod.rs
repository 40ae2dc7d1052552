//! A run as it goes on: its header, and what it was told, thinks, does and says, block by block.

mod block;
mod calls;
mod column;
mod ending;
mod frame;
mod head;
mod header;
mod keys;
pub(super) mod screen;
mod text;
mod transcript;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use agent_worker_protocol::{
    conversation::Conversation,
    event::{Event, EventBody},
    id::{MessageId, RunId},
    inbox::DeliveryState,
    name::Name,
    run::{OutputEvent, Run, RunDetail},
    target::Target,
    time::Timestamp,
};
use ratatui_core::layout::Rect;

use block::Fit;
pub use column::Column;
pub use head::short;
pub use header::{model, reason, shown as standing_of, spent, standing, used};
pub use keys::open;
pub use screen::{newest, of as shown_of, run, sync};
pub use transcript::Pane;
use transcript::Transcript;

use super::inbox;
use crate::{
    action::Action,
    app::feed,
    model::{State, place::Tab, requests::Effect},
    paint::{Painter, Row},
};

/// Transcripts that are on the screen, and a few that were.
#[derive(Debug, Default)]
pub struct Transcripts {
    pub(super) of: BTreeMap<RunId, Transcript>,
    followed: BTreeSet<RunId>,
    /// The one that was looked at last is the last
    seen: VecDeque<RunId>,
    /// Which run of an agent the person wants to see
    chosen: BTreeMap<Target, RunId>,
    /// When the mail of an agent is tried again
    retries: BTreeMap<Target, Timestamp>,
    hides_thinking: bool,
    epoch: Option<String>,
}

impl Transcripts {
    /// A run's transcript, as far as it is known.
    pub fn get(&self, run: RunId) -> Option<&Transcript> {
        self.of.get(&run)
    }
}

/// Where the main pane is.
fn pane(state: &State) -> Pane {
    if state.place.tab == Tab::Prompt { Pane::Prompt } else { Pane::Main }
}

/// A run came onto the screen: who woke it and when it is tried again stands in its agent's mail.
pub fn shown(state: &mut State) -> Vec<Effect> {
    let mut effects = sync(state);
    if let Some(target) = screen::agent(state).cloned() {
        effects.extend(inbox::ask(state, &target, false));
    }
    effects
}

/// The picture is a new one. What is followed is told again from its beginning: nothing of it is
/// lost, and nothing of another database stays.
pub fn renewed(state: &mut State) -> Vec<Effect> {
    let epoch = state.mirror().epoch().map(ToOwned::to_owned);
    let transcripts = &mut state.panes.run;
    let followed = std::mem::take(&mut transcripts.followed);
    if transcripts.epoch != epoch {
        *transcripts = Transcripts {
            epoch,
            hides_thinking: transcripts.hides_thinking,
            ..Transcripts::default()
        };
    }
    for transcript in transcripts.of.values_mut() {
        transcript.asked = None;
    }
    followed.into_iter().map(Effect::Unfollow).collect()
}

/// A transcript grows.
pub fn output(state: &mut State, run: RunId, event: OutputEvent) -> Vec<Effect> {
    if !state.panes.run.followed.contains(&run) {
        return Vec::new();
    }
    if state.mirror().run(run).is_some_and(|run| run.state.is_live()) {
        feed::pulse(state, run);
    }
    let now = state.now;
    let transcripts = &mut state.panes.run;
    let Some(transcript) = transcripts.of.get_mut(&run) else { return Vec::new() };
    match transcript.take(event, now) {
        Fit::Gap => vec![Effect::Unfollow(run), Effect::Follow(run)],
        Fit::Good => {
            if transcript.end.is_some() {
                transcripts.followed.remove(&run);
            }
            Vec::new()
        }
    }
}

/// What else there is to know of a run.
pub fn loaded(state: &mut State, run: RunId, detail: RunDetail) -> Vec<Effect> {
    if let Some(transcript) = state.panes.run.of.get_mut(&run) {
        transcript.detail = Some(detail);
    }
    Vec::new()
}

/// Something changed.
pub fn heard(state: &mut State, event: &Event) -> Vec<Effect> {
    let retries = &mut state.panes.run.retries;
    match &event.body {
        EventBody::DeliveryChanged(delivery) => match (delivery.state, delivery.not_before) {
            (DeliveryState::Waiting, Some(at)) => {
                retries.insert(delivery.agent.clone(), at);
            }
            _ => drop(retries.remove(&delivery.agent)),
        },
        EventBody::AgentRemoved { target } => {
            retries.remove(target);
            state.panes.run.chosen.remove(target);
        }
        EventBody::WorkflowRemoved { scope } => {
            let is_there = |target: &Target| target.scope.as_ref() != Some(scope);
            retries.retain(|target, _| is_there(target));
            state.panes.run.chosen.retain(|target, _| is_there(target));
        }
        _ => {}
    }
    Vec::new()
}

/// What an action does in the main pane.
pub fn act(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    keys::act(state, pane(state), action)
}

/// What an action does beside it.
pub fn act_beside(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    keys::act(state, Pane::Dock, action)
}

/// A row of the main pane was clicked.
pub fn click(state: &mut State, row: u16) -> Vec<Effect> {
    let pane = pane(state);
    if let Some(row) = usize::from(row).checked_sub(frame::head(state, pane)) {
        keys::click(state, pane, row);
    }
    Vec::new()
}

/// Its entries as they are searched, and the selected one.
pub fn lines(state: &State) -> (Vec<String>, Option<usize>) {
    keys::lines(state, pane(state))
}

/// Shows one of them, open.
pub fn pick_line(state: &mut State, at: usize) -> Vec<Effect> {
    keys::pick_line(state, pane(state), at);
    Vec::new()
}

/// Whether an entry is selected.
pub fn has_selected(state: &State) -> bool {
    frame::column(state, pane(state)).is_some_and(|column| column.selected().is_some())
}

/// The text of the selected block.
pub fn copied(state: &State) -> Option<String> {
    keys::copied(state, pane(state))
}

/// Whether the view follows.
pub fn note(state: &State) -> Row {
    frame::note(state, pane(state))
}

/// Draws a run in the main pane.
pub fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) {
    frame::draw(state, painter, area, pane(state));
}

/// Draws a run beside it.
pub fn draw_beside(state: &State, painter: &mut Painter<'_>, area: Rect) {
    frame::draw(state, painter, area, Pane::Dock);
}

/// A column of a run's transcript for another place, so wide.
pub fn column_of(state: &State, id: RunId, width: usize) -> Option<Column<'_>> {
    let transcript = state.panes.run.get(id)?;
    Some(Column::new(state, transcript, run(state, id), Pane::Dock, width))
}

/// How many rows a run takes beside the main pane, up to so many.
pub fn rows_beside(state: &State, width: usize, most: usize) -> usize {
    use crate::parts::flow::Flow as _;
    let Some(column) = frame::wide(state, Pane::Dock, width) else { return 0 };
    let mut rows = 0;
    for item in (0..column.len()).rev() {
        rows += column.height(item);
        if rows >= most {
            return most;
        }
    }
    rows
}

/// When the mail of an agent is tried again.
pub fn retry_of(state: &State, target: &Target) -> Option<Timestamp> {
    let heard = state.panes.run.retries.get(target).copied();
    let mail = || {
        let messages = &state.panes.mail.get(target)?.inbox.messages;
        let deliveries = messages.iter().map(|message| &message.delivery);
        let waiting = deliveries.filter(|delivery| delivery.state == DeliveryState::Waiting);
        waiting.filter_map(|delivery| delivery.not_before).min()
    };
    heard.or_else(mail)
}

/// Who sent a message to a run's agent, if it is known here.
pub fn sender(state: &State, run: &Run, message: MessageId) -> Option<Name> {
    let talk = state.talks.get(&(run.scope.clone(), Conversation::Channel));
    let said = talk.and_then(|talk| talk.messages.get(talk.index(message.number())?));
    let mail = || state.panes.mail.get(&run.agent).and_then(|mail| mail.inbox.get(message));
    let sender = said.map(|message| &message.sender);
    sender.or_else(|| mail().map(|mail| &mail.message.sender)).cloned()
}
