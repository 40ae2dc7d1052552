//! Questions as clients see them.

use agent_worker_protocol::{EventBody, Permission, Question, QuestionId};

use crate::{context::Cx, error::Result, rows::QuestionRow};

impl QuestionRow {
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

/// Announces a question as it now stands, with all that shows it.
pub fn announce(cx: &mut Cx<'_>, id: QuestionId) -> Result<QuestionRow> {
    let row = QuestionRow::by_id(cx.db, id)?;
    cx.touch_agent(row.agent);
    cx.touch_attention(row.scope_id);
    cx.judge(row.scope_id);
    let body = EventBody::QuestionChanged(Box::new(row.entity()));
    cx.emit_of_run(&row.scope, row.run, body)?;
    Ok(row)
}
