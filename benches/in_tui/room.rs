//! The screen without a terminal and without a daemon: what comes in, and the bytes of a frame.

use std::sync::Arc;

use agent_worker_client::{FeedItem, Home};
use agent_worker_protocol::{
    BlockKind, BlockState, Conversation, Event, EventBody, Hello, MessagePage, Name, OutputEvent,
    RunId, Scope, Snapshot, Target, Timestamp,
};
use serde_json::{Value, json};

use crate::{
    app::{App, Msg, go, update},
    event_loop::{Options, initial},
    model::{
        Focus, Reach,
        known::talks::Side,
        place::{Place, Subject, Tab},
        requests::{Reply, Request},
    },
    screen,
    terminal::{encode::Screen, known::Known},
    theme::{Palette, Theme},
};

/// When it is: nothing here depends on it.
const NOW: i64 = 1_739_887_572_000;

/// Who is there; the first one is at work.
const AGENTS: [&str; 12] = [
    "reviewer",
    "coder",
    "tester",
    "scout",
    "editor",
    "writer",
    "linker",
    "glossary",
    "planner",
    "runner",
    "archivist",
    "translator",
];

/// How many agents there are, and how many of them, from the first on, are at work.
struct Team {
    agents: usize,
    at_work: usize,
}

/// The name of an agent.
fn agent(number: usize) -> String {
    AGENTS.get(number).map_or_else(|| format!("worker-{number}"), |name| (*name).to_owned())
}

/// The run that is at work, of the first agent.
const RUN: i64 = 1;

/// The control room as it shows a team at work.
pub struct Room {
    app: App,
    screen: Screen,
    known: Known,
    /// Number of the last message
    last: i64,
    /// Number of the last event
    seq: i64,
    /// Number of the last block of the run
    block: i64,
}

impl Room {
    /// Returns a room on a screen of this size, with this many messages loaded.
    pub fn at_work(columns: u16, rows: u16, messages: i64) -> Self {
        Self::of(columns, rows, messages, &Team { agents: AGENTS.len(), at_work: 1 })
    }

    /// Returns a room with the table of `agents` agents; the first `at_work` of them are at work.
    pub fn crowd(columns: u16, rows: u16, agents: usize, at_work: usize) -> Self {
        let mut room = Self::of(columns, rows, 1_000, &Team { agents, at_work });
        go(&mut room.app, Place::at(Subject::Workflow(scope()), Tab::Agents));
        room.app.model.selection.focus = Focus::Main;
        room
    }

    fn of(columns: u16, rows: u16, messages: i64, team: &Team) -> Self {
        let options = Options {
            home: Home::at("/"),
            program: "agent-worker".into(),
            target: None,
            identity: Name::person(),
            read_only: false,
            collect: Arc::new(|_, _| Err(String::new())),
            record: None,
        };
        let (mut app, _) = initial(&options, (columns, rows));
        app.model.display.look.theme = Theme { palette: Palette::Ansi16, ..Theme::default() };
        let (screen, known) = (Screen::new(true), Known::default());
        let mut room = Self { app, screen, known, last: 0, seq: 1, block: -1 };
        room.begin(messages, team);
        room
    }

