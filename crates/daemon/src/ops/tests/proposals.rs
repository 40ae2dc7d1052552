use agent_worker_protocol::{
    Attention, AttentionKind, DocList, DocOwner, DocRead, DocWrite, ErrorCode, EventBody, Intent,
    Outcome, Proposal, ProposalCancel, ProposalCreate, ProposalId, ProposalList, ProposalShow,
    ProposalStatus, ProposalType, Proposals, ProposalsShow, Reason, Resolution, Timestamp,
    VoteCast, WorkflowStop,
};
use serde_json::{Value, json};

use super::*;
use crate::changes::proposal::close;
mod crowd;
mod plain;
mod random;

const AGENTS: [&str; 3] = ["alice", "bob", "carol"];

fn create(fields: &Value) -> ProposalCreate {
    let mut all = json!({ "type": "decision", "title": "the colour", "options": ["red", "blue"] });
    for (name, value) in fields.as_object().unwrap() {
        all[name] = value.clone();
    }
    serde_json::from_value(all).unwrap()
}

fn vote(proposal: ProposalId, choice: &str) -> VoteCast {
    VoteCast { proposal, choice: choice.to_owned(), reason: None }
}

fn world() -> World {
    let world = World::new();
    world.start_with(&AGENTS, "hello", Mode::Start, Limits::default());
    world
}

impl World {
    fn propose(&self, fields: &Value) -> Proposal {
        self.call("@team", create(fields)).unwrap()
    }

    fn vote(&self, name: &str, proposal: ProposalId, choice: &str) -> Result<Proposal, OpError> {
        let member = (name != "user").then_some(name);
        self.call_as("@team", member, vote(proposal, choice))
    }

    fn proposal(&self, proposal: ProposalId) -> Proposal {
        self.call("@team", ProposalShow { proposal }).unwrap()
    }

    fn told(&self) -> Vec<String> {
        self.messages().into_iter().map(|message| message.content).collect()
    }
}

fn plan() -> DocRead {
    DocRead { file: Some("plan.md".to_owned()), ..DocRead::default() }
}

fn end(proposal: &Proposal) -> (ProposalStatus, Option<Outcome>, Option<&str>) {
    (proposal.status, proposal.outcome, proposal.result.as_deref())
}

#[test]
fn whoever_may_vote_is_told_and_woken_and_the_maker_is_not() {
    let world = World::new();
    world.start(&AGENTS, "@alice go");
    let alice = world.claim();
    let proposal = world.tool(&alice, create(&json!({}))).unwrap();
    assert_eq!(proposal.creator.as_str(), "alice");
    let names: Vec<_> = proposal.electors.iter().map(Name::as_str).collect();
    assert_eq!((names, proposal.quorum), (AGENTS.to_vec(), 2));
    let told = world.last_message();
    assert_eq!(
        (told.kind, told.intent),
        (agent_worker_protocol::MessageType::System, Intent::Request)
    );
    for line in ["prop_1: the colour", "- red\n- blue", "team_vote (proposal: prop_1)"] {
        assert!(told.content.contains(line), "{}", told.content);
    }
    assert_eq!(world.delivery("bob", told.id).reason, Reason::Proposal);
    assert!(world.daemon(move |cx| {
        let sql = "SELECT count(*) FROM deliveries WHERE seq = ?1";
        Ok(cx.conn.query_row(sql, [told.seq], |row| row.get::<_, i64>(0))? == 2)
    }));
    let (bob, carol) = (world.claim(), world.claim());
    assert_eq!((bob.agent(), carol.agent()), ("bob", "carol"));
    world.tool(&bob, vote(proposal.id, "RED")).unwrap();
    let closed = world.tool(&carol, vote(proposal.id, " red ")).unwrap();
    assert_eq!(end(&closed), (ProposalStatus::Resolved, Some(Outcome::Won), Some("red")));
    assert_eq!(world.unread_mail("alice"), 1, "what came of it");
}

#[test]
fn a_tool_lists_the_newest_proposals_in_short_and_shows_one_whole() {
    let world = world();
    let show = |proposal: Option<ProposalId>| {
        world.call_as("@team", Some("alice"), ProposalsShow { proposal }).unwrap()
    };
    let long = "ü".repeat(403);
    let first = world.propose(&json!({ "description": long })).id;
    let Proposals { proposals, more } = show(None);
    let shown = "ü".repeat(400) + " [… 3 more characters]";
    assert_eq!((proposals[0].description.as_deref(), more), (Some(shown.as_str()), false));
    assert_eq!(show(Some(first)).proposals[0].description.as_deref(), Some(long.as_str()));
    for _ in 0..50 {
        world.propose(&json!({ "description": "ü".repeat(400) }));
    }
    let Proposals { proposals, more } = show(None);
    assert_eq!((proposals.len(), more), (50, true));
    assert!(proposals.iter().all(|proposal| proposal.id > first), "the newest");
    assert_eq!(proposals[0].description.as_deref(), Some("ü".repeat(400).as_str()));
}

