//! Answers questions.

use agent_worker_protocol::{Name, Question, QuestionAnswer, QuestionKind};

use crate::{
    changes::question,
    context::{Cx, Run, Who},
    error::{OpError, Result},
    rows::{self, AgentRow, QuestionRow},
    rules::hint,
};

impl Run for QuestionAnswer {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Question> {
        cx.operator_only("answering a question")?;
        if let Who::Operator { member: Some(member) } = &cx.who
            && member != Name::PERSON
        {
            return Err(OpError::denied(format!("only the user can answer, not `{member}`")));
        }
        let row = QuestionRow::by_id(cx.db, self.id)?;
        check_is_open(cx, &row)?;
        let answer = chosen(cx, &row, &self.answer)?;
        rows::question::answer(cx.db, row.id, answer, cx.now)?;
        Ok(question::settle(cx, row.id)?.entity())
    }
}

/// The first answer stands; a later one is told so.
fn check_is_open(cx: &Cx<'_>, row: &QuestionRow) -> Result<()> {
    let id = row.id;
    if let Some(answer) = &row.answer {
        let by = row.answered_by.as_ref().map_or(Name::PERSON, Name::as_str);
        let message = format!("{id} was answered already, by {by}: `{answer}`");
        return Err(OpError::conflict(message).hint("agent-worker questions --all"));
    }
    if let Some(because) = &row.expired_because {
        let then = match &row.default {
            Some(default) => format!(", and its default was taken: `{default}`"),
            None => String::new(),
        };
        let closed = OpError::conflict(format!("{id} is closed: {because}{then}"));
        if AgentRow::by_id(cx.db, row.agent)?.removed {
            return Err(closed);
        }
        return Err(closed.hint(format!("agent-worker send {} TEXT", row.target())));
    }
    Ok(())
}

/// The option that is meant, in any case; any text where nothing is offered.
fn chosen<'a>(cx: &Cx<'_>, row: &'a QuestionRow, answer: &'a str) -> Result<&'a str> {
    let answer = answer.trim();
    if row.options.is_empty() {
        return match answer.len() {
            0 => Err(OpError::invalid("the answer is empty")
                .hint(format!("agent-worker answer {} TEXT", row.id))),
            bytes if bytes > cx.settings.questions.bytes => Err(OpError::too_large(format!(
                "the answer has {bytes} bytes: the limit is {}",
                cx.settings.questions.bytes
            ))
            .hint(format!("agent-worker send {} -", row.target()))),
            _ => Ok(answer),
        };
    }
    let lower = answer.to_lowercase();
    let exact = row.options.iter().find(|option| *option == answer);
    let lower = in_own_words(row.kind, &lower);
    let found = exact
        .or_else(|| row.options.iter().find(|option| option.to_lowercase() == lower))
        .or_else(|| Question::numbered(&row.options, answer));
    found.map(String::as_str).ok_or_else(|| {
        if answer.is_empty() {
            return OpError::invalid(format!("the answer is empty: {} has options", row.id))
                .hint(hint::of_question(row));
        }
        OpError::invalid(format!("unknown option `{answer}` of {}", row.id))
            .hint(format!("options: {}", row.options.join(", ")))
    })
}

/// An answer in the words of its kind: `yes` and `no` decide on a permission too.
fn in_own_words(kind: QuestionKind, answer: &str) -> &str {
    match (kind, answer) {
        (QuestionKind::Permission, "yes") => Question::ALLOW,
        (QuestionKind::Permission, "no") => Question::DENY,
        _ => answer,
    }
}
