//! What runs an agent: the backends, and their programs.

use std::str::FromStr;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::{Value, json};

use crate::terms::{MemberKind, nearest::nearest};

/// How an agent runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = also_sdk)]
pub enum Backend {
    /// The built-in loop of model and tools
    #[default]
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
    /// A script, to try a team without a model
    Mock,
    /// A client that connects by itself; the daemon never starts it
    External,
}

/// An agent program that has a backend of its own.
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

/// What is known of a backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownBackend {
    /// The backend
    pub backend: Backend,
    /// Its name in files and answers
    pub name: &'static str,
    /// What its agents are
    pub member: MemberKind,
    /// Whether its agents need a `model`
    pub needs_model: bool,
    /// Whether it is an agent program that a worker starts, with a loop and tools of its own
    pub is_program: bool,
    /// The program; `None` if it has none, or if its agents name one
    pub program: Option<KnownProgram>,
}

const CLAUDE: KnownProgram = KnownProgram {
    names: &["claude"],
    install: "npm install -g @anthropic-ai/claude-code",
    provider: Some("anthropic"),
    proved: Some("2.1.330"),
    key: Some("ANTHROPIC_API_KEY"),
    log_in: Some(".claude/.credentials.json"),
};

const CODEX: KnownProgram = KnownProgram {
    names: &["codex"],
    install: "npm install -g @openai/codex",
    provider: Some("openai"),
    proved: Some("0.169.0"),
    key: Some("OPENAI_API_KEY"),
    log_in: Some(".codex/auth.json"),
};

const CURSOR: KnownProgram = KnownProgram {
    names: &["cursor-agent", "agent"],
    install: "see https://cursor.com/cli",
    provider: None,
    proved: None,
    key: Some("CURSOR_API_KEY"),
    log_in: None,
};

const OPENCODE: KnownProgram = KnownProgram {
    names: &["opencode"],
    install: "npm install -g opencode-ai",
    provider: None,
    proved: Some("1.18.33"),
    key: None,
    log_in: None,
};

const GEMINI: KnownProgram = KnownProgram {
    names: &["gemini"],
    install: "npm install -g @google/gemini-cli",
    provider: None,
    proved: Some("0.61.0"),
    key: Some("GEMINI_API_KEY"),
    log_in: Some(".gemini/oauth_creds.json"),
};

const COPILOT: KnownProgram = KnownProgram {
    names: &["copilot"],
    install: "npm install -g @github/copilot",
    provider: None,
    proved: None,
    key: Some("GH_TOKEN"),
    log_in: None,
};

const GOOSE: KnownProgram = KnownProgram {
    names: &["goose"],
    install: "see https://block.github.io/goose",
    provider: None,
    proved: None,
    key: None,
    log_in: None,
};

/// All backends, in the order of [`Backend`].
pub const BACKENDS: [KnownBackend; 11] = [
    KnownBackend { needs_model: true, ..own(Backend::Default, "default") },
    program(Backend::Claude, "claude", Some(CLAUDE)),
    program(Backend::Codex, "codex", Some(CODEX)),
    program(Backend::Cursor, "cursor", Some(CURSOR)),
    program(Backend::Opencode, "opencode", Some(OPENCODE)),
    program(Backend::Gemini, "gemini", Some(GEMINI)),
    program(Backend::Copilot, "copilot", Some(COPILOT)),
    program(Backend::Goose, "goose", Some(GOOSE)),
    program(Backend::Acp, "acp", None),
    own(Backend::Mock, "mock"),
    KnownBackend { member: MemberKind::External, ..own(Backend::External, "external") },
];

const fn own(backend: Backend, name: &'static str) -> KnownBackend {
    let member = MemberKind::Agent;
    KnownBackend { backend, name, member, needs_model: false, is_program: false, program: None }
}

const fn program(
    backend: Backend,
    name: &'static str,
    program: Option<KnownProgram>,
) -> KnownBackend {
    KnownBackend { is_program: true, program, ..own(backend, name) }
}

impl Backend {
    /// All backends.
    pub const ALL: [Self; BACKENDS.len()] = {
        let mut all = [Self::Default; BACKENDS.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = BACKENDS[at].backend;
            at += 1;
        }
        all
    };

    /// Returns what is known of it.
    pub const fn known(self) -> &'static KnownBackend {
        &BACKENDS[self as usize]
    }

    /// Whether it is an agent program that a worker starts, with a loop and tools of its own.
    pub const fn is_program(self) -> bool {
        self.known().is_program
    }

    /// Whether the daemon keeps a session for it from run to run.
    pub const fn has_session(self) -> bool {
        matches!(self, Self::Default) || self.is_program()
    }

    /// Returns the program of this backend; `None` if it has none, or if its agents name one.
    pub const fn program(self) -> Option<KnownProgram> {
        self.known().program
    }

    /// Returns its name.
    pub const fn as_str(self) -> &'static str {
        self.known().name
    }
}

/// The names of all backends. `sdk`, an older name of `default`, is read but not offered.
const NAMES: [&str; BACKENDS.len()] = {
    let mut names = [""; BACKENDS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = BACKENDS[at].name;
        at += 1;
    }
    names
};

fn named(text: &str) -> Option<Backend> {
    let word = if text == "sdk" { "default" } else { text };
    Backend::ALL.into_iter().find(|backend| backend.as_str() == word)
}

impl FromStr for Backend {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        named(text).ok_or_else(|| {
            let near = nearest(text, NAMES).map(|near| format!("did you mean `{near}`? "));
            let near = near.unwrap_or_default();
            format!("unknown backend `{text}`: {near}there are {}", NAMES.join(", "))
        })
    }
}

impl<'de> Deserialize<'de> for Backend {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let text = String::deserialize(source)?;
        named(&text).ok_or_else(|| D::Error::unknown_variant(&text, &NAMES))
    }
}

/// The schema lists no aliases by itself.
fn also_sdk(schema: &mut Schema) {
    if let Some(Value::Array(known)) = schema.get_mut("oneOf") {
        known.push(json!({ "const": "sdk", "description": "The same as `default`" }));
    }
}

#[cfg(test)]
#[path = "tests/kind.rs"]
mod tests;
