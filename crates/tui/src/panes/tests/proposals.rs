use agent_worker_protocol::{
    EventBody, Outcome, Proposal, ProposalId, ProposalStatus, Proposals, Timestamp, Vote,
};

use crate::{
    model::{
        Effect, Item,
        acts::Act,
        place::{Place, Subject, Tab},
        requests::{Reply, Request},
        tree::NavId,
        tree_lines,
    },
    panes::tests::words,
    tests::{Story, story::NOW, team::pr},
};

fn votes() -> Story {
    let mut story = Story::team();
    story.visit(Subject::Workflow(pr()), Tab::Proposals);
    story
}

fn open(story: &Story) -> Proposal {
    story.app.model.mirror().proposal(&pr(), ProposalId::new(7)).unwrap().clone()
}

fn now_votes(story: &mut Story, voter: &str, choice: &str) {
    let mut proposal = open(story);
    proposal.votes.retain(|vote| vote.voter.as_str() != voter);
    proposal.votes.push(Vote {
        voter: voter.parse().unwrap(),
        choice: choice.to_owned(),
        reason: None,
        at: Timestamp(NOW),
    });
    story.happens(EventBody::ProposalChanged(Box::new(proposal)));
}

/// The line of the main pane that begins so.
fn line(story: &Story, begin: &str) -> String {
    let pane = story.main_pane();
    let found = pane.lines().find(|line| line.trim_start().starts_with(begin));
    found.unwrap_or_else(|| panic!("no line begins with {begin}: {pane}")).trim().to_owned()
}

#[test]
fn who_has_voted_what_and_who_has_not_is_seen() {
    let story = votes();
    assert!(line(&story, "yes").ends_with("3 reviewer coder editor"), "{}", story.screen());
    assert!(line(&story, "no ").ends_with("1 tester"));
    assert!(line(&story, "open").ends_with("2 scout user"));
    assert!(line(&story, "quorum").ends_with("4 of 4, reached"));
}

#[test]
fn an_elector_that_was_removed_is_shown_as_removed() {
    let mut story = votes();
    let proposal = Proposal { removed: vec!["scout".parse().unwrap()], ..open(&story) };
    story.happens(EventBody::ProposalChanged(Box::new(proposal)));
    assert!(line(&story, "open").ends_with("2 scout (removed) user"), "{}", story.screen());
}

#[test]
fn when_a_vote_closes_is_not_cut() {
    let mut story = votes();
    let mut proposal = open(&story);
    proposal.expires_at = Timestamp(NOW + 3_510_000);
    story.happens(EventBody::ProposalChanged(Box::new(proposal)));
    assert!(line(&story, "time").ends_with("  closes 15:04:42, in 58m 30s"), "{}", story.screen());
    story.app.model.display.size = (60, 24);
    assert!(line(&story, "time").ends_with("  closes 15:04"), "{}", story.screen());
}

#[test]
fn what_is_said_of_a_proposal_is_broken_once_on_a_narrow_screen() {
    let mut story = votes().sized(60, 40);
    let proposal = Proposal { description: Some(words(40)), ..open(&story) };
    story.happens(EventBody::ProposalChanged(Box::new(proposal)));
    story.press("enter");
    let screen = story.screen();
    let rows = screen.lines().filter(|row| row.contains("Word"));
    let counts: Vec<_> = rows.map(|row| row.matches("Word").count()).collect();
    assert_eq!(counts, [6, 6, 6, 6, 6, 6, 4], "{screen}");
}

#[test]
fn options_that_begin_alike_are_told_apart() {
    let mut story = votes();
    let mut proposal = open(&story);
    proposal.options =
        ["first", "last"].map(|when| format!("migrate everything on the {when} day")).into();
    story.happens(EventBody::ProposalChanged(Box::new(proposal)));
    now_votes(&mut story, "coder", "migrate everything on the last day");
    let pane = story.main_pane();
    let mut below =
        pane.lines().skip_while(|line| line.trim() != "migrate everything on the last day");
    below.next();
    assert!(below.next().is_some_and(|bar| bar.trim_end().ends_with("1 coder")), "{pane}");
    assert!(pane.contains("migrate everything on the first day"), "{pane}");
}

