mod agents;
mod paper;
mod properties;
mod random;

use agent_worker_protocol::{
    Backend, Command, Due, Home, Interval, Limits, McpServer, McpTransport, Missed, Name, Ordered,
    Overlap, Permissions, Provider, RunContext, Thinking, Tool, ZoneName,
};

use super::*;

/// The example of the product's first design, as it stands there.
const FIRST_EXAMPLE: &str = "\
name: code-review

agents:
  reviewer:
    model: anthropic/claude-sonnet-4-5
    system_prompt: prompts/reviewer.md
    schedule: 30s              # polling interval
    backend: default           # sdk | claude | codex | cursor | mock

  coder:
    model: anthropic/claude-sonnet-4-5
    system_prompt: prompts/coder.md

context:
  provider: sqlite             # default
  documentOwner: reviewer      # optional single-writer

setup:
  - shell: gh pr diff
    as: diff

kickoff: |
  PR diff: ${{ diff }}
  @reviewer please review.
";

/// Every key there is.
const FULL_EXAMPLE: &str = r#"
name: code-review
timezone: Europe/Berlin
params:
  base: { default: main, description: "branch to compare with" }
  version: 1.10
  ticket:
agents:
  reviewer:
    model: anthropic/claude-sonnet-4-5
    provider: { name: openai, base_url: "http://127.0.0.1:8080/v1", api_key: $MY_KEY }
    backend: acp
    command: { program: my-agent, args: [--fast], env: { LOG: debug }, mode: plan }
    system_prompt: You review.
    role: reviewer
    display_name: The Reviewer
    tools: [read, edit, shell]
    permissions: { allow: [read], ask: [shell], deny: [] }
    home: true
    heartbeat: 30m
    schedule:
      - 30s
      - "0 9 * * 1-5"
      - { name: late, at: 2030-01-31T18:00, prompt: wrap up, timezone: UTC, overlap: queue, missed: all, context: isolated }
    env: [GITHUB_TOKEN]
    cwd: .
    mcp_servers:
      files: { command: npx, args: [-y, some-server, .] }
      issues: { url: "https://example.com/mcp", headers: { Authorization: $ISSUES_TOKEN } }
    max_tokens: 8192
    max_steps: 200
    timeout: 30m
  coder: { backend: mock, script: scripts/coder.yaml, command: my-agent, provider: openai }
context:
  provider: sqlite
  documentOwner: reviewer
limits: { hops: 40, runs: 200, agents: 20, tokens: 2000000, cost: 5.00, duration: 2h, max_runs: 4 }
setup:
  - shell: git diff ${{ params.base }} ${{ env.HOME }}
    as: diff
    required: true
  - shell: echo ${{ diff }} > out
kickoff: |
  PR diff of ${{ workflow.name }}:${{ workflow.tag }}: ${{ diff }}
  @reviewer please review.
"#;

/// A mistake on nearly every line.
const MISTAKEN: &str = "\
name: global
agents:
  reviewer:
    modle: anthropic/claude-sonnet-4-5
    tools: read
    backend: cluade
    schedule: 30x
    max_steps: 0
    env: [A-B, GOOD]
  Coder:
    home: yes
  user: {}
  reviewer: {}
context:
  provider: memory
  documentOwner: reviwer
limits: { hops: 0, tokens: many }
setup:
  - shell: git diff ${{ params.base }}
    as: diff
  - as: nothing
  - shell: make
    as: diff
kickoff: |
  Here: ${{ diff }}
  and ${{ }}
";

fn problems_of(text: &str) -> Vec<String> {
    WorkflowFile::parse(text).problems.iter().map(ToString::to_string).collect()
}

fn parsed(text: &str) -> WorkflowFile {
    let decoded = WorkflowFile::parse(text);
    assert_eq!(decoded.problems, []);
    decoded.value.unwrap()
}

