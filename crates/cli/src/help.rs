//! The commands by what they are for, most used first: `--help`.

use clap::error::{ContextKind, ContextValue};

/// What commands are for, and which they are.
const GROUPS: [(&str, &str); 5] = [
    ("Teams", "run start status tui web list info stop resume rm init check new wake"),
    ("Messages", "send peek ask inbox questions answer search serve sessions"),
    ("Shared work", "doc home proposal group resource"),
    (
        "Steering",
        "logs history runs resume-in-terminal why context retry release drop cancel limits \
         schedule events",
    ),
    (
        "System",
        "daemon config keys token mcp-config mcp providers backends doctor backup restore \
         fake-model completions man",
    ),
];

/// How a target is written, and the first steps.
const AFTER: &str = "A target is `alice`, `alice@review`, `alice@review:pr-123`, or a whole workflow: `@review:pr-123`.

First steps:
  agent-worker init
  agent-worker run";

/// What `--help` shows below the usage: the commands in their groups.
pub const TEMPLATE: &str = "{about-with-newline}\n{usage-heading} {usage}{after-help}\n\nOptions:\n{options}\n\n\
     agent-worker COMMAND --help explains a command.";

/// Examples below the help of a command. The program is put before a line that does not name it.
pub fn examples(lines: &str) -> String {
    let heading = if lines.contains('\n') { "Examples:" } else { "Example:" };
    let program = |line: &str| if line.contains("agent-worker") { "" } else { "agent-worker " };
    let told = lines.lines().map(|line| format!("\n  {}{line}", program(line)));
    heading.to_owned() + &told.collect::<String>()
}

/// The commands in their groups.
pub fn grouped(commands: &clap::Command) -> String {
    let mut text = String::new();
    for (group, names) in GROUPS {
        text.extend([group, ":\n"]);
        for name in names.split(' ') {
            let command = commands.find_subcommand(name);
            let about = command.and_then(clap::Command::get_about).map(ToString::to_string);
            let line = format!("  {name:<12} {}\n", about.unwrap_or_default());
            text.push_str(&line);
        }
        text.push('\n');
    }
    text + AFTER
}

/// The option by which `help` is asked for its own help: clap takes that for a command's name.
pub fn asked_of_itself(error: &clap::Error) -> Option<&str> {
    match error.get(ContextKind::InvalidSubcommand)? {
        ContextValue::String(word) if ["--help", "-h"].contains(&word.as_str()) => Some(word),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::Subcommand as _;

    use super::*;
    use crate::args::Command;

    #[test]
    fn every_command_is_in_one_group() {
        let commands = Command::augment_subcommands(clap::Command::new("agent-worker"));
        let mut known: Vec<_> = commands
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
            .map(|command| command.get_name().to_owned())
            .collect();
        let mut grouped: Vec<_> = GROUPS.iter().flat_map(|(_, names)| names.split(' ')).collect();
        known.sort();
        grouped.sort_unstable();
        assert_eq!(grouped, known);
    }
}
