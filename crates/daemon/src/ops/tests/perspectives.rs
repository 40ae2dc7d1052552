//! A client that acts in a member's name can read and do what the member can, and no more.

use agent_worker_protocol::{
    AgentList, AgentQueue, AgentShow, AgentStop, Attention, ChannelRead, CursorSet, DocList,
    DocRead, DocVersions, DocWrite, ErrorCode, GroupList, Inbox, LimitsSet, MessageShow, Peek,
    ResourceCreate, ResourceRead, RunBlocks, RunCancel, RunList, RunShow, ScheduleList, Search,
    Status, Why, WorkflowList, WorkflowStop,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::*;

fn op<O: DeserializeOwned>(fields: Value) -> O {
    serde_json::from_value(fields).unwrap()
}

/// A team with messages that not all members can read, and a second team.
fn world() -> (World, Claim) {
    let world = World::new();
    world.start_with(&["alice", "bob"], "hello", Mode::Start, Limits::default());
    let other = Launch {
        scope: "@other".parse().unwrap(),
        ..launch_of(&["alice"], "hello", Mode::Start, Limits::default())
    };
    world.try_start(other).unwrap();
    world.call("bob@team", say("between bob and you")).unwrap();
    world.call("@other", say("elsewhere")).unwrap();
    world.send("@alice go");
    let bob = world.claim();
    world.succeed(&bob, "done");
    let alice = world.claim();
    assert_eq!(alice.agent(), "alice");
    (world, alice)
}

fn told<T: Serialize>(answer: Result<T, OpError>) -> Result<Value, ErrorCode> {
    match answer {
        Ok(answer) => Ok(serde_json::to_value(answer).unwrap()),
        Err(error) => Err(error.into_body().code),
    }
}

/// A run of alice and a client that acts as alice get the same answer.
fn same<O: Run>(world: &World, alice: &Claim, fields: &Value) {
    let own = told(world.tool(alice, op::<O>(fields.clone())));
    let other = told(world.call_as("@team", Some("alice"), op::<O>(fields.clone())));
    let is_refused = own.is_err() && other.is_err();
    assert!(is_refused || own == other, "{} {fields}: {own:?} {other:?}", O::NAME);
}

fn denied<O: Run>(world: &World, fields: &Value) {
    let code = told(world.call_as("@team", Some("alice"), op::<O>(fields.clone())));
    assert_eq!(code.unwrap_err(), ErrorCode::Denied, "{} {fields}", O::NAME);
}

#[test]
fn nothing_is_read_in_the_name_of_another_than_a_member() {
    fn refused<O: Run>(world: &World, fields: &Value) {
        let code = told(world.call_as("@team", Some("ghost"), op::<O>(fields.clone())));
        let codes = [ErrorCode::Denied, ErrorCode::NotFound];
        assert!(codes.contains(&code.unwrap_err()), "{} {fields}", O::NAME);
    }
    let (world, _) = world();
    world.call("@team", op::<DocWrite>(json!({ "content": "a plan" }))).unwrap();
    let document = json!({ "file": null });
    refused::<DocRead>(&world, &document);
    refused::<DocVersions>(&world, &document);
    refused::<DocList>(&world, &json!({}));
    refused::<ScheduleList>(&world, &json!({ "all": false }));
}

#[test]
fn the_process_of_a_run_is_for_those_who_may_read_it() {
    let (world, alice) = world();
    let id = alice.claimed.run.id;
    world.daemon(move |cx| {
        Ok(cx.conn.execute("UPDATE runs SET pid = 7 WHERE id = ?1", [id.number()])?)
    });
    for (member, pid) in [(None, Some(7)), (Some("alice"), Some(7)), (Some("bob"), None)] {
        let shown = world.call_as("@team", member, RunShow { id }).unwrap();
        assert_eq!(shown.pid, pid, "{member:?}");
    }
}

#[test]
fn reading_as_a_member_is_reading_as_its_run() {
    let (world, alice) = world();
    same::<ChannelRead>(&world, &alice, &json!({}));
    same::<Peek>(&world, &alice, &json!({}));
    for group in ["bob+user", "alice+user", "channel", "nothing"] {
        same::<ChannelRead>(&world, &alice, &json!({ "group": group }));
        same::<Peek>(&world, &alice, &json!({ "group": group }));
    }
    same::<GroupList>(&world, &alice, &json!({}));
    for seq in 1..=world.messages().len() {
        same::<MessageShow>(&world, &alice, &json!({ "id": format!("msg_{seq}") }));
    }
    same::<AgentList>(&world, &alice, &json!({}));
    same::<WorkflowList>(&world, &alice, &json!({}));
    same::<RunList>(&world, &alice, &json!({}));
    for target in ["alice@team", "bob@team", "user@team", "alice@other", "user@global"] {
        same::<AgentShow>(&world, &alice, &json!({ "target": target }));
        same::<Inbox>(&world, &alice, &json!({ "target": target, "all": true }));
        same::<AgentQueue>(&world, &alice, &json!({ "target": target }));
        same::<Why>(&world, &alice, &json!({ "subject": target }));
    }
    for run in ["run_1", "run_2", "run_9"] {
        same::<RunShow>(&world, &alice, &json!({ "id": run }));
        same::<RunBlocks>(&world, &alice, &json!({ "id": run }));
    }
    for text in ["between", "elsewhere", "go", "hello", "done"] {
        same::<Search>(&world, &alice, &json!({ "text": text }));
    }
    same::<agent_worker_protocol::ResourceList>(&world, &alice, &json!({}));
}

#[test]
fn a_name_that_no_member_has_is_told_before_what_it_asks_for() {
    let (world, alice) = world();
    let run = alice.claimed.run.id;
    let text = json!({ "content": "a long text" });
    let resource = world.call("@team", op::<ResourceCreate>(text)).unwrap().id;
    for place in ["@team", ""] {
        let of_run = world.call_as(place, Some("nope"), RunShow { id: run }).unwrap_err();
        let read = op::<ResourceRead>(json!({ "id": resource }));
        let of_resource = world.call_as(place, Some("nope"), read).unwrap_err();
        for error in [of_run, of_resource] {
            assert_eq!(error.into_body().message, "no agent named `nope` in @team");
        }
    }
}

/// What a member is told, as text; a refusal is text too.
fn text<O: Run>(world: &World, member: &str, fields: Value) -> String {
    match world.call_as("@team", Some(member), op::<O>(fields)) {
        Ok(answer) => serde_json::to_string(&answer).unwrap(),
        Err(error) => serde_json::to_string(&error.into_body()).unwrap(),
    }
}

#[test]
fn what_was_said_in_private_is_told_to_no_other_member_by_any_way() {
    let world = World::new();
    world.start(&["alice", "bob"], "hello");
    world.call("bob@team", say("a secret question")).unwrap();
    let bob = world.claim();
    world.tool(&bob, tell(&["user"], "a secret word")).unwrap();
    world.succeed(&bob, "a secret answer");
    let all = |member: &str| {
        let mut told = vec![
            text::<RunList>(&world, member, json!({})),
            text::<AgentList>(&world, member, json!({})),
            text::<GroupList>(&world, member, json!({})),
            text::<WorkflowList>(&world, member, json!({})),
            text::<Search>(&world, member, json!({ "text": "secret" })),
        ];
        let run = bob.run().to_string();
        told.push(text::<RunShow>(&world, member, json!({ "id": run })));
        told.push(text::<RunBlocks>(&world, member, json!({ "id": run })));
        for subject in [&run, "msg_2", "bob@team", "@team"] {
            told.push(text::<Why>(&world, member, json!({ "subject": subject })));
        }
        for seq in 1..=world.messages().len() {
            told.push(text::<MessageShow>(&world, member, json!({ "id": format!("msg_{seq}") })));
        }
        let target = json!({ "target": "bob@team" });
        told.push(text::<AgentShow>(&world, member, target.clone()));
        told.push(text::<Inbox>(&world, member, target.clone()));
        told.push(text::<AgentQueue>(&world, member, target));
        told.push(text::<ChannelRead>(&world, member, json!({ "group": "bob+user" })));
        told.push(text::<Peek>(&world, member, json!({ "group": "bob+user" })));
        told.retain(|told| told.contains("a secret"));
        told
    };
    assert_eq!(all("alice"), [""; 0]);
    assert!(all("bob").len() > 4, "{:?}", all("bob"));
}

#[test]
fn what_is_the_persons_is_nobody_elses() {
    let (world, alice) = world();
    denied::<AgentCreate>(&world, &json!({ "name": "eve", "backend": "mock" }));
    denied::<AgentStop>(&world, &json!({ "target": "bob@team" }));
    denied::<RunCancel>(&world, &json!({ "id": alice.run() }));
    for (purge, what) in [(false, "stopping a workflow"), (true, "removing a workflow")] {
        let stop = op::<WorkflowStop>(json!({ "key": "@team", "now": false, "purge": purge }));
        let refused = world.call_as("@team", Some("alice"), stop).unwrap_err().into_body();
        assert_eq!(refused.code, ErrorCode::Denied);
        assert!(refused.message.starts_with(what), "{}", refused.message);
    }
    denied::<LimitsSet>(&world, &json!({ "key": "@team", "limits": { "hops": 9 } }));
    denied::<Attention>(&world, &json!({}));
    denied::<Status>(&world, &json!({}));
    denied::<CursorSet>(&world, &json!({ "conversation": "channel", "until": "msg_1" }));
    let own = world.call_as("@team", Some("user"), op::<Attention>(json!({})));
    assert!(own.is_ok(), "the person by its name is the person");
    let nobody = world.call_as("@team", Some("nobody"), op::<AgentList>(json!({})));
    assert_eq!(told(nobody).unwrap_err(), ErrorCode::NotFound);
}

#[test]
fn reading_as_another_changes_nothing() {
    let (world, _alice) = world();
    world.call("bob@team", say("more for bob")).unwrap();
    let tables = || {
        world.daemon(|cx| {
            let mut all = String::new();
            for sql in [
                "SELECT group_concat(state || run || coalesce(marked_by, ''), ';')
                 FROM (SELECT * FROM deliveries ORDER BY agent, seq)",
                "SELECT group_concat(last_read_seq || ' ' || read_messages, ';')
                 FROM group_members",
                "SELECT count(*) || ' ' || max(seq) FROM events",
            ] {
                let text: Option<String> = cx.conn.query_row(sql, [], |row| row.get(0))?;
                all.push_str(&text.unwrap_or_default());
            }
            Ok(all)
        })
    };
    let before = tables();
    let bob = Some("bob");
    world.call_as("@team", bob, op::<Inbox>(json!({ "target": "bob@team" }))).unwrap();
    world.call_as("@team", bob, op::<ChannelRead>(json!({ "group": "bob+user" }))).unwrap();
    world.call_as("@team", bob, op::<Peek>(json!({ "group": "bob+user" }))).unwrap();
    world.call_as("@team", bob, GroupList {}).unwrap();
    assert_eq!(tables(), before);
}
