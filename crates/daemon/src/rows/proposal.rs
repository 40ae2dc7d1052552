//! Proposals: what a team decides by voting.

use agent_worker_protocol::{
    MemberKind, Name, Outcome, ProposalId, ProposalStatus, ProposalType, Resolution, RunId, Scope,
    TieBreak, Timestamp, Vote,
};

use crate::{
    error::Result,
    rows::{AgentRow, Db, Table, layer::row::New as _, row, sql, statements, table},
};

row! {
    /// A proposal, with the name of its scope.
    #[derive(Debug, Clone)]
    pub struct ProposalRow from "proposals AS p" {
        id: i64 = "p.id",
        scope_id: i64 = "p.scope",
        scope: Scope =
            "(SELECT '@' || w.name || ':' || w.tag FROM workflows AS w WHERE w.id = p.scope)",
        kind: ProposalType = "p.type",
        title: String = "p.title",
        description: Option<String> = "p.description",
        options: Vec<String> = "p.options",
        resolution: Resolution = "p.resolution",
        binding: bool = "p.binding",
        quorum: u32 = "p.quorum",
        tie_break: TieBreak = "p.tie_break",
        sets_owner: Option<String> = "p.sets_owner",
        status: ProposalStatus = "p.status",
        creator: Name = "p.creator",
        run: Option<RunId> = "p.run",
        hop: i64 = "p.hop",
        root: Option<i64> = "p.root",
        outcome: Option<Outcome> = "p.outcome",
        result: Option<String> = "p.result",
        expires_at: Timestamp = "p.expires_at",
        created_at: Timestamp = "p.created_at",
        resolved_at: Option<Timestamp> = "p.resolved_at",
        newest_agent: i64 = "p.newest_agent",
    }
}

table! {
    /// A proposal that is made.
    pub struct NewProposal<'a> into Proposals {
        scope: i64,
        kind: ProposalType = "type",
        title: &'a str,
        description: Option<&'a str>,
        options: &'a Vec<String>,
        resolution: Resolution,
        binding: bool,
        quorum: u32,
        tie_break: TieBreak,
        sets_owner: Option<&'a str>,
        creator: &'a Name,
        run: Option<RunId>,
        hop: i64,
        root: Option<i64>,
        expires_at: Timestamp,
        created_at: Timestamp,
        /// An agent that comes later is not whom a name in it means
        newest_agent: i64,
    }
}

table! {
    /// An agent that may vote on a proposal.
    pub struct NewElector into ProposalElectors { proposal: i64, agent: i64 }
}

table! {
    struct NewVote<'a> into Votes {
        proposal: i64,
        agent: i64,
        choice: &'a str,
        reason: Option<&'a str>,
        created_at: Timestamp,
    }
}

/// The open proposals of all scopes, and of one. Closed ones stay as long as their scope, so only
/// the index of the open ones is read.
pub const OPEN: &str =
    sql!(ProposalRow::SELECT, " INDEXED BY proposals_open WHERE p.status = 'active' ORDER BY p.id");
pub const OPEN_OF_SCOPE: &str = sql!(
    ProposalRow::SELECT,
    " INDEXED BY proposals_open WHERE p.status = 'active' AND p.scope = ?1 ORDER BY p.id"
);

impl ProposalRow {
    /// The open proposals of a scope, or of all, the oldest first.
    pub fn open(db: Db<'_>, scope: Option<i64>) -> Result<Vec<Self>> {
        match scope {
            Some(scope) => db.all(OPEN_OF_SCOPE, (scope,)),
            None => db.all(OPEN, ()),
        }
    }

    /// The proposals of a scope, or of all, before a number; newest first.
    pub fn page(
        db: Db<'_>,
        before: i64,
        scope: Option<i64>,
        also_over: bool,
        limit: u32,
    ) -> Result<Vec<Self>> {
        const SQL: &str = sql!(
            ProposalRow::SELECT,
            " WHERE p.id < ?1 AND (?2 IS NULL OR p.scope = ?2) ORDER BY p.id DESC LIMIT ?3"
        );
        if !also_over {
            let open = Self::open(db, scope)?.into_iter().rev();
            return Ok(open.filter(|row| row.id < before).take(limit as usize).collect());
        }
        db.all(SQL, (before, scope, limit))
    }

