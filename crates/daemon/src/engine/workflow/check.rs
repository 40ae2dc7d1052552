//! Everything that can be known of a workflow file without starting it.

use std::path::Path;

use agent_worker_protocol::{
    backend::{Backend, McpServer, McpTransport},
    mention,
    name::Name,
    nearest::nearest,
    problem::{Position, Problem},
    provider::{KnownProvider, ServedModel},
    time::Timestamp,
    workflow::Source,
};
use agent_worker_workflow_file::{
    AgentSpec, Home, WorkflowFile, prices,
    providers::{Providers, tells_costs},
    script::Script,
    yaml::Tree,
};

use crate::{
    engine::workflow::schedules,
    keys::Keys,
    rules::{program_model::program_model, schedule::due},
};

/// How far a check goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The file alone is looked at.
    Check,
    /// It is about to be started, with the values that were given.
    Start,
}

/// A file that was looked at.
#[derive(Debug)]
pub struct Examined {
    /// What the file says; none if something is wrong
    pub file: Option<WorkflowFile>,
    /// What the workflow is called, where that is known
    pub name: Option<Name>,
    /// Its agents, as far as they can be read
    pub agents: Vec<Name>,
    /// What was found, by line
    pub problems: Vec<Problem>,
}

impl Examined {
    /// Whether nothing is wrong.
    pub fn is_ok(&self) -> bool {
        !self.problems.iter().any(Problem::is_error)
    }
}

/// Looks a workflow file over.
pub fn examine(
    source: &Source,
    keys: &Keys,
    providers: &Providers,
    purpose: Purpose,
    now: Timestamp,
) -> Examined {
    let mut decoded = WorkflowFile::parse(&source.text);
    let mut problems = std::mem::take(&mut decoded.problems);
    let mut name = None;
    let mut agents = Vec::new();
    if let (Some(file), Some(tree)) = (decoded.best(), &decoded.tree) {
        let look = Look { source, file, tree, keys, providers, purpose, now };
        name = look.name(&mut problems);
        agents = file.agents.keys().cloned().collect();
        look.agents(&mut problems);
        look.values(&mut problems);
        look.texts(&mut problems);
    }
    for problem in &mut problems {
        problem.file.get_or_insert_with(|| source.file_name.clone());
    }
    problems.sort_by_key(|problem| {
        (problem.file.as_deref() != Some(&source.file_name), problem.line, problem.column)
    });
    let is_wrong = problems.iter().any(Problem::is_error);
    Examined { file: decoded.value.filter(|_| !is_wrong), name, agents, problems }
}

/// The name of a workflow: the file's, else the file's own.
pub fn name_of(source: &Source, file: &WorkflowFile) -> Option<Name> {
    let stem = Path::new(&source.file_name).file_stem().and_then(|stem| stem.to_str());
    file.name.clone().or_else(|| Name::from_file_stem(stem?))
}

pub struct Look<'a> {
    source: &'a Source,
    file: &'a WorkflowFile,
    tree: &'a Tree,
    keys: &'a Keys,
    providers: &'a Providers,
    purpose: Purpose,
    now: Timestamp,
}

