//! Search: what is found, by whom, and that nothing else is.

use std::collections::BTreeSet;

use agent_worker_protocol::{
    DocWrite, GroupCreate, Hit, HitKind, Hits, MessageHide, ResourceCreate, ResourceList,
    ResourceRead, ResourceType, Search, WorkflowStop,
};

use super::*;
use crate::{changes::message::post, ops::tests::model::Chance, rows::search::index};

fn look(text: &str) -> Search {
    Search { text: text.to_owned(), limit: Some(100), next: None }
}

fn write(file: &str, content: &str) -> DocWrite {
    DocWrite { content: content.to_owned(), file: Some(file.to_owned()), if_version: None }
}

impl World {
    fn find(&self, member: Option<&str>, text: &str) -> Vec<Hit> {
        let target = if member.is_some() { "@team" } else { "" };
        self.call_as(target, member, look(text)).unwrap().hits
    }

    /// What is found, by its name.
    fn found(&self, member: Option<&str>, text: &str) -> Vec<String> {
        let name = |hit: Hit| {
            let message = hit.message.map(|id| id.to_string());
            message.or(hit.file).or_else(|| hit.resource.map(|id| id.to_string())).unwrap()
        };
        self.find(member, text).into_iter().map(name).collect()
    }
}

fn world() -> World {
    let world = World::new();
    world.start_with(&["alice", "bob", "carol"], "hello", Mode::Start, Limits::default());
    world
}

#[test]
fn words_are_found_in_messages_documents_and_resources_the_newest_first() {
    let world = world();
    world.send("the plan is not written");
    world.call("@team", write("Plan.md", "# How it will be\nThe first step")).unwrap();
    let json = Some(ResourceType::Markdown);
    let content = "a PLAN of the house".to_owned();
    world.call("@team", ResourceCreate { content, content_type: json }).unwrap();
    world.send(&format!("a long one {} with a plán at its end", "filler ".repeat(300)));
    assert_eq!(world.found(None, "plan"), ["msg_3", "res_1", "Plan.md", "msg_2"]);
    assert_eq!(world.found(None, "plan kind:document"), ["Plan.md"]);
    assert_eq!(world.found(None, "plan kind:resource"), ["res_1"]);
    assert_eq!(world.found(None, "\"first step\""), ["Plan.md"]);
    assert!(world.found(None, "\"step first\"").is_empty());
    assert_eq!(world.found(None, "writ*"), ["msg_2"]);
    assert!(world.found(None, "writ").is_empty());
    let long = world.find(None, "plan kind:message").remove(0);
    assert!(long.resource.is_some() && long.snippet.starts_with('…'), "{long:?}");
    let marked = long.matches[0];
    let part: String = long.snippet.chars().skip(marked.start as usize).take(4).collect();
    assert_eq!(part, "plán");
    world.call("@team", write("plan.md", "another text")).unwrap();
    assert!(world.found(None, "\"first step\"").is_empty(), "it is not so any more");
    assert_eq!(world.found(None, "another"), ["Plan.md"]);
}

#[test]
fn all_words_of_a_long_query_must_be_there_and_the_first_ones_are_shown() {
    let world = world();
    let words = (10..40).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
    world.send(&words);
    let [hit] = world.find(None, &words).try_into().unwrap();
    assert_eq!((hit.matches.len(), hit.matches[15].end), (16, 16 * 4 - 1), "{hit:?}");
    assert!(world.find(None, &format!("{words} w40")).is_empty());
}

#[test]
fn chinese_and_japanese_words_of_one_sign_and_more_are_found() {
    let world = world();
    world.send("请检查API文档，谢谢");
    world.send("東京へ行きます");
    world.send("京都の天気は？");
    world.send("ｶﾀｶﾅのﾃｽﾄ");
    world.send("서울에서 만나요");
    for (text, ids) in [
        ("京", &["msg_4", "msg_3"][..]),
        ("東京", &["msg_3"]),
        ("京都", &["msg_4"]),
        ("検査", &[]),
        ("检查", &["msg_2"]),
        ("文档", &["msg_2"]),
        ("查文", &[]),
        ("检查文档", &[]),
        ("检查 文档", &["msg_2"]),
        ("\"查API文\"", &["msg_2"]),
        ("api", &["msg_2"]),
        ("カタカナ", &["msg_5"]),
        ("テスト", &["msg_5"]),
        ("行きます", &["msg_3"]),
        ("天気", &["msg_4"]),
        ("서울", &["msg_6"]),
        ("の", &["msg_5", "msg_4"]),
    ] {
        assert_eq!(world.found(None, text), ids, "{text}");
    }
}

