use agent_worker_protocol::{
    ContextTake, DocAppend, DocCreate, DocList, DocOwner, DocRead, DocVersions, DocWrite, ErrorCode,
};

use super::*;
use crate::entities::snapshot;
mod crowd;
mod random;

fn write(content: &str) -> DocWrite {
    DocWrite { content: content.to_owned(), file: None, if_version: None }
}

fn append(content: &str) -> DocAppend {
    DocAppend { content: content.to_owned(), file: None }
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
fn a_snapshot_has_documents_in_the_order_in_which_they_are_listed() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    for file in ["c.md", "B.md", "a.md"] {
        let write = DocWrite { file: Some(file.to_owned()), ..write("text") };
        world.call("@team", write).unwrap();
    }
    let listed = world.call("@team", DocList {}).unwrap().documents;
    let files: Vec<&str> = listed.iter().map(|document| document.file.as_str()).collect();
    assert_eq!(files, ["a.md", "B.md", "c.md"]);
    assert_eq!(world.daemon(|cx| snapshot::take(cx)).documents, listed);
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
fn who_has_read_the_beginning_alone_writes_over_nothing() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.call("@team", write(&"x".repeat(40_001))).unwrap();
    let alice = world.claim();
    let given = world.tool(&alice, ContextTake { id: alice.run() }).unwrap();
    assert!(given.document.unwrap().more);
    let read = |offset, limit| {
        let part = DocRead { offset: Some(offset), limit, ..DocRead::default() };
        world.tool(&alice, part).unwrap()
    };
    assert!(read(0, Some(1)).more);
    assert_eq!(read(40_001, None).content, "", "it ends before");
    let blind = world.tool(&alice, write("blind")).unwrap_err().into_body();
    assert_eq!(blind.code, ErrorCode::Stale);
    assert!(blind.message.contains("you have not read it to its end"), "{}", blind.message);
    assert_eq!(read(40_000, None).content, "x");
    assert_eq!(world.tool(&alice, write("seen")).unwrap().version, 2);
}

#[test]
fn a_change_between_two_parts_begins_the_reading_anew() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.call("@team", write("first")).unwrap();
    let alice = world.claim();
    let read = |offset, limit| {
        let part = DocRead { offset: Some(offset), limit, ..DocRead::default() };
        world.tool(&alice, part).unwrap().content
    };
    let refused = || world.tool(&alice, write("blind")).unwrap_err().into_body();
    assert_eq!(read(0, Some(3)), "fir");
    world.call("@team", write("other")).unwrap();
    assert_eq!(read(3, None), "er");
    let blind = refused();
    assert_eq!(blind.code, ErrorCode::Stale);
    assert!(blind.message.contains("only a part of version 1"), "{}", blind.message);
    assert!(blind.hint.unwrap().contains("from the start"));
    assert_eq!(read(0, Some(3)), "oth");
    assert!(refused().message.contains("you have not read it to its end in this run"));
    assert_eq!(read(3, None), "er");
    assert_eq!(world.tool(&alice, write("seen")).unwrap().version, 3);
}

#[test]
fn who_has_read_an_empty_document_has_read_all_of_it() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.call("@team", write("")).unwrap();
    let alice = world.claim();
    assert_eq!(world.tool(&alice, DocRead::default()).unwrap().content, "");
    assert_eq!(world.tool(&alice, write("seen")).unwrap().version, 2);
}

#[test]
fn only_the_owner_writes_and_everyone_reads() {
    let world = World::new();
    let mut launch = launch_of(&["alice", "bob"], "@all go", Mode::Run, Limits::default());
    launch.document_owner = Some("alice".parse().unwrap());
    world.try_start(launch).unwrap();
    let (first, second) = (world.claim(), world.claim());
    let (alice, bob) = if first.agent() == "alice" { (first, second) } else { (second, first) };
    let missing = world.call("@team", write("the person's")).unwrap_err().into_body();
    assert_eq!(missing.hint.unwrap(), "ask @alice to write it, or add --as alice");
    world.tool(&alice, write("mine")).unwrap();
    assert_eq!(world.tool(&bob, DocRead::default()).unwrap().content, "mine");
    let refused = world.tool(&bob, write("ours")).unwrap_err().into_body();
    assert_eq!(refused.code, ErrorCode::Denied);
    assert!(world.call("@team", write("the person's")).is_err(), "the operator too");
}

