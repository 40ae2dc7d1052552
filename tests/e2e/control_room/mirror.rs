//! The mirror of a real daemon, whatever becomes of the daemon and of the way to it.

use agent_worker_client::{Client, ClientError, Connection, Feed, FeedFilter, FeedItem};
use agent_worker_protocol::{
    AgentCreate, AgentRemove, ChannelSend, Cursor, DocWrite, Mode, Op, RunState, Scope, Target,
    WorkflowStart, WorkflowStop,
};

use serde_json::json;

use super::{breaking::Breaking, follower::Follower};
use crate::support::{Home, Running, Team, block_on, mock, within};

/// Events are gone after a moment.
const FORGETFUL: &str = "[feed]\nkeep = \"1ms\"\nkeep_events = 10\n[runs]\nsweep = \"20ms\"\n";

fn target(text: &str) -> Target {
    text.parse().unwrap()
}

fn say(text: &str) -> ChannelSend {
    ChannelSend { message: text.to_owned(), to: Vec::new(), intent: None, reply_to: None }
}

fn write(file: &str, text: &str) -> DocWrite {
    DocWrite { content: text.to_owned(), file: Some(file.to_owned()), if_version: None }
}

fn is_live(connection: &Connection) -> bool {
    matches!(connection, Connection::Live)
}

fn is_lost(connection: &Connection) -> bool {
    matches!(connection, Connection::Reconnecting { .. })
}

/// A team whose agent alice has a long run.
fn busy() -> Team {
    Team::new("team", "@alice go").agent("alice", &mock("- sleep: 5m"))
}

#[test]
fn e_1_a_mirror_keeps_its_picture_when_its_daemon_is_killed_and_e_2_follows_the_next() {
    let home = Home::new();
    let daemon = home.daemon();
    block_on(async {
        let mut follower = Follower::of(&home);
        follower.during(busy().start(&home, &home.client(), Mode::Start)).await;
        let alice = target("alice@team");
        follower
            .until("alice works and says no more", |mirror, _| {
                mirror.live_run(&alice).is_some_and(|run| run.activity.is_some())
            })
            .await;
        follower.assert_exact(&home.client()).await;
        let (run, picture) = (follower.mirror().live_run(&alice).unwrap().id, picture(&follower));
        let first = follower.daemon().started_at;
        daemon.kill();
        follower.until("the connection is lost", |_, connection| is_lost(connection)).await;
        assert_eq!(picture, self::picture(&follower));
        let _daemon = home.daemon();
        follower.until("it is live again", |_, connection| is_live(connection)).await;
        follower.assert_exact(&home.client()).await;
        assert_eq!(follower.mirror().run(run).unwrap().state, RunState::Lost);
        assert_eq!(follower.reloads, [""; 0], "it went on where it was");
        assert!(follower.daemon().started_at > first, "it is told that the daemon is another");
    });
}

fn picture(follower: &Follower) -> String {
    format!("{:?}", follower.mirror().snapshot())
}

#[test]
fn e_2_a_mirror_of_a_database_that_is_restored_is_of_the_restored_one() {
    let home = Home::new();
    let daemon = home.daemon();
    block_on(async {
        let client = home.client();
        client.call(&write("kept.md", "one")).await.unwrap();
        home.ok(&["backup", "copy.db"]);
        let mut follower = Follower::of(&home);
        follower.during(client.call(&write("later.md", "two"))).await.unwrap();
        follower.assert_exact(&client).await;
        assert_eq!(follower.mirror().documents().count(), 2);
        daemon.kill();
        home.ok(&["restore", "copy.db"]);
        let _daemon = home.daemon();
        follower.assert_exact(&home.client()).await;
        assert_eq!(follower.mirror().documents().count(), 1);
        assert_eq!(follower.reloads, ["the cursor is of another database"]);
    });
}

#[test]
fn e_4_a_mirror_that_was_away_for_too_long_begins_anew() {
    let home = Home::with_config(FORGETFUL);
    let daemon = home.daemon();
    block_on(async {
        let mut follower = Follower::of(&home);
        follower.assert_exact(&home.client()).await;
        daemon.kill();
        follower.until("the connection is lost", |_, connection| is_lost(connection)).await;
        let _daemon = home.daemon();
        let client = home.client();
        for number in 0..20 {
            client.call(&write("notes.md", &number.to_string())).await.unwrap();
        }
        let after = follower.mirror().seq();
        within("what was missed is gone", async { while !is_gone(&client, after).await {} }).await;
        follower.assert_exact(&client).await;
        assert_eq!(follower.reloads, ["the events after the cursor are no longer kept"]);
    });
}

