//! What is kept of a program's own session between runs.

use std::path::Path;

use agent_worker_protocol::{
    report::{ProgramConfig, RunConfig, WorkerReport},
    run::Usage,
    session::{ByHand, SessionTurn, TurnRole},
    workflow_file::Backend,
};
use serde::{Deserialize, Serialize};

use super::cursor;
use crate::{history::Seen, reports::Reports};

/// A program's session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// The program's name for it
    pub session: String,
    /// How far the agent has seen what others do
    pub seen: Seen,
    /// All that the session has used so far, of a program that tells no less
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Usage>,
    /// All that the session has cost so far in dollars, of a program that tells no less
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// How a person goes on with it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<ByHand>,
}

/// Returns the command with which a person goes on with a program's session; `None` if it is not
/// known, or if there is no such command.
pub fn by_hand(config: &ProgramConfig, session: &str) -> Option<ByHand> {
    let command = config.command.as_ref();
    let is_print = command.and_then(|command| command.mode.as_deref()) == Some(cursor::PRINT);
    let (flags, home): (&[&str], _) = match config.backend {
        Backend::Claude => (&["--resume"], None),
        Backend::Codex => (&["resume"], Some(("CODEX_HOME", "codex"))),
        Backend::Opencode => (&["-s"], None),
        Backend::Gemini => (&["-r"], None),
        Backend::Cursor if is_print => (&["--resume"], Some(("HOME", "cursor"))),
        _ => return None,
    };
    let usual = config.backend.program().map(|program| program.names[0]);
    let program = command.map_or(usual, |command| Some(command.program.as_str()))?;
    let own = command.map(|command| command.args.clone()).unwrap_or_default();
    let flags = flags.iter().map(ToString::to_string);
    let home = home.map(|(variable, folder)| {
        (variable.to_owned(), Path::new(&config.keep).join(folder).display().to_string())
    });
    Some(ByHand {
        program: program.to_owned(),
        args: own.into_iter().chain(flags).chain([session.to_owned()]).collect(),
        env: home.into_iter().collect(),
    })
}

impl Kept {
    /// Returns what earlier runs kept; `None` if the run begins a new session.
    pub fn of(run: &RunConfig) -> Option<Self> {
        let session = run.session.as_ref().filter(|session| !session.begins_anew)?;
        let turn = session.turns.iter().rfind(|turn| turn.role == TurnRole::Program)?;
        serde_json::from_str(&turn.content).ok()
    }

    /// Keeps it in place of all that was kept before.
    pub fn store(&self, reports: &Reports) {
        let content = serde_json::to_string(self).expect("it has no maps with odd keys");
        reports.turn(SessionTurn { role: TurnRole::Program, content, tokens: None });
        reports.send(&WorkerReport::Turns { instead: true });
    }
}