#[test]
fn what_a_proposal_must_be_is_said() {
    let world = world();
    let refused = |fields: Value| {
        let body = world.call("@team", create(&fields)).unwrap_err().into_body();
        assert!(matches!(body.code, ErrorCode::Invalid | ErrorCode::NotFound), "{body:?}");
        body.message
    };
    assert!(refused(json!({ "title": " " })).contains("one line"));
    assert!(refused(json!({ "title": "a\nb" })).contains("one line"));
    assert!(refused(json!({ "options": ["red"] })).contains("options, not 1"));
    assert!(refused(json!({ "options": null })).contains("needs `options`"));
    assert!(refused(json!({ "options": ["red", "RED "] })).contains("stands once"));
    assert!(refused(json!({ "options": ["red", ""] })).contains("invalid option ``"));
    assert!(refused(json!({ "quorum": 4 })).contains("must be between 1 and 3"));
    assert!(refused(json!({ "quorum": 0 })).contains("must be between 1 and 3"));
    let alone = json!({ "electors": ["alice"], "quorum": 9 });
    assert!(refused(alone).contains("invalid quorum 9: must be 1, for 1 elector"));
    assert_eq!(refused(json!({ "electors": [] })), "`electors` names no member");
    assert!(refused(json!({ "electors": ["dave"] })).contains("dave"));
    assert!(refused(json!({ "expires_in": "0s" })).contains("from 1s"));
    assert!(refused(json!({ "type": "election", "options": ["dave"] })).contains("dave"));
    assert!(refused(json!({ "sets_owner": "plan.md" })).contains("election or assignment"));
    assert_eq!(world.call("@team", ProposalList::default()).unwrap().proposals, []);
}

#[test]
fn only_a_title_that_says_too_much_is_led_to_the_description() {
    let world = world();
    let hint = |title: &str| {
        let refused = world.call("@team", create(&json!({ "title": title }))).unwrap_err();
        refused.into_body().hint
    };
    let description = Some("put the background into `--description` (`description`)".to_owned());
    assert_eq!(hint(" "), None);
    assert_eq!(hint("a\nb"), description);
    assert_eq!(hint(&"x".repeat(201)), description);
}

#[test]
fn options_that_are_missing_are_asked_for_with_the_option_of_the_command() {
    let world = world();
    let by_user = json!({ "type": "election", "options": null, "electors": ["user"] });
    for (fields, what, option) in [
        (
            json!({ "options": null }),
            "a decision needs `options`",
            "name it in `options` (`--option A --option B`)",
        ),
        (by_user, "they default to the electors, without the user", "--option NAME"),
    ] {
        let body = world.call("@team", create(&fields)).unwrap_err().into_body();
        assert!(body.message.contains(what), "{body:?}");
        assert!(body.hint.unwrap().ends_with(option), "{fields}");
    }
}

#[test]
fn electors_are_named_in_any_spelling_and_each_counts_once() {
    let world = world();
    let proposal = world.propose(&json!({ "electors": ["@bob", "Alice", "alice@team"] }));
    let names: Vec<_> = proposal.electors.iter().map(Name::as_str).collect();
    assert_eq!(names, ["alice", "bob"]);
}

#[test]
fn electors_that_name_no_member_are_told_from_a_team_without_an_agent_at_work() {
    let world = world();
    let refused = |fields: Value| {
        let body = world.call("@team", create(&fields)).unwrap_err().into_body();
        (body.message, body.hint.unwrap())
    };
    let (message, hint) = refused(json!({ "electors": [] }));
    assert_eq!(message, "`electors` names no member");
    assert_eq!(hint, "leave `--electors` (`electors`) out: then all agents vote");
    for name in AGENTS {
        let target = target(&format!("{name}@team"));
        world.call("", agent_worker_protocol::AgentStop { target, now: true }).unwrap();
    }
    let (message, _) = refused(json!({}));
    assert_eq!(message, "no electors: no agent of @team can vote");
}

#[test]
fn all_as_an_elector_is_led_to_the_usual_electors_and_as_an_option_to_the_members() {
    let world = world();
    let electors = json!({ "electors": ["all"] });
    let options = json!({ "type": "election", "options": ["all", "bob"] });
    for (fields, hint) in [
        (electors.clone(), "leave `--electors` (`electors`) out: then all agents vote"),
        (options, "members: alice, bob, carol, user"),
    ] {
        let body = world.call("@team", create(&fields)).unwrap_err().into_body();
        assert_eq!(body.message, "no member named `all` in @team");
        assert_eq!(body.hint.as_deref(), Some(hint));
    }
    world.send("@alice go");
    let by_tool = world.tool(&world.claim(), create(&electors)).unwrap_err().into_body();
    assert_eq!(by_tool.hint.as_deref(), Some("leave `electors` out: then all agents vote"));
}

