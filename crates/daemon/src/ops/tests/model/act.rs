//! The steps of a history as operations on a database.

use std::collections::BTreeMap;

use agent_worker_protocol::{
    AgentCreate, AgentRemove, AgentResume, AgentStop, AgentWake, Ask, ChannelSend, Conversation,
    CursorSet, DeliveryDrop, DeliveryRelease, DeliveryRetry, InboxPage, Intent, LimitsSet,
    MemberKind, MessageId, MyInbox, MyInboxAck, MyStatusSet, RunCancel, RunId, RunRetry,
    Sent as RealSent, Target, Usage, WorkflowResume, WorkflowStop,
};
use agent_worker_workflow_file::template::Template;

use crate::{
    changes::{
        daemon::sweep,
        run::{
            claim::{self, Backlog},
            end, finish,
            progress::{self, Progress},
        },
        workflow::{
            setup::{self, SetupEnd},
            start,
        },
    },
    context::{credential::Credential, cx::Cx, repeat::request_hash, run::Run},
    error::OpError,
    ops::tests::{
        launch_agent, launch_of,
        model::{
            apply::{Answer, Meant},
            disk::Real,
            inbox::Page,
            post::Sent,
            spec::File,
            step::{By, End, Move, Named, Post, Setup, Step, Verb},
            team::{Refused, Team},
        },
        target, team,
    },
    rows::{
        run::{self, EndCause},
        workflow::WorkflowRow,
    },
    rules::{
        ending::{Ended, Failure},
        start::{Begin, Kickoff, Launch, LaunchAgent},
    },
};

type Done = Result<Answer, Refused>;

fn run_id(run: usize) -> RunId {
    RunId::new(i64::try_from(run + 1).expect("there are few runs"))
}

fn member(name: &str) -> Target {
    target(&format!("{name}@team"))
}

/// A refusal says why and does nothing; any other error is one of the daemon's own.
fn refused(error: OpError) -> Refused {
    match error {
        OpError::Refused(_) => Refused,
        fault => panic!("an operation broke: {fault}"),
    }
}

fn sending(post: &Post) -> ChannelSend {
    ChannelSend {
        message: post.text(),
        to: post.to.iter().map(ToString::to_string).collect(),
        intent: Some(if post.is_inform { Intent::Inform } else { Intent::Request }),
        reply_to: post.answers.map(MessageId::new),
    }
}

fn sent(sent: RealSent) -> Sent {
    let mut delivered: Vec<_> =
        sent.delivered_to.into_iter().map(|to| (to.name.to_string(), to.state)).collect();
    delivered.sort_by(|one, other| one.0.cmp(&other.0));
    let unresolved = sent.unresolved.into_iter().map(|word| word.name).collect();
    Sent { seq: sent.seq, delivered, unresolved }
}

fn kickoff(post: Option<&Post>) -> Option<Kickoff> {
    let template = Template::parse(&post?.text()).expect("it has no values");
    Some(Kickoff { template, values: BTreeMap::default() })
}

/// What of a page the model knows too.
fn seen_page(page: &InboxPage, team: &Team) -> Page {
    let elsewhere = page.elsewhere.iter().map(|part| {
        let place = |talk: &usize| conversation(team, *talk) == part.group;
        let talk = (0..team.talks.len()).rev().find(place).unwrap_or(usize::MAX);
        (talk, part.count)
    });
    Page {
        messages: page.messages.iter().map(|item| item.message.seq).collect(),
        more: page.more,
        elsewhere: elsewhere.collect(),
    }
}

fn launch_file(file: &File) -> Launch {
    let agent =
        |(name, kind): &(&str, MemberKind)| LaunchAgent { kind: *kind, ..launch_agent(name) };
    let begin =
        if file.has_setup { Begin::Setup } else { Begin::Kickoff(kickoff(file.kickoff.as_ref())) };
    Launch {
        agents: file.agents.iter().map(agent).collect(),
        begin,
        ..launch_of(&[], "", file.mode, file.limits)
    }
}

fn failure(class: EndCause, told: Option<i64>) -> Failure {
    Failure { class, error: "it broke".to_owned(), retry_after: told }
}

