//! Random workflow files with nothing wrong in them.

use agent_worker_protocol::{Hours, Variable, Word};
use proptest::{option, prelude::*};

use super::*;

fn name() -> impl Strategy<Value = Name> {
    "[b-r][a-z0-9_-]{0,6}".prop_map(|text| text.parse().unwrap())
}

fn text() -> impl Strategy<Value = String> {
    "[ -~é日\n]{0,10}[a-z]"
}

fn interval() -> impl Strategy<Value = Interval> {
    (1..100_000_u64).prop_map(Interval::seconds)
}

fn hours() -> Hours {
    "22:30-06:00".parse().unwrap()
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
    let context = prop::sample::select(vec![RunContext::Main, RunContext::Isolated]);
    let policies = (any::<bool>(), overlap, missed, context);
    let rest = (due, option::of(text()), option::of(zone()), policies);
    rest.prop_map(|(due, prompt, timezone, (only_if_unread, overlap, missed, context))| Schedule {
        name: None,
        due,
        prompt,
        timezone,
        only_if_unread,
        overlap,
        missed,
        context,
    })
}

fn server() -> impl Strategy<Value = McpServer> {
    let args = prop::collection::vec(text(), 0..3);
    let headers = prop::collection::btree_map("[A-Z][a-z]{1,4}", "[ -~é日]{0,10}[a-z]", 0..3);
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
        base_url in option::of("https?://[a-z0-9][a-z0-9.]{0,8}(:[1-9][0-9]{0,3})?/[!-~é日]{0,9}"),
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
        thinking in option::of(prop::sample::select(Thinking::ALL.to_vec())),
        spans in prop::collection::vec(option::of(interval()), 2),
        home in prop_oneof![Just(Home::No), Just(Home::Own), "[a-z]{3,5}/[a-z]".prop_map(Home::At)],
        tools in prop::sample::subsequence(Tool::ALL.to_vec(), 0..4),
        env in prop::collection::btree_set("[A-Z][A-Z0-9_]{0,5}", 0..3),
        permissions in permissions(),
        programs in option::of(program()),
        (server, is_stdio) in (option::of(("[a-z]{1,4}", server())), any::<bool>()),
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
            heartbeat: spans[0].map(|every| Heartbeat { every, hours: is_stdio.then(hours) }),
            schedule,
            env: env.into_iter().map(|name| name.parse().unwrap()).collect(),
            cwd: text().map(|text| format!("in {text}")),
            mcp_servers: server
                .into_iter()
                .map(|(name, server)| (name.parse().unwrap(), server))
                .collect(),
            mcp: if is_stdio { McpTransport::Stdio } else { McpTransport::Http },
            max_tokens: numbers[0],
            max_steps: numbers[1],
            thinking,
            timeout: spans[1],
        }
    }
}

prop_compose! {
    fn limits()(
        numbers in prop::collection::vec(option::of(1..9_999_u32), 5),
        cents in option::of(1..9_999_u32),
        spans in prop::collection::vec(option::of(interval()), 2),
    ) -> Limits {
        Limits {
            hops: numbers[0],
            runs: numbers[1],
            agents: numbers[2],
            tokens: numbers[3].map(u64::from),
            cost: cents.map(|cents| f64::from(cents) / 100.0),
            duration: spans[0],
            max_runs: numbers[4],
            task_interval: spans[1],
        }
    }
}

/// A text that asks for some of these values.
fn asking(names: Vec<String>) -> impl Strategy<Value = String> {
    let value = prop::sample::select(names).prop_map(|name| format!("${{{{ {name} }}}}"));
    prop::collection::vec(prop_oneof!["[a-z@é][a-z ,@é]{0,5}", value], 1..4)
        .prop_map(|parts| format!("x{}", parts.concat()))
}

/// Setup steps. Each may use the outputs of the steps before it.
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
    let tools = (any::<bool>(), any::<bool>(), any::<bool>());
    let rest = (option::of(name()), option::of(zone()), limits(), any::<bool>(), tools);
    (begin, agents, rest).prop_map(|((params, setup, kickoff), agents, rest)| {
        let (name, timezone, limits, has_owner, (proposals, groups, hire)) = rest;
        let document_owner = agents.keys().next().cloned().filter(|_| has_owner);
        WorkflowFile {
            name,
            params,
            agents: agents.into_iter().collect(),
            context: Context { provider: ContextProvider::Sqlite, document_owner },
            limits,
            setup,
            kickoff: kickoff.map(|lines| lines.join("\n") + "\n"),
            timezone,
            proposals,
            groups,
            hire,
        }
    })
}