#[test]
fn a_write_over_one_version_is_none_over_another() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    let over = |if_version, text: &str| {
        let write = DocWrite { if_version: Some(if_version), ..write(text) };
        world.call("@team", write).map(|written| written.version)
    };
    let refused = |if_version| {
        let body = over(if_version, "lost").unwrap_err().into_body();
        assert_eq!(body.code, ErrorCode::Stale);
        body.message
    };
    assert_eq!(refused(1), "document `notes.md` not found: you expected version 1");
    assert_eq!(over(0, "first").unwrap(), 1);
    assert_eq!(refused(0), "document `notes.md` already exists, at version 1");
    assert_eq!(over(1, "second").unwrap(), 2);
    assert_eq!(refused(1), "`notes.md` has changed: you expected version 1, it is 2 now");
    assert_eq!(refused(3), "`notes.md` has changed: you expected version 3, it is 2 now");
    assert_eq!(world.call("@team", DocRead::default()).unwrap().content, "second");
    assert_eq!(world.call("@team", write("whatever there is")).unwrap().version, 3);
}

#[test]
fn a_run_that_writes_over_a_version_must_have_read_it_too() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.call("@team", write("by the person")).unwrap();
    let alice = world.claim();
    let over = |version| DocWrite { if_version: Some(version), ..write("mine") };
    assert_eq!(world.tool(&alice, over(1)).unwrap_err().into_body().code, ErrorCode::Stale);
    world.tool(&alice, DocRead::default()).unwrap();
    assert_eq!(world.tool(&alice, over(2)).unwrap_err().into_body().code, ErrorCode::Stale);
    assert_eq!(world.tool(&alice, over(1)).unwrap().version, 2);
}

#[test]
fn what_is_added_stands_on_a_line_of_its_own_and_needs_no_reading() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let alice = world.claim();
    assert_eq!(world.tool(&alice, append("one")).unwrap().version, 1);
    world.call("@team", append("two\n")).unwrap();
    assert_eq!(world.tool(&alice, append("three")).unwrap().version, 3);
    assert_eq!(world.call("@team", DocRead::default()).unwrap().content, "one\ntwo\nthree");
    let blind = world.tool(&alice, write("mine")).unwrap_err().into_body();
    assert_eq!(blind.code, ErrorCode::Stale, "she has not read what stands between");
    let nothing = world.tool(&alice, append("")).unwrap_err().into_body();
    assert_eq!(nothing.code, ErrorCode::Invalid);
}

#[test]
fn whoever_has_read_all_and_adds_to_it_knows_all_of_it() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let alice = world.claim();
    world.tool(&alice, append("one")).unwrap();
    world.tool(&alice, append("two")).unwrap();
    assert_eq!(world.tool(&alice, write("all anew")).unwrap().version, 3);
}

#[test]
fn whoever_looks_at_an_earlier_version_still_knows_the_newest() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let alice = world.claim();
    world.tool(&alice, write("one")).unwrap();
    world.tool(&alice, write("two")).unwrap();
    let earlier = DocRead { version: Some(1), ..DocRead::default() };
    assert_eq!(world.tool(&alice, earlier.clone()).unwrap().content, "one");
    assert_eq!(world.tool(&alice, write("three")).unwrap().version, 3);
    world.call("@team", write("four")).unwrap();
    world.tool(&alice, earlier).unwrap();
    let blind = world.tool(&alice, write("five")).unwrap_err().into_body();
    assert_eq!(blind.code, ErrorCode::Stale, "and no more than that");
}

#[test]
fn what_is_added_counts_with_what_is_there() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    world.call("@team", write(&"x".repeat(1 << 20))).unwrap();
    let refused = world.call("@team", append("y")).unwrap_err().into_body();
    assert_eq!(refused.code, ErrorCode::TooLarge);
    assert_eq!(world.call("@team", DocVersions::default()).unwrap().versions.len(), 1);
}

#[test]
fn a_document_is_made_once_whatever_its_spelling() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let alice = world.claim();
    let create = |file: &str| DocCreate { content: "a".to_owned(), file: Some(file.to_owned()) };
    assert_eq!(world.tool(&alice, create("Straße/Café.md")).unwrap().version, 1);
    for spelling in ["straße/café.md", "STRASSE/CAFÉ.MD", "Strasse/Cafe\u{301}.md"] {
        let refused = world.tool(&alice, create(spelling)).unwrap_err().into_body();
        assert_eq!(refused.code, ErrorCode::Conflict, "{spelling}");
        assert!(refused.message.contains("`Straße/Café.md` already exists, at version 1"));
    }
    assert_eq!(world.call("@team", DocList {}).unwrap().documents.len(), 1);
}

