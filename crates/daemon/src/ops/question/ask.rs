//! Asking the user. A repeated question is not asked again: another attempt of a run gets the
//! answer to the first, and an agent that asks twice asks once.

use agent_worker_protocol::{
    AskPerson, DeliveryState, Interval, Permission, PermissionRequest, Question, QuestionId,
    QuestionKind, question::Asked,
};
use sha2::{Digest, Sha256};

use crate::{
    changes::question,
    context::{Cx, Run},
    entities::question::announce,
    error::{OpError, Result},
    rows::{self, AgentRow, NewQuestion, QuestionRow, RunRow, delivery, question::follows},
    rules::{
        access::run,
        permission::{self, MOST_OF_NAME},
    },
};

pub struct New<'a> {
    kind: QuestionKind,
    text: &'a str,
    tool: Option<&'a str>,
    options: Vec<String>,
    default: Option<&'a str>,
    expires_in: Option<Interval>,
    /// What makes it the same question
    digest: [u8; 32],
}

impl Run for AskPerson {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Asked> {
        let me = cx.member()?;
        if !me.works() {
            return Err(OpError::invalid("only an agent can ask the user, and you are the user")
                .hint("agent-worker ask AGENT MESSAGE asks an agent"));
        }
        let new = checked(self, cx)?;
        let run = run::sending_run(cx, &me)?;
        if let Some(known) = rows::question::same(cx.db, me.id, &new.digest)? {
            if known.is_open() {
                return Ok(join(cx, &known, run.as_ref())?.asked());
            }
            if is_meant_for(cx, &known, run.as_ref())? {
                return question::take(cx, &known);
            }
        }
        Ok(insert(cx, &me, run.as_ref(), &new)?.asked())
    }
}

/// A question that can be asked.
fn checked<'a>(ask: &'a AskPerson, cx: &Cx<'_>) -> Result<New<'a>> {
    let most = &cx.settings.questions;
    let text = ask.question.trim();
    let options: Vec<String> = ask.options.iter().map(|option| option.trim().to_owned()).collect();
    let default = ask.default.as_deref().map(str::trim);
    if text.is_empty() {
        return Err(OpError::invalid("the question is empty"));
    }
    if options.len() > most.options {
        let text =
            format!("the question has {} options: the limit is {}", options.len(), most.options);
        return Err(OpError::invalid(text));
    }
    let is_line = |text: &str| !text.is_empty() && !text.contains(permission::is_no_text);
    if !options.iter().all(|option| is_line(option)) || !default.is_none_or(is_line) {
        return Err(OpError::invalid("each option, and the default, must be one line"));
    }
    let is_same = |one: &String, other: &String| one.to_lowercase() == other.to_lowercase();
    let twice = options
        .iter()
        .enumerate()
        .find(|(at, one)| options[..*at].iter().any(|other| is_same(one, other)));
    if let Some((_, twice)) = twice {
        return Err(OpError::invalid(format!("the option `{twice}` is given twice")));
    }
    if let Some(default) = default
        && !options.is_empty()
        && !options.iter().any(|option| option == default)
    {
        return Err(OpError::invalid(format!("the default `{default}` is not one of the options"))
            .hint(format!("options: {}", options.join(", "))));
    }
    let bytes =
        text.len() + options.iter().map(String::len).sum::<usize>() + default.map_or(0, str::len);
    if bytes > most.bytes {
        let text = format!("the question has {bytes} bytes: the limit is {}", most.bytes);
        return Err(OpError::too_large(text)
            .hint("store what is long with resource_create, and name it in the question"));
    }
    let asked = (QuestionKind::Question, text, &options);
    Ok(New {
        kind: QuestionKind::Question,
        text,
        tool: None,
        default,
        expires_in: ask.expires_in,
        digest: digest(&asked)?,
        options,
    })
}