#[test]
fn qualifiers_say_who_where_what_and_when() {
    let world = world();
    world.send("a word for @bob");
    world.pass(3_600_000);
    world.call("alice@team", say("a word between us")).unwrap();
    let (bob, alice) = (world.claim(), world.claim());
    assert_eq!((bob.agent(), alice.agent()), ("bob", "alice"));
    world
        .call(
            "@team",
            GroupCreate {
                name: "in-ner_z".parse().unwrap(),
                members: vec!["alice".to_owned()],
                wake: None,
            },
        )
        .unwrap();
    world.tool(&alice, tell(&["in-ner_z"], "a word among few")).unwrap();
    world.tool(&alice, write("notes.md", "a word of alice")).unwrap();
    world.call("", say("a word elsewhere")).unwrap();
    for (text, names) in [
        ("word from:alice", &["notes.md", "msg_4"][..]),
        ("word to:bob", &["msg_2"]),
        ("word to:@alice", &["msg_3"]),
        ("word in:in-ner_z", &["msg_4"]),
        ("word in:alice+user", &["msg_3"]),
        ("word in:alice", &["msg_3"]),
        ("word in:channel", &["msg_5", "msg_2"]),
        ("word in:@global", &["msg_5"]),
        ("word in:@team kind:message", &["msg_4", "msg_3", "msg_2"]),
        ("word before:30m kind:message", &["msg_2"]),
        ("word after:30m kind:message", &["msg_5", "msg_4", "msg_3"]),
        ("from:alice kind:message", &["msg_4"]),
        ("word before:2023-01-01", &[]),
        ("before:2023-01-01", &[]),
    ] {
        assert_eq!(world.found(None, text), names, "{text}");
    }
    let refused = |text: &str| world.call("", look(text)).unwrap_err().into_body();
    assert!(refused("word in:nowhere").message.contains("nowhere"));
    assert_eq!(refused("word in:nowhere").hint.as_deref(), Some("agent-worker group list"));
    let told = world.tool(&alice, look("word in:nowhere")).unwrap_err().into_body();
    assert_eq!(told.hint.as_deref(), Some("group_list lists the conversations"));
    let told = world.tool(&alice, look("from:bob@global")).unwrap_err().into_body();
    assert_eq!(told.hint, None, "an agent does not search there");
    assert!(refused("word in:@nowhere").message.contains("@nowhere"));
}

#[test]
fn members_that_have_not_spoken_yet_have_said_nothing() {
    let world = world();
    world.send("a word for all");
    for (member, place) in [
        (None, "alice"),
        (None, "alice+bob"),
        (Some("alice"), "bob"),
        (Some("alice"), "user"),
        (Some("alice"), "alice+bob"),
    ] {
        let found = world.found(member, &format!("word in:{place}"));
        assert!(found.is_empty(), "{member:?} {place}: {found:?}");
    }
    assert!(world.call("alice@team", look("word")).unwrap().hits.is_empty());
    for (member, place) in [
        (None, "alice+nina"),
        (None, "alice+alice"),
        (Some("alice"), "bob+carol"),
        (Some("alice"), "nina"),
    ] {
        let asked = look(&format!("word in:{place}"));
        let target = if member.is_some() { "@team" } else { "" };
        let refused = world.call_as(target, member, asked).unwrap_err().into_body();
        let expected = format!("no conversation named `{place}` can be looked at");
        assert_eq!(refused.message, expected, "{member:?}");
    }
}

#[test]
fn a_time_is_that_of_each_message_also_after_the_clock_was_set_back() {
    const HOUR: i64 = 3_600_000;
    let world = world();
    for pass in [0, 3 * HOUR, -2 * HOUR] {
        world.pass(pass);
        world.send("needle");
    }
    world.pass(HOUR);
    for (text, names) in [
        ("needle after:90m", &["msg_4", "msg_3"][..]),
        ("needle after:30m", &["msg_3"]),
        ("needle before:30m", &["msg_4", "msg_2"]),
        ("needle before:90m", &["msg_2"]),
        ("needle after:90m before:30m", &["msg_4"]),
    ] {
        assert_eq!(world.found(None, text), names, "{text}");
    }
}

