//! `shell`: a command.

mod output;

use std::{
    collections::BTreeMap, fmt::Write as _, path::Path, process::ExitStatus, time::Duration,
};

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::timeout;

use self::output::Output;
use super::{Limits, Refusal};
use crate::{
    processes::{
        family::Family,
        shell::{how, run_heard, sh},
    },
    workspace::Outcome,
};

/// How many of those that a command leaves running are named.
const MOST_NAMED: usize = 5;

/// Runs a command by `sh -c` in the folder you work in, with nothing on its standard input, and
/// returns its output and exit code. Each call is a new shell. Background processes run until your
/// run ends; send their output to a file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shell {
    /// The command
    command: String,
    /// How many seconds it may take: 120 if not given, 590 at the most
    #[schemars(range(min = 1, max = 590))]
    timeout: Option<u64>,
}

pub async fn shell(
    folder: &Path,
    limits: &Limits,
    environment: &BTreeMap<String, String>,
    asked: &Shell,
    hear: &mut dyn FnMut(&str),
) -> Result<Outcome, Refusal> {
    let most = limits.longest_shell_time;
    let time = asked.timeout.map_or(limits.shell_time, Duration::from_secs);
    if time > most || time.is_zero() || asked.command.contains('\0') {
        let seconds = most.as_secs();
        return Err(Refusal::new(format!(
            "`timeout` must be 1 to {seconds} seconds, `command` without NUL"
        )));
    }
    let mut command = sh(&asked.command);
    command.current_dir(folder).envs(environment);
    let family = Family::of(&mut command);
    let mut output = Output::new(limits.shell_bytes);
    let ended = timeout(time, run_heard(&mut command, &mut |bytes| output.push(bytes, hear))).await;
    match ended {
        Ok(Ok(status)) => Ok(end(status, family, output, hear)),
        Ok(Err(error)) => Err(Refusal::new(format!("the command cannot be run: {error}"))),
        Err(_) => {
            drop(family);
            Ok(late(time, output, hear))
        }
    }
}

fn end(status: ExitStatus, family: Family, output: Output, hear: &mut dyn FnMut(&str)) -> Outcome {
    let mut text = output.into_text(hear);
    let left = family.living();
    let named = left.iter().take(MOST_NAMED).map(|process| {
        let pid = process.pid;
        process.command().map_or(format!("{pid}"), |command| format!("{pid} `{command}`"))
    });
    let named = named.collect::<Vec<_>>().join(", ");
    if !named.is_empty() {
        let more = left.len().saturating_sub(MOST_NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let _ = writeln!(text, "[still running: {named}{more}]");
    }
    family.let_go();
    text.push_str(&how(status));
    Outcome { text, is_error: !status.success(), was_begun: true, ..Outcome::default() }
}

fn late(time: Duration, output: Output, hear: &mut dyn FnMut(&str)) -> Outcome {
    let mut text = output.into_text(hear);
    let seconds = time.as_secs();
    let _ = write!(text, "timed out after {seconds} s: it was ended, with all that it had started");
    Outcome { text, is_error: true, was_begun: true, ..Outcome::default() }
}
