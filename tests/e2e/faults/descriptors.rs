//! No descriptors or threads are left: connections and runs wait, and no run fails for it (§§5, 6).

use std::{fs, io::Read as _, net::TcpStream};

use agent_worker_protocol::{
    AgentShow, ChannelSend, DeliveryState, FailureClass, Inbox, Mode, RunState, Target, Wanted,
    WorkflowState,
};
use rustix::process::{Pid, Resource, Rlimit, prlimit};

use super::inject::Inject;
use crate::support::{DEADLINE, Home, Running, Team, block_on, mock, wait_until};

/// As long as this is there, a process gets no further descriptor.
struct Exhausted {
    pid: Pid,
    before: Rlimit,
}

impl Exhausted {
    /// Leaves the daemon `more` free descriptors.
    fn but_for(daemon: &Running, more: u64) -> Self {
        let folder = format!("/proc/{}/fd", daemon.number());
        let is_free = |number: &u64| !fs::exists(format!("{folder}/{number}")).unwrap();
        let first = (0..1 << 20).find(is_free).expect("some number is free");
        let pid = daemon.pid();
        let mut limit = rustix::process::getrlimit(Resource::Nofile);
        limit.current = Some(first + more);
        let before = prlimit(Some(pid), Resource::Nofile, limit).unwrap();
        Self { pid, before }
    }
}

impl Drop for Exhausted {
    fn drop(&mut self) {
        prlimit(Some(self.pid), Resource::Nofile, self.before).unwrap();
    }
}

#[test]
fn a_run_that_finds_no_descriptor_waits_and_nobody_is_blamed() {
    let home =
        Home::with_config("[runs]\nunavailable_delay = \"200ms\"\nunavailable_max = \"300ms\"\n");
    let daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let team = Team::new("team", "").agent("alice", &mock("- say: done"));
        let mut watch = team.watched(&home, &client, Mode::Start).await;
        watch.workflow(WorkflowState::Running).await;
        let exhausted = Exhausted::but_for(&daemon, 0);
        let channel = client.at("@team".parse::<Target>().unwrap());
        let message = "@alice go".to_owned();
        channel
            .call(&ChannelSend { message, to: Vec::new(), intent: None, reply_to: None })
            .await
            .unwrap();
        // More than the three attempts that mail has, and more than the five of a crash loop.
        for _ in 0..7 {
            let run = watch.run_ended(|_| true).await;
            assert_eq!(run.state, RunState::Failed, "{run:?}");
            assert_eq!(run.class, Some(FailureClass::Unavailable), "{run:?}");
            assert!(run.error.as_ref().unwrap().contains("open files"), "{run:?}");
        }
        let target: Target = "alice@team".parse().unwrap();
        let alice = client.call(&AgentShow { target: target.clone() }).await.unwrap();
        assert_eq!(alice.agent.wanted, Wanted::Active);
        drop(exhausted);
        watch.run_ended(|run| run.state == RunState::Succeeded).await;
        let inbox = Inbox { target, limit: None, all: true, before: None };
        let mail = client.call(&inbox).await.unwrap().messages;
        assert_eq!(mail[0].delivery.state, DeliveryState::Acked);
        home.assert_promises_kept().await;
    });
    daemon.stop();
}

#[test]
fn a_daemon_without_descriptors_lets_connections_wait_and_does_not_spin() {
    let home = Home::with_config("[http]\nheader_timeout = \"4s\"\n");
    let daemon = home.daemon();
    let address = {
        let file = home.daemon_file().unwrap();
        (file.host, file.port)
    };
    let before = processor_time(&daemon);
    let exhausted = Exhausted::but_for(&daemon, 4);
    // They say nothing, and are given up after a while; until then they have all there is.
    let mut silent: Vec<_> =
        (0..20).map(|_| TcpStream::connect((address.0.as_str(), address.1)).unwrap()).collect();
    let log = || fs::read_to_string(home.path().join("daemon.log")).unwrap();
    wait_until("no connection is taken", || log().contains("accepting a connection"));
    // Until the first is given up, twenty times a second is looked whether there is room.
    silent[0].set_read_timeout(Some(DEADLINE)).unwrap();
    let mut answer = Vec::new();
    silent[0].read_to_end(&mut answer).unwrap();
    let waiting = home.start(&["send", "@global", "--no-start", "hello"]);
    drop(silent);
    let finished = waiting.finish();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    drop(exhausted);
    home.ok(&["send", "@global", "--no-start", "hello again"]);
    // At most once for each connection, the few of the commands too, and not for each look.
    assert!(log().matches("accepting a connection").count() <= 40, "{}", log());
    let used = processor_time(&daemon) - before;
    assert!(used < 200, "{used} ticks of a hundredth of a second");
    daemon.stop();
}

#[test]
fn a_run_ends_though_the_system_gives_no_thread() {
    let test = "a_run_ends_though_the_system_gives_no_thread";
    let home = Home::new();
    let daemon = home.daemon();
    block_on(async {
        let client = home.client();
        // Longer than the runtime keeps threads without work, unless told otherwise.
        let works = mock("- sleep: 11s\n- say: done");
        let team = Team::new("team", "@alice go").agent("alice", &works);
        let mut watch = team.watched(&home, &client, Mode::Start).await;
        watch.run_works("alice").await;
        let failing = Some(("clone,clone3", "EAGAIN"));
        let Some(inject) = Inject::attach(test, daemon.number(), failing) else { return };
        let run = watch.run_ended(|_| true).await;
        assert_eq!(run.state, RunState::Succeeded, "{run:?}");
        drop(inject);
    });
    daemon.stop();
}

/// In hundredths of a second, all its threads.
fn processor_time(daemon: &Running) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", daemon.number())).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11..13].iter().map(|field| field.parse::<u64>().unwrap()).sum()
}