#[test]
fn d_15_a_vote_is_seen_at_once_with_what_would_come_of_it() {
    let mut story = votes();
    story.app.model.display.size = (120, 40);
    assert_eq!(
        line(&story, "if it closed now"),
        "if it closed now: nothing, no majority (4 of 6 cast)"
    );
    now_votes(&mut story, "scout", "yes");
    assert!(line(&story, "yes").contains("4 reviewer coder editor scout"));
    assert_eq!(line(&story, "if it closed now"), "if it closed now: yes (5 of 6 cast)");
}

#[test]
fn a_vote_is_cast_by_enter_behind_its_reason() {
    let mut story = votes();
    story.press("v").press("2").type_in("too soon");
    assert_eq!(story.acts(), []);
    story.press("enter");
    let vote = Act::Vote {
        scope: pr(),
        proposal: ProposalId::new(7),
        choice: "no".to_owned(),
        reason: Some("too soon".to_owned()),
    };
    assert_eq!(vote.shell(), "agent-worker proposal vote prop_7 no --reason 'too soon'");
    assert_eq!(story.acts(), [vote]);
}

#[test]
fn a_reason_that_was_begun_goes_on() {
    let mut story = votes();
    story.press("v").press("2").type_in("too so").press("esc");
    story.press("v").press("2").type_in("on").press("enter");
    let [Act::Vote { reason: Some(reason), .. }] = &story.acts()[..] else {
        panic!("{:?}", story.effects)
    };
    assert_eq!(reason, "too soon");
}

#[test]
fn enter_alone_never_votes() {
    let mut story = votes();
    story.press("v");
    for _ in 0..3 {
        assert_eq!(story.press("enter").acts(), []);
    }
    assert_eq!(story.app.overlays.len(), 1, "{}", story.screen());
    story.press("down").press("down").press("enter");
    assert!(
        matches!(&story.press("enter").acts()[..], [Act::Vote { choice, .. }] if choice == "no")
    );
}

#[test]
fn an_earlier_vote_is_marked_and_what_replaces_it_says_so() {
    let mut story = votes();
    now_votes(&mut story, "user", "no");
    story.press("v");
    let overlay = story.overlay();
    assert!(overlay.contains("\u{276f} 2  no"), "{overlay}");
    let screen = story.press("k").press("enter").screen();
    assert!(screen.contains("Enter votes; it replaces your vote for no"), "{screen}");
    assert!(story.overlay().contains(" 2  no"), "{}", story.overlay());
}

#[test]
fn a_held_enter_does_not_cast_an_earlier_vote_again() {
    let mut story = votes();
    now_votes(&mut story, "user", "no");
    story.press("v");
    for _ in 0..3 {
        assert_eq!(story.press("enter").acts(), []);
    }
    assert!(
        matches!(&story.press("2").press("enter").acts()[..], [Act::Vote { choice, .. }] if choice == "no")
    );
}

#[test]
fn who_may_not_vote_is_told_who_may() {
    let mut story = votes();
    let proposal = Proposal {
        electors: ["coder", "tester"].map(|name| name.parse().unwrap()).into(),
        ..open(&story)
    };
    story.happens(EventBody::ProposalChanged(Box::new(proposal)));
    story.press("v");
    assert!(story.app.overlays.is_empty());
    let notice = &story.app.model.prompt.notice.as_ref().unwrap().text;
    assert_eq!(notice, "user has no vote on prop_7: coder, tester have");
}

fn now_closes(story: &mut Story) {
    let proposal = Proposal {
        status: ProposalStatus::Resolved,
        outcome: Some(Outcome::Won),
        result: Some("yes".to_owned()),
        ..open(story)
    };
    story.happens(EventBody::ProposalChanged(Box::new(proposal)));
}

