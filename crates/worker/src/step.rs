//! A setup step: one command under guard.

use std::{process::ExitStatus, time::Duration};

use agent_worker_protocol::{StepConfig, WorkerReport};

use crate::{
    failure::Failure,
    processes::shell::{self, Keep},
};

/// How often a step says that it is alive.
pub const HEARTBEAT: Duration = Duration::from_secs(5);

/// Maximum length of its error output.
const MAX_STDERR: usize = 8 << 10;

/// Runs the step. A command that fails does not fail the worker.
pub async fn step(config: &StepConfig) -> Result<WorkerReport, Failure> {
    let mut command = shell::sh(&config.shell);
    command.current_dir(&config.cwd);
    let keep = [Keep::Head(config.output_bytes), Keep::Tail(MAX_STDERR)];
    let done = shell::run_apart(&mut command, keep).await;
    let (status, output, stderr): (ExitStatus, _, _) = done.map_err(|error| {
        let error = format!("cannot run `sh` in `{}`: {error}", config.cwd);
        Failure::permanent(error)
    })?;
    let (mut output, is_cut) = output.into_text();
    if is_cut {
        let most = config.output_bytes;
        let note = format!("\n[agent-worker: the output was cut here, at {most} bytes]\n");
        output.push_str(&note);
    }
    let (stderr, _) = stderr.into_text();
    Ok(WorkerReport::StepDone { output, stderr, exit: status.code() })
}
