use std::collections::BTreeSet;

use agent_worker_protocol::{
    AgentStop, AskPerson, BlockKind, BlockState, CursorSet, DocRead, DocWrite, GroupCreate,
    MyInbox, MyInboxAck, PermissionRequest, ProposalCreate, QuestionAnswer, ResourceCreate,
    ScheduleRun, ScheduleSet, Search, Usage, VoteCast,
};
use rusqlite::Connection;

use super::*;
use crate::{
    changes::{
        question,
        run::{
            progress::{self, Progress, Spawned},
            transcript::BlockWrite,
        },
    },
    rules::ending::Failure,
    store::{file, migrations},
};

fn write(content: &str) -> DocWrite {
    DocWrite { content: content.to_owned(), file: Some("Notes.md".to_owned()), if_version: None }
}

fn member(name: &str, backend: &str) -> AgentCreate {
    serde_json::from_value(serde_json::json!({ "name": name, "backend": backend })).unwrap()
}

fn at_work(world: &World, claim: &Claim) {
    let run = claim.run();
    world.daemon(move |cx| {
        let block = BlockWrite {
            n: 0,
            kind: BlockKind::Text,
            name: None,
            text: "hm".to_owned(),
            state: BlockState::Open,
        };
        let usage = Usage { input: Some(100), output: Some(20), ..Usage::default() };
        let progress = Progress {
            started: true,
            heartbeat: true,
            activity: Some("writing".to_owned()),
            blocks: vec![block],
            usage,
            cost: Some(0.25),
            process: Some(Spawned { pid: 4_000_000, started: Some(7), cwd: None }),
            ..Progress::default()
        };
        progress::note(cx, run, &progress)
    });
}

/// A database in which something of everything has happened.
fn rich(world: &World) {
    world.start(&["alice", "bob", "carol", "dave", "erin", "frank"], "@alice please begin");
    let alice = world.claim();
    at_work(world, &alice);
    world.tool(&alice, MyInbox::default()).unwrap();
    world.tool(&alice, write("one")).unwrap();
    world.tool(&alice, write("two")).unwrap();
    world.tool(&alice, say(&format!("@bob and @user {}", "long ".repeat(400)))).unwrap();
    let vote: ProposalCreate =
        serde_json::from_value(serde_json::json!({ "type": "approval", "title": "shall we?" }))
            .unwrap();
    let open = world.tool(&alice, vote.clone()).unwrap().id;
    let closed = world.tool(&alice, vote).unwrap().id;
    for (voter, proposal) in
        [("bob", open), ("bob", closed), ("carol", closed), ("dave", closed), ("erin", closed)]
    {
        let vote = VoteCast { proposal, choice: "approve".to_owned(), reason: None };
        world.call_as("@team", Some(voter), vote).unwrap();
    }
    let resource = ResourceCreate { content: "{}".to_owned(), content_type: None };
    world.tool(&alice, resource).unwrap();
    world.tool(&alice, tell(&["carol", "dave"], "both of you")).unwrap();
    let until = world.messages()[0].id;
    world.tool(&alice, MyInboxAck { until }).unwrap();
    world.succeed(&alice, "done");
    let bob = world.claim();
    world.tool(&bob, DocRead { file: Some("notes.md".to_owned()), ..DocRead::default() }).unwrap();
    world.succeed(&bob, "read it");
    let carol = world.claim();
    world.fail(&carol, EndCause::Transient);
    let dave = world.claim();
    world.fail(&dave, EndCause::Permanent);
    world.call("erin@team", say("between us")).unwrap();
    world.fail(&world.claim(), EndCause::Cancelled);
    for _ in 0..3 {
        world.pass(3_600_000);
        while let Some(run) = world.try_claim() {
            let class = if run.agent() == "carol" { EndCause::Transient } else { EndCause::Lost };
            world.fail(&run, class);
            if class == EndCause::Lost {
                break;
            }
        }
    }
    world.send("@frank do not begin");
    world.call("frank@team", AgentStop { target: target("frank@team"), now: true }).unwrap();
    outside(world);
    world.call("@team", member("grace", "mock")).unwrap();
    world.send("@grace you will be gone");
    world.call("@team", AgentRemove { target: target("grace@team") }).unwrap();
    let read = CursorSet { conversation: "channel".parse().unwrap(), until };
    world.call("@team", read).unwrap();
    world.send("@carol first thing");
    world.pass(3_600_000);
    let waiting = world.claim();
    world.fail(&waiting, EndCause::Transient);
    two_at_work(world);
    questions(world);
    by_itself_and_in_a_group(world);
}

