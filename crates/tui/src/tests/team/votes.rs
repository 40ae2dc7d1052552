//! Proposals: an open proposal, and the results of earlier ones.

use agent_worker_protocol::{
    Name, Outcome, Proposal, ProposalId, ProposalStatus, ProposalType, Proposals, Resolution,
    Tally, TieBreak, Vote,
};

use super::{at, pr};

fn names(names: &str) -> Vec<Name> {
    names.split_whitespace().map(|name| name.parse().unwrap()).collect()
}

fn made(number: i64, title: &str, votes: &[(&str, &str, &str, &str)]) -> Proposal {
    let options: Vec<String> = ["yes", "no"].map(ToOwned::to_owned).into();
    let count = |option: &String| votes.iter().filter(|vote| vote.2 == option).count();
    let tally = |option: &String| Tally {
        option: option.clone(),
        votes: u32::try_from(count(option)).unwrap(),
    };
    let vote = |(clock, voter, choice, reason): &(&str, &str, &str, &str)| Vote {
        voter: voter.parse().unwrap(),
        choice: (*choice).to_owned(),
        reason: Some((*reason).to_owned()).filter(|text| !text.is_empty()),
        at: at(clock),
    };
    Proposal {
        id: ProposalId::new(number),
        scope: pr(),
        kind: ProposalType::Decision,
        title: title.to_owned(),
        description: None,
        tally: options.iter().map(tally).collect(),
        options,
        resolution: Resolution::Majority,
        quorum: 4,
        tie_break: TieBreak::None,
        binding: true,
        sets_owner: None,
        status: ProposalStatus::Active,
        creator: "reviewer".parse().unwrap(),
        run: None,
        electors: names("coder editor reviewer scout tester user"),
        removed: Vec::new(),
        votes: votes.iter().map(vote).collect(),
        outcome: None,
        result: None,
        expires_at: at("14:10:12"),
        created_at: at("14:01:00"),
        resolved_at: None,
    }
}

/// The proposal that is open.
pub fn open() -> Proposal {
    let votes = [
        ("14:02:00", "reviewer", "yes", "index is small"),
        ("14:03:00", "coder", "yes", ""),
        ("14:05:00", "tester", "no", "迁移没有测试 migration is untested"),
        ("14:05:30", "editor", "yes", ""),
    ];
    let why = "The channel has 1.2 M messages and LIKE takes 900 ms. FTS5 answers in 4 ms and \
               costs 11 % of disk.";
    let description = Some(why.to_owned());
    Proposal { description, ..made(7, "use SQLite FTS for search", &votes) }
}

/// All of them, the newest first.
pub fn page() -> Proposals {
    let votes: Vec<_> = ["coder", "editor", "reviewer", "tester", "user"]
        .map(|voter| ("13:20:00", voter, "coder", ""))
        .into();
    let merges = Proposal {
        kind: ProposalType::Election,
        options: ["coder", "tester"].map(ToOwned::to_owned).into(),
        status: ProposalStatus::Resolved,
        outcome: Some(Outcome::Won),
        result: Some("coder".to_owned()),
        sets_owner: Some("notes.md".to_owned()),
        resolved_at: Some(at("13:20:00")),
        ..made(6, "who merges", &votes)
    };
    let freeze = Proposal {
        status: ProposalStatus::Expired,
        outcome: Some(Outcome::Expired),
        resolved_at: Some(at("12:00:00")),
        ..made(
            5,
            "freeze the schema",
            &[("11:20:00", "coder", "no", ""), ("11:21:00", "user", "yes", "")],
        )
    };
    Proposals { proposals: vec![open(), merges, freeze], more: false }
}