#[test]
fn the_first_example_parses_unchanged() {
    let file = parsed(FIRST_EXAMPLE);
    assert_eq!(file.name.as_ref().map(Name::as_str), Some("code-review"));
    assert_eq!(file.agents.keys().map(Name::as_str).collect::<Vec<_>>(), ["reviewer", "coder"]);
    let reviewer = file.agents.get("reviewer").unwrap();
    assert_eq!(reviewer.backend, Backend::Default);
    assert_eq!(reviewer.schedule[0].due, Due::Every(Interval::seconds(30)));
    assert!(reviewer.schedule[0].only_if_unread);
    assert_eq!(file.context.document_owner.as_ref().map(Name::as_str), Some("reviewer"));
    assert_eq!(file.files(), ["prompts/reviewer.md", "prompts/coder.md"]);
    assert!(file.kickoff.unwrap().ends_with("please review.\n"));
}

#[test]
fn every_key_is_taken() {
    let file = parsed(FULL_EXAMPLE);
    assert_eq!(file.params.get("version").unwrap().default.as_deref(), Some("1.10"));
    assert_eq!(file.params.get("ticket"), Some(&Param::default()));
    assert_eq!(file.files(), ["scripts/coder.yaml"]);
    assert_eq!(file.limits.cost, Some(5.0));
    let environment: Vec<_> = file.environment().iter().map(|(name, _)| name.to_string()).collect();
    assert_eq!(environment, ["HOME"]);
    let reviewer = file.agents.get("reviewer").unwrap();
    assert_eq!(reviewer.home, Home::Own);
    assert_eq!(
        reviewer.provider.as_ref().unwrap().api_key.as_ref().unwrap().to_string(),
        "$MY_KEY"
    );
    let due: Vec<_> = reviewer.schedule.iter().map(|one| one.due.to_string()).collect();
    assert_eq!(due, ["30s", "0 9 * * 1-5", "2030-01-31T18:00"]);
    assert!(!reviewer.schedule[1].only_if_unread && !reviewer.schedule[2].only_if_unread);
    assert_eq!(reviewer.schedule[2].missed, Missed::All);
    assert!(matches!(reviewer.mcp_servers.get("issues"), Some(McpServer::Remote { .. })));
    let coder = file.agents.get("coder").unwrap();
    assert_eq!(coder.command.as_ref().unwrap().program, "my-agent");
    assert_eq!(coder.provider.as_ref().unwrap().name.as_deref(), Some("openai"));
}

#[test]
fn a_file_survives_the_way_through_json() {
    for text in [FIRST_EXAMPLE, FULL_EXAMPLE] {
        let file = parsed(text);
        let json = serde_json::to_string(&file).unwrap();
        let again: WorkflowFile = serde_json::from_str(&json).unwrap();
        assert_eq!(again, file);
        assert_eq!(parsed(&json), file, "JSON is YAML");
    }
}

#[test]
fn all_mistakes_of_a_file_are_told_with_their_places() {
    let clock = "minute, hour, day of the month, month, weekday";
    let expected = [
        "1:7: `global` is reserved: `global` cannot be the name of a workflow",
        "4:5: unknown key `modle`",
        "5:12: `tools`: expected a list of tools, found the text `read`",
        "6:14: unknown value `cluade` of `backend`",
        &format!(
            "7:15: `30x` is neither a span of time (`30s`, `5m`, `2h`) nor a cron line ({clock})"
        ),
        "8:16: `max_steps` must be at least 1",
        "9:11: invalid variable name `A-B`: it is a letter or `_`, then letters, digits and `_`",
        "10:3: invalid name `Coder`: a name has 1 to 32 lower-case letters, digits, `-` and `_`, \
         and starts with a letter",
        "11:11: `home`: expected `true`, `false` or a path, found the text `yes`",
        "12:3: `user` is reserved: `all`, `system`, `user`, `daemon`, `operator`, `channel` cannot \
         be the name of an agent",
        "13:3: duplicate `reviewer`, first on line 3",
        "15:13: unsupported context provider `memory`: each agent works in its own process, and \
         all state is in one SQLite file; write `sqlite` or leave it out",
        "17:17: `hops` must be more than 0",
        "17:28: `tokens`: expected a whole number, 0 or more, found the text `many`",
        "21:5: `shell` is missing here",
        "23:9: `diff` is an output already, of line 20",
        "26:7: `${{ }}` names nothing",
    ];
    assert_eq!(problems_of(MISTAKEN), expected);
    let decoded = WorkflowFile::parse(MISTAKEN);
    assert_eq!(decoded.value, None);
    assert_eq!(decoded.partial.unwrap().agents.len(), 2);
    let hints: Vec<_> = decoded.problems.iter().filter_map(|it| it.hint.as_deref()).collect();
    assert_eq!(hints[0], "did you mean `model`?");
    assert_eq!(hints[1], "write `[read]`");
    assert!(hints[2].starts_with("did you mean `claude`? it can be: `default`, "), "{hints:?}");
}

