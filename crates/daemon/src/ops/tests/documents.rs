use agent_worker_protocol::{
    document::{DocList, DocRead, DocVersions, DocWrite},
    error::ErrorCode,
};

use super::*;

fn write(content: &str) -> DocWrite {
    DocWrite { content: content.to_owned(), file: None }
}

#[test]
fn every_write_is_a_version_and_the_last_fifty_are_kept() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    for n in 1..=60 {
        assert_eq!(world.call("@team", write(&format!("text {n}"))).unwrap().version, n);
    }
    let kept = world.call("@team", DocVersions::default()).unwrap().versions;
    assert_eq!((kept.len(), kept[0].version, kept[49].version), (50, 60, 11));
    let old = DocRead { version: Some(11), ..Default::default() };
    assert_eq!(world.call("@team", old).unwrap().content, "text 11");
    let gone = DocRead { version: Some(10), ..Default::default() };
    assert!(world.call("@team", gone).is_err());
    assert_eq!(world.call("@team", DocList {}).unwrap().documents.len(), 1);
}

#[test]
fn a_run_writes_over_what_it_has_read_alone() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.call("@team", write("by the person")).unwrap();
    let alice = world.claim();
    let blind = world.tool(&alice, write("blind")).unwrap_err().into_body();
    assert_eq!(blind.code, ErrorCode::Stale);
    assert!(blind.message.contains("version 1"), "{}", blind.message);
    world.tool(&alice, DocRead::default()).unwrap();
    assert_eq!(world.tool(&alice, write("seen")).unwrap().version, 2);
    assert_eq!(world.tool(&alice, write("its own")).unwrap().version, 3);
    world.call("@team", write("meanwhile")).unwrap();
    assert!(world.tool(&alice, write("too late")).is_err());
}

#[test]
fn only_the_owner_writes_and_everyone_reads() {
    let world = World::new();
    let mut launch = launch_of(&["alice", "bob"], "@all go", Mode::Run, Limits::default());
    launch.document_owner = Some("alice".parse().unwrap());
    world.try_start(launch).unwrap();
    let (first, second) = (world.claim(), world.claim());
    let (alice, bob) = if first.agent() == "alice" { (first, second) } else { (second, first) };
    world.tool(&alice, write("mine")).unwrap();
    assert_eq!(world.tool(&bob, DocRead::default()).unwrap().content, "mine");
    let refused = world.tool(&bob, write("ours")).unwrap_err().into_body();
    assert_eq!(refused.code, ErrorCode::Denied);
    assert!(world.call("@team", write("the person's")).is_err(), "the operator too");
}
