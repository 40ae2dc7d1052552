//! The model of what the person does with agents, with mail that is kept, and by reading.

use std::collections::BTreeSet;

use agent_worker_protocol::{DeliveryState, MemberKind, RunState, Wanted, WorkflowState};

use crate::{
    ops::tests::model::{
        step::{Named, Verb},
        team::{CHANNEL, Mail, Member, Message, PERSON, Refused, Run, Team},
    },
    rows::run::EndCause,
};

impl Team {
    pub fn stop(&mut self, name: &str, now: bool) -> Result<(), Refused> {
        let agent = self.agent(name)?;
        self.members[agent].wanted = Wanted::Stopped;
        self.members[agent].is_woken = false;
        if let Some(run) = self.live_run(agent) {
            self.request_end(run, EndCause::Stopped, self.stop_time(now));
        }
        Ok(())
    }

    pub fn resume(&mut self, name: &str) -> Result<(), Refused> {
        let agent = self.agent(name)?;
        self.activate(agent);
        if self.workflow.state != WorkflowState::Stopped {
            self.take_back_stop(agent);
        }
        Ok(())
    }

    /// A run goes on that a stop has not ended yet, unless the daemon stops.
    pub fn take_back_stop(&mut self, member: usize) {
        if self.is_stopping {
            return;
        }
        let Some(run) = self.live_run(member) else { return };
        let run = &mut self.runs[run];
        let is_stopped = matches!(run.planned, Some((EndCause::Stopped, _)));
        if is_stopped && run.state != RunState::Ending {
            run.end_by = None;
            run.planned = None;
        }
    }

    /// Makes an agent active, with all that kept it forgiven.
    pub fn activate(&mut self, index: usize) {
        let is_over = |run: &&Run| run.member == index && !run.is_live();
        let forgiven_runs = self.runs.iter().filter(is_over).count();
        let member = &mut self.members[index];
        member.wanted = Wanted::Active;
        member.not_before = None;
        member.away = None;
        member.forgiven_runs = forgiven_runs;
    }

    /// Waiting mail is due at once; without due mail the agent gets one run.
    pub fn wake(&mut self, name: &str) -> Result<(), Refused> {
        let agent = self.agent(name)?;
        let member = &self.members[agent];
        let can_wake = member.kind == MemberKind::Agent && member.wanted == Wanted::Active;
        if !can_wake || !self.takes_work() || self.is_over_budget() {
            return Err(Refused);
        }
        for at in self.mail_of(agent, Mail::is_open) {
            self.mail[at].not_before = None;
        }
        self.members[agent].not_before = None;
        self.members[agent].is_woken = !self.has_waking_mail(agent);
        Ok(())
    }

    /// A run at work keeps its agent.
    pub fn remove_idle(&mut self, name: &str) -> Result<(), Refused> {
        let agent = self.agent(name)?;
        if self.live_run(agent).is_some() {
            return Err(Refused);
        }
        self.remove(agent);
        Ok(())
    }

    /// Takes a member out; its mail is dropped, and a run of it ends.
    pub fn remove(&mut self, index: usize) {
        self.drop_open(index);
        self.members[index].is_removed = true;
        if let Some(run) = self.live_run(index) {
            self.request_end(run, EndCause::Stopped, self.now);
        }
    }

    /// Drops everything of an agent that no run has and that is not at its end.
    pub fn drop_open(&mut self, index: usize) {
        use agent_worker_protocol::inbox::DeliveryState::Dead;
        use agent_worker_protocol::inbox::DeliveryState::Held;
        use agent_worker_protocol::inbox::DeliveryState::Pending;
        use agent_worker_protocol::inbox::DeliveryState::Waiting;
        let is_open = |state| matches!(state, Pending | Waiting | Held | Dead);
        for at in self.mail_of(index, |mail| is_open(mail.state)) {
            self.go(at, DeliveryState::Dropped);
        }
    }

    pub fn create(&mut self, name: &str, kind: MemberKind) -> Result<(), Refused> {
        let agents =
            self.present().into_iter().filter(|member| self.members[*member].works()).count();
        let is_full = self.workflow.limits.agents.is_some_and(|most| agents >= most as usize);
        if self.named(name).is_ok() || is_full {
            return Err(Refused);
        }
        self.join(name, kind, false);
        Ok(())
    }

    pub fn join(&mut self, name: &str, kind: MemberKind, is_of_file: bool) {
        self.members.push(Member {
            name: name.to_owned(),
            kind,
            is_of_file,
            is_removed: false,
            wanted: Wanted::Active,
            not_before: None,
            is_woken: false,
            away: None,
            forgiven_runs: 0,
            label: None,
        });
    }

    /// The mail of agents that the person names.
    fn meant(&self, named: Named, message: i64) -> Result<Vec<usize>, Refused> {
        let agents: Vec<usize> =
            self.present().into_iter().filter(|member| *member != PERSON).collect();
        let of_message = named == Named::Message;
        if of_message && !(1..=self.newest_seq()).contains(&message) {
            return Err(Refused);
        }
        let agents = match named {
            Named::Agent(name) => vec![self.named(name)?],
            Named::Team | Named::Message => agents,
        };
        Ok(agents
            .into_iter()
            .flat_map(|agent| self.mail_of(agent, |mail| !of_message || mail.seq == message))
            .collect())
    }

