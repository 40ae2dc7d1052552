//! What the next run of an agent would be given. The run is claimed and asks for its messages as
//! always, in a transaction that is undone; a worker composes the prompt from the answers.

use std::sync::{Arc, Mutex};

use agent_worker_protocol::{
    BlockKind, Context, ContextPart, ContextSection, ContextShow, ContextShown, ContextTake,
    Interval, MemberKind, PreviewConfig, SessionTurn, Target, TurnRole, WorkerConfig, WorkerReport,
};

use crate::{
    changes::run::claim::{self, Claimed},
    context::{Credential, Cx, Run, Who},
    engine::{
        app::App,
        process::{
            reports::{Line, Lines},
            spawner::{Launchpad, Reports},
        },
        runs::{environment, homes},
    },
    error::OpError,
    lock::lock,
    rows::{RunRow, WorkflowRow},
    rules::ending::Failure,
    token,
};

/// The longest that a worker may take to compose a prompt.
const LONGEST: Interval = Interval::seconds(60);

/// Shows what the next run of an agent would be given.
pub async fn show(
    app: &App,
    caller: Credential,
    show: ContextShow,
) -> Result<ContextShown, OpError> {
    let (claimed, context) = foresee(app, caller, show.target).await?;
    let target = claimed.agent.target();
    let not_composed = |failure: Failure| {
        let text = format!("the next run of `{target}` would fail: {}", failure.error);
        OpError::conflict(text)
    };
    let home = homes::ready(app, &claimed).await.map_err(not_composed)?;
    let assembled = environment::assemble(app, &claimed, token::new_token(), home);
    let (run, pad) = assembled.map_err(not_composed)?;
    let messages = context.inbox.messages.len();
    let session = claimed.session.as_deref().map_or(0, length);
    let config = PreviewConfig { run: *run, context };
    let composed = compose(app, WorkerConfig::Preview(Box::new(config)), pad).await;
    let (system, prompt) = composed.map_err(|why| {
        OpError::conflict(format!("the next run of `{target}` cannot be shown: {why}"))
    })?;
    let sections = sections(system.as_deref(), session, &prompt);
    let chars = sections.iter().map(|section| section.chars).sum();
    let kind = claimed.run.kind;
    Ok(ContextShown { target, kind, messages, system, prompt, sections, chars })
}

/// Does in a transaction what the claim of the run and its worker's first questions would do, and
/// undoes all of it. Returns the run, and what its worker was answered.
async fn foresee(
    app: &App,
    caller: Credential,
    target: Target,
) -> Result<(Claimed, Context), OpError> {
    let found = Arc::new(Mutex::new(None));
    let place = found.clone();
    let look = move |cx: &mut Cx<'_>| {
        let foreseen = claim_and_ask(cx, &target)?;
        *lock(&place) = Some(foreseen);
        // Only a refusal undoes what was written.
        Err::<(), _>(OpError::conflict("this run was only foreseen"))
    };
    let undone = app.store().write(caller, look).await;
    let found = lock(&found).take();
    match (found, undone) {
        (Some(foreseen), _) => Ok(foreseen),
        (None, Err(error)) => Err(error),
        (None, Ok(())) => Err(OpError::Broken("a run that was not foreseen".to_owned())),
    }
}

fn claim_and_ask(cx: &mut Cx<'_>, target: &Target) -> Result<(Claimed, Context), OpError> {
    cx.operator_only("what an agent would be given")?;
    let agent = cx.locate_member(target)?.expect_agent()?;
    let target = agent.target();
    if agent.kind == MemberKind::External {
        let text = format!("`{target}` is external: the daemon starts no run of it");
        return Err(OpError::invalid(text).hint(format!("agent-worker inbox {target}")));
    }
    if let Some(live) = RunRow::live_of(cx.db, agent.id)? {
        let text =
            format!("`{target}` is in {live}, which has what it was given in its transcript");
        return Err(OpError::conflict(text).hint(format!("agent-worker logs {live}")));
    }
    let scope = WorkflowRow::by_id(cx.db, agent.scope_id)?;
    let hash = token::token_hash(&token::new_token());
    let claimed = claim::next_of(cx, agent, scope, &hash)?;
    cx.default_scope = claimed.scope.scope.clone();
    cx.target = None;
    cx.calls_tool = true;
    cx.who = Who::Run(Box::new(claimed.run.clone()));
    let context = ContextTake { id: claimed.run.id }.run(cx)?;
    Ok((claimed, context))
}

