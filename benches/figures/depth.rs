//! `my_inbox` and claims with a million messages against a thousand.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use agent_worker_daemon::{
    clock::Clock,
    ops::{
        Credential, Cx, OpError, Run,
        claim::{self, Backlog},
        finish::{self, Ended},
        recover,
    },
    settings::Settings,
    store::{Store, Surroundings},
};
use agent_worker_protocol::{
    agent::AgentCreate, channel::ChannelSend, inbox::MyInbox, target::Scope,
};
use serde_json::json;

use super::table::{ms, percentile, print};

const MEASURED: usize = 500;

struct Deep {
    store: Store,
    tokens: u64,
    _folder: tempfile::TempDir,
}

fn operator() -> Credential {
    Credential::Operator { target: Some(Scope::global().into()), member: None }
}

fn send(cx: &mut Cx<'_>, text: &str) -> Result<(), OpError> {
    let op = ChannelSend { message: text.to_owned(), to: Vec::new(), intent: None };
    op.run(cx).map(drop)
}

impl Deep {
    /// A database with so many messages, a tenth of them handled by `alice`, and many that wait
    /// for `sink`.
    fn with(messages: usize) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let settings = Settings::with(
            "[guard]\nruns = 100000000\n[inbox]\nmessages = 200\nbytes = 10000000\n",
        );
        let settings = Arc::new(settings.expect("they are right"));
        let around = Surroundings { clock: Clock::System, settings };
        let (store, _) = Store::open(&folder.path().join("deep.db"), around).expect("it opens");
        store
            .blocking_write(Credential::Daemon, |cx| recover::begin(cx, "epoch"))
            .expect("it begins");
        for (name, backend) in [("alice", "mock"), ("sink", "external")] {
            let json = json!({ "name": name, "backend": backend });
            let create: AgentCreate = serde_json::from_value(json).expect("it fits");
            store.blocking_write(operator(), move |cx| create.run(cx)).expect("it is made");
        }
        let mut deep = Self { store, tokens: 0, _folder: folder };
        deep.fill(messages);
        deep
    }

    fn fill(&mut self, messages: usize) {
        let batch = messages.min(1000);
        for _ in 0..messages / batch {
            let fill = move |cx: &mut Cx<'_>| {
                for n in 0..batch {
                    let name = if n % 10 == 0 { "alice" } else { "sink" };
                    send(cx, &format!("@{name} this is message number {n} of its batch"))?;
                }
                Ok(())
            };
            self.store.blocking_write(operator(), fill).expect("they are stored");
            while self.cycle().is_some() {}
        }
    }

    /// One run: claimed, its inbox read, finished. How long the claim and the reading took.
    fn cycle(&mut self) -> Option<(Duration, Duration)> {
        self.tokens += 1;
        let mut token = [0; 32];
        token[..8].copy_from_slice(&self.tokens.to_le_bytes());
        let backlog = Backlog { until: 0, is_open: true };
        let begun = Instant::now();
        let claimed = self
            .store
            .blocking_write(Credential::Daemon, move |cx| claim::claim(cx, &token, backlog))
            .expect("it claims")?;
        let claim = begun.elapsed();
        let begun = Instant::now();
        let run = Credential::Run { token_hash: token, target: None, agent: None };
        let inbox = self.store.blocking_write(run, |cx| MyInbox::default().run(cx));
        assert!(inbox.expect("it reads").count > 0);
        let read = begun.elapsed();
        let id = claimed.run.id;
        let end = move |cx: &mut Cx<'_>| finish::finish(cx, id, &Ended::succeeded(""));
        self.store.blocking_write(Credential::Daemon, end).expect("it ends");
        Some((claim, read))
    }

    fn measure(&mut self) -> (Duration, Duration) {
        let text = |cx: &mut Cx<'_>| send(cx, "@alice one more");
        self.store.blocking_write(operator(), text).expect("it is stored");
        self.cycle().expect("there is one to claim")
    }
}

pub fn run() {
    let mut shallow = Deep::with(1_000);
    let mut deep = Deep::with(1_000_000);
    let mut spans = [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..MEASURED {
        for (index, database) in [&mut shallow, &mut deep].into_iter().enumerate() {
            let (claim, read) = database.measure();
            spans[index].push(claim);
            spans[2 + index].push(read);
        }
    }
    for list in &mut spans {
        list.sort();
    }
    let [claim, deep_claim, read, deep_read] = spans;
    let row = |name: &str, small: &[Duration], large: &[Duration]| {
        let (small, large) = (percentile(small, 50), percentile(large, 50));
        let ratio = large.as_secs_f64() / small.as_secs_f64();
        vec![name.to_owned(), ms(small), ms(large), format!("{ratio:.2} ×"), "1.5 ×".to_owned()]
    };
    let rows = [row("claim", &claim, &deep_claim), row("my_inbox", &read, &deep_read)];
    let header = ["what (p50)", "1,000 messages", "1,000,000 messages", "ratio", "aim"];
    print("Depth: the two databases in turn", &header, &rows);
}
