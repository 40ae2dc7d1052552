//! Where keys mean something.

use super::{Focus, Model, Reach, Tab, refusal, tree::lines};
use crate::{action::Action, keys::Context};

impl Model {
    /// Where keys mean something now while nothing lies over the panes, the innermost first.
    pub fn contexts(&self) -> Vec<Context> {
        if self.writing.composer.is_open {
            return vec![Context::Composer];
        }
        let missing = self.without_picture().filter(|_| self.connection.stranger.is_none());
        let mut contexts: Vec<Context> = missing.into_iter().collect();
        if missing.is_some() || self.connection.stranger.is_some() {
            if lines::roots(self).is_some() {
                contexts.extend([Context::Nav, Context::Move]);
            }
            contexts.push(Context::Anywhere);
            return contexts;
        }
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

    /// The key of an action, as it is named where it would be pressed.
    pub fn key(&self, action: Action) -> String {
        let mut contexts = self.contexts();
        contexts.extend([Context::Move, Context::Anywhere]);
        self.key_in(&contexts, action)
    }

    /// The key of an action, as a text of the shown pane names it: it works in that pane, wherever
    /// the focus is.
    pub fn pane_key(&self, action: Action) -> String {
        let mut contexts: Vec<Context> = self.place.tab.context().into_iter().collect();
        contexts.extend([Context::Move, Context::Anywhere]);
        self.key_in(&contexts, action)
    }

    /// The key of an action in these contexts, the innermost first.
    pub fn key_in(&self, contexts: &[Context], action: Action) -> String {
        let name = self.settings.keymap.name(contexts, action);
        name.unwrap_or_else(|| "no key".to_owned())
    }

    /// Whether the daemon of another machine cannot be asked: it cannot be started then either.
    pub fn is_out_of_reach(&self) -> bool {
        let Reach::Nobody { problem, is_starting, .. } = &self.connection.reach else {
            return false;
        };
        self.connection.is_remote && problem.is_some() && !is_starting
    }

    /// What keys mean while there is nothing to show and it is known why.
    pub fn without_picture(&self) -> Option<Context> {
        if self.has_picture() {
            return None;
        }
        match self.connection.reach {
            Reach::Nobody { .. } => Some(Context::NoDaemon),
            _ => refusal::of(self).map(|_| Context::Offline),
        }
    }
}
