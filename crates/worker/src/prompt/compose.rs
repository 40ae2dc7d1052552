//! The parts of a prompt, in their order.

use std::fmt::{self, Write as _};

use agent_worker_protocol::{Context, InboxMessage, RunConfig, ToolSet};

use super::{
    activity, identity, inbox, instructions,
    quote::{in_line, without_nul},
    workspace,
};
use crate::{history::Seen, servers::Missing};

/// What a model is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The agent's own system prompt, word for word, and its home: nothing that other agents wrote
    /// is ever in it.
    pub system: Option<String>,
    pub text: String,
    /// Everything else for a conversation that has just begun, where the text has only what is new
    pub whole: Option<String>,
}

impl Prompt {
    /// Composes the prompt at the start of a run.
    pub fn compose(config: &RunConfig, context: &Context) -> Self {
        let system = config.system.clone().filter(|system| !system.trim().is_empty());
        let mut text = String::new();
        write_sections(&mut text, config, context).expect("a String takes any text");
        Self { system, text: without_nul(&text), whole: None }
    }

    /// Puts together what an agent is told that goes on with a conversation in which it has seen
    /// so much.
    pub fn go_on(config: &RunConfig, context: &Context, seen: Seen) -> Self {
        let Self { system, text: whole, .. } = Self::compose(config, context);
        let mut text = String::new();
        write_news(&mut text, config, context, seen).expect("a String takes any text");
        Self { system, text: without_nul(&text), whole: Some(whole) }
    }

    /// Says what the daemon's tools are called for an agent program.
    pub fn name_tools(&mut self, config: &RunConfig, name_of: impl Fn(&str) -> String) {
        let names = tool_names(config, name_of);
        let said = format!(
            "\n## Your Tools\n\nThe tools for your team are offered to you under these names: \
             {names}.\n"
        );
        self.text.push_str(&said);
        self.whole.iter_mut().for_each(|whole| whole.push_str(&said));
    }

    /// Says which of the agent's MCP servers are not there.
    pub fn note_missing(&mut self, missing: &[Missing]) {
        for Missing { name, why } in missing {
            let why = in_line(why);
            let said = format!(
                "\nYour MCP server `{name}` cannot be used in this run: {why}. Do without its \
                 tools, and say so where it matters.\n"
            );
            self.text.push_str(&said);
            self.whole.iter_mut().for_each(|whole| whole.push_str(&said));
        }
    }
}

/// Lists tools by the names that an agent program has for them.
pub fn tool_names(config: &RunConfig, name_of: impl Fn(&str) -> String) -> String {
    let of_home = ToolSet::HOME.iter().filter(|_| config.agent_home.is_some());
    let tools = instructions::TOOLS.iter().chain(of_home);
    let named = tools.map(|tool| format!("`{}`", name_of(tool)));
    named.collect::<Vec<_>>().join(", ")
}

/// What comes while an agent works.
pub fn news(messages: &[InboxMessage]) -> String {
    let mut text = String::new();
    inbox::news(&mut text, messages).expect("a String takes any text");
    without_nul(&text)
}

fn write_sections(text: &mut String, config: &RunConfig, context: &Context) -> fmt::Result {
    identity::section(text, config, &context.team)?;
    text.push('\n');
    inbox::section(text, &context.inbox)?;
    text.push('\n');
    activity::section(text, context, &config.agent)?;
    text.push('\n');
    workspace::section(text, config, context.document.as_ref())?;
    text.push('\n');
    instructions::section(text)
}

fn write_news(text: &mut String, config: &RunConfig, context: &Context, seen: Seen) -> fmt::Result {
    writeln!(
        text,
        "## Your Next Run\n\nYou are @{}, still an agent in the team {}. The conversation above is \
         what you were told and did in earlier runs, and it has had its effect. This is what is \
         new; your instructions still apply.\n",
        config.agent, config.scope
    )?;
    inbox::section(text, &context.inbox)?;
    text.push('\n');
    activity::news(text, context, &config.agent, seen)?;
    text.push('\n');
    workspace::news(text, config, context.document.as_ref(), seen)
}