#[test]
fn a_list_is_not_suggested_of_what_is_not_a_tool() {
    let tools = "`read`, `write`, `edit`, `glob`, `grep`, `shell`, `fetch`";
    for key in ["tools: all", "tools: 'read, edit'", "permissions: { allow: all }"] {
        let decoded = WorkflowFile::parse(&format!("agents: {{ a: {{ {key} }} }}"));
        let hints: Vec<_> = decoded.problems.iter().filter_map(|it| it.hint.as_deref()).collect();
        assert_eq!(hints, [format!("list some of these: {tools}")], "{key}");
    }
}

#[test]
fn a_list_is_not_suggested_of_what_is_not_a_step() {
    let decoded = WorkflowFile::parse("agents: {}\nsetup: echo hi");
    let [problem] = &decoded.problems[..] else { panic!("{:?}", decoded.problems) };
    assert_eq!(problem.message, "`setup`: expected a list of steps, found the text `echo hi`");
    assert_eq!(problem.hint, None);
}

#[test]
fn an_owner_of_the_documents_is_an_agent_of_the_file() {
    let text = "agents: { reviewer: {} }\ncontext: { documentOwner: reviwer }";
    let decoded = WorkflowFile::parse(text);
    let problem = &decoded.problems[0];
    assert_eq!(
        problem.to_string(),
        "2:27: `documentOwner`: agent `reviwer` not found in this file"
    );
    assert_eq!(problem.hint.as_deref(), Some("did you mean `reviewer`?"));
}

#[test]
fn an_unknown_value_in_a_text_is_told_where_it_stands() {
    let text = "\
params: { base: main }
setup:
  - shell: echo ${{ last }} ${{ params.bsae }} ${{ env.X-Y }}
    as: first
  - shell: 'true ${{ first }}'
    as: last
kickoff: |
  Look at ${{ first }}.

  And at ${{ fist }}, ${{ env.HOME }}.
";
    assert_eq!(
        problems_of(text),
        [
            "3:17: `${{ last }}` is the output of this or a later step",
            "3:29: unknown value `${{ params.bsae }}`",
            "3:48: unknown value `${{ env.X-Y }}`",
            "10:10: unknown value `${{ fist }}`",
        ]
    );
    let decoded = WorkflowFile::parse(text);
    assert_eq!(decoded.problems[1].hint.as_deref(), Some("did you mean `params.base`?"));
    let names = decoded.partial.unwrap().names_before(1);
    assert_eq!(names, ["workflow.name", "workflow.tag", "params.base", "first"]);
}

#[test]
fn a_variable_of_the_environment_is_told_where_it_first_stands() {
    let text = "setup: [{shell: 'echo ${{ env.ONE }}'}]\nkickoff: a ${{ env.TWO }} ${{ env.ONE }}";
    let found = parsed(text).environment();
    let told = found.iter().map(|(name, (path, at))| format!("{name} {} {at}", path.join(".")));
    assert_eq!(told.collect::<Vec<_>>(), ["ONE setup.0.shell 5", "TWO kickoff 2"]);
}

#[test]
fn a_value_whose_step_could_not_be_read_is_not_unknown() {
    let text = "setup: [{shell: [a], as: diff}]\nkickoff: ${{ diff }}";
    assert_eq!(problems_of(text), ["1:17: `shell`: expected text, found a list"]);
}

#[test]
fn a_value_from_under_a_key_that_stands_twice_is_not_unknown() {
    let text = "setup: [{shell: a}]\nsetup: [{shell: b, as: diff}]\nkickoff: ${{ diff }}";
    assert_eq!(problems_of(text), ["2:1: duplicate `setup`, first on line 1"]);
    let text = "agents: {a: {}}\nagents: {b: {}}\ncontext: {documentOwner: b}";
    assert_eq!(problems_of(text), ["2:1: duplicate `agents`, first on line 1"]);
}

