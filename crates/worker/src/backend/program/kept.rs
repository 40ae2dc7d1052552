//! Data of a program's session, kept between runs.

use agent_worker_protocol::{ByHand, RunConfig, SessionTurn, TurnRole, Usage, WorkerReport};
use serde::{Deserialize, Serialize};

use crate::{history::Seen, prompt::Known, reports::Reports};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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
    /// What the session knows of the agent's system prompt
    #[serde(default)]
    pub known: Known,
    /// Whether its program takes the system prompt each time that it opens the session
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub takes_system: bool,
    /// How a person goes on with it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<ByHand>,
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
