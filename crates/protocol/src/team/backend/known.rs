//! Agent programs that have a backend of their own: what they are called and how they are installed.

use crate::team::backend::{kind::Backend, tool::Tool};

/// The names that Claude Code has for the tools of a workspace.
pub const CLAUDE_TOOLS: [(Tool, &str); 7] = [
    (Tool::Read, "Read"),
    (Tool::Write, "Write"),
    (Tool::Edit, "Edit"),
    (Tool::Glob, "Glob"),
    (Tool::Grep, "Grep"),
    (Tool::Shell, "Bash"),
    (Tool::Fetch, "WebFetch"),
];

/// An agent program that is known by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownProgram {
    /// File names of the program, the usual one first
    pub names: &'static [&'static str],
    /// What installs it
    pub install: &'static str,
    /// The provider whose models the program reaches by itself; `None` if it has several
    pub provider: Option<&'static str>,
    /// The version that runs were proved with
    pub proved: Option<&'static str>,
    /// The variable of the key that it takes in place of a log-in
    pub key: Option<&'static str>,
    /// The file of its log-in, from the user's home folder
    pub log_in: Option<&'static str>,
}

impl Backend {
    /// Returns the program of this backend; `None` if it has none, or if its agents name one.
    pub const fn program(self) -> Option<KnownProgram> {
        Some(match self {
            Self::Claude => KnownProgram {
                names: &["claude"],
                install: "npm install -g @anthropic-ai/claude-code",
                provider: Some("anthropic"),
                proved: Some("2.1.330"),
                key: Some("ANTHROPIC_API_KEY"),
                log_in: Some(".claude/.credentials.json"),
            },
            Self::Codex => KnownProgram {
                names: &["codex"],
                install: "npm install -g @openai/codex",
                provider: Some("openai"),
                proved: Some("0.169.0"),
                key: Some("OPENAI_API_KEY"),
                log_in: Some(".codex/auth.json"),
            },
            Self::Cursor => KnownProgram {
                names: &["cursor-agent", "agent"],
                install: "see https://cursor.com/cli",
                provider: None,
                proved: None,
                key: Some("CURSOR_API_KEY"),
                log_in: None,
            },
            Self::Opencode => KnownProgram {
                names: &["opencode"],
                install: "npm install -g opencode-ai",
                provider: None,
                proved: Some("1.18.33"),
                key: None,
                log_in: None,
            },
            Self::Gemini => KnownProgram {
                names: &["gemini"],
                install: "npm install -g @google/gemini-cli",
                provider: None,
                proved: Some("0.61.0"),
                key: Some("GEMINI_API_KEY"),
                log_in: Some(".gemini/oauth_creds.json"),
            },
            Self::Copilot => KnownProgram {
                names: &["copilot"],
                install: "npm install -g @github/copilot",
                provider: None,
                proved: None,
                key: Some("GH_TOKEN"),
                log_in: None,
            },
            Self::Goose => KnownProgram {
                names: &["goose"],
                install: "see https://block.github.io/goose",
                provider: None,
                proved: None,
                key: None,
                log_in: None,
            },
            Self::Default | Self::Acp | Self::Mock | Self::External => return None,
        })
    }
}
