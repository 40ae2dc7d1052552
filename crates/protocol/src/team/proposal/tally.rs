//! How votes become a result: a function of the votes alone.

use crate::{
    team::proposal::ops::{Outcome, Proposal, ProposalType, Resolution, TieBreak},
    terms::Name,
};

/// All that the result depends on.
#[derive(Debug, Clone)]
pub struct Ballot {
    /// Whether only its first option agrees: an approval with its usual options
    pub is_approval: bool,
    /// How votes become a result
    pub resolution: Resolution,
    /// Who wins a tie
    pub tie_break: TieBreak,
    /// How many must vote, at least one
    pub quorum: usize,
    /// How many may vote, with those that were removed
    pub electors: usize,
    /// How many of them have not voted and still may
    pub left: usize,
    /// For each option, how many chose it
    pub counts: Vec<usize>,
    /// The creator's own choice, if it may vote and has
    pub creators: Option<usize>,
}

/// What the votes say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It stays open.
    Open,
    /// It is closed: with this outcome, and this option if one has won.
    Closed(Outcome, Option<usize>),
}

const NO_WINNER: fn(Outcome) -> Verdict = |outcome| Verdict::Closed(outcome, None);

impl Proposal {
    /// Its votes as they stand.
    pub fn ballot(&self) -> Ballot {
        let place = |choice: &str| self.options.iter().position(|option| option == choice);
        let mut counts = vec![0; self.options.len()];
        for option in self.votes.iter().filter_map(|vote| place(&vote.choice)) {
            counts[option] += 1;
        }
        let creators = self.votes.iter().find(|vote| vote.voter == self.creator);
        let usual = [Self::APPROVE, Self::REJECT];
        Ballot {
            is_approval: self.kind == ProposalType::Approval && self.options == usual,
            resolution: self.resolution,
            tie_break: self.tie_break,
            quorum: self.quorum as usize,
            electors: self.electors.len(),
            left: self.open().count(),
            counts,
            creators: creators.and_then(|vote| place(&vote.choice)),
        }
    }

    /// The electors that have not voted, in their order.
    pub fn silent(&self) -> impl Iterator<Item = &Name> {
        let has_voted = |name: &Name| self.votes.iter().any(|vote| vote.voter == *name);
        self.electors.iter().filter(move |name| !has_voted(name))
    }

    /// Those that may still vote and have not.
    pub fn open(&self) -> impl Iterator<Item = &Name> {
        self.silent().filter(|elector| !self.removed.contains(elector))
    }

    /// What is said after the name of an elector.
    pub fn mark(&self, elector: &Name) -> &'static str {
        if self.removed.contains(elector) { " (removed)" } else { "" }
    }
}

impl Ballot {
    /// What the votes say, while there is time or when it is over. It is over too when none is left
    /// to vote, and has expired when too few are left.
    pub fn verdict(&self, is_over: bool) -> Verdict {
        let is_over = is_over || self.left == 0;
        let verdict = match self.resolution {
            Resolution::Plurality => self.plurality(is_over),
            Resolution::Majority => self.majority(is_over),
            Resolution::Unanimous => self.unanimous(is_over),
        };
        match verdict {
            Verdict::Open if is_over || self.voted() + self.left < self.quorum => {
                NO_WINNER(Outcome::Expired)
            }
            verdict => verdict,
        }
    }

    fn voted(&self) -> usize {
        self.counts.iter().sum()
    }

    fn has_quorum(&self) -> bool {
        self.voted() >= self.quorum
    }

    /// The options with the most votes, and how many these are.
    fn leaders(&self) -> (Vec<usize>, usize) {
        let most = self.counts.iter().copied().max().unwrap_or(0);
        let leads = |(option, count): (usize, &usize)| (*count == most).then_some(option);
        (self.counts.iter().enumerate().filter_map(leads).collect(), most)
    }

    /// Whether the missing votes cannot change which option leads. A lone option always leads.
    fn is_decided(&self) -> bool {
        let (leaders, most) = self.leaders();
        let others = self.counts.iter().enumerate().filter(|(option, _)| *option != leaders[0]);
        let second = others.map(|(_, count)| *count).max();
        second.is_none_or(|second| most > second + self.left)
    }

    fn plurality(&self, is_over: bool) -> Verdict {
        if self.has_quorum() && (is_over || self.is_decided()) {
            return self.led();
        }
        Verdict::Open
    }

    fn led(&self) -> Verdict {
        let (leaders, _) = self.leaders();
        let winner = match (leaders.as_slice(), self.tie_break) {
            ([one], _) => Some(*one),
            ([first, ..], TieBreak::First) => Some(*first),
            (tied, TieBreak::Creator) => self.creators.filter(|choice| tied.contains(choice)),
            _ => None,
        };
        match winner {
            Some(winner) => Verdict::Closed(Outcome::Won, Some(winner)),
            None => NO_WINNER(Outcome::Tie),
        }
    }

    fn majority(&self, is_over: bool) -> Verdict {
        let (leaders, most) = self.leaders();
        if most * 2 > self.electors && self.has_quorum() {
            return Verdict::Closed(Outcome::Won, Some(leaders[0]));
        }
        let none_can = (most + self.left) * 2 <= self.electors;
        if none_can || is_over && self.has_quorum() {
            return NO_WINNER(Outcome::NoMajority);
        }
        Verdict::Open
    }

    /// An elector who does not choose what the others chose dissents; in an approval with its usual
    /// options, one who rejects.
    fn unanimous(&self, is_over: bool) -> Verdict {
        let mut chosen = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let Some((option, _)) = chosen.next() else { return Verdict::Open };
        let is_rejection = self.is_approval && option != 0;
        if is_rejection || chosen.next().is_some() {
            return NO_WINNER(Outcome::Rejected);
        }
        if is_over && self.has_quorum() {
            return Verdict::Closed(Outcome::Won, Some(option));
        }
        Verdict::Open
    }
}

#[cfg(test)]
#[path = "tests/tally.rs"]
mod tests;
