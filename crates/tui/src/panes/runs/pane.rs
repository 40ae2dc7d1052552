//! Tables of runs as a pane: its keys, what it hears, and how it looks.

use agent_worker_protocol::{Event, EventBody, Run, RunId, RunState, Target};
use ratatui_core::layout::Rect;

use super::{
    columns::{self, Columns},
    selected::{all, are_wanted, ids, is_shown, more, of, own, reach_last, settle},
};
use crate::{
    action::Action,
    model::{
        Act, Answer, Effect, Item, Model, Pick, Place, Reply, Request, Subject, Tab, Window,
        history, known::runs::Pages, layout, words,
    },
    paint::{Painter, Row},
    panes::Pane,
    parts::{list, table},
    theme::Role,
};

/// Shows the message that woke the selected run, whichever conversation it is in.
fn cause(model: &mut Model) -> Vec<Effect> {
    let Some(run) = own(model) else { return Vec::new() };
    if let Some(message) = run.cause {
        return vec![Effect::Open(Window::Message(message, None))];
    }
    model.tell(format!("no message woke {}", run.id))
}

/// Tables of runs: what is known of them is the model's.
#[derive(Debug, Default)]
pub struct History;

impl Pane for History {
    /// It came onto the screen: asks for the first page, once.
    fn on_show(&mut self, model: &mut Model) -> Vec<Effect> {
        settle(model);
        let of = of(model).cloned();
        if !is_shown(model) || !model.is_live() || !model.known.runs.begin(of.as_ref()) {
            return Vec::new();
        }
        vec![Effect::Ask(Request::Runs(of, None))]
    }

    /// The picture is a new one: what was loaded beside it may be old.
    fn on_reset(&mut self, model: &mut Model) -> Vec<Effect> {
        model.known.runs.distrust();
        Vec::new()
    }

    fn on_event(&mut self, model: &mut Model, event: &Event) -> Vec<Effect> {
        match &event.body {
            EventBody::RunChanged(run) => model.known.runs.take(run),
            EventBody::AgentRemoved { target } => {
                model.known.runs.forget(|run| run.agent == *target);
            }
            EventBody::WorkflowRemoved { scope } => {
                model.known.runs.forget(|run| run.scope == *scope);
            }
            _ => return Vec::new(),
        }
        settle(model);
        Vec::new()
    }

    fn done(&mut self, model: &mut Model, action: Action) -> Option<Vec<Effect>> {
        match action {
            Action::Open => Some(match own(model) {
                Some(run) => vec![Effect::show_run(&run.agent, run.id)],
                None => Vec::new(),
            }),
            Action::Cause => Some(cause(model)),
            _ => None,
        }
    }

    /// What an act means for the selected run; none where it is not about runs.
    fn allowed(&self, model: &Model, action: Action) -> Option<Result<Act, String>> {
        if action != Action::Retry {
            return None;
        }
        Some(match own(model) {
            Some(run) if run.state.is_live() => Err(format!("{} is at work", run.id)),
            Some(run) if run.state == RunState::Succeeded => Err(format!("{} ended well", run.id)),
            Some(run) => Ok(Act::RetryRun(run.id)),
            None => Err("no run is selected".to_owned()),
        })
    }

    fn fields(&self, _: &Model) -> &'static [&'static str] {
        &columns::FIELDS
    }

    fn heading(&self, model: &Model, width: usize) -> Row {
        Columns::new(model, &all(model), of(model).is_none(), width).head()
    }

    fn columns(&self) -> &'static [&'static str] {
        &columns::HIDEABLE
    }

    /// Its lines as they are searched, and the selected one.
    fn lines(&self, model: &Model) -> (Vec<String>, Option<usize>) {
        let own = own(model).map(|run| run.id);
        let runs = all(model);
        let at = own.and_then(|own| runs.iter().position(|run| run.id == own));
        let columns = Columns::new(model, &runs, true, usize::MAX / 2);
        let line = |run: &&Run| {
            let more = [&run.error, &run.activity, &run.model]
                .map(|text| text.clone().unwrap_or_default());
            format!("{} {} {}", run.agent, columns.row(run).text(), more.join(" "))
        };
        (runs.iter().map(line).collect(), at)
    }

    fn rows_above(&self) -> usize {
        1
    }

    fn is_possible(&self, model: &Model, action: Action) -> bool {
        action != Action::Open || own(model).is_some()
    }

    /// Rows of the table on the screen, without its head.
    fn list_height(&self, model: &Model) -> Option<usize> {
        Some(layout::channel_height(model).saturating_sub(1).max(1))
    }

    fn pick(&mut self, model: &mut Model, to: Pick) -> Vec<Effect> {
        let (of, ids) = (of(model).cloned(), ids(model));
        model.known.runs.get_mut(of.as_ref()).picked.go(&ids, to);
        if matches!(to, Pick::Step(..)) { more(model) } else { Vec::new() }
    }

    fn draw(&self, model: &Model, painter: &mut Painter<'_>, area: Rect) {
        let of = of(model);
        let runs = all(model);
        if runs.is_empty() {
            let none = match of {
                Some(_) => words::no_run(model),
                None => "no run yet".to_owned(),
            };
            return painter.hint(area, 1, table::nothing(model, &none));
        }
        let area = list::margin(area);
        let columns = Columns::new(model, &runs, of.is_none(), usize::from(area.width) - 1);
        painter.row(area, 1, 0, &columns.head());
        let ids: Vec<RunId> = runs.iter().map(|run| run.id).collect();
        let height = usize::from(area.height.saturating_sub(1));
        let pages = model.known.runs.get(of);
        let picked = pages.map(|pages| pages.picked.clone()).unwrap_or_default();
        let (_, body) = list::split(area, 1);
        list::lines(model, painter, body, (&picked, &ids), |at| columns.row(runs[at]));
        let shown = runs.len().min(height);
        if pages.is_some_and(Pages::is_loading) && shown < height {
            let row = Row::of(model.symbols().running, Role::Running);
            let y = u16::try_from(shown + 1).unwrap_or(u16::MAX);
            painter.row(area, 1, y, &row.with(" loading older", Role::Dim));
        }
    }

    /// A page of runs.
    fn on_answer(&mut self, model: &mut Model, request: &Request, answer: Answer) -> Vec<Effect> {
        let Request::Runs(of, before) = request else { return Vec::new() };
        match answer {
            Ok(Reply::Runs(page)) => {
                model.known.runs.load(of.as_ref(), *before, page);
                settle(model);
                let is_sum = model.place.tab == Tab::Cost;
                if is_sum { history::week(model) } else { reach_last(model) }
            }
            Ok(_) => Vec::new(),
            Err(trouble) => {
                model.known.runs.fail(of.as_ref(), *before);
                if are_wanted(model, of.as_ref()) { model.not_loaded(&trouble) } else { Vec::new() }
            }
        }
    }

    fn item(&self, model: &Model) -> Option<(Place, Item, String)> {
        let run = own(model)?;
        let place = Place::at(Subject::Agent(run.agent.clone()), Tab::Run);
        Some((place, Item::Run(run.id), format!("{} of {}", run.id, run.agent)))
    }

    fn run(&self, model: &Model) -> Option<RunId> {
        own(model).map(|run| run.id)
    }

    fn selected(&self, model: &Model) -> Option<Target> {
        own(model).filter(|_| model.place.tab == Tab::Runs).map(|run| run.agent)
    }
}
