//! Questions to the user: what an agent wants to know, and what it wants to be allowed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    op::op,
    terms::{Interval, Name, QuestionId, RunId, Scope, Target, Timestamp, words::words},
};

/// How the answer to a call begins that a permission denies.
pub const DENIED: &str = "denied: ";

/// What the answer to such a call says further on: the output of a command may begin like it, but
/// does not say this.
pub const UNDONE: &str = "nothing was done";

words! {
    /// What is asked for.
    pub enum QuestionKind {
        /// An answer.
        Question = "question",
        /// That a run may use a tool, this once.
        Permission = "permission",
    }
}

/// A question to the user. It is open until it is answered, or closed without an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// `q_<n>`
    pub id: QuestionId,
    /// Where it is
    pub scope: Scope,
    /// Who asks
    pub agent: Target,
    /// The run in which it was asked; none of a member that works outside and has no run
    pub run: Option<RunId>,
    /// What is asked for
    pub kind: QuestionKind,
    /// The question; of a permission the tool and what it would be used with, line by line
    pub text: String,
    /// The tool, of a permission
    pub tool: Option<String>,
    /// What can be chosen; any text where nothing is offered
    pub options: Vec<String>,
    /// The answer if no one answers
    pub default: Option<String>,
    /// When it is no longer waited for
    pub expires_at: Timestamp,
    /// What was answered
    pub answer: Option<String>,
    /// Who answered
    pub answered_by: Option<Name>,
    /// Why it was closed without an answer
    pub expired_because: Option<String>,
    /// When it was asked
    pub created_at: Timestamp,
}

impl Question {
    /// What allows.
    pub const ALLOW: &'static str = "allow";
    /// What does not.
    pub const DENY: &'static str = "deny";

    /// Whether it waits for an answer.
    pub fn is_open(&self) -> bool {
        self.answer.is_none() && self.expired_because.is_none()
    }

    /// Whether options can be chosen by number: not where some are numbers themselves.
    pub fn has_numbered(options: &[String]) -> bool {
        !options.iter().any(|option| option.parse::<f64>().is_ok())
    }

    /// The option with this number, from 1 on.
    pub fn numbered<'a>(options: &'a [String], answer: &str) -> Option<&'a String> {
        if !Self::has_numbered(options) {
            return None;
        }
        let number: usize = answer.parse().ok()?;
        options.get(number.checked_sub(1)?)
    }
}

/// A list of questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Questions {
    /// The questions, in the order in which they were asked
    pub questions: Vec<Question>,
    /// Whether there are older ones
    pub more: bool,
}

/// List the questions that wait for the user; all of them with `all`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QuestionList {
    /// Those too that were answered or closed
    pub all: bool,
    /// How many at most, the newest (50)
    pub limit: Option<u32>,
    /// Only questions before this one
    pub before: Option<QuestionId>,
}

/// Show one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionShow {
    /// Which, such as `q_7`
    pub id: QuestionId,
}

/// Answer a question. The first answer stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionAnswer {
    /// Which, such as `q_7`
    pub id: QuestionId,
    /// One of its options, or any text where it has none
    pub answer: String,
}

/// Ask the user and wait briefly. Without an answer, go on or end: it comes later as a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskPerson {
    /// Clear without context
    pub question: String,
    /// Choices (any text)
    #[serde(default)]
    pub options: Vec<String>,
    /// Used without an answer
    pub default: Option<String>,
    /// Longest wait, such as `30m` (1h)
    pub expires_in: Option<Interval>,
}

words! {
    /// Where a question is.
    pub enum AskedState {
        /// The user has answered.
        Answered = "answered",
        /// Not answered yet: the answer comes as a message.
        Waiting = "waiting",
        /// Not answered in time.
        Expired = "expired",
    }
}

/// What became of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Asked {
    /// `q_<n>`
    pub id: QuestionId,
    /// Where it is
    pub state: AskedState,
    /// What was answered; the default, if there is one, where no one answered in time
    pub answer: Option<String>,
    /// The same in a sentence
    pub text: String,
}

/// Ask the user to allow the use of a tool, and wait until that is decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PermissionRequest {
    /// The tool
    pub tool: String,
    /// What it would be used with
    #[serde(default)]
    pub arguments: Map<String, Value>,
    /// How long to wait for an answer (1h): then it is denied
    pub expires_in: Option<Interval>,
}

/// A permission request as Claude Code makes it: it calls a tool of an MCP server, and reads the
/// decision in the answer's text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionPrompt {
    /// Tool of the program
    pub tool_name: String,
    /// Arguments of the tool
    #[serde(default)]
    pub input: Map<String, Value>,
}

impl PermissionPrompt {
    /// Name of the tool that takes it.
    pub const TOOL: &'static str = "permission_prompt";
}

/// What was decided of a permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Permission {
    /// The question: `q_<n>`
    pub id: QuestionId,
    /// Whether the tool may be used; none while that is not decided
    pub allowed: Option<bool>,
    /// Why not: who denied it, or that no one answered
    pub because: Option<String>,
}

op!(QuestionList "question_list": get "/questions", read => Questions);
op!(QuestionShow "question_show": get "/questions/{id}", read => Question);
op!(QuestionAnswer "question_answer": post "/questions/{id}/answer", write => Question);
op!(AskPerson "ask_person": no route, write, tool => Asked);
op!(PermissionRequest "permission_request": post "/permissions", write => Permission);
