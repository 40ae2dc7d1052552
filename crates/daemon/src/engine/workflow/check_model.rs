//! Checks of an agent's backend, model and MCP servers.

use agent_worker_protocol::{
    Backend, Home, KnownProvider, McpServer, McpTransport, Name, Position, Problem, ServedModel,
    Tool, Wire, backend::SERVER, shell::quoted,
};
use agent_worker_workflow_file::{AgentSpec, prices, providers::tells_costs};

use crate::{engine::workflow::check::Look, rules::program_model::program_model};

impl Look<'_> {
    pub fn backend(&self, name: &Name, spec: &AgentSpec, problems: &mut Vec<Problem>) {
        if !self.knows_backend(name) {
            return;
        }
        let at = self.at(&["agents", name.as_str(), "backend"]);
        if spec.mcp == McpTransport::Stdio
            && matches!(spec.backend, Backend::Default | Backend::Mock | Backend::External)
        {
            let text = format!(
                "invalid `mcp: stdio` of `{name}`: the backend `{}` starts no program",
                spec.backend.as_str()
            );
            let at = self.at(&["agents", name.as_str(), "mcp"]);
            problems.push(Problem::error(text).at(at).hint("remove the line"));
        }
        match spec.backend {
            Backend::Default => self.model(name, spec, at, problems),
            backend if backend.is_program() => {
                self.program(name, spec, at, problems);
                problems.extend(self.cannot_ask(name, spec));
                problems.extend(self.lacks_commands(name, spec));
            }
            _ => {}
        }
    }

    /// Whether the backend of an agent could be read. An invalid one was already reported.
    fn knows_backend(&self, name: &Name) -> bool {
        self.source.backend.is_some() || self.tree.is_whole(&["agents", name.as_str(), "backend"])
    }

    /// Where the model of an agent is served, and whether its key is there.
    pub fn model(&self, name: &Name, spec: &AgentSpec, at: Position, problems: &mut Vec<Problem>) {
        if !self.has_whole_model(name) {
            return;
        }
        match self.providers.find(spec.model.as_deref(), spec.provider.as_ref()) {
            Ok(served) => {
                let at = self.server_at(name).unwrap_or(at);
                self.keys(name, &served.key, at, problems);
                let unpriced = self.unpriced(name, spec, &served);
                let unpriced = unpriced.filter(|_| !tells_costs(&served.provider));
                let warned = [unpriced, self.retired(name, &served)];
                problems.extend(warned.into_iter().flatten().map(|problem| problem.at(at)));
            }
            Err(unknown) => {
                let model = self.tree.locate_key(&["agents", name.as_str(), "model"]);
                let at = model.unwrap_or(at);
                let text = format!("`{name}`: {}", unknown.message);
                problems.push(Problem::error(text).at(at).hint(unknown.hint));
            }
        }
    }

    /// Whether the program of an agent is there, and what its model needs.
    fn program(&self, name: &Name, spec: &AgentSpec, at: Position, problems: &mut Vec<Problem>) {
        // What could not be read was already reported.
        if self.tree.is_whole(&["agents", name.as_str(), "command"]) {
            problems.extend(self.lacks_program(name, spec).map(|problem| problem.at(at)));
        }
        let (model, provider) = (spec.model.as_deref(), spec.provider.as_ref());
        match program_model(self.providers, spec.backend, model, provider) {
            Ok(found) => {
                self.keys(name, &found.key, at, problems);
                let at = self.server_at(name).unwrap_or(at);
                let warned = self.of_program(name, spec, found.served.as_ref());
                problems.extend(warned.into_iter().flatten().map(|problem| problem.at(at)));
            }
            Err(unknown) => {
                let text = format!("`{name}`: {}", unknown.message);
                problems.push(Problem::error(text).at(at).hint(unknown.hint));
            }
        }
        if let Some(command) = &spec.command {
            let at = self.at(&["agents", name.as_str(), "command"]);
            self.keys(name, command.variables(), at, problems);
        }
    }

    /// The program of an agent that is not named or not there.
    fn lacks_program(&self, name: &Name, spec: &AgentSpec) -> Option<Problem> {
        let own = spec.backend.program();
        let programs = match (&spec.command, own) {
            (Some(command), _) => vec![command.program.as_str()],
            (None, Some(own)) => own.names.to_vec(),
            (None, None) => {
                let text = format!("`{name}`: backend `{}` needs `command`", spec.backend.as_str());
                let hint = "command: { program: NAME, args: [...] }";
                return Some(Problem::error(text).hint(hint));
            }
        };
        if programs.iter().any(|program| self.finds(program, name, spec)) {
            return None;
        }
        let program = programs.first().copied().unwrap_or_default();
        let problem = self.unfound(program, name, spec, |text| self.at_start(text));
        Some(match own {
            Some(own) if spec.command.is_none() => problem.hint(own.install),
            _ => problem,
        })
    }

    /// Where the file says what serves the model of an agent.
    fn server_at(&self, name: &Name) -> Option<Position> {
        let place = |key| self.tree.locate_key(&["agents", name.as_str(), key]);
        place("provider").or_else(|| place("model"))
    }

    /// Whether `model` and `provider` of an agent were read, or are not there.
    fn has_whole_model(&self, name: &Name) -> bool {
        let is_whole = |key: &&str| self.tree.is_whole(&["agents", name.as_str(), key]);
        ["model", "provider"].iter().all(is_whole)
    }

    /// Warnings of a program's model: that its cost is unknown, and that it is retired. Codex and
    /// Gemini CLI tell no cost. Claude Code tells it when a run ends, other programs may.
    fn of_program(
        &self,
        name: &Name,
        spec: &AgentSpec,
        served: Option<&ServedModel>,
    ) -> [Option<Problem>; 2] {
        if !self.has_whole_model(name) {
            return [None, None];
        }
        let tells_no_cost = matches!(spec.backend, Backend::Codex | Backend::Gemini);
        let unpriced = match served {
            Some(served) => self.unpriced(name, spec, served),
            None => self.unserved(name, spec),
        };
        let retired = served.and_then(|served| self.retired(name, served));
        [unpriced.filter(|_| tells_no_cost), retired]
    }

    /// Tools under `ask` of a program that cannot ask: it works without them.
    fn cannot_ask(&self, name: &Name, spec: &AgentSpec) -> Option<Problem> {
        let backend = spec.backend;
        let asked: Vec<_> =
            spec.permissions.ask.iter().filter(|tool| spec.tools.contains(tool)).collect();
        let mode = spec.command.as_ref().and_then(|command| command.mode.as_deref());
        let is_print = backend == Backend::Cursor && mode == Some("print");
        if asked.is_empty() || !(backend == Backend::Codex || is_print) {
            return None;
        }
        let text = format!(
            "`{name}` works without {}: `{}` cannot ask for a permission",
            named(&asked),
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

    /// File tools of codex, which uses them by commands that it may not run.
    fn lacks_commands(&self, name: &Name, spec: &AgentSpec) -> Option<Problem> {
        let rules = [("ask", &spec.permissions.ask), ("deny", &spec.permissions.deny)];
        let (rule, _) = rules.into_iter().find(|(_, tools)| tools.contains(&Tool::Shell))?;
        let is_lost = |tool: &&Tool| !matches!(tool, Tool::Shell | Tool::Fetch);
        let lost: Vec<_> = spec.tools.iter().filter(is_lost).collect();
        if lost.is_empty() || spec.backend != Backend::Codex {
            return None;
        }
        let text = format!(
            "`{name}` works without {}: `codex` reads and changes files by commands, and `shell` \
             is under `permissions: {rule}`",
            named(&lost)
        );
        let at = self.at(&["agents", name.as_str(), "permissions", rule]);
        let hint = "take `shell` out of there: codex runs commands in its sandbox, which keeps \
                    them from writing without `write`, `edit` or `shell`";
        Some(Problem::warning(text).at(at).hint(hint))
    }

    /// A model that a limit of dollars cannot end.
    fn unpriced(&self, name: &Name, spec: &AgentSpec, served: &ServedModel) -> Option<Problem> {
        if served.price.is_some() {
            return None;
        }
        let own_address = spec.provider.as_ref().and_then(|given| given.base_url.as_deref());
        let at_address = own_address.map(|base_url| named_server(base_url, served));
        let model = spec.model.as_deref().unwrap_or(&served.model);
        if self.file.limits.cost.is_none() {
            // Of most servers on one's own machine there are no prices, and no need of them.
            let has_prices =
                |known: &KnownProvider| known.name == served.provider && !known.prices.is_empty();
            let text =
                format!("the price of `{model}` is unknown: what `{name}` costs is not shown");
            let listed = || format!("agent-worker providers {}", served.provider);
            let hint = at_address.unwrap_or_else(listed);
            let is_missed = served.key.is_some() && self.providers.all().any(has_prices);
            return is_missed.then(|| Problem::warning(text).hint(hint));
        }
        let hint = at_address.unwrap_or_else(|| {
            "name its price in config.toml, under `[providers.NAME.prices]`".to_owned()
        });
        Some(uncounted(name, &format!("`{model}`")).hint(hint))
    }

    /// A model that a limit of dollars cannot end, because only its program knows the server or the
    /// model.
    fn unserved(&self, name: &Name, spec: &AgentSpec) -> Option<Problem> {
        self.file.limits.cost?;
        let model = match &spec.model {
            Some(model) => format!("`{model}`"),
            None => format!("the model that `{}` chooses", spec.backend.as_str()),
        };
        let hint = "set `limits: tokens`, which needs no price";
        Some(uncounted(name, &model).hint(hint))
    }

    /// A model that its provider serves no longer, or not for long.
    fn retired(&self, name: &Name, served: &ServedModel) -> Option<Problem> {
        let now = jiff::Timestamp::from_millisecond(self.now.0).ok()?;
        let today = now.to_zoned(jiff::tz::TimeZone::UTC).date();
        let told = prices::retirement(served.retires.as_deref(), today)?;
        let text = format!("`{name}`: {}/{} {told}", served.provider, served.model);
        let hint = format!("agent-worker providers {}", served.provider);
        Some(Problem::warning(text).hint(hint))
    }

    /// Keys that are of no use beside others.
    pub fn useless(&self, name: &Name, spec: &AgentSpec, problems: &mut Vec<Problem>) {
        if spec.command.is_some() && !spec.backend.is_program() && self.knows_backend(name) {
            let at = self.at(&["agents", name.as_str(), "command"]);
            let text = format!("`command` of `{name}`: only agent programs have a command");
            let names = Backend::ALL.into_iter().filter(|backend| backend.is_program());
            let names: Vec<_> = names.map(Backend::as_str).collect();
            let hint = format!("backends of agent programs: {}", names.join(", "));
            problems.push(Problem::error(text).at(at).hint(hint));
        }
        let lacks_home =
            spec.home == Home::No && self.tree.is_whole(&["agents", name.as_str(), "home"]);
        if spec.heartbeat.is_some() && lacks_home {
            let at = self.at(&["agents", name.as_str(), "heartbeat"]);
            let text = format!("`heartbeat` of `{name}`: it has no home to look after");
            problems.push(Problem::error(text).at(at).hint("add `home: true`"));
        }
        for (key, is_set) in [
            ("max_tokens", spec.max_tokens.is_some()),
            ("max_steps", spec.max_steps.is_some()),
            ("thinking", spec.thinking.is_some()),
        ] {
            if is_set && spec.backend.is_program() {
                let at = self.at(&["agents", name.as_str(), key]);
                let text = format!("`{key}` of `{name}` has no effect on an agent program");
                let hint = "remove the line, or give the program an argument with `command:`";
                problems.push(Problem::warning(text).at(at).hint(hint));
            }
        }
    }

    /// Servers of tools whose keys or programs are not there.
    pub fn servers(&self, name: &Name, spec: &AgentSpec, problems: &mut Vec<Problem>) {
        for (server, what) in spec.mcp_servers.iter() {
            let at = self.at(&["agents", name.as_str(), "mcp_servers", server.as_str()]);
            self.keys(name, what.variables(), at, problems);
            if server.as_str() == SERVER {
                let text = format!(
                    "`{name}`: `{server}` is the server that every agent has: it needs another name"
                );
                problems.push(Problem::error(text).at(at));
            }
            if let McpServer::Program { command, .. } = what
                && !self.finds(command, name, spec)
            {
                problems.push(self.unfound(command, name, spec, Problem::error).at(at));
            }
        }
    }
}

/// Tools as a text names them.
fn named(tools: &[&Tool]) -> String {
    let names: Vec<_> = tools.iter().map(|tool| format!("`{}`", tool.as_str())).collect();
    names.join(", ")
}

/// How a model gets a price whose server's address is in the file: only a server in `config.toml`
/// has prices, since another address of a known provider may ask others.
fn named_server(base_url: &str, served: &ServedModel) -> String {
    let wire = Some(served.wire).filter(|wire| *wire != Wire::Openai);
    let wire = wire.map(|wire| format!("wire = \"{}\"", wire.as_str()));
    let key = served.key.as_ref().map(|key| format!("key = \"{key}\""));
    let settings: Vec<_> = wire.into_iter().chain(key).map(|line| format!("`{line}`")).collect();
    let settings = match settings.as_slice() {
        [] => String::new(),
        all => format!("{} under `[providers.NAME]` and ", all.join(" and ")),
    };
    format!(
        "a server whose address is in the file has no prices: agent-worker config set \
         providers.NAME.base_url {}, then in config.toml {settings}its price under \
         `[providers.NAME.prices]`, and in the file `model: NAME/{}` without `provider:`; \
         then agent-worker daemon restart",
        quoted(base_url),
        served.model
    )
}

/// The warning that a limit of dollars does not count a model.
fn uncounted(name: &Name, model: &str) -> Problem {
    Problem::warning(format!(
        "the price of {model} is unknown: `limits: cost` does not count what `{name}` uses"
    ))
}

#[cfg(test)]
#[path = "tests/check_model.rs"]
mod tests;
