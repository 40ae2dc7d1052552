//! All that one command starts, known again wherever it went.

use agent_worker_process::{Process, Signal, end_tree};
use tokio::process::Command;
use uuid::Uuid;

/// The variable by which all that one command has started is known again, wherever it went.
const MARK: &str = "AGENT_WORKER_COMMAND";

/// All that one command starts. It ends with this, at once, unless it is let go.
#[derive(Debug)]
pub struct Family {
    mark: String,
    is_let_go: bool,
}

impl Family {
    /// Of a command that is about to be started.
    pub fn of(command: &mut Command) -> Self {
        let mark = Uuid::new_v4().to_string();
        command.env(MARK, &mark);
        Self { mark, is_let_go: false }
    }

    /// Those that run.
    pub fn living(&self) -> Vec<Process> {
        let marked = Process::with_variable(MARK).into_iter();
        let own = marked.filter(|(_, mark)| *mark == self.mark);
        own.map(|(process, _)| process).collect()
    }

    /// It may go on: it ends with the worker.
    pub fn let_go(mut self) {
        self.is_let_go = true;
    }
}

impl Drop for Family {
    /// A process that is being started shows no environment for a moment, so it takes two looks to
    /// be sure.
    fn drop(&mut self) {
        let mut looks = if self.is_let_go { 0 } else { 2 };
        while looks > 0 {
            let living = self.living();
            looks = if living.is_empty() { looks - 1 } else { 2 };
            for process in &living {
                process.signal(Signal::STOP);
            }
            living.into_iter().for_each(end_tree);
        }
    }
}
