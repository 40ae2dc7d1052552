//! What lies in the inbox of the agent beside, and what waits for it.

use super::Line;
use crate::{message::Effect, state::State};

/// Asks for what is not known.
pub fn ask(_: &mut State) -> Vec<Effect> {
    Vec::new()
}

/// The rows.
pub fn rows(state: &State, _width: usize, is_named: bool) -> Vec<Line> {
    let Some(target) = super::target(state) else { return Vec::new() };
    let unread = state.mirror().agent(&target).map_or(0, |agent| agent.unread);
    let name = target.name.map(|name| name.to_string()).unwrap_or_default();
    let of = if is_named { format!("inbox of {name}") } else { "inbox".to_owned() };
    vec![Line::Title(format!("{of}: {unread} unread"))]
}