/// A schedule that has run, and a group with a message.
fn by_itself_and_in_a_group(world: &World) {
    let set = ScheduleSet::usual(target("bob@team"), "10m".parse().unwrap());
    world.call("", ScheduleSet { prompt: Some("go".to_owned()), ..set }).unwrap();
    world.call("", ScheduleRun { target: target("bob@team"), name: None }).unwrap();
    let group = serde_json::json!({ "name": "inner", "members": ["carol", "bob"] });
    world.call("@team", serde_json::from_value::<GroupCreate>(group).unwrap()).unwrap();
    world.call("@team", tell(&["inner"], "only between us")).unwrap();
}

/// A question that was answered by mail, a permission that was denied, and two that are open.
fn questions(world: &World) {
    let ask = |text: &str| AskPerson {
        question: text.to_owned(),
        options: vec!["yes".to_owned(), "no".to_owned()],
        default: None,
        expires_in: None,
    };
    let request = |tool: &str| PermissionRequest {
        tool: tool.to_owned(),
        arguments: serde_json::Map::new(),
        expires_in: None,
    };
    let call = |text: &str| world.call_as("@team", Some("ida"), ask(text)).unwrap();
    let asked = call("go on?");
    world.daemon(question::leave_all);
    world.call("", QuestionAnswer { id: asked.id, answer: "yes".to_owned() }).unwrap();
    call("and now?");
    world.send("@erin go on");
    let run = world.claim();
    let asked = world.tool(&run, request("fetch")).unwrap();
    world.call("", QuestionAnswer { id: asked.id, answer: "deny".to_owned() }).unwrap();
    world.tool(&run, request("shell")).unwrap();
}

/// A member outside with a run of its own.
fn outside(world: &World) {
    world.call("@team", member("ida", "external")).unwrap();
    world.send("@ida one");
    world.send("@ida two");
    let page =
        world.call_as("@team", Some("ida"), MyInbox { limit: Some(1), ..MyInbox::default() });
    let until = page.unwrap().messages[0].message.id;
    world.call_as("@team", Some("ida"), MyInboxAck { until }).unwrap();
}

/// One run that is at work, and one whose end is decided.
fn two_at_work(world: &World) {
    world.send("@alice go on");
    world.send("@bob go on");
    let (first, second) = (world.claim(), world.claim());
    at_work(world, &first);
    let failure = Failure::new(EndCause::TimedOut, "too long");
    let run = second.run();
    world.daemon(move |cx| finish::begin_end(cx, run, &failure));
}

/// The file of a rich database whose world is over.
fn rich_file(folder: &tempfile::TempDir) -> std::path::PathBuf {
    let path = folder.path().join("rich.db");
    let (world, end) = World::in_file(&path);
    rich(&world);
    // The words of all of it are stored before it is damaged.
    world.call("", Search { text: "all".to_owned(), limit: None, next: None }).unwrap();
    drop(world);
    drop(end.blocking_recv());
    path
}

#[test]
fn a_rich_database_is_sound() {
    let world = World::new();
    rich(&world);
    assert_eq!(world.findings(), []);
    let states = world.daemon(|cx| {
        let sql = "SELECT count(DISTINCT state) FROM deliveries";
        Ok(cx.conn.query_row(sql, [], |row| row.get::<_, i64>(0))?)
    });
    assert_eq!(states, 7, "mail in every state");
}

