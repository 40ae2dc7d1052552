//! The model of §5: which agent works next and on what, and what its run is leased.

use agent_worker_protocol::{
    DeliveryState, FailureClass, MemberKind, RunKind, RunState, Wanted, WorkflowState,
};

use crate::ops::tests::model::team::{CHANNEL, Held, Mail, PERSON, Run, Team};

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
        let first = self.first_allowed(member);
        if first.is_none() && !self.members[member].is_woken {
            return None;
        }
        let most = self.numbers.inbox_messages as usize;
        let mail = self.batch(member, first, most);
        let run = self.start_run(member, mail, true);
        self.members[member].is_woken = false;
        self.members[member].not_before = None;
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
            if !self.leads_too_far(due) {
                return Some(due);
            }
            self.hold(due, Held::Runs);
        }
        None
    }

    /// Whether mail goes back to a message that has led to too many runs, and the person did not
    /// let it through.
    fn leads_too_far(&self, at: usize) -> bool {
        let mail = &self.mail[at];
        !mail.is_released && self.runs_of_root(mail.root) >= self.most_runs()
    }

    /// No run is woken by mail that leads too far, unless other mail of the same root wakes it
    /// anyway. Such mail of its conversation is held, up to the first that the run leaves behind
    /// when it takes all it may.
    pub fn hold_others(&mut self, member: usize, talk: usize, most: usize, roots: &[i64]) {
        let is_waking = |mail: &Mail| mail.wakes && mail.rides_along() && mail.talk == talk;
        let mut others = 0;
        for at in self.mail_of(member, is_waking) {
            if others > most {
                break;
            }
            if !roots.contains(&self.mail[at].root) && self.leads_too_far(at) {
                self.hold(at, Held::Runs);
            } else {
                others += 1;
            }
        }
    }

    pub fn most_runs(&self) -> usize {
        self.workflow.limits.runs.unwrap_or(self.numbers.runs) as usize
    }

    /// How many runs had mail that woke them and goes back to a message. Those that found their
    /// model away or were lost used no attempt and do not count.
    pub fn runs_of_root(&self, root: i64) -> usize {
        let is_of_it = |mail: &Mail| mail.wakes && mail.root == root;
        let counts =
            |run: &Run| !matches!(run.class, Some(FailureClass::Unavailable | FailureClass::Lost));
        let has_it =
            |run: &&Run| counts(run) && run.mail.iter().any(|at| is_of_it(&self.mail[*at]));
        self.runs.iter().filter(has_it).count()
    }

    /// What a run takes that begins with `first`: the waking mail of its conversation, and the mail
    /// of all conversations that wakes no one. A wake without due mail takes only the latter.
    pub fn batch(&mut self, member: usize, first: Option<usize>, most: usize) -> Vec<usize> {
        if let Some(first) = first.filter(|first| self.mail[*first].needs_own_run()) {
            return vec![first];
        }
        if let Some(first) = first {
            let (talk, root) = (self.mail[first].talk, self.mail[first].root);
            self.hold_others(member, talk, most, &[root]);
        }
        let talk = first.map(|first| self.mail[first].talk);
        self.fitting_mail(member, talk, most, &[])
    }

    /// What fits on a page beside the mail that is there, in order, waking mail first. Waking mail
    /// that does not fit keeps all later mail waiting, other mail only itself. Mail that wakes no
    /// one is looked at up to one more than may be taken. The first is taken whatever its size.
    pub fn fitting_mail(
        &self,
        member: usize,
        talk: Option<usize>,
        most: usize,
        there: &[usize],
    ) -> Vec<usize> {
        let page = self.numbers.inbox_bytes as usize;
        let mut waking = self.waking_bytes(there);
        let mut used: usize = there.iter().map(|at| self.shown_bytes(*at, waking)).sum();
        let may_ride = |mail: &Mail| mail.rides_along() && (!mail.wakes || talk == Some(mail.talk));
        let (urgent, mut other): (Vec<usize>, Vec<usize>) =
            self.mail_of(member, may_ride).into_iter().partition(|at| self.mail[*at].wakes);
        other.truncate(most + 1);
        let mut taken = Vec::new();
        for at in urgent.into_iter().chain(other) {
            let bytes = self.shown_bytes(at, waking);
            let is_first = there.is_empty() && taken.is_empty();
            if taken.len() < most && (used + bytes <= page || is_first) {
                used += bytes;
                waking += self.waking_bytes(&[at]);
                taken.push(at);
            } else if self.mail[at].wakes {
                break;
            }
        }
        taken.sort_by_key(|at| self.mail[*at].seq);
        taken
    }

    pub fn waking_bytes(&self, mail: &[usize]) -> usize {
        let waking = mail.iter().map(|at| &self.mail[*at]).filter(|mail| mail.wakes);
        waking.map(|mail| mail.bytes).sum()
    }

    /// How much of a message a page shows on which waking mail takes so much: all of it, or an
    /// eighth of the page if it wakes no one and could not be there whole if it were the only one
    /// of its kind. Waking mail that no page can hold is not counted.
    pub fn shown_bytes(&self, at: usize, waking: usize) -> usize {
        let (page, mail) = (self.numbers.inbox_bytes as usize, &self.mail[at]);
        let rest = if waking < page { page - waking } else { page };
        if mail.wakes || mail.bytes <= rest { mail.bytes } else { mail.bytes.min(page / 8) }
    }

    pub fn start_run(&mut self, member: usize, mail: Vec<usize>, is_inside: bool) -> usize {
        let cause = mail.iter().copied().find(|at| self.mail[*at].wakes);
        let mut talks: Vec<usize> = mail.iter().map(|at| self.mail[*at].talk).collect();
        talks.dedup();
        let talk = match (cause, talks.as_slice()) {
            (Some(cause), _) => self.mail[cause].talk,
            (None, [only]) => *only,
            (None, _) => CHANNEL,
        };
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
            begun: self.now,
            heard: self.now,
            ended: None,
        });
        self.workflow.runs += 1;
        let run = self.runs.len() - 1;
        self.lease(run, mail);
        run
    }

    /// Leases mail to a run. Each lease counts an attempt.
    pub fn lease(&mut self, run: usize, mail: Vec<usize>) {
        if mail.iter().any(|at| self.mail[*at].wakes) {
            self.runs[run].leased_at = self.newest_seq();
        }
        for at in mail {
            self.go(at, DeliveryState::Leased);
            self.mail[at].run = Some(run);
            self.mail[at].attempts += 1;
            self.runs[run].mail.push(at);
        }
        (self.runs[run].hop, self.runs[run].root) = self.distance(run);
    }

    /// How far a run is from the person: the highest hop of the mail that woke it, or of all its
    /// mail if none did, counted anew from each message of the person.
    fn distance(&self, run: usize) -> (i64, Option<i64>) {
        let mut mail: Vec<&Mail> = self.runs[run].mail.iter().map(|at| &self.mail[*at]).collect();
        if mail.iter().any(|mail| mail.wakes) {
            mail.retain(|mail| mail.wakes);
        }
        mail.sort_by_key(|mail| mail.seq);
        let newest_of_person = mail.iter().rposition(|mail| mail.from == Some(PERSON));
        let counted = &mail[newest_of_person.unwrap_or(0)..];
        let mut farthest: Option<&Mail> = None;
        for mail in counted {
            if farthest.is_none_or(|known| mail.hop >= known.hop) {
                farthest = Some(mail);
            }
        }
        farthest.map_or((0, None), |mail| (mail.hop, Some(mail.root)))
    }
}
