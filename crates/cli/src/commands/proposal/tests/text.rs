use super::*;
use crate::text::{Clock, plain};

fn sample() -> Proposal {
    serde_json::from_value(serde_json::json!({
        "id": "prop_3", "scope": "@team", "type": "decision", "title": "which\u{1b}[2J first?",
        "description": null, "options": ["tests", "docs"], "resolution": "plurality",
        "quorum": 2, "tie_break": "none", "binding": true, "sets_owner": null,
        "status": "active", "creator": "alice", "run": "run_1",
        "electors": ["alice", "bob", "carol"],
        "votes": [{ "voter": "bob", "choice": "docs", "reason": "short", "at": 1000 }],
        "tally": [{ "option": "tests", "votes": 0 }, { "option": "docs", "votes": 1 }],
        "outcome": null, "result": null, "expires_at": 3_600_000, "created_at": 0,
        "resolved_at": null
    }))
    .unwrap()
}

#[test]
fn a_proposal_shows_its_votes_and_who_is_missing() {
    let view = View { clock: Clock::standing(agent_worker_protocol::Timestamp(0)), width: None };
    insta::assert_snapshot!(plain(&detail(&view, &sample(), None)), @r"
    prop_3  which⟦esc⟧ first?

    workflow    @team
    by          alice
    type        decision
    decided by  most votes, at least 2 of 3 vote
    state       open
    open until  01:00:00
    not voted   alice, carol

    tests  ....................  0
    docs   ######..............  1

    00:00 bob for docs: short
    ");
}

#[test]
fn an_elector_that_was_removed_is_shown_as_removed_and_not_told_to_vote() {
    let view = View { clock: Clock::standing(agent_worker_protocol::Timestamp(0)), width: None };
    let [alice, carol] = ["alice", "carol"].map(|name| name.parse().unwrap());
    let proposal = Proposal { removed: vec![Name::clone(&alice)], ..sample() };
    let shown = |by: &Name| plain(&detail(&view, &proposal, Some(by)));
    assert!(shown(&alice).contains("not voted   alice (removed), carol\n"), "{}", shown(&alice));
    let tells = [&alice, &carol].map(|by| shown(by).contains("proposal vote prop_3"));
    assert_eq!(tells, [false, true], "another agent has the name");
}

#[test]
fn a_list_shows_how_many_have_voted() {
    let view = View { clock: Clock::standing(agent_worker_protocol::Timestamp(0)), width: None };
    let page = Proposals { proposals: vec![sample()], more: true };
    insta::assert_snapshot!(plain(&list(&view, &page, false)), @r"
    PROPOSAL  WORKFLOW  TYPE      VOTES  STATE  UNTIL  TITLE
    prop_3    @team     decision  1/3    open   01:00  which⟦esc⟧ first?
    older entries are omitted: -n shows more
    ");
}

#[test]
fn an_empty_list_says_whether_closed_proposals_are_missing_too() {
    let view = View { clock: Clock::standing(agent_worker_protocol::Timestamp(0)), width: None };
    let page = Proposals { proposals: Vec::new(), more: false };
    for (all, told) in [(false, "no open proposals"), (true, "no proposals")] {
        assert_eq!(plain(&list(&view, &page, all)).trim_end(), told);
    }
}

#[test]
fn an_open_proposal_tells_who_may_vote_how_to_do_so() {
    let view = View { clock: Clock::standing(agent_worker_protocol::Timestamp(0)), width: None };
    let told = |proposal: &Proposal, voter: Option<&Name>| {
        let text = plain(&detail(&view, proposal, voter));
        text.ends_with("agent-worker proposal vote prop_3 OPTION")
    };
    let has_command = |proposal: &Proposal| told(proposal, Some(&Name::person()));
    assert!(!has_command(&sample()), "the user may not vote");
    let [alice, bob] = ["alice", "bob"].map(|name| name.parse::<Name>().unwrap());
    assert!(told(&sample(), Some(&alice)) && !told(&sample(), Some(&bob)), "bob has voted");
    let mut open = sample();
    open.electors.push(Name::person());
    assert!(has_command(&open));
    assert!(!told(&open, Some(&bob)) && !told(&open, None), "it is the vote of the user");
    let mut closed = open.clone();
    closed.status = ProposalStatus::Expired;
    assert!(!has_command(&closed));
    open.votes[0].voter = Name::person();
    assert!(!has_command(&open), "the user has voted");
}

#[test]
fn a_closed_proposal_says_neither_that_a_document_was_handed_over_nor_that_it_was_not() {
    let view = View { clock: Clock::standing(agent_worker_protocol::Timestamp(0)), width: None };
    let open = Proposal { sets_owner: Some("notes.md".to_owned()), ..sample() };
    let expired = Proposal { status: ProposalStatus::Expired, ..open.clone() };
    let (status, outcome) = (ProposalStatus::Resolved, Some(Outcome::Won));
    let won = Proposal { status, outcome, result: Some("bob".to_owned()), ..open.clone() };
    let closed = "for the winner  notes.md";
    for (proposal, fact) in [(open, "hands over  notes.md"), (expired, closed), (won, closed)] {
        let text = plain(&detail(&view, &proposal, None));
        assert!(text.lines().any(|line| line == fact), "{text}");
    }
}
