//! What the model may call, wherever it is.

use agent_worker_protocol::nearest::nearest;
use futures::future::try_join_all;

use crate::{
    backend::{Failure, Session},
    mcp::{Answer, Listed},
    model::{Call, Tool, ToolResult},
    servers::Server,
    tools::{NoAnswer, Tools},
};

/// How much of a result the model is given at once, in bytes.
const MOST: usize = 48 << 10;

/// How long a tool's name may be, as servers of models take it.
const LONGEST_NAME: usize = 64;

/// The tools of a run.
pub struct Toolbox<'s> {
    daemon: &'s Tools,
    servers: Vec<Server>,
    offered: Vec<Tool>,
    /// Where each of them is, in the same order
    places: Vec<Place>,
}

/// Where a tool is.
struct Place {
    whose: Whose,
    /// What it is called there
    name: String,
    /// Whether it changes nothing, so that it may be used side by side with others
    only_reads: bool,
}

/// Whose a tool is.
#[derive(Clone, Copy)]
enum Whose {
    Daemon,
    /// One of the agent's own servers
    Server(usize),
}

/// What came of a call.
#[derive(Debug)]
pub struct Outcome {
    /// For the model.
    pub result: ToolResult,
    /// The whole answer for a program, where the model has seen all of it.
    pub value: Option<serde_json::Value>,
}

impl<'s> Toolbox<'s> {
    /// Starts what has tools, and asks what they are.
    pub async fn of(session: &'s Session<'_>) -> Result<Self, Failure> {
        let (daemon, run) = (&session.tools, session.config);
        let start = |config| Server::start(config, run);
        let servers = try_join_all(run.servers.iter().map(start)).await?;
        let mut toolbox = Self { daemon, servers, offered: Vec::new(), places: Vec::new() };
        for listed in daemon.list().await? {
            toolbox.offer(listed, Whose::Daemon);
        }
        for at in 0..toolbox.servers.len() {
            for listed in toolbox.servers[at].list(run).await? {
                toolbox.offer(listed, Whose::Server(at));
            }
        }
        Ok(toolbox)
    }

    fn offer(&mut self, listed: Listed, whose: Whose) {
        let Listed { mut tool, only_reads } = listed;
        let name = tool.name.clone();
        if let Whose::Server(at) = whose {
            let whole = format!("{}__{name}", self.servers[at].name);
            tool.name = free_name(&whole, |name| self.find(name).is_some());
        }
        self.offered.push(tool);
        self.places.push(Place { whose, name, only_reads });
    }

    /// As they are offered.
    pub fn offered(&self) -> &[Tool] {
        &self.offered
    }

    fn find(&self, name: &str) -> Option<(&Tool, &Place)> {
        self.offered.iter().zip(&self.places).find(|(tool, _)| tool.name == name)
    }

    /// Whether a call changes nothing, so that others may be made at the same time.
    pub fn only_reads(&self, call: &Call) -> bool {
        self.find(&call.name).is_some_and(|(_, place)| place.only_reads)
    }

    /// Makes a call. What is wrong with it is an answer that the model can act on.
    pub async fn call(&self, call: &Call) -> Result<Outcome, NoAnswer> {
        let Some((tool, place)) = self.find(&call.name) else {
            return Ok(refuse(call, self.unknown(&call.name)));
        };
        let arguments = match call.object() {
            Ok(arguments) => arguments,
            Err(bad) => {
                let text = format!(
                    "the arguments of `{}` are no JSON object ({bad}), and nothing was done: call \
                     it again with whole arguments",
                    call.name
                );
                return Ok(refuse(call, text));
            }
        };
        let answer = match place.whose {
            Whose::Daemon => self.daemon.call(&place.name, arguments).await?,
            Whose::Server(at) => self.servers[at].call(&place.name, arguments).await,
        };
        Ok(given(call, tool, answer))
    }

    fn unknown(&self, name: &str) -> String {
        let names = || self.offered.iter().map(|tool| tool.name.as_str());
        let near = nearest(name, names());
        let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        let all = names().collect::<Vec<_>>().join(", ");
        format!("there is no tool `{name}`, and nothing was done: {near}there are {all}")
    }
}

/// A name that every server of models takes, and that no other tool has.
fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let plain: String = name.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    let cut = |end: &str| format!("{}{end}", &plain[..plain.len().min(LONGEST_NAME - end.len())]);
    let numbered = (2..).map(|n: u32| cut(&format!("_{n}")));
    let mut names = [cut("")].into_iter().chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or(plain)
}

fn refuse(call: &Call, text: String) -> Outcome {
    let result = ToolResult {
        id: call.id.clone(),
        name: call.name.clone(),
        text,
        images: Vec::new(),
        is_error: true,
    };
    Outcome { result, value: None }
}

/// What the model is given of an answer: as much as it can take at once, and how it gets the rest.
fn given(call: &Call, tool: &Tool, answer: Answer) -> Outcome {
    let Answer { mut text, value, images, is_refusal } = answer;
    let whole = text.len();
    let mut value = value.filter(|_| !is_refusal);
    if whole > MOST {
        text.truncate(text.floor_char_boundary(MOST));
        text.push_str(&cut(tool, whole));
        value = None;
    }
    let result = ToolResult {
        id: call.id.clone(),
        name: call.name.clone(),
        text,
        images,
        is_error: is_refusal,
    };
    Outcome { result, value }
}

fn cut(tool: &Tool, whole: usize) -> String {
    let has = |argument: &str| {
        tool.schema.get("properties").is_some_and(|properties| properties.get(argument).is_some())
    };
    let rest = match (has("offset"), has("limit")) {
        (true, true) => "call it again with `offset`, and a smaller `limit`, for the rest",
        (true, false) => "call it again with `offset` for the rest",
        (false, true) => "call it again with a smaller `limit`",
        (false, false) => "ask it for less at once to see the rest",
    };
    format!("\n[cut after {MOST} of {whole} bytes: {rest}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_that_models_can_call_and_nobody_else_has() {
        let taken = ["files__read", "files__read_2"];
        for (name, free) in [
            ("files__list", "files__list"),
            ("files__read", "files__read_3"),
            ("files__a.b/ä", "files__a_b__"),
        ] {
            assert_eq!(free_name(name, |name| taken.contains(&name)), free);
        }
        let long = "x".repeat(100);
        assert_eq!(free_name(&long, |_| false), long[..64]);
        assert_eq!(free_name(&long, |name| !name.ends_with('2')), format!("{}_2", &long[..62]));
    }
}
