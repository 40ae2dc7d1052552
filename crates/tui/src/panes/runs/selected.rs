//! Which runs a table shows, and which of them is selected.

use agent_worker_protocol::{Run, RunId, Target};

use super::columns;
use crate::{
    model::{Effect, Focus, Model, Tab, history},
    parts::table,
};

/// How near to the last row older runs are asked for.
const NEAR: usize = 10;

/// Whether a table is on the screen.
pub fn is_shown(model: &Model) -> bool {
    of(model).is_some() || model.place.tab == Tab::Runs
}

/// Whether what is on the screen asks for these runs: a table, a sum, or the runs of an agent.
pub fn are_wanted(model: &Model, of: Option<&Target>) -> bool {
    use Tab::{Cost, History, Prompt, Run, Runs};
    let is_of_runs = matches!(model.place.tab, Runs | Cost | History | Run | Prompt);
    is_of_runs && model.place.subject.agent() == of
}

/// The agent whose runs the table shows; `None` for all agents.
pub fn of(model: &Model) -> Option<&Target> {
    model.place.subject.agent().filter(|_| model.place.tab == Tab::History)
}

/// The runs of the table, as it is filtered and sorted.
pub fn all(model: &Model) -> Vec<&Run> {
    let runs = history::all(model, of(model));
    table::arranged(model, model.place.tab, runs, |run| columns::facts(model, run))
}

pub fn ids(model: &Model) -> Vec<RunId> {
    all(model).into_iter().map(|run| run.id).collect()
}

pub fn own(model: &Model) -> Option<Run> {
    let of = of(model);
    let at = model.known.runs.get(of).map_or(Some(0), |pages| pages.picked.at(&ids(model)))?;
    all(model).get(at).copied().cloned()
}

/// Keeps the selected run selected when others come on top of it.
pub fn settle(model: &mut Model) {
    if !is_shown(model) {
        return;
    }
    let (of, ids) = (of(model).cloned(), ids(model));
    let has_focus = model.selection.focus != Focus::Nav;
    model.known.runs.get_mut(of.as_ref()).picked.settle_or_follow(&ids, has_focus);
}

/// Asks for older runs if the selected one is near the end. At the end, if no more are loaded, says
/// what lists them.
pub fn more(model: &mut Model) -> Vec<Effect> {
    let of = of(model).cloned();
    let ids = ids(model);
    let pages = model.known.runs.get_mut(of.as_ref());
    let below = pages.picked.at(&ids).map(|at| ids.len() - at - 1);
    if below == Some(0) && pages.is_full() {
        let count = pages.runs.len();
        let of = of.map_or_else(String::new, |of| format!(" {of}"));
        let line = model.connection.in_shell(&format!("agent-worker runs{of} -n 10000"));
        return model.tell(format!("only the newest {count} runs are loaded: {line} lists more"));
    }
    if below.is_some_and(|below| below < NEAR) {
        return history::more(model, of.as_ref());
    }
    Vec::new()
}

/// A page of runs came: if the last run was gone to, goes to the last of the page.
pub fn reach_last(model: &mut Model) -> Vec<Effect> {
    if !is_shown(model) {
        return Vec::new();
    }
    let (of, ids) = (of(model).cloned(), ids(model));
    let is_wanted = model.known.runs.get_mut(of.as_ref()).picked.reach_last(&ids);
    if is_wanted { more(model) } else { Vec::new() }
}
