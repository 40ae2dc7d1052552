//! A run as a pane: what is shown of it, what it hears, what it is asked.

use agent_worker_protocol::{DeliveryState, Event, EventBody, OutputEvent, RunId, Target};
use ratatui_core::layout::Rect;

use super::{block::Fit, column::Column, screen::agent, state::Transcripts, transcript::Sight};
use crate::{
    action::Action,
    model::{Answer, Effect, Item, Model, Place, Reply, Request, Subject, Tab, known::talks::View},
    paint::{Painter, Row},
    panes::Pane,
    parts::{flow::Flow as _, mail},
    theme::Role,
};

/// Where the main pane is.
fn pane(model: &Model) -> Sight {
    if model.place.tab == Tab::Prompt { Sight::Prompt } else { Sight::Main }
}

impl Transcripts {
    pub fn output(&mut self, model: &mut Model, run: RunId, event: OutputEvent) -> Vec<Effect> {
        let Some(since) = self.followed.get(&run).copied() else { return Vec::new() };
        self.settle(model, pane(model));
        let is_live = model.mirror().run(run).is_some_and(|run| run.state.is_live());
        if is_live && self.is_news(run, since, &event) {
            model.pulse(run);
        }
        let now = model.now;
        let past = self.past.as_mut().map(|past| past.take(run, event.clone(), now));
        let Some(transcript) = self.of.get_mut(&run) else { return Vec::new() };
        match past.filter(|fit| *fit == Fit::Gap).unwrap_or_else(|| transcript.take(event, now)) {
            Fit::Gap => {
                self.followed.insert(run, model.daemon_now());
                vec![Effect::Unfollow(run), Effect::Follow(run)]
            }
            Fit::Good => {
                if transcript.end.is_some() {
                    self.followed.remove(&run);
                }
                Vec::new()
            }
        }
    }

    /// Whether an event of a run is newer than the time at which it was followed. What is stored
    /// is told first, each text of it from its beginning.
    fn is_news(&self, run: RunId, since: i64, event: &OutputEvent) -> bool {
        match event {
            OutputEvent::Block { at, ended_at, .. } => ended_at.unwrap_or(*at).0 > since,
            OutputEvent::Delta { off: 1.., .. } => true,
            OutputEvent::Delta { n, .. } => self.get(run).is_some_and(|known| {
                let mut blocks = known.blocks.iter().rev();
                blocks.any(|block| block.n == *n && block.started_at.0 > since)
            }),
            OutputEvent::End { .. } => false,
        }
    }

    /// Whether an entry on the screen is selected.
    pub fn has_selected(&self, model: &Model) -> bool {
        let pane = pane(model);
        let height = self.height_in(model, pane);
        self.column_in(model, pane).is_some_and(|column| column.selected_in(height).is_some())
    }

    /// How many rows a run takes in the side panel, at most `most`.
    pub fn rows_beside(
        &self,
        model: &Model,
        run: Option<RunId>,
        width: usize,
        most: usize,
    ) -> usize {
        let sight = Sight::Dock(run, Rect::default());
        let Some(column) = Column::of(model, self, sight, width) else { return 0 };
        let mut rows = 0;
        for item in (0..column.len()).rev() {
            rows += column.height(item);
            if rows >= most {
                return most;
            }
        }
        rows
    }
}

impl Pane for Transcripts {
    /// The picture is a new one. What is followed is told again from its beginning: nothing of it is
    /// lost, and nothing of another database stays.
    fn on_reset(&mut self, model: &mut Model) -> Vec<Effect> {
        let epoch = model.mirror().epoch().map(ToOwned::to_owned);
        let followed = std::mem::take(&mut self.followed);
        if self.epoch != epoch {
            *self = Transcripts {
                epoch,
                hides_thinking: self.hides_thinking,
                ..Transcripts::default()
            };
        }
        for transcript in self.of.values_mut() {
            transcript.asked = None;
        }
        followed.into_keys().map(Effect::Unfollow).collect()
    }