/// Has a worker compose the prompts: the system prompt and the prompt of the run.
async fn compose(
    app: &App,
    config: WorkerConfig,
    pad: Launchpad,
) -> Result<(Option<String>, String), String> {
    let started = app.spawner().spawn(&config, &pad).await;
    let (mut worker, mut reports) = started.map_err(|error| error.to_string())?;
    let heard = tokio::select! {
        heard = hear(&mut reports) => heard,
        () = app.stopping().cancelled() => Err("the daemon is stopping".to_owned()),
        () = tokio::time::sleep(LONGEST.duration()) => Err(format!("not done within {LONGEST}")),
    };
    let grace = app.store().settings().runs.kill_grace.duration();
    drop(worker.put_down(&mut reports, grace).await);
    heard
}

async fn hear(reports: &mut Reports) -> Result<(Option<String>, String), String> {
    let mut lines = Lines::default();
    let mut blocks: Vec<(BlockKind, String)> = Vec::new();
    loop {
        match lines.next(reports).await {
            Line::Report(WorkerReport::Block { kind, .. }) => blocks.push((kind, String::new())),
            Line::Report(WorkerReport::Delta { text, .. }) => {
                let (_, block) = blocks.last_mut().ok_or("a text without a block")?;
                block.push_str(&text);
            }
            Line::Report(WorkerReport::Finished { .. }) => break,
            Line::Report(WorkerReport::Failed { error, .. }) | Line::Bad(error) => {
                return Err(error);
            }
            Line::Report(_) => {}
            Line::End => return Err("its worker ended without a report".to_owned()),
        }
    }
    let mut take = |kind| {
        let at = blocks.iter().position(|(found, _)| *found == kind)?;
        Some(blocks.swap_remove(at).1)
    };
    let prompt = take(BlockKind::Prompt).ok_or("its worker told no prompt")?;
    Ok((take(BlockKind::System), prompt))
}

/// How many characters of a session its model reads. What is stored for a program only names the
/// session that the program keeps itself.
fn length(turns: &[SessionTurn]) -> usize {
    let read = turns.iter().filter(|turn| turn.role != TurnRole::Program);
    read.map(|turn| turn.content.chars().count()).sum()
}

/// The sections of all that the model reads. No file and no message can forge one: their lines are
/// marked.
fn sections(system: Option<&str>, session: usize, prompt: &str) -> Vec<ContextSection> {
    let mut sections = Vec::new();
    split(ContextPart::System, system.unwrap_or_default(), &mut sections);
    if session > 0 {
        let part = ContextPart::Session;
        sections.push(ContextSection { part, heading: None, chars: session });
    }
    split(ContextPart::Prompt, prompt, &mut sections);
    sections
}

fn split(part: ContextPart, text: &str, sections: &mut Vec<ContextSection>) {
    let first = sections.len();
    for line in text.split_inclusive('\n') {
        let heading = line.strip_prefix("## ").map(|heading| heading.trim_end().to_owned());
        if heading.is_some() || sections.len() == first {
            sections.push(ContextSection { part, heading, chars: 0 });
        }
        if let Some(section) = sections.last_mut() {
            section.chars += line.chars().count();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_have_all_characters_of_the_texts() {
        let system = "You are é.\n\n## One\n\n| ## no\n";
        let prompt = "## Two\na\n## Three\n";
        let found = sections(Some(system), 7, prompt);
        let told: Vec<_> = found
            .iter()
            .map(|one| (one.part.as_str(), one.heading.as_deref(), one.chars))
            .collect();
        assert_eq!(
            told,
            [
                ("system", None, 12),
                ("system", Some("One"), 16),
                ("session", None, 7),
                ("prompt", Some("Two"), 9),
                ("prompt", Some("Three"), 9),
            ]
        );
        let all: usize = found.iter().map(|one| one.chars).sum();
        assert_eq!(all, system.chars().count() + 7 + prompt.len());
        assert!(sections(None, 0, "").is_empty());
    }

    #[test]
    fn what_names_the_session_of_a_program_is_not_counted() {
        let turn =
            |role, content: &str| SessionTurn { role, content: content.to_owned(), tokens: None };
        let own = [turn(TurnRole::Prompt, "héllo"), turn(TurnRole::Answered, "hi")];
        assert_eq!(length(&own), 7);
        assert_eq!(length(&[turn(TurnRole::Program, r#"{"session":"s"}"#)]), 0);
    }
}
