//! Questions to the person: rows, entities, and how they are shown.

use agent_worker_protocol::{
    Name, QuestionId, QuestionKind, RunId, Scope, Target, Timestamp,
    question::{Asked, AskedState},
};

use crate::{
    error::{OpError, Result},
    rows::{
        Db, RunRow, Table, row,
        run::{HELD_UP, LIVE},
        sql, statements, table,
    },
};

row! {
    /// A question, with the names of its scope and its asker.
    #[derive(Debug, Clone)]
    pub struct QuestionRow from "questions AS q" {
        id: QuestionId = "q.id",
        scope_id: i64 = "q.scope",
        scope: Scope =
            "(SELECT '@' || w.name || ':' || w.tag FROM workflows AS w WHERE w.id = q.scope)",
        agent: i64 = "q.agent",
        agent_name: Name = "(SELECT a.name FROM agents AS a WHERE a.id = q.agent)",
        run: Option<RunId> = "q.run",
        kind: QuestionKind = "q.kind",
        text: String = "q.text",
        tool: Option<String> = "q.tool",
        options: Vec<String> = "coalesce(q.options, '[]')",
        default: Option<String> = "q.default_answer",
        expires_at: Timestamp = "q.expires_at",
        answer: Option<String> = "q.answer",
        answered_by: Option<Name> = "q.answered_by",
        expired_because: Option<String> = "q.expired_because",
        created_at: Timestamp = "q.created_at",
        /// Whether a call of the asker waits for the decision
        waits: bool = "q.waits",
        /// The message that carries the answer
        message: Option<i64> = "q.message",
    }
}

table! {
    /// A question that is asked.
    pub struct NewQuestion<'a> into Questions {
        scope: i64,
        agent: i64,
        run: Option<RunId>,
        kind: QuestionKind,
        text: &'a str,
        tool: Option<&'a str>,
        options: Option<&'a Vec<String>>,
        default: Option<&'a str> = "default_answer",
        expires_at: Timestamp,
        created_at: Timestamp,
        /// Of what was asked: the same question has the same
        digest: &'a [u8; 32],
        /// Whether a call of the asker waits for the decision
        waits: bool,
    }
}

/// An open question, for SQL that uses the partial indexes.
const OPEN: &str = "q.answered_at IS NULL AND q.expired_because IS NULL";

/// What is true of a run `r` that waits for the user: for a permission, or in a call that asked.
pub const WAITS: &str = sql!(
    "EXISTS (SELECT 1 FROM questions AS q INDEXED BY questions_of_run
        WHERE q.run = r.id AND q.waits = 1 AND ",
    OPEN,
    ")"
);

impl QuestionRow {
    statements! {
        /// The question, if there is one.
        pub fn find(id: QuestionId) -> maybe Self = QuestionRow::SELECT, " WHERE q.id = ?1";

        /// The open questions of a scope, in the order in which they were asked.
        pub fn open_of_scope(scope: i64) -> all Self =
            QuestionRow::SELECT,
            " INDEXED BY questions_open WHERE q.scope = ?1 AND ",
            OPEN,
            " ORDER BY q.id";
    }

    pub fn by_id(db: Db<'_>, id: QuestionId) -> Result<Self> {
        Self::find(db, id)?.ok_or_else(|| {
            OpError::not_found(format!("question `{id}` not found")).hint("agent-worker questions")
        })
    }

    /// The run that asked what this message answers.
    pub fn asking_run(db: Db<'_>, message: i64) -> Result<Option<RunId>> {
        let sql = "SELECT run FROM questions INDEXED BY questions_by_message WHERE message = ?1";
        db.maybe(sql, (message,)).map(Option::flatten)
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
            Some(default) => format!("the default applies: `{default}`"),
            None => "it has no default: decide without the user".to_owned(),
        }
    }
}

/// Answers a question for the person.
pub fn answer(db: Db<'_>, id: QuestionId, answer: &str, at: Timestamp) -> Result<usize> {
    let sql = "UPDATE questions SET answer = ?2, answered_by = ?3, answered_at = ?4 WHERE id = ?1";
    db.change(Table::Questions, sql, (id, answer, Name::PERSON, at))
}

/// What becomes of a question.
impl QuestionRow {
    statements! {
        /// Notes that no call waits for it any more.
        pub fn stop_waiting(&self) -> change in Questions =
            "UPDATE questions SET waits = 0 WHERE id = ?1";

        /// Notes the message that carries the decision.
        pub fn note_message(&self, message: i64) -> change in Questions =
            "UPDATE questions SET message = ?2 WHERE id = ?1";

        /// Has its time begin anew.
        pub fn restart(&self, now: Timestamp) -> change in Questions =
            "UPDATE questions SET expires_at = ?2 + expires_at - created_at, created_at = ?2
                WHERE id = ?1";

        /// Notes why it needs no answer any more.
        pub fn expire(&self, because: &str) -> change in Questions =
            "UPDATE questions SET expired_because = ?2 WHERE id = ?1";
    }
}

