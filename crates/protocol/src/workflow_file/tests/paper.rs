//! Workflow files as somebody might write them: random ones, on paper, one value on each line.

use proptest::{option, prelude::*};

use super::*;
use crate::{time::Interval, word::Variable};

/// What can be done to a line, so that something is wrong with it alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A key and its value, without which the file would be as good.
    Value,
    /// The same, but it must be there.
    Needed,
    /// A key with a value that somebody has named.
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

    fn line(&mut self, before: String, value: String, kind: Kind) {
        let is_entry = std::mem::take(&mut self.is_entry);
        let (indent, dash) = if is_entry { (self.indent - 2, "- ") } else { (self.indent, "") };
        self.lines.push(Line { indent, before: format!("{dash}{before}"), value, kind });
    }

    fn value(&mut self, key: &str, value: impl ToString, kind: Kind) {
        self.line(format!("{key}: "), value.to_string(), kind);
    }

    fn text_of(&mut self, key: &str, text: Option<&String>) {
        if let Some(text) = text {
            self.value(key, quoted(text), Kind::Value);
        }
    }

    fn optional(&mut self, key: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.value(key, value, Kind::Value);
        }
    }

    fn below(&mut self, key: &str, kind: Kind, write: impl FnOnce(&mut Self)) {
        self.line(format!("{key}:"), String::new(), kind);
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
                    paper.entry(|paper| paper.line(String::new(), value, Kind::Entry));
                }
            });
        }
    }

    fn named<K: ToString>(&mut self, key: &str, values: &Ordered<K, String>) {
        if !values.is_empty() {
            self.below(key, Kind::Above, |paper| {
                for (name, value) in values.iter() {
                    paper.value(&name.to_string(), quoted(value), Kind::Named);
                }
            });
        }
    }

    fn file(&mut self, file: &WorkflowFile) {
        self.optional("name", file.name.as_ref());
        self.optional("timezone", file.timezone.as_ref().map(ZoneName::as_str));
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
            paper.value("provider", "sqlite", Kind::Value);
            paper.optional("documentOwner", file.context.document_owner.as_ref());
        });
        self.limits(&file.limits);
        if !file.setup.is_empty() {
            self.below("setup", Kind::Above, |paper| {
                file.setup.iter().for_each(|step| paper.entry(|paper| paper.step(step)));
            });
        }
        if let Some(kickoff) = &file.kickoff {
            self.line("kickoff: |".to_owned(), String::new(), Kind::Other);
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
            let Limits { hops, runs, agents, tokens, cost, duration, max_runs } = limits;
            paper.optional("hops", *hops);
            paper.optional("runs", *runs);
            paper.optional("agents", *agents);
            paper.optional("tokens", *tokens);
            paper.optional("cost", *cost);
            paper.optional("duration", *duration);
            paper.optional("max_runs", *max_runs);
        });
    }

    fn step(&mut self, step: &SetupStep) {
        self.value("shell", quoted(&step.shell), Kind::Needed);
        self.optional("as", step.output.as_ref());
        self.value("required", step.required, Kind::Value);
    }

    fn agent(&mut self, agent: &AgentSpec) {
        self.value("backend", agent.backend.as_str(), Kind::Value);
        self.text_of("model", agent.model.as_ref());
        self.text_of("script", agent.script.as_ref());
        self.text_of("system_prompt", agent.system_prompt.as_ref());
        self.text_of("role", agent.role.as_ref());
        self.text_of("display_name", agent.display_name.as_ref());
        self.text_of("cwd", agent.cwd.as_ref());
        self.optional("heartbeat", agent.heartbeat);
        self.optional("timeout", agent.timeout);
        self.optional("max_tokens", agent.max_tokens);
        self.optional("max_steps", agent.max_steps);
        let home = match &agent.home {
            Home::No => "false".to_owned(),
            Home::Own => "true".to_owned(),
            Home::At(path) => quoted(path),
        };
        self.value("home", home, Kind::Value);
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
                paper.value("program", quoted(program), Kind::Needed);
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
                        paper.value("command", quoted(command), Kind::Needed);
                        paper.list("args", args.iter().map(|arg| quoted(arg)));
                        paper.named("env", env);
                    }
                    McpServer::Remote { url, headers } => {
                        paper.value("url", quoted(url), Kind::Needed);
                        paper.named("headers", headers);
                    }
                });
            });
        }
    }

    fn schedule(&mut self, schedule: &Schedule) {
        match &schedule.due {
            Due::Every(interval) => self.value("every", interval, Kind::Needed),
            Due::Cron(line) => self.value("cron", quoted(line.as_str()), Kind::Needed),
            Due::At(moment) => self.value("at", moment.as_str(), Kind::Needed),
        }
        self.optional("name", schedule.name.as_ref());
        self.text_of("prompt", schedule.prompt.as_ref());
        self.optional("timezone", schedule.timezone.as_ref().map(ZoneName::as_str));
        self.value("only_if_unread", schedule.only_if_unread, Kind::Value);
        let overlap = if schedule.overlap == Overlap::Skip { "skip" } else { "queue" };
        self.value("overlap", overlap, Kind::Value);
        let missed = match schedule.missed {
            Missed::Skip => "skip",
            Missed::Once => "once",
            Missed::All => "all",
        };
        self.value("missed", missed, Kind::Value);
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn words(tools: &[Tool]) -> Vec<String> {
    tools.iter().map(|tool| tool.as_str().to_owned()).collect()
}

fn name() -> impl Strategy<Value = Name> {
    "[b-r][a-z0-9_-]{0,6}".prop_map(|text| text.parse().unwrap())
}

fn text() -> impl Strategy<Value = String> {
    "[ -~é日\n]{0,10}[a-z]"
}

fn interval() -> impl Strategy<Value = Interval> {
    (1..100_000_u64).prop_map(Interval::seconds)
}

fn zone() -> impl Strategy<Value = ZoneName> {
    prop::sample::select(vec!["UTC", "Europe/Berlin"]).prop_map(|zone| zone.parse().unwrap())
}

fn environment() -> impl Strategy<Value = Ordered<Variable, String>> {
    prop::collection::btree_map("[A-Z][A-Z0-9_]{0,3}", text(), 0..3).prop_map(|env| {
        env.into_iter().map(|(name, value)| (name.parse().unwrap(), value)).collect()
    })
}

fn schedule() -> impl Strategy<Value = Schedule> {
    let due = prop_oneof![
        interval().prop_map(Due::Every),
        Just(Due::Cron("0 9 * * 1-5".parse().unwrap())),
        Just(Due::At("2030-01-31T18:00".parse().unwrap())),
    ];
    let overlap = prop::sample::select(vec![Overlap::Skip, Overlap::Queue]);
    let missed = prop::sample::select(vec![Missed::Skip, Missed::Once, Missed::All]);
    let rest = (option::of(text()), option::of(zone()), any::<bool>(), overlap, missed);
    (due, rest).prop_map(|(due, (prompt, timezone, only_if_unread, overlap, missed))| Schedule {
        name: None,
        due,
        prompt,
        timezone,
        only_if_unread,
        overlap,
        missed,
    })
}

fn server() -> impl Strategy<Value = McpServer> {
    let args = prop::collection::vec(text(), 0..3);
    let headers = prop::collection::btree_map("[A-Z][a-z]{1,4}", text(), 0..3);
    prop_oneof![
        ("[a-z]{1,4}", args, environment()).prop_map(|(command, args, env)| McpServer::Program {
            command,
            args,
            env
        }),
        ("http://[a-z]{1,4}", headers).prop_map(|(url, headers)| McpServer::Remote {
            url,
            headers: headers.into_iter().collect()
        }),
    ]
}

prop_compose! {
    fn program()(
        name in text(),
        base_url in option::of(text()),
        api_key in option::of("\\$[A-Z]{1,4}"),
        program in "[a-z]{1,6}",
        args in prop::collection::vec(text(), 0..3),
        env in environment(),
        mode in option::of(text()),
    ) -> (Provider, Command) {
        let api_key = api_key.map(|key| key.parse().unwrap());
        (Provider { name: Some(name), base_url, api_key }, Command { program, args, env, mode })
    }
}

prop_compose! {
    fn permissions()(rules in prop::collection::vec(0..4_usize, 7)) -> Permissions {
        let of = |rule| {
            let tools = Tool::ALL.into_iter().zip(&rules);
            tools.filter(|(_, is)| **is == rule).map(|(tool, _)| tool).collect()
        };
        Permissions { allow: of(0), ask: of(1), deny: of(2) }
    }
}

prop_compose! {
    fn agent()(
        backend in prop::sample::select(Backend::ALL.to_vec()),
        texts in prop::collection::vec(option::of(text()), 5),
        script in option::of("[a-z]{1,4}/[a-z]{1,4}[.]yaml"),
        numbers in prop::collection::vec(option::of(1..9_999_u32), 2),
        spans in prop::collection::vec(option::of(interval()), 2),
        home in prop_oneof![Just(Home::No), Just(Home::Own), "[a-z]{3,5}/[a-z]".prop_map(Home::At)],
        tools in prop::sample::subsequence(Tool::ALL.to_vec(), 0..4),
        env in prop::collection::btree_set("[A-Z][A-Z0-9_]{0,5}", 0..3),
        permissions in permissions(),
        programs in option::of(program()),
        server in option::of(("[a-z]{1,4}", server())),
        schedule in prop::collection::vec(schedule(), 0..3),
    ) -> AgentSpec {
        let (provider, command) = programs.unzip();
        let mut texts = texts.into_iter();
        let mut text = || texts.next().flatten();
        AgentSpec {
            model: text(),
            provider,
            backend,
            command,
            script,
            system_prompt: text(),
            role: text(),
            display_name: text(),
            tools,
            permissions,
            home,
            heartbeat: spans[0],
            schedule,
            env: env.into_iter().map(|name| name.parse().unwrap()).collect(),
            cwd: text(),
            mcp_servers: server
                .into_iter()
                .map(|(name, server)| (name.parse().unwrap(), server))
                .collect(),
            max_tokens: numbers[0],
            max_steps: numbers[1],
            timeout: spans[1],
        }
    }
}

prop_compose! {
    fn limits()(
        numbers in prop::collection::vec(option::of(1..9_999_u32), 5),
        cents in option::of(1..9_999_u32),
        duration in option::of(interval()),
    ) -> Limits {
        Limits {
            hops: numbers[0],
            runs: numbers[1],
            agents: numbers[2],
            tokens: numbers[3].map(u64::from),
            cost: cents.map(|cents| f64::from(cents) / 100.0),
            duration,
            max_runs: numbers[4],
        }
    }
}

/// A text that asks for some of these values.
fn asking(names: Vec<String>) -> impl Strategy<Value = String> {
    let value = prop::sample::select(names).prop_map(|name| format!("${{{{ {name} }}}}"));
    prop::collection::vec(prop_oneof!["[a-z@é][a-z ,@é]{0,5}", value], 1..4)
        .prop_map(|parts| format!("x{}", parts.concat()))
}

/// Steps of which each may ask for what the ones before it have put out.
fn setup(known: Vec<String>) -> impl Strategy<Value = (Vec<SetupStep>, Vec<String>)> {
    let none = Just((Vec::<SetupStep>::new(), known));
    (none, 0..3_usize).prop_flat_map(|(start, count)| {
        (0..count).fold(Just(start).boxed(), |before, number| {
            before
                .prop_flat_map(move |(steps, known)| {
                    let step = (asking(known.clone()), any::<bool>(), any::<bool>());
                    step.prop_map(move |(shell, is_kept, required)| {
                        let (mut steps, mut known) = (steps.clone(), known.clone());
                        let output = is_kept.then(|| format!("out{number}"));
                        known.extend(output.clone());
                        let output = output.map(|output| output.parse().unwrap());
                        steps.push(SetupStep { shell, output, required });
                        (steps, known)
                    })
                })
                .boxed()
        })
    })
}

prop_compose! {
    fn params()(
        params in prop::collection::btree_map(
            "[a-z_][a-z0-9_-]{0,4}",
            (option::of(text()), option::of(text())),
            0..3,
        ),
    ) -> Ordered<Word, Param> {
        let param = |(default, description)| Param { default, description };
        params.into_iter().map(|(name, of)| (name.parse().unwrap(), param(of))).collect()
    }
}

/// A file with nothing wrong in it.
pub fn file() -> impl Strategy<Value = WorkflowFile> {
    let agents = prop::collection::btree_map(name(), agent(), 1..3);
    let begin = params().prop_flat_map(|params| {
        let mut known = vec!["workflow.name".to_owned(), "env.HOME".to_owned()];
        known.extend(params.keys().map(|name| format!("params.{name}")));
        setup(known).prop_flat_map(move |(setup, known)| {
            let lines = prop::collection::vec(asking(known), 1..3);
            (Just(params.clone()), Just(setup), option::of(lines))
        })
    });
    let rest = (option::of(name()), option::of(zone()), limits(), any::<bool>());
    (begin, agents, rest).prop_map(|((params, setup, kickoff), agents, rest)| {
        let (name, timezone, limits, has_owner) = rest;
        let document_owner = agents.keys().next().cloned().filter(|_| has_owner);
        WorkflowFile {
            name,
            params,
            agents: agents.into_iter().collect(),
            context: Context { provider: ContextProvider::Sqlite, document_owner },
            limits,
            setup,
            kickoff: kickoff.map(|lines| lines.iter().map(|line| format!("{line}\n")).collect()),
            timezone,
        }
    })
}
