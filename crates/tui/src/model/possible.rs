//! What is selected, and what can be done with it: a value for overlays, which do not ask for it.

use agent_worker_protocol::Target;

use super::Act;
use crate::action::Action;

/// What can be done where the person is.
#[derive(Debug, Default)]
pub struct Possible {
    /// The agent that is selected
    pub agent: Option<Target>,
    /// Actions that do something here, with the act that each begins
    pub actions: Vec<(Action, Option<Act>)>,
}

impl Possible {
    /// The act that an action begins, if it begins one; none if the action does nothing here.
    #[expect(clippy::option_option, reason = "an action that does something may be no act")]
    pub fn get(&self, action: Action) -> Option<Option<&Act>> {
        let found = self.actions.iter().find(|(possible, _)| *possible == action);
        found.map(|(_, act)| act.as_ref())
    }
}