    /// Retries dead mail, releases held mail, or drops both; what is named by its message, and
    /// neither dead nor held for anyone, is dropped where it waits, unless a run has it. What a
    /// budget holds that is used up would be held again: it is not released.
    pub fn kept(&mut self, verb: Verb, named: Named, message: i64) -> Result<(), Refused> {
        use crate::ops::tests::model::team::Held::Budget;
        use agent_worker_protocol::inbox::DeliveryState::Dead;
        use agent_worker_protocol::inbox::DeliveryState::Dropped;
        use agent_worker_protocol::inbox::DeliveryState::Held;
        use agent_worker_protocol::inbox::DeliveryState::Leased;
        use agent_worker_protocol::inbox::DeliveryState::Pending;
        use agent_worker_protocol::inbox::DeliveryState::Waiting;
        let mut meant = self.meant(named, message)?;
        let by_name = named == Named::Message
            && !meant.iter().any(|at| matches!(self.mail[*at].state, Dead | Held));
        let is_at_work = |at: &usize| self.mail[*at].state == Leased;
        if verb == Verb::Drop && by_name && meant.iter().any(is_at_work) {
            return Err(Refused);
        }
        meant.retain(|at| match (verb, self.mail[*at].state) {
            (Verb::Retry | Verb::Drop, Dead) | (Verb::Release | Verb::Drop, Held) => true,
            (Verb::Drop, Pending | Waiting) => by_name,
            _ => false,
        });
        if verb == Verb::Release && self.is_over_budget() {
            meant.retain(|at| self.mail[*at].held != Some(Budget));
        }
        for at in &meant {
            match verb {
                Verb::Retry => self.retry(*at),
                Verb::Release => self.release(*at),
                Verb::Drop => self.go(*at, Dropped),
            }
        }
        if meant.is_empty() { Err(Refused) } else { Ok(()) }
    }

    fn retry(&mut self, at: usize) {
        self.go(at, DeliveryState::Pending);
        self.mail[at].attempts = 0;
    }

    /// A release sets the hop to 0 and lets the mail through.
    fn release(&mut self, at: usize) {
        self.go(at, DeliveryState::Pending);
        let mail = &mut self.mail[at];
        mail.hop = 0;
        mail.lost = 0;
        mail.is_released = true;
    }

    /// Tries all mail again that a run left behind.
    pub fn retry_run(&mut self, run: usize) -> Result<(), Refused> {
        use agent_worker_protocol::inbox::DeliveryState::Dead;
        use agent_worker_protocol::inbox::DeliveryState::Held;
        let member = self.runs[run].member;
        let kept =
            self.mail_of(member, |mail| mail.run == Some(run) && matches!(mail.state, Held | Dead));
        let is_refused = |at: &usize| self.mail[*at].held == Some(super::team::Held::Budget);
        if self.is_over_budget() && kept.iter().any(is_refused) {
            return Err(Refused);
        }
        for at in &kept {
            let was_held = self.mail[*at].state == Held;
            if was_held {
                self.release(*at);
            } else {
                self.retry(*at);
            }
            self.mail[*at].attempts = 0;
            self.mail[*at].lost = 0;
        }
        if kept.is_empty() { Err(Refused) } else { Ok(()) }
    }

    /// Reads a conversation, and with it those of the same name that are closed.
    pub fn read_all(&mut self, talk: usize, until: i64) {
        let named = self.names_in(talk);
        for other in CHANNEL..self.talks.len() {
            if other == talk || (self.talks[other].is_closed && self.names_in(other) == named) {
                self.read(other, until);
            }
        }
    }

    /// The names of the two of a conversation; none for the channel.
    pub fn names_in(&self, talk: usize) -> Option<BTreeSet<String>> {
        self.talks[talk].pair.map(|pair| self.names_of(pair))
    }

    pub fn names_of(&self, pair: [usize; 2]) -> BTreeSet<String> {
        pair.map(|member| self.members[member].name.clone()).into()
    }

    /// Moves the user's read cursor on, never back, and acks what it passes.
    pub fn read(&mut self, talk: usize, until: i64) {
        let until = until.min(self.talks[talk].last_seq);
        if until <= self.talks[talk].read_seq {
            return;
        }
        let is_later = |(place, message): &(usize, &Message)| {
            message.talk == talk && i64::try_from(place + 1).is_ok_and(|seq| seq > until)
        };
        let later: Vec<_> = self.messages.iter().enumerate().filter(is_later).collect();
        let own = later.iter().filter(|(_, message)| message.sender == Some(PERSON)).count();
        let count = |many| i64::try_from(many).expect("there are few messages");
        self.talks[talk].read_seq = until;
        self.talks[talk].read_messages = self.talks[talk].messages - count(later.len());
        self.talks[talk].own_later = count(own);
        for at in self.mail_of(PERSON, |mail| mail.talk == talk && mail.seq <= until) {
            if self.mail[at].is_open() {
                self.go(at, DeliveryState::Acked);
            }
        }
    }

    /// The person says what is read, as agents do.
    pub fn read_until(&mut self, until: i64) -> Result<Vec<i64>, Refused> {
        let mail = self.mail_of(PERSON, |mail| mail.seq == until);
        let talk = mail.first().map(|at| self.mail[*at].talk).ok_or(Refused)?;
        let is_new = |mail: &Mail| mail.talk == talk && mail.seq <= until && mail.is_open();
        let marked = self.mail_of(PERSON, is_new).into_iter().map(|at| self.mail[at].seq).collect();
        self.read(talk, until);
        Ok(marked)
    }

    /// The conversations that the person is in and can name.
    pub fn readable(&self) -> Vec<usize> {
        (CHANNEL..self.talks.len())
            .filter(|talk| {
                let talk = &self.talks[*talk];
                !talk.is_closed && talk.pair.is_none_or(|pair| pair.contains(&PERSON))
            })
            .collect()
    }
}
