//! Crashes of the daemon under load: no acknowledged message is lost, every mention is handled,
//! and the work goes on by itself (§§5, 13).

use std::{collections::BTreeMap, fs, process::Stdio, time::Duration};

use agent_worker_client::Client;
use agent_worker_protocol::{
    ChannelSend, DeliveryState, Inbox, MessageId, Mode, RunState, Target, WorkflowState,
};

use crate::support::{Home, Lines, Running, Team, Watch, block_on, mock};

fn target(text: &str) -> Target {
    text.parse().unwrap()
}

const AGENTS: [&str; 6] = ["alice", "bob", "carol", "dave", "erin", "frank"];

/// Mail of a lost run is tried again alone, so a crash costs as many runs as it had messages.
const CONFIG: &str = "[inbox]\nmessages = 3\n[runs]\nlost_limit = 1000\nmax_runs = 8\n\
    starts_after_restart = 100\n[guard]\nruns = 1000000\n";

/// How often the daemon is killed, and how it works until then.
struct Load {
    crashes: usize,
    /// How long a run takes
    run: &'static str,
    /// The shortest life of a daemon in ms, and how much longer one may be
    life: (u64, u64),
}

/// Sends to all agents in turn until the daemon is gone; gives what was acknowledged.
async fn send_until_it_ends(home: &Home, round: usize) -> Vec<(MessageId, &'static str)> {
    let channel = home.client().at(target("@team"));
    let mut acknowledged = Vec::new();
    let mut pace = tokio::time::interval(Duration::from_millis(60));
    for n in 0.. {
        pace.tick().await;
        let name = AGENTS[n % AGENTS.len()];
        let message = format!("@{name} round {round}, number {n}");
        let mention = ChannelSend { message, to: Vec::new(), intent: None, reply_to: None };
        match channel.call(&mention).await {
            Ok(sent) => acknowledged.push((sent.id, name)),
            Err(_) => break,
        }
    }
    acknowledged
}

impl Load {
    /// Lets the daemon work under load for a while, then kills it.
    async fn crash(
        &self,
        home: &Home,
        daemon: Running,
        round: usize,
    ) -> Vec<(MessageId, &'static str)> {
        let (shortest, more) = self.life;
        let life = Duration::from_millis(shortest + (round as u64 * 377) % more);
        let sending = send_until_it_ends(home, round);
        let killing = async {
            tokio::time::sleep(life).await;
            daemon.kill();
        };
        tokio::join!(sending, killing).0
    }

    /// Crashes again and again, and gives what was acknowledged in all that time.
    fn lose_nothing(&self) -> BTreeMap<MessageId, &'static str> {
        let home = Home::with_config(CONFIG);
        let script = mock(&format!("- sleep: {}\n- say: \"\"", self.run));
        let mut acknowledged = BTreeMap::new();
        let daemon = block_on(async {
            let mut daemon = home.daemon();
            let mut team = Team::new("team", "");
            for name in AGENTS {
                team = team.agent(name, &script);
            }
            team.start(&home, &home.client(), Mode::Start).await;
            for round in 0..self.crashes {
                acknowledged.extend(self.crash(&home, daemon, round).await);
                home.assert_nobody_is_left();
                if round + 1 == self.crashes {
                    // What is left is handled undisturbed: in few runs, as nothing is lost then.
                    let config = CONFIG.replace("messages = 3", "messages = 100");
                    fs::write(home.path().join("config.toml"), config).unwrap();
                }
                daemon = home.daemon();
            }
            daemon
        });
        block_on(async {
            let client = home.client();
            wait_until_all_is_handled(&client).await;
            let ledger = home.assert_promises_kept().await;
            ledger.assert_handled(acknowledged.iter().map(|(id, name)| (id, *name)));
        });
        daemon.stop();
        home.assert_nobody_is_left();
        acknowledged
    }
}

async fn wait_until_all_is_handled(client: &Client) {
    let mut watch = Watch::now(client).await;
    while has_open_mail(client).await {
        watch.run_ended(|_| true).await;
    }
}

async fn has_open_mail(client: &Client) -> bool {
    for name in AGENTS {
        let target = target(&format!("{name}@team"));
        let inbox = Inbox { target, limit: Some(1), all: false, before: None };
        if client.call(&inbox).await.unwrap().count > 0 {
            return true;
        }
    }
    false
}

#[test]
fn twenty_crashes_under_load_lose_nothing() {
    let load = Load { crashes: 20, run: "900ms", life: (1000, 2000) };
    let acknowledged = load.lose_nothing();
    assert!(acknowledged.len() > 300, "{}", acknowledged.len());
}

#[test]
#[ignore = "long: kills the daemon 200 times"]
fn two_hundred_crashes_under_load_lose_nothing() {
    let load = Load { crashes: 200, run: "150ms", life: (200, 600) };
    let acknowledged = load.lose_nothing();
    assert!(acknowledged.len() > 500, "{}", acknowledged.len());
}

