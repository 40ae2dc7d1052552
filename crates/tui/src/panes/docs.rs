//! To be drawn.

use ratatui_core::layout::Rect;

use crate::{action::Action, message::Effect, paint::Painter, state::State};

/// What it keeps.
#[derive(Debug, Default)]
pub struct Docs {}

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
/// Something changed.
pub fn heard(_: &mut State, _: &agent_worker_protocol::event::Event) -> Vec<Effect> {
    Vec::new()
}
/// It could not be loaded.
pub fn failed(_: &mut State, _: &crate::message::Request) {}
/// It is not saved.
pub fn not_saved(
    _: &mut State,
    _: &crate::message::Request,
    _: crate::message::Trouble,
) -> Vec<Effect> {
    Vec::new()
}
/// An answer.
pub fn answered(
    _: &mut State,
    _: &crate::message::Request,
    _: crate::message::Reply,
) -> Vec<Effect> {
    Vec::new()
}
/// A text came back from the editor.
pub fn edited(
    _: &mut State,
    _: agent_worker_protocol::target::Scope,
    _: String,
    _: i64,
    _: &str,
    _: String,
) -> Vec<Effect> {
    Vec::new()
}
/// What is copied.
pub fn copied(_: &State) -> Option<String> {
    None
}
