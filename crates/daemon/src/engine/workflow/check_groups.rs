//! Checks the names of a file's agents against the groups that are there already.

use agent_worker_protocol::{Conversation, Name, Problem, Scope, Source, Tag};
use agent_worker_workflow_file::WorkflowFile;

use crate::{
    context::{credential::Credential, cx::Cx},
    engine::app::App,
    error::OpError,
    rows::conversation::{ConversationRow, RENAMED, taken},
};

/// All groups, with their scopes.
pub async fn known(app: &App) -> Result<Vec<(Scope, Name)>, OpError> {
    let look = |cx: &mut Cx<'_>| {
        let open = ConversationRow::open(cx.db, None)?.into_iter();
        let groups = open.filter_map(|row| match row.name {
            Conversation::Group(name) => Some((row.scope, name)),
            Conversation::Channel | Conversation::Direct(..) => None,
        });
        Ok(groups.collect())
    };
    app.store().read(Credential::Daemon, look).await
}

/// Adds agents that have the name of a group of their scope: a start that is not fresh refuses
/// them. `workflow` is the name that the file is started under.
pub fn add(
    source: &Source,
    workflow: Option<&Name>,
    groups: &[(Scope, Name)],
    problems: &mut Vec<Problem>,
) {
    let Some(workflow) = workflow.cloned() else { return };
    let scope = Scope { workflow, tag: source.tag.clone().unwrap_or_else(Tag::main) };
    let mut groups = groups.iter().filter(|(of, _)| *of == scope).map(|(_, name)| name).peekable();
    if groups.peek().is_none() {
        return; // A long file takes seconds to parse.
    }
    let decoded = WorkflowFile::parse(&source.text);
    let (Some(file), Some(tree)) = (decoded.best(), &decoded.tree) else { return };
    for name in groups.filter(|name| file.agents.get(name.as_str()).is_some()) {
        let path = ["agents", name.as_str()];
        let at = tree.locate_key(&path).unwrap_or_else(|| tree.place(&path));
        let hint = format!("{RENAMED}, or start with --fresh");
        let problem = Problem::warning(taken(&scope, name)).at(at).hint(hint);
        problems.push(problem.in_file(&source.file_name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_with_the_name_of_a_group_of_its_workflow_is_told() {
        let told = |group: &str, of: &str| {
            let text = "agents:\n  a: { backend: external }\n  g: { backend: external }\n";
            let (file_name, text) = ("team.yaml".to_owned(), text.to_owned());
            let source = Source { file_name, text, ..Source::default() };
            let groups = [(of.parse().unwrap(), group.parse().unwrap())];
            let (team, mut problems): (Name, _) = ("team".parse().unwrap(), Vec::new());
            add(&source, Some(&team), &groups, &mut problems);
            problems.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let taken = "team.yaml:3:3: group `g` already exists in @team: an agent and a group cannot \
                     have the same name";
        assert_eq!(told("g", "@team"), [taken]);
        assert!(told("g", "@team:pr-1").is_empty() && told("other", "@team").is_empty());
    }
}