#[test]
fn an_agent_has_only_so_many_proposals_open_at_once() {
    let world = World::with_settings("[proposals]\nopen = 2");
    world.start_with(&AGENTS, "hello", Mode::Start, Limits::default());
    let propose = |name: &str| world.call_as("@team", Some(name), create(&json!({})));
    let first = propose("alice").unwrap().id;
    propose("alice").unwrap();
    let refused = propose("alice").unwrap_err().into_body();
    assert_eq!(refused.code, ErrorCode::Conflict);
    assert_eq!(refused.message, "`alice@team` has 2 open proposals: the limit is 2");
    assert_eq!(refused.hint.as_deref(), Some("agent-worker proposal cancel prop_1"));
    propose("bob").unwrap();
    for _ in 0..3 {
        world.propose(&json!({}));
    }
    let cancel = ProposalCancel { proposal: first };
    world.call_as("@team", Some("alice"), cancel).unwrap();
    propose("alice").unwrap();
}

#[test]
fn a_vote_is_an_electors_for_an_option_while_it_is_open() {
    let world = world();
    let proposal = world.propose(&json!({ "electors": ["alice", "bob"] })).id;
    let refused = |name: &str, choice: &str| {
        let body = world.vote(name, proposal, choice).unwrap_err().into_body();
        (body.code, format!("{} {}", body.message, body.hint.unwrap_or_default()))
    };
    let (code, text) = refused("carol", "red");
    assert_eq!(code, ErrorCode::Denied);
    assert!(text.contains("its electors are alice, bob"), "{text}");
    assert!(!text.contains("--electors"), "it is not the user: {text}");
    let (code, text) = refused("user", "red");
    assert_eq!(code, ErrorCode::Denied);
    assert!(text.contains("`--electors user`"), "{text}");
    let (code, text) = refused("alice", "bluw");
    assert_eq!(code, ErrorCode::Invalid);
    assert!(text.contains("did you mean `blue`?"), "{text}");
    world.vote("alice", proposal, "red").unwrap();
    let changed = world.vote("alice", proposal, "blue").unwrap();
    assert_eq!((changed.votes.len(), changed.tally[1].votes), (1, 1), "the last vote counts");
    world.vote("bob", proposal, "blue").unwrap();
    let (code, text) = refused("bob", "red");
    assert_eq!(code, ErrorCode::Conflict);
    assert!(text.contains("`prop_1` is closed: `blue` has won"), "{text}");
    let missing = world.vote("bob", ProposalId::new(9), "red").unwrap_err().into_body();
    assert_eq!(missing.code, ErrorCode::NotFound);
}

#[test]
fn the_person_votes_where_it_is_named_and_is_asked_to() {
    let world = world();
    let kinds = || {
        let items = world.call("", Attention {}).unwrap().items;
        items.into_iter().filter(|item| item.kind == AttentionKind::Vote).collect::<Vec<_>>()
    };
    world.propose(&json!({}));
    assert_eq!(kinds(), []);
    let proposal = world.propose(&json!({ "electors": ["user", "alice"] })).id;
    assert_eq!(kinds()[0].subject, "prop_2");
    let hint = kinds()[0].hint.clone();
    assert_eq!(hint.as_deref(), Some("agent-worker proposal vote prop_2 red"));
    world.vote("user", proposal, "red").unwrap();
    assert_eq!(kinds(), []);
}

#[test]
fn whoever_is_asked_to_vote_is_told_how() {
    let world = world();
    let told = |electors: &[&str]| {
        let asked = create(&json!({ "electors": electors }));
        world.call_as("@team", Some("alice"), asked).unwrap();
        world.last_message().content
    };
    let (tool, command) = ("Vote with team_vote", "agent-worker proposal vote prop_");
    let agents = told(&["bob"]);
    assert!(agents.contains(tool) && !agents.contains(command), "{agents}");
    let person = told(&["user"]);
    assert!(!person.contains(tool) && person.contains(command), "{person}");
    let both = told(&["bob", "user"]);
    assert!(both.contains(tool) && both.contains(command), "{both}");
}

#[test]
fn an_invitation_to_no_other_member_ends_with_the_options() {
    let world = world();
    let own = create(&json!({ "electors": ["alice"] }));
    world.call_as("@team", Some("alice"), own).unwrap();
    let told = world.last_message().content;
    assert!(told.ends_with("\n- red\n- blue"), "{told:?}");
}

#[test]
fn an_option_is_chosen_by_its_number_where_no_option_is_a_number() {
    let world = world();
    let choice = |options: [&str; 2], word: &str| {
        let made = world.propose(&json!({ "options": options })).id;
        let voted = world.vote("alice", made, word);
        voted.map(|voted| voted.votes[0].choice.clone()).map_err(|error| error.into_body().code)
    };
    assert_eq!(choice(["red", "blue"], "2").as_deref(), Ok("blue"));
    assert_eq!(choice(["2", "1"], "2").as_deref(), Ok("2"));
    for (options, word) in [(["red", "blue"], "3"), (["red", "blue"], "0"), (["10", "20"], "1")] {
        assert_eq!(choice(options, word), Err(ErrorCode::Invalid), "{word}");
    }
}

