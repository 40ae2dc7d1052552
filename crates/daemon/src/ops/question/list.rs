//! Lists and shows questions.

use crate::{
    context::{Cx, Run, limit},
    error::Result,
    rows::{
        AgentRow, QuestionRow,
        question::{self, Whose},
    },
};
use agent_worker_protocol::{Question, QuestionId, QuestionList, QuestionShow, Questions};

/// The newest ones that a list may have.
pub const MOST: u32 = 500;

impl Run for QuestionList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Questions> {
        cx.operator_only("the list of questions")?;
        let limit = limit::at_most(self.limit, 50, MOST)?;
        let named = cx.target.as_ref().and_then(|target| target.name.clone());
        let whose = match (&cx.target, named) {
            (None, _) => Whose::Everyone,
            (Some(_), None) => Whose::Scope(cx.scope()?.id),
            (Some(_), Some(name)) => {
                Whose::Agent(AgentRow::by_name(cx.db, &cx.scope()?, &name)?.id)
            }
        };
        let before = self.before.map_or(i64::MAX, QuestionId::number);
        let rows = question::page(cx.db, whose, self.all, before, limit + 1)?;
        let (mut rows, more) = limit::cut(rows, limit);
        rows.reverse();
        Ok(Questions { questions: rows.iter().map(QuestionRow::entity).collect(), more })
    }
}

impl Run for QuestionShow {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Question> {
        cx.operator_only("a question")?;
        Ok(QuestionRow::by_id(cx.db, self.id)?.entity())
    }
}
