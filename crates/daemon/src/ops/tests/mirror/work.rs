//! What runs do, and what becomes of them in time.

use agent_worker_protocol::{
    AskPerson, DocRead, DocWrite, MyInbox, MyStatusSet, PermissionRequest, QuestionAnswer,
    QuestionList, RunCancel, RunState, Usage,
};

use super::super::*;
use crate::{
    changes::{
        daemon::sweep,
        proposal::close,
        question,
        run::{
            end, finish,
            progress::{self, Progress},
        },
    },
    context::credential::Credential,
    ops::tests::{
        mirror::daemon::{Daemon, FILES, tried, word},
        model::Chance,
    },
    rows::run::RunRow,
    rules::ending::Failure,
};

impl Daemon {
    pub fn work_begins(&mut self, chance: &mut Chance) {
        if chance.one_in(4) {
            let (scope, name) = self.caller(chance);
            tried(self.world.call_as(&scope, name.as_deref(), MyInbox::default()));
            return;
        }
        if let Some(claim) = self.world.try_claim() {
            let (run, is_noted) = (claim.run(), chance.one_in(2));
            self.claims.push(claim);
            let started = Progress { started: is_noted, ..Progress::default() };
            self.world.daemon(move |cx| progress::note(cx, run, &started));
        }
    }

    pub fn run_does(&self, chance: &mut Chance) {
        let Some(claim) = self.claim(chance, |state| state != RunState::Ending) else { return };
        match chance.below(9) {
            6 => self.asks(claim, chance),
            8 => self.decides(claim, chance),
            7 => {
                let tool = chance.pick(&["shell", "fetch"]).to_owned();
                let arguments = serde_json::Map::new();
                let request = PermissionRequest { tool, arguments, expires_in: None };
                tried(self.world.tool(claim, request));
            }
            0 | 1 => {
                let text = format!("@{} look", word(chance));
                tried(self.world.tool(claim, say(&text)));
            }
            2 => {
                let file = Some(chance.pick(&FILES).to_owned());
                tried(self.world.tool(claim, DocRead { file: file.clone(), ..DocRead::default() }));
                tried(
                    self.world.tool(
                        claim,
                        DocWrite { content: "text".to_owned(), file, if_version: None },
                    ),
                );
            }
            3 => {
                let state = Some("busy".to_owned());
                tried(self.world.tool(claim, MyStatusSet { state, task: None }));
            }
            4 => drop(tried(self.world.tool(claim, MyInbox::default()))),
            _ => {
                let run = claim.run();
                let progress = Progress {
                    started: true,
                    activity: chance.one_in(2).then(|| "reading".to_owned()),
                    usage: Usage { input: Some(chance.between(1, 90)), ..Usage::default() },
                    cost: chance.one_in(3).then_some(0.25),
                    ..Progress::default()
                };
                self.world.daemon(move |cx| progress::note(cx, run, &progress));
            }
        }
    }

    /// It asks the person, and waits, or waits no more, or is not heard of again.
    fn asks(&self, claim: &Claim, chance: &mut Chance) {
        let options = if chance.one_in(2) { vec!["yes".to_owned()] } else { Vec::new() };
        let ask = AskPerson {
            question: chance.pick(&["why?", "when?"]).to_owned(),
            default: chance.one_in(2).then(|| "yes".to_owned()),
            expires_in: chance.one_in(2).then(|| "30s".parse().expect("it is a span")),
            options,
        };
        let Some(asked) = tried(self.world.tool(claim, ask)) else { return };
        let credential = Credential::Run { token_hash: claim.token, target: None, agent: None };
        let (leaves, id) = (chance.below(3), asked.id);
        tried(self.world.store.blocking_write(credential, move |cx| match leaves {
            0 => question::leave(cx, id).map(drop),
            1 => question::forsake_call(cx, id),
            _ => Ok(()),
        }));
    }

    /// The person answers what is open, and sometimes what is not.
    pub fn person_answers(&self, chance: &mut Chance) {
        let list = QuestionList { all: chance.one_in(6), ..QuestionList::default() };
        let all = self.world.call("", list);
        let all = all.expect("the person may").questions;
        if !all.is_empty() {
            let id = all[chance.below(all.len())].id;
            let answer = chance.pick(&["yes", "yes", "allow", "deny", "perhaps"]).to_owned();
            tried(self.world.call("", QuestionAnswer { id, answer }));
        }
    }

    pub fn run_ends(&self, chance: &mut Chance) {
        use crate::rows::run::EndCause::Cancelled;
        use crate::rows::run::EndCause::Lost;
        use crate::rows::run::EndCause::OverBudget;
        use crate::rows::run::EndCause::Overflow;
        use crate::rows::run::EndCause::Permanent;
        use crate::rows::run::EndCause::TimedOut;
        use crate::rows::run::EndCause::Transient;
        use crate::rows::run::EndCause::Unavailable;
        let Some(claim) = self.claim(chance, RunState::is_live) else { return };
        let class = chance.pick(&[
            Transient,
            Transient,
            TimedOut,
            Unavailable,
            Overflow,
            Permanent,
            Lost,
            OverBudget,
            Cancelled,
        ]);
        let run = claim.run();
        match chance.below(8) {
            0..4 => {
                let text = format!("done, @{}", word(chance));
                self.world.succeed(claim, if chance.one_in(2) { &text } else { "" });
            }
            4 | 5 => self.world.fail(claim, class),
            6 => {
                let failure = Failure::new(class, "it broke");
                self.world.daemon(move |cx| finish::begin_end(cx, run, &failure));
            }
            _ if chance.one_in(2) => drop(tried(self.world.call("", RunCancel { id: run }))),
            _ => self.world.daemon(end::request_end_of_all),
        }
    }

    /// The clock goes on, sometimes back, and what is due then is done.
    pub fn time_passes(&self, chance: &mut Chance) {
        self.world.pass(match chance.below(6) {
            0..3 => chance.between(1, 20_000),
            3 => chance.between(60_000, 900_000),
            4 => chance.between(3_600_000, 100_000_000),
            _ => -chance.between(1_000, 30_000),
        });
        self.world.daemon(|cx| {
            for row in RunRow::live(cx.db)? {
                if let (Some(by), Some(class)) = (row.end_by, row.end_class)
                    && by <= cx.now
                {
                    let error = row.end_error.unwrap_or_default();
                    finish::begin_end(cx, row.id, &Failure::new(class, error))?;
                }
            }
            sweep::end_late(cx)?;
            close::close_late(cx).map(drop)
        });
    }

    /// So much that events are no longer kept.
    pub fn much_time_passes(&self) {
        self.world.pass(21_000);
        while self.world.daemon(sweep::sweep) {}
    }
}