#[test]
fn a_proposal_of_another_scope_does_not_exist_for_an_agent() {
    let world = world();
    let proposal = world.propose(&json!({})).id;
    let mut other = launch_of(&["alice", "zoe"], "@alice go", Mode::Run, Limits::default());
    other.scope = "@other".parse().unwrap();
    world.try_start(other).unwrap();
    let bobs = world.claim();
    let alices = world.claim();
    let foreign = if bobs.claimed.scope.scope == team() { alices } else { bobs };
    let show = ProposalsShow { proposal: Some(proposal) };
    assert_eq!(world.tool(&foreign, show).unwrap_err().into_body().code, ErrorCode::NotFound);
    let voted = world.tool(&foreign, vote(proposal, "red")).unwrap_err().into_body();
    assert_eq!(voted.code, ErrorCode::NotFound);
    let none = world.tool(&foreign, ProposalsShow::default()).unwrap();
    assert_eq!(none.proposals, []);
    let unknown = world.vote("nope", proposal, "red").unwrap_err().into_body();
    assert_eq!(unknown.message, "no agent named `nope` in @team");
    let zoes = world.call_as("@other", Some("zoe"), ProposalShow { proposal }).unwrap_err();
    assert_eq!(zoes.into_body().message, format!("proposal `{proposal}` not found"));
}

#[test]
fn the_winner_of_an_election_gets_the_work_and_the_document() {
    let world = world();
    let sets = json!({ "type": "election", "options": null, "sets_owner": "plan.md" });
    let proposal = world.propose(&sets);
    assert_eq!(proposal.options, AGENTS);
    world.vote("alice", proposal.id, "@bob").unwrap();
    let closed = world.vote("carol", proposal.id, "bob").unwrap();
    assert_eq!(end(&closed), (ProposalStatus::Resolved, Some(Outcome::Won), Some("bob")));
    let documents = world.call("@team", DocList {}).unwrap().documents;
    assert_eq!(documents[0].owner.as_ref().unwrap().as_str(), "bob");
    let task = world.last_message();
    assert!(task.content.starts_with("bob, you have won prop_1"), "{}", task.content);
    assert!(task.content.contains("`plan.md` belongs to you now"), "{}", task.content);
    let delivery = world.delivery("bob", task.id);
    assert!(delivery.wakes && delivery.reason == Reason::Proposal);
    let result = world.messages().into_iter().rev().nth(1).unwrap();
    assert!(!world.delivery("alice", result.id).wakes, "the others are told, and not woken");
}

#[test]
fn a_document_is_handed_over_by_everyone_or_by_its_owner() {
    let world = world();
    let write = DocWrite { content: "mine".to_owned(), file: None, if_version: None };
    world.call_as("@team", Some("alice"), write).unwrap();
    let owner = DocOwner { file: None, owner: Some("alice".parse().unwrap()) };
    world.call("@team", owner).unwrap();
    let coup = || {
        create(&json!({ "type": "election", "options": ["bob"], "sets_owner": "NOTES.md",
            "electors": ["bob"] }))
    };
    let refused = world.call_as("@team", Some("bob"), coup()).unwrap_err().into_body();
    assert_eq!(refused.code, ErrorCode::Denied);
    assert!(refused.message.contains("belongs to alice"), "{}", refused.message);
    let hers = world.call_as("@team", Some("alice"), coup()).unwrap();
    world.vote("bob", hers.id, "bob").unwrap();
    let read = world.call("@team", DocRead::default()).unwrap();
    assert_eq!((read.owner.unwrap().as_str(), read.content.as_str()), ("bob", "mine"));
}

#[test]
fn a_few_electors_cannot_take_a_document_from_its_owner() {
    let world = world();
    let write = DocWrite { content: "mine".to_owned(), file: None, if_version: None };
    world.call_as("@team", Some("alice"), write).unwrap();
    let owner = DocOwner { file: None, owner: Some("alice".parse().unwrap()) };
    world.call("@team", owner).unwrap();
    let coup = |quorum: Option<u32>, options: &[&str]| {
        let coup = create(&json!({ "type": "election", "options": options, "quorum": quorum,
            "tie_break": "first", "expires_in": "1m", "sets_owner": "notes.md" }));
        world.call_as("@team", Some("bob"), coup)
    };
    let refused = coup(Some(1), &["bob"]).unwrap_err().into_body();
    assert_eq!(refused.code, ErrorCode::Invalid);
    assert!(refused.message.contains("at least 2 of 3 electors"), "{}", refused.message);
    // Two of three vote, and one vote of them wins.
    let split = coup(None, &["bob", "carol"]).unwrap().id;
    world.vote("bob", split, "bob").unwrap();
    world.vote("carol", split, "carol").unwrap();
    world.pass(60_000);
    world.daemon(close::close_late);
    assert_eq!(end(&world.proposal(split)).2, Some("bob"));
    let owner = || world.call("@team", DocRead::default()).unwrap().owner.unwrap().to_string();
    assert_eq!(owner(), "alice");
    let told = world.told();
    let kept: Vec<_> =
        told.iter().filter(|text| text.contains("`notes.md` still belongs to alice")).collect();
    assert_eq!(kept.len(), 2, "the electors and the winner are told: {told:?}");
    // More than half may.
    let all = coup(None, &["bob", "carol"]).unwrap().id;
    world.vote("bob", all, "bob").unwrap();
    world.vote("carol", all, "bob").unwrap();
    assert_eq!(owner(), "bob");
}

