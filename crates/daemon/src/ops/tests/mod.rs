//! Operations on a database in memory.

use std::sync::{Arc, atomic::AtomicI64};

use agent_worker_protocol::{
    AgentCreate, AgentRemove, ChannelSend, Delivery, DeliveryState, Finding, Limits, MemberKind,
    Message, MessageId, Mode, Name, Run as RunEntity, RunId, RunState, Scope, Sent, Started,
    Target, Workflow, WorkflowState,
};
use agent_worker_workflow_file::{WorkflowFile, template::Template};

use crate::{
    changes::{
        daemon::recover,
        run::{
            claim::{self, Backlog, Claimed},
            finish,
        },
        workflow::start,
    },
    clock::Clock,
    context::{credential::Credential, cx::Cx, run::Run, store::Store, surroundings::Surroundings},
    engine::doctor::tables::all,
    error::OpError,
    rows::{
        self,
        agent::{AgentConfig, AgentRow},
        delivery,
        run::{EndCause, RunRow},
        workflow::WorkflowRow,
    },
    rules::{
        ending::Ended,
        start::{Begin, Kickoff, Launch, LaunchAgent},
    },
    settings::Settings,
    store::connections::WriterEnd,
};
mod agents;
mod answers;
mod attention;
mod budgets;
mod doctor;
mod documents;
mod events;
mod groups;
mod growth;
mod guards;
mod heartbeats;
mod hiring;
mod inboxes;
mod message;
mod messages;
mod mirror;
mod model;
mod pages;
mod perspectives;
mod plans;
mod proposals;
mod questions;
mod queues;
mod remedies;
mod retention;
mod runs;
mod schedules;
mod searches;
mod sessions;
mod statements;
mod tasks;
mod transcripts;
mod workflows;

/// A daemon without processes: a database, and a clock that stands still until it is moved.
pub struct World {
    pub store: Store,
    clock: Arc<AtomicI64>,
    tokens: std::cell::Cell<u32>,
    /// Whether the doctor looks at it at its end
    is_examined: bool,
}

/// The time at which every world begins.
pub const BEGIN: i64 = 1_700_000_000_000;

impl World {
    pub fn new() -> Self {
        Self::with_settings("")
    }

    pub fn with_settings(text: &str) -> Self {
        Self::of(Settings::with(text).unwrap())
    }

    pub fn of(settings: Settings) -> Self {
        let clock = Arc::new(AtomicI64::new(BEGIN));
        let around = Surroundings::new(Clock::Fixed(clock.clone()), Arc::new(settings));
        let (store, _) = Store::memory(around).unwrap();
        Self::begin(store, clock)
    }

    /// A world in a file.
    pub fn in_file(path: &std::path::Path) -> (Self, WriterEnd) {
        Self::on_disk(path, Settings::default(), Arc::new(AtomicI64::new(BEGIN)))
    }

    /// A world in a file, in which it is as late as this clock says.
    fn on_disk(
        path: &std::path::Path,
        settings: Settings,
        clock: Arc<AtomicI64>,
    ) -> (Self, WriterEnd) {
        let settings = Arc::new(settings);
        let around = Surroundings::new(Clock::Fixed(clock.clone()), settings);
        let (store, end) = Store::open(path, around).unwrap();
        (Self::begin(store, clock), end)
    }

    fn begin(store: Store, clock: Arc<AtomicI64>) -> Self {
        let world = Self { store, clock, tokens: std::cell::Cell::new(0), is_examined: true };
        world.daemon(|cx| recover::begin(cx, "epoch"));
        world
    }

    /// The same, which the doctor does not look at: that takes its time.
    pub fn unexamined(mut self) -> Self {
        self.is_examined = false;
        self
    }

    /// What the doctor finds.
    pub fn findings(&self) -> Vec<Finding> {
        self.daemon(|cx| Ok(all::examine(cx.conn)))
    }

