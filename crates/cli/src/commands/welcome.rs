//! First steps, printed without a command.

use crate::{
    exit::{Exit, Refusal},
    session::Session,
};

const WELCOME: &str = "\
agent-worker runs teams of LLM agents on this machine.
  agent-worker init                writes a first workflow into this folder
  agent-worker run workflow.yaml   runs it and shows what its agents say
  agent-worker list                lists workflows and agents; `peek @hello` reads a channel
  agent-worker status              shows what runs and what needs you
  agent-worker --help              lists all commands";

/// Says what to do first.
pub fn greet(session: &Session) -> anyhow::Result<Exit> {
    if session.output.json {
        return Err(Refusal::usage("missing command").hint("agent-worker --help").into());
    }
    session.output.print(WELCOME)?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    #[test]
    fn six_lines_are_enough() {
        assert_eq!(super::WELCOME.lines().count(), 6);
    }
}
