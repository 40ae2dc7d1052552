//! What a start is made of: the file, checked, with the values that were given.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use agent_worker_protocol::{
    Checked, Home, Mode, Name, Problem, Scope, Source, Tag, Timestamp, WorkflowStart,
    nearest::nearest, provider::EXAMPLE_MODEL, shell::quoted,
};
use agent_worker_workflow_file::{
    AgentSpec, SetupStep, WorkflowFile,
    providers::{NO_MODEL, Providers},
    template::Template,
};

use crate::{
    engine::workflow::{
        check::{self, Examined, Purpose},
        check_texts,
        played::played,
        schedules,
    },
    error::OpError,
    keys::Keys,
    rows::AgentConfig,
    rules::{
        backend,
        start::{Begin, Kickoff, Launch, LaunchAgent},
    },
    settings::Settings,
};

/// A start that was checked.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// What goes into the tables
    pub launch: Launch,
    /// What is run before the kickoff
    pub setup: SetupPlan,
    /// What is not wrong but worth knowing
    pub warnings: Vec<Problem>,
}

/// The setup of a workflow. Its values may be secret, so it lives in memory alone: a setup does
/// not outlive its daemon.
#[derive(Clone)]
pub struct SetupPlan {
    /// The steps, in order
    pub steps: Vec<SetupStep>,
    /// What is known before the first step
    pub values: BTreeMap<String, String>,
    pub kickoff: Option<String>,
    /// Where the steps run
    pub folder: String,
    /// The caller's search path for programs
    pub path_env: Option<String>,
    /// The caller's home folder
    pub home: Option<String>,
}

impl std::fmt::Debug for SetupPlan {
    /// Leaves the values out.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SetupPlan").field("steps", &self.steps.len()).finish_non_exhaustive()
    }
}

pub fn checked(
    source: &Source,
    keys: &Keys,
    settings: &Settings,
    now: Timestamp,
) -> Result<Checked, OpError> {
    source.backend.as_deref().map(backend::check_backend).transpose()?;
    let examined = check::examine(source, keys, settings, Purpose::Check, now);
    Ok(Checked {
        ok: examined.is_ok(),
        problems: examined.problems,
        name: examined.name,
        agents: examined.agents,
        schedules: examined.file.map(|file| schedules::told(&file, now)).unwrap_or_default(),
    })
}

/// Checks a start and puts together what it is made of.
pub fn prepare(
    start: &WorkflowStart,
    keys: &Keys,
    settings: &Settings,
    now: Timestamp,
) -> Result<Prepared, OpError> {
    let source = &start.source;
    source.backend.as_deref().map(backend::check_backend).transpose()?;
    let examined = check::examine(source, keys, settings, Purpose::Start, now);
    refuse_problems(start, &examined)?;
    let (Some(file), Some(name)) = (examined.file, examined.name) else {
        return Err(OpError::invalid(format!("`{}` cannot be read", source.file_name)));
    };
    if start.mode == Mode::Run && file.kickoff.is_none() {
        return Err(OpError::invalid(format!(
            "`{}` has no kickoff, so there is nothing to run to an end",
            source.file_name
        ))
        .hint(begun(Mode::Start, source, start.fresh)));
    }
    let tag = source.tag.clone().unwrap_or_else(Tag::main);
    let scope = Scope { workflow: name, tag };
    let values = values(source, &file, &scope);
    let setup = SetupPlan {
        steps: file.setup.clone(),
        values: values.clone(),
        kickoff: file.kickoff.clone(),
        folder: source.folder.clone(),
        path_env: source.path_env.clone(),
        home: source.home.clone(),
    };
    let begin = if file.setup.is_empty() {
        Begin::Kickoff(kickoff(file.kickoff.as_deref(), values)?)
    } else {
        Begin::Setup
    };
    let agent =
        |(name, spec): (&Name, &AgentSpec)| agent(source, &settings.providers, &file, name, spec);
    let agents = file.agents.iter().map(agent).collect();
    let launch = Launch {
        scope,
        mode: start.mode,
        fresh: start.fresh,
        yaml: source.text.clone(),
        folder: source.folder.clone(),
        path_env: source.path_env.clone(),
        home: source.home.clone(),
        limits: file.limits,
        last_limits: None,
        document_owner: file.context.document_owner.clone(),
        agents,
        begin,
    };
    Ok(Prepared { launch, setup, warnings: examined.problems })
}