    fn begin(&mut self, messages: i64, team: &Team) {
        self.tell(Msg::Reach(Reach::Found, None));
        let hello = Hello {
            epoch: "e".to_owned(),
            seq: self.seq,
            newest: self.seq,
            version: String::new(),
            started_at: None,
            now: None,
        };
        self.tell(Msg::Feed(FeedItem::Hello(hello)));
        self.tell(Msg::Snapshot(Ok(Box::new(snapshot(self.seq, messages, team)))));
        self.tell(Msg::Tick);
        go(&mut self.app, Place::at(Subject::Workflow(scope()), Tab::Channel));
        self.app.model.selection.focus = Focus::Main;
        let page = (1..=messages).map(|seq| message(seq, &text(seq))).collect::<Vec<_>>();
        let page = json!({
            "messages": page, "more": false, "more_before": false, "more_after": false
        });
        let request = Request::Page(scope(), Conversation::Channel, Side::Newest, 0);
        let page: MessagePage = read(page);
        self.tell(Msg::Answer(Box::new(request), Ok(Reply::Messages(page))));
        self.last = messages;
        self.block(BlockKind::Text, "I look at **both** callers of `unread`:\n\n- one\n- two\n");
        self.block(BlockKind::ToolCall, r#"{"command":"cargo test -p daemon"}"#);
        self.block(BlockKind::ToolResult, &"test inbox::case ... ok\n".repeat(200));
    }

    fn tell(&mut self, msg: Msg) {
        update(&mut self.app, NOW, msg);
    }

    /// A key is pressed, named as in `config.toml`.
    pub fn press(&mut self, key: &str) {
        self.tell(Msg::Key(key.parse().expect("a key of the table")));
    }

    /// A text is pasted.
    pub fn paste(&mut self, text: &str) {
        self.tell(Msg::Paste(text.to_owned()));
    }

    /// Adds a message to the channel.
    pub fn say(&mut self, text: &str) {
        (self.last, self.seq) = (self.last + 1, self.seq + 1);
        let message = Box::new(read(message(self.last, text)));
        let event = Event {
            seq: self.seq,
            scope: scope(),
            run: None,
            actor: "coder".to_owned(),
            at: Timestamp(NOW),
            body: EventBody::MessageSent { message, deliveries: Vec::new() },
        };
        self.tell(Msg::Feed(FeedItem::Event(Box::new(event))));
    }

    /// Shows the run that is at work.
    pub fn look_at_run(&mut self) {
        let agent: Target = Target::member(name(AGENTS[0]), scope());
        go(&mut self.app, Place::at(Subject::Agent(agent), Tab::Run));
        self.app.model.selection.focus = Focus::Main;
        self.tell(Msg::Tick);
    }

    /// The run's next block begins.
    pub fn begin_block(&mut self, kind: BlockKind) {
        self.block += 1;
        let name = Some("shell".to_owned());
        let at = Timestamp(NOW);
        let (n, state) = (self.block, BlockState::Open);
        let event = OutputEvent::Block { n, kind, state, name, at, ended_at: None };
        self.tell(Msg::Output(RunId::new(RUN), event));
    }

    /// The run's last block grows at this place.
    pub fn grow(&mut self, off: i64, text: &str) {
        let event = OutputEvent::Delta { n: self.block, off, text: text.to_owned() };
        self.tell(Msg::Output(RunId::new(RUN), event));
    }

    fn block(&mut self, kind: BlockKind, text: &str) {
        self.begin_block(kind);
        self.grow(0, text);
    }

    /// Draws it, and gives the bytes that a terminal would get.
    pub fn frame(&mut self) -> Vec<u8> {
        let frame = screen::draw(&self.app);
        self.screen.frame(&frame.buffer, frame.caret, &self.known)
    }
}

fn read<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("it has the shape of what the daemon says")
}

fn scope() -> Scope {
    "@review:pr-123".parse().expect("a scope")
}

fn name(name: &str) -> Name {
    name.parse().expect("a name")
}

/// What is said, of many lengths and in several scripts.
fn text(seq: i64) -> String {
    let texts = [
        "Agreed. Pushed 2f1c0aa; 212 of 214 tests pass.",
        "收件箱游标改为序号比较，见 notes.md 第 3 节。测试 `inbox_ack_is_monotonic` 仍然失败。",
        "@reviewer the diff looks right, but **ids are not ordered**. Please compare `seq`, not `id`; \
         the unread filter drops messages when two of them are sent within one millisecond.",
        "Done 👍🏽",
        "Three questions:\n\n1. why is the cursor a string?\n2. who clears it?\n3. is it tested?",
        "Like this:\n\n```rust\n// 按序号比较\nfn unread(mail: &[Mail], cursor: i64) -> usize {\n    \
         mail.iter().filter(|one| one.seq > cursor && one.kind != \"note\").count()\n}\n```\n\n",
        "| test | before | after |\n|---|---|---|\n| `ack` | failed | **passes** |\n| 序号 | 12 ms | \
         3 ms |\n\n",
    ];
    let index = usize::try_from(seq).unwrap_or(0) % texts.len();
    format!("{} ({seq})", texts[index])
}

