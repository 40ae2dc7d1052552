//! A workflow as it happens: its channel, what its agents are doing, and its end.

use std::{collections::BTreeSet, time::Duration};

use agent_worker_client::{Client, ClientError, Feed, FeedFilter, FeedItem};
use agent_worker_protocol::{
    Attention, Event, EventBody, Name, QuestionAnswer, QuestionList, QuestionShow, RunId, RunList,
    Started, Target, Timestamp, Workflow, WorkflowShow, WorkflowState, WorkflowStop,
    event::FOLLOWED, time,
};
use anyhow::Context as _;
use futures::future::OptionFuture;
use tokio::time::{Instant, Interval, MissedTickBehavior, sleep_until};

use super::{
    answers::{Answers, Typed},
    board::Board,
    narrator::Narrator,
    screen::Screen,
    signals::{Signal, Signals},
};
use crate::{
    commands::{
        ask::waiting::{self, Quiet},
        conversation::text as messages,
        question::text as questions,
        workflow::text as workflows,
    },
    exit::Refusal,
    session::Session,
    text::{Loss, View, dim, line},
};

/// How often the line below the messages moves.
const TICK: Duration = Duration::from_millis(120);

/// What has to be decided upon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happening {
    /// The workflow has ended, and so have all its runs.
    Over,
    /// The workflow is gone.
    Removed,
    /// The user interrupts, or the terminal is gone.
    Signal(Signal),
    /// It is time.
    Deadline,
}

/// What tells a workflow from what its scope is later.
fn life(of: &Workflow) -> (i64, Option<Timestamp>, WorkflowState) {
    (of.generation, of.started_at, of.state)
}

/// A command that follows a workflow.
pub struct Watch<'a> {
    session: &'a Session,
    client: Client,
    feed: Feed,
    screen: Screen,
    answers: Answers,
    board: Board,
    narrator: Narrator,
    ticks: Interval,
    workflow: Workflow,
    /// Whether the feed has told how it stands: what comes before that was not shown yet
    is_told: bool,
    live: BTreeSet<RunId>,
    name_width: usize,
    began: Instant,
    loss: Loss,
    /// Whether the scope's earlier life is still to be put away, under another name
    is_archiving: bool,
    quiet: Quiet,
}

impl<'a> Watch<'a> {
    /// Begins where the workflow was started.
    pub async fn begin(
        session: &'a Session,
        client: &Client,
        started: &Started,
        quiet: bool,
    ) -> anyhow::Result<Self> {
        let cursor = started.cursor.parse().context("the daemon sent no feed position")?;
        let is_text = !session.output.json;
        let kinds: &[&str] = if is_text { FOLLOWED } else { &[] };
        let kinds = kinds.iter().map(|kind| (*kind).to_owned()).collect();
        let filter = FeedFilter { scope: Some(started.workflow.scope.clone()), kinds };
        let feed = Feed::follow(client, filter, Some(cursor)).relocate(session.relocation()?);
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let person = Name::person();
        let members = started.workflow.agents.iter().chain([&person]);
        let mut watch = Self {
            session,
            client: client.clone(),
            feed,
            screen: Screen::open(session.output, quiet),
            answers: if session.output.is_watched() {
                Answers::listen()
            } else {
                Answers::default()
            },
            board: Board::default(),
            narrator: Narrator::default(),
            ticks,
            name_width: messages::name_width(members),
            workflow: started.workflow.clone(),
            is_told: false,
            live: BTreeSet::new(),
            began: Instant::now(),
            loss: Loss::default(),
            is_archiving: started.archived.is_some(),
            quiet: Quiet::default(),
        };
        if started.continued {
            watch.count_runs().await?;
            watch.find_questions().await?;
        }
        watch.print(&workflows::header(&View::of(session.output), started))?;
        Ok(watch)
    }

    /// The workflow as it was last heard of.
    pub fn workflow(&self) -> &Workflow {
        &self.workflow
    }

    /// Takes the screen away, and returns the daemon and the workflow.
    pub fn leave(self) -> (Client, Workflow) {
        (self.client, self.workflow)
    }

