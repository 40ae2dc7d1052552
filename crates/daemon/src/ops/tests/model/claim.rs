//! The model of §5: which agent works next and on what, and what its run is leased.

use agent_worker_protocol::{
    agent::{MemberKind, Wanted},
    inbox::DeliveryState,
    run::{RunKind, RunState},
    workflow::WorkflowState,
};

use super::team::{CHANNEL, Held, Mail, PERSON, Run, Team};

impl Team {
    /// Claims one run: of the agent with the oldest due mail, if there is a place for it. Mail up
    /// to `backlog` waits for its turn after a restart.
    pub fn claim(&mut self, backlog: Option<i64>) -> Option<usize> {
        let live = self.runs_inside().len();
        let fits = |most: Option<u32>| most.is_none_or(|most| live < most as usize);
        if !fits(Some(self.numbers.max_runs)) || !fits(self.workflow.limits.max_runs) {
            return None;
        }
        let mut ready: Vec<(i64, usize)> = self
            .present()
            .into_iter()
            .filter(|member| self.may_start(*member))
            .filter_map(|member| match self.first_due(member) {
                Some(due) => Some((self.mail[due].seq, member)),
                None => self.members[member].is_woken.then_some((0, member)),
            })
            .collect();
        ready.sort_unstable();
        for (due, member) in ready {
            if due > 0 && backlog.is_some_and(|until| due <= until) {
                continue;
            }
            if let Some(run) = self.claim_for(member) {
                return Some(run);
            }
        }
        None
    }

    fn may_start(&self, index: usize) -> bool {
        let member = &self.members[index];
        member.kind == MemberKind::Agent
            && member.wanted == Wanted::Active
            && self.has_come(member.not_before, self.numbers.longest_backoff)
            && self.workflow.state == WorkflowState::Running
            && self.live_run(index).is_none()
    }

    pub fn first_due(&self, member: usize) -> Option<usize> {
        self.mail_of(member, |mail| self.is_due(mail)).into_iter().next()
    }

    fn claim_for(&mut self, member: usize) -> Option<usize> {
        if self.is_over_budget() {
            self.hold_due(member);
            return None;
        }
        let mail = match self.first_allowed(member) {
            Some(first) => self.batch(member, first),
            None if self.members[member].is_woken => self.lying(member),
            None => return None,
        };
        let run = self.start_run(member, mail, true);
        self.members[member].is_woken = false;
        self.members[member].not_before = None;
        self.workflow.runs += 1;
        Some(run)
    }

    /// What the budget refuses is held, and a wake is over.
    pub fn hold_due(&mut self, member: usize) {
        while let Some(due) = self.first_due(member) {
            self.refuse(due);
        }
        self.members[member].is_woken = false;
    }

    /// The first due mail whose root has not led to too many runs; what has is held, unless the
    /// person let it through.
    pub fn first_allowed(&mut self, member: usize) -> Option<usize> {
        while let Some(due) = self.first_due(member) {
            let mail = &self.mail[due];
            if mail.is_released || self.runs_of_root(mail.root) < self.most_runs() {
                return Some(due);
            }
            self.hold(due, Held::Runs);
        }
        None
    }

    pub fn most_runs(&self) -> usize {
        self.workflow.limits.runs.unwrap_or(self.numbers.runs) as usize
    }

    /// How many runs had mail that goes back to a message.
    pub fn runs_of_root(&self, root: i64) -> usize {
        let has_it = |run: &&Run| run.mail.iter().any(|at| self.mail[*at].root == root);
        self.runs.iter().filter(has_it).count()
    }

    /// What may be leased together in a conversation, in order.
    pub fn leasable(&self, member: usize, talk: usize) -> Vec<usize> {
        self.mail_of(member, |mail| mail.talk == talk && mail.rides_along())
    }

    /// The due mail of one conversation with its first, in order and as much as a run is given.
    pub fn batch(&self, member: usize, first: usize) -> Vec<usize> {
        if self.mail[first].needs_own_run() {
            return vec![first];
        }
        let most = self.numbers.inbox_messages as usize;
        let mut mail = self.leasable(member, self.mail[first].talk);
        let place = mail.iter().position(|at| *at == first).expect("what is due may be leased");
        if place >= most {
            mail.truncate(most - 1);
            mail.push(first);
        }
        mail.truncate(most);
        let mut room = self.numbers.inbox_bytes as usize;
        room = room.saturating_sub(self.mail[first].bytes);
        let mut is_full = false;
        mail.retain(|at| {
            if *at == first {
                return true;
            }
            is_full |= self.mail[*at].bytes > room;
            if !is_full {
                room -= self.mail[*at].bytes;
            }
            !is_full
        });
        mail
    }

    /// What lies in the inbox of an agent that was woken: of the newest mail's conversation.
    pub fn lying(&self, member: usize) -> Vec<usize> {
        let Some(newest) = self.mail_of(member, Mail::is_open).pop() else { return Vec::new() };
        let mut mail = self.leasable(member, self.mail[newest].talk);
        mail.truncate(self.numbers.inbox_messages as usize);
        mail
    }

    pub fn start_run(&mut self, member: usize, mail: Vec<usize>, is_inside: bool) -> usize {
        let cause = mail.iter().copied().find(|at| self.mail[*at].wakes);
        let talk = mail.first().map_or(CHANNEL, |at| self.mail[*at].talk);
        let is_external = !is_inside || self.members[member].kind == MemberKind::External;
        let kind = match cause {
            _ if is_external => RunKind::External,
            None => RunKind::Wake,
            Some(at) if self.mail[at].is_solo => RunKind::Ask,
            Some(_) if talk == CHANNEL => RunKind::Mention,
            Some(_) => RunKind::Direct,
        };
        self.runs.push(Run {
            member,
            kind,
            generation: self.workflow.generation,
            talk,
            cause: cause.map(|at| self.mail[at].seq),
            attempt: cause.map_or(0, |at| self.mail[at].attempts) + 1,
            before: cause.and_then(|at| self.mail[at].run),
            is_alone: cause.is_some_and(|at| self.mail[at].needs_own_run()),
            mail: Vec::new(),
            leased_at: 0,
            hop: 0,
            root: None,
            state: if is_external { RunState::Running } else { RunState::Starting },
            class: None,
            planned: None,
            end_by: None,
            tokens: None,
            cents: None,
            heard: self.now,
            ended: None,
        });
        let run = self.runs.len() - 1;
        self.lease(run, mail);
        run
    }

    /// Leases mail to a run. Each lease counts an attempt; a message of the person sets the hop
    /// back, else the highest counts.
    pub fn lease(&mut self, run: usize, mail: Vec<usize>) {
        for at in mail {
            self.go(at, DeliveryState::Leased);
            let mail = &mut self.mail[at];
            mail.run = Some(run);
            mail.attempts += 1;
            let to = &mut self.runs[run];
            if mail.from == Some(PERSON) {
                to.hop = 0;
                to.root = Some(mail.root);
            } else if mail.hop >= to.hop || to.root.is_none() {
                to.hop = mail.hop;
                to.root = Some(mail.root);
            }
            to.mail.push(at);
        }
        self.runs[run].leased_at = self.newest_seq();
    }
}
