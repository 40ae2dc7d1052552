//! Operations as MCP tools.

use std::{pin::Pin, sync::Arc};

use agent_worker_protocol::{
    AskPerson, BootstrapDone, BriefPage, ChannelRead, ChannelSend, DocList, DocRead, HomeRead,
    HomeWrite, MemoryAdd, MemoryRead, MemorySearch, Messages, MyInbox, Op, ResourceRead,
    TeamMembers, nearest::nearest,
};
use futures::FutureExt;
use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, value::RawValue};
use tokio::sync::Semaphore;

use crate::{
    context::{
        Credential, Run,
        run::{self, Misfit, Signature, told},
    },
    engine::{app::App, asking, home::own, waiting},
    error::{OpError, Result},
    ops::list,
    surfaces::mcp::{bounds, described::describe},
};

type Answer = Pin<Box<dyn Future<Output = Result<Box<RawValue>>> + Send>>;

pub type Call = Box<dyn Fn(App, Credential, Option<String>, JsonObject) -> Answer + Send + Sync>;

/// The tools, in the order in which agents are shown them.
#[derive(Default)]
pub struct Tools {
    pub listed: Vec<Tool>,
    pub calls: Vec<Call>,
}

impl Tools {
    /// Those that are done in one transaction.
    pub fn of_tables() -> Self {
        let mut tools = Self::default();
        for op in list::ALL.iter().filter(|op| op.signature.is_tool) {
            tools.listed.push(describe(&op.signature));
            tools.calls.push(Box::new(move |app, credential, key, arguments| {
                async move {
                    let asked = read(&op.signature, arguments, op.read)?;
                    app.answer(op, credential, key, asked).await
                }
                .boxed()
            }));
        }
        tools
    }

    /// What needs more than a transaction: `ask_person` waits for its answer, `my_inbox` for mail
    /// and is short unless it is asked for all details, and `channel_read` and lists are cut to a
    /// size.
    pub fn that_wait(self, places: Arc<Semaphore>) -> Self {
        let of_inbox = places.clone();
        let with_person = self.instead(AskPerson::NAME, move |app, credential, key, arguments| {
            let places = places.clone();
            async move {
                let ask = arguments_of::<AskPerson>(arguments)?;
                told(&asking::ask(&app, &places, credential, key, ask).await?)
            }
            .boxed()
        });
        let with_inbox =
            with_person.instead(MyInbox::NAME, move |app, credential, _, arguments| {
                let places = of_inbox.clone();
                async move {
                    let mut look = arguments_of::<MyInbox>(arguments)?;
                    let is_full = look.full == Some(true);
                    if !is_full {
                        let most = app.store().settings().inbox.bytes.min(bounds::MOST_CHARS);
                        look.max_chars.get_or_insert(most);
                    }
                    let page = waiting::inbox(&app, &places, credential, look).await?;
                    if is_full { told(&page) } else { told(&BriefPage::from(page)) }
                }
                .boxed()
            });
        let with_channel =
            with_inbox.instead(ChannelRead::NAME, |app, credential, _, arguments| {
                async move {
                    let look = arguments_of::<ChannelRead>(arguments)?;
                    told(&read_channel(&app, credential, look).await?)
                }
                .boxed()
            });
        with_channel
            .instead_cut::<TeamMembers>(bounds::fitted_team)
            .instead_cut::<DocList>(bounds::fitted_documents)
    }

    /// A list there is, cut to a size.
    fn instead_cut<O: Run>(self, cut: fn(O::Output) -> O::Output) -> Self {
        self.instead(O::NAME, move |app, credential, _, arguments| {
            async move {
                let op = arguments_of::<O>(arguments)?;
                told(&cut(app.call(credential, None, op).await?))
            }
            .boxed()
        })
    }

    /// What an agent does with its home, which is files beside the tables.
    pub fn of_home(self) -> Self {
        self.add(|app, caller, _, op: HomeRead| async move { own::read(&app, caller, op).await })
            .add(|app, caller, _, op: HomeWrite| async move { own::write(&app, caller, op).await })
            .add(|app, caller, _, op: BootstrapDone| async move {
                own::bootstrap_done(&app, caller, op).await
            })
            .add(|app, caller, key, op: MemoryAdd| async move {
                own::add(&app, caller, key, op).await
            })
            .add(|app, caller, _, op: MemorySearch| async move {
                own::search(&app, caller, op).await
            })
            .add(|app, caller, _, op: MemoryRead| async move {
                own::recall(&app, caller, op).await
            })
    }

