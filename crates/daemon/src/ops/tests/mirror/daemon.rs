//! A daemon to which random things happen. The same numbers bring about the same things, so an
//! earlier state of it can be had again.

use agent_worker_protocol::{AttentionItem, AttentionKind, MessageId, RunState, Scope, Target};

use super::super::*;
use crate::{
    changes::daemon::recover,
    entities::attention,
    error::OpError,
    ops::tests::{mirror::person::launch, model::Chance},
    rows::{agent::AgentRow, message, run::RunRow, workflow::WorkflowRow},
    store::identity,
};

/// The agents that there may be.
pub const NAMES: [&str; 4] = ["alice", "bob", "carol", "dave"];

/// The documents that there may be.
pub const FILES: [&str; 4] = ["notes.md", "a/Plan.md", "B.md", "Ärger.md"];

/// Little is kept, and what fails once is given up.
const SETTINGS: &str = "[feed]\nkeep = \"20s\"\nkeep_events = 25\n[runs]\nattempts = 1\n";

/// A daemon, without processes.
pub struct Daemon {
    pub world: World,
    pub claims: Vec<Claim>,
    /// All that has happened to it
    past: Vec<Past>,
    epochs: u32,
    is_examined: bool,
}

/// What happens to a daemon.
#[derive(Debug, Clone, Copy)]
pub enum Past {
    /// A workflow is started.
    Start(u64),
    /// A user, an agent or time acts, as this seed says.
    Deed(u64),
    /// It ends, and another begins.
    Restart,
    /// It is one of a copy, which has an epoch of its own.
    Copied(u32),
}

/// A refusal says why and does nothing; any other error is one of the daemon's own.
pub fn tried<T>(result: Result<T, OpError>) -> Option<T> {
    match result {
        Ok(done) => Some(done),
        Err(OpError::Refused(_)) => None,
        Err(fault) => panic!("an operation broke: {fault}"),
    }
}

impl Daemon {
    pub fn new(is_examined: bool) -> Self {
        let world = World::with_settings(SETTINGS);
        let world = if is_examined { world } else { world.unexamined() };
        Self { world, claims: Vec::new(), past: Vec::new(), epochs: 0, is_examined }
    }

    pub fn happen(&mut self, past: Past) {
        match past {
            Past::Start(number) => {
                tried(self.world.try_start(launch(&mut Chance::new(number))));
            }
            Past::Deed(number) => self.deed(&mut Chance::new(number)),
            Past::Restart => {
                self.world.daemon(|cx| recover::begin(cx, "never"));
            }
            Past::Copied(number) => {
                let epoch = format!("epoch{number}");
                self.world.daemon(move |cx| Ok(identity::begin_epoch(cx.conn, &epoch)?));
                self.world.daemon(|cx| recover::begin(cx, "never"));
            }
        }
        self.past.push(past);
    }

    /// Has a copy of an earlier state take its place.
    pub fn restore(&mut self, pointer: u32) {
        let kept = pointer as usize % (self.past.len() + 1);
        let mut earlier = Self::new(self.is_examined);
        for past in &self.past[..kept] {
            earlier.happen(*past);
        }
        self.epochs += 1;
        earlier.epochs = self.epochs;
        earlier.happen(Past::Copied(self.epochs));
        *self = earlier;
    }

    fn deed(&mut self, chance: &mut Chance) {
        match chance.below(43) {
            0..6 => self.person_says(chance),
            6..14 => self.work_begins(chance),
            14..20 => self.run_does(chance),
            20..27 => self.run_ends(chance),
            27..30 => self.workflow(chance),
            30..33 => self.agent(chance),
            33..35 => self.mail(chance),
            35 => self.reads(chance),
            36 if chance.one_in(2) => self.person_writes(chance),
            36 => self.person_answers(chance),
            37 => self.time_passes(chance),
            38 => self.groups(chance),
            39..42 => self.proposals(chance),
            _ => self.much_time_passes(),
        }
    }

    /// A scope, which usually exists.
    pub fn scope(&self, chance: &mut Chance) -> Scope {
        if chance.one_in(12) {
            return chance.pick(&["@team", "@team:b", "@other"]).parse().expect("it is a scope");
        }
        let all = self.world.daemon(|cx| WorkflowRow::all(cx.db));
        all[chance.below(all.len())].scope.clone()
    }

    /// A member, which usually exists.
    pub fn member(&self, chance: &mut Chance) -> Target {
        let all = self.world.daemon(|cx| AgentRow::all(cx.db));
        let agents: Vec<Target> =
            all.iter().filter(|row| row.works()).map(AgentRow::target).collect();
        if agents.is_empty() || chance.one_in(12) {
            let name = chance.pick(&NAMES).parse().expect("it is a name");
            return Target::member(name, self.scope(chance));
        }
        agents[chance.below(agents.len())].clone()
    }

    /// A member and its scope, as a call names them.
    pub fn caller(&self, chance: &mut Chance) -> (String, Option<String>) {
        let member = self.member(chance);
        (member.scope_or(&Scope::global()).to_string(), member.name.map(|name| name.to_string()))
    }

    /// A message, most often one of the newest.
    pub fn message(&self, chance: &mut Chance) -> MessageId {
        let newest = self.world.daemon(|cx| message::newest_seq(cx.db));
        let oldest = if chance.one_in(4) { 1 } else { (newest - 5).max(1) };
        MessageId::new(chance.between(oldest, newest.max(oldest)))
    }

    /// A member whose mail waits for the user, or a scope.
    pub fn needy(&self, chance: &mut Chance) -> Target {
        let all = self.world.daemon(|cx| attention::list(cx.db, None));
        let has_mail =
            |item: &&AttentionItem| matches!(item.kind, AttentionKind::Dead | AttentionKind::Held);
        let needy: Vec<_> = all.iter().filter(has_mail).collect();
        if needy.is_empty() || chance.one_in(4) {
            return self.scope(chance).into();
        }
        chance.pick(&needy).subject.parse().expect("it is a member")
    }

    /// A live run, and sometimes the newest run although it has ended.
    pub fn claim(&self, chance: &mut Chance, fits: fn(RunState) -> bool) -> Option<&Claim> {
        let live = self.world.daemon(|cx| RunRow::live(cx.db));
        let fits = |claim: &&Claim| live.iter().any(|row| row.id == claim.run() && fits(row.state));
        let at_work: Vec<&Claim> = self.claims.iter().filter(fits).collect();
        if !at_work.is_empty() && !chance.one_in(12) {
            return Some(chance.pick(&at_work));
        }
        let newest = self.claims.last()?;
        let run = newest.run();
        self.world.daemon(move |cx| RunRow::find(cx.db, run)).map(|_| newest)
    }
}

/// A word that may be a member's name.
pub fn word(chance: &mut Chance) -> &'static str {
    chance.pick(&["alice", "alice", "bob", "bob", "carol", "dave", "user", "all", "zed"])
}
