//! Many readers of the feed at once, cut again and again, and a client that does not read: each
//! reader sees every event once and in order (§12).

mod raw;

use agent_worker_client::Client;
use agent_worker_protocol::{ChannelSend, DaemonFile, Mode, Snapshot, Target, WorkflowState};
use raw::{Line, Raw};
use rusqlite::Connection;
use tokio::{sync::watch, task::JoinSet};

use crate::support::{Chance, Home, Running, Team, Watch, block_on, mock, within};

const READERS: u64 = 100;

/// The place of the last event, once it is known.
type Newest = watch::Receiver<Option<i64>>;

/// What one reader has seen: the ids, in the order in which they came.
#[derive(Debug, Default)]
struct Seen {
    ids: Vec<String>,
    /// From where it goes on over a new connection
    last: Option<String>,
}

fn place(id: &str) -> i64 {
    id.rsplit('-').next().unwrap().parse().unwrap()
}

impl Seen {
    fn note(&mut self, line: Line) {
        match (line.name.as_str(), line.id) {
            ("hello", Some(id)) => self.last = Some(id),
            ("heartbeat", None) => {}
            ("reset", _) => panic!("after {:?}: {}", self.last, line.data),
            (_, Some(id)) => {
                let is_of_its_id = line.data.starts_with(&format!("{{\"seq\":{},", place(&id)));
                assert!(is_of_its_id, "{id}: {}", line.data);
                self.last = Some(id.clone());
                self.ids.push(id);
            }
            (name, None) => panic!("`{name}` has no id: {}", line.data),
        }
    }

    fn is_at(&self, newest: Option<i64>) -> bool {
        newest.is_some_and(|newest| self.last.as_ref().is_some_and(|id| place(id) >= newest))
    }

    /// Reads until as many bytes have come as may, or the newest event.
    async fn read(&mut self, from: &mut Raw, most: usize, newest: &mut Newest) {
        loop {
            tokio::select! {
                line = from.next(most) => match line {
                    Some(line) => self.note(line),
                    None => return,
                },
                known = newest.wait_for(|newest| self.is_at(*newest)) => {
                    known.expect("somebody knows");
                    return;
                }
            }
        }
    }
}

/// Follows the feed over one connection after the other, each cut after as many bytes as chance
/// has it, until the newest event is seen.
async fn follow_cut(file: DaemonFile, mut chance: Chance, mut newest: Newest) -> Seen {
    let mut seen = Seen::default();
    while !seen.is_at(*newest.borrow()) {
        let mut raw = Raw::open(&file, seen.last.as_deref(), None).await;
        seen.read(&mut raw, chance.amount(), &mut newest).await;
        if chance.below(2) == 0 {
            raw.reset();
        }
    }
    seen
}

/// The ids of the events as they are stored, once the daemon has ended.
fn stored(home: &Home, daemon: Running, newest: i64) -> Vec<String> {
    daemon.stop();
    let conn = Connection::open(home.path().join("agent-worker.db")).unwrap();
    let sql = "SELECT s.value || '-' || e.seq FROM events AS e, daemon_state AS s
               WHERE s.key = 'epoch' AND e.seq <= ?1 ORDER BY e.seq";
    let mut statement = conn.prepare(sql).unwrap();
    let ids = statement.query_map([newest], |row| row.get(0)).unwrap();
    ids.map(Result::unwrap).collect()
}

#[track_caller]
fn assert_saw_all(who: &str, seen: &Seen, stored: &[String]) {
    let same = seen.ids.iter().zip(stored).take_while(|(seen, stored)| seen == stored).count();
    assert!(
        same == stored.len() && same == seen.ids.len(),
        "{who} saw {} of {} events: {:?} where {:?} is stored",
        seen.ids.len(),
        stored.len(),
        seen.ids.get(same),
        stored.get(same)
    );
}

async fn send(client: &Client, message: String) {
    client
        .call(&ChannelSend { message, to: Vec::new(), intent: None, reply_to: None })
        .await
        .unwrap();
}

/// Messages of four senders at once; some of them start runs.
async fn load(channel: &Client) {
    let from = async |sender: usize| {
        for n in 0..30 {
            let name = ["", "", "", "", "@alice ", "", "", "", "", "@bob "][n % 10];
            send(channel, format!("{name}message {n} of {sender}: {}", "x".repeat(30 * n))).await;
        }
    };
    tokio::join!(from(0), from(1), from(2), from(3));
}

/// Waits until all work is done, and so nothing more is told.
async fn rest(client: &Client, watch: &mut Watch) -> Snapshot {
    within("all is done", async {
        loop {
            let snapshot = client.snapshot().await.unwrap();
            let is_done = |state| state == WorkflowState::Completed;
            if snapshot.workflows.iter().any(|workflow| is_done(workflow.state)) {
                return snapshot;
            }
            watch.event().await;
        }
    })
    .await
}