    statements! {
        pub fn by_id(id: i64) -> one Self = ProposalRow::SELECT, " WHERE p.id = ?1";

        /// The proposal of this number, if there is one.
        pub fn find(id: ProposalId) -> maybe Self = ProposalRow::SELECT, " WHERE p.id = ?1";

        /// Whether a member may vote and has not.
        pub fn waits_for(&self, member: i64) -> exists =
            "SELECT 1 FROM proposal_electors AS e
                WHERE e.proposal = ?1 AND e.agent = ?2 AND NOT EXISTS
                    (SELECT 1 FROM votes AS v WHERE v.proposal = ?1 AND v.agent = ?2)";

        /// Notes its end, once.
        pub fn close(
            &self, status: ProposalStatus, outcome: Outcome, result: Option<&str>, now: Timestamp
        ) -> change in Proposals =
            "UPDATE proposals SET status = ?2, outcome = ?3, result = ?4, resolved_at = ?5
                WHERE id = ?1 AND status = 'active'";
    }

    /// As it is shown and as commands take it.
    pub fn public_id(&self) -> ProposalId {
        ProposalId::new(self.id)
    }

    /// Those who may vote, by name.
    pub fn electors(&self, db: Db<'_>) -> Result<Vec<AgentRow>> {
        let sql = "SELECT e.agent FROM proposal_electors AS e JOIN agents AS a ON a.id = e.agent
                   WHERE e.proposal = ?1 ORDER BY a.name";
        let ids: Vec<i64> = db.all(sql, (self.id,))?;
        ids.into_iter().map(|id| AgentRow::by_id(db, id)).collect()
    }

    /// Whether a member made it.
    pub fn is_made_by(&self, member: &AgentRow) -> bool {
        member.name == self.creator && !self.is_older_than(member)
    }

    /// The agent that made it, if it is still there; none if the user made it.
    pub fn maker(&self, db: Db<'_>) -> Result<Option<AgentRow>> {
        let maker = AgentRow::find(db, self.scope_id, self.creator.as_str())?;
        Ok(maker.filter(|maker| maker.kind != MemberKind::Person && self.is_made_by(maker)))
    }

    /// The member that an option names.
    pub fn candidate(&self, db: Db<'_>, option: &str) -> Result<Option<AgentRow>> {
        let member = AgentRow::find(db, self.scope_id, option)?;
        Ok(member.filter(|member| !self.is_older_than(member)))
    }

    /// Whether a member came after it, and is not whom a name in it means.
    pub fn is_older_than(&self, member: &AgentRow) -> bool {
        member.id > self.newest_agent
    }

    pub fn votes(&self, db: Db<'_>) -> Result<Vec<Vote>> {
        let sql = "SELECT a.name, v.choice, v.reason, v.created_at FROM votes AS v
                   JOIN agents AS a ON a.id = v.agent WHERE v.proposal = ?1 ORDER BY a.name";
        let votes: Vec<(Name, String, Option<String>, Timestamp)> = db.all(sql, (self.id,))?;
        let vote = |(voter, choice, reason, at)| Vote { voter, choice, reason, at };
        Ok(votes.into_iter().map(vote).collect())
    }
}

/// Counts a vote, in place of an earlier vote of the agent.
pub fn vote(
    db: Db<'_>,
    proposal: i64,
    agent: i64,
    choice: &str,
    reason: Option<&str>,
    created_at: Timestamp,
) -> Result<usize> {
    const SQL: &str = sql!(
        NewVote::INSERT,
        " ON CONFLICT (proposal, agent) DO UPDATE SET choice = excluded.choice,
              reason = excluded.reason, created_at = excluded.created_at"
    );
    db.change(Table::Votes, SQL, &NewVote { proposal, agent, choice, reason, created_at })
}

/// Whether a proposal of a scope is open.
pub fn is_open_in(db: Db<'_>, scope: i64) -> Result<bool> {
    db.exists("SELECT 1 FROM proposals WHERE scope = ?1 AND status = 'active'", (scope,))
}
