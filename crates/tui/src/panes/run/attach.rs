//! Handing the terminal to the program of a run, to go on with its session by hand.

use agent_worker_protocol::{ByHand, Run, RunDetail, RunId};

use crate::{
    action::Action,
    model::{Effect, Model, Outside, Request, RequestError, Window},
};

/// Asks how a person goes on with a run.
pub fn attach(model: &mut Model, run: RunId) -> Vec<Effect> {
    if !model.may_act() {
        return Vec::new();
    }
    if model.connection.is_remote {
        let line = format!("agent-worker resume-in-terminal {run} --exec");
        // The line below has no room for it.
        let command = model.connection.at_its_machine(&line);
        let message = format!("its program is on {}", model.connection.host);
        let trouble = RequestError::with_command(message, command);
        return vec![Effect::Open(Window::Refused(format!("attach to {run}"), trouble))];
    }
    match model.mirror().run(run) {
        Some(live) if live.state.is_live() => {
            let text = in_progress(model, live);
            model.warn(text)
        }
        _ => vec![Effect::Ask(Request::Attach(run))],
    }
}

/// Hands the terminal over, or says why not.
pub fn attached(model: &mut Model, detail: RunDetail) -> Vec<Effect> {
    let id = detail.run.id;
    if detail.run.state.is_live() {
        let text = in_progress(model, &detail.run);
        return model.warn(text);
    }
    let Some(by_hand) = detail.by_hand else {
        let why = detail.why_not_by_hand();
        let words = format!("cannot attach to {id}: {why}; agent-worker logs {id} shows it");
        return model.warn(words);
    };
    let (run, cwd) = (id, detail.cwd);
    vec![match model.mirror().live_run(&detail.run.agent) {
        // A later run may go on with the same session.
        Some(live) => Effect::Ask(Request::Beside { live: live.id, run, by_hand, cwd }),
        None => Effect::Outside(Outside::Program { run, by_hand, cwd }),
    }]
}

/// Hands the terminal over, unless the agent's live run uses the session. The same command is for
/// the same session.
pub fn beside(
    model: &mut Model,
    run: RunId,
    by_hand: &ByHand,
    cwd: Option<String>,
    other: &RunDetail,
) -> Vec<Effect> {
    if other.run.state.is_live() && other.by_hand.as_ref() == Some(by_hand) {
        let (live, agent) = (other.run.id, &other.run.agent);
        let stop = model.key(Action::Stop);
        let why = format!("{live} uses its session; {stop} stops {agent}");
        return model.warn(format!("cannot attach to {run}: {why}"));
    }
    vec![Effect::Outside(Outside::Program { run, by_hand: by_hand.clone(), cwd })]
}

/// A session has room for one at a time.
fn in_progress(model: &Model, run: &Run) -> String {
    let stop = model.key(Action::Stop);
    format!("cannot attach to {}: it is in progress; {stop} stops {}", run.id, run.agent)
}
