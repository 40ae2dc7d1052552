//! Workflow files as a user might write them: one value on each line.

use super::*;

/// What can be done to a line, so that something is wrong with it alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A key and its value, without which the file would be as good.
    Value,
    /// The same, but it must be there.
    Needed,
    /// A key that the user chose, and its value.
    Named,
    /// An entry of a list.
    Entry,
    /// A key whose value stands below.
    Above,
    /// Anything else.
    Other,
}

/// A line of a file.
#[derive(Debug, Clone)]
pub struct Line {
    pub indent: usize,
    pub before: String,
    pub value: String,
    pub kind: Kind,
}

impl Line {
    pub fn written(&self) -> String {
        format!("{}{}{}", " ".repeat(self.indent), self.before, self.value)
    }
}

/// A file as it is written.
#[derive(Debug, Default)]
pub struct Paper {
    pub lines: Vec<Line>,
    indent: usize,
    /// Whether the next line begins an entry of a list
    is_entry: bool,
}

impl Paper {
    pub fn of(file: &WorkflowFile) -> Self {
        let mut paper = Self::default();
        paper.file(file);
        paper
    }

    pub fn text(&self) -> String {
        self.lines.iter().map(|line| line.written() + "\n").collect()
    }

    fn line(&mut self, before: &str, value: String, kind: Kind) {
        let is_entry = std::mem::take(&mut self.is_entry);
        let (indent, dash) = if is_entry { (self.indent - 2, "- ") } else { (self.indent, "") };
        self.lines.push(Line { indent, before: format!("{dash}{before}"), value, kind });
    }

    fn value(&mut self, key: &str, value: &impl ToString, kind: Kind) {
        self.line(&format!("{key}: "), value.to_string(), kind);
    }

    fn text_of(&mut self, key: &str, text: Option<&String>) {
        if let Some(text) = text {
            self.value(key, &quoted(text), Kind::Value);
        }
    }

    fn optional<T: ToString>(&mut self, key: &str, value: Option<&T>) {
        if let Some(value) = value {
            self.value(key, value, Kind::Value);
        }
    }

    fn zone(&mut self, zone: Option<&ZoneName>) {
        if let Some(zone) = zone {
            self.value("timezone", &zone.as_str(), Kind::Value);
        }
    }

    fn below(&mut self, key: &str, kind: Kind, write: impl FnOnce(&mut Self)) {
        self.line(&format!("{key}:"), String::new(), kind);
        self.indent += 2;
        write(self);
        self.indent -= 2;
    }

    fn entry(&mut self, write: impl FnOnce(&mut Self)) {
        self.indent += 2;
        self.is_entry = true;
        write(self);
        self.indent -= 2;
    }

    fn list(&mut self, key: &str, values: impl IntoIterator<Item = String>) {
        let values: Vec<_> = values.into_iter().collect();
        if !values.is_empty() {
            self.below(key, Kind::Above, |paper| {
                for value in values {
                    paper.entry(|paper| paper.line("", value, Kind::Entry));
                }
            });
        }
    }

    fn named<K: ToString>(&mut self, key: &str, values: &Ordered<K, String>) {
        if !values.is_empty() {
            self.below(key, Kind::Above, |paper| {
                for (name, value) in values.iter() {
                    paper.value(&name.to_string(), &quoted(value), Kind::Named);
                }
            });
        }
    }

    fn file(&mut self, file: &WorkflowFile) {
        self.optional("name", file.name.as_ref());
        self.zone(file.timezone.as_ref());
        self.value("proposals", &file.proposals, Kind::Value);
        self.value("groups", &file.groups, Kind::Value);
        self.value("hire", &file.hire, Kind::Value);
        self.below("params", Kind::Above, |paper| {
            for (name, param) in file.params.iter() {
                paper.below(name.as_str(), Kind::Other, |paper| {
                    paper.text_of("default", param.default.as_ref());
                    paper.text_of("description", param.description.as_ref());
                });
            }
        });
        self.below("agents", Kind::Above, |paper| {
            for (name, agent) in file.agents.iter() {
                paper.below(name.as_str(), Kind::Other, |paper| paper.agent(agent));
            }
        });
        self.below("context", Kind::Above, |paper| {
            paper.value("provider", &"sqlite", Kind::Value);
            paper.optional("documentOwner", file.context.document_owner.as_ref());
        });
        self.limits(&file.limits);
        if !file.setup.is_empty() {
            self.below("setup", Kind::Above, |paper| {
                file.setup.iter().for_each(|step| paper.entry(|paper| paper.step(step)));
            });
        }
        if let Some(kickoff) = &file.kickoff {
            self.line("kickoff: |", String::new(), Kind::Other);
            for line in kickoff.lines() {
                self.lines.push(Line {
                    indent: 2,
                    before: String::new(),
                    value: line.to_owned(),
                    kind: Kind::Other,
                });
            }
        }
    }