#[test]
fn numbers_at_their_end_are_sound() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim().run();
    let usage = Usage { input: Some(i64::MAX), output: Some(i64::MAX), ..Usage::default() };
    for _ in 0..2 {
        let progress = Progress { usage, cost: Some(1e300), ..Progress::default() };
        world.daemon(move |cx| progress::note(cx, run, &progress));
    }
    assert_eq!(world.findings(), []);
}

#[test]
fn older_counts_that_leave_out_tokens_of_the_cache_are_sound() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim().run();
    let usage = Usage { input: Some(10), output: Some(2), ..Usage::default() };
    let progress = Progress { usage, ..Progress::default() };
    world.daemon(move |cx| progress::note(cx, run, &progress));
    world.daemon(|cx| Ok(cx.conn.execute("UPDATE runs SET cache_read = 500", [])?));
    assert_eq!(world.findings(), []);
}

#[test]
fn what_was_written_since_the_last_look_is_no_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("busy.db");
    let (world, _end) = World::in_file(&path);
    world.start(&["alice"], "hello");
    let reader = Connection::open(path).unwrap();
    for round in 0..20 {
        for n in 0..20 {
            world.send(&format!("round {round} says {n}, and word{round}x{n}"));
        }
        assert_eq!(all::examine(&reader), [], "round {round}");
    }
}

