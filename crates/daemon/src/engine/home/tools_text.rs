//! TOOLS.md of a new home: the tools that the agent really has.

use std::fmt::Write as _;

use agent_worker_protocol::Backend;

use crate::{
    rows::{AgentConfig, AgentRow},
    rules::offer::Offered,
};

/// A tool of the daemon: its name, and what it is for.
pub type ToolLine = (String, String);

/// Writes down the tools of an agent.
pub fn text(
    tools: &[ToolLine],
    offered: Offered,
    agent: &AgentRow,
    config: &AgentConfig,
) -> String {
    let mut text = "# Your tools\n\nWritten when your home was created. The list that you are \
                    offered in a run is what counts.\n\n## For your team and your home\n\n"
        .to_owned();
    for (name, about) in tools.iter().filter(|(name, _)| offered.has(name)) {
        add(&mut text, name, first_sentence(about));
    }
    if !config.tools.is_empty() {
        text.push_str("\n## For files and commands\n\n");
        for tool in &config.tools {
            let ask = if config.permissions.ask.contains(tool) { "your user is asked" } else { "" };
            add(&mut text, tool.as_str(), ask);
        }
    }
    if !config.mcp_servers.is_empty() {
        text.push_str("\n## MCP servers\n\n");
        config.mcp_servers.keys().for_each(|name| add(&mut text, name.as_str(), ""));
    }
    let backend = agent.backend.as_deref().and_then(|name| name.parse::<Backend>().ok());
    if let Some(backend) = backend.filter(|backend| backend.is_program()) {
        writeln!(text, "\nYou also have the tools of your program, {}.", backend.as_str())
            .expect("a String takes any text");
    }
    text
}

fn add(text: &mut String, name: &str, about: &str) {
    let about = if about.is_empty() { String::new() } else { format!(": {about}") };
    writeln!(text, "- `{name}`{about}").expect("a String takes any text");
}

/// What a tool is for, in a line.
pub fn first_sentence(about: &str) -> &str {
    about.split_once(". ").map_or(about.trim_end_matches('.'), |(first, _)| first)
}
