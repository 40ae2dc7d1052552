//! Proposals: what a team decides by voting, and what comes of it.

mod ops;
mod tally;

pub use self::{
    ops::{
        Outcome, Proposal, ProposalCancel, ProposalCreate, ProposalList, ProposalShow,
        ProposalStatus, ProposalType, Proposals, ProposalsShow, Resolution, Tally, TieBreak, Vote,
        VoteCast,
    },
    tally::{Ballot, Verdict},
};