    /// Removes a member and makes another of its name.
    pub fn make_anew(&self, name: &str) {
        self.call("", AgentRemove { target: target(&format!("{name}@team")) }).unwrap();
        let another = serde_json::json!({ "name": name, "backend": "mock" });
        let another: AgentCreate = serde_json::from_value(another).unwrap();
        self.call("@team", another).unwrap();
    }

    /// Moves the clock, also back.
    pub fn pass(&self, ms: i64) {
        self.clock.fetch_add(ms, std::sync::atomic::Ordering::SeqCst);
    }

    pub fn try_daemon<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut Cx<'_>) -> Result<T, OpError> + Send + 'static,
    ) -> Result<T, OpError> {
        self.store.blocking_write(Credential::Daemon, work)
    }

    pub fn daemon<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut Cx<'_>) -> Result<T, OpError> + Send + 'static,
    ) -> T {
        self.try_daemon(work).unwrap()
    }

    /// An operation of the person.
    pub fn call<O: Run>(&self, target: &str, op: O) -> Result<O::Output, OpError> {
        self.call_as(target, None, op)
    }

    pub fn call_as<O: Run>(
        &self,
        target: &str,
        member: Option<&str>,
        op: O,
    ) -> Result<O::Output, OpError> {
        let target = (!target.is_empty()).then(|| target.parse().unwrap());
        let member = member.map(|name| name.parse().unwrap());
        let credential = Credential::Operator { target, member };
        self.store.blocking_write(credential, move |cx| op.run(cx))
    }

    /// An operation of a run.
    pub fn tool<O: Run>(&self, claimed: &Claim, op: O) -> Result<O::Output, OpError> {
        let credential = Credential::Run { token_hash: claimed.token, target: None, agent: None };
        self.store.blocking_write(credential, move |cx| op.run(cx))
    }

    /// Starts `@team` with these mock agents.
    pub fn start(&self, agents: &[&str], kickoff: &str) -> Started {
        self.start_with(agents, kickoff, Mode::Run, Limits::default())
    }

    pub fn start_with(
        &self,
        agents: &[&str],
        kickoff: &str,
        mode: Mode,
        limits: Limits,
    ) -> Started {
        let launch = launch_of(agents, kickoff, mode, limits);
        self.try_start(launch).unwrap()
    }

    pub fn try_start(&self, mut launch: Launch) -> Result<Started, OpError> {
        let operator = Credential::Operator { target: None, member: None };
        let work = move |cx: &mut Cx<'_>| {
            let last = start::replaced_file(cx, &launch.scope, &launch.limits)?;
            launch.last_limits =
                last.and_then(|yaml| Some(WorkflowFile::parse(&yaml).value?.limits));
            start::launch(cx, &launch)
        };
        self.store.blocking_write(operator, work)
    }

    pub fn try_claim(&self) -> Option<Claim> {
        let number = self.tokens.replace(self.tokens.get() + 1);
        let mut token = [0; 32];
        token[..4].copy_from_slice(&number.to_le_bytes());
        let backlog = Backlog { until: 0, is_open: true };
        let claimed = self.daemon(move |cx| claim::claim(cx, &token, backlog))?;
        Some(Claim { claimed, token })
    }

    pub fn claim(&self) -> Claim {
        self.try_claim().expect("there is something to claim")
    }

    pub fn finish(&self, claim: &Claim, ended: Ended) {
        let run = claim.run();
        self.daemon(move |cx| finish::finish(cx, run, &ended));
    }

    pub fn succeed(&self, claim: &Claim, text: &str) {
        self.finish(claim, Ended::succeeded(text));
    }

    pub fn fail(&self, claim: &Claim, class: EndCause) {
        self.finish(claim, Ended::failed(class, "it broke"));
    }

    pub fn send(&self, text: &str) -> Sent {
        self.call("@team", say(text)).unwrap()
    }

    pub fn run(&self, id: RunId) -> RunEntity {
        self.daemon(move |cx| Ok(RunRow::by_id(cx.db, id)?.entity()))
    }

    pub fn run_state(&self, claim: &Claim) -> RunState {
        self.run(claim.run()).state
    }

    pub fn workflow(&self) -> Workflow {
        self.daemon(|cx| WorkflowRow::by_name(cx.db, &team())?.entity(cx.db))
    }

    pub fn state(&self) -> WorkflowState {
        self.workflow().state
    }

    pub fn agent(&self, name: &str) -> AgentRow {
        let name: Name = name.parse().unwrap();
        self.daemon(move |cx| {
            let scope = WorkflowRow::by_name(cx.db, &team())?;
            AgentRow::by_name(cx.db, &scope, &name)
        })
    }

    pub fn unread_mail(&self, name: &str) -> i64 {
        let row = self.agent(name);
        self.daemon(move |cx| Ok(row.changing(cx.db)?.unread))
    }

    pub fn delivery(&self, name: &str, id: MessageId) -> Delivery {
        let row = self.agent(name);
        self.daemon(move |cx| {
            let found = delivery::find(cx.db, row.id, id.number())?;
            Ok(found.expect("it was delivered").entity(&row))
        })
    }

    pub fn delivery_state(&self, name: &str, id: MessageId) -> DeliveryState {
        self.delivery(name, id).state
    }

    /// All messages of all conversations, in order.
    pub fn messages(&self) -> Vec<Message> {
        self.daemon(|cx| {
            (1..=rows::message::newest_seq(cx.db)?)
                .filter_map(|seq| rows::message::find(cx.db, seq).transpose())
                .collect()
        })
    }

    pub fn last_message(&self) -> Message {
        self.messages().pop().expect("there is a message")
    }
}

