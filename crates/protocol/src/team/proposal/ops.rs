//! Proposals: what a team decides by voting, and what comes of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::op,
    terms::{Interval, Name, ProposalId, RunId, Scope, Timestamp, words::words},
};

words! {
    /// What is decided.
    #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
    pub enum ProposalType {
        /// Elects one of the members.
        Election = "election",
        /// Chooses one of the options.
        Decision = "decision",
        /// Accepts or rejects: `approve` or `reject`.
        Approval = "approval",
        /// Assigns work to one of the members.
        Assignment = "assignment",
    }
}

words! {
    /// How votes become a result.
    #[derive(Default)]
    #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
    pub enum Resolution {
        /// The most votes win, once the quorum has voted and the lead is certain.
        #[default]
        Plurality = "plurality",
        /// More than half of all electors.
        Majority = "majority",
        /// All electors; the first different vote ends it.
        Unanimous = "unanimous",
    }
}

words! {
    /// Who wins when several have the most votes.
    #[derive(Default)]
    #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
    pub enum TieBreak {
        /// No option: the outcome is a tie.
        #[default]
        None = "none",
        /// The option that stands first in the list.
        First = "first",
        /// The option for which the creator voted; without such a vote it is a tie.
        Creator = "creator",
    }
}

words! {
    /// Where a proposal is. Only the first is open to votes.
    pub enum ProposalStatus {
        /// Open.
        Active = "active",
        /// Closed by its votes.
        Resolved = "resolved",
        /// Its time was over, or too few electors were left, before enough had voted.
        Expired = "expired",
        /// Taken back.
        Cancelled = "cancelled",
    }
}

words! {
    /// What came of a proposal that is closed.
    pub enum Outcome {
        /// One option has won.
        Won = "won",
        /// Several have the most votes.
        Tie = "tie",
        /// No option has, or can have, more than half of the electors.
        NoMajority = "no_majority",
        /// A member dissented where all had to agree.
        Rejected = "rejected",
        /// Too few had voted when its time was over, or too few electors were left to vote.
        Expired = "expired",
        /// Too few had voted when the workflow had nothing else left to do.
        RunEnded = "run_ended",
        /// It was taken back.
        Cancelled = "cancelled",
    }
}

/// The votes for one option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// The option
    pub option: String,
    /// How many chose it
    pub votes: u32,
}

/// A vote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Vote {
    /// Who voted
    pub voter: Name,
    /// For which option
    pub choice: String,
    /// Why, in the voter's words
    pub reason: Option<String>,
    /// When, or when it was last changed
    pub at: Timestamp,
}

/// A proposal with all that was voted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proposal {
    /// `prop_<n>`
    pub id: ProposalId,
    /// Where it is
    pub scope: Scope,
    /// What is decided
    #[serde(rename = "type")]
    pub kind: ProposalType,
    /// In one line
    pub title: String,
    /// At length
    pub description: Option<String>,
    /// What can be chosen, in order
    pub options: Vec<String>,
    /// How votes become a result
    pub resolution: Resolution,
    /// How many must vote
    pub quorum: u32,
    /// Who wins a tie
    pub tie_break: TieBreak,
    /// Whether the result does something by itself
    pub binding: bool,
    /// The document that goes to the winner
    pub sets_owner: Option<String>,
    /// Where it is on its way
    pub status: ProposalStatus,
    /// Who made it
    pub creator: Name,
    /// The run that made it
    pub run: Option<RunId>,
    /// Who may vote
    pub electors: Vec<Name>,
    /// Electors that were removed, while it is open: another agent may have the name
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<Name>,
    /// Who has voted, and how, in the order of the electors
    pub votes: Vec<Vote>,
    /// The votes of each option, in the order of the options
    pub tally: Vec<Tally>,
    /// What came of it, once it is closed
    pub outcome: Option<Outcome>,
    /// The option that won
    pub result: Option<String>,
    /// When it closes by itself
    pub expires_at: Timestamp,
    /// When it was made
    pub created_at: Timestamp,
    /// When it was closed
    pub resolved_at: Option<Timestamp>,
}

impl Proposal {
    /// The first usual option of an approval.
    pub const APPROVE: &'static str = "approve";
    /// The second usual option of an approval.
    pub const REJECT: &'static str = "reject";

