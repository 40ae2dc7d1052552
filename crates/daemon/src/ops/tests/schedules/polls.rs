//! Random mailboxes of an agent that is polled: a poll reads what it was started for, and never
//! runs twice for the same message.

use agent_worker_protocol::{GroupCreate, MessageId, MyInbox};

use super::*;
use crate::{ops::tests::model::Chance, rows::delivery};

const AGENTS: u64 = 250;

/// How often each finds its inbox filled anew: 1,000 mailboxes in all.
const MAILBOXES: usize = 4;

#[test]
fn a_run_that_a_schedule_started_leaves_a_direct_message_to_a_run_of_its_own() {
    let world = world();
    world.set("30s", &json!({ "only_if_unread": false }));
    world.send("@alice begin");
    let busy = world.claim();
    world.wait(30 * SECOND);
    let direct = world.call("@team", tell(&["alice"], "between us")).unwrap();
    let inform = ChannelSend { intent: Some(Intent::Inform), ..tell(&["alice"], "by the way") };
    let inform = world.call("@team", inform).unwrap();
    world.succeed(&busy, "");
    let poll = world.claim();
    assert_eq!(poll.claimed.run.kind, RunKind::Scheduled);
    let page = world.tool(&poll, MyInbox::default()).unwrap();
    let read: Vec<_> = page.messages.iter().map(|item| item.message.id).collect();
    assert!(read.contains(&inform.id) && !read.contains(&direct.id), "{read:?}");
    world.succeed(&poll, "nothing new");
    assert_eq!(world.last_message().group.to_string(), "channel");
    let own = world.claim();
    assert_eq!(own.claimed.run.kind, RunKind::Direct);
    world.succeed(&own, "our secret");
    let answer = world.last_message();
    assert_eq!(
        (answer.content.as_str(), answer.group.to_string()),
        ("our secret", "alice+user".into())
    );
    assert!(world.try_claim().is_none());
}

#[test]
fn a_message_too_long_for_a_page_is_polled_once() {
    let world = World::with_settings("[inbox]\nbytes = 8000");
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    world.set("30s", &json!({}));
    let text = "x".repeat(9_000);
    let inform = ChannelSend { intent: Some(Intent::Inform), ..tell(&["alice"], &text) };
    world.call("@team", inform).unwrap();
    world.wait(30 * SECOND);
    assert_eq!(world.work_off(), 1);
    assert_eq!(pending(&world), Vec::<i64>::new());
    world.wait(10 * 30 * SECOND);
    assert!(world.try_claim().is_none());
}

/// What was delivered to alice and is pending.
fn pending(world: &World) -> Vec<i64> {
    let alice = world.agent("alice").id;
    world.daemon(move |cx| {
        let rows = delivery::open(cx.db, alice, u32::MAX)?;
        Ok(rows.iter().rev().map(|row| row.seq).collect())
    })
}

/// Writes something to alice, in one of her conversations.
fn write(world: &World, chance: &mut Chance) {
    let intent = Some(if chance.one_in(4) { Intent::Request } else { Intent::Inform });
    let text = "word ".repeat(1 + chance.below(20));
    let op = match chance.below(3) {
        0 => ChannelSend { intent, ..tell(&["alice"], &text) },
        1 => ChannelSend { intent, ..say(&format!("@alice {text}")) },
        _ => ChannelSend { intent, ..tell(&["inner"], &text) },
    };
    let sender = chance.pick(&["user", "bob"]);
    world.call_as("@team", Some(sender), op).unwrap();
}

/// Does all work there is, and gives how many polls there were. What a poll has read is pending no
/// more, and was read by no poll before. With `chance`, more is written meanwhile.
fn work_off(world: &World, mut chance: Option<&mut Chance>, polled: &mut Vec<MessageId>) -> usize {
    let mut disturb = || {
        if let Some(chance) = chance.as_deref_mut()
            && chance.one_in(6)
        {
            write(world, chance);
        }
    };
    let mut polls = 0;
    while let Some(run) = world.try_claim() {
        disturb();
        let page = world.tool(&run, MyInbox::default()).unwrap();
        let read: Vec<_> = page.messages.iter().map(|item| item.message.id).collect();
        disturb();
        world.succeed(&run, "");
        if run.claimed.run.kind != RunKind::Scheduled {
            continue;
        }
        polls += 1;
        let left = pending(world);
        for id in read {
            assert!(!left.contains(&id.number()), "{id} is pending after the poll that read it");
            assert!(!polled.contains(&id), "{id} was read by two polls");
            polled.push(id);
        }
    }
    polls
}

fn play(seed: u64) {
    let mut chance = Chance::new(seed);
    let messages = 2 + chance.below(6);
    let world = World::with_settings(&format!("[inbox]\nmessages = {messages}")).unexamined();
    world.start_with(&["alice", "bob"], "hello", Mode::Start, Limits::default());
    let inner = json!({ "name": "inner", "members": ["alice", "bob"] });
    let inner: GroupCreate = serde_json::from_value(inner).unwrap();
    world.call("@team", inner).unwrap();
    world.set("30s", &json!({}));
    let mut polled = Vec::new();
    for _ in 0..MAILBOXES {
        for _ in 0..chance.below(6) {
            write(&world, &mut chance);
        }
        let has_unread = !pending(&world).is_empty();
        world.wait(30 * SECOND);
        let polls = work_off(&world, Some(&mut chance), &mut polled);
        assert!(polls <= 1 && (has_unread || polls == 0), "{polls} polls");
    }
    // Left alone, it is polled until all is read, and then no more.
    let mut rest = pending(&world).len();
    while rest > 0 {
        world.wait(30 * SECOND);
        work_off(&world, None, &mut polled);
        let left = pending(&world).len();
        assert!(left < rest, "a poll read nothing of {rest} messages");
        rest = left;
    }
    world.wait(10 * 30 * SECOND);
    assert!(world.try_claim().is_none(), "an agent that has nothing to read is not polled");
}

#[test]
fn a_poll_never_runs_twice_for_the_same_message() {
    for seed in 0..AGENTS {
        play(seed);
    }
}
