//! §5, §6: many runs with crashes and hangs leave no process, and of each message it is certain
//! what became of it.

use std::collections::BTreeMap;

use agent_worker_client::Client;
use agent_worker_process::Process;
use agent_worker_protocol::{
    ChannelSend, Delivery, DeliveryState, EventBody, FailureClass, MessageId, Mode,
};

use crate::support::{Home, Team, Watch, block_on, within};

const CONFIG: &str = "[runs]\nmax_runs = 8\nretry_delay = \"10ms\"\nretry_factor = 1\n\
    heartbeat = \"100ms\"\nheartbeat_lost = \"4s\"\nidle = \"5s\"\nkill_grace = \"3s\"\n\
    crash_loop_runs = 1000000\n[inbox]\nmessages = 1\n[guard]\nruns = 1000000\n";

/// A way to end, how many of twenty-five runs' worth of messages end so, and what is expected.
struct Way {
    name: &'static str,
    steps: &'static str,
    messages: usize,
    state: DeliveryState,
    attempts: i64,
    class: Option<FailureClass>,
}

const fn way(name: &'static str, steps: &'static str, messages: usize) -> Way {
    let (state, class) = (DeliveryState::Dead, Some(FailureClass::Transient));
    Way { name, steps, messages, state, attempts: 3, class }
}

/// Together fifty-nine runs.
const WAYS: [Way; 9] = [
    Way {
        state: DeliveryState::Acked,
        attempts: 1,
        class: None,
        ..way("fine", "{ say: done }", 20)
    },
    // The first attempt is killed from below.
    Way {
        state: DeliveryState::Acked,
        attempts: 2,
        class: None,
        ..way(
            "shaky",
            "{ shell: \"[ -e ${{ match.n }} ] || { touch ${{ match.n }}; kill -9 $PPID; sleep 60; }\" }",
            5,
        )
    },
    way("crash", "{ fail: crash }", 2),
    way("exit", "{ fail: exit 3 }", 2),
    way("silent", "{ fail: silent }", 2),
    way("garbage", "{ fail: garbage }", 1),
    way("flood", "{ fail: flood 400KiB }", 1),
    way("stopped", "{ shell: \"kill -STOP $PPID; sleep 60\" }", 1),
    Way { attempts: 2, class: Some(FailureClass::TimedOut), ..way("hang", "{ fail: hang }", 1) },
];

const RUNS: usize = 59;

const AGENTS: usize = 12;

/// Whatever a run does, it leaves something behind.
const LEAVE: &str =
    "{ shell: \"sleep 340 & setsid sleep 341 & (setsid sh -c 'sleep 342 &' &); : \" }";

fn script() -> String {
    let turns = WAYS.iter().map(|way| {
        let Way { name, steps, .. } = way;
        format!("- {{ when: '{name} (?<n>\\d+)', times: 0, do: [ {LEAVE}, {steps} ] }}\n")
    });
    turns.collect()
}

async fn start(home: &Home, client: &Client) {
    let script = script();
    let mut team = Team::new("crowd", "");
    for n in 0..AGENTS {
        team = team.agent(&format!("agent-{n}"), &script);
    }
    team.start(home, client, Mode::Start).await;
}

/// Sends all messages, and gives which way each is to go.
async fn send(client: &Client, times: usize) -> BTreeMap<MessageId, &'static Way> {
    let channel = client.at("@crowd".parse().unwrap());
    let each = WAYS.iter().flat_map(|way| std::iter::repeat_n(way, way.messages));
    let all: Vec<_> = (0..times).flat_map(|_| each.clone()).collect();
    let mut sent = BTreeMap::new();
    for (n, way) in all.into_iter().enumerate() {
        let message = format!("@agent-{} {} {n}", n % AGENTS, way.name);
        let mention = ChannelSend { message, to: Vec::new(), intent: None, reply_to: None };
        sent.insert(channel.call(&mention).await.unwrap().id, way);
    }
    sent
}

/// What the feed told of a message.
#[derive(Debug, Default)]
struct Told {
    last: Option<Delivery>,
    acks: usize,
    runs: usize,
    last_class: Option<FailureClass>,
}

/// Follows the feed until all messages have come to their end.
async fn follow(
    watch: &mut Watch,
    sent: &BTreeMap<MessageId, &'static Way>,
) -> BTreeMap<MessageId, Told> {
    let mut told: BTreeMap<MessageId, Told> = BTreeMap::new();
    let mut open = sent.len();
    let mut live = 0_usize;
    while open > 0 || live > 0 {
        match within("something happens", watch.event()).await.body {
            EventBody::DeliveryChanged(delivery) if sent.contains_key(&delivery.message) => {
                let entry = told.entry(delivery.message).or_default();
                let is_over = matches!(delivery.state, DeliveryState::Acked | DeliveryState::Dead);
                open -= usize::from(is_over);
                entry.acks += usize::from(delivery.state == DeliveryState::Acked);
                entry.last = Some(*delivery);
            }
            EventBody::RunChanged(run)
                if run.cause.is_some_and(|cause| sent.contains_key(&cause)) =>
            {
                let entry = told.entry(run.cause.unwrap()).or_default();
                let attempt = usize::try_from(run.attempt).unwrap();
                live += attempt.saturating_sub(entry.runs);
                entry.runs = entry.runs.max(attempt);
                if !run.state.is_live() {
                    live -= 1;
                    entry.last_class = run.class;
                }
            }
            _ => {}
        }
    }
    told
}

fn descriptors(pid: u32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count()
}

/// Runs `times` times fifty-nine runs, which end in all ways.
fn play(times: usize) {
    let home = Home::with_config(CONFIG);
    let _daemon = home.daemon();
    let pid = home.daemon_file().unwrap().pid;
    block_on(async {
        let client = home.client();
        start(&home, &client).await;
        let mut watch = Watch::now(&client).await;
        let before = descriptors(pid);
        let sent = send(&client, times).await;
        let told = follow(&mut watch, &sent).await;
        for (id, way) in &sent {
            let (name, told) = (way.name, &told[id]);
            let last = told.last.as_ref().unwrap();
            assert_eq!((last.state, last.attempts), (way.state, way.attempts), "{name}: {told:?}");
            assert_eq!(told.last_class, way.class, "{name}: {told:?}");
            assert_eq!(told.acks, usize::from(way.state == DeliveryState::Acked), "{name}");
        }
        assert_eq!(told.values().map(|told| told.runs).sum::<usize>(), RUNS * times);
        home.assert_only_the_daemon_is_left();
        let daemon = Process::of(i32::try_from(pid).unwrap()).unwrap();
        assert_eq!((daemon.descendants(), daemon.ended_children()), (Vec::new(), Vec::new()));
        let grown = descriptors(pid).saturating_sub(before);
        assert!(grown < 10, "{grown} descriptors more");
    });
}

#[test]
fn sixty_runs_with_crashes_and_hangs_leave_nothing() {
    play(1);
}

#[test]
#[ignore = "long: a thousand runs"]
fn a_thousand_runs_with_crashes_and_hangs_leave_nothing() {
    play(17);
}
