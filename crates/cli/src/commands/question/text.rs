//! Questions to the user, with their options and the command that answers them.

use agent_worker_client::{
    Sanitized,
    text::{Words as _, numbers},
};
use agent_worker_protocol::{Name, Question, QuestionKind};
use owo_colors::OwoColorize as _;

use crate::{
    again,
    text::{View, bold, dim, layout, line},
};

/// Indent of the lines below a question, in cells.
const INDENT: usize = 4;

/// Questions one after the other, each whole; `all` if closed ones are among them.
pub fn list(view: &View, questions: &[Question], all: bool) -> String {
    if questions.is_empty() {
        return if all { "no questions" } else { "no open questions" }.to_owned();
    }
    let whole: Vec<_> = questions.iter().map(|question| whole(view, question)).collect();
    whole.join("\n\n")
}

/// A question with its options, and what became of it, or the command that answers it.
pub fn whole(view: &View, question: &Question) -> String {
    let mut lines = vec![format!("{} {}", bold(&question.id.to_string()), head(view, question))];
    let text = Sanitized::text(question.text.trim_end());
    lines.push(layout::hanging(&" ".repeat(INDENT), INDENT, text.as_ref(), view.width));
    if text.hidden() > 0 {
        let told = numbers::counted(text.hidden(), "hidden character", "hidden characters");
        lines.push(indented(&format!("({told})").yellow().to_string()));
    }
    if !question.is_open() {
        lines.push(indented(&outcome(question)));
        return lines.join("\n");
    }
    for (number, option) in (1..).zip(&question.options) {
        let default = if question.default.as_ref() == Some(option) { " (default)" } else { "" };
        let is_numbered = Question::has_numbered(&question.options);
        let number = if is_numbered { format!("{number}  ") } else { String::new() };
        lines.push(indented(&format!("{number}{}{}", line(option), dim(default))));
    }
    lines.push(indented(&dim(&command(question))));
    lines.join("\n")
}

fn indented(text: &str) -> String {
    format!("{}{text}", " ".repeat(INDENT))
}

/// Who asks, since when, and for how long yet.
fn head(view: &View, question: &Question) -> String {
    let since = view.clock.short(question.created_at);
    let what = question.kind.word().text;
    if !question.is_open() {
        return format!("{} {what} {}", question.agent, dim(&format!("({since})")));
    }
    let left = numbers::span(question.expires_at.since(view.clock.now()));
    let then = match (&question.default, question.kind) {
        (_, QuestionKind::Permission) => ", then denied".to_owned(),
        (Some(default), _) => format!(", then: {}", line(default)),
        (None, _) => String::new(),
    };
    format!("{} {what} {}", question.agent, dim(&format!("({since}, {left} left{then})")))
}

/// How it is answered.
fn command(question: &Question) -> String {
    let choice = if question.options.is_empty() { "TEXT" } else { "CHOICE" };
    again::command(&format!("agent-worker answer {} {choice}", question.id))
}

/// Kind of answer, printed behind the question.
pub fn prompt(question: &Question) -> String {
    match question.options.len() {
        _ if !Question::has_numbered(&question.options) => "answer".to_owned(),
        0 => "answer".to_owned(),
        1 => "answer (1)".to_owned(),
        many => format!("answer (1-{many})"),
    }
}

/// A question that is decided, in a line.
pub fn decided(question: &Question) -> String {
    format!("{} of {}: {}", question.id, question.agent, outcome(question))
}

fn outcome(question: &Question) -> String {
    match (&question.answer, &question.expired_because) {
        (Some(answer), _) => {
            let by = question.answered_by.as_ref().map_or(Name::PERSON, Name::as_str);
            format!("{by} answered {}", line(answer))
        }
        (None, Some(because)) => {
            let default = question.default.as_deref().map(line);
            let then = default.map(|text| format!("; the default applies: {text}"));
            format!("{}{}", line(because), then.unwrap_or_default())
        }
        (None, None) => "open".to_owned(),
    }
}

/// A question that was asked or decided, for those who watch its workflow.
pub fn told(question: &Question) -> String {
    if !question.is_open() {
        return format!("{}: {}", question.id, outcome(question));
    }
    let name = question.agent.name.as_ref().map_or("an agent", Name::as_str);
    let options: Vec<_> = question.options.iter().map(|option| line(option)).collect();
    let options =
        if options.is_empty() { String::new() } else { format!(" ({})", options.join(", ")) };
    let (id, what, text) = (question.id, question.kind.word().text, line(&question.text));
    format!("{id}: {name} {what}: {text}{options}\n{}", command(question))
}

#[cfg(test)]
#[path = "tests/text.rs"]
mod tests;
