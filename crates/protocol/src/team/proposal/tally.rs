//! How votes become a result: a function of the votes alone.

use crate::{
    team::proposal::ops::{Outcome, Proposal, ProposalType, Resolution, TieBreak},
    terms::name::Name,
};

/// All that the result depends on.
#[derive(Debug, Clone)]
pub struct Ballot {
    /// What is decided
    pub kind: ProposalType,
    /// How votes become a result
    pub resolution: Resolution,
    /// Who wins a tie
    pub tie_break: TieBreak,
    /// How many must vote, at least one
    pub quorum: usize,
    /// How many may vote
    pub electors: usize,
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
        Ballot {
            kind: self.kind,
            resolution: self.resolution,
            tie_break: self.tie_break,
            quorum: self.quorum as usize,
            electors: self.electors.len(),
            counts,
            creators: creators.and_then(|vote| place(&vote.choice)),
        }
    }

    /// Those who may vote and have not, in the order of the electors.
    pub fn open(&self) -> impl Iterator<Item = &Name> {
        let has_voted = |name: &Name| self.votes.iter().any(|vote| vote.voter == *name);
        self.electors.iter().filter(move |name| !has_voted(name))
    }
}

impl Ballot {
    /// What the votes say, while there is time or when it is over.
    pub fn verdict(&self, is_over: bool) -> Verdict {
        let verdict = match self.resolution {
            Resolution::Plurality => self.plurality(is_over),
            Resolution::Majority => self.majority(is_over),
            Resolution::Unanimous => self.unanimous(is_over),
        };
        match verdict {
            Verdict::Open if is_over => NO_WINNER(Outcome::Expired),
            verdict => verdict,
        }
    }

    fn voted(&self) -> usize {
        self.counts.iter().sum()
    }