#[test]
fn pages_follow_each_other_without_a_gap() {
    let world = world();
    for n in 0..45 {
        world.send(&format!("needle number {n}"));
    }
    let (mut next, mut all) = (None, Vec::new());
    loop {
        let page: Hits =
            world.call("", Search { text: "needle".to_owned(), limit: Some(10), next }).unwrap();
        all.extend(page.hits.iter().filter_map(|hit| hit.message));
        next = page.next;
        assert_eq!(page.more, next.is_some());
        if !page.more {
            break;
        }
    }
    let expected: Vec<_> = (2..47).rev().map(MessageId::new).collect();
    assert_eq!(all, expected);
}

#[test]
fn a_scope_that_is_removed_is_not_found_any_more() {
    let world = world();
    world.send("the needle");
    world.call("@team", write("a.md", "the needle")).unwrap();
    for purge in [false, true] {
        // This one has no entry yet.
        world.send("another needle");
        world.call("@team", WorkflowStop { key: team(), now: true, purge, timeout: None }).unwrap();
        let left = if purge { 0 } else { 3 };
        assert_eq!(world.found(None, "needle").len(), left);
    }
    let rows = world.daemon(|cx| {
        let sql = "SELECT count(*) FROM search_entries WHERE scope > 1";
        Ok(cx.conn.query_row(sql, [], |row| row.get::<_, i64>(0))?)
    });
    assert_eq!(rows, 0);
}

#[test]
fn what_the_user_has_hidden_is_found_by_the_user_alone() {
    let world = world();
    let ids = ["the needle", "another needle", "a third needle"].map(|text| world.send(text).id);
    let [first, second, third] = ids.map(|id| id.to_string());
    world.call("@team", write("a.md", "the needle")).unwrap();
    world.call("", MessageHide { message: ids[1] }).unwrap();
    assert_eq!(world.found(Some("alice"), "needle"), ["a.md", third.as_str(), first.as_str()]);
    assert_eq!(
        world.found(None, "needle"),
        ["a.md", third.as_str(), second.as_str(), first.as_str()]
    );
    // It takes no room of a page either.
    let few = Search { limit: Some(3), ..look("needle") };
    let page = world.call_as("@team", Some("alice"), few).unwrap();
    assert_eq!((page.hits.len(), page.more), (3, false));
}

/// What a message of the model says, and who may find it.
struct Said {
    id: MessageId,
    words: BTreeSet<&'static str>,
    from: &'static str,
    readers: Option<BTreeSet<&'static str>>,
}

#[test]
fn whoever_looks_finds_what_it_may_read_and_nothing_else() {
    const WORDS: [&str; 6] = ["apple", "pear", "京", "東京", "plum-cake", "Ünder"];
    const MEMBERS: [&str; 4] = ["alice", "bob", "carol", "user"];
    for seed in 0..25 {
        let mut chance = Chance::new(seed);
        let world = world();
        let pair: BTreeSet<&str> = ["alice", "bob"].into();
        let inner = GroupCreate {
            name: "inner".parse().unwrap(),
            members: vec!["bob".to_owned()],
            wake: None,
        };
        world.call_as("@team", Some("alice"), inner).unwrap();
        let mut said = Vec::new();
        for _ in 0..40 {
            let from = chance.pick(&MEMBERS);
            let words: BTreeSet<_> = (0..3).map(|_| chance.pick(&WORDS)).collect();
            let text = words.iter().copied().collect::<Vec<_>>().join("、 ");
            let (to, readers) = match chance.below(3) {
                0 => (Vec::new(), None),
                1 if pair.contains(from) => (vec!["inner"], Some(pair.clone())),
                _ => {
                    let other = chance.pick(&MEMBERS);
                    if other == from {
                        continue;
                    }
                    (vec![other], Some([from, other].into()))
                }
            };
            let member = (from != "user").then_some(from);
            let id = world.call_as("@team", member, tell(&to, &text)).unwrap().id;
            said.push(Said { id, words, from, readers });
        }
        for _ in 0..30 {
            let who = chance.pick(&MEMBERS);
            let wanted: BTreeSet<_> = (0..=chance.below(2)).map(|_| chance.pick(&WORDS)).collect();
            let from = chance.one_in(3).then(|| chance.pick(&MEMBERS));
            let mut text = wanted.iter().copied().collect::<Vec<_>>().join(" ");
            if let Some(from) = from {
                text = format!("{text} from:{from}");
            }
            let has = |said: &Said, word: &str| {
                said.words.contains(word) || (word == "京" && said.words.contains("東京"))
            };
            let expected: Vec<String> = said
                .iter()
                .rev()
                .filter(|said| wanted.iter().all(|word| has(said, word)))
                .filter(|said| from.is_none_or(|from| said.from == from))
                .filter(|said| {
                    who == "user" || said.readers.as_ref().is_none_or(|all| all.contains(who))
                })
                .map(|said| said.id.to_string())
                .collect();
            let found = world.found((who != "user").then_some(who), &format!("{text} in:@team"));
            assert_eq!(found, expected, "{seed}: {who} looks for {text}");
        }
    }
}

