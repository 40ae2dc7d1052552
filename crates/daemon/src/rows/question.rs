//! Questions to the person: rows, entities, and how they are shown.

use agent_worker_protocol::{
    id::{QuestionId, RunId},
    name::Name,
    question::{Asked, AskedState, QuestionKind},
    target::{Scope, Target},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::{
    error::OpError,
    rows::{
        run::{HELD_UP, RunRow},
        word::{Json, Word},
        workflow,
    },
};

#[derive(Debug, Clone)]
pub struct QuestionRow {
    pub id: QuestionId,
    pub scope_id: i64,
    pub scope: Scope,
    pub agent: i64,
    pub agent_name: Name,
    pub run: Option<RunId>,
    pub kind: QuestionKind,
    pub text: String,
    pub tool: Option<String>,
    pub options: Vec<String>,
    pub default: Option<String>,
    pub expires_at: Timestamp,
    pub answer: Option<String>,
    pub answered_by: Option<Name>,
    pub expired_because: Option<String>,
    pub created_at: Timestamp,
    /// Whether a call of the asker waits for the decision
    pub waits: bool,
    /// The message that carries the answer
    pub message: Option<i64>,
}

pub const COLUMNS: &str = "q.id, q.scope, w.name AS workflow, w.tag, q.agent, a.name AS agent_name,
    q.run, q.kind, q.text, q.tool, q.options, q.default_answer, q.expires_at, q.answer,
    q.answered_by, q.expired_because, q.created_at, q.waits, q.message";

pub const NAMES: &str = "JOIN workflows AS w ON w.id = q.scope JOIN agents AS a ON a.id = q.agent";

/// An open question, for SQL that uses the partial indexes.
pub const OPEN: &str = "q.answered_at IS NULL AND q.expired_because IS NULL";

impl QuestionRow {
    pub fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: QuestionId::new(row.get("id")?),
            scope_id: row.get("scope")?,
            scope: workflow::scope_from_row(row, "workflow", "tag")?,
            agent: row.get("agent")?,
            agent_name: row.get::<_, Word<Name>>("agent_name")?.0,
            run: row.get::<_, Option<i64>>("run")?.map(RunId::new),
            kind: row.get::<_, Word<QuestionKind>>("kind")?.0,
            text: row.get("text")?,
            tool: row.get("tool")?,
            options: row.get::<_, Option<Json<_>>>("options")?.map_or_else(Vec::new, |all| all.0),
            default: row.get("default_answer")?,
            expires_at: Timestamp(row.get("expires_at")?),
            answer: row.get("answer")?,
            answered_by: row.get::<_, Option<Word<Name>>>("answered_by")?.map(|name| name.0),
            expired_because: row.get("expired_because")?,
            created_at: Timestamp(row.get("created_at")?),
            waits: row.get("waits")?,
            message: row.get("message")?,
        })
    }

    /// The question, if there is one.
    pub fn find(conn: &Connection, id: QuestionId) -> Result<Option<Self>, OpError> {
        let sql = format!("SELECT {COLUMNS} FROM questions AS q {NAMES} WHERE q.id = ?1");
        Ok(conn.prepare_cached(&sql)?.query_row([id.number()], Self::from_row).optional()?)
    }

    pub fn by_id(conn: &Connection, id: QuestionId) -> Result<Self, OpError> {
        Self::find(conn, id)?.ok_or_else(|| {
            OpError::not_found(format!("question `{id}` not found"))
                .hint("agent-worker questions lists those that wait for you")
        })
    }

    /// The open questions of a scope, in the order in which they were asked.
    pub fn open_of_scope(conn: &Connection, scope: i64) -> Result<Vec<Self>, OpError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM questions AS q INDEXED BY questions_open {NAMES}
             WHERE q.scope = ?1 AND {OPEN} ORDER BY q.id"
        );
        query(conn, &sql, [scope])
    }

    /// The run that asked what this message answers.
    pub fn asking_run(conn: &Connection, message: i64) -> Result<Option<RunId>, OpError> {
        let sql = "SELECT run FROM questions INDEXED BY questions_by_message WHERE message = ?1";
        let found: Option<Option<i64>> =
            conn.prepare_cached(sql)?.query_row([message], |row| row.get(0)).optional()?;
        Ok(found.flatten().map(RunId::new))
    }

    /// Whether it waits for the person.
    pub fn is_open(&self) -> bool {
        self.answer.is_none() && self.expired_because.is_none()
    }

    pub fn target(&self) -> Target {
        Target::member(self.agent_name.clone(), self.scope.clone())
    }

    /// The state of the question, as the asker is told.
    pub fn asked(&self) -> Asked {
        let id = self.id;
        let (state, answer, text) = match (&self.answer, &self.expired_because) {
            (Some(answer), _) => {
                let by = self.answered_by.as_ref().map_or(Name::PERSON, Name::as_str);
                (AskedState::Answered, Some(answer), format!("{by} answered {id}: {answer}"))
            }
            (None, Some(because)) => {
                let then = self.instead();
                (AskedState::Expired, self.default.as_ref(), format!("{id}: {because}: {then}"))
            }
            (None, None) => (
                AskedState::Waiting,
                None,
                format!(
                    "waiting {id}: not answered yet. The answer comes as a message to \
                     you: go on with what does not need it, or end"
                ),
            ),
        };
        Asked { id, state, answer: answer.cloned(), text }
    }

    /// What applies without an answer.
    pub fn instead(&self) -> String {
        match &self.default {
            Some(default) => format!("the default holds, `{default}`"),
            None => "it has no default: decide without the user".to_owned(),
        }
    }
}

