//! A history, played by the model and by the operations, and compared after every step.

use agent_worker_protocol::{DeliveryState, Event, RunKind};
use tokio::sync::broadcast::Receiver;

use crate::{
    context::cx::Cx,
    entities::{feed, snapshot},
    ops::tests::{
        BEGIN,
        model::{
            apply::{Answer, Meant},
            chance::picked,
            disk::Real,
            fold::Fold,
            inbox::Reader,
            seen::{Seen, Which, difference, mail_difference},
            spec::Spec,
            step::{By, Fate, Move, Step, Turn},
            tables,
            team::{CHANNEL, Mail, PERSON, Refused, Team},
        },
    },
};

/// A team, played twice.
pub struct Play {
    pub team: Team,
    pub real: Real,
    fold: Fold,
    news: Receiver<std::sync::Arc<Event>>,
    /// The newest message when the daemon last started
    backlog: i64,
    /// The newest message that was compared
    compared: i64,
    /// What was seen in the tables, and how many changes their connection had counted then
    tables: Seen,
    changes: u64,
    /// How many requests had a key
    asked: u64,
}

impl Play {
    pub fn new(spec: &Spec, is_on_disk: bool) -> Self {
        let real = Real::new(spec.numbers.settings(), is_on_disk);
        let news = real.world.store.subscribe();
        let fold = Fold::of(real.world.daemon(|cx| snapshot::take(cx)));
        Self {
            team: Team::new(spec, BEGIN),
            real,
            fold,
            news,
            backlog: 0,
            compared: 0,
            tables: Seen::default(),
            changes: 0,
            asked: 0,
        }
    }

    /// Does a step on both sides. What differs then is an error.
    pub fn turn(&mut self, turn: &Turn) -> Result<(), String> {
        let meant = self.meant(turn);
        let step = match &turn.step {
            Step::Clock(to) => Step::Clock(Move::By(self.resolve(*to))),
            step if self.is_nothing(step, meant.run) => Step::Claim { is_backlog_open: true },
            step => step.clone(),
        };
        match turn.fate {
            Fate::Answered => self.step(&step, meant).map(drop),
            // The clock is not the daemon's.
            Fate::Lost { again } if !matches!(step, Step::Clock(_)) => {
                self.lost(&step, meant, again)
            }
            Fate::Lost { again } | Fate::Unanswered { again } => {
                self.unanswered(&step, meant, again)
            }
        }
    }

    /// The daemon dies before it commits the step, as if the step had not been requested.
    fn lost(&mut self, step: &Step, meant: Meant, again: bool) -> Result<(), String> {
        self.name_request();
        self.real.doom();
        drop(self.real.act(step, meant, &self.team));
        self.die(step)?;
        if again && step.is_request() {
            drop(self.step(step, meant)?);
        }
        self.real.send_under(None);
        Ok(())
    }

    /// The daemon dies when the step is committed. Who asks again is told what was done; a run that
    /// was lost may not ask.
    fn unanswered(&mut self, step: &Step, meant: Meant, again: bool) -> Result<(), String> {
        self.name_request();
        let done = self.step(step, meant)?;
        self.die(step)?;
        if again && step.is_request() {
            match done {
                Ok(_) if !step.is_of_run() => {
                    let told = self.real.act(step, meant, &self.team);
                    if told != done {
                        return Err(format!(
                            "again {step:?}\n  first: {done:?}\n  then:  {told:?}"
                        ));
                    }
                    self.compare().map_err(|other| format!("after {step:?} again: {other}"))?;
                }
                _ => drop(self.step(step, meant)?),
            }
        }
        self.real.send_under(None);
        Ok(())
    }

    /// Each request has a key of its own.
    fn name_request(&mut self) {
        self.asked += 1;
        self.real.send_under(Some(format!("request {}", self.asked)));
    }

    /// The daemon dies after a step, and another begins with what is on the disk.
    fn die(&mut self, step: &Step) -> Result<(), String> {
        self.team.restart(self.fold.at);
        self.team.judge();
        self.real.die();
        self.begin_again()?;
        self.compare()
            .map_err(|difference| format!("after its death in {step:?}: {difference}"))?;
        self.compare_mail()
    }

    /// Another daemon has begun: all is looked at anew, and the feed goes on where it broke off.
    fn begin_again(&mut self) -> Result<(), String> {
        self.backlog = self.team.newest_seq();
        (self.compared, self.changes) = (0, u64::MAX);
        self.news = self.real.world.store.subscribe();
        let after = self.fold.seq();
        let missed =
            move |cx: &mut Cx<'_>| feed::page(cx.db, &feed::Filter::default(), after, usize::MAX);
        for line in self.real.world.daemon(missed).0 {
            self.fold.take(&serde_json::from_str(&line.json).expect("it is an event"))?;
        }
        Ok(())
    }