#[test]
fn lines_may_end_as_on_windows() {
    let text = FIRST_EXAMPLE.replace('\n', "\r\n");
    assert_eq!(parsed(&text), parsed(FIRST_EXAMPLE));
    let text = "kickoff: |\r\n  one\r\n  ${{ two }}\r\nnane: x\r\n";
    assert_eq!(problems_of(text), ["3:3: unknown value `${{ two }}`", "4:1: unknown key `nane`"]);
}

#[test]
fn files_are_named_once() {
    let text = "agents: { a: { system_prompt: p.md, script: s.yaml }, b: { system_prompt: p.md } }";
    assert_eq!(parsed(text).files(), ["p.md", "s.yaml"]);
}

#[test]
fn words_for_nothing_are_refused() {
    assert_eq!(
        problems_of("setup: [{shell: ' '}]\nkickoff: ''\nlimits: {cost: -1, duration: 0s}"),
        [
            "1:17: the command is empty",
            "2:10: the kickoff is empty",
            "3:16: `cost` must be an amount of dollars, at least 0.000001",
            "3:30: `duration` must be more than 0",
        ]
    );
    assert_eq!(
        problems_of("agents: {}\nlimits: {cost: 0.0000004}"),
        ["2:16: `cost` must be an amount of dollars, at least 0.000001"]
    );
    parsed("agents: {}\nlimits: {cost: 0.000001}");
    assert_eq!(
        problems_of("agents: {}\nlimits: {task_interval: 0s}"),
        ["2:25: `task_interval` must be more than 0s"]
    );
    assert_eq!(problems_of(""), ["1:1: the file is empty"]);
}

#[test]
fn a_value_is_refused_before_a_start_where_a_command_cannot_take_it() {
    assert_eq!(
        problems_of("setup: [{shell: 'echo $((1 + ${{ params.n }}))'}]\nparams: {n: '1'}"),
        [
            "1:17: `${{ params.n }}`: a value is not allowed in arithmetic: assign it to a variable before"
        ]
    );
}

#[test]
fn the_schema_says_of_every_key_what_it_is_for() {
    let schema = json_schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["additionalProperties"], false);
    let agent = &schema["$defs"]["AgentSpec"];
    assert_eq!(agent["additionalProperties"], false);
    for properties in [&schema["properties"], &agent["properties"]] {
        for (key, property) in properties.as_object().unwrap() {
            assert!(property["description"].is_string(), "{key}: {property}");
        }
    }
    assert_eq!(agent["properties"].as_object().unwrap().len(), 21);
}

#[test]
fn a_list_or_mapping_may_stand_without_a_value_in_the_schema_as_in_the_file() {
    let schema = json_schema();
    let allows_nothing = |property: &serde_json::Value| {
        let has = |key: &str, what: serde_json::Value| {
            property[key].as_array().is_some_and(|forms| forms.contains(&what))
        };
        has("type", "null".into()) || has("anyOf", serde_json::json!({ "type": "null" }))
    };
    for key in ["params", "agents", "context", "limits", "setup"] {
        assert_eq!(problems_of(&format!("{key}:\n")), [""; 0], "{key}");
        assert!(allows_nothing(&schema["properties"][key]), "{key}: {schema}");
    }
    assert_eq!(problems_of("agents:\n  a:\n"), [""; 0]);
    assert!(allows_nothing(&schema["properties"]["agents"]["additionalProperties"]), "{schema}");
    let agent = &schema["$defs"]["AgentSpec"]["properties"];
    for key in ["tools", "permissions", "schedule", "env", "mcp_servers"] {
        assert_eq!(problems_of(&format!("agents:\n  a:\n    {key}:\n")), [""; 0], "{key}");
        assert!(allows_nothing(&agent[key]), "{key}: {agent}");
    }
    assert!(!allows_nothing(&schema["properties"]["hire"]));
    assert!(!problems_of("hire:\n").is_empty());
}
