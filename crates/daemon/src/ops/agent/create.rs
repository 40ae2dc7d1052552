//! Creates members.

use std::path::Path;

use agent_worker_protocol::{
    Agent, AgentCreate, Backend, Home, Origin, ScheduleSet, Target, Variable,
};
use agent_worker_workflow_file::{is_too_short, script::Script};

use crate::{
    changes::{agent::member, schedule},
    context::{Cx, Run},
    error::{OpError, Result},
    rows::{AgentConfig, AgentRow, NewAgent, WorkflowRow},
    rules::{
        backend,
        blocker::counted,
        program_model::program_model,
        schedule::spec::{self, NewSchedule},
    },
};

impl Run for AgentCreate {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Agent> {
        cx.operator_only("creating an agent")?;
        let name =
            self.name.clone().for_agent().map_err(|bad| OpError::invalid(bad.to_string()))?;
        let scope = cx.scope().map_err(|missing| missing.hint("agent-worker start FILE"))?;
        if AgentRow::find(cx.db, scope.id, name.as_str())?.is_some() {
            let text = format!("agent `{name}` already exists in {}", scope.scope);
            return Err(OpError::conflict(text)
                .hint(format!("agent-worker info {}", Target::member(name, scope.scope))));
        }
        let backend = check_backend(self, cx)?;
        check_room(cx, &scope)?;
        check_script(self.script.as_deref())?;
        if self.timeout.is_some_and(is_too_short) {
            return Err(OpError::invalid("`timeout` must be more than 0"));
        }
        check_env(&self.env)?;
        check_home(self.home.as_ref())?;
        check_heartbeat(self)?;
        let config = AgentConfig {
            script: self.script.clone(),
            cwd: self.cwd.clone(),
            env: self.env.clone(),
            set_in_shell: Vec::new(),
            timeout: self.timeout,
            path_env: self.path_env.clone(),
            thinking: self.thinking,
            hours: self.hours,
            ..AgentConfig::default()
        };
        let new = NewAgent {
            model: self.model.as_deref(),
            backend: Some(backend.as_str()),
            system: self.system.as_deref(),
            role: self.role.as_deref(),
            display_name: self.display_name.as_deref(),
            home: self.home.as_ref().filter(|home| **home != Home::No),
            ..NewAgent::new(scope.id, &name, (backend.known().member, Origin::New), &config, cx.now)
        };
        let made = member::insert(cx, &scope, &new)?;
        if let Some(spec) = &self.schedule {
            let set = ScheduleSet::usual(made.target(), spec.clone());
            set.run(cx)?;
        }
        if let Some(every) = self.heartbeat {
            let zone = spec::zone_of(cx, &scope)?;
            schedule::change::add(cx, &made, &NewSchedule::heartbeat(every, zone))?;
        }
        made.entity(cx.db)
    }
}

/// Refuses a backend or a model that could not run.
fn check_backend(create: &AgentCreate, cx: &Cx<'_>) -> Result<Backend> {
    let backend = backend::check_backend(create.backend.as_deref().unwrap_or("default"))?;
    if backend == Backend::Default {
        let served = cx.settings.providers.find(create.model.as_deref(), None);
        served.map_err(|unknown| {
            let hint = match &create.model {
                Some(_) => unknown.hint,
                // Not from a workflow file, as the usual hint has it.
                None => "add `--model PROVIDER/MODEL` or `--backend mock`".to_owned(),
            };
            OpError::invalid(unknown.message).hint(hint)
        })?;
    }
    if backend == Backend::Acp {
        let text = "backend `acp`: only a workflow file can name the agent's program";
        return Err(OpError::invalid(text).hint("set `command:` in a workflow file"));
    }
    if backend.is_program() {
        let found = program_model(&cx.settings.providers, backend, create.model.as_deref(), None);
        found.map_err(|unknown| OpError::invalid(unknown.message).hint(unknown.hint))?;
    }
    Ok(backend)
}

/// Refuses a script that could not be played.
fn check_script(script: Option<&str>) -> Result<()> {
    let problems = script.map(|text| Script::given(text).in_file("script").problems);
    let wrong: Vec<_> = problems
        .iter()
        .flatten()
        .filter(|problem| problem.is_error())
        .map(ToString::to_string)
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(OpError::invalid(wrong.join("\n"))) }
}

/// Refuses what no variable can be named. Behind a `=` may be a secret, which must not be kept.
fn check_env(names: &[String]) -> Result<()> {
    let wrong = names.iter().find_map(|name| name.parse::<Variable>().err());
    wrong.map_or(Ok(()), |bad| Err(OpError::invalid(bad.to_string())))
}

/// Refuses a home that depends on where the daemon runs.
fn check_home(home: Option<&Home>) -> Result<()> {
    match home {
        Some(Home::At(path)) if !Path::new(path).is_absolute() => {
            let text = format!("invalid home `{path}`: must be an absolute path, or `true`");
            Err(OpError::invalid(text))
        }
        _ => Ok(()),
    }
}

/// Refuses a heartbeat that could not be, or that says nothing.
fn check_heartbeat(create: &AgentCreate) -> Result<()> {
    let has_home = create.home.as_ref().is_some_and(|home| *home != Home::No);
    match create.heartbeat {
        Some(_) if !has_home => {
            let text = format!("`heartbeat` of `{}`: it has no home to look after", create.name);
            Err(OpError::invalid(text).hint("agent-worker new NAME --home --heartbeat 30m"))
        }
        Some(every) if every.duration().as_secs() == 0 => {
            Err(OpError::invalid("`heartbeat` must be at least 1s"))
        }
        None if create.hours.is_some() => {
            Err(OpError::invalid("`hours` are those of a heartbeat: set `heartbeat` too"))
        }
        _ => Ok(()),
    }
}

/// How many agents a scope has. A limit may have been set below that.
pub fn agents(cx: &Cx<'_>, scope: &WorkflowRow) -> Result<i64> {
    let members = AgentRow::of_scope(cx.db, scope.id)?;
    let agents = members.iter().filter(|member| member.works()).count();
    Ok(i64::try_from(agents).unwrap_or(i64::MAX))
}

/// Refuses one more agent than the scope may have.
fn check_room(cx: &Cx<'_>, scope: &WorkflowRow) -> Result<()> {
    let Some(most) = scope.limits.agents else { return Ok(()) };
    let (agents, scope) = (agents(cx, scope)?, &scope.scope);
    if agents < i64::from(most) {
        return Ok(());
    }
    let has = counted(agents, "agent");
    Err(OpError::conflict(format!("{scope} already has {has}, and its limit is {most}"))
        .hint(format!("agent-worker limits {scope} agents={}", agents + 1)))
}
