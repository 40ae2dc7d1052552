use proptest::prelude::*;

use super::*;

fn ballot(resolution: Resolution, electors: usize, counts: &[usize]) -> Ballot {
    Ballot {
        is_approval: false,
        resolution,
        tie_break: TieBreak::None,
        quorum: electors / 2 + 1,
        electors,
        left: electors - counts.iter().sum::<usize>(),
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
fn a_lone_option_wins_once_enough_have_voted() {
    let lone = |quorum, votes: &[usize]| {
        Ballot { quorum, ..ballot(Resolution::Plurality, 4, votes) }.verdict(false)
    };
    assert_eq!(lone(1, &[0]), Verdict::Open);
    assert_eq!(lone(1, &[1]), won(0), "no other option can catch up");
    assert_eq!(lone(2, &[1]), Verdict::Open, "no quorum");
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
fn what_the_electors_that_are_left_cannot_bring_about_is_over() {
    use Resolution::{Majority, Plurality, Unanimous};
    let left = |how, electors, counts: &[usize], left| {
        Ballot { left, ..ballot(how, electors, counts) }.verdict(false)
    };
    assert_eq!(left(Majority, 5, &[1, 1], 1), NO_WINNER(Outcome::NoMajority));
    assert_eq!(left(Majority, 5, &[2, 0], 1), Verdict::Open, "three are a majority");
    assert_eq!(left(Plurality, 5, &[2, 1], 0), won(0));
    assert_eq!(left(Plurality, 5, &[1, 1], 1), Verdict::Open);
    assert_eq!(left(Plurality, 5, &[1, 0], 1), NO_WINNER(Outcome::Expired), "two are no quorum");
    let all = |counts: &[usize], left| {
        Ballot { left, quorum: 3, ..ballot(Unanimous, 3, counts) }.verdict(false)
    };
    assert_eq!(all(&[1, 0], 1), NO_WINNER(Outcome::Expired), "one of three cannot agree");
    assert_eq!(all(&[1, 0], 2), Verdict::Open);
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
    approval.is_approval = true;
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
    if ballot.left == 0 {
        return vec![ballot.verdict(false)];
    }
    let next = |option: usize| {
        let mut next = ballot.clone();
        next.counts[option] += 1;
        next.left -= 1;
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
    let kind = any::<bool>();
    let sizes = (1..6_usize, 0..3_usize, 1..4_usize);
    (how, tie, kind, sizes, prop::collection::vec(0..4_usize, 0..5)).prop_map(
        |(resolution, tie_break, is_approval, (electors, gone, options), votes)| {
            let mut counts = vec![0; options];
            for vote in votes.iter().take(electors) {
                counts[vote % options] += 1;
            }
            let creators = votes.first().map(|vote| vote % options);
            let quorum = electors / 2 + 1;
            let left = electors.saturating_sub(votes.len() + gone);
            Ballot { is_approval, resolution, tie_break, quorum, electors, left, counts, creators }
        },
    )
}

proptest! {
    #[test]
    fn what_is_closed_early_would_have_come_out_the_same(ballot in ballots()) {
        if let Verdict::Closed(outcome, option) = ballot.verdict(false) {
            for end in ends(&ballot) {
                // Where too few are left, some may still disagree: nothing wins either way.
                let is_rejected = outcome == Outcome::Expired && ballot.left > 0
                    && end == NO_WINNER(Outcome::Rejected);
                prop_assert!(is_rejected || end == Verdict::Closed(outcome, option), "{ballot:?}");
            }
        }
    }

    #[test]
    fn nothing_stays_open_when_the_time_is_over_or_all_have_voted(ballot in ballots()) {
        prop_assert_ne!(ballot.verdict(true), Verdict::Open);
        prop_assert!(ballot.left > 0 || ballot.verdict(false) != Verdict::Open);
    }
}