#[test]
fn hits_are_of_the_kinds_that_there_are() {
    let world = world();
    world
        .call("@team", WorkflowStop { key: team(), now: true, purge: false, timeout: None })
        .unwrap();
    world.daemon(|cx| {
        let scope = WorkflowRow::by_name(cx.db, &team())?;
        post::say(cx, &scope, "the daemon speaks")
    });
    let hit = world.find(None, "daemon kind:system").remove(0);
    assert_eq!((hit.kind, hit.by.as_str()), (HitKind::System, "system"));
    assert!(world.found(None, "daemon kind:message").is_empty());
}

#[test]
fn resources_are_listed_by_type_for_those_who_may_read_them() {
    let world = world();
    let make = |content: &str, content_type| {
        let content = content.to_owned();
        world.call("@team", ResourceCreate { content, content_type })
    };
    make("{}", Some(ResourceType::Json)).unwrap();
    let refused = make("{", Some(ResourceType::Json)).unwrap_err().into_body();
    assert!(refused.message.contains("not JSON"), "{refused:?}");
    world.call("alice@team", say(&"secret ".repeat(300))).unwrap();
    let ids = |member: Option<&str>, content_type| {
        let list = ResourceList { content_type, ..ResourceList::default() };
        let page = world.call_as("@team", member, list).unwrap();
        page.resources.iter().map(|resource| resource.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(ids(None, None), ["res_2", "res_1"]);
    assert_eq!(ids(Some("alice"), None), ["res_2", "res_1"]);
    assert_eq!(ids(Some("bob"), None), ["res_1"]);
    assert_eq!(ids(None, Some(ResourceType::Json)), ["res_1"]);
    let first = ResourceList { limit: Some(1), ..ResourceList::default() };
    assert!(world.call("", first).unwrap().more);
    let read = ResourceRead { id: "res_2".parse().unwrap(), offset: None, limit: None };
    assert!(world.call_as("@team", Some("bob"), read).is_err());
}

/// What a daemon dies of, or the pace of its indexer: what was acknowledged is found at once.
fn sends_and_searches(times: usize, mut chance: Chance) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("found.db");
    let (mut world, mut end) = World::in_file(&path);
    world = world.unexamined();
    world.start(&["alice"], "hello");
    for n in 0..times {
        match chance.below(40) {
            // The indexer comes by, now and then in the middle of what there is.
            0..10 => {
                let most = u32::try_from(1 + chance.below(5)).unwrap();
                world.daemon(move |cx| index::catch_up(cx.db, most));
            }
            // It is done when the daemon dies, and the disk has nothing of it.
            10 => {
                let lost = world.try_daemon(|cx| {
                    index::catch_up(cx.db, 100)?;
                    Err::<(), _>(OpError::Broken("the daemon dies".to_owned()))
                });
                lost.unwrap_err();
            }
            11 => {
                drop(world);
                drop(end.blocking_recv());
                (world, end) = World::in_file(&path);
                world = world.unexamined();
            }
            _ => {}
        }
        world.send(&format!("needle word{n}"));
        if chance.below(3) == 0 {
            assert_eq!(world.found(None, &format!("word{n}")).len(), 1, "message {n}");
        }
    }
    world.call("", look("needle")).unwrap();
    let sql = "SELECT count(*), count(DISTINCT rowid) FROM search WHERE search MATCH 'needle'";
    let found: (i64, i64) = world.daemon(|cx| cx.db.one(sql, ()));
    let sent = i64::try_from(times).unwrap();
    assert_eq!(found, (sent, sent), "each is there once");
    assert_eq!(world.findings(), []);
}

#[test]
fn what_was_acknowledged_is_found_at_once_and_once() {
    sends_and_searches(1_000, Chance::new(7));
}

#[test]
#[ignore = "long: ten times as many messages"]
fn ten_thousand_acknowledged_messages_are_found_at_once_and_once() {
    sends_and_searches(10_000, Chance::new(8));
}
