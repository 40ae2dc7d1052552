//! What the person does, and members outside.

use std::collections::BTreeMap;

use agent_worker_protocol::{
    AgentCreate, AgentRemove, AgentResume, AgentStop, AgentWake, Ask, ChannelSend, Conversation,
    CursorSet, DeliveryDrop, DeliveryRelease, DeliveryRetry, DocWrite, Intent, Limits, LimitsSet,
    MemberKind, MessageId, Mode, MyInboxAck, Name, RunRetry, RunState, ScheduleClear,
    SchedulePause, ScheduleResume, ScheduleRun, ScheduleSet, Target, WorkflowResume, WorkflowStop,
};
use agent_worker_workflow_file::template::Template;
use serde_json::json;

use super::super::*;
use crate::{
    changes::workflow::setup::{self, SetupEnd},
    ops::tests::{
        mirror::daemon::{Daemon, FILES, NAMES, tried, word},
        model::Chance,
    },
    rows::workflow::WorkflowRow,
    rules::start::{Begin, Kickoff, Launch},
};

fn from_json<T: serde::de::DeserializeOwned>(json: serde_json::Value) -> T {
    serde_json::from_value(json).expect("it is whole")
}

impl Daemon {
    pub fn person_says(&self, chance: &mut Chance) {
        let message = match chance.below(10) {
            0 => "y".repeat(30_000),
            _ => format!("@{} @{} go on", word(chance), word(chance)),
        };
        let to = if chance.one_in(3) { vec![word(chance).to_owned()] } else { Vec::new() };
        let intent = chance.one_in(6).then_some(Intent::Inform);
        let reply_to = chance.one_in(6).then(|| MessageId::new(chance.between(1, 40)));
        let send = ChannelSend { message, to, intent, reply_to };
        match chance.below(8) {
            0 => {
                let ask = Ask::new(self.member(chance), "how much?".to_owned());
                tried(self.world.call("", ask));
            }
            1 | 2 => drop(tried(self.world.call(&self.member(chance).to_string(), send))),
            3 => {
                let (scope, name) = self.caller(chance);
                tried(self.world.call_as(&scope, name.as_deref(), send));
            }
            _ => drop(tried(self.world.call(&self.scope(chance).to_string(), send))),
        }
    }

    pub fn workflow(&self, chance: &mut Chance) {
        let key = self.scope(chance);
        match chance.below(10) {
            0..4 => {
                let launch = launch(chance);
                if chance.one_in(2) {
                    let (key, now) = (launch.scope.clone(), false);
                    tried(
                        self.world.call("", WorkflowStop { key, now, purge: false, timeout: None }),
                    );
                }
                tried(self.world.try_start(launch));
            }
            4 | 5 => {
                let (now, purge) = (chance.one_in(2), chance.one_in(2));
                if purge {
                    tried(self.world.call(
                        "",
                        WorkflowStop { key: key.clone(), now, purge: false, timeout: None },
                    ));
                }
                tried(self.world.call("", WorkflowStop { key, now, purge, timeout: None }));
            }
            6 => drop(tried(self.world.call("", WorkflowResume { key }))),
            7 | 8 => drop(tried(
                self.world.call("", LimitsSet { key, limits: limits(chance), unset: Vec::new() }),
            )),
            _ => {
                let end = match chance.below(3) {
                    0 => SetupEnd::NothingToDo { output: "diff".to_owned() },
                    1 => SetupEnd::Failed { reason: "exit code 1".to_owned() },
                    _ => SetupEnd::Done(kickoff(chance)),
                };
                self.world.daemon(move |cx| match WorkflowRow::find(cx.db, &key)? {
                    Some(row) => {
                        setup::note_step(cx, row.id, row.generation, "git diff")?;
                        setup::end_setup(cx, row.id, row.generation, &end)
                    }
                    None => Ok(()),
                });
            }
        }
    }

    pub fn agent(&self, chance: &mut Chance) {
        let target = self.member(chance);
        match chance.below(10) {
            7..10 => self.schedule(chance, target),
            0 => drop(tried(self.world.call("", AgentStop { target, now: chance.one_in(2) }))),
            1 | 2 => drop(tried(self.world.call("", AgentResume { target }))),
            3 => drop(tried(self.world.call("", AgentWake { target }))),
            4 => drop(tried(self.world.call("", AgentRemove { target }))),
            _ => {
                let backend = if chance.one_in(3) { "external" } else { "mock" };
                let create = json!({ "name": chance.pick(&NAMES), "backend": backend });
                let create = from_json::<AgentCreate>(create);
                tried(self.world.call(&self.scope(chance).to_string(), create));
            }
        }
    }