pub fn query(
    conn: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<QuestionRow>, OpError> {
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map(values, QuestionRow::from_row)?.collect::<Result<_, _>>()?;
    Ok(rows)
}

/// Whether a run waits for the person: for a permission, or in the call that asked.
pub fn is_waited_for(conn: &Connection, run: RunId) -> Result<bool, OpError> {
    let sql = format!(
        "SELECT 1 FROM questions AS q INDEXED BY questions_of_run
         WHERE q.run = ?1 AND q.waits = 1 AND {OPEN} LIMIT 1"
    );
    Ok(conn.prepare_cached(&sql)?.exists([run.number()])?)
}

/// Whether a run waits for a permission.
pub fn is_held_up(conn: &Connection, run: RunId) -> Result<bool, OpError> {
    let sql = format!("SELECT 1 FROM runs AS r WHERE r.id = ?1 AND {HELD_UP}");
    Ok(conn.prepare_cached(&sql)?.exists([run.number()])?)
}

/// The open question for which a run waits.
pub fn of_run(conn: &Connection, run: RunId) -> Result<Option<QuestionRow>, OpError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM questions AS q INDEXED BY questions_of_run {NAMES}
         WHERE q.run = ?1 AND q.waits = 1 AND {OPEN} ORDER BY q.id LIMIT 1"
    );
    Ok(query(conn, &sql, [run.number()])?.pop())
}

/// Whether a question of a scope waits for the person.
pub fn is_open_in(conn: &Connection, scope: i64) -> Result<bool, OpError> {
    let sql = format!(
        "SELECT 1 FROM questions AS q INDEXED BY questions_open
         WHERE q.scope = ?1 AND {OPEN} LIMIT 1"
    );
    Ok(conn.prepare_cached(&sql)?.exists([scope])?)
}

/// Whether a run is a further attempt at what the earlier one did.
pub fn follows(conn: &Connection, run: &RunRow, earlier: RunId) -> Result<bool, OpError> {
    /// How far attempts are followed back.
    const MOST_ATTEMPTS: usize = 64;
    let mut before = run.retry_of.map(RunId::new);
    for _ in 0..MOST_ATTEMPTS {
        match before {
            None => return Ok(false),
            Some(id) if id == earlier => return Ok(true),
            Some(id) => {
                before = RunRow::find(conn, id)?.and_then(|row| row.retry_of).map(RunId::new);
            }
        }
    }
    Ok(false)
}