impl Run for PermissionRequest {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Permission> {
        let Some(run) = cx.run().cloned() else {
            return Err(OpError::invalid("only a run can request a permission"));
        };
        let me = cx.member()?;
        let is_name = (1..=MOST_OF_NAME).contains(&self.tool.chars().count());
        if !is_name || self.tool.chars().any(char::is_control) {
            return Err(OpError::invalid(format!(
                "invalid tool name: must be one line of 1 to {MOST_OF_NAME} characters"
            )));
        }
        let arguments = permission::sorted(&self.arguments);
        let digest = digest(&(QuestionKind::Permission, &self.tool, &arguments))?;
        // It is good for one use: only a further attempt has it again.
        if let Some(known) = rows::question::same(cx.db, me.id, &digest)?
            && known.answer.is_some()
            && is_of_attempt(cx, &known, Some(&run))?
        {
            return Ok(question::hand_on(cx, &known, run.id)?.permission());
        }
        let new = New {
            kind: QuestionKind::Permission,
            text: &permission::shown(&self.tool, &arguments),
            tool: Some(&self.tool),
            options: vec![Question::ALLOW.to_owned(), Question::DENY.to_owned()],
            default: Some(Question::DENY),
            expires_in: self.expires_in,
            digest,
        };
        Ok(insert(cx, &me, Some(&run), &new)?.permission())
    }
}

fn digest(asked: &impl serde::Serialize) -> Result<[u8; 32]> {
    let text = serde_json::to_string(asked)
        .map_err(|error| OpError::Broken(format!("a question: {error}")))?;
    Ok(Sha256::digest(text).into())
}

/// Whether what was decided is the answer to the same question asked again: it has not come to the
/// asker yet, or has come to an earlier attempt.
fn is_meant_for(cx: &Cx<'_>, known: &QuestionRow, run: Option<&RunRow>) -> Result<bool> {
    if let Some(message) = known.message
        && let Some(mail) = delivery::find(cx.db, known.agent, message)?
        && !matches!(mail.state, DeliveryState::Acked | DeliveryState::Dropped)
    {
        return Ok(true);
    }
    Ok(known.answer.is_some() && is_of_attempt(cx, known, run)?)
}

fn is_of_attempt(cx: &Cx<'_>, known: &QuestionRow, run: Option<&RunRow>) -> Result<bool> {
    match (run, known.run) {
        (Some(run), Some(earlier)) => follows(cx.db, run, earlier),
        _ => Ok(false),
    }
}

/// Has the caller wait too for what was asked already.
fn join(cx: &mut Cx<'_>, known: &QuestionRow, run: Option<&RunRow>) -> Result<QuestionRow> {
    let run = run.map(|run| run.id);
    rows::question::wait(cx.db, known.id, run)?;
    if known.run != run {
        return announce(cx, known.id);
    }
    cx.touch_agent(known.agent);
    Ok(known.clone())
}

pub fn insert(
    cx: &mut Cx<'_>,
    me: &AgentRow,
    run: Option<&RunRow>,
    new: &New<'_>,
) -> Result<QuestionRow> {
    check_room(cx, me)?;
    let most = &cx.settings.questions;
    let span = new.expires_in.unwrap_or(most.expires);
    if span > most.longest || (new.expires_in.is_some() && span < most.shortest) {
        return Err(OpError::invalid(format!(
            "`expires_in` is {span}: a question waits from {} to {}",
            most.shortest, most.longest
        )));
    }
    let id = cx.db.insert(&NewQuestion {
        scope: me.scope_id,
        agent: me.id,
        run: run.map(|run| run.id),
        kind: new.kind,
        text: new.text,
        tool: new.tool,
        options: (!new.options.is_empty()).then_some(&new.options),
        default: new.default,
        expires_at: cx.now.after(span.duration()),
        created_at: cx.now,
        digest: &new.digest,
        waits: true,
    })?;
    announce(cx, QuestionId::new(id))
}

/// Refuses one more question than an agent may have open: the person would drown.
fn check_room(cx: &Cx<'_>, me: &AgentRow) -> Result<()> {
    let most = cx.settings.questions.open;
    let open = rows::question::open_count(cx.db, me.scope_id, me.id)?;
    if open < most {
        return Ok(());
    }
    let text = format!("`{}` has {open} open questions: the limit is {most}", me.target());
    Err(OpError::conflict(text).hint("wait for their answers, or go on without"))
}

#[cfg(test)]
#[path = "tests/ask.rs"]
mod tests;