    fn limits(&mut self, limits: &Limits) {
        self.below("limits", Kind::Above, |paper| {
            let Limits { hops, runs, agents, tokens, cost, duration, max_runs, task_interval } =
                limits;
            paper.optional("hops", hops.as_ref());
            paper.optional("runs", runs.as_ref());
            paper.optional("agents", agents.as_ref());
            paper.optional("tokens", tokens.as_ref());
            paper.optional("cost", cost.as_ref());
            paper.optional("duration", duration.as_ref());
            paper.optional("max_runs", max_runs.as_ref());
            paper.optional("task_interval", task_interval.as_ref());
        });
    }

    fn step(&mut self, step: &SetupStep) {
        self.value("shell", &quoted(&step.shell), Kind::Needed);
        self.optional("as", step.output.as_ref());
        self.value("required", &step.required, Kind::Value);
    }

    fn agent(&mut self, agent: &AgentSpec) {
        self.value("backend", &agent.backend.as_str(), Kind::Value);
        self.text_of("model", agent.model.as_ref());
        self.text_of("script", agent.script.as_ref());
        self.text_of("system_prompt", agent.system_prompt.as_ref());
        self.text_of("role", agent.role.as_ref());
        self.text_of("display_name", agent.display_name.as_ref());
        self.text_of("cwd", agent.cwd.as_ref());
        match agent.heartbeat {
            Some(Heartbeat { every, hours: None }) => self.optional("heartbeat", Some(&every)),
            Some(Heartbeat { every, hours: Some(hours) }) => {
                self.below("heartbeat", Kind::Above, |paper| {
                    paper.value("every", &every, Kind::Value);
                    paper.value("hours", &hours, Kind::Value);
                });
            }
            None => {}
        }
        self.optional("timeout", agent.timeout.as_ref());
        self.optional("max_tokens", agent.max_tokens.as_ref());
        self.optional("max_steps", agent.max_steps.as_ref());
        let mcp = if agent.mcp == McpTransport::Stdio { "stdio" } else { "http" };
        self.value("mcp", &mcp, Kind::Value);
        self.optional("thinking", agent.thinking.map(Thinking::as_str).as_ref());
        let home = match &agent.home {
            Home::No => "false".to_owned(),
            Home::Own => "true".to_owned(),
            Home::At(path) => quoted(path),
        };
        self.value("home", &home, Kind::Value);
        self.list("tools", words(&agent.tools));
        self.list("env", agent.env.iter().map(ToString::to_string));
        let Permissions { allow, ask, deny } = &agent.permissions;
        self.below("permissions", Kind::Above, |paper| {
            paper.list("allow", words(allow));
            paper.list("ask", words(ask));
            paper.list("deny", words(deny));
        });
        self.programs(agent);
        if !agent.schedule.is_empty() {
            self.below("schedule", Kind::Above, |paper| {
                agent.schedule.iter().for_each(|one| paper.entry(|paper| paper.schedule(one)));
            });
        }
    }

    fn programs(&mut self, agent: &AgentSpec) {
        if let Some(Provider { name, base_url, api_key }) = &agent.provider {
            self.below("provider", Kind::Above, |paper| {
                paper.text_of("name", name.as_ref());
                paper.text_of("base_url", base_url.as_ref());
                paper.optional("api_key", api_key.as_ref());
            });
        }
        if let Some(Command { program, args, env, mode }) = &agent.command {
            self.below("command", Kind::Above, |paper| {
                paper.value("program", &quoted(program), Kind::Needed);
                paper.list("args", args.iter().map(|arg| quoted(arg)));
                paper.named("env", env);
                paper.text_of("mode", mode.as_ref());
            });
        }
        for (name, server) in agent.mcp_servers.iter() {
            // There is one at most, or the key would stand there twice.
            self.below("mcp_servers", Kind::Above, |paper| {
                paper.below(name.as_str(), Kind::Other, |paper| match server {
                    McpServer::Program { command, args, env } => {
                        paper.value("command", &quoted(command), Kind::Needed);
                        paper.list("args", args.iter().map(|arg| quoted(arg)));
                        paper.named("env", env);
                    }
                    McpServer::Remote { url, headers } => {
                        paper.value("url", &quoted(url), Kind::Needed);
                        paper.named("headers", headers);
                    }
                });
            });
        }
    }

    fn schedule(&mut self, schedule: &Schedule) {
        match &schedule.due {
            Due::Every(interval) => self.value("every", &interval, Kind::Needed),
            Due::Cron(line) => self.value("cron", &quoted(line.as_str()), Kind::Needed),
            Due::At(moment) => self.value("at", &moment.as_str(), Kind::Needed),
        }
        self.optional("name", schedule.name.as_ref());
        self.text_of("prompt", schedule.prompt.as_ref());
        self.zone(schedule.timezone.as_ref());
        self.value("only_if_unread", &schedule.only_if_unread, Kind::Value);
        let overlap = if schedule.overlap == Overlap::Skip { "skip" } else { "queue" };
        self.value("overlap", &overlap, Kind::Value);
        let missed = match schedule.missed {
            Missed::Skip => "skip",
            Missed::Once => "once",
            Missed::All => "all",
        };
        self.value("missed", &missed, Kind::Value);
        let context = if schedule.context == RunContext::Main { "main" } else { "isolated" };
        self.value("context", &context, Kind::Value);
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn words(tools: &[Tool]) -> Vec<String> {
    tools.iter().map(|tool| tool.as_str().to_owned()).collect()
}
