//! A proposal as the contract tells of it (`semantics.md` §10): who has voted for what, and what
//! comes of it. It takes nothing from the operations.

use std::collections::{BTreeMap, BTreeSet};

use agent_worker_protocol::{Outcome, ProposalStatus, ProposalType, Resolution, TieBreak};

/// A member by its name, and how many of that name there were before.
pub type Member = (&'static str, u32);

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    pub status: ProposalStatus,
    pub outcome: Outcome,
    pub result: Option<String>,
    pub at: i64,
}

/// A proposal.
#[derive(Debug, Clone)]
pub struct Motion {
    pub kind: ProposalType,
    pub resolution: Resolution,
    pub tie_break: TieBreak,
    pub quorum: usize,
    pub options: Vec<String>,
    pub electors: Vec<Member>,
    /// The electors that are not there any more
    pub gone: BTreeSet<Member>,
    pub creator: Member,
    /// Those whom names in it mean
    pub meant: Vec<Member>,
    pub binding: bool,
    pub sets_owner: bool,
    pub expires_at: i64,
    /// The option that each has chosen
    pub votes: BTreeMap<Member, usize>,
    pub end: Option<End>,
    /// How often it was announced
    pub changes: usize,
}

/// Those with the most votes.
fn leaders(counts: &[usize]) -> BTreeSet<usize> {
    let most = counts.iter().max().copied();
    (0..counts.len()).filter(|option| Some(counts[*option]) == most).collect()
}

impl Motion {
    /// Whether its options are members.
    pub fn is_of_members(&self) -> bool {
        is_of_members(self.kind)
    }

    /// How many have chosen each option.
    pub fn counts(&self) -> Vec<usize> {
        let count = |option| self.votes.values().filter(|chosen| **chosen == option).count();
        (0..self.options.len()).map(count).collect()
    }

    /// How many have not voted and still may.
    fn silent(&self) -> usize {
        let is_silent =
            |member: &&Member| !self.votes.contains_key(*member) && !self.gone.contains(*member);
        self.electors.iter().filter(is_silent).count()
    }

    /// What the counts would be if all who are silent chose the same: nothing farther from what
    /// they are now can come.
    fn ends(&self) -> impl Iterator<Item = Vec<usize>> {
        let silent = self.silent();
        (0..self.options.len()).map(move |option| {
            let mut counts = self.counts();
            counts[option] += silent;
            counts
        })
    }

    /// What is decided, while there is time or when it is over.
    pub fn verdict(&self, is_over: bool) -> Option<(Outcome, Option<usize>)> {
        let counts = self.counts();
        let is_over = is_over || self.silent() == 0;
        let can_be_enough = self.votes.len() + self.silent() >= self.quorum;
        let are_enough = self.votes.len() >= self.quorum;
        let decided = match self.resolution {
            Resolution::Plurality => {
                let lead = leaders(&counts);
                let is_safe = lead.len() == 1 && self.ends().all(|end| leaders(&end) == lead);
                let is_closed = are_enough && (is_safe || is_over);
                is_closed.then(|| self.led_by(&lead))
            }
            Resolution::Majority => {
                let is_most = |count: &usize| 2 * count > self.electors.len();
                let can_be = self.ends().any(|end| end.iter().any(is_most));
                match counts.iter().position(is_most) {
                    Some(option) if are_enough => Some((Outcome::Won, Some(option))),
                    _ if !can_be || is_over && are_enough => Some((Outcome::NoMajority, None)),
                    _ => None,
                }
            }
            Resolution::Unanimous => {
                let chosen: BTreeSet<_> = self.votes.values().copied().collect();
                let is_approval =
                    self.kind == ProposalType::Approval && self.options == ["approve", "reject"];
                let is_rejection = is_approval && chosen.iter().any(|option| *option != 0);
                if is_rejection || chosen.len() > 1 {
                    Some((Outcome::Rejected, None))
                } else {
                    let is_closed = is_over && are_enough;
                    is_closed.then(|| (Outcome::Won, chosen.first().copied()))
                }
            }
        };
        decided.or((is_over || !can_be_enough).then_some((Outcome::Expired, None)))
    }

    fn led_by(&self, lead: &BTreeSet<usize>) -> (Outcome, Option<usize>) {
        let first = lead.first().copied();
        let winner = match self.tie_break {
            _ if lead.len() == 1 => first,
            TieBreak::None => None,
            TieBreak::First => first,
            TieBreak::Creator => {
                self.votes.get(&self.creator).copied().filter(|own| lead.contains(own))
            }
        };
        (if winner.is_some() { Outcome::Won } else { Outcome::Tie }, winner)
    }

    /// Closes it if something is decided.
    pub fn judge(&mut self, is_over: bool, now: i64) -> bool {
        let Some((outcome, winner)) = self.verdict(is_over) else { return false };
        let status = match outcome {
            Outcome::Expired => ProposalStatus::Expired,
            _ => ProposalStatus::Resolved,
        };
        let result = winner.map(|option| self.options[option].clone());
        assert_eq!(self.end.replace(End { status, outcome, result, at: now }), None);
        true
    }
}

pub fn is_of_members(kind: ProposalType) -> bool {
    matches!(kind, ProposalType::Election | ProposalType::Assignment)
}
