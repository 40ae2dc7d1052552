//! What lies over the panes.

use super::App;
use crate::{
    key::{Code, Key},
    model::{Draft, Drafts, Effect, Possible, Window},
    overlays::{self, Outcome, Overlay},
    parts::field,
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
        let is_of_actions = matches!(window, Window::Palette | Window::Menu | Window::Help);
        let possible = if is_of_actions { self.possible() } else { Possible::default() };
        let Some(overlay) = overlays::open(window, &self.model, &self.panes, &possible) else {
            return Vec::new();
        };
        if !is_told {
            self.model.prompt.notice = None;
        }
        let effects = overlay.on_show(&self.model, &mut self.panes);
        self.overlays.push(overlay);
        effects
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
                self.note_written();
                self.perform(effects)
            }
            Outcome::Close(effects) => {
                let kept = keep(&mut self.model.writing.drafts, &*overlay);
                kept.into_iter().chain(self.perform(effects)).collect()
            }
        }
    }

    /// Takes the top one away.
    pub fn close(&mut self) -> Vec<Effect> {
        let drafts = &mut self.model.writing.drafts;
        self.overlays.pop().and_then(|overlay| keep(drafts, &*overlay)).into_iter().collect()
    }

    /// Keeps what is written in all of them; they stay.
    pub fn keep_written(&mut self) -> Vec<Effect> {
        self.written_at = None;
        let drafts = &mut self.model.writing.drafts;
        self.overlays.iter().filter_map(|overlay| keep(drafts, &**overlay)).collect()
    }

    /// Notes since when the text in the top one differs from its draft.
    fn note_written(&mut self) {
        let drafts = &self.model.writing.drafts;
        let written = self.overlays.last().and_then(|overlay| overlay.draft());
        if written.is_some_and(|(purpose, text)| drafts.text(purpose) != text) {
            self.written_at.get_or_insert(self.model.now);
        }
    }

    /// A text was pasted; `None` without a field for it.
    pub fn overlay_paste(&mut self, text: &str) -> Option<Vec<Effect>> {
        let overlay = self.overlays.last_mut()?;
        let is_whole = overlay.field()?.insert_str(text);
        let effects = overlay.pasted(&mut self.model, &mut self.panes);
        if !is_whole {
            self.model.warn(field::CUT);
        }
        self.note_written();
        Some(self.perform(effects))
    }
}

/// Keeps what is written in an overlay as a draft, unless it is kept already.
fn keep(drafts: &mut Drafts, overlay: &dyn Overlay) -> Option<Effect> {
    let (purpose, text) = overlay.draft()?;
    let is_kept = drafts.text(purpose.clone()) == text;
    (!is_kept).then(|| drafts.keep(purpose, Draft::ended(text.to_owned())))
}