/// Whatever a test has done, everything that must be so is so.
impl Drop for World {
    fn drop(&mut self) {
        if self.is_examined && !std::thread::panicking() {
            assert_eq!(self.findings(), []);
        }
    }
}

/// A run that was claimed, with its token.
pub struct Claim {
    pub claimed: Claimed,
    pub token: [u8; 32],
}

impl Claim {
    pub fn run(&self) -> RunId {
        self.claimed.run.id
    }

    pub fn agent(&self) -> &str {
        self.claimed.agent.name.as_str()
    }
}

pub fn team() -> Scope {
    "@team".parse().unwrap()
}

pub fn target(text: &str) -> Target {
    text.parse().unwrap()
}

pub fn say(text: &str) -> ChannelSend {
    ChannelSend { message: text.to_owned(), to: Vec::new(), intent: None, reply_to: None }
}

pub fn tell(to: &[&str], text: &str) -> ChannelSend {
    let to = to.iter().map(ToString::to_string).collect();
    ChannelSend { message: text.to_owned(), to, intent: None, reply_to: None }
}

pub fn launch_of(agents: &[&str], kickoff: &str, mode: Mode, limits: Limits) -> Launch {
    let template = Template::parse(kickoff).unwrap();
    let kickoff = Kickoff { template, values: std::collections::BTreeMap::default() };
    Launch {
        scope: team(),
        mode,
        fresh: false,
        yaml: String::new(),
        folder: ".".to_owned(),
        path_env: None,
        home: None,
        limits,
        last_limits: None,
        document_owner: None,
        agents: agents.iter().map(|name| launch_agent(name)).collect(),
        begin: Begin::Kickoff(Some(kickoff)),
    }
}

pub fn launch_agent(name: &str) -> LaunchAgent {
    LaunchAgent {
        name: name.parse().unwrap(),
        kind: MemberKind::Agent,
        backend: "mock".to_owned(),
        model: None,
        system: None,
        role: None,
        display_name: None,
        home: None,
        config: AgentConfig::default(),
        schedules: Vec::new(),
    }
}