#[test]
fn a_document_without_an_owner_is_not_said_to_belong_to_a_member() {
    let world = world();
    let take = |electors: Option<[&str; 1]>, quorum: Option<u32>| {
        let take = create(&json!({ "type": "election", "options": ["bob", "carol"],
            "electors": electors, "quorum": quorum, "tie_break": "first", "expires_in": "1m",
            "sets_owner": "notes.md" }));
        world.call_as("@team", Some("bob"), take)
    };
    let refused = take(Some(["bob"]), None).unwrap_err().into_body().message;
    let chosen = "with electors of your own choice, only the user can have it handed over";
    assert_eq!(refused, format!("`notes.md` has no owner: {chosen}"));
    let refused = take(None, Some(1)).unwrap_err().into_body().message;
    let quorum = "so at least 2 of 3 electors must vote";
    assert_eq!(refused, format!("invalid quorum 1: `notes.md` has no owner, {quorum}"));
    // Two of three vote, and one vote of them wins.
    let split = take(None, None).unwrap().id;
    world.vote("bob", split, "bob").unwrap();
    world.vote("carol", split, "carol").unwrap();
    world.pass(60_000);
    world.daemon(close::close_late);
    let told = world.told();
    let kept = "`notes.md` stays without an owner: only the user or more than half of the agents";
    assert!(told.iter().any(|text| text.contains(kept)), "{told:?}");
    assert!(told.iter().all(|text| !text.contains("no member")), "{told:?}");
}

#[test]
fn electors_that_an_earlier_owner_named_cannot_take_a_document_from_the_present_one() {
    let world = world();
    let own = |name: &str| {
        let owner = Some(name.parse().unwrap());
        world.call("@team", DocOwner { file: Some("plan.md".to_owned()), owner }).unwrap();
    };
    let write =
        DocWrite { content: "a".to_owned(), file: Some("plan.md".to_owned()), if_version: None };
    world.call("@team", write).unwrap();
    own("alice");
    let election = create(&json!({ "type": "election", "options": ["bob"],
        "electors": ["bob"], "sets_owner": "plan.md" }));
    let hers = world.call_as("@team", Some("alice"), election).unwrap().id;
    own("carol");
    world.vote("bob", hers, "bob").unwrap();
    assert_eq!(end(&world.proposal(hers)).2, Some("bob"));
    assert_eq!(world.call("@team", plan()).unwrap().owner.unwrap().as_str(), "carol");
    let task = world.last_message().content;
    assert!(task.contains("`plan.md` still belongs to carol"), "{task}");
}

#[test]
fn whoever_made_it_goes_on_with_what_was_decided() {
    let world = World::new();
    world.start(&AGENTS, "@alice go");
    let alice = world.claim();
    let proposal = world.tool(&alice, create(&json!({}))).unwrap().id;
    world.succeed(&alice, "");
    let (bob, carol) = (world.claim(), world.claim());
    world.tool(&bob, vote(proposal, "red")).unwrap();
    world.tool(&carol, vote(proposal, "red")).unwrap();
    let again = world.claim();
    assert_eq!(again.agent(), "alice");
    let task = world.last_message();
    assert!(task.content.starts_with("alice, your prop_1 is closed: `red` has won"));
    assert_eq!(task.hop, 0, "it is no farther from the person than the run that asked");
}

#[test]
fn a_creator_that_alone_votes_is_told_once_what_came_of_it() {
    let world = world();
    let own = create(&json!({ "electors": ["alice"] }));
    let hers = world.call_as("@team", Some("alice"), own).unwrap().id;
    let before = world.messages().len();
    world.vote("alice", hers, "red").unwrap();
    let told = world.told().split_off(before);
    let task = "alice, your prop_1 is closed: `red` has won. Go on with that. It was: the colour";
    assert_eq!(told, [task]);
}

#[test]
fn a_tie_that_its_creator_was_to_break_says_why_it_is_one() {
    const MEMBERS: [&str; 5] = ["alice", "bob", "carol", "dave", "erin"];
    for (electors, voters, why) in [
        (&MEMBERS[1..], &MEMBERS[1..], "may not vote"),
        (&MEMBERS[..], &MEMBERS[1..], "did not vote"),
        (&MEMBERS[..], &MEMBERS[..], "voted for another option"),
    ] {
        let world = World::new();
        world.start_with(&MEMBERS, "hello", Mode::Start, Limits::default());
        let fields = json!({
            "options": ["red", "blue", "green"], "electors": electors, "tie_break": "creator",
        });
        let id = world.call_as("@team", Some("alice"), create(&fields)).unwrap().id;
        for (name, choice) in MEMBERS.iter().zip(["green", "red", "blue", "red", "blue"]) {
            if voters.contains(name) {
                world.vote(name, id, choice).unwrap();
            }
        }
        world.pass(3_600_000);
        world.daemon(close::close_late);
        let said = format!("is closed: a tie, nothing has won, because its creator {why}. ");
        assert!(world.told().iter().any(|text| text.contains(&said)), "{:?}", world.told());
    }
}