#[test]
fn a_vote_on_a_proposal_that_has_closed_meanwhile_is_neither_chosen_nor_sent() {
    let mut story = votes();
    story.press("v");
    now_closes(&mut story);
    assert!(story.screen().contains("Esc close"), "{}", story.screen());
    assert!(!story.press("2").overlay().contains("why:"), "{}", story.overlay());
    for reason in ["", "too soon"] {
        let mut story = votes();
        story.press("v").press("2").type_in(reason);
        now_closes(&mut story);
        assert!(story.screen().contains("Esc close"), "{}", story.screen());
        assert!(!story.screen().contains("Enter vote"), "{}", story.screen());
        assert_eq!(story.press("enter").acts(), []);
        let shown = story.overlay();
        assert_eq!(shown.contains("why:"), !reason.is_empty(), "{shown}");
        assert!(shown.contains(reason), "{shown}");
    }
}

#[test]
fn a_proposal_that_closes_while_it_is_voted_on_says_so() {
    let mut story = votes();
    story.press("v");
    now_closes(&mut story);
    assert!(story.overlay().contains("It is no longer open."), "{}", story.screen());
    story.press("esc");
    assert!(line(&story, "closed").ends_with("= yes"), "{}", story.screen());
}

#[test]
fn a_document_goes_to_the_winner_only_while_the_proposal_is_open() {
    for (status, outcome) in
        [(ProposalStatus::Expired, Outcome::Expired), (ProposalStatus::Resolved, Outcome::Won)]
    {
        let mut story = votes().sized(120, 40);
        let proposal = Proposal { sets_owner: Some("notes.md".to_owned()), ..open(&story) };
        story.happens(EventBody::ProposalChanged(Box::new(proposal.clone())));
        assert!(story.main_pane().contains("the winner gets notes.md"), "{}", story.screen());
        let closed = Proposal { status, outcome: Some(outcome), ..proposal };
        story.happens(EventBody::ProposalChanged(Box::new(closed)));
        assert!(story.main_pane().contains("notes.md was for the winner"), "{}", story.screen());
    }
}

#[test]
fn a_proposal_is_taken_back_only_after_its_name_was_typed() {
    let mut story = votes();
    story.press("X");
    assert_eq!(story.acts(), []);
    story.type_in("prop_7").press("enter");
    assert_eq!(story.acts(), [Act::CancelProposal(pr(), ProposalId::new(7))]);
}

#[test]
fn a_vote_that_is_due_leads_to_its_proposal() {
    let mut story = Story::team();
    let need = |line: &NavId| matches!(line, NavId::Need(_, subject) if subject == "prop_7");
    while !need(&story.app.model.selection.tree.selected) {
        story.press("a").settle();
        let lines = tree_lines::lines(&story.app.model);
        assert!(lines.iter().any(need), "{lines:?}");
    }
    assert_eq!(story.app.model.place, Place::at(Subject::Workflow(pr()), Tab::Proposals));
    assert!(line(&story, "prop_7").contains("use SQLite FTS for search"));
}

#[test]
fn a_new_proposal_does_not_take_the_place_of_the_one_that_is_looked_at() {
    let mut story = votes();
    let other = Proposal { id: ProposalId::new(8), title: "another".to_owned(), ..open(&story) };
    story.happens(EventBody::ProposalChanged(Box::new(other)));
    story.press("X").type_in("prop_7").press("enter");
    assert_eq!(story.acts(), [Act::CancelProposal(pr(), ProposalId::new(7))]);
}

#[test]
fn what_was_decided_earlier_stays_and_older_ones_are_loaded_at_the_end() {
    let mut story = votes();
    story.press("j");
    assert!(line(&story, "closed").ends_with("= coder"));
    story.press("o");
    assert_eq!(story.app.model.place.tab, Tab::Documents);
    let mut story = with_older();
    story.press("G");
    assert_eq!(story.asks(), [Request::Proposals(pr(), Some(ProposalId::new(5)))]);
}

/// There are older proposals than those that are loaded.
fn with_older() -> Story {
    let mut story = votes();
    let page = agent_worker_protocol::Proposals { proposals: Vec::new(), more: true };
    story.answer(Request::Proposals(pr(), None), crate::model::requests::Reply::Proposals(page));
    story
}

