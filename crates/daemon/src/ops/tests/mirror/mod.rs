//! A client's mirror beside the tables: the events after a snapshot give the next snapshot.

use std::fmt::Debug;

use agent_worker_client::Mirror;
use agent_worker_protocol::{
    AskPerson, DocWrite, Event, ScheduleSet, Snapshot, WorkflowStop, event::RUNS_OF_AGENT,
};
use serde::{Serialize, de::DeserializeOwned};

use super::*;
use crate::entities::{feed, snapshot};
mod client;
mod daemon;
mod groups;
mod histories;
mod person;
mod proposals;
mod work;

/// A client that took a snapshot and hears of everything since.
struct Follower {
    mirror: Mirror,
}

/// What something is after it went over the wire.
pub fn over_the_wire<T: Serialize + DeserializeOwned>(thing: &T) -> T {
    let json = serde_json::to_string(thing).expect("it is JSON");
    serde_json::from_str(&json).expect("it is read as it was written")
}

/// The daemon's own snapshot, as a client gets it.
pub fn told(world: &World) -> Snapshot {
    over_the_wire(&world.daemon(|cx| snapshot::take(cx)))
}

impl Follower {
    fn of(world: &World) -> Self {
        let mut mirror = Mirror::default();
        mirror.replace(told(world));
        Self { mirror }
    }

    /// Hears what has happened, and must know then what a snapshot says.
    fn check(&mut self, world: &World) {
        let after = self.mirror.seq();
        let (lines, _) =
            world.daemon(move |cx| feed::page(cx.db, &feed::Filter::default(), after, usize::MAX));
        for line in lines {
            let event: Event = serde_json::from_str(&line.json).unwrap();
            assert!(self.mirror.apply(&event), "{event:?}");
        }
        if let Some(difference) = difference(&self.mirror.snapshot(), &told(world)) {
            panic!("the feed does not tell all: {difference}");
        }
    }
}

/// In what a mirror and a snapshot of the same place differ.
pub fn difference(mirror: &Snapshot, snapshot: &Snapshot) -> Option<String> {
    let of = |one: &Snapshot| (one.epoch.clone(), one.seq);
    first("workflow", &mirror.workflows, &snapshot.workflows)
        .or_else(|| first("member", &mirror.agents, &snapshot.agents))
        .or_else(|| first("conversation", &mirror.groups, &snapshot.groups))
        .or_else(|| first("run", &mirror.runs, &snapshot.runs))
        .or_else(|| first("document", &mirror.documents, &snapshot.documents))
        .or_else(|| first("proposal", &mirror.proposals, &snapshot.proposals))
        .or_else(|| first("schedule", &mirror.schedules, &snapshot.schedules))
        .or_else(|| first("question", &mirror.questions, &snapshot.questions))
        .or_else(|| first("what needs the person", &mirror.attention, &snapshot.attention))
        .or_else(|| first("place", &[of(mirror)], &[of(snapshot)]))
}

/// The first thing of a list in which the two differ.
fn first<T: PartialEq + Debug>(what: &str, mirror: &[T], snapshot: &[T]) -> Option<String> {
    let most = mirror.len().max(snapshot.len());
    let at = (0..most).find(|at| mirror.get(*at) != snapshot.get(*at))?;
    let (known, listed) = (mirror.get(at), snapshot.get(at));
    Some(format!("{what} {at}\n  mirror:   {known:?}\n  snapshot: {listed:?}"))
}

fn fresh(agents: &[&str]) -> Launch {
    Launch { fresh: true, ..launch_of(agents, "@alice go", Mode::Run, Limits::default()) }
}

fn write(file: &str) -> DocWrite {
    DocWrite { content: "text".to_owned(), file: Some(file.to_owned()), if_version: None }
}

#[test]
fn what_is_put_away_takes_its_runs_along() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice @bob go");
    world.fail(&world.claim(), EndCause::Transient);
    world.succeed(&world.claim(), "done");
    world
        .call("@team", WorkflowStop { key: team(), now: true, purge: false, timeout: None })
        .unwrap();
    let mut follower = Follower::of(&world);
    world.try_start(fresh(&["alice"])).unwrap();
    follower.check(&world);
    assert_eq!(follower.mirror.runs_of(&target("alice@team:main.old-1")).count(), 1);
}

