//! What its keys do, and what it hears.

use agent_worker_client::text::numbers;
use agent_worker_protocol::Target;
use ratatui_core::layout::Rect;

use super::{
    draw,
    sum::By,
    sums::{self, Costs, FIELDS},
};
use crate::{
    action::Action,
    model::{Effect, Model, Pick, Request, Tab, history, layout},
    paint::{Painter, Row},
    panes::Pane,
    text::query::Query,
};

impl Costs {
    /// Shows what a line stands for: an agent, a workflow, the runs of a model or of a day.
    fn open(&self, model: &mut Model) -> Vec<Effect> {
        let Some(line) = self.own(model) else { return model.tell("nothing was used yet") };
        if self.by == By::Model {
            let text = format!("model:\"{}\"", line.name);
            if let Ok(query) = Query::parse(&text, &["model"]) {
                model.selection.queries.insert(Tab::Runs, query);
            }
        }
        vec![Effect::Go(line.place, None)]
    }
}

impl Pane for Costs {
    /// It came onto the screen: asks for the runs of a week.
    fn on_show(&mut self, model: &mut Model) -> Vec<Effect> {
        if model.place.tab != Tab::Cost || !model.is_live() {
            return Vec::new();
        }
        if model.known.runs.begin(None) {
            return vec![Effect::Ask(Request::Runs(None, None))];
        }
        history::week(model)
    }

    fn done(&mut self, model: &mut Model, action: Action) -> Option<Vec<Effect>> {
        (action == Action::Open).then(|| self.open(model))
    }

    fn heading(&self, model: &Model, width: usize) -> Row {
        draw::heading(self, model, width)
    }

    fn columns(&self) -> &'static [&'static str] {
        &draw::HIDEABLE
    }

    fn rows_above(&self) -> usize {
        usize::from(draw::HEAD)
    }

    fn list_height(&self, model: &Model) -> Option<usize> {
        Some(draw::height(layout::regions(model).main))
    }

    fn pick(&mut self, model: &mut Model, to: Pick) -> Vec<Effect> {
        let names = self.names(model);
        self.picked.entry(self.by.words()).or_default().go(&names, to);
        Vec::new()
    }

    fn selected(&self, model: &Model) -> Option<Target> {
        self.own(model)?.place.subject.agent().cloned()
    }

    fn copied(&self, model: &Model, _: Option<Target>) -> Option<String> {
        self.own(model).map(|line| line.name)
    }

    /// What it is summed up by.
    fn filters(&self, model: &Model) -> Option<(Vec<String>, usize)> {
        let words =
            |(by, words): &(By, &str)| format!("by {words}: {}", sums::lines(model, *by).len());
        Some((By::ALL.iter().map(words).collect(), self.by as usize))
    }

    fn filter(&mut self, _: &mut Model, at: usize) -> Vec<Effect> {
        self.by = By::ALL.get(at).map_or(By::Agent, |(by, _)| *by);
        Vec::new()
    }

    fn fields(&self, _: &Model) -> &'static [&'static str] {
        &FIELDS
    }

    fn lines(&self, model: &Model) -> (Vec<String>, Option<usize>) {
        let names = self.names(model);
        let at = self.picked.get(self.by.words()).map_or(Some(0), |picked| picked.at(&names));
        (names, at)
    }

    fn line(&self, model: &Model) -> Option<String> {
        let runs = history::all(model, None);
        let since = runs.last().map(|run| model.zone().near(run.started_at, model.shown_at()));
        let since = since.map(|since| format!(" since {since}")).unwrap_or_default();
        let sum = match self.by {
            By::Agent => "tokens and cost of all runs; the rest",
            By::Workflow => "the daemon's totals; the last hours",
            By::Model | By::Day => "summed up",
        };
        let runs = numbers::counted(runs.len(), "run", "runs");
        let key = model.pane_key(Action::Filter);
        Some(format!("{sum} from {runs}{since}; {key} groups by model, workflow, day"))
    }

    fn draw(&self, model: &Model, painter: &mut Painter<'_>, area: Rect) {
        draw::draw(self, model, painter, area);
    }
}
