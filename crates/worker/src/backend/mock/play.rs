//! Plays a turn.

use std::{collections::BTreeMap, process::ExitStatus};

use agent_worker_protocol::{BlockKind, WorkerReport};
use agent_worker_workflow_file::{script::Step, shell::Command};
use serde_json::{Map, Value, json};
use tokio::{task::yield_now, time::sleep};

use super::{trouble, values::Values};
use crate::{
    backend::narration::Narration,
    failure::Failure,
    mcp::Answer,
    processes::shell::{self, Keep},
    session::Session,
    tools::Decision,
};

/// How much of a command's output is kept.
const MAX_OUTPUT: usize = 64 << 10;

/// How many pieces a text is said in, and the least that a piece holds.
const PIECES: usize = 50;
const MIN_PIECE: usize = 12;

/// A turn that is being played.
pub struct Play<'s> {
    session: &'s Session<'s>,
    values: Values,
    said: Vec<String>,
}

impl<'s> Play<'s> {
    /// Starts with the groups that the turn's pattern matched.
    pub fn new(session: &'s Session<'s>, found: BTreeMap<String, String>) -> Self {
        Self { session, values: Values::new(found), said: Vec::new() }
    }

    /// Returns all texts of `say`.
    pub fn into_text(self) -> String {
        self.said.join("\n")
    }

    pub async fn step(&mut self, step: &Step) -> Result<(), Failure> {
        match step {
            Step::Think(text) => {
                let text = self.values.text(text)?;
                self.session.transcript.write(BlockKind::Thinking, None, &text);
            }
            Step::Call { tool, with, output } | Step::Ask { tool, with, output } => {
                let arguments = self.tell_call(tool, with)?;
                let answer = if matches!(step, Step::Ask { .. }) {
                    self.ask(tool, arguments).await?
                } else {
                    self.call(tool, arguments).await?
                };
                if let Some(output) = output {
                    self.values.save(output.as_str(), &answer);
                }
            }
            Step::Sleep(span) => sleep(span.duration()).await,
            Step::Say(text) => self.say(self.values.text(text)?).await,
            Step::Usage(used) => {
                let (usage, cost) = (used.tokens(), used.cost);
                self.session.reports.send(&WorkerReport::Used { usage, cost });
            }
            Step::Fail(failure) => return Err(trouble::make(*failure, self.session.reports).await),
            Step::Shell(command) => self.shell(&self.values.command(command)?).await,
        }
        Ok(())
    }

    async fn call(&self, tool: &str, arguments: Map<String, Value>) -> Result<Answer, Failure> {
        let mut narration = Narration::new(self.session.transcript, tool);
        let hear = &mut |text: &str| narration.push(text);
        let own =
            self.session.own_tools.call(&self.session.tools, tool, arguments.clone(), hear).await;
        let (answer, diff) = match own {
            Some(done) => done,
            None => (self.session.tools.call(tool, arguments).await?, None),
        };
        narration.end(&answer.text, answer.is_undone(), diff.as_deref());
        self.session.acts.note(tool, answer.is_undone());
        Ok(answer)
    }

    async fn ask(&self, tool: &str, arguments: Map<String, Value>) -> Result<Answer, Failure> {
        let (text, value) = match self.session.tools.permission(tool, arguments).await? {
            Decision::Allowed => ("allowed".to_owned(), json!({ "allowed": true, "because": "" })),
            Decision::Denied(because) => {
                (format!("not allowed: {because}"), json!({ "allowed": false, "because": because }))
            }
        };
        self.session.transcript.write(BlockKind::ToolResult, Some(tool), &text);
        Ok(Answer { text, value: Some(value), ..Answer::default() })
    }

    /// Writes a call to the transcript, and returns its arguments with the values filled in.
    fn tell_call(
        &self,
        tool: &str,
        with: &Map<String, Value>,
    ) -> Result<Map<String, Value>, Failure> {
        let arguments = self.values.arguments(with)?;
        let told = Value::Object(arguments.clone()).to_string();
        self.session.transcript.write(BlockKind::ToolCall, Some(tool), &told);
        Ok(arguments)
    }

    async fn say(&mut self, text: String) {
        let block = self.session.transcript.open(BlockKind::Text, None);
        let least = (text.len() / PIECES).max(MIN_PIECE);
        let mut piece = String::new();
        for word in text.split_inclusive(char::is_whitespace) {
            piece.push_str(word);
            if piece.len() >= least {
                block.push(&piece);
                piece.clear();
                yield_now().await;
            }
        }
        block.push(&piece);
        block.end();
        self.said.push(text);
    }

    async fn shell(&self, command: &Command) {
        const NAME: Option<&str> = Some("shell");
        self.session.acts.note("shell", false);
        let (config, transcript) = (self.session.config, self.session.transcript);
        let Command { text, env } = command;
        let mut told = json!({ "command": text });
        if !env.is_empty() {
            told["env"] = json!(env);
        }
        transcript.write(BlockKind::ToolCall, NAME, &told.to_string());
        let mut command = shell::sh(text);
        command.envs(env);
        if let Some(cwd) = &config.cwd {
            command.current_dir(cwd);
        }
        command.envs(shell::identity(config));
        let told = match shell::run_merged(&mut command, Keep::Tail(MAX_OUTPUT)).await {
            Ok((status, output)) => outcome(status, output.into_text()),
            Err(error) => format!("the command was not run: {error}"),
        };
        transcript.write(BlockKind::ToolResult, NAME, &told);
    }
}

/// Output of a command, and how it ended.
fn outcome(status: ExitStatus, (mut text, is_cut): (String, bool)) -> String {
    if is_cut {
        text.insert_str(0, "[the beginning is cut]\n");
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text + &shell::how(status)
}