#[test]
fn an_agent_that_stays_over_a_fresh_start_is_told_of_with_its_schedule() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.succeed(&world.claim(), "done");
    let zoe = serde_json::json!({ "name": "zoe", "backend": "mock" });
    world.call("@team", serde_json::from_value::<AgentCreate>(zoe).unwrap()).unwrap();
    let usual = ScheduleSet::usual(target("zoe@team"), "1h".parse().unwrap());
    world.call("", usual).unwrap();
    let mut follower = Follower::of(&world);
    world.try_start(fresh(&["alice"])).unwrap();
    follower.check(&world);
}

#[test]
fn what_is_put_away_takes_runs_of_removed_agents_along() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice @bob go");
    let (alice, bob) = (world.claim(), world.claim());
    world
        .call("@team", WorkflowStop { key: team(), now: false, purge: false, timeout: None })
        .unwrap();
    let mut follower = Follower::of(&world);
    world.try_start(launch_of(&["bob"], "hello", Mode::Run, Limits::default())).unwrap();
    follower.check(&world);
    world
        .call("@team", WorkflowStop { key: team(), now: false, purge: false, timeout: None })
        .unwrap();
    let mut late = Follower::of(&world);
    for claim in [alice, bob] {
        world.succeed(&claim, "done");
        follower.check(&world);
        late.check(&world);
    }
    world.try_start(fresh(&["alice"])).unwrap();
    follower.check(&world);
    late.check(&world);
}

#[test]
fn a_document_tells_of_the_owner_that_its_workflow_gives_it() {
    let world = World::new();
    let owned = |owner: Option<&str>| Launch {
        document_owner: owner.map(|name| name.parse().unwrap()),
        ..launch_of(&["alice"], "hello", Mode::Start, Limits::default())
    };
    world.try_start(owned(None)).unwrap();
    world.call("@team", write("notes.md")).unwrap();
    let mut follower = Follower::of(&world);
    for owner in [Some("alice"), Some("user"), None] {
        world
            .call("@team", WorkflowStop { key: team(), now: true, purge: false, timeout: None })
            .unwrap();
        world.try_start(owned(owner)).unwrap();
        follower.check(&world);
    }
}

#[test]
fn a_removed_scope_leaves_others_the_runs_that_they_have() {
    let world = World::new();
    world
        .call(
            "",
            serde_json::from_value::<AgentCreate>(
                serde_json::json!({ "name": "zoe", "backend": "mock" }),
            )
            .unwrap(),
        )
        .unwrap();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    for turn in 0..3 * RUNS_OF_AGENT {
        let (scope, text) = if turn % 3 == 0 { ("", "@zoe go") } else { ("@team", "@alice go") };
        world.call(scope, say(text)).unwrap();
        world.succeed(&world.claim(), "done");
    }
    let mut follower = Follower::of(&world);
    world
        .call("@team", WorkflowStop { key: team(), now: true, purge: false, timeout: None })
        .unwrap();
    world
        .call("@team", WorkflowStop { key: team(), now: true, purge: true, timeout: None })
        .unwrap();
    follower.check(&world);
    assert_eq!(follower.mirror.runs_of(&target("zoe")).count(), RUNS_OF_AGENT);
}

#[test]
fn a_new_member_has_none_of_the_runs_of_an_earlier_one_of_its_name() {
    let world = World::new();
    let create = || -> AgentCreate {
        serde_json::from_value(serde_json::json!({ "name": "zoe", "backend": "mock" })).unwrap()
    };
    world.call("", create()).unwrap();
    world.call("", say("@zoe go")).unwrap();
    world.succeed(&world.claim(), "done");
    let mut follower = Follower::of(&world);
    world.call("", AgentRemove { target: target("zoe") }).unwrap();
    follower.check(&world);
    world.call("", create()).unwrap();
    follower.check(&world);
    assert_eq!(follower.mirror.runs_of(&target("zoe")).count(), 0);
}

#[test]
fn questions_of_all_scopes_are_in_the_order_in_which_they_were_asked() {
    let world = World::new();
    let zoe = serde_json::json!({ "name": "zoe", "backend": "mock" });
    world.call("", serde_json::from_value::<AgentCreate>(zoe).unwrap()).unwrap();
    world.start(&["alice"], "@alice go");
    let alice = world.claim();
    world.call("", say("@zoe go")).unwrap();
    let zoe = world.claim();
    let mut follower = Follower::of(&world);
    let asked = [(&alice, "why?"), (&zoe, "when?"), (&alice, "where?")].map(|(run, text)| {
        let question = text.to_owned();
        let ask = AskPerson { question, options: Vec::new(), default: None, expires_in: None };
        world.tool(run, ask).unwrap().id
    });
    follower.check(&world);
    let listed: Vec<_> = told(&world).questions.iter().map(|one| one.id).collect();
    assert_eq!(listed, asked);
}