#[test]
fn a_workflow_goes_on_after_a_crash_and_ends() {
    let home = Home::new();
    let daemon = home.daemon();
    let run = block_on(async {
        let client = home.client();
        let script = "- do: [ { think: hm }, { sleep: 1s }, { say: done } ]\n";
        let team = Team::new("team", "@alice go").agent("alice", script);
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        watch.run_works("alice").await
    });
    daemon.kill();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::all(&client).await;
        let lost = watch.run_ended(|ended| ended.id == run.id).await;
        assert_eq!(lost.state, RunState::Lost);
        let again = watch.run_ended(|ended| ended.id != run.id).await;
        assert_eq!(again.state, RunState::Succeeded, "a turn of a lost run is played again");
        watch.workflow(WorkflowState::Completed).await;
        let inbox = Inbox { target: target("alice@team"), limit: None, all: true, before: None };
        let mail = client.call(&inbox).await.unwrap().messages;
        assert_eq!(mail[0].delivery.state, DeliveryState::Acked);
    });
}

/// The person follows a workflow, and the daemon dies: the command starts it again and goes on by
/// its cursor (§8).
#[test]
fn a_command_that_follows_starts_the_daemon_again_and_shows_everything_once() {
    let home = Home::with_config("[runs]\nstarts_after_restart = 100\n");
    let file = Team::new("team", "@alice begin")
        .agent(
            "alice",
            "- when: begin\n  do: [ { say: \"@bob go on\" } ]\n- do: [ { say: \"\" } ]\n",
        )
        .agent("bob", "- do: [ { think: hm }, { sleep: 1s }, { say: \"the last word\" } ]\n")
        .write(&home);
    let daemon = home.daemon();
    let command = home.start(&["run", &file]);
    block_on(async {
        let mut watch = Watch::all(&home.client()).await;
        watch.run_works("bob").await;
    });
    let first = home.daemon_file().unwrap().pid;
    daemon.kill();
    let finished = command.finish();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(finished.stdout.contains("completed: @team"), "{finished:?}");
    for said in ["@alice begin", "@bob go on", "the last word"] {
        assert_eq!(finished.stdout.matches(said).count(), 1, "{said}: {}", finished.stdout);
    }
    assert!(finished.stderr.contains("reconnected to the daemon"), "{finished:?}");
    let second = home.daemon_file().unwrap().pid;
    assert_ne!(first, second, "it is another daemon");
    home.ok(&["daemon", "stop"]);
    home.assert_nobody_is_left();
}

#[test]
fn a_command_that_follows_says_why_the_daemon_does_not_start_again() {
    let home = Home::new();
    home.is_damaged_on_purpose();
    let works = mock("- think: hm\n- sleep: 10m");
    let file = Team::new("team", "@alice begin").agent("alice", &works).write(&home);
    let daemon = home.daemon();
    let follow = |line: &[&str]| {
        let mut command = home.command(line);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut shown = Lines::of(child.stdout.take().unwrap());
        assert!(shown.next().is_some(), "{line:?} shows nothing");
        // A command whose reader has gone ends.
        (child, shown)
    };
    let run = follow(&["run", &file]);
    block_on(async { Watch::all(&home.client()).await.run_works("alice").await });
    let starts = [
        run,
        follow(&["peek", "@team", "--follow"]),
        follow(&["events", "--follow"]),
        follow(&["history", "alice@team", "--follow"]),
        follow(&["logs", "@team", "--follow"]),
    ];
    let waits = follow(&["status", "--watch"]);
    let other = home.write("other.db", &"Dear diary, today\n".repeat(1000));
    // The daemon ends by itself.
    fs::rename(other, home.path().join("agent-worker.db")).unwrap();
    let why = ["lost the daemon", "is not a database", "hint: agent-worker doctor"];
    let waited = ["lost the daemon", "no daemon is running", "hint: agent-worker daemon start"];
    let all = starts.into_iter().map(|child| (child, why)).chain([(waits, waited)]);
    for ((mut child, _shown), parts) in all {
        let mut told = Lines::of(child.stderr.take().unwrap());
        for part in parts {
            assert!(told.any(|line| line.contains(part)), "{part}");
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    drop(daemon);
}

#[test]
fn a_history_that_is_followed_tells_once_that_the_daemon_is_lost() {
    let home = Home::with_config("[runs]\nstarts_after_restart = 100\n");
    let works = mock("- think: hm\n- sleep: 10m");
    let file = Team::new("team", "@alice begin").agent("alice", &works).write(&home);
    let daemon = home.daemon();
    home.ok(&["start", &file, "-d"]);
    let mut command = home.command(&["history", "alice@team", "--follow"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut shown = Lines::of(child.stdout.take().unwrap());
    let is_at_work = |line: String| line.contains("hm");
    assert!(shown.any(is_at_work));
    daemon.kill();
    assert!(shown.any(is_at_work), "the next run is shown");
    child.kill().unwrap();
    child.wait().unwrap();
    let told: Vec<_> = Lines::of(child.stderr.take().unwrap()).collect();
    assert_eq!(told.iter().filter(|line| line.contains("lost the daemon")).count(), 1, "{told:?}");
    assert_eq!(told.last().unwrap(), "reconnected to the daemon", "{told:?}");
}