    /// A tool that works beside the tables.
    fn add<O: Op, F>(
        mut self,
        call: impl Fn(App, Credential, Option<String>, O) -> F + Send + Sync + Copy + 'static,
    ) -> Self
    where
        F: Future<Output = Result<O::Output>> + Send,
    {
        self.listed.push(describe(&Signature::of::<O>()));
        self.calls.push(Box::new(move |app, credential, key, arguments| {
            async move {
                let op = arguments_of::<O>(arguments)?;
                told(&call(app, credential, key, op).await?)
            }
            .boxed()
        }));
        self
    }

    /// The name and the description of each.
    pub fn lines(&self) -> Vec<(String, String)> {
        let line = |tool: &Tool| {
            (tool.name.to_string(), tool.description.as_deref().unwrap_or_default().to_owned())
        };
        self.listed.iter().map(line).collect()
    }

    /// Another call for a tool there is.
    fn instead(
        mut self,
        name: &str,
        call: impl Fn(App, Credential, Option<String>, JsonObject) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let at = self.listed.iter().position(|tool| tool.name == name);
        self.calls[at.expect("it is one of the tools")] = Box::new(call);
        self
    }
}

/// Reads as many messages as fit into an answer, or as many as are asked for.
pub async fn read_channel(app: &App, caller: Credential, look: ChannelRead) -> Result<Messages> {
    let page = app.call(caller, None, look.clone()).await?;
    Ok(if look.limit.is_some() { page } else { bounds::fitted(page, &look) })
}

/// Reads a call's arguments as an operation's request.
pub fn arguments_of<O: Op>(arguments: JsonObject) -> Result<O> {
    read(&Signature::of::<O>(), arguments, run::read)
}

/// Reads a call's arguments. A null is an argument that is left out.
fn read<T>(
    signature: &Signature,
    mut arguments: JsonObject,
    read: impl FnOnce(JsonObject) -> Result<T, Misfit>,
) -> Result<T> {
    arguments.retain(|_, value| !value.is_null());
    if [DocRead::NAME, ResourceRead::NAME].contains(&signature.name) {
        arguments.entry("limit").or_insert(bounds::MOST_CHARS.into());
    }
    // Own programs write a message to the channel so, over HTTP.
    let names_none = arguments.get("to").and_then(Value::as_array).is_some_and(Vec::is_empty);
    if signature.name == ChannelSend::NAME && names_none {
        return Err(OpError::invalid("channel_send: `to` names no recipients")
            .hint("name recipients, or leave `to` out to send to the channel"));
    }
    read(arguments).map_err(|misfit| wrong_arguments(signature, &misfit))
}

/// What is wrong with a call, said so that a model can mend it.
fn wrong_arguments(signature: &Signature, misfit: &Misfit) -> OpError {
    let (name, schema) = (signature.name, (signature.schemas.request)());
    let known: Vec<String> = schema
        .get("properties")
        .and_then(Value::as_object)
        .map(|properties| properties.keys().cloned().collect())
        .unwrap_or_default();
    let is_unknown = |field: &&str| misfit.why.starts_with(&format!("unknown field `{field}`"));
    let error = OpError::invalid(match misfit.path.as_deref().filter(is_unknown) {
        // The hint names the arguments; other names that are accepted too would only confuse.
        Some(field) => format!("{name}: unknown argument `{field}`"),
        None => format!("{name}: {misfit}"),
    });
    match known.as_slice() {
        [] => error.hint(format!("{name} takes no arguments")),
        known => error.hint(format!("{name} takes {}", known.join(", "))),
    }
}

/// The tool that does what one of another name was asked for.
pub fn meant<'a>(name: &str, tools: &[&'a str]) -> Option<&'a str> {
    let ours = match name {
        "send_to_agent" | "send_message" | "message_agent" => "channel_send",
        "read_messages" | "get_messages" => "channel_read",
        "read_inbox" | "check_inbox" | "get_inbox" => "my_inbox",
        "list_agents" | "get_agents" => "team_members",
        "ask_user" | "ask_human" => "ask_person",
        _ => return nearest(name, tools.iter().copied()),
    };
    tools.iter().copied().find(|tool| *tool == ours)
}