#[test]
fn a_name_that_a_shell_would_read_is_quoted_in_what_helps() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    for (file, shown) in [
        ("my notes.md", "'my notes.md'"),
        ("a;touch b", "'a;touch b'"),
        ("-dash.md", "--file=-dash.md"),
        ("@team", "--file @team"),
    ] {
        let create = || DocCreate { content: "a".to_owned(), file: Some(file.to_owned()) };
        world.call("@team", create()).unwrap();
        let hint = world.call("@team", create()).unwrap_err().into_body().hint.unwrap();
        assert_eq!(hint, format!("agent-worker doc read {shown} @team"));
    }
    let file = || Some("-dash.md".to_owned());
    let owner = Some("alice".parse().unwrap());
    world.call("@team", DocOwner { file: file(), owner }).unwrap();
    let refused = DocWrite { file: file(), ..write("b") };
    let hint = world.call("@team", refused).unwrap_err().into_body().hint.unwrap();
    assert_eq!(hint, "agent-worker doc owner user --file=-dash.md --in @team");
}

#[test]
fn an_owner_is_asked_for_by_every_verb_and_the_person_takes_over_first() {
    let world = World::new();
    world.start(&["alice", "bob"], "@all go");
    let (first, second) = (world.claim(), world.claim());
    let (alice, bob) = if first.agent() == "alice" { (first, second) } else { (second, first) };
    world.tool(&alice, write("one")).unwrap();
    let hand_to = |owner: Option<&str>| DocOwner {
        file: None,
        owner: owner.map(|name| name.parse().unwrap()),
    };
    let refused = world.tool(&alice, hand_to(Some("alice"))).unwrap_err().into_body();
    assert_eq!(refused.code, ErrorCode::Denied, "only the person hands it over");
    let nobody = world.call("@team", hand_to(Some("carol"))).unwrap_err().into_body();
    assert_eq!(nobody.code, ErrorCode::NotFound);
    let handed = world.call("@team", hand_to(Some("alice"))).unwrap();
    assert_eq!(handed.owner.unwrap().as_str(), "alice");
    world.tool(&bob, DocRead::default()).unwrap();
    for denied in [
        world.tool(&bob, write("his")).unwrap_err(),
        world.tool(&bob, append("his")).unwrap_err(),
        world.tool(&bob, DocCreate { content: "his".to_owned(), file: None }).unwrap_err(),
    ] {
        assert_eq!(denied.into_body().code, ErrorCode::Denied);
    }
    let persons = world.call("@team", write("the person's")).unwrap_err().into_body();
    let hint = persons.hint.unwrap();
    assert_eq!(hint, "agent-worker doc owner user --file notes.md --in @team");
    world.call("@team", hand_to(Some("user"))).unwrap();
    world.call("@team", write("the person's")).unwrap();
    world.call("@team", hand_to(None)).unwrap();
    assert_eq!(world.tool(&bob, append("free again")).unwrap().version, 3);
}

#[test]
fn what_an_agent_owned_is_the_persons_once_it_is_gone() {
    let world = World::new();
    world.start_with(&["alice", "bob"], "hello", Mode::Start, Limits::default());
    world.call("@team", write("hers")).unwrap();
    let owner = DocOwner { file: None, owner: Some("alice".parse().unwrap()) };
    world.call("@team", owner).unwrap();
    world.make_anew("alice");
    let denied = world.call_as("@team", Some("alice"), append("mine?")).unwrap_err().into_body();
    assert_eq!(denied.message, "only user can write `notes.md`, not alice");
    assert_eq!(world.call("@team", append("the person's")).unwrap().version, 2);
}

#[test]
fn what_the_owner_of_all_documents_owned_is_the_persons_once_it_is_gone() {
    let world = World::new();
    let mut launch = launch_of(&["alice", "bob"], "hello", Mode::Start, Limits::default());
    launch.document_owner = Some("alice".parse().unwrap());
    world.try_start(launch).unwrap();
    world.call_as("@team", Some("alice"), write("hers")).unwrap();
    world.make_anew("alice");
    let denied = world.call_as("@team", Some("alice"), append("mine?")).unwrap_err().into_body();
    assert_eq!(denied.message, "only user can write `notes.md`, not alice");
    assert_eq!(world.call("@team", append("the person's")).unwrap().version, 2);
    let new = DocWrite { file: Some("new.md".to_owned()), ..write("the person's") };
    assert_eq!(world.call("@team", new).unwrap().version, 1);
}