    /// Does a step on both sides, and gives what it answers.
    fn step(&mut self, step: &Step, meant: Meant) -> Result<Result<Answer, Refused>, String> {
        let expected = self.team.act(step, meant);
        let got = self.real.act(step, meant, &self.team);
        if expected != got {
            return Err(format!("{step:?}\n  model: {expected:?}\n  real:  {got:?}"));
        }
        if matches!(step, Step::Restart) {
            self.begin_again()?;
        }
        // What was refused was undone as a whole, and the clock alone changes nothing.
        if got.is_ok() && !matches!(step, Step::Clock(_)) {
            self.compare().map_err(|difference| format!("after {step:?}: {difference}"))?;
        }
        Ok(got)
    }

    /// Whether no run exists for the step. Runs of external members have no process and no
    /// supervisor.
    fn is_nothing(&self, step: &Step, run: Option<usize>) -> bool {
        let is_at_work = |run: usize| {
            let run = &self.team.runs[run];
            run.is_live() && run.kind != RunKind::External
        };
        match step {
            Step::Send(by, _) | Step::Inbox(by, _) | Step::Ack(by) => {
                *by == By::Run && run.is_none()
            }
            Step::Label | Step::Cancel | Step::RetryRun => run.is_none(),
            Step::Note { .. } | Step::Finish(_) | Step::BeginEnd(..) => {
                !run.is_some_and(is_at_work)
            }
            _ => false,
        }
    }

    /// How far the clock moves.
    fn resolve(&self, to: Move) -> i64 {
        match to {
            Move::By(ms) => ms,
            Move::NextDue => self.team.next_due().map_or(0, |due| due - self.team.now),
        }
    }

    /// Most runs that a step points to are live, and most messages are in the right state for it.
    fn meant(&self, turn: &Turn) -> Meant {
        let live = self.team.runs_inside();
        let all: Vec<usize> = (0..self.team.runs.len()).collect();
        let run = if turn.run.is_multiple_of(16) { None } else { picked(&live, turn.run) };
        let run = run.or(picked(&all, turn.run));
        let talks = self.team.readable();
        let fitting = self.fitting(&turn.step, run);
        let fits =
            if turn.message.is_multiple_of(5) { None } else { picked(&fitting, turn.message) };
        Meant {
            run,
            message: fits.unwrap_or(i64::from(turn.message) % (self.team.newest_seq() + 2)),
            talk: picked(&talks, turn.message).unwrap_or(CHANNEL),
            backlog: self.backlog,
            last_seen: self.fold.at,
        }
    }

    /// The messages that a step would most likely be about.
    fn fitting(&self, step: &Step, run: Option<usize>) -> Vec<i64> {
        let team = &self.team;
        let mail = match step {
            Step::Ack(by) => match team.reader(*by, run.unwrap_or_default()) {
                Ok(Reader::Run(run)) => team.leased(run),
                Ok(Reader::Person) => team.mail_of(PERSON, Mail::is_open),
                _ => Vec::new(),
            },
            Step::Kept(..) => {
                let is_kept = |at: &usize| {
                    matches!(team.mail[*at].state, DeliveryState::Held | DeliveryState::Dead)
                };
                (0..team.mail.len()).filter(is_kept).collect()
            }
            _ => Vec::new(),
        };
        mail.into_iter().map(|at| team.mail[at].seq).collect()
    }

    /// Compares all that can be seen, but for mail that is at its end, and what a client knows from
    /// the feed alone. What no statement has touched since is not read again.
    fn compare(&mut self) -> Result<(), String> {
        while let Ok(event) = self.news.try_recv() {
            self.fold.take(&event)?;
        }
        let (after, known) = (self.compared, self.changes);
        let changed = self.real.world.daemon(move |cx| {
            let changes = cx.conn.total_changes();
            if changes == known {
                return Ok(None);
            }
            let snapshot = snapshot::take(cx)?;
            let seen = tables::seen(cx, after, &snapshot.agents)?;
            Ok(Some((changes, seen, tables::broken(cx)?, snapshot)))
        });
        if let Some((changes, seen, broken, snapshot)) = changed {
            if let Some(broken) = broken {
                return Err(broken.to_owned());
            }
            if let Some(difference) = self.fold.difference(&snapshot) {
                return Err(format!("the feed does not tell all: {difference}"));
            }
            (self.changes, self.tables) = (changes, seen);
        }
        if let Some(difference) = difference(&self.team.seen(after), &self.tables) {
            return Err(difference);
        }
        self.compared = self.team.newest_seq();
        self.tables.messages.clear();
        Ok(())
    }

    /// Compares all mail, also what is at its end, with the model and with what a client knows of
    /// it from the feed alone.
    pub fn compare_mail(&mut self) -> Result<(), String> {
        let (seen, deliveries) = self
            .real
            .world
            .daemon(|cx| Ok((tables::mail(cx.conn, Which::All)?, tables::deliveries(cx)?)));
        if let Some(difference) = mail_difference(&self.team.seen_mail(Which::All), &seen) {
            return Err(difference);
        }
        match self.fold.mail_difference(&deliveries) {
            Some(difference) => Err(format!("the feed does not tell of all mail: {difference}")),
            None => Ok(()),
        }
    }
}
