use super::*;

fn agent(text: &str) -> AgentSpec {
    let file = parsed(&format!("agents:\n  a: {{ {text} }}\n"));
    file.agents.get("a").unwrap().clone()
}

fn agent_problems(text: &str) -> Vec<String> {
    problems_of(&format!("agents:\n  a: {{ {text} }}\n"))
}

#[test]
fn schedules_are_taken_in_every_form_and_refused_with_a_reason() {
    let due = |text: &str| -> Vec<String> {
        let schedules = agent(&format!("schedule: {text}")).schedule;
        schedules.iter().map(|one| format!("{} {}", one.due, one.only_if_unread)).collect()
    };
    assert_eq!(due("90m"), ["1h30m true"]);
    assert_eq!(due("'*/5 * * * *'"), ["*/5 * * * * false"]);
    assert_eq!(due("{ every: 5m }"), ["5m false"]);
    assert_eq!(due("{ cron: 0 9 * * 1-5, only_if_unread: true }"), ["0 9 * * 1-5 true"]);
    assert_eq!(due("[1s, { at: '2030-01-31 09:00' }]"), ["1s true", "2030-01-31 09:00 false"]);
    assert_eq!(due("[]"), [""; 0]);
    for (text, message) in [
        ("30", "2:18: `30` is neither a span"),
        ("2030-01-31T09:00", "2:18: `2030-01-31T09:00` is a date with a time: write `{ at: "),
        ("2030-01-31 09:00", "2:18: `2030-01-31 09:00` is a date with a time: write `{ at: "),
        ("1000000h", "2:18: `1000000h` is longer than the longest span of time"),
        ("200ms", "2:18: `200ms` is too short"),
        ("0 0 9 * * 1", "2:18: a cron line has five fields"),
        ("[30s, 1 2]", "2:24: a cron line has five fields"),
        ("{ every: 0s }", "2:27: `0s` is too short"),
        (
            "{ every: 5m, cron: 0 9 * * 1 }",
            "2:18: a schedule has one of `every`, `cron` and `at`, this one has `every`, `cron`",
        ),
        ("{ prompt: x }", "2:18: a schedule needs `every`, `cron` or `at`"),
        ("{ at: tomorrow }", "2:24: invalid date with time `tomorrow`"),
        ("{ every: 1m, timezone: Mars Base }", "2:41: invalid time zone `Mars Base`"),
        ("{ every: 1m, overlap: wait }", "2:40: unknown value `wait` of `overlap`"),
        ("{ every: 1m, context: none }", "2:40: unknown value `none` of `context`"),
        ("{ evry: 1m }", "2:20: unknown key `evry`"),
        (
            "[{ name: a, every: 1m }, { name: a, every: 2m }]",
            "2:51: `a` has a schedule `a` already",
        ),
        ("[[30s]]", "2:19: expected an interval (`30s`), a cron line"),
    ] {
        let told = agent_problems(&format!("schedule: {text}"));
        assert!(told.len() == 1 && told[0].starts_with(message), "{text}: {told:?}");
    }
}

#[test]
fn what_an_agent_is_run_with_is_checked() {
    assert_eq!(agent("backend: sdk").backend, Backend::Default);
    assert_eq!(agent("home: homes/a").home, Home::At("homes/a".to_owned()));
    assert_eq!(agent("home: false").home, Home::No);
    assert_eq!(agent("").home, Home::No);
    for (text, message) in [
        (
            "command: opencode acp",
            "2:17: `opencode acp` is more than a program: write `{ program: opencode, args: [acp] }`",
        ),
        ("command: { args: [x] }", "2:17: `program` is missing here"),
        (
            "command: [x]",
            "2:17: `command`: expected a program, or a mapping with `program`, found a list",
        ),
        (
            "provider: { api_key: sk-ant-1 }",
            "2:29: a secret is never written here: write `$NAME`, the name of the variable that holds it",
        ),
        (
            "mcp_servers: { x: {} }",
            "2:26: a server has a `command` or a `url`; this one has neither",
        ),
        (
            "mcp_servers: { x: { command: a, url: b } }",
            "2:26: a server has a `command` or a `url`, not both",
        ),
        (
            "mcp_servers: { x: { url: b, args: [] } }",
            "2:26: `args` and `env` belong to a `command`; a `url` has `headers`",
        ),
        (
            "mcp_servers: { x: { command: a, headers: {} } }",
            "2:26: `headers` belong to a `url`; a `command` has `env`",
        ),
        (
            "mcp_servers: { x: { command: a, args: b } }",
            "2:46: `args`: expected a list of arguments, found the text `b`",
        ),
        ("mcp_servers: { x: { comand: a } }", "2:28: unknown key `comand`"),
        (
            "mcp_servers: { x y: { command: a } }",
            "2:23: invalid name `x y`: it is a letter or `_`, then letters, digits, `_` and `-`",
        ),
        (
            "permissions: { allow: [read], deny: [shell, read] }",
            "2:52: `read` is under both `allow` and `deny`",
        ),
        ("permissions: { allow: [raed] }", "2:31: unknown value `raed`"),
        ("system_prompt: /etc/prompt.md", "2:23: `/etc/prompt.md` is a path of one machine"),
        ("script: ''", "2:16: no file is named here"),
        ("timeout: 0s", "2:17: `timeout` must be more than 0"),
        ("heartbeat: 1ms", "2:19: `heartbeat` must be at least 1s"),
        (
            "max_tokens: 8k",
            "2:20: `max_tokens`: expected a whole number from 0 to 4294967295, found the text `8k`",
        ),
    ] {
        assert_eq!(agent_problems(text), [message], "{text}");
    }
}

