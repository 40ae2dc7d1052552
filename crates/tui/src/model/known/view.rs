//! The view as a member: everything as it sees it.

use agent_worker_client::mirror::Mirror;
use agent_worker_protocol::{Conversation, Event, EventBody, Name, OwnGroup, Scope, Target};

use crate::model::{Effect, Place, Request};

/// The member as whom everything is seen, and what is to be restored behind it.
#[derive(Debug)]
pub struct View {
    pub name: Name,
    pub scope: Scope,
    /// The part of the mirror that it sees
    pub mirror: Mirror,
    /// Its conversations with its read positions
    own: Vec<OwnGroup>,
    /// Whether these are on their way, and whether they have changed since they were asked for
    asked: (bool, bool),
    pub before: Before,
}

/// What was so before everything was seen as a member sees it.
#[derive(Debug)]
pub struct Before {
    pub place: Place,
    /// Places before that, and after it
    pub trail: (Vec<Place>, Vec<Place>),
    /// Whether nothing could be changed
    pub is_read_only: bool,
}

impl View {
    /// A view of a mirror as a member of a scope.
    pub fn new(name: Name, scope: Scope, all: &Mirror, before: Before) -> Self {
        let mirror = all.seen_by(&scope, &name, &[]);
        Self { name, scope, mirror, own: Vec::new(), asked: (false, false), before }
    }

    /// Takes another mirror.
    pub fn renew(&mut self, all: &Mirror) {
        self.mirror = all.seen_by(&self.scope, &self.name, &self.own);
    }

    /// The member.
    pub fn target(&self) -> Target {
        Target::member(self.name.clone(), self.scope.clone())
    }

    /// Whether an event is about something that the member sees.
    pub fn sees(&self, event: &Event) -> bool {
        let is_open = |group: &Conversation| self.mirror.group(&self.scope, group).is_some();
        match &event.body {
            EventBody::MessageSent { message, .. } => is_open(&message.group),
            _ => event.scope == self.scope,
        }
    }

    /// Asks for its conversations.
    pub fn ask(&mut self) -> Vec<Effect> {
        let (is_asked, has_changed) = &mut self.asked;
        *has_changed |= *is_asked;
        if std::mem::replace(is_asked, true) {
            return Vec::new();
        }
        vec![Effect::Ask(Request::Groups)]
    }

    /// Takes its conversations, or that they could not be had; asks again if they have changed.
    pub fn take(&mut self, own: Option<Vec<OwnGroup>>) -> Vec<Effect> {
        let has_changed = std::mem::take(&mut self.asked).1;
        if let Some(own) = own {
            self.own = own;
        }
        if has_changed { self.ask() } else { Vec::new() }
    }
}