statements! {
    /// Has a run wait for the answer, or its asker without one.
    pub fn wait(id: QuestionId, run: Option<RunId>) -> change in Questions =
        "UPDATE questions SET run = ?2, waits = 1 WHERE id = ?1";

    /// The questions of a run that a call waits for, in the order in which they were asked.
    pub fn waiting_of_run(run: RunId) -> all QuestionRow =
        QuestionRow::SELECT,
        " INDEXED BY questions_of_run WHERE q.run = ?1 AND q.waits = 1 ORDER BY q.id";

    /// All questions that a call waits for.
    pub fn waiting() -> all QuestionRow =
        QuestionRow::SELECT, " INDEXED BY questions_of_run WHERE q.waits = 1 ORDER BY q.id";

    /// The open questions whose time is over.
    pub fn due(now: Timestamp) -> all QuestionRow =
        QuestionRow::SELECT,
        " INDEXED BY questions_due WHERE ",
        OPEN,
        " AND q.expires_at <= ?1 ORDER BY q.id";

    /// The open questions that are from after a time.
    pub fn from_after(time: Timestamp) -> all QuestionRow =
        QuestionRow::SELECT,
        " INDEXED BY questions_due WHERE ",
        OPEN,
        " AND q.expires_at > ?1 AND q.created_at > ?1 ORDER BY q.id";

    /// When the next open question expires.
    pub fn next_due() -> one Option<Timestamp> =
        "SELECT min(q.expires_at) FROM questions AS q INDEXED BY questions_due WHERE ", OPEN;

    /// The newest question of an agent that is the same.
    pub fn same(agent: i64, digest: &[u8; 32]) -> maybe QuestionRow =
        QuestionRow::SELECT,
        " INDEXED BY questions_of_agent WHERE q.agent = ?1 AND q.digest = ?2
            ORDER BY q.id DESC LIMIT 1";

    /// How many questions of an agent are open.
    pub fn open_count(scope: i64, agent: i64) -> one i64 =
        "SELECT count(*) FROM questions AS q INDEXED BY questions_open
            WHERE q.scope = ?1 AND q.agent = ?2 AND ",
        OPEN;

    /// The members of a scope with a live run, and whether that waits.
    pub fn live_in(scope: i64) -> all (i64, bool) =
        "SELECT r.agent, ",
        WAITS,
        " FROM runs AS r INDEXED BY runs_live_of_scope WHERE r.scope = ?1 AND r.state IN ",
        LIVE;

    /// Whether a run waits for a permission.
    pub fn is_held_up(run: RunId) -> exists =
        "SELECT 1 FROM runs AS r WHERE r.id = ?1 AND ", HELD_UP;

    /// The open question for which a run waits: for a permission, or in the call that asked.
    pub fn of_run(run: RunId) -> maybe QuestionRow =
        QuestionRow::SELECT,
        " INDEXED BY questions_of_run WHERE q.run = ?1 AND q.waits = 1 AND ",
        OPEN,
        " ORDER BY q.id LIMIT 1";

    /// Whether a question of a scope waits for the person.
    pub fn is_open_in(scope: i64) -> exists =
        "SELECT 1 FROM questions AS q INDEXED BY questions_open WHERE q.scope = ?1 AND ",
        OPEN,
        " LIMIT 1";
}

/// Whose questions are listed.
#[derive(Debug, Clone, Copy)]
pub enum Whose {
    /// Of the members of a scope.
    Scope(i64),
    Agent(i64),
    Everyone,
}

/// The newest questions, newest first.
pub fn page(
    db: Db<'_>,
    whose: Whose,
    also_closed: bool,
    before: i64,
    limit: u32,
) -> Result<Vec<QuestionRow>> {
    const END: &str = " AND q.id < ?2 ORDER BY q.id DESC LIMIT ?3";
    const OF_SCOPE: &str = sql!(QuestionRow::SELECT, " WHERE q.scope = ?1");
    const OF_AGENT: &str = sql!(QuestionRow::SELECT, " WHERE q.agent = ?1");
    const OF_ALL: &str = sql!(QuestionRow::SELECT, " WHERE ?1 = 0");
    let (sql, id) = match (whose, also_closed) {
        (Whose::Scope(id), true) => (sql!(OF_SCOPE, END), id),
        (Whose::Scope(id), false) => (sql!(OF_SCOPE, " AND ", OPEN, END), id),
        (Whose::Agent(id), true) => (sql!(OF_AGENT, END), id),
        (Whose::Agent(id), false) => (sql!(OF_AGENT, " AND ", OPEN, END), id),
        (Whose::Everyone, true) => (sql!(OF_ALL, END), 0),
        (Whose::Everyone, false) => (sql!(OF_ALL, " AND ", OPEN, END), 0),
    };
    db.all(sql, (id, before, limit))
}

/// Whether a run is a further attempt at what the earlier one did.
pub fn follows(db: Db<'_>, run: &RunRow, earlier: RunId) -> Result<bool> {
    /// How far attempts are followed back.
    const MOST_ATTEMPTS: usize = 64;
    let mut before = run.retry_of.map(RunId::new);
    for _ in 0..MOST_ATTEMPTS {
        match before {
            None => return Ok(false),
            Some(id) if id == earlier => return Ok(true),
            Some(id) => {
                before = RunRow::find(db, id)?.and_then(|row| row.retry_of).map(RunId::new);
            }
        }
    }
    Ok(false)
}
