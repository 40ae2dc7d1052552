//! Lists and shows questions.

use agent_worker_protocol::question::{Question, QuestionList, QuestionShow, Questions};
use rusqlite::params;

use crate::{
    context::{cx::Cx, limit, run::Run},
    error::OpError,
    rows::{
        agent::AgentRow,
        question::{self, COLUMNS, NAMES, OPEN, QuestionRow},
    },
};

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
        let mut rows = question::query(cx.conn, &sql, params![id, limit + 1])?;
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
