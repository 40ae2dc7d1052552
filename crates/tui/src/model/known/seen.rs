//! What of everything is seen: all of it by the user, a part in a view as a member.

use agent_worker_protocol::{Event, EventBody, Name, Target};

use crate::model::{Effect, Model, Place, Subject, Tab};

/// What changes what a member has to read.
fn moves_cursors(event: &Event) -> bool {
    matches!(
        event.body,
        EventBody::MessageSent { .. } | EventBody::AgentChanged(_) | EventBody::GroupChanged(_)
    )
}

impl Model {
    /// Who looks at the screen: the member as whom everything is seen, else the user.
    pub fn person(&self) -> &Name {
        self.view.as_ref().map_or(&self.settings.identity, |view| &view.name)
    }

    /// Takes the mirror as it is now into the view.
    pub fn renew_view(&mut self) {
        if let Some(view) = &mut self.view {
            view.renew(self.connection.feed.mirror());
        }
    }

    /// Whether it is known what is to be shown, if only that it is nothing.
    pub fn has_come(&self) -> bool {
        self.has_picture() || self.connection.stranger.is_some()
    }

    /// Takes an event into the view. Returns what is to be asked, or `None` if the member does not
    /// see the event.
    pub fn view_event(&mut self, event: &Event) -> Option<Vec<Effect>> {
        self.renew_view();
        let Some(view) = &mut self.view else { return Some(Vec::new()) };
        if !view.sees(event) {
            return None;
        }
        Some(if moves_cursors(event) { view.ask() } else { Vec::new() })
    }

    /// Why the member as whom everything is seen does not see a place; `None` if it does.
    pub fn hidden(&self, place: &Place) -> Option<String> {
        let view = self.view.as_ref()?;
        let what = match (&place.subject, place.tab) {
            (_, Tab::Events) => "the feed".to_owned(),
            (Subject::Agent(target), tab) if *target != view.target() => match tab {
                Tab::Run => format!("the transcripts of {target}"),
                Tab::Prompt => format!("the prompts of {target}"),
                Tab::Inbox => format!("the inbox of {target}"),
                Tab::Queue => format!("the queue of {target}"),
                _ => return None,
            },
            _ => return None,
        };
        Some(format!("{} does not see {what}", view.name))
    }

    /// Whether the transcripts and the inbox of an agent are seen.
    pub fn sees_inside(&self, agent: &Target) -> bool {
        self.view.as_ref().is_none_or(|view| view.target() == *agent)
    }
}
