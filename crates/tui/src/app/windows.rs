//! What lies over the panes.

use super::App;
use crate::{
    key::{Code, Key},
    model::{Effect, Possible, Window},
    overlays::{self, Outcome},
};

impl App {
    /// Puts something over the panes.
    pub fn open(&mut self, window: Window) -> Vec<Effect> {
        // An answer that comes by itself leaves what is told.
        let is_told = matches!(
            window,
            Window::Refused(..)
                | Window::NotSaved(..)
                | Window::NotSent(..)
                | Window::Why(_)
                | Window::TreeFilter
        );
        if let Window::Message(id, _) = &window {
            self.model.known.messages.retry(id);
        }
        let is_of_actions = matches!(window, Window::Palette | Window::Menu);
        let possible = if is_of_actions { self.possible() } else { Possible::default() };
        let Some(overlay) = overlays::open(window, &self.model, &self.panes, &possible) else {
            return Vec::new();
        };
        if !is_told {
            self.model.prompt.notice = None;
        }
        self.overlays.push(overlay);
        Vec::new()
    }

    /// A key for the top one.
    pub fn overlay_key(&mut self, key: Key) -> Vec<Effect> {
        let Some(mut overlay) = self.overlays.pop() else { return Vec::new() };
        let is_left = key == Key::ctrl('c') || key == Key::plain(Code::Esc);
        let outcome = if is_left && !overlay.keeps_esc() {
            Outcome::close()
        } else {
            overlay.key(&mut self.model, &mut self.panes, key)
        };
        let effects = match outcome {
            Outcome::Stay(effects) => {
                self.overlays.push(overlay);
                effects
            }
            Outcome::Close(effects) => effects,
        };
        self.perform(effects)
    }

    /// A text was pasted; `None` without a field for it.
    pub fn overlay_paste(&mut self, text: &str) -> Option<Vec<Effect>> {
        let overlay = self.overlays.last_mut()?;
        overlay.field()?.insert_str(text);
        let effects = overlay.pasted(&mut self.model, &mut self.panes);
        Some(self.perform(effects))
    }
}
