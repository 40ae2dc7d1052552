//! What lies over the panes.

use super::App;
use crate::{
    key::{Code, Key},
    model::{Effect, Possible, Window, writing::drafts::Draft},
    overlays::{self, Outcome, Overlay},
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
        match outcome {
            Outcome::Stay(effects) => {
                self.overlays.push(overlay);
                self.perform(effects)
            }
            Outcome::Close(effects) => {
                let mut kept = self.kept(&*overlay);
                kept.extend(self.perform(effects));
                kept
            }
        }
    }

    /// Takes the top one away.
    pub fn close(&mut self) -> Vec<Effect> {
        self.overlays.pop().map_or_else(Vec::new, |overlay| self.kept(&*overlay))
    }

    /// Of an overlay that goes away: what was written in it stays a draft.
    fn kept(&mut self, overlay: &dyn Overlay) -> Vec<Effect> {
        let Some((purpose, text)) = overlay.draft() else { return Vec::new() };
        let drafts = &mut self.model.writing.drafts;
        if drafts.text(purpose.clone()) == text {
            return Vec::new();
        }
        vec![drafts.keep(purpose, Draft::ended(text.to_owned()))]
    }

    /// A text was pasted; `None` without a field for it.
    pub fn overlay_paste(&mut self, text: &str) -> Option<Vec<Effect>> {
        let overlay = self.overlays.last_mut()?;
        overlay.field()?.insert_str(text);
        let effects = overlay.pasted(&mut self.model, &mut self.panes);
        Some(self.perform(effects))
    }
}
