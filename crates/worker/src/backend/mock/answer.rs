//! Which turn of the script is played.

use agent_worker_protocol::{BlockKind, WorkerReport};
use agent_worker_workflow_file::script::Script;

use super::{choice::choose, play::Play};
use crate::{failure::Failure, session::Session};

/// Final text of an agent that was created without a script, and how to give it one.
const NO_SCRIPT: &str = "This agent has no script. Create it with `--script FILE`, or set \
                         `script: FILE` in its workflow file.";

/// Plays the turn of a script that fits, up to its final text. `played` says how much of the script
/// was played before.
pub async fn answer(
    session: &Session<'_>,
    script: &str,
    played: &[u32],
) -> Result<String, Failure> {
    let script = read(script)?;
    let Some(chosen) = choose(&script, played, &session.context.mail()) else {
        let text = if script.0.is_empty() { NO_SCRIPT.to_owned() } else { nothing_fits(session) };
        session.transcript.write(BlockKind::Text, None, &text);
        return Ok(text);
    };
    session.reports.send(&WorkerReport::Chose { turn: chosen.place });
    let mut play = Play::new(session, chosen.found);
    for step in &chosen.turn.steps {
        play.step(step).await?;
    }
    Ok(play.into_text())
}

/// Reads the script. The daemon has done so before, so its mistakes are not told one by one.
pub fn read(script: &str) -> Result<Script, Failure> {
    let decoded = Script::parse(script);
    decoded.value.ok_or_else(|| {
        let problem = decoded.problems.first().map(ToString::to_string).unwrap_or_default();
        Failure::permanent(format!("the script cannot be read: {problem}"))
    })
}

/// Which messages no turn fits: by their ids only, because a name would mention its agent.
fn nothing_fits(session: &Session<'_>) -> String {
    let ids = session.context.inbox.messages.iter().map(|mail| mail.message.id.to_string());
    match ids.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "No turn of the script fits an empty inbox.".to_owned(),
        ids => format!("No turn of the script fits {ids}."),
    }
}
