//! A team as it is at work: what a daemon would say of it, and what it would answer. The screens
//! that are held against the design, and the pictures of them, are made from it.

mod found;
mod log;
mod mail;
mod papers;
mod people;
mod said;
mod times;
mod votes;
mod work;

pub use found::hits;
pub use mail::delivery;
pub use said::review_group;

use std::collections::VecDeque;

use agent_worker_protocol::{Scope, Snapshot, Timestamp};

use super::story::{NOW, Story};
use crate::{
    app::Msg,
    model::{
        effects::Effect,
        place::{Subject, Tab},
        requests::{LogPage, Reply, Request},
    },
};

/// The scope that most of it happens in.
pub fn pr() -> Scope {
    "@review:pr-123".parse().unwrap()
}

/// A time of the day, as `14:05:11`.
fn at(clock: &str) -> Timestamp {
    let seconds = |clock: &str| -> i64 {
        clock.split(':').fold(0, |sum, part| sum * 60 + part.parse::<i64>().unwrap())
    };
    Timestamp(NOW + (seconds(clock) - seconds("14:06:12")) * 1000)
}

fn snapshot() -> Snapshot {
    Snapshot {
        epoch: "e".to_owned(),
        seq: log::LAST,
        workflows: people::workflows(),
        agents: people::agents(),
        groups: said::groups(),
        runs: work::runs(),
        documents: papers::documents(),
        proposals: vec![votes::open()],
        schedules: times::all(),
        questions: vec![people::question()],
        attention: people::attention(),
    }
}

/// What the daemon answers to this; nothing where the team has nothing to tell.
fn answer(request: &Request) -> Option<Reply> {
    Some(match request {
        Request::As(member, request) => match &**request {
            Request::Groups => Reply::Groups(said::groups_of(member)),
            request => answer(request)?,
        },
        Request::Context(target) => Reply::Context(Box::new(people::context(target))),
        Request::Page(scope, name, ..) => Reply::Messages(said::page(scope, name)),
        Request::Story(scope, None) => Reply::Log(log::page(Some(scope))),
        Request::Log(scope, LogPage::Newest) => Reply::Log(log::page(scope.as_ref())),
        Request::Inbox(target) => Reply::Inbox(mail::inbox(target)),
        Request::Queue(target) => Reply::Queue(mail::queue(target)),
        Request::Message(id) => Reply::Message(Box::new(mail::detail(*id))),
        Request::Runs(of, None) => Reply::Runs(work::page(of.as_ref())),
        Request::Run(run) => Reply::Run(Box::new(work::detail(*run))),
        Request::Agent(target) => Reply::Agent(Box::new(people::detail(target))),
        Request::Document(_, file, Some(version)) => Reply::Document(papers::text(file, *version)),
        Request::Proposals(..) => Reply::Proposals(votes::page()),
        Request::Search(text, None) => Reply::Hits(found::hits(text)),
        Request::Schedules(target) => Reply::Schedules(times::details(target)),
        Request::Versions(_, file) => Reply::Versions(papers::versions(file)),
        Request::Why(subject) => Reply::Why(people::why(subject)),
        _ => return None,
    })
}

/// All that is said of the team and by it, in one text.
pub fn words() -> String {
    let json = |text: Result<String, serde_json::Error>| text.unwrap();
    let snapshot = snapshot();
    let mut words = json(serde_json::to_string(&snapshot));
    for group in &snapshot.groups {
        words.push_str(&json(serde_json::to_string(&said::page(&group.scope, &group.name))));
    }
    for run in &snapshot.runs {
        words.push_str(&json(serde_json::to_string(&work::transcript(run.id))));
    }
    for document in &snapshot.documents {
        words.push_str(&papers::text(&document.file, document.version).content);
        words.push_str(&papers::text(&document.file, document.version - 1).content);
    }
    words.push_str(&json(serde_json::to_string(&votes::page())));
    words.push_str(&json(serde_json::to_string(&times::all())));
    words.push_str(&json(serde_json::to_string(&found::hits("cursor"))));
    for agent in &snapshot.agents {
        words.push_str(&json(serde_json::to_string(&people::detail(&agent.target))));
    }
    words
}

impl Story {
    /// Live, with the team at work, on a screen of 80x24.
    pub fn team() -> Self {
        let mut story = Self::of(snapshot());
        story.settle();
        story
    }

    /// The same for a user who acts as a member.
    pub fn acting_as(name: &str) -> Self {
        let mut story = Self::blank();
        story.app.model.settings.identity = name.parse().unwrap();
        let mut story = story.live(snapshot());
        story.settle();
        story
    }

    /// The daemon answers all that was asked, until nothing more is.
    pub fn settle(&mut self) -> &mut Self {
        let mut effects = VecDeque::from(std::mem::take(&mut self.effects));
        while let Some(effect) = effects.pop_front() {
            match effect {
                Effect::Ask(request) => {
                    if let Some(reply) = answer(&request) {
                        effects.extend(std::mem::take(&mut self.answer(request, reply).effects));
                    }
                }
                Effect::Follow(run) => {
                    for event in work::transcript(run) {
                        effects.extend(std::mem::take(
                            &mut self.tell(Msg::Output(run, event)).effects,
                        ));
                    }
                }
                _ => {}
            }
        }
        self
    }

    /// Shows a place with all that is on it, and focuses it.
    pub fn visit(&mut self, subject: Subject, tab: Tab) -> &mut Self {
        self.open(subject, tab).settle();
        // What is followed is found out when everything else is there.
        self.tell(Msg::Tick).settle()
    }
}