#[test]
fn older_ones_are_loaded_however_the_table_is_sorted_and_without_a_hole() {
    let mut story = with_older();
    // A vote on an old proposal makes it known without those between.
    let old = Proposal { id: ProposalId::new(2), title: "a name".to_owned(), ..open(&story) };
    story.happens(EventBody::ProposalChanged(Box::new(old)));
    story.press("O").type_in("title").press("enter").press("G");
    assert_eq!(story.asks(), [Request::Proposals(pr(), Some(ProposalId::new(5)))]);
}

/// The daemon answers with a page of closed proposals.
fn page(story: &mut Story, before: Option<i64>, numbers: &[i64], more: bool) {
    let closed = Proposal { status: ProposalStatus::Expired, ..open(story) };
    let one = |number: &i64| Proposal { id: ProposalId::new(*number), ..closed.clone() };
    let proposals = numbers.iter().map(one).collect();
    story.answer(request(before), Reply::Proposals(Proposals { proposals, more }));
}

fn request(before: Option<i64>) -> Request {
    Request::Proposals(pr(), before.map(ProposalId::new))
}

/// The proposal whose line is selected.
fn selected(story: &Story) -> String {
    let (lines, selected) = story.app.pane().lines(&story.app.model);
    lines[selected.unwrap()].split(' ').next().unwrap().to_owned()
}

#[test]
fn the_last_proposal_is_one_key_away() {
    let mut story = Story::team();
    story.open(Subject::Workflow(pr()), Tab::Proposals);
    page(&mut story, None, &[43, 42, 41], true);
    story.press("G");
    assert_eq!(story.asks(), [request(Some(41))]);
    page(&mut story, Some(41), &[40, 39], true);
    assert_eq!(story.asks(), [request(Some(39))]);
    page(&mut story, Some(39), &[6, 5], false);
    assert_eq!(story.asks(), []);
    assert_eq!(selected(&story), "prop_5");
}

/// The pages of proposals that are asked for.
fn pages_asked(story: &Story) -> Vec<Request> {
    let asks = story.asks().into_iter();
    asks.filter(|request| matches!(request, Request::Proposals(..))).collect()
}

#[test]
fn behind_another_tab_no_more_is_loaded_to_reach_the_last() {
    let mut story = Story::team();
    story.open(Subject::Workflow(pr()), Tab::Proposals);
    page(&mut story, None, &[43, 42, 41], true);
    story.press("G");
    story.open(Subject::Workflow(pr()), Tab::Agents);
    page(&mut story, Some(41), &[40, 39], true);
    assert_eq!(pages_asked(&story), []);
    story.open(Subject::Workflow(pr()), Tab::Proposals);
    assert_eq!(pages_asked(&story), []);
}

#[test]
fn a_bookmark_of_a_closed_proposal_loads_what_lies_between() {
    let go = |story: &mut Story, id| {
        let place = Place::at(Subject::Workflow(pr()), Tab::Proposals);
        let effects = story.app.perform(vec![Effect::Go(place, Some(Item::Proposal(id)))]);
        story.effects = effects;
    };
    let mut story = Story::team();
    go(&mut story, ProposalId::new(40));
    assert_eq!(pages_asked(&story), [request(None)]);
    page(&mut story, None, &[43, 42], true);
    assert_eq!(pages_asked(&story), [request(Some(42))]);
    page(&mut story, Some(42), &[41, 40], true);
    assert_eq!(pages_asked(&story), []);
    assert_eq!(selected(&story), "prop_40");
    go(&mut story, ProposalId::new(42));
    assert_eq!(selected(&story), "prop_42");
    // Another one is selected meanwhile.
    go(&mut story, ProposalId::new(30));
    assert_eq!(pages_asked(&story), [request(Some(40))]);
    story.press("j");
    page(&mut story, Some(40), &[31, 30], true);
    assert_eq!(selected(&story), "prop_41");
    // One of another database.
    go(&mut story, ProposalId::new(35));
    assert!(story.screen().contains("prop_35 is gone"), "{}", story.screen());
}
