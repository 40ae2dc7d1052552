//! The cost of each step of a run on the writer's thread: CPU time and statements.

use std::{collections::BTreeMap, sync::Arc, thread, time::Duration};

use agent_worker_daemon::testing::{
    Backlog, Clock, Credential, Cx, Ended, OpError, Run, Settings, Store, Surroundings, claim,
    finish, note_block, note_start, recover, statements,
};
use agent_worker_protocol::{
    AgentCreate, ChannelSend, ContextTake, MessageId, MyInbox, MyInboxAck, MyStatusSet, RunId,
};
use serde_json::json;

use super::{sends::operator, table::print, thread::Thread};

/// How many agents have work at the same time.
const AGENTS: usize = 64;
const ROUNDS: usize = 16;

/// What a model writes in a few lines.
const BLOCK: &str = "The change is small and does what it says. Two tests are missing: one for an \
                     empty list, and one for a name that is longer than the limit. I have left a \
                     comment at both places, and would merge it once they are there.";

type Work<T> = Box<dyn FnMut(&mut Cx<'_>) -> Result<T, OpError> + Send>;
type Job<T> = (Credential, Work<T>);

/// How the jobs of a step reach the writer.
#[derive(Clone, Copy)]
enum Way {
    /// Each in its own transaction
    Alone,
    /// In as few transactions as possible
    Together,
}

/// What the calls of one step took.
#[derive(Default)]
struct Cost {
    calls: usize,
    statements: u64,
    cpu: Duration,
}

impl Cost {
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    fn micros(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / self.calls as f64
    }

    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    fn statements(&self) -> f64 {
        self.statements as f64 / self.calls as f64
    }
}

/// A database whose writer is watched.
struct Bench {
    store: Store,
    writer: Thread,
    costs: BTreeMap<(usize, &'static str), Cost>,
    tokens: u64,
    _folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let settings = "[guard]\nruns = 100000000\n[runs]\nmax_runs = 1000\n";
        let settings = Arc::new(Settings::with(settings).expect("they are right"));
        let folder = tempfile::tempdir().expect("a temporary folder");
        let around = Surroundings::new(Clock::System, settings);
        let opened = Store::open(&folder.path().join("steps.db"), around);
        let (store, _) = opened.expect("it opens");
        let begin = |cx: &mut Cx<'_>| recover::begin(cx, "epoch");
        store.blocking_write(Credential::Daemon, begin).expect("it begins");
        for n in 0..AGENTS {
            let json = json!({ "name": name(n), "backend": "mock" });
            let create: AgentCreate = serde_json::from_value(json).expect("it fits");
            store.blocking_write(operator(), move |cx| create.run(cx)).expect("it is made");
        }
        let here = |_: &mut Cx<'_>| Ok(Thread::here());
        let writer = store.blocking_write(Credential::Daemon, here).expect("it has a thread");
        Self { store, writer, costs: BTreeMap::new(), tokens: 0, _folder: folder }
    }

    fn statements(&self) -> u64 {
        let look = self.store.blocking_write(Credential::Daemon, |_| Ok(statements()));
        look.expect("it counts")
    }

    /// The CPU time of the writer's thread, which Linux tells once the thread waits.
    fn cpu(&self) -> Duration {
        thread::park_timeout(Duration::from_millis(2));
        self.writer.cpu()
    }

    /// Does the jobs of one step.
    fn step<T: Send + 'static>(
        &mut self,
        way: Way,
        step: (usize, &'static str),
        jobs: Vec<Job<T>>,
    ) -> Vec<T> {
        let calls = jobs.len();
        let (statements, cpu) = (self.statements(), self.cpu());
        let submit = |(credential, work): Job<T>| self.store.submit(credential, work);
        let jobs = jobs.into_iter().map(|job| submit(job).expect("it is taken"));
        let answered = |answer: Answer<T>| answer.blocking_recv().expect("answered").expect("done");
        let done: Vec<T> = match way {
            Way::Alone => jobs.map(answered).collect(),
            Way::Together => jobs.collect::<Vec<_>>().into_iter().map(answered).collect(),
        };
        let cpu = self.cpu().saturating_sub(cpu);
        let statements = self.statements() - statements;
        let cost = self.costs.entry(step).or_default();
        cost.calls += calls;
        cost.statements += statements;
        cost.cpu += cpu;
        done
    }

    /// Starts a run of each agent, and gives its token and its number.
    fn claims(&mut self, way: Way) -> Vec<([u8; 32], RunId)> {
        let backlog = Backlog { until: 0, is_open: true };
        let mut tokens = Vec::new();
        let claims = (0..AGENTS).map(|_| {
            self.tokens += 1;
            let mut token = [0; 32];
            token[..8].copy_from_slice(&self.tokens.to_le_bytes());
            tokens.push(token);
            daemon(move |cx| {
                let claimed = claim::claim(cx, &token, backlog)?.expect("there is work");
                Ok(claimed.run.id)
            })
        });
        let claims = claims.collect();
        let ids = self.step(way, (1, "claim"), claims);
        tokens.into_iter().zip(ids).collect()
    }

    /// Each agent gets a message and handles it.
    fn round(&mut self, way: Way) {
        let text = |n| format!("@{} a message of about the length that agents send", name(n));
        let send =
            |n| ChannelSend { message: text(n), to: Vec::new(), intent: None, reply_to: None };
        let sends = (0..AGENTS).map(|n| (operator(), of_op(send(n)))).collect();
        self.step(way, (0, "send"), sends);
        let runs = self.claims(way);
        let ids: Vec<RunId> = runs.iter().map(|(_, id)| *id).collect();
        let start = |&id: &RunId| daemon(move |cx| note_start(cx, id));
        self.step(way, (2, "first sign of life"), ids.iter().map(start).collect());
        let take =
            |(token, id): &([u8; 32], RunId)| (by_run(*token), of_op(ContextTake { id: *id }));
        self.step(way, (3, "context"), runs.iter().map(take).collect());
        let read = |(token, _): &([u8; 32], RunId)| (by_run(*token), of_op(MyInbox::default()));
        let inboxes = self.step(way, (4, "my_inbox"), runs.iter().map(read).collect());
        let status = MyStatusSet { state: Some("reviewing".to_owned()), task: None };
        let status = |(token, _): &([u8; 32], RunId)| (by_run(*token), of_op(status.clone()));
        self.step(way, (5, "my_status_set"), runs.iter().map(status).collect());
        let block = |&id: &RunId| daemon(move |cx| note_block(cx, id, BLOCK));
        self.step(way, (6, "transcript block"), ids.iter().map(block).collect());
        let last = |page: &agent_worker_protocol::InboxPage| {
            page.messages.last().expect("it has mail").message.id
        };
        let acks = runs.iter().zip(inboxes.iter().map(last));
        let ack = |((token, _), until): (&([u8; 32], RunId), MessageId)| {
            (by_run(*token), of_op(MyInboxAck { until }))
        };
        self.step(way, (7, "my_inbox_ack"), acks.map(ack).collect());
        let finish = |&id: &RunId| daemon(move |cx| finish::finish(cx, id, &Ended::succeeded("")));
        self.step(way, (8, "finish"), ids.iter().map(finish).collect());
    }
}

type Answer<T> = tokio::sync::oneshot::Receiver<Result<T, OpError>>;

fn name(n: usize) -> String {
    format!("agent-{n}")
}

fn by_run(token_hash: [u8; 32]) -> Credential {
    Credential::Run { token_hash, target: None, agent: None }
}

fn of_op<O: Run + Send + 'static>(op: O) -> Work<O::Output> {
    Box::new(move |cx| op.run(cx))
}

fn daemon<T>(work: impl FnMut(&mut Cx<'_>) -> Result<T, OpError> + Send + 'static) -> Job<T> {
    (Credential::Daemon, Box::new(work))
}

pub fn run() {
    let [alone, together] = [Way::Alone, Way::Together].map(|way| {
        let mut bench = Bench::new();
        bench.round(way);
        bench.costs.clear();
        (0..ROUNDS).for_each(|_| bench.round(way));
        bench.costs
    });
    let row = |(step, alone): (&(usize, &'static str), &Cost)| {
        let together = &together[step];
        vec![
            step.1.to_owned(),
            format!("{:.0}", alone.micros()),
            format!("{:.0}", together.micros()),
            format!("{:.1}", alone.statements()),
        ]
    };
    print(
        &format!("What each step of a run takes on the writer's thread, {AGENTS} agents with work"),
        &["step", "µs alone", "µs in a group", "statements"],
        &alone.iter().map(row).collect::<Vec<_>>(),
    );
}