#[test]
fn what_binds_nobody_wakes_nobody() {
    let world = world();
    let proposal = world.propose(&json!({ "type": "election", "options": null, "binding": false }));
    let before = world.messages().len();
    world.vote("alice", proposal.id, "bob").unwrap();
    world.vote("bob", proposal.id, "bob").unwrap();
    let after = world.messages().split_off(before);
    assert_eq!(after.len(), 1, "one message tells the electors");
    assert!(AGENTS.iter().all(|name| !world.delivery(name, after[0].id).wakes));
}

#[test]
fn a_time_that_is_over_closes_it_also_while_no_daemon_ran() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("votes.db");
    let (world, over) = World::in_file(&path);
    world.start_with(&AGENTS, "hello", Mode::Start, Limits::default());
    let few = world.propose(&json!({ "expires_in": "10m" })).id;
    let enough = world.propose(&json!({ "expires_in": "10m", "electors": ["alice", "bob", "carol", "user"], "quorum": 2 })).id;
    let later = world.propose(&json!({})).id;
    world.vote("alice", few, "red").unwrap();
    world.vote("alice", enough, "red").unwrap();
    world.vote("bob", enough, "red").unwrap();
    drop(world);
    drop(over.blocking_recv());
    let (world, _over) = World::in_file(&path);
    let next = world.daemon(close::close_late);
    assert_eq!(next, Some(Timestamp(BEGIN + 600_000)));
    assert_eq!(world.proposal(few).status, ProposalStatus::Active);
    world.pass(600_000);
    world.daemon(|cx| recover::begin(cx, "epoch"));
    assert_eq!(end(&world.proposal(few)).0, ProposalStatus::Expired);
    assert_eq!(
        end(&world.proposal(enough)),
        (ProposalStatus::Resolved, Some(Outcome::Won), Some("red"))
    );
    assert_eq!(world.proposal(later).status, ProposalStatus::Active);
}

#[test]
fn a_workflow_with_nothing_left_to_do_closes_its_proposals_and_goes_on_with_what_comes_of_them() {
    let world = World::new();
    world.start(&AGENTS, "@alice go");
    let alice = world.claim();
    let proposal = world.tool(&alice, create(&json!({ "quorum": 1 }))).unwrap().id;
    world.tool(&alice, vote(proposal, "blue")).unwrap();
    world.succeed(&alice, "");
    while let Some(run) = world.try_claim().filter(|run| run.agent() != "alice") {
        assert_eq!(world.proposal(proposal).status, ProposalStatus::Active);
        world.succeed(&run, "");
    }
    assert_eq!(end(&world.proposal(proposal)).2, Some("blue"), "nobody would vote any more");
    assert_eq!(world.state(), WorkflowState::Running, "alice goes on with it");
}

#[test]
fn a_workflow_that_has_ended_takes_a_proposal_only_if_it_wakes_an_agent() {
    let world = World::new();
    world.start(&AGENTS, "@alice go");
    world.succeed(&world.claim(), "");
    assert_eq!(world.state(), WorkflowState::Completed);
    let told = world.messages().len();
    let persons = world.call("@team", create(&json!({ "electors": ["user"] })));
    let refused = persons.unwrap_err().into_body();
    assert_eq!(refused.code, ErrorCode::Conflict);
    assert!(refused.message.contains("`@team` has ended"), "{}", refused.message);
    assert!(refused.hint.unwrap().contains("--electors AGENT,user"));
    assert_eq!(world.messages().len(), told, "nothing was said");
    let both = world.propose(&json!({ "electors": ["alice", "user"] }));
    assert_eq!(world.state(), WorkflowState::Running);
    assert_eq!(world.proposal(both.id).status, ProposalStatus::Active);
}

#[test]
fn a_vote_that_is_cut_off_by_the_end_of_the_run_says_how_many_had_voted() {
    let world = World::new();
    world.start(&AGENTS, "@alice go");
    let alice = world.claim();
    let wanted = json!({ "quorum": 3, "binding": false });
    let proposal = world.tool(&alice, create(&wanted)).unwrap().id;
    world.tool(&alice, vote(proposal, "blue")).unwrap();
    world.succeed(&alice, "");
    while let Some(run) = world.try_claim() {
        world.succeed(&run, "");
    }
    let closed = world.proposal(proposal);
    assert_eq!(end(&closed), (ProposalStatus::Expired, Some(Outcome::RunEnded), None));
    let told = world.told().pop().unwrap();
    assert!(told.contains("prop_1 is closed: the workflow ended when 1 of 3 had voted"), "{told}");
    let late = world.call_as("@team", Some("bob"), vote(proposal, "blue")).unwrap_err();
    assert!(late.into_body().message.contains("the workflow ended when 1 of 3 had voted"));
}

