//! Agent programs: programs with a loop and tools of their own, which the worker starts, hears and
//! ends. What all of them have in common is here; what one of them calls it is in its own module.

mod acp;
mod claude;
mod codex;
mod cursor;
mod find;
mod judge;
mod kept;
mod launch;
mod lines;
mod running;
mod story;

#[cfg(test)]
mod tests;

use std::time::Duration;

use agent_worker_protocol::{
    report::{BackendConfig, ProgramConfig, RunConfig},
    run::{BlockKind, FailureClass},
    target::Target,
    workflow_file::Backend,
};
use serde_json::Value;

use self::{
    claude::Claude,
    codex::Codex,
    cursor::Cursor,
    judge::{Closing, Trouble, judge},
    kept::Kept,
    launch::Launch,
    lines::Said,
    story::Story,
};
use super::{Failure, Session};
use crate::{history::Seen, shell, tree};

/// Time for a program to end by itself after its last word, before it gets TERM.
const LAST_WORD: Duration = Duration::from_secs(5);

/// Time between TERM and KILL: a program that has a command to end takes up to 2 s.
const TERM_GRACE: Duration = Duration::from_secs(3);

/// The name by which programs know the daemon's MCP server.
const SERVER: &str = "daemon";

/// The variable in a program's environment that holds the daemon's MCP endpoint.
const MCP_URL: &str = "AGENT_WORKER_MCP_URL";

/// The variable in a program's environment that holds the run's token.
const TOKEN: &str = "AGENT_WORKER_TOKEN";

/// The program of a run, and what it kept in earlier runs.
pub struct Program<'a> {
    run: &'a RunConfig,
    config: &'a ProgramConfig,
    kept: Option<Kept>,
}

/// What is different from program to program that prints events and ends.
trait Adapter {
    /// Adds the arguments and the environment, and returns what the program reads. `resume` is the
    /// program's name for the session that it goes on with.
    fn prepare(
        &mut self,
        launch: &mut Launch,
        prompt: &str,
        resume: Option<&str>,
    ) -> Result<String, Failure>;

    /// Hears one event.
    fn hear(&mut self, event: &Value, story: &mut Story<'_>);
}

impl<'a> Program<'a> {
    /// Returns the program of a run; `None` if its backend is another.
    pub fn of(run: &'a RunConfig) -> Option<Self> {
        let BackendConfig::Program(config) = &run.backend else { return None };
        Some(Self { run, config, kept: Kept::of(run) })
    }

    /// Returns how far the agent has seen what others do; `None` if the program has no session.
    pub fn seen(&self) -> Option<Seen> {
        self.kept.as_ref().map(|kept| kept.seen)
    }

    /// Returns the name that the program has for a tool of the daemon.
    pub fn name_of(&self, tool: &str) -> String {
        match self.config.backend {
            Backend::Claude | Backend::Codex => format!("mcp__{SERVER}__{tool}"),
            Backend::Gemini => format!("mcp_{SERVER}_{tool}"),
            _ => format!("{SERVER}_{tool}"),
        }
    }

    /// Returns the mode that the program is asked to work in.
    pub fn mode(&self) -> Option<&'a str> {
        self.config.command.as_ref()?.mode.as_deref()
    }

    /// Returns the program's name for people.
    pub fn name(&self) -> &'a str {
        let config = self.config;
        let named = config.command.as_ref().map(|command| command.program.as_str());
        named.unwrap_or_else(|| config.backend.as_str())
    }

    /// Returns the command that has the agent go on after a permanent failure.
    pub fn resume(&self) -> String {
        let agent = Target::member(self.run.agent.clone(), self.run.scope.clone());
        format!("agent-worker resume {agent}")
    }
}

/// Returns this program's file: `agent-worker mcp` is the daemon's MCP server on standard input and
/// output.
fn bridge() -> String {
    let file = std::env::current_exe().unwrap_or_else(|_| "agent-worker".into());
    file.display().to_string()
}

/// Returns the variables that tell `agent-worker mcp` who calls. Each program passes them on in its
/// own way.
fn callers(run: &RunConfig) -> impl Iterator<Item = String> {
    shell::identity(run).into_keys()
}

/// Lets the run's program answer.
pub async fn answer(session: &Session<'_>) -> Result<String, Failure> {
    let program = Program::of(session.config)
        .ok_or_else(|| Failure::new(FailureClass::Permanent, "the run has no agent program"))?;
    tree::set_grace(TERM_GRACE);
    match program.config.backend {
        Backend::Claude => converse(session, &program, Claude::of(&program)).await,
        Backend::Codex => converse(session, &program, Codex::of(&program)).await,
        Backend::Cursor if program.mode() == Some(cursor::PRINT) => {
            converse(session, &program, Cursor::of(&program)).await
        }
        _ => acp::answer(session, &program).await,
    }
}

/// Goes on with the program's session. One that the program does not know any more, or that has
/// become too long for its model, is begun anew, once.
async fn converse(
    session: &Session<'_>,
    program: &Program<'_>,
    mut adapter: impl Adapter,
) -> Result<String, Failure> {
    let mut resume = program.kept.as_ref().map(|kept| kept.session.as_str());
    loop {
        let prompt = &session.prompt;
        let whole = prompt.whole.as_ref().unwrap_or(&prompt.text);
        let text = if resume.is_some() { &prompt.text } else { whole };
        let trouble = match attempt(session, program, &mut adapter, text, resume).await {
            Ok(text) => return Ok(text),
            Err(trouble) => trouble,
        };
        let why = match (&trouble, resume) {
            (Trouble::UnknownSession, Some(_)) => "the session was not found",
            (Trouble::Overflow(_), Some(_)) => "the session is too long for the model",
            _ => return Err(trouble.into_failure(program)),
        };
        let text = format!("{}: {why}: a new session begins", program.name());
        session.transcript.write(BlockKind::Notice, None, &text);
        session.transcript.write(BlockKind::Prompt, None, whole);
        resume = None;
    }
}

/// Starts the program once and hears it to its end.
async fn attempt(
    session: &Session<'_>,
    program: &Program<'_>,
    adapter: &mut impl Adapter,
    prompt: &str,
    resume: Option<&str>,
) -> Result<String, Trouble> {
    let mut launch = Launch::of(program)?;
    let input = adapter.prepare(&mut launch, prompt, resume)?;
    let mut running = launch.start(Some(input))?;
    let mut story = Story::new(session, program, resume);
    while story.closing().is_none() {
        match running.hear().await {
            Some(Said::Event(event)) => adapter.hear(&event, &mut story),
            Some(Said::Text(text)) => running.note(&text),
            Some(Said::TooLong(bytes)) => {
                story.notice(&format!("a line of {bytes} bytes was left out"));
            }
            None => break,
        }
    }
    let closing = story.end();
    let may_end_itself = matches!(closing, None | Some(Closing::Done(_)));
    let patience = if may_end_itself { LAST_WORD } else { Duration::ZERO };
    let ended = running.end(patience, TERM_GRACE).await;
    judge(closing, &ended, resume.is_some())
}
