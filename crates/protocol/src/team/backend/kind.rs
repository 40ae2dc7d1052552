//! What runs an agent.

use std::str::FromStr;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::terms::nearest::nearest;

/// What runs an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = also_sdk)]
pub enum Backend {
    /// The program's own loop of model and tools
    #[default]
    #[serde(alias = "sdk")]
    Default,
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Cursor
    Cursor,
    /// opencode
    Opencode,
    /// Gemini CLI
    Gemini,
    /// GitHub Copilot CLI
    Copilot,
    /// goose
    Goose,
    /// Any program that speaks the Agent Client Protocol
    Acp,
    /// A script, for trying a team without a model
    Mock,
    /// Something that connects by itself and is never started from here
    External,
}

impl Backend {
    /// All there are.
    pub const ALL: [Self; 11] = [
        Self::Default,
        Self::Claude,
        Self::Codex,
        Self::Cursor,
        Self::Opencode,
        Self::Gemini,
        Self::Copilot,
        Self::Goose,
        Self::Acp,
        Self::Mock,
        Self::External,
    ];

    /// Whether it is an agent program that a worker starts, with a loop and tools of its own.
    pub const fn is_program(self) -> bool {
        !matches!(self, Self::Default | Self::Mock | Self::External)
    }

    /// Whether the daemon keeps a session for it from run to run.
    pub const fn has_session(self) -> bool {
        matches!(self, Self::Default) || self.is_program()
    }

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Opencode => "opencode",
            Self::Gemini => "gemini",
            Self::Copilot => "copilot",
            Self::Goose => "goose",
            Self::Acp => "acp",
            Self::Mock => "mock",
            Self::External => "external",
        }
    }
}

impl FromStr for Backend {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let word = if text == "sdk" { "default" } else { text };
        Self::ALL.into_iter().find(|backend| backend.as_str() == word).ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str);
            let near = nearest(text, names).map(|near| format!("did you mean `{near}`? "));
            let near = near.unwrap_or_default();
            format!("no backend `{text}`: {near}there are {}", names.join(", "))
        })
    }
}

/// The schema lists no aliases by itself.
fn also_sdk(schema: &mut Schema) {
    if let Some(Value::Array(known)) = schema.get_mut("oneOf") {
        known.push(json!({ "const": "sdk", "description": "The same as `default`" }));
    }
}