#[test]
fn whoever_made_it_or_the_person_takes_it_back() {
    let world = world();
    let hers = world.call_as("@team", Some("alice"), create(&json!({}))).unwrap().id;
    let cancel = ProposalCancel { proposal: hers };
    let denied = world.call_as("@team", Some("bob"), cancel.clone()).unwrap_err().into_body();
    assert_eq!(denied.code, ErrorCode::Denied);
    assert_eq!(denied.message, "only alice or the user can cancel `prop_1`");
    let taken_back = world.call_as("@team", Some("alice"), cancel.clone()).unwrap();
    assert_eq!(taken_back.status, ProposalStatus::Cancelled);
    let told = world.told().pop().unwrap();
    assert!(told.contains("prop_1 is closed: it was cancelled"), "{told}");
    let count = world.messages().len();
    world.call("@team", cancel).unwrap();
    assert_eq!(world.messages().len(), count, "once");
    let persons = world.propose(&json!({})).id;
    world.vote("alice", persons, "red").unwrap();
    world.vote("bob", persons, "red").unwrap();
    let closed = world.call("@team", ProposalCancel { proposal: persons }).unwrap_err();
    assert_eq!(closed.into_body().code, ErrorCode::Conflict);
}

#[test]
fn whoever_comes_after_an_agent_of_its_name_has_not_made_what_that_one_made() {
    let world = World::new();
    world.start(&AGENTS, "@alice go");
    let alice = world.claim();
    let hers = world.tool(&alice, create(&json!({}))).unwrap().id;
    world.succeed(&alice, "");
    world.make_anew("alice");
    world.call("@team", tell(&["alice"], "go")).unwrap();
    let runs: Vec<_> = std::iter::from_fn(|| world.try_claim()).collect();
    let another = runs.iter().find(|run| run.agent() == "alice").unwrap();
    let denied = world.tool(another, ProposalCancel { proposal: hers }).unwrap_err().into_body();
    assert_eq!(denied.code, ErrorCode::Denied);
    for run in runs.iter().filter(|run| run.agent() != "alice") {
        world.tool(run, vote(hers, "red")).unwrap();
    }
    assert_eq!(end(&world.proposal(hers)).2, Some("red"));
    let task = world.told().into_iter().find(|text| text.contains(", your prop_"));
    assert_eq!(task, None, "nor does it go on with that");
}

#[test]
fn an_agent_is_told_neither_to_be_the_elector_nor_the_creator_that_had_its_name() {
    let world = world();
    let own = create(&json!({ "electors": ["alice", "bob"] }));
    let proposal = world.call_as("@team", Some("alice"), own).unwrap().id;
    world.make_anew("alice");
    let refused = world.vote("alice", proposal, "red").unwrap_err().into_body();
    let electors = "its electors are alice (removed), bob";
    assert_eq!(refused.message, format!("alice may not vote on `prop_1`: {electors}"));
    let cancel = ProposalCancel { proposal };
    let refused = world.call_as("@team", Some("bob"), cancel).unwrap_err().into_body();
    assert_eq!(refused.message, "only the user can cancel `prop_1`");
}

#[test]
fn a_proposal_is_closed_when_no_elector_is_left_to_vote() {
    let world = world();
    let propose = |electors: &[&str]| {
        let fields = json!({ "electors": electors, "quorum": 1 });
        world.call_as("@team", Some("alice"), create(&fields)).unwrap().id
    };
    let (lone, voted) = (propose(&["bob"]), propose(&["bob", "carol"]));
    let awaited = propose(&["bob", "carol"]);
    world.vote("carol", voted, "blue").unwrap();
    world.make_anew("bob");
    let expired = world.proposal(lone);
    assert_eq!(end(&expired), (ProposalStatus::Expired, Some(Outcome::Expired), None));
    let task = "alice, your prop_1 is closed: too few electors were left to vote. Go on with that.";
    assert!(world.told().iter().any(|text| text.starts_with(task)), "{:?}", world.told());
    assert_eq!(end(&world.proposal(voted)).2, Some("blue"));
    assert_eq!(world.proposal(awaited).status, ProposalStatus::Active);
    world.vote("carol", awaited, "red").unwrap();
    assert_eq!(end(&world.proposal(awaited)).2, Some("red"));
}

#[test]
fn a_proposal_is_closed_when_the_electors_that_are_left_cannot_decide_it() {
    let world = World::new();
    let agents = ["alice", "bob", "carol", "dave", "erin"];
    world.start_with(&agents, "hello", Mode::Start, Limits::default());
    let remove = |name| {
        world.call("", AgentRemove { target: target(&format!("{name}@team")) }).unwrap();
    };
    let most = world.propose(&json!({ "resolution": "majority" })).id;
    let all = json!({ "resolution": "unanimous", "electors": ["alice", "bob", "dave"] });
    let all = world.propose(&all).id;
    world.vote("alice", most, "red").unwrap();
    world.vote("bob", most, "blue").unwrap();
    world.vote("alice", all, "red").unwrap();
    remove("erin");
    assert_eq!(world.proposal(most).status, ProposalStatus::Active, "carol and dave can decide");
    remove("dave");
    let none = (ProposalStatus::Resolved, Some(Outcome::NoMajority), None);
    assert_eq!(end(&world.proposal(most)), none);
    let expired = (ProposalStatus::Expired, Some(Outcome::Expired), None);
    assert_eq!(end(&world.proposal(all)), expired, "bob alone cannot make three of them agree");
}

