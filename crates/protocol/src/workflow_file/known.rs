//! Agent programs that have a backend of their own: what they are called and how they are installed.

use super::Backend;

/// An agent program that is known by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownProgram {
    /// File names of the program, the usual one first
    pub names: &'static [&'static str],
    /// What installs it
    pub install: &'static str,
    /// The provider whose models the program reaches by itself; `None` if it has several
    pub provider: Option<&'static str>,
}

impl Backend {
    /// Returns the program of this backend; `None` if it has none, or if its agents name one.
    pub const fn program(self) -> Option<KnownProgram> {
        Some(match self {
            Self::Claude => KnownProgram {
                names: &["claude"],
                install: "npm install -g @anthropic-ai/claude-code",
                provider: Some("anthropic"),
            },
            Self::Codex => KnownProgram {
                names: &["codex"],
                install: "npm install -g @openai/codex",
                provider: Some("openai"),
            },
            Self::Cursor => KnownProgram {
                names: &["cursor-agent", "agent"],
                install: "see https://cursor.com/cli",
                provider: None,
            },
            Self::Opencode => KnownProgram {
                names: &["opencode"],
                install: "npm install -g opencode-ai",
                provider: None,
            },
            Self::Gemini => KnownProgram {
                names: &["gemini"],
                install: "npm install -g @google/gemini-cli",
                provider: None,
            },
            Self::Default | Self::Acp | Self::Mock | Self::External => return None,
        })
    }
}
