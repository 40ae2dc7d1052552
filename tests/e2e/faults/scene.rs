//! A small team whose daemon dies under it, and what must hold of it afterwards.

use agent_worker_client::{Client, ClientError, fresh_key};
use agent_worker_protocol::{EventBody, MemberKind, Message, Mode, WorkflowState};
use rustix::process::Signal;

use crate::support::{Home, Ledger, Running, Team, Watch, block_on};

const CONFIG: &str = "[runs]\nretry_delay = \"20ms\"\nkill_grace = \"1s\"\nstop_grace = \"2s\"\n\
    starts_after_restart = 100\nlost_limit = 100\n";

/// A team with a setup, in which one asks the other, and the other answers.
pub struct Scene {
    pub home: Home,
    team: Team,
}

/// Waits for the end of a daemon that aborted.
pub fn assert_it_died(mut daemon: Running) {
    let status = daemon.wait();
    assert_aborted(status);
}

fn assert_aborted(status: std::process::ExitStatus) {
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    assert_eq!(signal, Some(Signal::ABORT.as_raw()), "{status:?}");
}

const ASKS: &str = r#"
- when: "begin"
  times: 0
  do:
    - think: "hm"
    - call: team_doc_append
      with: { content: "a line" }
    - call: channel_send
      with: { message: "@bob ping" }
    - say: ""
- times: 0
  do: [ { say: "" } ]
"#;

impl Scene {
    /// A team that gets along.
    pub fn new() -> Self {
        Self::with(CONFIG, "- times: 0\n  do: [ { think: hm }, { sleep: 100ms }, { say: pong } ]\n")
    }

    /// A team whose agent bob does nothing the first time.
    pub fn stalling() -> Self {
        let config = format!("{CONFIG}idle = \"1s\"\n");
        let script = "- do: [ { fail: hang } ]\n- times: 0\n  do: [ { say: pong } ]\n";
        Self::with(&config, script)
    }

    fn with(config: &str, bob: &str) -> Self {
        let team = Team::new("team", "@alice ${{ said }}")
            .with("setup: [ { shell: \"sleep 0.05; echo begin\", as: said } ]")
            .agent("alice", ASKS)
            .agent("bob", bob);
        Self { home: Home::with_config(config), team }
    }

    /// The daemon dies at a point while the team works, and the work goes on to its end. False if
    /// it was done before it came so far.
    pub fn stops_at_work(&self, points: &str) -> bool {
        let key = fresh_key();
        let mut daemon = self.home.failing_daemon(points);
        if daemon.first_line().starts_with("ready") {
            block_on(self.plays(&key, &daemon));
            daemon.tell_to_end();
            if daemon.wait().success() {
                return false;
            }
        }
        assert_it_died(daemon);
        self.goes_on(&key);
        true
    }

    /// The daemon is killed while a run is at work. Gives the key of the start.
    pub fn crashes_in_a_run(&self) -> String {
        let key = fresh_key();
        let daemon = self.home.daemon();
        block_on(self.comes_to_bob(&key));
        daemon.kill();
        key
    }

    /// The daemon is told to end while a run is at work, and dies at a point of that.
    pub fn dies_while_it_ends(&self, points: &str) {
        let key = fresh_key();
        let mut daemon = self.home.failing_daemon(points);
        assert!(daemon.first_line().starts_with("ready"));
        block_on(self.comes_to_bob(&key));
        daemon.tell_to_end();
        assert_it_died(daemon);
        self.goes_on(&key);
    }

    /// After a death nothing is left, and a new daemon brings the team to its end.
    pub fn goes_on(&self, key: &str) {
        self.home.assert_nobody_is_left();
        let daemon = self.home.daemon();
        block_on(async {
            let client = self.home.client();
            // A client without an answer asks again, and is told what was started, if anything was.
            self.start(&client, key).await.expect("it is started once");
            let mut watch = Watch::all(&client).await;
            let newest = client.snapshot().await.unwrap().seq;
            if self.end(&mut watch, newest).await == WorkflowState::Failed {
                // A crash in a setup leaves `failed`, and no message of a start (§8).
                assert!(Ledger::read(&client).await.messages.is_empty());
                self.start(&client, &fresh_key()).await.expect("it begins anew");
                watch.workflow(WorkflowState::Completed).await;
            }
            let ledger = self.home.assert_promises_kept().await;
            let is_kickoff = |message: &&Message| message.sender_kind == MemberKind::Person;
            let kickoffs = ledger.messages.values().filter(is_kickoff);
            assert_eq!(kickoffs.count(), 1, "{:?}", ledger.messages);
        });
        daemon.stop();
        self.home.assert_nobody_is_left();
    }

    async fn start(&self, client: &Client, key: &str) -> Result<(), ClientError> {
        let start = self.team.to_start(&self.home, Mode::Run);
        client.call_with_key(&start, key).await.map(drop)
    }

    /// Plays until the workflow has ended, or the daemon.
    async fn plays(&self, key: &str, daemon: &Running) {
        let client = self.home.client();
        let play = async {
            let mut watch = Watch::now(&client).await;
            if self.start(&client, key).await.is_ok() {
                watch.workflow(WorkflowState::Completed).await;
            }
        };
        tokio::select! {
            () = play => {}
            () = daemon.ended() => {}
        }
    }

    /// Plays until the second agent is at work.
    async fn comes_to_bob(&self, key: &str) {
        let client = self.home.client();
        let mut watch = Watch::now(&client).await;
        self.start(&client, key).await.expect("it starts");
        watch.run_works("bob").await;
    }

    /// How the workflow has ended, by the end of the feed or after it.
    async fn end(&self, watch: &mut Watch, newest: i64) -> WorkflowState {
        let mut state = None;
        watch
            .wait("the workflow ends", |event| {
                if let EventBody::WorkflowChanged(workflow) = &event.body
                    && workflow.name.as_str() == "team"
                {
                    state = Some(workflow.state);
                }
                state.filter(|state| event.seq >= newest && !state.is_live())
            })
            .await
    }
}
