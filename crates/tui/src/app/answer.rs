//! What the daemon answered.

use super::compose;
use crate::panes::conversation::scroll;
use crate::{
    model::{
        State,
        acts::Act,
        place::{Place, Subject},
        requests::{Effect, Reply, Request, Trouble},
    },
    overlays::Overlay,
    panes,
};

/// Takes an answer, for whoever asked.
pub fn take(state: &mut State, request: &Request, answer: Result<Reply, Trouble>) -> Vec<Effect> {
    match request {
        Request::Send { address, key, .. } => match answer {
            Ok(_) => compose::stored(state, address, key),
            Err(trouble) => compose::failed(state, address, key, trouble),
        },
        Request::Page(scope, group, side) => {
            let key = (scope.clone(), group.clone());
            match answer {
                Ok(Reply::Messages(page)) => state.talks.get_mut(&key).load(*side, page),
                Ok(_) => {}
                Err(trouble) => {
                    state.talks.get_mut(&key).loading = None;
                    told(state, &trouble);
                }
            }
            scroll::more(state, &key)
        }
        Request::Find { .. } => panes::conversation::found(state, request, answer),
        Request::Read(scope, group, _) => {
            if answer.is_err() {
                state.talks.get_mut(&(scope.clone(), group.clone())).told = 0;
            }
            Vec::new()
        }
        Request::Act(act) => done(state, act, answer),
        Request::Start { .. } | Request::New { .. } => made(state, answer),
        Request::Files => {
            if let (Ok(Reply::Files(files)), Some(Overlay::Form(form))) =
                (answer, state.overlays.last_mut())
            {
                form.list(files);
            }
            Vec::new()
        }
        Request::Why(subject) => match answer {
            Ok(Reply::Why(explanation)) => {
                state.overlays.push(Overlay::why(state, &explanation));
                Vec::new()
            }
            Ok(_) => Vec::new(),
            Err(trouble) => refused(state, &format!("why {subject}"), trouble),
        },
        _ => panes::answered(state, request, answer),
    }
}

fn done(state: &mut State, act: &Act, answer: Result<Reply, Trouble>) -> Vec<Effect> {
    match answer {
        Ok(Reply::Done(Some(words))) => state.tell(words),
        Ok(_) => {
            let restart = match act {
                Act::Stop(targets) if targets.len() == 1 => "   s starts it again",
                _ => "",
            };
            state.tell(format!("{}{restart}", act.done()));
        }
        Err(trouble) => {
            if let Act::Stop(targets) = act {
                for target in targets {
                    state.stopping.remove(target);
                }
            }
            return refused(state, &format!("{} {}", act.verb(), act.object()), trouble);
        }
    }
    panes::shown(state)
}

fn made(state: &mut State, answer: Result<Reply, Trouble>) -> Vec<Effect> {
    match answer {
        Ok(Reply::Started(started)) => {
            let scope = started.workflow.scope.clone();
            state.overlays.clear();
            state.tell(format!("started {}", scope.key()));
            state.panes.awaited = Some(Place::of(Subject::Workflow(scope)));
            panes::arrive(state)
        }
        Ok(Reply::Done(words)) => {
            state.overlays.clear();
            if let Some(words) = words {
                state.tell(words);
            }
            Vec::new()
        }
        Ok(_) => Vec::new(),
        Err(trouble) => refused(state, "start", trouble),
    }
}

/// Tells what could not be loaded.
pub fn told(state: &mut State, trouble: &Trouble) {
    if state.is_live() {
        state.warn(format!("not loaded: {}; R loads it again", trouble.message));
    }
}

/// Shows a refusal whole.
pub fn refused(state: &mut State, what: &str, trouble: Trouble) -> Vec<Effect> {
    state.overlays.push(Overlay::refused(what, trouble));
    Vec::new()
}