/// Damage, and the checks that must name it.
const DAMAGE: &[(&str, &[&str])] = &[
    ("DROP INDEX runs_of_scope", &["database.schema"]),
    ("CREATE TABLE stray (x)", &["database.schema"]),
    ("DROP TABLE questions", &["database.schema", "workflows.judged", "questions.place"]),
    ("DELETE FROM daemon_state WHERE key = 'epoch'", &["database.epoch"]),
    ("INSERT INTO votes VALUES (1, 999, 'x', NULL, 0)", &["database.references"]),
    ("UPDATE sqlite_sequence SET seq = 1 WHERE name = 'runs'", &["database.numbers"]),
    (
        "UPDATE daemon_state SET value = json_set(value, '$.message', 1) WHERE key = 'numbers'",
        &["database.numbers"],
    ),
    ("INSERT INTO idempotency VALUES ('a', 'k', x'00', 'no', 0)", &["idempotency.answers"]),
    ("DELETE FROM events WHERE seq = 20", &["events.gapless"]),
    ("DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)", &["events.newest"]),
    ("UPDATE events SET body = 'no' WHERE seq = 3", &["events.body"]),
    ("UPDATE events SET kind = 'message.read' WHERE seq = 3", &["events.body"]),
    (
        "UPDATE events SET subject = 'msg_999' WHERE kind = 'message.sent' AND body LIKE '[%'",
        &["events.message"],
    ),
    (
        "INSERT INTO events (scope, kind, subject, actor, at, body)
         SELECT scope, kind, subject, actor, at, json_set(body, '$.state', 'acked') FROM events
         WHERE kind = 'delivery.changed' AND json_extract(body, '$.state') = 'acked' LIMIT 1",
        &["events.final"],
    ),
    (
        "UPDATE deliveries SET state = 'dropped', held_reason = NULL WHERE state = 'held'",
        &["events.deliveries"],
    ),
    ("UPDATE runs SET state = 'running' WHERE state = 'ending'", &["events.runs"]),
    (
        "UPDATE workflows SET state = 'stopped', outcome = 'stopped', ended_at = 1,
             running_since = NULL WHERE name = 'team'",
        &["events.workflows"],
    ),
    (
        "UPDATE agents SET wanted = 'stopped', paused_reason = NULL, paused_at = NULL
         WHERE name = 'dave'",
        &["events.agents"],
    ),
    (
        "UPDATE events SET body = json_set(body, '$.version', 9) WHERE kind = 'document.changed'",
        &["events.documents"],
    ),
    ("UPDATE messages SET intent = 'shout' WHERE seq = 1", &["messages.words"]),
    ("UPDATE messages SET mentions = '{' WHERE seq = 1", &["messages.words"]),
    ("UPDATE messages SET generation = 9 WHERE seq = 1", &["messages.place"]),
    ("DELETE FROM deliveries WHERE seq = 1", &["messages.mentions"]),
    ("UPDATE messages SET run = 999 WHERE run IS NOT NULL", &["messages.run"]),
    ("UPDATE messages SET reply_to = seq WHERE reply_to IS NOT NULL", &["messages.chain"]),
    ("UPDATE messages SET root = 999 WHERE seq = 2", &["messages.chain"]),
    ("UPDATE messages SET resource = 999 WHERE resource IS NOT NULL", &["messages.resource"]),
    ("UPDATE resources SET bytes = bytes + 1 WHERE id = 2", &["database.integrity"]),
    ("UPDATE messages SET content = replace(content, 'begin', 'bezin')", &["messages.text"]),
    ("UPDATE resources SET content = replace(content, 'long', 'lomg')", &["messages.text"]),
    ("UPDATE deliveries SET state = 'lost' WHERE state = 'dead'", &["deliveries.words"]),
    ("UPDATE deliveries SET run = NULL WHERE state = 'leased'", &["deliveries.leased"]),
    (
        "UPDATE deliveries SET state = 'leased' WHERE state = 'acked' AND run IS NOT NULL",
        &["deliveries.leased"],
    ),
    (
        "UPDATE deliveries SET run = NULL, marked_at = NULL, marked_by = NULL
         WHERE state = 'acked'",
        &["deliveries.given"],
    ),
    (
        "UPDATE deliveries SET state = 'acked', held_reason = NULL
         WHERE state = 'pending' AND run IS NULL",
        &["deliveries.given"],
    ),
    (
        "UPDATE deliveries SET state = 'acked', last_error = NULL WHERE state = 'dead'",
        &["deliveries.acked"],
    ),
    ("UPDATE deliveries SET held_reason = NULL WHERE state = 'held'", &["database.integrity"]),
    ("UPDATE deliveries SET not_before = 1 WHERE state = 'pending'", &["database.integrity"]),
    ("UPDATE deliveries SET wakes = 0 WHERE state = 'waiting'", &["database.integrity"]),
    ("UPDATE deliveries SET last_error = NULL WHERE state = 'dead'", &["database.integrity"]),
    ("UPDATE deliveries SET attempts = 5 WHERE state = 'dead'", &["deliveries.attempts"]),
    ("UPDATE deliveries SET marked_by = NULL WHERE marked_by > 0", &["database.integrity"]),
    ("UPDATE deliveries SET marked_by = 999 WHERE marked_by > 0", &["deliveries.marked"]),
    ("UPDATE deliveries SET root = 2 WHERE seq = 1", &["deliveries.message"]),
    (
        "INSERT INTO deliveries (agent, seq, group_id, sender_agent, sender_kind, reason, wakes, state,
             bytes, hop, root, sent_at)
         SELECT r.agent, t.seq, t.group_id, t.sender_agent, t.sender_kind, 'to', 0, 'pending',
             t.bytes, t.hop, t.root, t.created_at
         FROM runs AS r JOIN messages AS t ON t.scope = r.scope AND t.seq < r.cause
         WHERE r.state = 'succeeded' AND r.solo = 0 AND r.kind <> 'external'
           AND NOT EXISTS (SELECT 1 FROM deliveries AS d WHERE d.agent = r.agent AND d.seq = t.seq)
         LIMIT 1",
        &["deliveries.passed_over"],
    ),
    (
        "UPDATE agent_counts SET unread = unread + 1
         WHERE agent = (SELECT id FROM agents WHERE name = 'ida')",
        &["deliveries.counters"],
    ),
    ("DELETE FROM agent_counts WHERE agent = 1", &["deliveries.counters"]),
    ("UPDATE deliveries SET state = 'pending' WHERE state = 'dropped'", &["deliveries.removed"]),
    (
        "UPDATE deliveries SET state = 'acked' WHERE state = 'pending'
         AND agent = (SELECT id FROM agents WHERE scope = 2 AND name = 'user')",
        &["deliveries.person"],
    ),
    ("UPDATE runs SET kind = 'idle' WHERE id = 1", &["database.integrity"]),
    (
        "DROP INDEX runs_live; UPDATE runs SET agent = (SELECT min(agent) FROM runs
             WHERE state IN ('running', 'ending')) WHERE state IN ('running', 'ending')",
        &["database.schema"],
    ),
    ("UPDATE runs SET token_hash = NULL WHERE id = 1", &["database.integrity"]),
    ("UPDATE runs SET end_class = NULL WHERE state = 'ending'", &["database.integrity"]),
    ("UPDATE runs SET ended_at = NULL WHERE id = 1", &["database.integrity"]),
    ("UPDATE runs SET class = 'lost' WHERE state = 'cancelled'", &["database.integrity"]),
    ("UPDATE runs SET cost = -1 WHERE id = 1", &["database.integrity"]),
    ("DELETE FROM run_roots WHERE run = 1", &["runs.mail"]),
    ("UPDATE run_roots SET root = 999 WHERE run = 2", &["runs.mail"]),
    ("UPDATE runs SET generation = 7 WHERE id = 1", &["runs.place"]),
    ("UPDATE runs SET session = 99 WHERE id = 1", &["database.references"]),
    (
        "INSERT INTO sessions (id, agent, kind, backend, created_at, updated_at)
             SELECT 99, id, 'main', 'mock', 0, 0 FROM agents WHERE name = 'bob';
         INSERT INTO session_turns (session, n, role, content, created_at)
             VALUES (99, 0, 'program', '{}', 0)",
        &["sessions.turns"],
    ),
    ("UPDATE runs SET retry_of = id WHERE retry_of IS NOT NULL", &["runs.retry"]),
    ("UPDATE run_output SET state = 'open'", &["runs.output"]),
    ("UPDATE workflows SET mode = 'walk' WHERE name = 'team'", &["database.integrity"]),
    ("UPDATE workflows SET state = 'completed' WHERE name = 'global'", &["workflows.global"]),
    (
        "UPDATE workflows SET state = 'completed', outcome = 'completed', ended_at = 1,
             running_since = NULL WHERE name = 'team'",
        &["workflows.judged"],
    ),
    ("UPDATE workflows SET running_since = NULL WHERE name = 'team'", &["database.integrity"]),
    ("UPDATE workflows SET tokens_used = 1 WHERE name = 'team'", &["workflows.used"]),
    ("UPDATE workflows SET limits = '' WHERE name = 'team'", &["database.integrity"]),
    ("UPDATE agents SET kind = 'agent' WHERE name = 'user'", &["workflows.members"]),
    ("UPDATE agents SET origin = 'heaven' WHERE name = 'bob'", &["database.integrity"]),
    (
        "UPDATE agent_counts SET tokens_used = 1
         WHERE agent = (SELECT id FROM agents WHERE name = 'bob')",
        &["agents.used"],
    ),
    (
        "DROP INDEX agents_live; UPDATE agents SET name = 'alice' WHERE name = 'bob'",
        &["database.schema"],
    ),
    ("UPDATE agents SET paused_reason = NULL WHERE name = 'dave'", &["database.integrity"]),
    ("UPDATE agents SET woken = 1 WHERE name = 'dave'", &["database.integrity"]),
    ("UPDATE groups SET kind = 'crowd' WHERE id = 2", &["database.integrity"]),
    ("UPDATE groups SET messages = messages - 1 WHERE id = 2", &["groups.counters"]),
    (
        "UPDATE group_members SET left_at = 1
         WHERE agent = (SELECT id FROM agents WHERE name = 'bob')",
        &["groups.members"],
    ),
    (
        "DELETE FROM group_members WHERE agent = (SELECT id FROM agents WHERE name = 'erin')",
        &["groups.direct", "groups.members"],
    ),
    ("UPDATE group_members SET read_messages = 40", &["groups.cursors"]),
    ("UPDATE groups SET name = 'bob' WHERE kind = 'group'", &["groups.names"]),
    (
        "DELETE FROM group_members WHERE agent = (SELECT id FROM agents WHERE name = 'carol')
             AND group_id IN (SELECT id FROM groups WHERE kind = 'group')",
        &["groups.mail"],
    ),
    ("DELETE FROM search_entries WHERE kind = 'document'", &["search.entries", "search.words"]),
    (
        "UPDATE search_entries SET number = 999 WHERE number = 1",
        &["search.entries", "search.things"],
    ),
    ("UPDATE daemon_state SET value = '1' WHERE key = 'entered'", &["search.entries"]),
    ("DELETE FROM search WHERE rowid = 1", &["search.words"]),
    ("UPDATE questions SET kind = 'riddle' WHERE id = 1", &["database.integrity"]),
    ("UPDATE questions SET default_answer = 'perhaps' WHERE id = 2", &["questions.options"]),
    ("UPDATE questions SET tool = NULL WHERE kind = 'permission'", &["database.integrity"]),
    ("UPDATE questions SET scope = 1 WHERE id = 1", &["database.references"]),
    (
        "UPDATE questions SET run = (SELECT min(id) FROM runs) WHERE run IS NOT NULL",
        &["database.references"],
    ),
    (
        "UPDATE questions SET run = NULL, agent =
             (SELECT id FROM agents WHERE scope = 2 AND name = 'user') WHERE id = 1",
        &["questions.place"],
    ),
    ("UPDATE questions SET answer = 'perhaps' WHERE id = 1", &["questions.options"]),
    ("UPDATE questions SET answered_by = NULL WHERE id = 1", &["database.integrity"]),
    ("UPDATE questions SET expired_because = 'late' WHERE id = 1", &["database.integrity"]),
    (
        "UPDATE questions SET waits = 0 WHERE kind = 'permission' AND waits = 1",
        &["questions.waited"],
    ),
    ("UPDATE questions SET waits = 1, run = (SELECT min(id) FROM runs)", &["questions.waited"]),
    ("UPDATE agents SET removed_at = 1 WHERE name = 'ida'", &["questions.waited"]),
    ("UPDATE questions SET message = NULL WHERE id = 1", &["questions.message"]),
    ("UPDATE questions SET message = 1 WHERE id = 2", &["questions.message"]),
    (
        "UPDATE questions SET expired_because = 'late', waits = 0 WHERE id = 2",
        &["events.questions"],
    ),
    ("DELETE FROM document_versions WHERE version = 2", &["documents.versions"]),
    ("UPDATE documents SET content = 'three'", &["documents.current"]),
    ("UPDATE doc_reads SET version = 7", &["documents.reads"]),
    ("UPDATE proposals SET outcome = NULL WHERE id = 2", &["database.integrity"]),
    ("UPDATE proposals SET status = 'active' WHERE id = 2", &["database.integrity"]),
    ("UPDATE proposals SET result = 'perhaps' WHERE id = 2", &["proposals.results"]),
    ("UPDATE votes SET choice = 'perhaps'", &["proposals.voters"]),
    (
        "DELETE FROM proposal_electors WHERE proposal = 1",
        &["database.references", "proposals.electors"],
    ),
    ("UPDATE proposals SET quorum = 99 WHERE id = 1", &["proposals.electors"]),
    ("UPDATE schedules SET overlap = 'never'", &["database.integrity"]),
    ("UPDATE schedule_fires SET outcome = 'flew'", &["database.integrity"]),
    ("UPDATE schedules SET scope = 1", &["database.references"]),
    (
        "INSERT INTO schedules (scope, agent, name, maker, spec, timezone, anchor_at, state, created_at)
         SELECT scope, agent, name, maker, spec, timezone, anchor_at, 'paused', 0 FROM schedules",
        &["schedules.place"],
    ),
    ("UPDATE schedules SET next_due = NULL", &["schedules.next"]),
    ("UPDATE schedules SET state = 'paused'", &["schedules.next"]),
    (
        "UPDATE schedules SET next_due = (SELECT due_at FROM schedule_fires)",
        &["schedules.next", "schedules.times"],
    ),
    ("UPDATE schedule_fires SET reason = 'msg_1'", &["schedules.fired"]),
    ("UPDATE schedules SET fires = 0", &["schedules.fired"]),
    ("UPDATE schedules SET next_due = next_due + 1", &["schedules.times"]),
    (
        "UPDATE documents SET path_key = 'Notes.md'; UPDATE document_versions
             SET path_key = 'Notes.md'; UPDATE doc_reads SET path_key = 'Notes.md'",
        &["documents.paths"],
    ),
];

