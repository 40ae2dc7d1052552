//! To be drawn.

use ratatui_core::layout::Rect;

use crate::{action::Action, message::Effect, paint::Painter, state::State};

/// What it keeps.
#[derive(Debug, Default)]
pub struct Transcripts {}

/// It came onto the screen.
pub fn shown(_: &mut State) -> Vec<Effect> {
    Vec::new()
}
/// The picture is a new one.
pub fn renewed(_: &mut State) -> Vec<Effect> {
    Vec::new()
}
/// Its keys.
pub fn act(_: &mut State, _: Action) -> Option<Vec<Effect>> {
    None
}
/// Draws it.
pub fn draw(_: &State, _: &mut Painter<'_>, _: Rect) {}
/// Something changed.
pub fn heard(_: &mut State, _: &agent_worker_protocol::event::Event) -> Vec<Effect> {
    Vec::new()
}
/// Output.
pub fn output(
    _: &mut State,
    _: agent_worker_protocol::id::RunId,
    _: agent_worker_protocol::run::OutputEvent,
) -> Vec<Effect> {
    Vec::new()
}
/// It is loaded.
pub fn loaded(
    _: &mut State,
    _: agent_worker_protocol::id::RunId,
    _: agent_worker_protocol::run::RunDetail,
) -> Vec<Effect> {
    Vec::new()
}
/// What is copied.
pub fn copied(_: &State) -> Option<String> {
    None
}
/// Beside the tabs.
pub fn note(_: &State) -> crate::paint::Row {
    crate::paint::Row::new()
}
