//! To be drawn.

use ratatui_core::layout::Rect;

use crate::{key::Key, message::Effect, overlay::Outcome, paint::Painter, state::State};

/// What it keeps.
#[derive(Debug, Default)]
pub struct Peek {}

/// Opens it.
pub fn open(_: &mut State) -> Vec<Effect> {
    Vec::new()
}

impl Peek {
    /// A key.
    pub fn key(&mut self, _: &State, _: Key) -> Outcome {
        Outcome::close()
    }
    /// Its keys.
    pub fn keys(&self, _: &State) -> Vec<(String, String)> {
        Vec::new()
    }
    /// Draws it.
    pub fn draw(&self, _: &State, _: &mut Painter<'_>, _: Rect) -> Option<(u16, u16)> {
        None
    }
}
