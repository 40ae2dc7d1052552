//! Databases with many messages, made by the operations themselves.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use agent_worker_daemon::testing::{
    Backlog, Clock, Credential, Cx, Ended, OpError, Run, Settings, Store, Surroundings, WriterEnd,
    claim, finish, recover,
};
use agent_worker_protocol::{AgentCreate, ChannelSend, MyInbox, Scope};
use serde_json::json;

/// What a database is to hold.
#[derive(Clone, Copy)]
pub struct Shape {
    pub messages: usize,
    /// Among whom a tenth of the messages goes, to be handled; the others wait for one more
    pub handlers: usize,
    /// Messages that a run is given at once
    pub leased: usize,
}

/// A database with many messages.
pub struct Deep {
    store: Store,
    end: WriterEnd,
    tokens: u64,
}

fn operator() -> Credential {
    Credential::Operator { target: Some(Scope::global().into()), member: None }
}

fn send(cx: &mut Cx<'_>, text: &str) -> Result<(), OpError> {
    let op = ChannelSend { message: text.to_owned(), to: Vec::new(), intent: None, reply_to: None };
    op.run(cx).map(drop)
}

fn handler(n: usize) -> String {
    format!("handler-{n}")
}

impl Deep {
    /// Makes one.
    pub fn make(path: &Path, shape: Shape) -> Self {
        let settings = format!(
            "[guard]\nruns = 100000000\n[inbox]\nmessages = {}\nbytes = 10000000\n",
            shape.leased
        );
        let settings = Arc::new(Settings::with(&settings).expect("they are right"));
        let around = Surroundings::new(Clock::System, settings);
        let (store, end) = Store::open(path, around).expect("it opens");
        store
            .blocking_write(Credential::Daemon, |cx| recover::begin(cx, "epoch"))
            .expect("it begins");
        let mut deep = Self { store, end, tokens: 0 };
        deep.member("sink", "external");
        (0..shape.handlers).for_each(|n| deep.member(&handler(n), "mock"));
        deep.fill(shape);
        deep
    }

    /// Closes it, so that another process can open it.
    pub fn close(self) {
        self.store.close();
        // It says nothing but that it has ended.
        let _ = self.end.blocking_recv();
    }

    fn member(&mut self, name: &str, backend: &str) {
        let json = json!({ "name": name, "backend": backend });
        let create: AgentCreate = serde_json::from_value(json).expect("it fits");
        self.store.blocking_write(operator(), move |cx| create.run(cx)).expect("it is made");
    }

    fn fill(&mut self, Shape { messages, handlers, .. }: Shape) {
        let batch = messages.min(1000);
        for number in 0..messages / batch {
            let fill = move |cx: &mut Cx<'_>| {
                for n in 0..batch {
                    let of_handler = (n % 10 == 0).then(|| handler(n / 10 % handlers));
                    let name = of_handler.as_deref().unwrap_or("sink");
                    send(cx, &format!("@{name} this is message number {n} of batch {number}."))?;
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

    /// The same for one more message.
    pub fn measure(&mut self) -> (Duration, Duration) {
        let text = |cx: &mut Cx<'_>| send(cx, &format!("@{} one more", handler(0)));
        self.store.blocking_write(operator(), text).expect("it is stored");
        self.cycle().expect("there is one to claim")
    }
}
