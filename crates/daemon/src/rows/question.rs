//! Questions to the person: rows, entities, and how they are shown.

use agent_worker_protocol::{
    event::EventBody,
    id::{QuestionId, RunId},
    name::Name,
    question::{
        Asked, AskedState, Permission, Question, QuestionKind, QuestionList, QuestionShow,
        Questions,
    },
    target::{Scope, Target},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{
    context::{cx::Cx, limit},
    error::OpError,
    ops::list::Run,
    rows::{
        agent::AgentRow,
        run::RunRow,
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

/// What is true of a run `r` that waits for a permission: its times stand still, and it takes no
/// place.
pub const HELD_UP: &str = "EXISTS (SELECT 1 FROM questions AS q INDEXED BY questions_of_run
    WHERE q.run = r.id AND q.waits = 1 AND q.kind = 'permission')";

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

    pub fn entity(&self) -> Question {
        Question {
            id: self.id,
            scope: self.scope.clone(),
            agent: self.target(),
            run: self.run,
            kind: self.kind,
            text: self.text.clone(),
            tool: self.tool.clone(),
            options: self.options.clone(),
            default: self.default.clone(),
            expires_at: self.expires_at,
            answer: self.answer.clone(),
            answered_by: self.answered_by.clone(),
            expired_because: self.expired_because.clone(),
            created_at: self.created_at,
        }
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

    /// What a run is told of a permission.
    pub fn permission(&self) -> Permission {
        let (allowed, because) = match (self.answer.as_deref(), &self.expired_because) {
            (Some(Question::ALLOW), _) => (Some(true), None),
            (Some(_), _) => (Some(false), Some("the user denied it".to_owned())),
            (None, Some(because)) => (Some(false), Some(because.clone())),
            (None, None) => (None, None),
        };
        Permission { id: self.id, allowed, because }
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

/// Announces a question as it now stands, with all that shows it.
pub fn announce(cx: &mut Cx<'_>, id: QuestionId) -> Result<QuestionRow, OpError> {
    let row = QuestionRow::by_id(cx.conn, id)?;
    cx.touch_agent(row.agent);
    cx.touch_attention(row.scope_id);
    cx.judge(row.scope_id);
    let body = EventBody::QuestionChanged(Box::new(row.entity()));
    match row.run {
        Some(run) => cx.emit_of_run(&row.scope, run, body)?,
        None => cx.emit(&row.scope, body)?,
    }
    Ok(row)
}

/// The question of a run that waits: only its own agent's.
pub fn of_caller(cx: &Cx<'_>, id: QuestionId) -> Result<QuestionRow, OpError> {
    let row = QuestionRow::by_id(cx.conn, id)?;
    if cx.member()?.id == row.agent {
        return Ok(row);
    }
    Err(OpError::denied(format!("{id} is a question of `{}`", row.target())))
}

/// The newest ones that a list may have.
pub const MOST: u32 = 500;

impl Run for QuestionList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Questions, OpError> {
        cx.operator_only("the list of questions")?;
        let limit = limit::at_most(self.limit, 50, MOST)?;
        let named = cx.target.as_ref().and_then(|target| target.name.clone());
        let (filter, id) = match (&cx.target, named) {
            (None, _) => ("?1 = 0", 0),
            (Some(_), None) => ("q.scope = ?1", cx.scope()?.id),
            (Some(_), Some(name)) => {
                ("q.agent = ?1", AgentRow::by_name(cx.conn, &cx.scope()?, &name)?.id)
            }
        };
        let open = if self.all { "1" } else { OPEN };
        let sql = format!(
            "SELECT {COLUMNS} FROM questions AS q {NAMES}
             WHERE {filter} AND {open} ORDER BY q.id DESC LIMIT ?2"
        );
        let mut rows = query(cx.conn, &sql, params![id, limit + 1])?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        rows.reverse();
        Ok(Questions { questions: rows.iter().map(QuestionRow::entity).collect(), more })
    }
}

impl Run for QuestionShow {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Question, OpError> {
        cx.operator_only("a question")?;
        Ok(QuestionRow::by_id(cx.conn, self.id)?.entity())
    }
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