fn damaged(bytes: &[u8], folder: &tempfile::TempDir, sql: &str) -> Vec<Finding> {
    let path = folder.path().join("damaged.db");
    std::fs::write(&path, bytes).unwrap();
    let conn = Connection::open(&path).unwrap();
    let unchecked = "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON";
    conn.execute_batch(unchecked).unwrap();
    conn.pragma_update(None, "synchronous", "OFF").unwrap();
    conn.execute_batch(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    conn.pragma_update(None, "ignore_check_constraints", false).unwrap();
    assert!(conn.changes() > 0 || sql.contains("DROP") || sql.contains("CREATE"), "{sql}");
    all::examine(&conn)
}

#[test]
fn every_check_names_the_damage_that_it_is_for() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = std::fs::read(rich_file(&folder)).unwrap();
    assert_eq!(damaged(&bytes, &folder, "CREATE INDEX x ON votes (choice); DROP INDEX x"), []);
    let mut named = BTreeSet::from(["database.integrity"]);
    for (sql, checks) in DAMAGE {
        let findings = damaged(&bytes, &folder, sql);
        for check in *checks {
            let found = findings.iter().find(|finding| finding.check == *check);
            let found = found.unwrap_or_else(|| panic!("{sql}: {check} is not in {findings:?}"));
            assert!(!found.cases[0].subject.is_empty() && !found.cases[0].what.is_empty(), "{sql}");
            assert!(found.hint.is_some());
            named.insert(check);
        }
    }
    let all: BTreeSet<_> = all::names().collect();
    assert_eq!(named, all, "every check has its damage");
}