impl Look<'_> {
    fn at(&self, path: &[&str]) -> Position {
        self.tree.locate_key(path).unwrap_or_else(|| self.tree.place(path))
    }

    fn name(&self, problems: &mut Vec<Problem>) -> Option<Name> {
        if self.file.agents.is_empty() && self.tree.is_whole(&["agents"]) {
            problems.push(Problem::error("the file names no agents").at(self.at(&["agents"])));
        }
        match name_of(self.source, self.file).map(Name::for_workflow) {
            Some(Ok(name)) => Some(name),
            Some(Err(bad)) => {
                problems.push(Problem::error(bad.to_string()).at(self.at(&["name"])));
                None
            }
            None if !self.tree.is_whole(&["name"]) => None,
            None => {
                let text = format!("invalid file name `{}` for a workflow", self.source.file_name);
                problems.push(
                    Problem::error(text).at(Position::START).hint("give the workflow a `name:`"),
                );
                None
            }
        }
    }

    fn agents(&self, problems: &mut Vec<Problem>) {
        for (name, spec) in self.file.agents.iter() {
            self.backend(name, spec, problems);
            self.later(name, spec, problems);
            self.files(name, spec, problems);
            self.env(name, spec, problems);
            problems.extend(self.working_folder(name, spec));
            self.servers(name, spec, problems);
            schedules::check(self.file, self.tree, name, self.now, problems);
        }
        let most = self.file.limits.agents.map_or(usize::MAX, |most| most as usize);
        if self.file.agents.len() > most {
            let text = format!(
                "the file names {} agents, and its limit is {most}",
                self.file.agents.len()
            );
            problems.push(Problem::error(text).at(self.at(&["limits", "agents"])));
        }
        if let Some(Err(bad)) = self.file.timezone.as_ref().map(due::zone) {
            problems.push(Problem::error(bad).at(self.tree.place(&["timezone"])));
        }
        if self.purpose == Purpose::Start && !Path::new(&self.source.folder).is_dir() {
            let text = format!("the folder `{}` does not exist", self.source.folder);
            problems.push(Problem::error(text));
        }
    }

    fn backend(&self, name: &Name, spec: &AgentSpec, problems: &mut Vec<Problem>) {
        let at = self.at(&["agents", name.as_str(), "backend"]);
        let backend = match self.source.backend.as_deref().map(str::parse::<Backend>) {
            // An invalid backend stands there, and was already reported.
            None if !self.tree.is_whole(&["agents", name.as_str(), "backend"]) => return,
            None => spec.backend,
            Some(Ok(backend)) => backend,
            Some(Err(bad)) => return problems.push(Problem::error(bad)),
        };
        if spec.mcp == McpTransport::Stdio
            && matches!(backend, Backend::Default | Backend::Mock | Backend::External)
        {
            let text = format!(
                "invalid `mcp: stdio` of `{name}`: the backend `{}` starts no program",
                backend.as_str()
            );
            let at = self.at(&["agents", name.as_str(), "mcp"]);
            problems.push(Problem::error(text).at(at).hint("remove the line"));
        }
        match backend {
            Backend::Default => self.model(name, spec, at, problems),
            _ if backend.is_program() => {
                self.program(name, spec, backend, at, problems);
                problems.extend(self.cannot_ask(name, spec, backend));
            }
            _ => {}
        }
    }

    /// Where the model of an agent is served, and whether its key is there.
    fn model(&self, name: &Name, spec: &AgentSpec, at: Position, problems: &mut Vec<Problem>) {
        let place = |key: &str| self.tree.locate_key(&["agents", name.as_str(), key]);
        if !["model", "provider"]
            .iter()
            .all(|key| self.tree.is_whole(&["agents", name.as_str(), key]))
        {
            return;
        }
        let model = self.source.model.as_deref().or(spec.model.as_deref());
        match self.providers.find(model, spec.provider.as_ref()) {
            Ok(served) => {
                let at = place("provider").or_else(|| place("model")).unwrap_or(at);
                let key: Vec<_> = served.key.iter().map(ToString::to_string).collect();
                self.keys(name, &key, at, problems);
                let warned = [self.unpriced(name, model, &served), self.retired(name, &served)];
                problems.extend(warned.into_iter().flatten().map(|problem| problem.at(at)));
            }
            Err(unknown) => {
                let at = place("model").unwrap_or(at);
                let text = format!("`{name}`: {}", unknown.message);
                problems.push(Problem::error(text).at(at).hint(unknown.hint));
            }
        }
    }

    /// Whether the program of an agent is there, and what its model needs.
    fn program(
        &self,
        name: &Name,
        spec: &AgentSpec,
        backend: Backend,
        at: Position,
        problems: &mut Vec<Problem>,
    ) {
        let own = backend.program();
        if own.is_none() && spec.command.is_none() {
            let text = format!("`{name}`: backend `{}` needs `command`", backend.as_str());
            let hint = "command: { program: NAME, args: [...] }";
            return problems.push(Problem::error(text).at(at).hint(hint));
        }
        let programs = match (&spec.command, own) {
            (Some(command), _) => vec![command.program.as_str()],
            (None, Some(own)) => own.names.to_vec(),
            (None, None) => vec![],
        };
        if !programs.iter().any(|program| self.finds(program, spec)) {
            let program = programs.first().copied().unwrap_or_default();
            let problem = self.at_start(format!("`{name}`: program `{program}` not found")).at(at);
            problems.push(match own {
                Some(own) if spec.command.is_none() => problem.hint(own.install),
                _ => problem,
            });
        }
        let model = self.source.model.as_deref().or(spec.model.as_deref());
        match program_model(self.providers, backend, model, spec.provider.as_ref()) {
            Ok(found) => {
                let key: Vec<_> = found.key.iter().map(ToString::to_string).collect();
                self.keys(name, &key, at, problems);
            }
            Err(unknown) => {
                let text = format!("`{name}`: {}", unknown.message);
                problems.push(Problem::error(text).at(at).hint(unknown.hint));
            }
        }
        if let Some(command) = &spec.command {
            let named: Vec<_> = command.variables().iter().map(ToString::to_string).collect();
            let at = self.at(&["agents", name.as_str(), "command"]);
            self.keys(name, &named, at, problems);
        }
    }

    /// Tools under `ask` of a program that cannot ask: it works without them.
    fn cannot_ask(&self, name: &Name, spec: &AgentSpec, backend: Backend) -> Option<Problem> {
        let asked: Vec<_> =
            spec.permissions.ask.iter().filter(|tool| spec.tools.contains(tool)).collect();
        let mode = spec.command.as_ref().and_then(|command| command.mode.as_deref());
        let is_print = backend == Backend::Cursor && mode == Some("print");
        if asked.is_empty() || !(backend == Backend::Codex || is_print) {
            return None;
        }
        let tools: Vec<_> = asked.iter().map(|tool| format!("`{}`", tool.as_str())).collect();
        let text = format!(
            "`{name}` works without {}: `{}` cannot ask for a permission",
            tools.join(", "),
            backend.as_str()
        );
        let at = self.at(&["agents", name.as_str(), "permissions", "ask"]);
        let hint = match backend {
            Backend::Codex => {
                "move it to `allow`, or run codex over ACP: backend: acp, command: codex-acp"
            }
            _ => "move it to `allow`, or leave out `mode: print`",
        };
        Some(Problem::warning(text).at(at).hint(hint))
    }

    /// A model that a limit of dollars cannot end.
    fn unpriced(&self, name: &Name, model: Option<&str>, served: &ServedModel) -> Option<Problem> {
        let is_counted = served.price.is_some() || tells_costs(&served.provider);
        if is_counted {
            return None;
        }
        let model = model.unwrap_or(&served.model);
        if self.file.limits.cost.is_none() {
            // Of most servers on one's own machine there are no prices, and no need of them.
            let has_prices =
                |known: &KnownProvider| known.name == served.provider && !known.prices.is_empty();
            let text =
                format!("the price of `{model}` is unknown: what `{name}` costs is not shown");
            let hint = format!("agent-worker providers {} lists known models", served.provider);
            let is_missed = served.key.is_some() && self.providers.all().any(has_prices);
            return is_missed.then(|| Problem::warning(text).hint(hint));
        }
        let text = format!(
            "the price of `{model}` is unknown: `limits: cost` does not count what `{name}` uses"
        );
        let hint = "name its price in config.toml, under `[providers.NAME.prices]`";
        Some(Problem::warning(text).hint(hint))
    }

    /// A model that its provider serves no longer, or not for long.
    fn retired(&self, name: &Name, served: &ServedModel) -> Option<Problem> {
        let now = jiff::Timestamp::from_millisecond(self.now.0).ok()?;
        let today = now.to_zoned(jiff::tz::TimeZone::UTC).date();
        let told = prices::retirement(served.retires.as_deref(), today)?;
        let text = format!("`{name}`: {}/{} {told}", served.provider, served.model);
        let hint = format!("agent-worker providers {} lists models", served.provider);
        Some(Problem::warning(text).hint(hint))
    }

    /// Keys that the file may have and that this version does not act on.
    fn later(&self, name: &Name, spec: &AgentSpec, problems: &mut Vec<Problem>) {
        let backend = self.source.backend.as_deref().and_then(|backend| backend.parse().ok());
        if spec.command.is_some() && !backend.unwrap_or(spec.backend).is_program() {
            let at = self.at(&["agents", name.as_str(), "command"]);
            let text = format!("`command` of `{name}`: only agent programs have a command");
            let names = Backend::ALL.into_iter().filter(|backend| backend.is_program());
            let names: Vec<_> = names.map(Backend::as_str).collect();
            let hint = format!("backends of agent programs: {}", names.join(", "));
            problems.push(Problem::error(text).at(at).hint(hint));
        }
        let keys = [("home", spec.home != Home::No), ("heartbeat", spec.heartbeat.is_some())];
        for (key, _) in keys.iter().filter(|(_, is_set)| *is_set) {
            let at = self.at(&["agents", name.as_str(), key]);
            problems.push(later(&format!("`{key}` of `{name}`")).at(at));
        }
    }

    fn files(&self, name: &Name, spec: &AgentSpec, problems: &mut Vec<Problem>) {
        let named =
            [("system_prompt", spec.system_prompt_file()), ("script", spec.script.as_deref())];
        for (key, file) in named.into_iter().filter_map(|(key, file)| Some((key, file?))) {
            if !self.source.files.contains_key(file) {
                let text = format!(
                    "`{file}` is not beside the workflow file, in `{}`",
                    self.source.folder
                );
                let at = self.tree.place(&["agents", name.as_str(), key]);
                problems.push(Problem::error(text).at(at));
            }
        }
        let script =
            spec.script.as_ref().and_then(|file| Some((file, self.source.files.get(file)?)));
        if let Some((file, text)) = script {
            problems.extend(Script::parse(text).in_file(file).problems);
        }
    }

    /// A folder that is not there may be made by the setup.
    fn working_folder(&self, name: &Name, spec: &AgentSpec) -> Option<Problem> {
        let cwd = spec.cwd.as_deref()?;
        let whole = Path::new(&self.source.folder).join(cwd);
        let at = self.tree.place(&["agents", name.as_str(), "cwd"]);
        let text = format!("`cwd` of `{name}`: folder `{}` not found", whole.display());
        (!whole.is_dir())
            .then(|| Problem::warning(text).at(at).hint(format!("mkdir -p {}", whole.display())))
    }

    fn env(&self, name: &Name, spec: &AgentSpec, problems: &mut Vec<Problem>) {
        let names: Vec<_> = spec.env.iter().map(ToString::to_string).collect();
        let at = self.at(&["agents", name.as_str(), "env"]);
        self.keys(name, &names, at, problems);
    }

    /// Servers of tools whose keys or programs are not there.
    fn servers(&self, name: &Name, spec: &AgentSpec, problems: &mut Vec<Problem>) {
        for (server, what) in spec.mcp_servers.iter() {
            let at = self.at(&["agents", name.as_str(), "mcp_servers", server.as_str()]);
            let named: Vec<_> = what.variables().iter().map(ToString::to_string).collect();
            self.keys(name, &named, at, problems);
            if let McpServer::Program { command, .. } = what
                && !self.finds(command, spec)
            {
                let text = format!("`{name}`: program `{command}` not found");
                problems.push(Problem::error(text).at(at));
            }
        }
    }

    /// Whether a program is there, in the folder that is named or where the caller's shell looks.
    fn finds(&self, program: &str, spec: &AgentSpec) -> bool {
        let folder = Path::new(&self.source.folder).join(spec.cwd.as_deref().unwrap_or("."));
        if program.contains('/') {
            return folder.join(program).is_file();
        }
        let path = self.source.path_env.clone().or_else(|| std::env::var("PATH").ok());
        let path = path.unwrap_or_default();
        std::env::split_paths(&path).any(|place| place.join(program).is_file())
    }

    /// What an agent needs that is not there.
    fn keys(&self, name: &Name, names: &[String], at: Position, problems: &mut Vec<Problem>) {
        let found = match self.keys.look_up(names) {
            Ok(found) => found,
            Err(error) => {
                return problems
                    .push(Problem::error(format!("keys.env cannot be read: {error}")).at(at));
            }
        };
        let mistakes: Vec<_> = found.mistakes.iter().map(ToString::to_string).collect();
        for variable in found.missing {
            let in_shell = self.source.set_in_shell.contains(&variable);
            let place = if in_shell {
                "your shell, not in the daemon's"
            } else {
                "no place the daemon looks"
            };
            let place = std::iter::once(place).chain(mistakes.iter().map(String::as_str));
            let place = place.collect::<Vec<_>>().join("; ");
            let from = if in_shell { " --from-env" } else { "" };
            problems.push(
                Problem::error(format!("`{variable}`, which `{name}` needs, is set in {place}"))
                    .at(at)
                    .hint(format!("agent-worker keys set {variable}{from}")),
            );
        }
    }

    /// Values for `${{ params.x }}` and `${{ env.X }}`.
    fn values(&self, problems: &mut Vec<Problem>) {
        let known: Vec<_> = self.file.params.keys().map(ToString::to_string).collect();
        for given in self.source.params.keys().filter(|given| !known.contains(given)) {
            let problem = Problem::error(format!("the file has no param `{given}`"));
            let near = nearest(given, known.iter().map(String::as_str));
            problems.push(match near {
                Some(near) => problem.hint(format!("did you mean `{near}`?")),
                None => problem.hint(format!("its params: {}", known.join(", "))),
            });
        }
        for (name, param) in self.file.params.iter() {
            if param.default.is_none() && !self.source.params.contains_key(name.as_str()) {
                let at = self.at(&["params", name.as_str()]);
                let text = format!("the param `{name}` has no default and no value");
                problems.push(self.at_start(text).at(at).hint(format!("-p {name}=VALUE")));
            }
        }
        for variable in self.file.environment() {
            if !self.source.env.contains_key(variable.as_str()) {
                problems.push(self.at_start(format!("`env.{variable}` is not set in your shell")));
            }
        }
    }

    /// Something without which the workflow cannot be started, but can be written.
    fn at_start(&self, text: String) -> Problem {
        match self.purpose {
            Purpose::Start => Problem::error(text),
            Purpose::Check => Problem::warning(text),
        }
    }

    /// Mentions in kickoff, prompts and scripts: whom they name in vain, and who is never named.
    fn texts(&self, problems: &mut Vec<Problem>) {
        let person = Name::person();
        let members = || self.file.agents.keys().chain([&person]);
        let mut named: Vec<Name> = Vec::new();
        let mut calls_all = false;
        let mut look = |text: &str, path: &[&str], is_told: bool| {
            let found = mention::parse(text, members());
            calls_all |= found.all;
            named.extend(found.names);
            for word in found.unresolved.iter().filter(|_| is_told) {
                let at = self.tree.place(path);
                let problem = Problem::warning(format!("unknown agent `@{word}`")).at(at);
                let near = nearest(word, members().map(Name::as_str));
                problems.push(match near {
                    Some(near) => problem.hint(format!("did you mean `@{near}`?")),
                    None => problem,
                });
            }
        };
        if let Some(kickoff) = &self.file.kickoff {
            look(kickoff, &["kickoff"], true);
        }
        for (name, spec) in self.file.agents.iter() {
            if let Some(prompt) = system_text(self.source, spec) {
                look(prompt, &["agents", name.as_str(), "system_prompt"], true);
            }
            if let Some(script) = spec.script.as_ref().and_then(|file| self.source.files.get(file))
            {
                look(script, &["agents", name.as_str(), "script"], false);
            }
        }
        if calls_all || self.file.kickoff.is_none() {
            return;
        }
        let runs_by_itself = |name: &Name| {
            self.file.agents.get(name.as_str()).is_some_and(|spec| !spec.schedule.is_empty())
        };
        let is_woken = |name: &&Name| named.contains(name) || runs_by_itself(name);
        for name in self.file.agents.keys().filter(|name| !is_woken(name)) {
            let text = format!("`@{name}` is never named: nothing in this file can wake it");
            problems.push(Problem::warning(text).at(self.at(&["agents", name.as_str()])));
        }
    }
}

pub fn later(what: &str) -> Problem {
    Problem::later(format!("{what} comes with a later version of agent-worker"))
}

/// An agent's system prompt: the file's text where it names one, else what stands there.
pub fn system_text<'s>(source: &'s Source, spec: &'s AgentSpec) -> Option<&'s str> {
    match spec.system_prompt_file() {
        Some(file) => source.files.get(file).map(String::as_str),
        None => spec.system_prompt.as_deref(),
    }
}