impl Real {
    /// Runs an operation as the caller of the step.
    fn by<O: Run>(&self, by: By, meant: Meant, op: O) -> Result<O::Output, Refused> {
        let operator = |text: &str, member: Option<&str>| Credential::Operator {
            target: Some(target(text)),
            member: member.map(|name| name.parse().expect("it is a name")),
        };
        let credential = match by {
            By::Person => operator("@team", None),
            By::PersonTo(name) => operator(&format!("{name}@team"), None),
            By::Outside(name) => operator("@team", Some(name)),
            By::Run => {
                let token_hash = token(meant.run.unwrap_or_default());
                Credential::Run { token_hash, target: None, agent: None }
            }
        };
        let request = request_hash(O::NAME, &op).map_err(refused)?;
        self.request(credential, request, move |cx| op.run(cx)).map_err(refused)
    }

    fn call<O: Run>(&self, op: O) -> Done {
        self.by(By::Person, Meant::default(), op)?;
        Ok(Answer::Nothing)
    }

    /// Does a step.
    pub fn act(&mut self, step: &Step, meant: Meant, team: &Team) -> Done {
        match step {
            Step::Send(by, post) => {
                self.by(*by, meant, sending(post)).map(|done| Answer::Sent(sent(done)))
            }
            Step::Ask(agent) => {
                let ask = Ask::new(member(agent), "how much?".to_owned());
                self.by(By::Person, meant, ask).map(|done| Answer::Sent(sent(done.sent)))
            }
            Step::Claim { is_backlog_open } => {
                let backlog = if *is_backlog_open { 0 } else { meant.backlog };
                Ok(self.claim(Backlog { until: backlog, is_open: *is_backlog_open }))
            }
            Step::Inbox(by, limit) => {
                let look = MyInbox { limit: *limit, ..MyInbox::default() };
                let page = self.by(person_in_scope(*by), meant, look)?;
                Ok(Answer::Page(seen_page(&page, team)))
            }
            Step::Ack(by) => {
                let ack = MyInboxAck { until: MessageId::new(meant.message) };
                let acked = self.by(person_in_scope(*by), meant, ack)?;
                Ok(Answer::Marked(acked.marked.into_iter().map(MessageId::number).collect()))
            }
            Step::Label => {
                let label = MyStatusSet { state: Some("busy".to_owned()), task: None };
                self.by(By::Run, meant, label).map(|_| Answer::Nothing)
            }
            Step::Restart => {
                self.restart();
                Ok(Answer::Nothing)
            }
            step => self.of_person(step, meant, team),
        }
    }

    /// What the person does with agents, runs and mail.
    fn of_person(&self, step: &Step, meant: Meant, team_model: &Team) -> Done {
        let run = meant.run.unwrap_or_default();
        match step {
            Step::Cancel => self.call(RunCancel { id: run_id(run) }),
            Step::RetryRun => self.call(RunRetry { id: run_id(run) }),
            Step::Stop { agent, now } => self.call(AgentStop { target: member(agent), now: *now }),
            Step::Resume(agent) => self.call(AgentResume { target: member(agent) }),
            Step::Wake(agent) => self.call(AgentWake { target: member(agent) }),
            Step::Remove(agent) => self.call(AgentRemove { target: member(agent) }),
            Step::Create(agent, kind) => self.call(creating(agent, *kind)),
            Step::Kept(verb, named) => self.kept(*verb, *named, meant.message),
            Step::Limits(limits) => {
                self.call(LimitsSet { key: team(), limits: *limits, unset: Vec::new() })
            }
            Step::StopAll { now } => {
                self.call(WorkflowStop { key: team(), now: *now, purge: false, timeout: None })
            }
            Step::ResumeAll => self.call(WorkflowResume { key: team() }),
            Step::Start(file) => {
                let launch = launch_file(file);
                let operator = Credential::Operator { target: None, member: None };
                let request = request_hash("start", &format!("{file:?}")).map_err(refused)?;
                let work = move |cx: &mut Cx<'_>| start::launch(cx, &launch);
                self.request(operator, request, work).map_err(refused)?;
                Ok(Answer::Nothing)
            }
            Step::Read => {
                let conversation = conversation(team_model, meant.talk);
                let until = MessageId::new(meant.message);
                self.call(CursorSet { conversation, until })
            }
            step => {
                self.of_daemon(step, meant, team_model);
                Ok(Answer::Nothing)
            }
        }
    }

    fn kept(&self, verb: Verb, named: Named, message: i64) -> Done {
        let (target, message) = match named {
            Named::Agent(name) => (Some(member(name)), None),
            Named::Team => (Some(target("@team")), None),
            Named::Message => (None, Some(MessageId::new(message))),
        };
        match verb {
            Verb::Retry => self.call(DeliveryRetry { target, message }),
            Verb::Drop => self.call(DeliveryDrop { target, message }),
            Verb::Release => self.call(DeliveryRelease { target, message }),
        }
    }