/// Refuses a file with errors.
fn refuse_problems(start: &WorkflowStart, examined: &Examined) -> Result<(), OpError> {
    let errors = examined.problems.iter().filter(|problem| problem.is_error());
    let errors: Vec<_> = errors.map(ToString::to_string).collect();
    if errors.is_empty() {
        return Ok(());
    }
    // A command that mends the first mistake, or else what shows all of them.
    let mended = hints(examined)
        .find(|hint| ["agent-worker ", "export "].iter().any(|command| hint.starts_with(command)));
    let with_value = with_model(start, examined).or_else(|| with_params(start, examined));
    let hint = match with_value.or_else(|| mended.map(ToOwned::to_owned)) {
        Some(hint) => hint,
        None => format!("agent-worker check {}", given(&start.source)),
    };
    Err(OpError::invalid(errors.join("\n")).hint(hint))
}

/// The command that names a model, where a backend was given that some agent has no model for.
fn with_model(start: &WorkflowStart, examined: &Examined) -> Option<String> {
    let source = &start.source;
    source.backend.as_ref()?;
    let has_none = |problem: &Problem| problem.message.ends_with(NO_MODEL);
    examined.problems.iter().any(has_none).then(|| {
        let with = Source { model: Some(EXAMPLE_MODEL.to_owned()), ..source.clone() };
        begun(start.mode, &with, start.fresh)
    })
}

/// The command that gives all params that have no value one, and misspelt ones their names, without
/// those that the file does not have.
fn with_params(start: &WorkflowStart, examined: &Examined) -> Option<String> {
    let source = &with_known_names(&start.source)?;
    let is_missing = |hint: &&str| {
        let named = hint.strip_prefix("-p ").and_then(|param| param.split_once('='));
        named.is_some_and(|(name, _)| !source.params.contains_key(name))
    };
    let missing = hints(examined).filter(is_missing).map(|hint| format!(" {hint}"));
    let missing: String = missing.collect();
    let mends = *source != start.source || !missing.is_empty();
    mends.then(|| begun(start.mode, source, start.fresh) + &missing)
}

/// The same with each unknown param under the name that it is near to, and without those that are
/// near to none. None if two would have one name. A param with a mistake in its entry is not unknown.
fn with_known_names(source: &Source) -> Option<Source> {
    let decoded = WorkflowFile::parse(&source.text);
    let tree = decoded.tree.as_ref()?;
    let known: Vec<_> = decoded.best()?.params.keys().map(ToString::to_string).collect();
    let mut params = BTreeMap::new();
    for (given, value) in &source.params {
        let is_known = known.contains(given) || !tree.is_whole(&["params", given.as_str()]);
        let near = || nearest(given, known.iter().map(String::as_str));
        let name = if is_known { Some(given.as_str()) } else { near() };
        let Some(name) = name else { continue };
        if params.insert(name.to_owned(), value.clone()).is_some() {
            return None;
        }
    }
    Some(Source { params, ..source.clone() })
}

/// What helps against the errors of a file.
fn hints(examined: &Examined) -> impl Iterator<Item = &str> {
    let errors = examined.problems.iter().filter(|problem| problem.is_error());
    errors.filter_map(|problem| problem.hint.as_deref())
}

/// The command that starts a file as it was asked for.
fn begun(mode: Mode, source: &Source, fresh: bool) -> String {
    let command = match mode {
        Mode::Run => "run",
        Mode::Start => "start",
    };
    let tag = source.tag.as_ref().map(|tag| format!(" --tag {tag}")).unwrap_or_default();
    let fresh = if fresh { " --fresh" } else { "" };
    format!("agent-worker {command} {}{tag}{fresh}", given(source))
}

/// A workflow file with what was given in place of its own values, as a command line has them.
fn given(source: &Source) -> String {
    let params = source.params.iter().map(|(name, value)| ("-p", format!("{name}={value}")));
    let backend = source.backend.iter().map(|backend| ("--backend", backend.clone()));
    let model = source.model.iter().map(|model| ("--model", model.clone()));
    let options = params.chain(backend).chain(model);
    let options = options.map(|(option, value)| format!(" {option} {}", quoted(&value)));
    quoted(&source.file_name) + &options.collect::<String>()
}

