//! `agent-worker remote-end`: what `--host` starts on the other machine.

use std::io::IsTerminal as _;

use agent_worker_client::{Home, serve_far_end};
use anyhow::Context as _;

use crate::{
    exit::{Exit, Refusal},
    session::{Session, program},
};

/// Serves the daemon of this machine on standard input and output.
pub async fn serve(session: &Session) -> anyhow::Result<Exit> {
    session.person_only("the daemon")?;
    if std::io::stdin().is_terminal() {
        let message = "`remote-end` is started over ssh: standard input is a terminal";
        return Err(Refusal::usage(message).hint("agent-worker --host user@box list").into());
    }
    let home: Home = session.home()?;
    let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
    let served = serve_far_end(home, &program()?, input, output).await;
    served.context("cannot serve the other machine").map(|()| Exit::Done)
}
