//! The runs of an agent, or of all, as far as they are known.

use agent_worker_protocol::{AttentionKind, Run, RunId, RunState, Target};

use crate::model::{Effect, Model, Request, Subject, known::runs::Pages, needs};

/// The runs of an agent that are known, newest first.
pub fn known<'s>(model: &'s Model, target: &Target) -> Vec<&'s Run> {
    all(model, Some(target))
}

/// The known runs of one agent or of all, newest first. The mirror has the newest state of a run.
/// It also has some runs of all agents that are older than missing ones. Those wait for their page.
pub fn all<'s>(model: &'s Model, of: Option<&Target>) -> Vec<&'s Run> {
    let mirror = model.mirror();
    let pages = model.known.runs.get(of);
    let mut runs: Vec<&Run> = if let Some(target) = of {
        mirror.runs_of(target).collect()
    } else {
        let first = pages.filter(|pages| !pages.is_whole()).and_then(Pages::oldest);
        mirror.runs().filter(|run| first.is_none_or(|first| run.id >= first)).collect()
    };
    let older = pages.into_iter().flat_map(|pages| pages.runs.values());
    runs.extend(older.filter(|run| mirror.run(run.id).is_none()));
    runs.sort_by_key(|run| std::cmp::Reverse(run.id));
    runs
}

/// Asks for older runs than are known, unless there are none or they are on their way.
pub fn more(model: &mut Model, of: Option<&Target>) -> Vec<Effect> {
    if !model.is_live() {
        return Vec::new();
    }
    let before = match of {
        Some(_) => all(model, of).last().map(|run| run.id),
        None => model.known.runs.get(None).and_then(Pages::oldest),
    };
    if !model.known.runs.more(of) {
        return Vec::new();
    }
    vec![Effect::Ask(Request::Runs(of.cloned(), before))]
}

/// The newest run of an agent: if one is live, it is that.
pub fn newest(model: &Model, target: &Target) -> Option<RunId> {
    let mirror = model.mirror();
    let live = mirror.agent(target).and_then(|agent| agent.run);
    live.max(mirror.runs_of(target).next().map(|run| run.id))
        .or_else(|| known(model, target).first().map(|run| run.id))
}

/// The last run of an agent, if it failed and the agent has mail that is dead or held.
pub fn failed_run(model: &Model, target: &Target) -> Option<RunId> {
    let last = model.mirror().runs_of(target).next()?;
    let is_failed =
        matches!(last.state, RunState::Failed | RunState::TimedOut | RunState::Cancelled);
    let is_kept = [AttentionKind::Dead, AttentionKind::Held]
        .iter()
        .any(|kind| needs::item(model, target, *kind).is_some());
    let is_talk = matches!(model.place.subject, Subject::Talk(..));
    (is_failed && is_kept && !is_talk).then_some(last.id)
}

/// How far back runs are summed up, ms, and how many at the most.
const WEEK: i64 = 7 * 24 * 60 * 60 * 1000;
const SUMMED: usize = 1_000;

/// Asks for older runs until those of a week are known.
pub fn week(model: &mut Model) -> Vec<Effect> {
    let runs = all(model, None);
    let oldest = runs.last().map_or(0, |run| run.started_at.0);
    if runs.len() >= SUMMED || oldest < model.shown_now() - WEEK {
        return Vec::new();
    }
    more(model, None)
}
