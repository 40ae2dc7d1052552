//! Proposals: what a team decides by voting.

use agent_worker_protocol::{
    id::{ProposalId, RunId},
    name::Name,
    proposal::{Outcome, ProposalStatus, ProposalType, Resolution, TieBreak, Vote},
    target::Scope,
    time::Timestamp,
};
use rusqlite::{Connection, Row, params};

use crate::{
    error::OpError,
    rows::{
        agent::AgentRow,
        word::{Json, Word},
        workflow,
    },
};

#[derive(Debug, Clone)]
pub struct ProposalRow {
    pub id: i64,
    pub scope_id: i64,
    pub scope: Scope,
    pub kind: ProposalType,
    pub title: String,
    pub description: Option<String>,
    pub options: Vec<String>,
    pub resolution: Resolution,
    pub binding: bool,
    pub quorum: u32,
    pub tie_break: TieBreak,
    pub sets_owner: Option<String>,
    pub status: ProposalStatus,
    pub creator: Name,
    pub run: Option<RunId>,
    pub hop: i64,
    pub root: Option<i64>,
    pub outcome: Option<Outcome>,
    pub result: Option<String>,
    pub expires_at: Timestamp,
    pub created_at: Timestamp,
    pub resolved_at: Option<Timestamp>,
    pub newest_agent: i64,
}

pub const COLUMNS: &str =
    "p.id, p.scope, w.name AS workflow, w.tag, p.type, p.title, p.description,
    p.options, p.resolution, p.binding, p.quorum, p.tie_break, p.sets_owner, p.status, p.creator,
    p.run, p.hop, p.root, p.outcome, p.result, p.expires_at, p.created_at, p.resolved_at,
    p.newest_agent";

pub const TABLES: &str = "proposals AS p JOIN workflows AS w ON w.id = p.scope";

impl ProposalRow {
    pub fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
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
    pub fn is_older_than(&self, member: &AgentRow) -> bool {
        member.id > self.newest_agent
    }

    /// Whether a member may vote and has not.
    pub fn waits_for(&self, conn: &Connection, member: i64) -> Result<bool, OpError> {
        let sql = "SELECT 1 FROM proposal_electors AS e
                   WHERE e.proposal = ?1 AND e.agent = ?2 AND NOT EXISTS
                       (SELECT 1 FROM votes AS v WHERE v.proposal = ?1 AND v.agent = ?2)";
        Ok(conn.prepare_cached(sql)?.exists(params![self.id, member])?)
    }

    pub fn votes(&self, conn: &Connection) -> Result<Vec<Vote>, OpError> {
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
}
