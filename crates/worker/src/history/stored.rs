//! The session as a run finds it.

use agent_worker_protocol::{BackendConfig, Context, RunConfig, SessionTurn};

use super::{
    binding::Head,
    kept::{Kept, Seen, push, sound},
    summary::summarise,
};
use crate::model::{Part, Turn};

/// The session as a run finds it.
#[derive(Debug, Default)]
pub struct History {
    pub kept: Vec<Kept>,
    /// Whether what this run adds is to be kept
    pub is_wanted: bool,
    /// Whether what is stored must be replaced by what there is
    pub is_changed: bool,
}

impl History {
    /// The session that a run is given. What is too long of it becomes a list of what was done;
    /// what cannot be read, or lacks a part, is left out.
    pub fn of(config: &RunConfig) -> Self {
        // An agent program keeps its conversation itself.
        let is_program = matches!(config.backend, BackendConfig::Program(_));
        let Some(session) = config.session.as_ref().filter(|_| !is_program) else {
            return Self::default();
        };
        let mut kept: Vec<_> = session.turns.iter().map_while(Kept::read).collect();
        kept.truncate(sound_length(&kept));
        let is_cut = kept.len() < session.turns.len();
        if session.begins_anew {
            return Self { kept: summary(&kept), is_wanted: true, is_changed: true };
        }
        let is_shortened = shorten(&mut kept, &session.turns, session.most);
        Self { kept, is_wanted: true, is_changed: is_cut || is_shortened }
    }

    /// How far the agent has seen what others do; none if it must be told everything anew.
    pub fn seen(&self) -> Option<Seen> {
        let prompts = || self.kept.iter().filter_map(Kept::opening);
        prompts().any(|opening| opening.is_whole).then(|| prompts().next_back().map(|o| o.seen))?
    }

    /// The conversation so far, for this model behind this head. Parts that are bound stay where
    /// everything before them is what it was. Servers have rules of their own for the ids of calls,
    /// so those of another model are renamed, together with their results.
    pub fn turns(&self, model: &str, head: &Head, binds: impl Fn(&Part) -> bool) -> Vec<Turn> {
        let (mut turns, mut before) = (Vec::new(), head.growing());
        let mut is_of_other = false;
        for kept in &self.kept {
            let mut turn = kept.turn(model);
            if let Kept::Answered { model: by, .. } = kept {
                is_of_other = by != model;
            }
            if is_of_other {
                turn.rename_calls();
            }
            let is_behind_the_same = |behind: u64| before.with(&turns) == behind;
            if !kept.behind().is_some_and(is_behind_the_same) {
                turn.leave_out(&binds);
            }
            push(&mut turns, turn);
        }
        turns
    }
}

impl Seen {
    /// What an agent is shown at the beginning of a run.
    pub fn of(context: &Context) -> Self {
        let mail = context.inbox.messages.iter().map(|mail| mail.message.seq);
        let channel = context.channel.messages.iter().map(|message| message.seq);
        Self {
            message: mail.chain(channel).max().unwrap_or(0),
            document: context.document.as_ref().map(|document| document.version),
        }
    }
}

/// How many of them make sense: they end with the last turn of a conversation that does.
fn sound_length(kept: &[Kept]) -> usize {
    let (mut turns, mut ends) = (Vec::new(), Vec::new());
    for kept in kept {
        push(&mut turns, kept.turn(""));
        ends.push(turns.len());
    }
    let sound = sound(&turns);
    ends.partition_point(|end| *end <= sound)
}

/// Leaves out the runs that are oldest, until half of what there may be is free again, and says
/// whether it did.
fn shorten(kept: &mut Vec<Kept>, stored: &[SessionTurn], most: usize) -> bool {
    let stored = &stored[..kept.len()];
    let lengths: Vec<_> = stored.iter().map(|turn| turn.content.len()).collect();
    if lengths.iter().sum::<usize>() <= most {
        return false;
    }
    let is_start = |n: &usize| matches!(kept[*n], Kept::Prompt(_));
    let fits = |n: &usize| lengths[*n..].iter().sum::<usize>() <= most / 2;
    let from = (0..kept.len()).filter(is_start).find(fits).unwrap_or(kept.len());
    let gone: Vec<_> = kept.drain(..from).collect();
    kept.insert(0, Kept::Summary(summarise(&gone)));
    true
}

/// What an agent did in a session that its user has ended. What others wrote is left out: it may be
/// why the session was refused.
fn summary(gone: &[Kept]) -> Vec<Kept> {
    let mut lines = summarise(gone);
    lines.leave_out_mail();
    if lines.is_empty() { Vec::new() } else { vec![Kept::Summary(lines)] }
}
