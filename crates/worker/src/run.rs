//! A run of an agent, from its context to its final text.

use agent_worker_protocol::{BlockKind, Context, ContextTake, RunConfig, WorkerReport};
use futures::future::try_join;

use crate::{
    acts::Acts,
    backend::{self, Program},
    diary::Diary,
    failure::Failure,
    history::History,
    own_home::OwnHome,
    own_tools::OwnTools,
    processes::tree,
    prompt::{self, Prompt},
    reports::Reports,
    servers::Missing,
    session::Session,
    tools::Tools,
    transcript::Transcript,
};

/// Does the run. The caller reports its end.
pub async fn run(
    mut config: RunConfig,
    diary: &Diary,
    reports: &Reports,
) -> Result<WorkerReport, Failure> {
    tree::keep_back(&config.kept_back);
    let transcript = Transcript::new(reports.clone());
    let end = match at_home(&mut config) {
        Ok(()) => attempt(&config, diary, reports, &transcript).await,
        Err(unusable) => Err(unusable),
    };
    if let Err(error) = diary.close(&end, reports) {
        transcript.write(BlockKind::Notice, None, &format!("the run is not noted: {error}"));
    }
    if let Err(failure) = &end {
        transcript.write(BlockKind::Error, None, &failure.error);
    }
    end
}

/// Composes the prompt of a run, which may go on with a conversation.
pub fn composed(
    config: &RunConfig,
    context: &Context,
    history: &History,
    program: Option<&Program<'_>>,
    missing: &[Missing],
) -> Prompt {
    let seen = history.seen().or_else(|| program?.seen());
    let mut prompt = match seen {
        Some(seen) => Prompt::go_on(config, context, seen),
        None => Prompt::compose(config, context),
    };
    prompt.note_missing(missing);
    if let Some(program) = program {
        prompt.name_tools(config, |tool| program.name_of(tool));
    }
    prompt
}

/// Adds the agent's home, if it has one, to its system prompt.
pub fn at_home(config: &mut RunConfig) -> Result<(), Failure> {
    let home = OwnHome::of(config)?;
    config.system = prompt::system_prompt(config.system.as_deref(), home.as_ref());
    Ok(())
}

async fn attempt(
    config: &RunConfig,
    diary: &Diary,
    reports: &Reports,
    transcript: &Transcript,
) -> Result<WorkerReport, Failure> {
    let tools = Tools::at(&config.mcp_url, &config.token).map_err(|error| {
        Failure::transient(format!("the worker cannot use the network: {error}"))
    })?;
    // The MCP servers start while the daemon is asked for the messages.
    let take = ContextTake { id: config.run };
    let context = async { Ok::<_, Failure>(tools.take(&config.daemon_url, &take).await?) };
    let (own_tools, context) = try_join(OwnTools::of(config, transcript), context).await?;
    diary.set_asked(&context.mail());
    let history = History::of(config);
    let program = Program::of(config);
    let prompt = composed(config, &context, &history, program.as_ref(), own_tools.missing());
    let acts = Acts::default();
    let session =
        Session { config, context, history, prompt, tools, own_tools, acts, transcript, reports };
    let text = backend::answer(&session).await?;
    Ok(WorkerReport::Finished { text, acted: session.acts.has_any() })
}