    fn left(&self) -> usize {
        self.electors.saturating_sub(self.voted())
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

    /// Whether the missing votes cannot change which option leads.
    fn is_decided(&self) -> bool {
        let (leaders, most) = self.leaders();
        let others = self.counts.iter().enumerate().filter(|(option, _)| *option != leaders[0]);
        let second = others.map(|(_, count)| *count).max().unwrap_or(0);
        most > second + self.left()
    }

    fn plurality(&self, is_over: bool) -> Verdict {
        let all_have_voted = self.left() == 0;
        if all_have_voted || self.has_quorum() && (is_over || self.is_decided()) {
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
        let none_can = (most + self.left()) * 2 <= self.electors;
        if none_can || is_over && self.has_quorum() {
            return NO_WINNER(Outcome::NoMajority);
        }
        Verdict::Open
    }

    /// An elector who does not choose what the others chose dissents; in an approval, one who does not
    /// choose its first option.
    fn unanimous(&self, is_over: bool) -> Verdict {
        let mut chosen = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let Some((option, _)) = chosen.next() else { return Verdict::Open };
        let is_rejection = self.kind == ProposalType::Approval && option != 0;
        if is_rejection || chosen.next().is_some() {
            return NO_WINNER(Outcome::Rejected);
        }
        if self.left() == 0 || is_over && self.has_quorum() {
            return Verdict::Closed(Outcome::Won, Some(option));
        }
        Verdict::Open
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ballot(resolution: Resolution, electors: usize, counts: &[usize]) -> Ballot {
        Ballot {
            kind: ProposalType::Decision,
            resolution,
            tie_break: TieBreak::None,
            quorum: electors / 2 + 1,
            electors,
            counts: counts.to_vec(),
            creators: None,
        }
    }

    fn won(option: usize) -> Verdict {
        Verdict::Closed(Outcome::Won, Some(option))
    }

    #[test]
    fn most_votes_win_once_the_lead_cannot_be_caught_up() {
        use Resolution::Plurality;
        let open = |electors, counts: &[usize]| ballot(Plurality, electors, counts).verdict(false);
        assert_eq!(open(5, &[2, 0]), Verdict::Open, "no quorum");
        assert_eq!(open(5, &[3, 0]), won(0), "two are left");
        assert_eq!(open(5, &[2, 1]), Verdict::Open, "two are left, and may tie");
        assert_eq!(open(5, &[2, 2]), Verdict::Open);
        assert_eq!(open(5, &[2, 3]), won(1));
        assert_eq!(open(4, &[2, 2]), NO_WINNER(Outcome::Tie));
        assert_eq!(open(1, &[0, 1]), won(1));
    }

    #[test]
    fn when_the_time_is_over_those_who_voted_decide_if_they_are_enough() {
        use Resolution::{Majority, Plurality, Unanimous};
        let over = |how, electors, counts: &[usize]| ballot(how, electors, counts).verdict(true);
        assert_eq!(over(Plurality, 5, &[2, 1]), won(0));
        assert_eq!(over(Plurality, 5, &[1, 1]), NO_WINNER(Outcome::Expired));
        assert_eq!(over(Majority, 5, &[2, 1]), NO_WINNER(Outcome::NoMajority));
        assert_eq!(over(Majority, 5, &[2, 0]), NO_WINNER(Outcome::Expired));
        assert_eq!(over(Unanimous, 5, &[3, 0]), won(0));
        assert_eq!(over(Unanimous, 5, &[2, 0]), NO_WINNER(Outcome::Expired));
        assert_eq!(over(Plurality, 5, &[0, 0]), NO_WINNER(Outcome::Expired));
    }

    #[test]
    fn a_majority_is_of_all_electors_and_ends_when_nobody_can_have_it() {
        let open = |counts: &[usize]| ballot(Resolution::Majority, 5, counts).verdict(false);
        assert_eq!(open(&[2, 2, 0]), Verdict::Open);
        assert_eq!(open(&[3, 0, 0]), won(0));
        assert_eq!(open(&[2, 1, 1]), Verdict::Open);
        assert_eq!(open(&[1, 1, 1]), Verdict::Open);
        assert_eq!(open(&[2, 2, 1]), NO_WINNER(Outcome::NoMajority));
        let open = |counts: &[usize]| ballot(Resolution::Majority, 4, counts).verdict(false);
        assert_eq!(open(&[2, 2]), NO_WINNER(Outcome::NoMajority));
        assert_eq!(
            open(&[1, 1, 1]),
            NO_WINNER(Outcome::NoMajority),
            "one is left, and two are no majority"
        );
    }

    #[test]
    fn where_all_must_agree_the_first_who_does_not_ends_it() {
        let open = |counts: &[usize]| ballot(Resolution::Unanimous, 3, counts).verdict(false);
        assert_eq!(open(&[2, 0]), Verdict::Open);
        assert_eq!(open(&[3, 0]), won(0));
        assert_eq!(open(&[1, 1]), NO_WINNER(Outcome::Rejected));
        let mut approval = ballot(Resolution::Unanimous, 3, &[0, 1]);
        assert_eq!(approval.verdict(false), Verdict::Open, "of a decision, both are as good");
        approval.kind = ProposalType::Approval;
        assert_eq!(approval.verdict(false), NO_WINNER(Outcome::Rejected));
    }

    #[test]
    fn a_tie_is_broken_as_was_said() {
        let tied = |tie_break, creators| {
            let counts = vec![0, 2, 2];
            let ballot = ballot(Resolution::Plurality, 4, &counts);
            Ballot { tie_break, creators, ..ballot }.verdict(false)
        };
        assert_eq!(tied(TieBreak::None, Some(1)), NO_WINNER(Outcome::Tie));
        assert_eq!(tied(TieBreak::First, Some(2)), won(1));
        assert_eq!(tied(TieBreak::Creator, Some(2)), won(2));
        assert_eq!(tied(TieBreak::Creator, Some(0)), NO_WINNER(Outcome::Tie));
        assert_eq!(tied(TieBreak::Creator, None), NO_WINNER(Outcome::Tie));
    }

    /// Every way in which those who are left could vote.
    fn ends(ballot: &Ballot) -> Vec<Verdict> {
        if ballot.left() == 0 {
            return vec![ballot.verdict(false)];
        }
        let next = |option: usize| {
            let mut next = ballot.clone();
            next.counts[option] += 1;
            next
        };
        (0..ballot.counts.len()).flat_map(|option| ends(&next(option))).collect()
    }

    fn ballots() -> impl Strategy<Value = Ballot> {
        let how = prop_oneof![
            Just(Resolution::Plurality),
            Just(Resolution::Majority),
            Just(Resolution::Unanimous)
        ];
        let tie = prop_oneof![Just(TieBreak::None), Just(TieBreak::First), Just(TieBreak::Creator)];
        let kind = prop_oneof![Just(ProposalType::Decision), Just(ProposalType::Approval)];
        (how, tie, kind, 1..6_usize, 2..4_usize, prop::collection::vec(0..4_usize, 0..5)).prop_map(
            |(resolution, tie_break, kind, electors, options, votes)| {
                let mut counts = vec![0; options];
                for vote in votes.iter().take(electors) {
                    counts[vote % options] += 1;
                }
                let creators = votes.first().map(|vote| vote % options);
                let quorum = electors / 2 + 1;
                Ballot { kind, resolution, tie_break, quorum, electors, counts, creators }
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_closed_early_would_have_come_out_the_same(ballot in ballots()) {
            if let Verdict::Closed(outcome, option) = ballot.verdict(false) {
                for end in ends(&ballot) {
                    prop_assert_eq!(end, Verdict::Closed(outcome, option), "{:?}", ballot);
                }
            }
        }

        #[test]
        fn nothing_stays_open_when_the_time_is_over_or_all_have_voted(ballot in ballots()) {
            prop_assert_ne!(ballot.verdict(true), Verdict::Open);
            prop_assert!(ballot.left() > 0 || ballot.verdict(false) != Verdict::Open);
        }
    }
}
