//! What is wrong with a workflow file although each of its values has the right form.

use std::collections::{HashMap, HashSet};

use agent_worker_protocol::{
    Home, Interval, Limits, McpServer, Name, Permissions, Position, Problem,
    provider::{is_address, is_header, is_header_value, no_address},
};

use crate::{
    file::{
        agent::{AgentSpec, is_too_short},
        values,
        workflow::WorkflowFile,
    },
    shell,
    template::Template,
    yaml::{self, Decoded, MAX_PROBLEMS, Tree, did_you_mean},
};

impl WorkflowFile {
    /// Reads a workflow file, with all that can be known of it from its text alone.
    pub fn parse(text: &str) -> Decoded<Self> {
        yaml::decode(text).check(problems)
    }
}

/// All that the text alone tells.
fn problems(file: &WorkflowFile, tree: &Tree) -> Vec<Problem> {
    let mut found = Found { tree, problems: Vec::new() };
    found.name(file);
    found.owner(file);
    found.limits(file);
    found.outputs(file);
    for (name, agent) in file.agents.iter() {
        found.agent(name, agent);
    }
    [found.problems, values::problems(file, tree)].concat()
}

struct Found<'a> {
    tree: &'a Tree,
    problems: Vec<Problem>,
}

impl Found<'_> {
    fn at(&mut self, path: &[&str], message: impl Into<String>) {
        self.push(path, Problem::error(message));
    }

    /// Notes a problem of what stands at a path. Finding the place takes its time, so it is not
    /// looked for when it would not be shown.
    fn push(&mut self, path: &[&str], problem: Problem) {
        if self.problems.len() <= MAX_PROBLEMS {
            self.problems.push(problem.at(self.tree.place(path)));
        }
    }

    fn name(&mut self, file: &WorkflowFile) {
        if let Some(Err(bad)) = file.name.clone().map(Name::for_workflow) {
            self.at(&["name"], bad.to_string());
        }
    }

    fn owner(&mut self, file: &WorkflowFile) {
        let Some(owner) = &file.context.document_owner else { return };
        let is_known = *owner == Name::person() || file.agents.get(owner.as_str()).is_some();
        if is_known || !self.tree.is_whole(&["agents"]) {
            return;
        }
        let message = format!("`documentOwner`: agent `{owner}` not found in this file");
        let hint = did_you_mean(owner.as_str(), file.agents.keys().map(Name::as_str));
        self.push(&["context", "documentOwner"], Problem { hint, ..Problem::error(message) });
    }

    fn limits(&mut self, file: &WorkflowFile) {
        let limits = &file.limits;
        let is_zero = |limit: Option<u32>| limit == Some(0);
        for (key, is_zero) in [
            ("hops", is_zero(limits.hops)),
            ("runs", is_zero(limits.runs)),
            ("agents", is_zero(limits.agents)),
            ("tokens", limits.tokens == Some(0)),
            ("duration", limits.duration.is_some_and(|span| span.duration().is_zero())),
            ("max_runs", is_zero(limits.max_runs)),
        ] {
            if is_zero {
                self.at(&["limits", key], format!("`{key}` must be more than 0"));
            }
        }
        if limits.cost.is_some_and(|cost| !cost.is_finite() || cost < Limits::LEAST_COST) {
            self.at(&["limits", "cost"], "`cost` must be an amount of dollars, at least 0.000001");
        }
        if limits.task_interval.is_some_and(|span| span.duration().is_zero()) {
            self.at(&["limits", "task_interval"], "`task_interval` must be more than 0s");
        }
    }

    /// Outputs of setup steps: each has a name of its own.
    fn outputs(&mut self, file: &WorkflowFile) {
        let mut firsts: HashMap<&str, usize> = HashMap::new();
        for (index, step) in file.setup.iter().enumerate() {
            let Some(output) = &step.output else { continue };
            let first = *firsts.entry(output.as_str()).or_insert(index);
            if first != index && self.problems.len() <= MAX_PROBLEMS {
                let line = self.tree.place(&["setup", &first.to_string(), "as"]).line;
                let message = format!("`{output}` is an output already, of line {line}");
                self.at(&["setup", &index.to_string(), "as"], message);
            }
        }
        for (index, step) in file.setup.iter().enumerate() {
            let place = index.to_string();
            let place = ["setup", &place, "shell"];
            if step.shell.trim().is_empty() {
                self.at(&place, "the command is empty");
            } else if Template::parse(&step.shell).is_ok()
                && let Err(why) = shell::render(&step.shell, |_| Some(String::new()))
            {
                self.at(&place, why);
            }
        }
        if file.kickoff.as_ref().is_some_and(|text| text.trim().is_empty()) {
            self.at(&["kickoff"], "the kickoff is empty");
        }
    }

    fn agent(&mut self, name: &Name, agent: &AgentSpec) {
        let own = ["agents", name.as_str()];
        if let Err(bad) = name.clone().for_agent() {
            // There are few such names, so all are told.
            let at = self.tree.locate_key(&own).unwrap_or(Position::START);
            self.problems.push(Problem::error(bad.to_string()).at(at));
        }
        let path = |key: &'static str| [own[0], own[1], key];
        let is_wild = |every: Interval| every.duration().as_secs() == 0;
        for (key, is_bad, least) in [
            ("max_tokens", agent.max_tokens == Some(0), "at least 1"),
            ("max_steps", agent.max_steps == Some(0), "at least 1"),
            ("timeout", agent.timeout.is_some_and(is_too_short), "more than 0"),
            ("heartbeat", agent.heartbeat.is_some_and(|beat| is_wild(beat.every)), "at least 1s"),
        ] {
            if is_bad {
                self.at(&path(key), format!("`{key}` must be {least}"));
            }
        }
        self.files(agent, own);
        self.folders(agent, own);
        self.addresses(agent, own);
        self.headers(agent, own);
        self.permissions(&agent.permissions, own);
        self.schedules(agent, own);
    }

    fn files(&mut self, agent: &AgentSpec, [agents, name]: [&str; 2]) {
        let files =
            [("system_prompt", agent.system_prompt_file()), ("script", agent.script.as_deref())];
        for (key, file) in files {
            let Some(file) = file else { continue };
            if file.is_empty() {
                self.at(&[agents, name, key], "no file is named here");
            } else if file.starts_with(['/', '~']) {
                let problem = Problem::error(format!("`{file}` is a path of one machine"));
                let hint = "write the path that leads there from the folder of this file";
                self.push(&[agents, name, key], problem.hint(hint));
            }
        }
    }

    /// What a shell would put in place of `~`, nothing does here.
    fn folders(&mut self, agent: &AgentSpec, [agents, name]: [&str; 2]) {
        let home = match &agent.home {
            Home::At(path) => Some(path.as_str()),
            Home::No | Home::Own => None,
        };
        for (key, path) in [("cwd", agent.cwd.as_deref()), ("home", home)] {
            if let Some(path) = path.filter(|path| *path == "~" || path.starts_with("~/")) {
                let problem =
                    Problem::error(format!("`~` in `{path}` is not your home folder here"));
                let hint = "write the whole path, or one from the folder of this file";
                self.push(&[agents, name, key], problem.hint(hint));
            }
        }
    }

    fn addresses(&mut self, agent: &AgentSpec, [agents, name]: [&str; 2]) {
        let own = agent.provider.as_ref().and_then(|provider| provider.base_url.as_ref());
        let own = own.map(|url| (vec![agents, name, "provider", "base_url"], url));
        let servers = agent.mcp_servers.iter().filter_map(|(server, is)| match is {
            McpServer::Remote { url, .. } => {
                Some((vec![agents, name, "mcp_servers", server.as_str(), "url"], url))
            }
            McpServer::Program { .. } => None,
        });
        for (path, url) in own.into_iter().chain(servers).filter(|(_, url)| !is_address(url)) {
            self.at(&path, no_address(url));
        }
    }

    fn headers(&mut self, agent: &AgentSpec, [agents, name]: [&str; 2]) {
        for (server, is) in agent.mcp_servers.iter() {
            let McpServer::Remote { headers, .. } = is else { continue };
            for (header, value) in headers.iter() {
                let path = [agents, name, "mcp_servers", server.as_str(), "headers", header];
                if !is_header(header) && self.problems.len() <= MAX_PROBLEMS {
                    let at = self.tree.locate_key(&path).unwrap_or(Position::START);
                    let text = format!("`{header}` is not the name of a header");
                    self.problems.push(Problem::error(text).at(at));
                } else if !is_header_value(value) {
                    // The value may be secret.
                    let text = format!("the value of `{header}` has characters that no header has");
                    self.push(&path, Problem::error(text).hint("write it on one line"));
                }
            }
        }
    }

    fn permissions(&mut self, permissions: &Permissions, [agents, name]: [&str; 2]) {
        let Permissions { allow, ask, deny } = permissions;
        let mut rules = HashMap::new();
        for (rule, tools) in [("allow", allow), ("ask", ask), ("deny", deny)] {
            for (index, tool) in tools.iter().enumerate() {
                let other = *rules.entry(*tool).or_insert(rule);
                if other != rule {
                    let path = [agents, name, "permissions", rule, &index.to_string()];
                    let tool = tool.as_str();
                    self.at(&path, format!("`{tool}` is under both `{other}` and `{rule}`"));
                }
            }
        }
    }

    fn schedules(&mut self, agent: &AgentSpec, [agents, name]: [&str; 2]) {
        let mut names = HashSet::new();
        for (index, schedule) in agent.schedule.iter().enumerate() {
            let Some(own) = &schedule.name else { continue };
            if !names.insert(own) {
                let path = [agents, name, "schedule", &index.to_string(), "name"];
                self.at(&path, format!("`{name}` has a schedule `{own}` already"));
            }
        }
    }
}