/// Whether what follows an event is no longer kept.
pub async fn is_gone(client: &Client, after: i64) -> bool {
    let cursor = Some(Cursor { epoch: None, seq: after });
    let mut feed = Feed::follow(client, FeedFilter::default(), cursor);
    loop {
        match feed.next().await.expect("goes on").expect("is read") {
            FeedItem::Connected => {}
            item => return matches!(item, FeedItem::Reset(_)),
        }
    }
}

#[test]
fn e_4_a_mirror_whose_connections_break_again_and_again_is_exact() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let way = Breaking::before(home.daemon_file().unwrap().port).await;
        let mut follower = Follower::by_way_of(&home, &way.base());
        busy().start(&home, &client, Mode::Start).await;
        for number in 0.. {
            let text = "words ".repeat(number % 40);
            let writing = async {
                client.call(&say(&format!("@alice {text}"))).await.unwrap();
                client.call(&write("notes.md", &text)).await.unwrap();
            };
            follower.during(writing).await;
            if way.broken() >= 12 {
                break;
            }
            if is_lost(follower.connection()) {
                follower.until("the way is open again", |_, now| !is_lost(now)).await;
            }
        }
        way.hold();
        follower.assert_exact(&client).await;
    });
}

/// A daemon to which one thing after the other is done from outside.
struct Day {
    home: Home,
    daemon: Option<Running>,
    has_backup: bool,
    follower: Follower,
}

impl Day {
    fn begin() -> Self {
        let home = Home::with_config(FORGETFUL);
        let daemon = Some(home.daemon());
        let follower = Follower::of(&home);
        Self { home, daemon, has_backup: false, follower }
    }

    /// Does something that may be refused.
    async fn ask<O: Op>(&mut self, scope: &str, op: O) {
        let client = self.home.client().at(target(scope));
        match self.follower.during(client.call(&op)).await {
            Ok(_) | Err(ClientError::Refused(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }

    async fn start(&mut self, name: &str, agents: &[&str], fresh: bool) {
        let mut team = Team::new(name, "@alice go");
        for agent in agents {
            team = team.agent(agent, &mock("- say: done\n- fail: permanent"));
        }
        let start = WorkflowStart { fresh, ..team.to_start(&self.home, Mode::Start) };
        self.ask("@global", start).await;
    }

    async fn stop(&mut self, name: &str, purge: bool) {
        let key: Scope = name.parse().unwrap();
        self.ask(
            "@global",
            WorkflowStop { key: key.clone(), now: true, purge: false, timeout: None },
        )
        .await;
        if purge {
            self.ask("@global", WorkflowStop { key, now: true, purge, timeout: None }).await;
        }
    }

    /// The daemon dies, and another comes, of a backup perhaps.
    fn die(&mut self, restores: bool) {
        self.daemon.take().expect("a daemon runs").kill();
        if restores && self.has_backup {
            self.home.assert_nobody_is_left();
            self.home.ok(&["restore", "copy.db"]);
        }
        self.daemon = Some(self.home.daemon());
    }

    fn back_up(&mut self) {
        drop(std::fs::remove_file(self.home.work().join("copy.db")));
        self.home.ok(&["backup", "copy.db"]);
        self.has_backup = true;
    }

    async fn turn(&mut self, number: u64) {
        let scope = ["@global", "@team", "@other", "@team"][(number / 16 % 4) as usize];
        match number % 16 {
            0 | 1 => self.start("team", &["alice", "bob"], number.is_multiple_of(3)).await,
            2 => self.start("team", &["alice"], number.is_multiple_of(3)).await,
            3 => self.start("other", &["alice", "carol"], number.is_multiple_of(3)).await,
            4 => self.stop("team", number.is_multiple_of(3)).await,
            5 => self.stop("other", number.is_multiple_of(3)).await,
            6 => self.die(false),
            7 => self.die(true),
            8 => self.back_up(),
            9 => {
                let zoe = json!({ "name": "zoe", "backend": "mock", "script": mock("- say: yes") });
                self.ask(scope, serde_json::from_value::<AgentCreate>(zoe).unwrap()).await;
            }
            10 => {
                let zoe = Target::member("zoe".parse().unwrap(), scope.parse().unwrap());
                self.ask(scope, AgentRemove { target: zoe }).await;
            }
            11 | 12 => self.ask(scope, write("notes.md", "text")).await,
            _ => self.ask(scope, say("@alice @bob @zoe go on")).await,
        }
    }
}

#[test]
fn e_4_a_mirror_of_a_day_on_which_much_happens_is_exact() {
    for seed in 1..=8_u64 {
        block_on(async {
            let mut day = Day::begin();
            let mut number = seed;
            for turn in 0..30 {
                number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1 + 2 * seed);
                day.turn(number >> 33).await;
                if turn % 5 == 4 {
                    day.follower.assert_exact(&day.home.client()).await;
                }
            }
        });
    }
}