    /// How many have voted: `2 of 3 had voted`.
    pub fn turnout(&self) -> String {
        format!("{} of {} had voted", self.votes.len(), self.electors.len())
    }
}

/// Proposals, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proposals {
    /// The proposals
    pub proposals: Vec<Proposal>,
    /// Whether there are earlier ones
    pub more: bool,
}

/// Ask your team to decide by voting. Electors are told at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct ProposalCreate {
    /// Elect a member, decide on options, approve, or assign work
    #[cfg_attr(feature = "cli", arg(value_enum, value_name = "TYPE"))]
    #[serde(rename = "type")]
    pub kind: ProposalType,
    /// What to decide, in one line
    pub title: String,
    /// Background
    #[cfg_attr(feature = "cli", arg(long))]
    pub description: Option<String>,
    /// Choices (approve, reject; or electors)
    #[cfg_attr(
        feature = "cli",
        arg(
            long = "option",
            value_name = "TEXT",
            help = "Choice (repeatable) [default: approve, reject, or electors]"
        )
    )]
    pub options: Option<Vec<String>>,
    /// How votes decide (plurality)
    #[cfg_attr(
        feature = "cli",
        arg(long, value_enum, help = "How votes decide [default: plurality]")
    )]
    pub resolution: Option<Resolution>,
    /// Votes needed (more than half)
    #[cfg_attr(feature = "cli", arg(long, help = "Votes needed [default: more than half]"))]
    pub quorum: Option<u32>,
    /// Who wins a tie (none)
    #[cfg_attr(feature = "cli", arg(long, value_enum, help = "Who wins a tie [default: none]"))]
    pub tie_break: Option<TieBreak>,
    /// Who may vote (all agents)
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "NAME",
            value_delimiter = ',',
            value_parser = elector,
            help = "Who may vote, such as `bob,eve` [default: all agents]"
        )
    )]
    pub electors: Option<Vec<String>>,
    /// Time to vote, such as `30m` (1h)
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "TIME", help = "Time to vote, such as `30m` [default: 1h]")
    )]
    pub expires_in: Option<Interval>,
    /// Wake an elected winner (true)
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "BOOL", help = "Wake an elected winner [default: true]")
    )]
    pub binding: Option<bool>,
    /// Document the winner will own
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE"))]
    pub sets_owner: Option<String>,
}

/// Reads an elector of a command line: a name in any case, also with `@` before it.
#[cfg(feature = "cli")]
fn elector(text: &str) -> Result<String, crate::terms::name::BadName> {
    let name: Name = text.strip_prefix('@').unwrap_or(text).to_lowercase().parse()?;
    Ok(name.into())
}

/// Vote on a proposal; your last vote counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VoteCast {
    /// Such as `prop_3`
    pub proposal: ProposalId,
    /// One of its options
    pub choice: String,
    /// Why
    pub reason: Option<String>,
}

/// Show proposals and their votes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProposalsShow {
    /// Such as `prop_3` (all open)
    pub proposal: Option<ProposalId>,
}

/// List the proposals of a scope, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProposalList {
    /// Also those that are closed
    pub all: bool,
    /// Only those before this one
    pub before: Option<ProposalId>,
    /// How many at most (50)
    pub limit: Option<u32>,
}

/// Show a proposal with its votes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposalShow {
    /// Which, such as `prop_3`
    pub proposal: ProposalId,
}

/// Cancel your proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposalCancel {
    /// Such as `prop_3`
    pub proposal: ProposalId,
}

op!(ProposalCreate "team_proposal_create": post "/proposals", write, tool => Proposal);
op!(VoteCast "team_vote": post "/proposals/{proposal}/votes", write, tool, idempotent => Proposal);
op!(ProposalsShow "team_proposal_status": no route, read, tool => Proposals);
op!(ProposalList "proposal_list": get "/proposals", read => Proposals);
op!(ProposalShow "proposal_show": get "/proposals/{proposal}", read => Proposal);
op!(ProposalCancel "team_proposal_cancel": post "/proposals/{proposal}/cancel", write, tool,
    idempotent => Proposal);