/// What `${{ }}` may name before the first setup step.
fn values(source: &Source, file: &WorkflowFile, scope: &Scope) -> BTreeMap<String, String> {
    let mut values = BTreeMap::from([
        ("workflow.name".to_owned(), scope.workflow.to_string()),
        ("workflow.tag".to_owned(), scope.tag.to_string()),
    ]);
    for (name, param) in file.params.iter() {
        let given = source.params.get(name.as_str()).or(param.default.as_ref());
        if let Some(value) = given {
            values.insert(format!("params.{name}"), value.clone());
        }
    }
    for (name, value) in &source.env {
        values.insert(format!("env.{name}"), value.clone());
    }
    values
}

/// A kickoff with the values it may name.
pub fn kickoff(
    text: Option<&str>,
    values: BTreeMap<String, String>,
) -> Result<Option<Kickoff>, OpError> {
    let Some(text) = text else { return Ok(None) };
    let template = Template::parse(text).map_err(|bad| OpError::invalid(bad.to_string()))?;
    Ok(Some(Kickoff { template, values }))
}

pub fn agent(
    source: &Source,
    providers: &Providers,
    file: &WorkflowFile,
    name: &Name,
    spec: &AgentSpec,
) -> LaunchAgent {
    let spec = &*played(source, providers, spec);
    let home = home(source, spec);
    let script = spec.script.as_ref().and_then(|file| source.files.get(file)).cloned();
    // An agent with a home works in it.
    let cwd = spec.cwd.as_deref().or(if home.is_some() { None } else { Some(".") });
    let config = AgentConfig {
        script,
        cwd: cwd.map(|cwd| working_folder(&source.folder, cwd)),
        env: spec.env.iter().map(ToString::to_string).collect(),
        set_in_shell: source.set_in_shell.clone(),
        timeout: spec.timeout,
        path_env: None,
        provider: spec.provider.clone(),
        tools: spec.tools.clone(),
        permissions: spec.permissions.clone(),
        mcp_servers: spec.mcp_servers.clone(),
        max_tokens: spec.max_tokens,
        max_steps: spec.max_steps,
        command: spec.command.clone(),
        mcp: spec.mcp,
        proposals: file.proposals,
        groups: file.groups,
        hire: file.hire,
        thinking: spec.thinking,
        hours: spec.heartbeat.and_then(|beat| beat.hours),
    };
    LaunchAgent {
        name: name.clone(),
        kind: spec.backend.known().member,
        backend: spec.backend.as_str().to_owned(),
        model: spec.model.clone(),
        system: check_texts::system_text(source, spec).map(ToOwned::to_owned),
        role: spec.role.clone(),
        display_name: spec.display_name.clone(),
        home,
        config,
        schedules: schedules::of(file, spec),
    }
}

/// The home of an agent, if it has one; a path is taken from the folder of the file.
fn home(source: &Source, spec: &AgentSpec) -> Option<Home> {
    match &spec.home {
        Home::No => None,
        Home::Own => Some(Home::Own),
        Home::At(path) => Some(Home::At(working_folder(&source.folder, path))),
    }
}

/// Where an agent's programs work, without the `.` that only says "here".
pub fn working_folder(folder: &str, cwd: &str) -> String {
    let whole: PathBuf = Path::new(folder).join(cwd).components().collect();
    whole.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_working_folder_is_told_without_detours() {
        for (cwd, whole) in
            [(".", "/team"), ("./src", "/team/src"), ("/tmp", "/tmp"), ("../x", "/team/../x")]
        {
            assert_eq!(working_folder("/team", cwd), whole);
        }
    }

    #[test]
    fn a_param_with_a_mistake_in_its_entry_is_not_called_by_the_name_of_another() {
        let named = |given: &str| {
            let text = "params: { host_a: [1], host_b: 1, limit: 1 }\nagents: {}\n".to_owned();
            let params = [(given.to_owned(), "1".to_owned())].into();
            let known = with_known_names(&Source { text, params, ..Source::default() });
            known.map(|source| source.params.into_keys().collect::<Vec<_>>())
        };
        assert_eq!(named("host_a"), Some(vec!["host_a".to_owned()]));
        assert_eq!(named("limti"), Some(vec!["limit".to_owned()]));
        assert_eq!(named("zzz"), Some(vec![]));
    }
}
