//! The model of §5: what a run, a member outside and the person are given, and what they ack.

use std::collections::BTreeMap;

use agent_worker_protocol::{DeliveryState, RunKind, Wanted};

use crate::ops::tests::model::team::{Mail, PERSON, Refused, Run, Team};

/// A page of an inbox.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    pub messages: Vec<i64>,
    pub more: bool,
    /// How much mail other conversations have
    pub elsewhere: BTreeMap<usize, i64>,
}

/// Who reads an inbox, or says what is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    Person,
    Run(usize),
    /// A member that acts without a run
    Outside(usize),
}

impl Team {
    /// A page of an inbox, at most `limit` messages.
    pub fn my_inbox(&mut self, reader: Reader, limit: Option<u32>) -> Result<Page, Refused> {
        let limit = limit.unwrap_or(self.numbers.inbox_messages).clamp(1, 200) as usize;
        match reader {
            Reader::Person => Ok(self.page_of_person(limit)),
            Reader::Run(run) => Ok(self.page_of_run(run, limit)),
            Reader::Outside(member) => match self.open_run(member, limit)? {
                Some(run) => Ok(self.page_of_run(run, limit)),
                None => Ok(Page::default()),
            },
        }
    }

    /// How many of these fit on a page on which waking mail takes so much, at least one.
    fn fitting(&self, mail: &[usize], limit: usize, waking: usize) -> usize {
        let mut room = self.numbers.inbox_bytes as usize;
        let is_alone = mail.len().min(limit) == 1;
        let fits = |(place, at): &(usize, &usize)| {
            let shown = self.shown_bytes(**at, waking);
            let bytes = if is_alone { self.mail[**at].bytes } else { shown };
            let fits = bytes <= room || *place == 0;
            room = room.saturating_sub(bytes);
            fits
        };
        mail.iter().take(limit).enumerate().take_while(fits).count()
    }

    fn page_of_person(&self, limit: usize) -> Page {
        let mut mail = self.mail_of(PERSON, Mail::is_open);
        let count = self.fitting(&mail, limit, 0);
        let more = count < mail.len();
        mail.truncate(count);
        let messages = mail.into_iter().map(|at| self.mail[at].seq).collect();
        Page { messages, more, elsewhere: BTreeMap::new() }
    }

    /// What a run has and has not marked, with newer mail of its conversation, which is leased.
    fn page_of_run(&mut self, run: usize, limit: usize) -> Page {
        let Run { member, talk, is_alone, .. } = self.runs[run];
        if !is_alone {
            self.lease_newer(run, limit);
        }
        let mut mail = self.unmarked(run);
        let count = self.fitting(&mail, limit, self.waking_bytes(&mail));
        let is_cut = count < mail.len();
        mail.truncate(count);
        let mut elsewhere = BTreeMap::new();
        let wakes_later = |mail: &Mail| {
            let is_for_later = is_alone || mail.talk != talk || mail.needs_own_run();
            mail.wakes && mail.is_open() && is_for_later
        };
        for at in self.mail_of(member, wakes_later) {
            *elsewhere.entry(self.mail[at].talk).or_default() += 1;
        }
        Page {
            messages: mail.into_iter().map(|at| self.mail[at].seq).collect(),
            more: is_cut || (!is_alone && self.has_more(member, talk)),
            elsewhere,
        }
    }

    fn unmarked(&self, run: usize) -> Vec<usize> {
        let mut mail = self.leased(run);
        mail.retain(|at| self.mail[*at].marked_by != Some(run));
        mail
    }

    fn has_more(&self, member: usize, talk: usize) -> bool {
        !self.fitting_mail(member, Some(talk), 1, &[]).is_empty()
    }

    fn lease_newer(&mut self, run: usize, limit: usize) {
        let Run { member, talk, .. } = self.runs[run];
        let has = self.unmarked(run);
        let most = limit.saturating_sub(has.len());
        let given = self.runs[run].mail.iter().map(|at| &self.mail[*at]);
        let roots: Vec<i64> = given.filter(|mail| mail.wakes).map(|mail| mail.root).collect();
        self.hold_others(member, talk, most, &roots);
        let newer = self.fitting_mail(member, Some(talk), most, &has);
        if !newer.is_empty() {
            self.lease(run, newer);
        }
    }

    /// Opens a run for a member that reads its inbox from outside, if something lies there.
    fn open_run(&mut self, member: usize, limit: usize) -> Result<Option<usize>, Refused> {
        let is_active = self.members[member].wanted == Wanted::Active;
        if !is_active || !self.takes_work() {
            return Err(Refused);
        }
        if self.is_over_budget() {
            self.hold_due(member);
            return Ok(None);
        }
        let first = self.first_allowed(member);
        let mail = self.batch(member, first, limit);
        Ok((!mail.is_empty()).then(|| self.start_run(member, mail, false)))
    }

    /// A run that a member outside has again, which is done with what it had before it was lost:
    /// its mail up to a message, and no other.
    fn reopened(&mut self, member: usize, until: i64) -> Result<Option<usize>, Refused> {
        let given = self.mail_of(member, |mail| {
            mail.seq == until && mail.state == DeliveryState::Pending && mail.run.is_some()
        });
        let lost = given.first().and_then(|at| self.mail[*at].run);
        let lost = lost.filter(|run| self.runs[*run].kind == RunKind::External);
        if lost.is_none() {
            return Ok(None);
        }
        let is_active = self.members[member].wanted == Wanted::Active;
        if !is_active || !self.takes_work() || self.is_over_budget() {
            return Err(Refused);
        }
        let mail = self.mail_of(member, |mail| {
            mail.run == lost && mail.state == DeliveryState::Pending && mail.seq <= until
        });
        Ok(Some(self.start_run(member, mail, false)))
    }

    /// Marks what a run has up to a message; outside that acks at once.
    pub fn my_inbox_ack(&mut self, reader: Reader, until: i64) -> Result<Vec<i64>, Refused> {
        let (member, run) = match reader {
            Reader::Person => return self.read_until(until),
            Reader::Run(run) => (self.runs[run].member, Some(run)),
            Reader::Outside(member) => (member, self.reopened(member, until)?),
        };
        let leased = run.map(|run| self.leased(run)).unwrap_or_default();
        let Some(run) = run.filter(|_| leased.iter().any(|at| self.mail[*at].seq == until)) else {
            let known = self.mail_of(member, |mail| mail.seq == until);
            let is_done = |at: &usize| {
                matches!(self.mail[*at].state, DeliveryState::Acked | DeliveryState::Dropped)
            };
            return if known.iter().any(is_done) { Ok(Vec::new()) } else { Err(Refused) };
        };
        let mut done = self.unmarked(run);
        done.retain(|at| self.mail[*at].seq <= until);
        let mut marked = Vec::new();
        for at in done {
            self.mail[at].marked_by = Some(run);
            marked.push(self.mail[at].seq);
            if self.runs[run].kind == RunKind::External {
                self.go(at, DeliveryState::Acked);
            }
        }
        if self.runs[run].kind == RunKind::External && self.leased(run).is_empty() {
            self.succeed(run, None);
        }
        Ok(marked)
    }
}
