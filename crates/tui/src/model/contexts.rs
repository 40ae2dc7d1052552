//! Where keys mean something.

use super::{
    place::{Focus, Tab},
    refusal,
    whole::{Model, Reach},
};
use crate::keys::Context;

impl Model {
    /// Where keys mean something now while nothing lies over the panes, the innermost first.
    pub fn contexts(&self) -> Vec<Context> {
        if self.writing.composer.is_open {
            return vec![Context::Composer];
        }
        if let Reach::Nobody { .. } = self.connection.reach
            && !self.has_picture()
        {
            return vec![Context::NoDaemon, Context::Anywhere];
        }
        if refusal::of(self).is_some() && !self.has_picture() {
            return vec![Context::Offline, Context::Anywhere];
        }
        let mut contexts = Vec::new();
        if !self.is_live() && self.has_picture() {
            contexts.push(Context::Offline);
        }
        if self.is_empty() {
            contexts.push(Context::Empty);
        }
        match self.selection.focus {
            Focus::Nav => contexts.push(Context::Nav),
            Focus::Main => contexts.extend(self.place.tab.context()),
            Focus::Dock if self.place.tab == Tab::Documents => contexts.push(Context::Documents),
            Focus::Dock => contexts.push(Context::Run),
        }
        contexts.extend([Context::Move, Context::Anywhere]);
        contexts
    }
}
