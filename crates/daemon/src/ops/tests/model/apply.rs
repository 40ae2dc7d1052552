//! A step of a history, as the model does it.

use agent_worker_protocol::{RunKind, RunState};

use crate::ops::tests::model::{
    inbox::{Page, Reader},
    post::Sent,
    step::{By, Move, Post, Step},
    team::{PERSON, Refused, Team},
};

/// What a step answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Nothing,
    Sent(Sent),
    Page(Page),
    Marked(Vec<i64>),
    Claimed(Option<usize>),
}

/// What a step points to, looked up before it is played, and what it must be told.
#[derive(Debug, Clone, Copy, Default)]
pub struct Meant {
    pub run: Option<usize>,
    pub message: i64,
    pub talk: usize,
    /// The newest message when the daemon last started
    pub backlog: i64,
    /// When the daemon last wrote something
    pub last_seen: i64,
}

impl Team {
    /// Does a step, and judges the workflow then.
    pub fn act(&mut self, step: &Step, meant: Meant) -> Result<Answer, Refused> {
        let done = self.try_to(step, meant);
        if let Step::Send(By::Outside(name), _)
        | Step::Inbox(By::Outside(name), _)
        | Step::Ack(By::Outside(name)) = step
            && done.is_ok()
        {
            self.hear_of(name);
        }
        self.judge();
        done
    }

    /// Whatever a member outside does shows that it is still there.
    fn hear_of(&mut self, name: &str) {
        let run = self.agent(name).ok().and_then(|member| self.live_run(member));
        if let Some(run) = run {
            self.runs[run].heard = self.now;
        }
    }

    fn try_to(&mut self, step: &Step, meant: Meant) -> Result<Answer, Refused> {
        let nothing = |done: Result<(), Refused>| done.map(|()| Answer::Nothing);
        let run = meant.run.unwrap_or_default();
        match step {
            Step::Send(by, post) => self.send_by(*by, run, post).map(Answer::Sent),
            Step::Ask(agent) => self.ask(agent).map(Answer::Sent),
            Step::Claim { is_backlog_open } => {
                let backlog = (!is_backlog_open).then_some(meant.backlog);
                Ok(Answer::Claimed(self.claim(backlog)))
            }
            Step::Inbox(by, limit) => {
                let reader = self.reader(*by, run)?;
                self.my_inbox(reader, *limit).map(Answer::Page)
            }
            Step::Ack(by) => {
                let reader = self.reader(*by, run)?;
                self.my_inbox_ack(reader, meant.message).map(Answer::Marked)
            }
            Step::Kept(verb, named) => nothing(self.kept(*verb, *named, meant.message)),
            Step::Cancel => nothing(self.cancel(run)),
            Step::Stop { agent, now } => nothing(self.stop(agent, *now)),
            Step::Resume(agent) => nothing(self.resume(agent)),
            Step::Wake(agent) => nothing(self.wake(agent)),
            Step::Remove(agent) => nothing(self.remove_idle(agent)),
            Step::Create(agent, kind) => nothing(self.create(agent, *kind)),
            Step::RetryRun => nothing(self.retry_run(run)),
            Step::ResumeAll => nothing(self.resume_all()),
            Step::Start(file) => nothing(self.start(file)),
            Step::Label => nothing(self.set_label(run)),
            step => {
                self.surely(step, meant);
                Ok(Answer::Nothing)
            }
        }
    }

    /// Steps that are never refused.
    fn surely(&mut self, step: &Step, meant: Meant) {
        let run = meant.run.unwrap_or_default();
        match step {
            Step::Note { started, tokens, cents } => self.note(run, *started, *tokens, *cents),
            Step::Finish(end) => self.finish(run, end),
            Step::BeginEnd(class, told) => self.begin_end(run, *class, *told),
            Step::EndDue => self.end_due(),
            Step::Limits(limits) => self.set_limits(*limits),
            Step::StopAll { now } => self.stop_all(*now),
            Step::EndSetup(end) => self.end_setup(end),
            Step::ShutDown => self.shut_down(),
            Step::Restart => self.restart(meant.last_seen),
            Step::Sweep => self.sweep(),
            Step::Clock(Move::By(ms)) => self.now += ms,
            Step::Read => self.read_all(meant.talk, meant.message),
            step => unreachable!("{step:?} may be refused"),
        }
    }

    /// Whether a run may still call.
    pub fn has_token(&self, run: usize) -> bool {
        let Some(run) = self.runs.get(run) else { return false };
        let is_at_work = matches!(run.state, RunState::Starting | RunState::Running);
        is_at_work && run.kind != RunKind::External && !self.members[run.member].is_removed
    }

    fn send_by(&mut self, by: By, run: usize, post: &Post) -> Result<Sent, Refused> {
        match by {
            By::Person => self.send(PERSON, None, post),
            By::PersonTo(_) if !post.to.is_empty() => Err(Refused),
            By::PersonTo(name) => {
                let post = Post { to: vec![name], ..post.clone() };
                self.send(PERSON, None, &post)
            }
            By::Outside(name) => {
                let member = self.agent(name)?;
                let run = self.live_run(member);
                let run = run.filter(|run| self.runs[*run].kind == RunKind::External);
                self.send(member, run, post)
            }
            By::Run if !self.has_token(run) => Err(Refused),
            By::Run => self.send(self.runs[run].member, Some(run), post),
        }
    }

    /// Who reads: a member that works in a run of the daemon's does so there alone.
    pub fn reader(&self, by: By, run: usize) -> Result<Reader, Refused> {
        match by {
            By::Person | By::PersonTo(_) => Ok(Reader::Person),
            By::Outside(name) => {
                let member = self.agent(name)?;
                match self.live_run(member) {
                    None => Ok(Reader::Outside(member)),
                    Some(run) if self.runs[run].kind == RunKind::External => Ok(Reader::Run(run)),
                    Some(_) => Err(Refused),
                }
            }
            By::Run if self.has_token(run) => Ok(Reader::Run(run)),
            By::Run => Err(Refused),
        }
    }

    fn set_label(&mut self, run: usize) -> Result<(), Refused> {
        if !self.has_token(run) {
            return Err(Refused);
        }
        let member = self.runs[run].member;
        self.members[member].label = Some("busy".to_owned());
        Ok(())
    }

    /// When something is due next that waits for its time.
    pub fn next_due(&self) -> Option<i64> {
        let mail = self.mail.iter().filter_map(|mail| mail.not_before);
        let members = self.members.iter().filter_map(|member| member.not_before);
        let ends = self.runs.iter().filter_map(|run| run.end_by);
        mail.chain(members).chain(ends).filter(|due| *due > self.now).min()
    }
}