    fn on_event(&mut self, _model: &mut Model, event: &Event) -> Vec<Effect> {
        let retries = &mut self.retries;
        match &event.body {
            EventBody::DeliveryChanged(delivery) => match (delivery.state, delivery.not_before) {
                (DeliveryState::Waiting, Some(at)) => {
                    retries.insert(delivery.agent.clone(), at);
                }
                _ => drop(retries.remove(&delivery.agent)),
            },
            EventBody::AgentRemoved { target } => {
                retries.remove(target);
                self.chosen.remove(target);
            }
            EventBody::WorkflowRemoved { scope } => {
                let is_there = |target: &Target| target.scope.as_ref() != Some(scope);
                retries.retain(|target, _| is_there(target));
                self.chosen.retain(|target, _| is_there(target));
            }
            _ => {}
        }
        Vec::new()
    }

    /// A run came onto the screen: who woke it and when it is tried again stands in its agent's mail.
    fn on_show(&mut self, model: &mut Model) -> Vec<Effect> {
        let Some(target) = agent(model).cloned() else { return Vec::new() };
        mail::ask(model, &target, false)
    }

    /// What else there is to know of a run.
    fn on_answer(&mut self, model: &mut Model, request: &Request, answer: Answer) -> Vec<Effect> {
        match (request, answer) {
            (Request::Run(run), Ok(Reply::Run(detail))) => {
                if let Some(transcript) = self.of.get_mut(run) {
                    transcript.detail = Some(*detail);
                }
                Vec::new()
            }
            (_, Ok(_)) => Vec::new(),
            (_, Err(trouble)) => model.not_loaded(&trouble),
        }
    }

    fn go_to(&mut self, model: &mut Model, subject: &Subject, item: Item) {
        if let (Subject::Agent(target), Item::Run(run)) = (subject, item) {
            self.choose(model, target, run);
        }
    }

    fn item(&self, model: &Model) -> Option<(Place, Item, String)> {
        let (run, agent) = (Pane::run(self, model)?, model.place.subject.agent()?);
        Some((model.place.clone(), Item::Run(run), format!("{run} of {agent}")))
    }

    fn run(&self, model: &Model) -> Option<RunId> {
        self.shown_in(model, pane(model))
    }

    fn act(&mut self, model: &mut Model, action: Action) -> Option<Vec<Effect>> {
        self.act_in(model, pane(model), action)
    }

    /// Without an entry there is nothing to fold.
    fn is_possible(&self, model: &Model, action: Action) -> bool {
        let column = self.column_in(model, pane(model));
        action != Action::Open || column.is_some_and(|column| !column.is_empty())
    }

    fn click(&mut self, model: &mut Model, row: u16) -> Option<Vec<Effect>> {
        let pane = pane(model);
        let row = usize::from(row).checked_sub(self.head_in(model, pane))?;
        self.click_in(model, pane, row).then(Vec::new)
    }

    fn draw(&self, model: &Model, painter: &mut Painter<'_>, area: Rect) {
        self.paint(model, painter, area, pane(model));
    }

    fn copied(&self, model: &Model, _: Option<Target>) -> Option<String> {
        self.copied_in(model, pane(model))
    }

    /// Whether the view follows, or how much is below it.
    fn note(&self, model: &Model) -> Row {
        let pane = pane(model);
        let column = self.column_in(model, pane).filter(|_| pane == Sight::Main);
        let Some(column) = column else { return Row::new() };
        let is_over = column.transcript.end.is_some() || !column.is_live();
        match column.transcript.look(pane).view {
            View::Following if is_over => Row::new(),
            View::Following => Row::of("follow", Role::Running),
            View::At { .. } => {
                let height = self.height_in(model, pane);
                let spot = column.place(height);
                let rows: usize = (spot.item..column.len()).map(|item| column.height(item)).sum();
                let below = rows.saturating_sub(spot.line + height);
                let word = if is_over { "" } else { "paused, " };
                Row::of(format!("{word}{below} below"), Role::Wait)
            }
        }
    }

    /// The whole text of each entry, and the selected one.
    fn lines(&self, model: &Model) -> (Vec<String>, Option<usize>) {
        let Some(column) = self.column_in(model, pane(model)) else { return (Vec::new(), None) };
        let line = |at| format!("{} {}", column.title(at).as_str(), column.text(at));
        ((0..column.len()).map(line).collect(), column.selected())
    }

    fn pick_line(&mut self, model: &mut Model, at: usize) -> Vec<Effect> {
        self.open_line(model, pane(model), at);
        Vec::new()
    }
}