#[test]
fn whoever_comes_after_a_candidate_of_its_name_does_not_win() {
    let world = world();
    let election = json!({ "type": "election", "options": ["alice", "bob"],
        "sets_owner": "plan.md" });
    let (first, second) = (world.propose(&election).id, world.propose(&election).id);
    let hers = world.call_as("@team", Some("alice"), create(&json!({}))).unwrap().id;
    world.vote("alice", first, "alice").unwrap();
    world.vote("alice", second, "bob").unwrap();
    world.make_anew("alice");
    // Also where the clock was set back, so that all of it seems to be of one moment.
    world.vote("bob", first, "alice").unwrap();
    assert_eq!(end(&world.proposal(first)).2, Some("alice"), "that is what they voted for");
    let missing = world.call("@team", plan()).unwrap_err().into_body();
    assert_eq!(missing.code, ErrorCode::NotFound, "and nobody owns it");
    world.vote("bob", second, "bob").unwrap();
    assert_eq!(world.call("@team", plan()).unwrap().owner.unwrap().as_str(), "bob");
    let cancel = world.call_as("@team", Some("alice"), ProposalCancel { proposal: hers });
    assert_eq!(cancel.unwrap_err().into_body().code, ErrorCode::Denied);
    let won: Vec<_> =
        world.told().into_iter().filter(|text| text.contains("you have won")).collect();
    assert_eq!(won.len(), 1, "{won:?}");
}

#[test]
fn whoever_made_an_election_goes_on_where_the_winner_is_gone() {
    let world = World::new();
    world.start(&AGENTS, "@alice go");
    let alice = world.claim();
    let election = json!({ "type": "election", "options": ["bob", "carol"] });
    let election = world.tool(&alice, create(&election)).unwrap().id;
    world.succeed(&alice, "");
    world.vote("alice", election, "bob").unwrap();
    world.make_anew("bob");
    world.vote("carol", election, "bob").unwrap();
    assert_eq!(end(&world.proposal(election)).2, Some("bob"));
    let said = world.told();
    let task = said.iter().find(|text| text.contains(", your prop_")).expect("a task");
    assert!(task.contains("`bob` has won, and is not a member any more"), "{task}");
}

#[test]
fn the_maker_goes_on_where_a_file_has_neither_the_last_elector_nor_the_winner() {
    let world = world();
    let fields = json!({ "type": "election", "options": ["bob", "carol"],
        "electors": ["alice", "bob"], "quorum": 1 });
    let election = world.call_as("@team", Some("bob"), create(&fields)).unwrap().id;
    world.vote("bob", election, "carol").unwrap();
    world.call("", WorkflowStop { key: team(), now: true, purge: false, timeout: None }).unwrap();
    world.start_with(&["bob"], "hello", Mode::Start, Limits::default());
    assert_eq!(end(&world.proposal(election)).2, Some("carol"));
    let said = world.told();
    let task = said.iter().find(|text| text.contains(", your prop_")).expect("a task");
    assert!(task.contains("`carol` has won, and is not a member any more"), "{task}");
}

#[test]
fn every_change_is_one_event_and_the_last_one_is_the_close() {
    let world = world();
    let mut news = world.store.subscribe();
    let proposal = world.propose(&json!({ "resolution": "unanimous" })).id;
    world.vote("alice", proposal, "red").unwrap();
    world.vote("bob", proposal, "blue").unwrap();
    let mut seen = Vec::new();
    while let Ok(event) = news.try_recv() {
        if let EventBody::ProposalChanged(proposal) = &event.body {
            seen.push((proposal.status, proposal.votes.len(), proposal.outcome));
        }
    }
    assert_eq!(
        seen,
        [
            (ProposalStatus::Active, 0, None),
            (ProposalStatus::Active, 1, None),
            (ProposalStatus::Resolved, 2, Some(Outcome::Rejected)),
        ]
    );
}

#[test]
fn an_approval_with_options_of_its_own_is_won_by_the_one_that_all_choose() {
    let world = world();
    let approval = |options: Option<[&str; 2]>| {
        let fields = json!({ "type": "approval", "options": options, "resolution": "unanimous" });
        world.propose(&fields).id
    };
    let own = approval(Some(["no", "yes"]));
    for name in AGENTS {
        world.vote(name, own, "yes").unwrap();
    }
    let ended = world.proposal(own);
    assert_eq!(end(&ended), (ProposalStatus::Resolved, Some(Outcome::Won), Some("yes")));
    let usual = approval(None);
    let ended = world.vote("alice", usual, "reject").unwrap();
    assert_eq!(ended.outcome, Some(Outcome::Rejected));
}

#[test]
fn an_agent_that_is_gone_still_counts_among_the_electors() {
    let world = world();
    let proposal = world.propose(&json!({ "resolution": "majority" })).id;
    world
        .call("@team", agent_worker_protocol::AgentStop { target: target("carol@team"), now: true })
        .unwrap();
    world.vote("alice", proposal, "red").unwrap();
    let closed = world.vote("bob", proposal, "blue").unwrap();
    assert_eq!(closed.status, ProposalStatus::Active);
    let closed = world.vote("bob", proposal, "red").unwrap();
    assert_eq!((closed.resolution, closed.result.as_deref()), (Resolution::Majority, Some("red")));
    assert_eq!(closed.kind, ProposalType::Decision);
}
