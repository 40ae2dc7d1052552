//! What `ask` shows of an answer, and beside it of the run that writes it.

use agent_worker_client::{Sanitized, sanitize::Streamed};
use agent_worker_protocol::{Answer, AskEvent};

use super::lines::Lines;
use crate::{
    output::Output,
    text::{dim, line},
};

/// What of an answer is shown: on a terminal as it grows, else once it is whole. A program cannot
/// take back the text of an attempt that fails.
pub struct Shown {
    output: Output,
    verbose: bool,
    answer: Lines,
    /// What is not shown yet; `None` on a terminal
    held: Option<String>,
    /// What it thinks, as long as it does
    thinking: Option<Streamed>,
}

impl Shown {
    pub fn new(output: Output, verbose: bool) -> Self {
        let held = (!output.is_terminal()).then(String::new);
        Self { output, verbose, answer: Lines::default(), held, thinking: None }
    }

    fn write(&mut self, text: &str) -> anyhow::Result<()> {
        match &mut self.held {
            Some(held) => held.push_str(text),
            None => self.output.write(text)?,
        }
        Ok(())
    }

    pub fn tell(&mut self, event: &AskEvent) -> anyhow::Result<()> {
        if self.output.json {
            return self.output.print_line(event);
        }
        if !matches!(event, AskEvent::Thinking { .. }) {
            self.end_thinking();
        }
        match event {
            AskEvent::Chunk { text, .. } => {
                let text = self.answer.push(text);
                self.write(&text)
            }
            // Without `--verbose` nothing parts an answer that goes on in the same word after it.
            AskEvent::Thinking { text } if self.verbose => {
                self.end_line()?;
                let text = self.thinking.get_or_insert_default().push(text);
                self.output.note_part(&dim(text.as_str()));
                Ok(())
            }
            AskEvent::Tool { name, args } => self.beside(&format!("{name} {args}")),
            AskEvent::ToolResult { name, text } => self.beside(&format!("{name} → {text}")),
            // Without `--verbose` too, the reason for waiting is shown.
            AskEvent::Notice { text } => {
                self.end_line()?;
                self.output.note(&dim(&line(text)));
                Ok(())
            }
            AskEvent::Started { run } => {
                self.end_line()?;
                let had_text = std::mem::take(&mut self.answer).has_text();
                if let Some(held) = &mut self.held {
                    held.clear();
                } else if had_text {
                    let text = format!("the text so far is not the answer: {run} begins anew");
                    self.output.note(&dim(&text));
                }
                Ok(())
            }
            AskEvent::Error(_) => self.end_line(),
            AskEvent::Queued { .. } | AskEvent::Thinking { .. } | AskEvent::Done(_) => Ok(()),
        }
    }

    fn end_thinking(&mut self) {
        if let Some(mut thinking) = self.thinking.take() {
            let rest = thinking.finish();
            self.output.note_part(&format!("{}\n", dim(rest.as_str())));
        }
    }

    fn beside(&mut self, text: &str) -> anyhow::Result<()> {
        self.end_line()?;
        if self.verbose {
            let text = dim(Sanitized::line(text).truncate(200).as_str());
            self.output.note_part(&format!("{text}\n"));
        }
        Ok(())
    }

    pub fn end_line(&mut self) -> anyhow::Result<()> {
        let rest = self.answer.end();
        self.write(&rest)
    }

    /// Ends the answer; an answer that did not come in pieces is shown now.
    pub fn finish(&mut self, answer: &Answer) -> anyhow::Result<()> {
        if self.output.json {
            return Ok(());
        }
        self.end_thinking();
        if !self.answer.has_text() {
            let text = self.answer.push(answer.content.trim_end());
            self.write(&text)?;
        }
        self.end_line()?;
        self.output.write(&self.held.take().unwrap_or_default())
    }
}