    /// Shows what happens until something has to be decided upon.
    pub async fn next(
        &mut self,
        signals: &mut Signals,
        deadline: Option<Instant>,
    ) -> anyhow::Result<Happening> {
        loop {
            if self.is_over() && self.is_told_all().await {
                return Ok(Happening::Over);
            }
            self.ask();
            let item = tokio::select! {
                item = self.feed.next() => item,
                signal = signals.next() => return Ok(Happening::Signal(signal)),
                Some(()) = OptionFuture::from(deadline.map(sleep_until)) => {
                    return Ok(Happening::Deadline);
                }
                typed = self.answers.next(), if self.answers.is_asking() => {
                    self.answer(typed?).await?;
                    continue;
                }
                () = self.quiet.lasted(), if !self.answers.is_asking() => {
                    self.say_what_is_waited_for().await;
                    continue;
                }
                _ = self.ticks.tick(), if self.screen.is_moving() && !self.answers.is_asking() => {
                    self.screen.status(&self.board.line(Instant::now()));
                    continue;
                }
            };
            let Some(item) = item else {
                return Err(Refusal::new("the feed has ended").into());
            };
            if !matches!(item, Ok(FeedItem::Heartbeat(_))) {
                self.quiet.end();
            }
            if self.take(item?).await? {
                // What is removed or archived after its end has ended all the same.
                return Ok(if self.is_over() { Happening::Over } else { Happening::Removed });
            }
        }
    }

    /// Asks the user for an answer, if a question is open that was not asked for yet.
    fn ask(&mut self) {
        let (question, is_gone) = self.answers.turn();
        if is_gone {
            self.note("\n");
        }
        if let Some(question) = question {
            let view = View::of(self.session.output);
            self.screen.clear();
            self.note(&questions::whole(&view, &question));
            let prompt = questions::prompt(&question);
            self.session.output.note_part(&format!("{prompt}, or Enter to skip: "));
        }
    }

    /// Answers the question that was asked for.
    async fn answer(&mut self, typed: Typed) -> anyhow::Result<()> {
        let Some(line) = typed else {
            self.answers.close();
            return Ok(());
        };
        let Some(question) = self.answers.take() else { return Ok(()) };
        if line.is_empty() {
            self.note(&dim(&questions::told(&question)));
            return Ok(());
        }
        match self.client.call(&QuestionAnswer { id: question.id, answer: line }).await {
            Err(ClientError::Refused(refused)) => {
                self.note(&format!("error: {}", refused.message));
                let asked = self.client.call(&QuestionShow { id: question.id }).await?;
                self.answers.note(&asked);
                Ok(())
            }
            answered => Ok(answered.map(drop)?),
        }
    }

    /// Says something beside the messages.
    pub fn note(&self, text: &str) {
        self.screen.note(text);
    }

    /// Stops the workflow, because its time is over if that is given; its live runs have their
    /// time to end. The feed tells when it is over.
    pub async fn stop(&mut self, timeout: Option<time::Interval>) -> anyhow::Result<()> {
        let stop =
            WorkflowStop { key: self.workflow.scope.clone(), now: false, purge: false, timeout };
        self.client.call(&stop).await?;
        Ok(())
    }

    /// Shows how it ended and what can be done about it.
    pub async fn conclude(&mut self) -> anyhow::Result<()> {
        self.screen.clear();
        if self.session.output.json {
            return Ok(());
        }
        let view = View::of(self.session.output);
        self.print(&workflows::outcome(&view, &self.workflow, self.began.elapsed()))?;
        if matches!(self.workflow.state, WorkflowState::Failed | WorkflowState::Stalled) {
            let items = self.here().call(&Attention {}).await.map(|list| list.items);
            // What the next start of its scope needs does not help this one.
            if let (Ok(items), Ok(now)) = (items, self.shown().await)
                && life(&now) == life(&self.workflow)
            {
                self.note(&workflows::remedies(&self.workflow, &items));
            }
        }
        Ok(())
    }

    /// Prints what the command waits for, after some time without news.
    async fn say_what_is_waited_for(&mut self) {
        let waits = waiting::of_workflow(&self.client, &self.workflow.scope).await;
        // A workflow that stays has nothing to wait for when all is done.
        let waits = waits.filter(|text| text != "nothing is left to do");
        if let Some(text) = self.quiet.news(waits) {
            self.screen.progress(&format!("waiting: {}", line(&text)), true);
        }
    }