fn message(seq: i64, content: &str) -> Value {
    let sender = AGENTS[usize::try_from(seq).unwrap_or(0) % AGENTS.len()];
    json!({
        "id": format!("msg_{seq}"), "seq": seq, "scope": scope(), "group": "channel",
        "sender": sender, "sender_kind": "agent", "content": content, "kind": "message",
        "intent": "inform", "hop": 0, "created_at": NOW - 600_000 + seq * 100,
        "mentions": { "resolved": [], "all": false, "unresolved": [], "ignored": [] }
    })
}

fn snapshot(seq: i64, messages: i64, team: &Team) -> Snapshot {
    let names: Vec<String> = (0..team.agents).map(agent).collect();
    let run_of = |number: usize| RunId::new(RUN + i64::try_from(number).unwrap_or(0));
    let agents = names.iter().enumerate().map(|(number, name)| {
        let is_at_work = number < team.at_work;
        json!({
            "name": name, "scope": scope(), "target": format!("{name}@review:pr-123"),
            "kind": "agent", "wanted": "active", "unread": number,
            "state": if is_at_work { "running" } else { "idle" },
            "run": is_at_work.then(|| run_of(number)), "task": "does the cursor keep its order?"
        })
    });
    let runs = names.iter().take(team.at_work).enumerate().map(|(number, name)| {
        json!({
            "id": run_of(number), "agent": format!("{name}@review:pr-123"), "scope": scope(),
            "kind": "mention", "attempt": 1, "state": "running", "activity": "thinking",
            "usage": { "input": 18_200, "output": 2_100 }, "cost": 0.09,
            "started_at": NOW - 72_000
        })
    });
    let workflow = json!({
        "key": "review:pr-123", "name": "review", "tag": "pr-123", "scope": scope(),
        "mode": "start", "state": "running", "generation": 1, "agents": names, "limits": {},
        "used": { "tokens": 61_400, "cost": 1.82, "duration_ms": 0, "runs": 3 }
    });
    let channel = json!({
        "scope": scope(), "name": "channel", "members": [], "messages": messages,
        "last_seq": messages, "read_seq": messages, "read_messages": messages
    });
    read(json!({
        "epoch": "e", "seq": seq, "workflows": [workflow], "agents": agents.collect::<Vec<_>>(),
        "groups": [channel], "runs": runs.collect::<Vec<_>>(), "documents": [], "attention": []
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_timed_is_what_people_see() {
        let mut room = Room::at_work(200, 60, 1_000);
        let first = room.frame();
        let shown = String::from_utf8_lossy(&first).into_owned();
        for words in ["review:pr-123", "(1000)", "cargo test", "live: 1 running"] {
            assert!(shown.contains(words), "{words}: {shown:?}");
        }
        assert_eq!(room.frame(), b"", "nothing has changed");
        room.say("one more");
        assert!(String::from_utf8_lossy(&room.frame()).contains("one more"));
        assert!(shown.contains("unread(mail") && shown.contains("├"), "code and tables");
        let mut crowd = Room::crowd(200, 60, 200, 50);
        let shown = String::from_utf8_lossy(&crowd.frame()).into_owned();
        assert!(shown.contains("50 running") && shown.contains("worker-30"), "a crowd");
        room.look_at_run();
        room.begin_block(BlockKind::Text);
        room.grow(0, "and more");
        assert!(String::from_utf8_lossy(&room.frame()).contains("more"));
    }
}