    fn schedule(&self, chance: &mut Chance, target: Target) {
        let name = chance.one_in(3).then(|| "main".parse().expect("it is a name"));
        match chance.below(8) {
            0 => drop(tried(self.world.call("", SchedulePause { target, name }))),
            1 => drop(tried(self.world.call("", ScheduleResume { target, name }))),
            2 => drop(tried(self.world.call("", ScheduleClear { target, name }))),
            3 => drop(tried(self.world.call("", ScheduleRun { target, name }))),
            _ => {
                let spec = chance.pick(&["5m", "2h", "0 * * * *", "2023-11-14T22:14"]);
                let set = json!({
                    "target": target, "name": chance.pick(&["main", "other"]), "spec": spec,
                    "prompt": chance.one_in(2).then_some("go"), "timezone": "UTC",
                    "overlap": chance.pick(&["skip", "queue"]),
                    "missed": chance.pick(&["skip", "once", "all"]),
                    "context": chance.pick(&["main", "isolated"]),
                });
                tried(self.world.call("", from_json::<ScheduleSet>(set)));
            }
        }
    }

    pub fn mail(&self, chance: &mut Chance) {
        let by_name = chance.one_in(4);
        let message = by_name.then(|| self.message(chance));
        let target = (!by_name).then(|| self.needy(chance));
        match chance.below(4) {
            0 => drop(tried(self.world.call("", DeliveryRetry { target, message }))),
            1 => drop(tried(self.world.call("", DeliveryDrop { target, message }))),
            2 => drop(tried(self.world.call("", DeliveryRelease { target, message }))),
            _ => {
                let Some(claim) = self.claim(chance, RunState::is_live) else { return };
                tried(self.world.call("", RunRetry { id: claim.run() }));
            }
        }
    }

    pub fn reads(&self, chance: &mut Chance) {
        let until = self.message(chance);
        if chance.one_in(2) {
            let (scope, name) = self.caller(chance);
            tried(self.world.call_as(&scope, name.as_deref(), MyInboxAck { until }));
            return;
        }
        let scope = self.scope(chance);
        let conversation = match chance.below(3) {
            0 => Conversation::direct(word(chance).parse().expect("a name"), Name::person()),
            _ => Conversation::Channel,
        };
        tried(self.world.call(&scope.to_string(), CursorSet { conversation, until }));
    }

    pub fn person_writes(&self, chance: &mut Chance) {
        let file = Some(chance.pick(&FILES).to_owned());
        let write = DocWrite { content: "words".repeat(chance.below(5)), file, if_version: None };
        if chance.one_in(3) {
            let (scope, name) = self.caller(chance);
            tried(self.world.call_as(&scope, name.as_deref(), write));
        } else {
            tried(self.world.call(&self.scope(chance).to_string(), write));
        }
    }
}

fn limits(chance: &mut Chance) -> Limits {
    Limits {
        hops: chance.one_in(3).then_some(2),
        runs: chance.one_in(4).then_some(3),
        tokens: chance.one_in(3).then(|| chance.pick(&[20, 50, 200])),
        cost: chance.one_in(5).then_some(0.5),
        duration: chance.one_in(5).then(|| "10s".parse().expect("it is a span")),
        ..Limits::default()
    }
}

fn kickoff(chance: &mut Chance) -> Option<Kickoff> {
    let text = format!("@{} @{} go", word(chance), word(chance));
    let template = Template::parse(&text).expect("it has no values");
    chance
        .one_in(8)
        .then_some(())
        .map_or(Some(Kickoff { template, values: BTreeMap::default() }), |()| None)
}

/// A workflow file.
pub fn launch(chance: &mut Chance) -> Launch {
    let names: Vec<&str> = NAMES.into_iter().filter(|_| !chance.one_in(3)).collect();
    let mode = if chance.one_in(2) { Mode::Run } else { Mode::Start };
    let begin = if chance.one_in(6) { Begin::Setup } else { Begin::Kickoff(kickoff(chance)) };
    let mut launch = launch_of(&names, "hello", mode, limits(chance));
    for agent in &mut launch.agents {
        if chance.one_in(5) {
            agent.kind = MemberKind::External;
        }
    }
    let owner = chance.one_in(3).then(|| chance.pick(&["alice", "user", "bob"]));
    Launch {
        scope: chance.pick(&["@team", "@team", "@team:b"]).parse().expect("it is a scope"),
        fresh: chance.one_in(3),
        document_owner: owner.map(|name| name.parse().expect("it is a name")),
        begin,
        ..launch
    }
}
