//! Starts a run's program and hears it to its end.

use std::time::Duration;

use agent_worker_protocol::Backend;

use super::{
    Adapter, Closing, Launch, Program, Said, Story, acp,
    claude::Claude,
    codex::Codex,
    cursor::Cursor,
    judge::{Trouble, judge},
    run_program::{PRINT, TERM_GRACE},
};
use crate::{failure::Failure, processes::tree, session::Session};

/// Time for a program to end by itself after its last word, before it gets TERM.
const LAST_WORD: Duration = Duration::from_secs(5);

/// Lets the run's program answer.
pub async fn answer(session: &Session<'_>) -> Result<String, Failure> {
    let program = Program::of(session.config)
        .ok_or_else(|| Failure::permanent("the run has no agent program"))?;
    tree::set_grace(TERM_GRACE);
    match program.config.backend {
        Backend::Claude => converse(session, &program, Claude::of).await,
        Backend::Codex => converse(session, &program, Codex::of).await,
        Backend::Cursor if program.mode() == Some(PRINT) => {
            converse(session, &program, Cursor::of).await
        }
        _ => acp::answer(session, &program).await,
    }
}

/// Goes on with the program's session. A session that the program has lost, that has become too long
/// for its model, or that its model's server refuses, is begun anew, once. Each start has an adapter
/// of its own.
async fn converse<'p, A: Adapter>(
    session: &Session<'_>,
    program: &'p Program<'p>,
    adapter: impl Fn(&'p Program<'p>) -> A,
) -> Result<String, Failure> {
    let mut resume = program.kept.as_ref().map(|kept| kept.session.as_str());
    loop {
        let prompt = &session.prompt;
        let whole = prompt.whole.as_ref().unwrap_or(&prompt.text);
        let text = if resume.is_some() { &prompt.text } else { whole };
        match attempt(session, program, adapter(program), text, resume).await {
            Ok(text) => return Ok(text),
            Err(trouble) if resume.is_some() => trouble.begin_anew(session, program)?,
            Err(trouble) => return Err(trouble.into_failure(program)),
        }
        program.tell_instead(session, whole);
        resume = None;
    }
}

/// Starts the program once and hears it to its end.
async fn attempt(
    session: &Session<'_>,
    program: &Program<'_>,
    mut adapter: impl Adapter,
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
    story.book();
    judge(closing, &ended, resume.is_some())
}
