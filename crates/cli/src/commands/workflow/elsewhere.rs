//! A workflow of the same name that was started from another folder.

use std::path::Path;

use agent_worker_client::{Client, Sanitized};
use agent_worker_protocol::{
    AgentShow, Home, Name, Origin, Scope, Source, Tag, Target, WorkflowShow,
};
use agent_worker_workflow_file::{AgentSpec, WorkflowFile};

/// Says from where the workflow that would be continued was started, if that is another folder.
pub async fn warning(client: &Client, source: &Source) -> Option<String> {
    let parsed = WorkflowFile::parse(&source.text);
    let file = parsed.best()?;
    let scope = scope_of(file, source)?;
    client.call(&WorkflowShow { key: scope.clone() }).await.ok()?;
    // Where an agent works tells the folder, unless it has a home or its file names another one.
    let works_there = |agent: &AgentSpec| agent.cwd.is_none() && agent.home == Home::No;
    let name = file.agents.iter().find(|(_, agent)| works_there(agent))?.0.clone();
    let detail =
        client.call(&AgentShow { target: Target::member(name, scope.clone()) }).await.ok()?;
    let folder = detail.cwd.filter(|_| detail.origin == Origin::File)?;
    (folder != source.folder).then(|| {
        format!(
            "warning: {scope} was started from {}: this run continues its channel and documents\n{}",
            Sanitized::line(&folder),
            crate::text::hint("--tag NAME separates them, --fresh archives them first"),
        )
    })
}

/// The scope that a file would be started in, if it can be read that far.
pub fn scope(source: &Source) -> Option<Scope> {
    scope_of(WorkflowFile::parse(&source.text).best()?, source)
}

fn scope_of(file: &WorkflowFile, source: &Source) -> Option<Scope> {
    let stem = || Name::from_file_stem(Path::new(&source.file_name).file_stem()?.to_str()?);
    let workflow = file.name.clone().or_else(stem)?;
    Some(Scope { workflow, tag: source.tag.clone().unwrap_or_else(Tag::main) })
}
