//! What was said: a channel, another one, and conversations of two.

use agent_worker_protocol::{
    Conversation, Group, Groups, Message, MessagePage, Name, OwnGroup, ResourceId, Scope, Target,
    Wake, mention,
};

use super::{at, pr};
use crate::tests::story::{channel, message};

/// Number of the last message.
const LAST: i64 = 4_417;

/// Who said what, when, in the channel of `@review:pr-123`.
const CHANNEL: &[(&str, &str, &str)] = &[
    (
        "13:58:04",
        "user",
        "@reviewer please review this change: the inbox cursor becomes a sequence number. The diff is in resource res_19 (41 KB).",
    ),
    (
        "13:59:10",
        "reviewer",
        "Reading the diff. 9 files, +412 -88. I start with `daemon/context.rs`.",
    ),
    (
        "14:00:02",
        "reviewer",
        "@coder three questions:\n\n1. why is the cursor a string?\n2. who clears `inbox_ack`?\n3. is `resume_after_gap` tested?",
    ),
    (
        "14:00:31",
        "coder",
        "@reviewer (1) history, ids used to be integers. (2) nobody yet. (3) no, @tester can you add one?",
    ),
    ("14:01:03", "tester", "On it."),
    (
        "14:01:20",
        "scout",
        "Found the same bug upstream, fixed by comparing sequence numbers. Link is in findings/cursor.md.",
    ),
    ("14:01:44", "user", "@all keep the schema as it is, add columns only."),
    ("14:02:15", "editor", "notes.md: section 3 rewritten for the new cursor semantics 👍"),
    (
        "14:02:40",
        "reviewer",
        "The diff looks right, but ids are not ordered. @coder please compare `seq`, not `id`:\n\n```rust\n.filter(|mail| mail.seq > cursor)\n```",
    ),
    ("14:03:12", "coder", "Agreed. Pushed 2f1c0aa; 212 of 214 tests pass."),
    (
        "14:03:30",
        "coder",
        "收件箱游标改为序号比较，见 notes.md 第 3 节。测试 `inbox_ack_is_monotonic` 仍然失败，原因是旧数据里的游标还是字符串。",
    ),
    (
        "14:04:50",
        "tester",
        "@reviewer 2 failures: inbox_ack_is_monotonic, resume_after_gap. Log is in resource res_31 (84 KB).",
    ),
    (
        "14:05:40",
        "reviewer",
        "@user should the ack be exclusive or inclusive? I assume **inclusive** unless you say otherwise.",
    ),
    (
        "14:05:58",
        "tester",
        "@reviewer @user the second one fails on `main` too 🤷, so it is not this change.",
    ),
];

/// Which messages answer which, by their places in the channel.
const ANSWERS: [(usize, usize); 3] = [(3, 2), (4, 3), (9, 8)];

/// How many of them the person has read.
const READ: i64 = 11;

fn count() -> i64 {
    i64::try_from(CHANNEL.len()).unwrap()
}

/// Those of the channel of `@review:pr-123`.
pub fn channel_of_pr() -> Vec<Message> {
    let mut messages: Vec<Message> = (LAST - count() + 1..)
        .zip(CHANNEL)
        .map(|(seq, (clock, sender, text))| said(seq, clock, sender, text, &pr()))
        .collect();
    for (answer, answered) in ANSWERS {
        messages[answer].reply_to = Some(messages[answered].id);
    }
    messages
}

fn said(seq: i64, clock: &str, sender: &str, text: &str, scope: &Scope) -> Message {
    let members: Vec<Name> = ["coder", "editor", "reviewer", "scout", "tester", "user", "writer"]
        .iter()
        .map(|name| name.parse().unwrap())
        .collect();
    let mentions = mention::parse(text, &members);
    let resource = text.contains("res_31").then(|| ResourceId::new(31));
    Message {
        scope: scope.clone(),
        created_at: at(clock),
        mentions,
        resource,
        ..message(seq, sender, text)
    }
}

fn pair() -> Conversation {
    Conversation::direct("coder".parse().unwrap(), "user".parse().unwrap())
}

/// A group of some members.
pub fn review_group() -> Conversation {
    "cursors".parse().unwrap()
}

fn own_members() -> Vec<Name> {
    ["coder", "reviewer", "user"].map(|name| name.parse().unwrap()).to_vec()
}

fn agents_alone() -> Conversation {
    Conversation::direct("alice".parse().unwrap(), "bob".parse().unwrap())
}

/// The conversations there are, with what of them was read.
pub fn groups() -> Vec<Group> {
    let docs: Scope = "@docs".parse().unwrap();
    let newest = |group: Group, last: i64| Group { last_seq: last, ..group };
    let mut own = newest(channel(&pr(), 26, 0), LAST);
    (own.read_seq, own.read_messages) = (LAST - count() + READ, 26 - count() + READ);
    let direct = |scope: &Scope, name, messages, read, last| {
        newest(Group { name, ..channel(scope, messages, read) }, last)
    };
    vec![
        channel(&Scope::global(), 0, 0),
        own,
        newest(channel(&docs, 9, 6), 4_398),
        direct(&Scope::global(), agents_alone(), 6, 4, 4_390),
        Group {
            members: own_members(),
            wake: Wake::All,
            ..direct(&pr(), review_group(), 2, 1, 4_396)
        },
        direct(&pr(), pair(), 3, 3, 4_402),
    ]
}

/// The conversations of a member; it has read all but one message of each.
pub fn groups_of(member: &Target) -> Groups {
    let is_own = |group: &Group| match &group.name {
        Conversation::Direct(one, other) => {
            [Some(one), Some(other)].contains(&member.name.as_ref())
        }
        Conversation::Group(_) => {
            member.name.as_ref().is_some_and(|name| group.members.contains(name))
        }
        Conversation::Channel => Some(&group.scope) == member.scope.as_ref(),
    };
    let groups = groups().into_iter().filter(is_own).map(|group| OwnGroup {
        scope: group.scope,
        name: group.name,
        members: group.members,
        wake: group.wake,
        joined: true,
        messages: group.messages,
        last_seq: group.last_seq,
        read_seq: group.last_seq - 1,
        unread: 1.min(group.messages),
    });
    Groups { groups: groups.collect() }
}

/// The newest page of a conversation.
pub fn page(scope: &Scope, name: &Conversation) -> MessagePage {
    let messages = match name {
        Conversation::Channel if *scope == pr() => channel_of_pr(),
        Conversation::Channel => vec![
            said(4_397, "13:20:00", "user", "@writer please rewrite guide/install.md", scope),
            said(4_398, "13:24:10", "writer", "I begin with the part about servers.", scope),
        ],
        Conversation::Group(_) => vec![
            said(4_395, "13:58:20", "reviewer", "What do old cursors become?", scope),
            said(4_396, "13:58:41", "coder", "Read once as text, then written as a number.", scope),
        ]
        .into_iter()
        .map(|message| Message { group: name.clone(), ..message })
        .collect(),
        Conversation::Direct(..) => vec![
            said(4_400, "13:59:40", "user", "how far are you?", scope),
            said(4_401, "13:59:58", "coder", "Two of nine files. 还需要十分钟。", scope),
            said(4_402, "14:00:05", "user", "good, take your time", scope),
        ]
        .into_iter()
        .map(|message| Message { group: name.clone(), ..message })
        .collect(),
    };
    MessagePage { messages, more: false, more_before: false, more_after: false }
}
