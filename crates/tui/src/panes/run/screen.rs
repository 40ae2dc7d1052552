//! Which transcripts are on the screen: those are followed, the others are forgotten after a while.

use agent_worker_protocol::{id::RunId, run::Run, target::Target};

use super::{Transcripts, transcript::Pane};
use crate::{
    app::side_panel,
    model::{
        State, layout,
        place::{Subject, Tab},
        requests::{Effect, Request},
    },
    overlays::Overlay,
    panes::runs,
};

/// How many transcripts are kept that are not on the screen.
const KEPT: usize = 4;

/// The agent whose run the main pane shows.
pub fn agent(state: &State) -> Option<&Target> {
    match (&state.place.subject, state.place.tab) {
        (Subject::Agent(target), Tab::Run | Tab::Prompt) => Some(target),
        _ => None,
    }
}

/// The run that is shown of an agent: the one that was chosen, else the live one, else the newest.
pub fn of(state: &State, target: &Target) -> Option<RunId> {
    let chosen = state.panes.run.chosen.get(target).copied();
    chosen.or_else(|| newest(state, target))
}

/// The newest run of an agent: if one is live, it is that.
pub fn newest(state: &State, target: &Target) -> Option<RunId> {
    let mirror = state.mirror();
    let live = mirror.agent(target).and_then(|agent| agent.run);
    live.max(mirror.runs_of(target).next().map(|run| run.id))
        .or_else(|| runs::known(state, target).first().map(|run| run.id))
}

/// The run in a place of the screen.
pub fn shown(state: &State, pane: Pane) -> Option<RunId> {
    match pane {
        Pane::Main | Pane::Prompt => of(state, agent(state)?),
        Pane::Dock => side_panel::run(state),
    }
}

/// What is known of a run.
pub fn run(state: &State, id: RunId) -> Option<&Run> {
    let transcripts = &state.panes.run;
    let detail = || transcripts.get(id).and_then(|known| known.detail.as_ref());
    state
        .mirror()
        .run(id)
        .or_else(|| runs::get(state, id))
        .or_else(|| detail().map(|detail| &detail.run))
}

/// All runs that are looked at now.
fn looked_at(state: &State) -> Vec<RunId> {
    let mut shown_now = Vec::new();
    let regions = layout::regions(state);
    if regions.main.width > 0 {
        shown_now.extend(shown(state, Pane::Main));
    }
    if regions.dock.is_some() {
        shown_now.extend(side_panel::run(state));
    }
    for overlay in &state.overlays {
        if let Overlay::Peek(peek) = overlay {
            shown_now.extend(newest(state, peek.target()));
        }
    }
    shown_now.sort_unstable();
    shown_now.dedup();
    shown_now
}

/// Follows what came onto the screen, follows no more what left it, and asks for what else there
/// is to know of a run in the state it is in now.
pub fn sync(state: &mut State) -> Vec<Effect> {
    if !state.is_live() {
        return Vec::new();
    }
    let wanted = looked_at(state);
    let mut effects = Vec::new();
    for id in &wanted {
        let run_state = run(state, *id).map(|run| run.state);
        let transcripts = &mut state.panes.run;
        transcripts.seen.retain(|seen| seen != id);
        transcripts.seen.push_back(*id);
        let transcript = transcripts.of.entry(*id).or_default();
        if transcript.end.is_none() && transcripts.followed.insert(*id) {
            effects.push(Effect::Follow(*id));
        }
        if run_state.is_some() && transcript.asked != run_state {
            transcript.asked = run_state;
            effects.push(Effect::Ask(Request::Run(*id)));
        }
    }
    effects.extend(state.panes.run.leave(&wanted));
    effects
}

impl Transcripts {
    /// Follows nothing but these, and forgets what was not looked at for longest.
    fn leave(&mut self, wanted: &[RunId]) -> Vec<Effect> {
        let left: Vec<RunId> =
            self.followed.iter().filter(|id| !wanted.contains(id)).copied().collect();
        for id in &left {
            self.followed.remove(id);
        }
        while self.seen.len() > wanted.len() + KEPT {
            let Some(oldest) = self.seen.pop_front() else { break };
            self.of.remove(&oldest);
        }
        left.into_iter().map(Effect::Unfollow).collect()
    }
}
