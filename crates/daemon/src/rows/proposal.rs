//! Proposals: what a team decides by voting.

use agent_worker_protocol::{
    event::EventBody,
    id::{ProposalId, RunId},
    name::Name,
    proposal::{
        Outcome, Proposal, ProposalCancel, ProposalList, ProposalShow, ProposalStatus,
        ProposalType, Proposals, ProposalsShow, Resolution, Tally, TieBreak, Vote,
    },
    target::Scope,
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{
    changes::proposal::close,
    context::{cx::Cx, limit},
    error::OpError,
    ops::list::Run,
    rows::{
        agent::AgentRow,
        word::{Json, Word},
        workflow,
    },
};

/// The most proposals that are answered at once.
pub const MOST: u32 = 200;

#[derive(Debug, Clone)]
pub struct ProposalRow {
    pub id: i64,
    pub scope_id: i64,
    scope: Scope,
    pub kind: ProposalType,
    pub title: String,
    pub description: Option<String>,
    pub options: Vec<String>,
    resolution: Resolution,
    pub binding: bool,
    quorum: u32,
    tie_break: TieBreak,
    pub sets_owner: Option<String>,
    pub status: ProposalStatus,
    pub creator: Name,
    run: Option<RunId>,
    pub hop: i64,
    pub root: Option<i64>,
    outcome: Option<Outcome>,
    result: Option<String>,
    pub expires_at: Timestamp,
    created_at: Timestamp,
    resolved_at: Option<Timestamp>,
    newest_agent: i64,
}

pub const COLUMNS: &str =
    "p.id, p.scope, w.name AS workflow, w.tag, p.type, p.title, p.description,
    p.options, p.resolution, p.binding, p.quorum, p.tie_break, p.sets_owner, p.status, p.creator,
    p.run, p.hop, p.root, p.outcome, p.result, p.expires_at, p.created_at, p.resolved_at,
    p.newest_agent";

pub const TABLES: &str = "proposals AS p JOIN workflows AS w ON w.id = p.scope";

impl ProposalRow {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get("id")?,
            scope_id: row.get("scope")?,
            scope: workflow::scope_from_row(row, "workflow", "tag")?,
            kind: row.get::<_, Word<ProposalType>>("type")?.0,
            title: row.get("title")?,
            description: row.get("description")?,
            options: row.get::<_, Json<Vec<String>>>("options")?.0,
            resolution: row.get::<_, Word<Resolution>>("resolution")?.0,
            binding: row.get("binding")?,
            quorum: row.get("quorum")?,
            tie_break: row.get::<_, Word<TieBreak>>("tie_break")?.0,
            sets_owner: row.get("sets_owner")?,
            status: row.get::<_, Word<ProposalStatus>>("status")?.0,
            creator: row.get::<_, Word<Name>>("creator")?.0,
            run: row.get::<_, Option<i64>>("run")?.map(RunId::new),
            hop: row.get("hop")?,
            root: row.get("root")?,
            outcome: row.get::<_, Option<Word<Outcome>>>("outcome")?.map(|word| word.0),
            result: row.get("result")?,
            expires_at: Timestamp(row.get("expires_at")?),
            created_at: Timestamp(row.get("created_at")?),
            resolved_at: row.get::<_, Option<i64>>("resolved_at")?.map(Timestamp),
            newest_agent: row.get("newest_agent")?,
        })
    }

    pub fn by_id(conn: &Connection, id: i64) -> Result<Self, OpError> {
        let sql = format!("SELECT {COLUMNS} FROM {TABLES} WHERE p.id = ?1");
        Ok(conn.prepare_cached(&sql)?.query_row([id], Self::from_row)?)
    }

    /// The proposal that the caller names. One of another scope does not exist for an agent.
    pub fn named(cx: &Cx<'_>, id: ProposalId) -> Result<Self, OpError> {
        let missing = || {
            OpError::not_found(format!("proposal `{id}` not found")).hint(cx.either(
                "team_proposal_status names those that are open",
                "agent-worker proposal list",
            ))
        };
        let sql = format!("SELECT {COLUMNS} FROM {TABLES} WHERE p.id = ?1");
        let mut statement = cx.conn.prepare_cached(&sql)?;
        let row = statement.query_row([id.number()], Self::from_row).optional()?;
        let row = row.ok_or_else(missing)?;
        let is_seen = cx.is_person() || cx.member_in(row.scope_id)?.is_some();
        if is_seen { Ok(row) } else { Err(missing()) }
    }

    /// The open proposals of a scope, or of all, the oldest first.
    pub fn open(conn: &Connection, scope: Option<i64>) -> Result<Vec<Self>, OpError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM {TABLES}
             WHERE p.status = 'active' AND (?1 IS NULL OR p.scope = ?1) ORDER BY p.id"
        );
        let mut statement = conn.prepare_cached(&sql)?;
        let rows = statement.query_map([scope], Self::from_row)?.collect::<Result<_, _>>()?;
        Ok(rows)
    }

    /// As it is shown and as commands take it.
    pub fn public_id(&self) -> ProposalId {
        ProposalId::new(self.id)
    }

    /// Its one line.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// When it was made.
    pub fn created_at(&self) -> Timestamp {
        self.created_at
    }

    /// Those who may vote, by name.
    pub fn electors(&self, conn: &Connection) -> Result<Vec<AgentRow>, OpError> {
        let sql = "SELECT e.agent FROM proposal_electors AS e JOIN agents AS a ON a.id = e.agent
                   WHERE e.proposal = ?1 ORDER BY a.name";
        let mut statement = conn.prepare_cached(sql)?;
        let ids =
            statement.query_map([self.id], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
        ids.into_iter().map(|id| AgentRow::by_id(conn, id)).collect()
    }

    /// Whether a member made it.
    pub fn is_made_by(&self, member: &AgentRow) -> bool {
        member.name == self.creator && !self.is_older_than(member)
    }

    /// The member that an option names.
    pub fn candidate(&self, conn: &Connection, option: &str) -> Result<Option<AgentRow>, OpError> {
        let member = AgentRow::find(conn, self.scope_id, option)?;
        Ok(member.filter(|member| !self.is_older_than(member)))
    }

    /// Whether a member came after it, and is not whom a name in it means.
    fn is_older_than(&self, member: &AgentRow) -> bool {
        member.id > self.newest_agent
    }

    /// Whether a member may vote and has not.
    pub fn waits_for(&self, conn: &Connection, member: i64) -> Result<bool, OpError> {
        let sql = "SELECT 1 FROM proposal_electors AS e
                   WHERE e.proposal = ?1 AND e.agent = ?2 AND NOT EXISTS
                       (SELECT 1 FROM votes AS v WHERE v.proposal = ?1 AND v.agent = ?2)";
        Ok(conn.prepare_cached(sql)?.exists(params![self.id, member])?)
    }

    fn votes(&self, conn: &Connection) -> Result<Vec<Vote>, OpError> {
        let sql = "SELECT a.name, v.choice, v.reason, v.created_at FROM votes AS v
                   JOIN agents AS a ON a.id = v.agent WHERE v.proposal = ?1 ORDER BY a.name";
        let mut statement = conn.prepare_cached(sql)?;
        let rows = statement.query_map([self.id], |row| {
            Ok(Vote {
                voter: row.get::<_, Word<Name>>(0)?.0,
                choice: row.get(1)?,
                reason: row.get(2)?,
                at: Timestamp(row.get(3)?),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub fn entity(&self, conn: &Connection) -> Result<Proposal, OpError> {
        let votes = self.votes(conn)?;
        let count = |option: &String| votes.iter().filter(|vote| vote.choice == *option).count();
        let tally = |option: &String| Tally {
            option: option.clone(),
            votes: u32::try_from(count(option)).unwrap_or(u32::MAX),
        };
        let electors = self.electors(conn)?;
        Ok(Proposal {
            id: self.public_id(),
            scope: self.scope.clone(),
            kind: self.kind,
            title: self.title.clone(),
            description: self.description.clone(),
            options: self.options.clone(),
            resolution: self.resolution,
            quorum: self.quorum,
            tie_break: self.tie_break,
            binding: self.binding,
            sets_owner: self.sets_owner.clone(),
            status: self.status,
            creator: self.creator.clone(),
            run: self.run,
            electors: electors.into_iter().map(|elector| elector.name).collect(),
            tally: self.options.iter().map(tally).collect(),
            votes,
            outcome: self.outcome,
            result: self.result.clone(),
            expires_at: self.expires_at,
            created_at: self.created_at,
            resolved_at: self.resolved_at,
        })
    }
}

/// The open proposals of a scope, or of all, the oldest first.
pub fn open(conn: &Connection, scope: Option<i64>) -> Result<Vec<Proposal>, OpError> {
    ProposalRow::open(conn, scope)?.iter().map(|row| row.entity(conn)).collect()
}

/// Announces a proposal as it now stands.
pub fn announce(cx: &mut Cx<'_>, id: i64) -> Result<Proposal, OpError> {
    let row = ProposalRow::by_id(cx.conn, id)?;
    let proposal = row.entity(cx.conn)?;
    cx.emit(&row.scope, EventBody::ProposalChanged(Box::new(proposal.clone())))?;
    cx.touch_attention(row.scope_id);
    Ok(proposal)
}

impl Run for ProposalsShow {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Proposals, OpError> {
        let proposals = match self.proposal {
            Some(id) => vec![ProposalRow::named(cx, id)?.entity(cx.conn)?],
            None => open(cx.conn, Some(cx.scope()?.id))?,
        };
        Ok(Proposals { proposals, more: false })
    }
}

impl Run for ProposalShow {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Proposal, OpError> {
        ProposalRow::named(cx, self.proposal)?.entity(cx.conn)
    }
}

impl Run for ProposalList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Proposals, OpError> {
        let limit = limit::at_most(self.limit, 50, MOST)?;
        // The person sees all scopes where none is named.
        let scope = cx.listed_scope()?.map(|scope| scope.id);
        let sql = format!(
            "SELECT {COLUMNS} FROM {TABLES}
             WHERE p.id < ?1 AND (?2 IS NULL OR p.scope = ?2) AND (?3 OR p.status = 'active')
             ORDER BY p.id DESC LIMIT ?4"
        );
        let before = self.before.map_or(i64::MAX, ProposalId::number);
        let mut statement = cx.conn.prepare_cached(&sql)?;
        let mut rows = statement
            .query_map(params![before, scope, self.all, limit + 1], ProposalRow::from_row)?
            .collect::<Result<Vec<_>, _>>()?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let proposals = rows.iter().map(|row| row.entity(cx.conn)).collect::<Result<_, _>>()?;
        Ok(Proposals { proposals, more })
    }
}

impl Run for ProposalCancel {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Proposal, OpError> {
        let row = ProposalRow::named(cx, self.proposal)?;
        let is_maker = match cx.member_in(row.scope_id)? {
            Some(me) => row.is_made_by(&me),
            None => false,
        };
        if !cx.is_person() && !is_maker {
            return Err(OpError::denied(format!(
                "only {1} or the user can cancel `{0}`",
                self.proposal, row.creator
            )));
        }
        close::cancel(cx, &row)
    }
}
