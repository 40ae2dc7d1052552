//! Commands as other programs call them, and what they are called here.

/// Commands that have another name here.
const COMMANDS: [(&str, &str); 38] = [
    ("agents", "list"),
    ("channel", "peek"),
    ("channel_read", "peek"),
    ("channel_send", "send"),
    ("chat", "ask"),
    ("create", "new"),
    ("delete", "rm"),
    ("destroy", "rm"),
    ("docs", "doc"),
    ("down", "stop"),
    ("follow", "peek"),
    ("inspect", "info"),
    ("kill", "stop"),
    ("launch", "start"),
    ("lint", "check"),
    ("log", "logs"),
    ("memory", "home"),
    ("message", "send"),
    ("messages", "peek"),
    ("models", "providers"),
    ("my_inbox", "inbox"),
    ("pause", "stop"),
    ("read", "peek"),
    ("remove", "rm"),
    ("restart", "daemon"),
    ("schedules", "schedule"),
    ("send_message", "send"),
    ("send_to_agent", "send"),
    ("settings", "config"),
    ("show", "info"),
    ("tail", "logs"),
    ("tasks", "runs"),
    ("team_doc_read", "doc"),
    ("ui", "tui"),
    ("up", "start"),
    ("validate", "check"),
    ("votes", "proposal"),
    ("workflows", "list"),
];

/// The command line for what a word would do elsewhere.
pub fn meant(word: &str) -> Option<String> {
    if word == "version" {
        return Some("agent-worker --version".to_owned());
    }
    let (_, ours) = COMMANDS.iter().find(|(other, _)| *other == word)?;
    Some(match (word, *ours) {
        ("restart", _) => "agent-worker daemon restart".to_owned(),
        ("team_doc_read", _) => "agent-worker doc read".to_owned(),
        (_, ours @ ("list" | "providers")) => format!("agent-worker {ours}"),
        (_, ours) => format!("agent-worker {ours} --help"),
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn every_other_word_leads_to_a_command_and_is_none_itself() {
        let command = Cli::command();
        for (other, ours) in COMMANDS {
            assert!(command.find_subcommand(ours).is_some(), "{ours}");
            assert!(command.find_subcommand(other).is_none(), "{other}");
        }
        assert_eq!(meant("send_message").unwrap(), "agent-worker send --help");
        assert_eq!(meant("version").unwrap(), "agent-worker --version");
        assert_eq!(meant("nothing"), None);
    }
}