#[test]
fn every_check_can_be_made_of_every_schema() {
    for version in migrations::FIRST..=migrations::schema(migrations::MIGRATIONS.len()) {
        let findings = all::examine(&file::blank(version).unwrap());
        let cases = findings.iter().flat_map(|finding| &finding.cases);
        let failed: Vec<_> = cases.filter(|case| case.what.contains("not be checked")).collect();
        assert!(failed.is_empty(), "schema {version}: {failed:?}");
    }
}

#[test]
fn a_changed_page_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = std::fs::read(rich_file(&folder)).unwrap();
    let pages = bytes.len() / 4096;
    let path = folder.path().join("damaged.db");
    for page in [2, pages * 3 / 4, pages - 1] {
        bytes[page * 4096..page * 4096 + 64].fill(0xff);
    }
    std::fs::write(&path, &bytes).unwrap();
    let conn = file::open_idle(&path).unwrap();
    let findings = all::examine(&conn);
    let broken = findings.iter().find(|finding| finding.check == "database.integrity");
    let broken = broken.unwrap_or_else(|| panic!("{findings:?}"));
    // A backup of a damaged file fails, and would start a daemon that writes to it.
    let hint = broken.hint.as_ref().unwrap();
    let copy = format!("daemon stop && cp -a {} COPY", folder.path().display());
    assert!(hint.contains(&copy) && !hint.contains("agent-worker backup"), "{hint}");
}