#[test]
fn where_an_agent_works_and_asks_is_checked() {
    for (text, message) in [
        ("cwd: ~/src", "2:13: `~` in `~/src` is not your home folder here"),
        ("home: ~/ivy", "2:14: `~` in `~/ivy` is not your home folder here"),
        (
            "provider: { base_url: '::' }",
            "2:30: `::` is not an address: write one such as `http://127.0.0.1:8080/v1`",
        ),
        (
            "mcp_servers: { x: { url: ftp://y/z } }",
            "2:33: `ftp://y/z` is not an address: write one such as `http://127.0.0.1:8080/v1`",
        ),
        (
            "provider: { base_url: 'http://127.0.0.1:8O80/v1' }",
            "2:30: `http://127.0.0.1:8O80/v1` is not an address: write one such as \
             `http://127.0.0.1:8080/v1`",
        ),
        (
            "mcp_servers: { x: { url: 'https://y:70000' } }",
            "2:33: `https://y:70000` is not an address: write one such as `http://127.0.0.1:8080/v1`",
        ),
        (
            "mcp_servers: { x: { url: 'http://y/z', headers: { X-Key: a, Bad Header: v } } }",
            "2:68: `Bad Header` is not the name of a header",
        ),
        (
            r#"mcp_servers: { x: { url: 'http://y/z', headers: { A: "b\tc", X-Key: "$KEY\n" } } }"#,
            "2:76: the value of `X-Key` has characters that no header has",
        ),
    ] {
        assert_eq!(agent_problems(text), [message], "{text}");
    }
    for url in ["http://[::1]", "http://[::1]:80/v1", "http://me:pass@y:80", "https://y:/?a:b"] {
        assert!(agent_problems(&format!("mcp_servers: {{ x: {{ url: '{url}' }} }}")).is_empty());
    }
}

#[test]
fn only_a_prompt_that_is_a_path_is_a_file() {
    let file = |prompt: &str| {
        agent(&format!("system_prompt: {prompt}")).system_prompt_file().map(str::to_owned)
    };
    assert_eq!(file("prompts/a.md").as_deref(), Some("prompts/a.md"));
    assert_eq!(file("a.txt").as_deref(), Some("a.txt"));
    assert_eq!(file("You review."), None);
    assert_eq!(file("\"Write to\\nnotes.md\""), None);
}

#[test]
fn names_of_backends_and_tools_are_those_of_files() {
    for backend in Backend::ALL {
        assert_eq!(serde_json::to_value(backend).unwrap(), backend.as_str());
        assert_eq!(backend.as_str().parse(), Ok(backend));
    }
    assert_eq!("sdk".parse(), Ok(Backend::Default));
    let refused = "cluade".parse::<Backend>().unwrap_err();
    let expected = "unknown backend `cluade`: did you mean `claude`? there are default, ";
    assert!(refused.starts_with(expected), "{refused}");
    for tool in Tool::ALL {
        assert_eq!(serde_json::to_value(tool).unwrap(), tool.as_str());
    }
}

#[test]
fn numbers_that_are_read_as_text_are_right_in_the_schema_too() {
    let read = agent("role: 7, command: { program: p, args: [1, true], env: { A: 1.10 } }");
    let command = read.command.unwrap();
    assert_eq!((read.role.as_deref(), command.env.get("A").unwrap().as_str()), (Some("7"), "1.10"));
    assert_eq!(command.args, ["1", "true"]);
    let schema = json_schema();
    for (of, key, takes_numbers) in [
        ("AgentSpec", "role", true),
        ("Command", "args/items", true),
        ("Command", "env/additionalProperties", true),
        ("AgentSpec", "timeout", false),
        ("SetupStep", "as", false),
    ] {
        let kinds = schema.pointer(&format!("/$defs/{of}/properties/{key}/type")).unwrap();
        let has_number = kinds.as_array().is_some_and(|kinds| kinds.contains(&"number".into()));
        assert_eq!(has_number, takes_numbers, "{of} {key}: {kinds}");
    }
    // The path of a home is a text.
    let path = schema.pointer("/$defs/Home/anyOf/1").unwrap();
    assert_eq!(path["type"], "string");
    let rule = path["pattern"].as_str().unwrap();
    let words = rule.strip_prefix("^(?!(").and_then(|rest| rest.strip_suffix(")?$)")).unwrap();
    for word in words.split('|').chain([""]) {
        assert!(word.parse::<Home>().is_err(), "{word}");
    }
}
