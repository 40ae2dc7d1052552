//! What is done with groups.

use agent_worker_protocol::{CursorSet, GroupAdd, GroupCreate, GroupLeave, Name, Wake};

use super::super::*;
use crate::ops::tests::{
    mirror::daemon::{Daemon, tried, word},
    model::Chance,
};

impl Daemon {
    pub fn groups(&self, chance: &mut Chance) {
        for _ in 0..3 {
            let (scope, member) = self.caller(chance);
            let member = if chance.one_in(3) { None } else { member };
            let group = chance.pick(&["east", "west", "dave"]);
            let name: Name = group.parse().expect("it is a name");
            let members = vec![word(chance).to_owned(), word(chance).to_owned()];
            let as_whom = member.as_deref();
            match chance.below(6) {
                0 | 1 => {
                    let wake = chance.one_in(2).then_some(Wake::All);
                    let create = GroupCreate { name, members, wake };
                    tried(self.world.call_as(&scope, as_whom, create));
                }
                2 => {
                    let add = GroupAdd { group: name, members };
                    tried(self.world.call_as(&scope, as_whom, add));
                }
                3 => drop(tried(self.world.call_as(&scope, as_whom, GroupLeave { group: name }))),
                4 => {
                    let conversation = group.parse().expect("it is a conversation");
                    let read = CursorSet { conversation, until: self.message(chance) };
                    tried(self.world.call(&scope, read));
                }
                _ => {
                    let text = format!("@{} look", word(chance));
                    tried(self.world.call_as(&scope, as_whom, tell(&[group], &text)));
                }
            }
        }
    }
}
