//! Commands as other programs call them, and what they are called here.

/// Commands, with what others call them.
const COMMANDS: [(&str, &str); 21] = [
    ("ask", "chat"),
    ("check", "lint validate"),
    ("config", "settings"),
    ("daemon", "restart"),
    ("doc", "docs team_doc_read"),
    ("home", "memory"),
    ("inbox", "my_inbox"),
    ("info", "inspect show"),
    ("list", "agents workflows"),
    ("logs", "log tail"),
    ("new", "create"),
    ("peek", "channel channel_read follow messages read"),
    ("proposal", "votes"),
    ("providers", "models"),
    ("rm", "delete destroy remove"),
    ("runs", "tasks"),
    ("schedule", "schedules"),
    ("send", "channel_send message send_message send_to_agent"),
    ("start", "launch up"),
    ("stop", "down kill pause"),
    ("tui", "ui"),
];

/// The command line for what a word would do elsewhere.
pub fn meant(word: &str) -> Option<String> {
    if word == "version" {
        return Some("agent-worker --version".to_owned());
    }
    let (ours, _) = COMMANDS.iter().find(|(_, others)| others.split(' ').any(|it| it == word))?;
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
        for (ours, others) in COMMANDS {
            assert!(command.find_subcommand(ours).is_some(), "{ours}");
            for other in others.split(' ') {
                assert!(command.find_subcommand(other).is_none(), "{other}");
            }
        }
        assert_eq!(meant("send_message").unwrap(), "agent-worker send --help");
        assert_eq!(meant("version").unwrap(), "agent-worker --version");
        assert_eq!(meant("nothing"), None);
    }
}