#[test]
fn a_hundred_readers_that_are_cut_at_random_see_every_stored_event_once_and_in_order() {
    const SEED: u64 = 20_261;
    let home = Home::new();
    let daemon = home.daemon();
    let file = home.daemon_file().unwrap();
    let (readers, newest) = block_on(async {
        let client = home.client();
        let (tell, newest) = watch::channel(None);
        let mut readers = JoinSet::new();
        for n in 0..READERS {
            let reader = follow_cut(file.clone(), Chance::new(SEED + n), newest.clone());
            readers.spawn(reader);
        }
        let mut watch = Watch::now(&client).await;
        let script = mock("- think: hm\n- say: done");
        let team = Team::new("team", "@alice @bob go").agent("alice", &script);
        team.agent("bob", &script).start(&home, &client, Mode::Run).await;
        load(&client.at("@team".parse::<Target>().unwrap())).await;
        let newest = rest(&client, &mut watch).await.seq;
        tell.send_replace(Some(newest));
        (within("every reader comes to the end", readers.join_all()).await, newest)
    });
    let stored = stored(&home, daemon, newest);
    assert!(stored.len() > 180, "{}", stored.len());
    assert_eq!(readers.len() as u64, READERS);
    for seen in readers {
        assert_saw_all(&format!("a reader (seed {SEED})"), &seen, &stored);
    }
}

#[test]
fn a_reader_that_does_not_read_holds_nobody_up_and_sees_all_when_it_reads_on() {
    /// All that it is not reading is more than the system keeps for a connection.
    const MESSAGES: usize = 80;
    const LENGTH: usize = 100_000;
    let home = Home::with_config("[messages]\nlong_chars = 200000\n");
    let daemon = home.daemon();
    let file = home.daemon_file().unwrap();
    let (slow, others, newest) = block_on(async {
        let client = home.client();
        let (tell, mut newest) = watch::channel(None);
        let mut raw = Raw::open(&file, None, Some(4096)).await;
        let mut slow = Seen::default();
        slow.note(raw.next(usize::MAX).await.unwrap());
        let mut others = JoinSet::new();
        for _ in 0..2 {
            let (file, mut newest) = (file.clone(), newest.clone());
            others.spawn(async move {
                let (mut raw, mut seen) = (Raw::open(&file, None, None).await, Seen::default());
                seen.read(&mut raw, usize::MAX, &mut newest).await;
                seen
            });
        }
        for n in 0..MESSAGES {
            send(&client, format!("{n} {}", "x".repeat(LENGTH))).await;
        }
        let seq = client.snapshot().await.unwrap().seq;
        tell.send_replace(Some(seq));
        let others = within("the others see all", others.join_all()).await;
        assert_eq!(slow.ids, [""; 0], "it has read its greeting alone");
        within("it catches up", slow.read(&mut raw, usize::MAX, &mut newest)).await;
        assert!(raw.count > MESSAGES * LENGTH);
        (slow, others, seq)
    });
    let stored = stored(&home, daemon, newest);
    assert_saw_all("the slow reader", &slow, &stored);
    for seen in others {
        assert_saw_all("another reader", &seen, &stored);
    }
}

/// What a reader is told from now on, up to an event: each place at which it was told that
/// something is gone, and where it goes on. All else follows without a gap.
async fn resets(raw: &mut Raw, mut last: i64, newest: i64) -> Vec<(i64, i64)> {
    let mut resets = Vec::new();
    while last < newest {
        let line = raw.next(usize::MAX).await.expect("it goes on");
        let Some(id) = line.id else {
            assert_eq!(line.name, "heartbeat");
            continue;
        };
        match line.name.as_str() {
            "reset" => resets.push((last, place(&id))),
            name => assert_eq!(place(&id), last + 1, "{name}"),
        }
        last = place(&id);
    }
    resets
}

#[test]
fn a_reader_so_slow_that_what_follows_is_gone_is_told_so_in_the_middle_and_goes_on() {
    const MESSAGES: usize = 120;
    const LENGTH: usize = 100_000;
    let home = Home::with_config(
        "[messages]\nlong_chars = 200000\n[feed]\nkeep = \"1ms\"\nkeep_events = 5\n[runs]\nsweep = \"20ms\"\n",
    );
    let daemon = home.daemon();
    let file = home.daemon_file().unwrap();
    block_on(within("it goes on", async {
        let client = home.client();
        let mut slow = Raw::open(&file, None, Some(4096)).await;
        let greeting = slow.next(usize::MAX).await.unwrap().id.expect("it names a place");
        for n in 0..MESSAGES {
            send(&client, format!("{n} {}", "x".repeat(LENGTH))).await;
        }
        // Others who were there as early are told so at once.
        while Raw::open(&file, Some(&greeting), None).await.next(usize::MAX).await.unwrap().name
            != "reset"
        {}
        let newest = client.snapshot().await.unwrap().seq;
        let told = resets(&mut slow, place(&greeting), newest).await;
        let [(last, next)] = told[..] else { panic!("{told:?}") };
        assert!(last > place(&greeting) && next > last + 1, "in the middle: {told:?}");
        send(&client, "and on".to_owned()).await;
        assert_eq!(resets(&mut slow, newest, newest + 1).await, []);
        // A cut behind the reset costs nothing more.
        let id = greeting.replace(&format!("-{}", place(&greeting)), &format!("-{newest}"));
        let mut again = Raw::open(&file, Some(&id), None).await;
        assert_eq!(again.next(usize::MAX).await.unwrap().name, "hello");
        assert_eq!(resets(&mut again, newest, newest + 1).await, []);
    }));
    daemon.stop();
}