    /// What the daemon itself does.
    fn of_daemon(&self, step: &Step, meant: Meant, team_model: &Team) {
        let run = run_id(meant.run.unwrap_or_default());
        match step {
            Step::Note { started, tokens, cents } => self.note(run, *started, *tokens, *cents),
            Step::Finish(end) => {
                let ended = match end {
                    End::Success(text) => {
                        Ended::succeeded(text.as_ref().map(Post::text).unwrap_or_default())
                    }
                    End::Failure(class, told) => failure(*class, *told).into(),
                };
                self.daemon(move |cx| finish::finish(cx, run, &ended));
            }
            Step::BeginEnd(class, told) => {
                let failure = failure(*class, *told);
                self.daemon(move |cx| finish::begin_end(cx, run, &failure));
            }
            Step::EndDue => self.end_due(),
            Step::EndSetup(end) => self.end_setup(end, team_model.workflow.generation),
            Step::ShutDown => self.daemon(end::request_end_of_all),
            Step::Sweep => drop(self.daemon(sweep::sweep)),
            Step::Clock(Move::By(ms)) => self.world.pass(*ms),
            step => unreachable!("{step:?} is done by others"),
        }
    }

    fn claim(&self, backlog: Backlog) -> Answer {
        let next = self.world.daemon(|cx| {
            let sql = "SELECT coalesce(max(id), 0) FROM runs";
            Ok(cx.conn.prepare_cached(sql)?.query_row([], |row| row.get::<_, i64>(0))?)
        });
        let place = usize::try_from(next).expect("runs count from 1");
        let hash = token(place);
        let claimed = self.daemon(move |cx| claim::claim(cx, &hash, backlog));
        Answer::Claimed(claimed.map(|claimed| {
            usize::try_from(claimed.run.id.number() - 1).expect("runs count from 1")
        }))
    }

    fn note(&self, run: RunId, started: bool, tokens: i64, cents: i64) {
        #[expect(clippy::cast_precision_loss, reason = "a few cents")]
        let dollars = cents as f64 / 100.0;
        let progress = Progress {
            started,
            usage: Usage { input: (tokens > 0).then_some(tokens), ..Usage::default() },
            cost: (cents > 0).then_some(dollars),
            ..Progress::default()
        };
        self.daemon(move |cx| progress::note(cx, run, &progress));
    }

    /// What the supervisor does with runs whose time is over.
    fn end_due(&self) {
        self.daemon(|cx| {
            for row in run::RunRow::live(cx.db)? {
                let (Some(by), Some(class)) = (row.end_by, row.end_class) else { continue };
                if by <= cx.now {
                    let error = row.end_error.unwrap_or_default();
                    finish::begin_end(cx, row.id, &Failure::new(class, error))?;
                }
            }
            Ok(())
        });
    }

    fn end_setup(&self, end: &Setup, generation: i64) {
        let end = match end {
            Setup::Done(post) => SetupEnd::Done(kickoff(post.as_ref())),
            Setup::NothingToDo => SetupEnd::NothingToDo { output: "diff".to_owned() },
            Setup::Failed => SetupEnd::Failed { reason: "exit code 1".to_owned() },
        };
        self.daemon(move |cx| {
            let scope = WorkflowRow::by_name(cx.db, &team())?.id;
            setup::end_setup(cx, scope, generation, &end)
        });
    }
}

/// A person reads the inbox in a scope, whomever a message would go to.
fn person_in_scope(by: By) -> By {
    match by {
        By::PersonTo(_) => By::Person,
        by => by,
    }
}

/// The token of a run.
fn token(run: usize) -> [u8; 32] {
    let mut token = [7; 32];
    token[..8].copy_from_slice(&run.to_le_bytes());
    token
}

fn creating(name: &str, kind: MemberKind) -> AgentCreate {
    let backend = if kind == MemberKind::External { "external" } else { "mock" };
    let json = serde_json::json!({ "name": name, "backend": backend });
    serde_json::from_value(json).expect("it is whole")
}

/// What a conversation is called.
fn conversation(team: &Team, talk: usize) -> Conversation {
    match team.talks[talk].pair {
        None => Conversation::Channel,
        Some([one, other]) => {
            let name = |member: usize| team.members[member].name.parse().expect("it is a name");
            Conversation::direct(name(one), name(other))
        }
    }
}
