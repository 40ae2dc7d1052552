//! What panes and overlays want done, as far as it is done here.

use super::{App, act, compose, go, kept};
use crate::model::{Act, Effect, Focus, Item, Place};

impl App {
    /// Performs effects until only those for the event loop are left.
    pub fn perform(&mut self, wanted: Vec<Effect>) -> Vec<Effect> {
        wanted.into_iter().flat_map(|effect| self.performed(effect)).collect()
    }

    fn performed(&mut self, effect: Effect) -> Vec<Effect> {
        match effect {
            Effect::Go(place, item) => self.go_to(place, item),
            Effect::Open(window) => self.open(window),
            Effect::Act(act) => act::ask(self, act),
            Effect::Settle(act) => self.settle(act),
            Effect::Perform(act) => act::perform(self, act),
            Effect::Do(action) => act::act(self, action),
            Effect::Write(address, text, to) => compose::write(self, address, &text, to),
            Effect::SaveLayout(name) => kept::save(self, name),
            Effect::Arrange(name) => kept::arrange(self, &name),
            Effect::Retarget(address) => compose::retarget(self, address),
            other => vec![other],
        }
    }

    fn go_to(&mut self, place: Place, item: Option<Item>) -> Vec<Effect> {
        if let Some(item) = item {
            self.panes.of_mut(place.tab).go_to(&mut self.model, &place.subject, item);
        }
        let effects = go::go(self, place);
        self.model.selection.focus = Focus::Main;
        effects
    }

    /// Asks before what an overlay is about, in its tier, or does it: then the overlay goes away.
    fn settle(&mut self, act: Act) -> Vec<Effect> {
        if !self.model.may_act() {
            return Vec::new();
        }
        [self.close(), act::ask(self, act)].concat()
    }
}
