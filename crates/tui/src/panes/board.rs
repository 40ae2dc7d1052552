//! To be drawn.

use ratatui_core::layout::Rect;

use crate::{action::Action, message::Effect, paint::Painter, state::State};

/// What it keeps.
#[derive(Debug, Default)]
pub struct Board {}

/// It came onto the screen.
pub fn shown(_: &mut State) -> Vec<Effect> {
    Vec::new()
}
/// The picture is a new one.
pub fn renewed(_: &mut State) {}
/// Its keys.
pub fn act(_: &mut State, _: Action) -> Option<Vec<Effect>> {
    None
}
/// Draws it.
pub fn draw(_: &State, _: &mut Painter<'_>, _: Rect) {}
/// A row was clicked.
pub fn click(_: &mut State, _: u16) -> Vec<Effect> {
    Vec::new()
}
/// What is selected.
pub fn selected(_: &State) -> Option<agent_worker_protocol::target::Target> {
    None
}