    fn is_over(&self) -> bool {
        let has_ended =
            !self.workflow.state.is_live() && self.workflow.state != WorkflowState::Created;
        self.is_told && has_ended && self.live.is_empty()
    }

    /// Whether the feed has told what the runs have used: that of the last one comes behind its
    /// end, which may be later than the end of the workflow.
    async fn is_told_all(&self) -> bool {
        let told = &self.workflow;
        // Of what is gone, archived by another start or goes on, that may never come.
        self.shown().await.ok().is_none_or(|now| life(&now) != life(told) || now.used == told.used)
    }

    /// The workflow as it is now.
    async fn shown(&self) -> Result<Workflow, ClientError> {
        self.client.call(&WorkflowShow { key: self.workflow.scope.clone() }).await
    }

    /// The daemon, asked in the workflow.
    fn here(&self) -> Client {
        self.client.at(Target::scope(self.workflow.scope.clone()))
    }

    fn print(&self, text: &str) -> anyhow::Result<()> {
        if self.session.output.json { Ok(()) } else { self.screen.print(text) }
    }

    /// Shows an item of the feed; true if the workflow is gone.
    async fn take(&mut self, item: FeedItem) -> anyhow::Result<bool> {
        match item {
            FeedItem::Event(event) => return self.show(&event),
            FeedItem::Disconnected { error } => {
                self.loss.begin(error, |text| self.screen.note(text));
            }
            FeedItem::Hello(_) => {
                if self.loss.end(|text| self.screen.note(text)) {
                    self.relocate().await?;
                }
            }
            FeedItem::Reset(reset) => {
                self.note(&format!("messages may be missing: {}", reset.reason));
                self.catch_up().await?;
            }
            FeedItem::Connected | FeedItem::Unknown { .. } | FeedItem::Heartbeat(_) => {}
        }
        Ok(false)
    }

    /// Looks where the daemon is by now.
    async fn relocate(&mut self) -> anyhow::Result<()> {
        if let Some((_, client)) = self.session.existing().await? {
            self.client = client;
        }
        Ok(())
    }

    /// Reads the current state, because the feed has lost the events in between.
    async fn catch_up(&mut self) -> anyhow::Result<()> {
        self.relocate().await?;
        self.workflow = self.shown().await?;
        self.is_told = true;
        self.board = Board::default();
        self.find_questions().await?;
        self.count_runs().await
    }

    async fn find_questions(&mut self) -> anyhow::Result<()> {
        let page = self.here().call(&QuestionList::default()).await?;
        self.answers.renew(&page.questions);
        Ok(())
    }

    async fn count_runs(&mut self) -> anyhow::Result<()> {
        let page = self.here().call(&RunList { limit: Some(100), ..RunList::default() }).await?;
        let live = page.runs.into_iter().filter(|run| run.state.is_live());
        self.live = live.map(|run| run.id).collect();
        Ok(())
    }

    fn show(&mut self, event: &Event) -> anyhow::Result<bool> {
        if self.session.output.json {
            self.session.output.print_line(event)?;
        }
        self.board.apply(event, Instant::now());
        let view = View::of(self.session.output);
        let is_asked_here = match &event.body {
            EventBody::QuestionChanged(question) => {
                self.answers.note(question);
                question.is_open() && self.answers.is_open()
            }
            _ => false,
        };
        let told = self.narrator.tell(&view, event).filter(|_| !is_asked_here);
        if let Some(line) = told {
            self.screen.progress(&line.text, line.is_trouble);
        }
        match &event.body {
            EventBody::MessageSent { message, .. } => {
                self.print(&messages::message(&view, message, self.name_width))?;
            }
            // Of a generation that was over before this one began, nothing counts.
            EventBody::WorkflowChanged(workflow)
                if workflow.generation >= self.workflow.generation =>
            {
                self.workflow = (**workflow).clone();
                self.is_told = true;
            }
            EventBody::RunChanged(run) if run.state.is_live() => {
                self.live.insert(run.id);
            }
            EventBody::RunChanged(run) => {
                self.live.remove(&run.id);
            }
            EventBody::WorkflowRemoved { .. } => {
                return Ok(!std::mem::take(&mut self.is_archiving));
            }
            _ => {}
        }
        Ok(false)
    }
}
