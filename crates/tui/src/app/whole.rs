//! Everything there is, and what of it each part asks.

use crate::{
    keys::Context,
    model::{Composer, Model},
    overlays::Overlay,
    panes::{Pane, Panes},
};

#[derive(Debug)]
pub struct App {
    /// What the screen knows
    pub model: Model,
    /// What the panes keep
    pub panes: Panes,
    /// What lies over the panes; the last is on top
    pub overlays: Vec<Box<dyn Overlay>>,
    /// When the text in one of them changed since its draft was last kept, ms
    pub written_at: Option<i64>,
    /// Whether something lay over the panes when the left button was pressed last
    pub is_pressed_over: bool,
}

impl App {
    /// With nothing over the panes.
    pub fn new(model: Model) -> Self {
        let (panes, overlays) = (Panes::default(), Vec::new());
        Self { model, panes, overlays, written_at: None, is_pressed_over: false }
    }

    /// The line below, and the box it becomes.
    pub fn composer(&mut self) -> &mut Composer {
        &mut self.model.writing.composer
    }

    pub fn pane(&self) -> &dyn Pane {
        self.panes.of(self.model.place.tab)
    }

    /// The shown pane does something.
    pub fn in_pane<T>(&mut self, act: impl FnOnce(&mut dyn Pane, &mut Model) -> T) -> T {
        act(self.panes.of_mut(self.model.place.tab), &mut self.model)
    }

    /// Where keys mean something now, the innermost first.
    pub fn contexts(&self) -> Vec<Context> {
        match self.overlays.last() {
            Some(overlay) => overlay.contexts(),
            None => self.model.contexts(),
        }
    }
}
