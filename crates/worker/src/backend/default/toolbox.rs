//! What the model may call, wherever it is.

use std::collections::HashSet;

use agent_worker_protocol::{ToolSet, nearest::nearest};

use crate::{
    failure::Failure,
    mcp::Answer,
    model::{Call, Tool, ToolResult},
    own_tools::OwnTools,
    session::Session,
    tools::{NoAnswer, Tools},
};

/// How much of a result the model is given at once, in bytes.
const MOST: usize = 48 << 10;

/// The tools of a run.
pub struct Toolbox<'s> {
    daemon: &'s Tools,
    own: &'s OwnTools,
    offered: Vec<Tool>,
    /// Those that change nothing, and may be used side by side
    reading: HashSet<String>,
}

/// What came of a call.
#[derive(Debug)]
pub struct Outcome {
    /// For the model.
    pub result: ToolResult,
    /// The whole answer for a program, where the model has seen all of it.
    pub value: Option<serde_json::Value>,
    /// What has changed in files.
    pub diff: Option<String>,
    /// Whether it has surely done nothing.
    pub is_undone: bool,
}

impl<'s> Toolbox<'s> {
    /// Asks what there is.
    pub async fn of(session: &'s Session<'_>) -> Result<Self, Failure> {
        let (daemon, own) = (&session.tools, &session.own_tools);
        let mut toolbox = Self { daemon, own, offered: Vec::new(), reading: HashSet::new() };
        toolbox.look_again().await?;
        Ok(toolbox)
    }

    /// Asks what there is now: the daemon offers tools for what is open, such as a proposal.
    pub async fn look_again(&mut self) -> Result<(), NoAnswer> {
        let listed: Vec<_> =
            self.daemon.list().await?.into_iter().chain(self.own.listed()).collect();
        self.reading = listed
            .iter()
            .filter(|listed| listed.only_reads)
            .map(|listed| listed.tool.name.clone())
            .collect();
        self.offered = listed.into_iter().map(|listed| listed.tool).collect();
        Ok(())
    }

    /// As they are offered.
    pub fn offered(&self) -> &[Tool] {
        &self.offered
    }

    /// Whether a call changes nothing, so that others may be made at the same time.
    pub fn only_reads(&self, call: &Call) -> bool {
        self.reading.contains(&call.name)
    }

    /// Makes a call. What is wrong with it is an answer that the model can act on. What can be told
    /// while it is at work is heard at once, and is how the answer begins: at first an empty text,
    /// when the call is neither refused nor denied and begins.
    pub async fn call(&self, call: &Call, hear: &mut dyn FnMut(&str)) -> Result<Outcome, NoAnswer> {
        let arguments = match call.object() {
            Ok(arguments) => arguments,
            Err(bad) => {
                let text = format!(
                    "the arguments of `{}` are not a JSON object ({bad}), and nothing was done: \
                     call it again with whole arguments",
                    call.name
                );
                return Ok(refuse(call, text));
            }
        };
        let tool = self.offered.iter().find(|tool| tool.name == call.name);
        // What is not offered may still be known, and why it cannot be used.
        let own = self.own.call(self.daemon, &call.name, arguments.clone(), hear).await;
        if let Some((answer, diff)) = own {
            return Ok(Outcome { diff, ..given(call, tool, answer) });
        }
        // The daemon does what it does not offer: a proposal may be made before one is open.
        if tool.is_none() && ToolSet::of(&call.name) == ToolSet::Common {
            return Ok(refuse(call, self.unknown(&call.name)));
        }
        hear("");
        let answer = self.daemon.call(&call.name, arguments).await?;
        Ok(given(call, tool, answer))
    }

    fn unknown(&self, name: &str) -> String {
        let names = || self.offered.iter().map(|tool| tool.name.as_str());
        let near = nearest(name, names());
        let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        let all = names().collect::<Vec<_>>().join(", ");
        format!("no tool `{name}`, nothing was done: {near}available: {all}")
    }
}

fn refuse(call: &Call, text: String) -> Outcome {
    given(call, None, Answer::refusal(text))
}

/// What the model is given of an answer: as much as it can take at once, and how it gets the rest.
fn given(call: &Call, tool: Option<&Tool>, answer: Answer) -> Outcome {
    let is_undone = answer.is_undone();
    let Answer { mut text, value, images, is_refusal, .. } = answer;
    let whole = text.len();
    let mut value = value.filter(|_| !is_refusal);
    if whole > MOST {
        text.truncate(text.floor_char_boundary(MOST));
        text.push_str(&cut(tool, whole));
        value = None;
    }
    let (id, name) = (call.id.clone(), call.name.clone());
    let result = ToolResult { id, name, text, images, is_error: is_refusal };
    Outcome { result, value, diff: None, is_undone }
}

fn cut(tool: Option<&Tool>, whole: usize) -> String {
    let has = |argument: &str| {
        let properties = tool.and_then(|tool| tool.schema.get("properties"));
        properties.is_some_and(|properties| properties.get(argument).is_some())
    };
    let rest = match (has("offset"), has("limit")) {
        (true, true) => "call it again with `offset`, and a smaller `limit`, for the rest",
        (true, false) => "call it again with `offset` for the rest",
        (false, true) => "call it again with a smaller `limit`",
        (false, false) => "ask it for less at once to see the rest",
    };
    format!("\n[cut after {MOST} of {whole} bytes: {rest}]")
}
