mod paper;
mod properties;

use serde_json::{Value, json};

use super::{pattern::MAX_TURNS, *};

const EXAMPLE: &str = r#"
- when: "please review (?<what>\\w+)"
  times: 1
  do:
    - think: "reading the diff"
    - call: team_doc_write
      with: { file: notes.md, content: "one finding in ${{ match.what }}" }
    - call: team_proposal_create
      with: { type: decision, title: "merge?", options: [yes, no], quorum: 2 }
      as: p
    - call: team_vote
      with: { proposal: "${{ p.id }}", choice: yes }
    - ask: shell
      with: { command: "make ${{ match.what }}" }
      as: may
    - sleep: 200ms
    - say: "Done with ${{ p }}."
    - usage: { input: 1200, output: 80, cost: 0.004 }
    - fail: rate_limited 5s
    - shell: "sleep 1000 &"
- do: []
  times: 0
"#;

fn problems_of(text: &str) -> Vec<String> {
    Script::parse(text).problems.iter().map(ToString::to_string).collect()
}

fn step_problems(step: &str) -> Vec<String> {
    problems_of(&format!("- do:\n    - {step}\n"))
}

#[test]
fn a_script_is_read_whole() {
    let decoded = Script::parse(EXAMPLE);
    assert_eq!(decoded.problems, []);
    let script = decoded.value.unwrap();
    let turn = &script.0[0];
    assert_eq!(turn.when.as_ref().unwrap().groups().collect::<Vec<_>>(), ["what"]);
    assert_eq!((turn.times, turn.steps.len()), (1, 10));
    assert_eq!(turn.steps[0], Step::Think("reading the diff".to_owned()));
    let Step::Call { tool, with, output } = &turn.steps[2] else { panic!("{:?}", turn.steps[2]) };
    assert_eq!((tool.as_str(), output.as_ref().unwrap().as_str()), ("team_proposal_create", "p"));
    let expected =
        json!({ "type": "decision", "title": "merge?", "options": ["yes", "no"], "quorum": 2 });
    assert_eq!(serde_json::to_value(with).unwrap(), expected);
    assert_eq!(
        turn.steps[8],
        Step::Fail(Failure::RateLimited(Some(agent_worker_protocol::Interval::seconds(5))))
    );
    let Step::Ask { tool, output, .. } = &turn.steps[4] else { panic!("{:?}", turn.steps[4]) };
    assert_eq!((tool.as_str(), output.as_ref().unwrap().as_str()), ("shell", "may"));
    let Step::Usage(usage) = turn.steps[7] else { panic!("{:?}", turn.steps[7]) };
    assert_eq!((usage.tokens().input, usage.tokens().reasoning), (Some(1200), None));
    assert_eq!((script.0[1].when.as_ref(), script.0[1].times), (None, 0));
}

#[test]
fn a_script_survives_the_way_through_json() {
    let script = Script::parse(EXAMPLE).value.unwrap();
    let json = paper::of_script(&script).to_string();
    assert_eq!(serde_json::from_str::<Script>(&json).unwrap(), script);
}

#[test]
fn all_mistakes_of_a_script_are_told_with_their_places() {
    let text = "\
- when: 'review (?<what>.*'
  tims: 2
  do:
    - say: ${{ match.anything }}
- when: (?<what>x)
  times: -1
  do:
    - think: a
      say: b
    - {}
    - with: { a: b }
    - say: ok
      as: x
    - sya: hello
    - sleep: soon
    - call: [tool]
    - fail: hangs
- when: (?<what>x)
  do:
    - say: ${{ match.waht }} ${{ p.id }}
    - call: t
      with: { a: [1, { b: '${{ p }}' }], c: '${{ oops' }
      as: p
    - say: |
        ${{ p.id }} ${{ match.what }}
        ${{ q }}
- times: 1
- do: hello
";
    let verbs = "`think`, `call`, `ask`, `sleep`, `say`, `usage`, `fail`, `shell`";
    let ways = "`rate_limited`, `transient`, `permanent`, `overflow`, `unavailable`, `exit`, \
                `hang`, `crash`, `silent`, `flood`, `garbage`";
    let expected = [
        "1:9: invalid regular expression `review (?<what>.*`: unclosed group",
        "2:3: unknown key `tims`",
        "6:10: `times`: expected a whole number from 0 to 4294967295, found the number `-1`",
        "8:7: a step does one thing, this one has `think`, `say`",
        &format!("10:7: a step does one of: {verbs}"),
        "11:7: `with` belongs to a `call` or an `ask`",
        "12:7: `as` belongs to a `call` or an `ask`",
        "14:7: unknown key `sya`",
        "15:14: invalid span of time `soon`: write `200ms`, `30s`, `5m`, `2h` or `1h30m` (a day is \
         `24h`)",
        "16:13: `call`: expected text, found a list",
        &format!("17:13: unknown failure `hangs`: did you mean `hang`? failures are {ways}"),
        "20:12: `match.waht`: the turn's `when` has no group `waht`",
        "20:30: no step before this one has `as: p`",
        "22:28: no step before this one has `as: p`",
        "22:46: `${{` is not closed with `}}`",
        "26:9: no step before this one has `as: q`",
        "27:3: `do` is missing here",
        "28:7: `do`: expected a list of steps, found the text `hello`",
    ];
    assert_eq!(problems_of(text), expected);
}

#[test]
fn a_group_is_suggested_only_where_it_can_have_that_name() {
    for (name, hint) in [
        ("match.line", Some("write `(?<line>…)` in it")),
        ("match.nn", Some("did you mean `match.n`?")),
        ("match", None),
        ("match.line.first", None),
        ("match.first-line", None),
        ("match.1", None),
    ] {
        let text = format!("- when: (?<n>x)\n  do: [{{ say: '${{{{ {name} }}}}' }}]");
        let problems = Script::parse(&text).problems;
        let hints: Vec<_> = problems.iter().map(|problem| problem.hint.as_deref()).collect();
        assert_eq!(hints, [hint], "{name}");
    }
}

#[test]
fn values_can_only_come_from_what_was_done_before() {
    for (step, message) in [
        ("say: ${{ match.x }}", "2:12: `match.x`: the turn has no `when` to find something"),
        ("say: ${{ params.x }}", "2:12: no step before this one has `as: params`"),
        ("{ call: t, as: match }", "2:22: `match` is reserved for the groups of `when`"),
        (
            "{ call: t, with: { a: '${{ t }}' }, as: t }",
            "2:30: no step before this one has `as: t`",
        ),
        (
            "{ call: t, as: a.b }",
            "2:22: invalid name `a.b`: it is a letter or `_`, then letters, digits, `_` and `-`",
        ),
        ("usage: { cost: -1 }", "2:14: a cost is an amount of dollars"),
        ("usage: { tokens: 1 }", "2:16: unknown key `tokens`"),
        ("fail: exit 999", "2:13: `exit` takes a code from 0 to 255, as in `exit 3`"),
    ] {
        assert_eq!(step_problems(step), [message], "{step}");
    }
}

#[test]
fn a_value_that_a_run_would_fail_of_is_a_mistake() {
    let arithmetic = "- when: (?<n>x)\n  do:\n    - shell: echo $(( ${{ match.n }} + 1 ))\n";
    let expected = "3:14: `${{ match.n }}`: a value is not allowed in arithmetic: assign it to a \
                    variable before";
    assert_eq!(problems_of(arithmetic), [expected]);
}

#[test]
fn a_group_that_no_value_can_name_is_a_mistake() {
    let rule = "only ASCII letters, digits and `_` are allowed";
    for name in ["a.b", "größe", "a[0]"] {
        let script = format!("- when: (?<{name}>x)\n  do: []\n");
        let expected = format!("1:9: invalid group name `{name}`: {rule}");
        assert_eq!(problems_of(&script), [expected]);
    }
    let dotted = "- when: (?<a.b>x)\n  do:\n    - say: ${{ match.a.b }}\n";
    assert_eq!(problems_of(dotted), [format!("1:9: invalid group name `a.b`: {rule}")]);
    assert!(problems_of("- when: (?<a_1>x)\n  do:\n    - say: ${{ match.a_1 }}\n").is_empty());
}

#[test]
fn a_turn_that_no_run_reaches_is_a_warning() {
    let decoded = Script::parse("- { times: 0, do: [] }\n- { do: [] }\n");
    assert!(decoded.value.is_some());
    assert_eq!(
        decoded.problems[0].to_string(),
        "2:3: unreachable turn: the one before always matches"
    );
}

#[test]
fn a_huge_pattern_is_refused() {
    assert_eq!(
        problems_of("- { when: '(a{1000}){1000}', do: [] }"),
        ["1:11: `(a{1000}){1000}` matches more than can be tried"]
    );
}

#[test]
fn a_script_has_at_most_so_many_turns() {
    let turns = |count: usize| "- { do: [] }\n".repeat(count);
    assert!(Script::parse(&turns(MAX_TURNS)).value.is_some());
    let refused = problems_of(&turns(MAX_TURNS + 1));
    assert_eq!(refused, ["1:1: a list of turns has at most 1000 entries"]);
}

#[test]
fn a_script_is_a_list() {
    assert_eq!(problems_of("do: []"), ["1:1: expected a list of turns, found a mapping"]);
    assert_eq!(problems_of(""), ["1:1: the file is empty"]);
    assert_eq!(Script::parse("[]").value, Some(Script(vec![])));
}

#[test]
fn a_script_that_is_given_has_a_turn() {
    let told = |text: &str| {
        Script::given(text).problems.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(told("# later\n[]"), ["2:1: a script has at least one turn"]);
    assert_eq!(Script::given("[]").value, None);
    assert!(told("- do: []").is_empty());
    assert_eq!(told("- {}"), problems_of("- {}"), "a turn with a mistake is a turn");
}

#[test]
fn an_answer_has_its_name_in_its_own_turn_only() {
    let script = "- do: [ { call: t, as: page } ]\n- do: [ { say: '${{ page.version }}' } ]";
    assert_eq!(problems_of(script), ["2:17: no step before this one has `as: page`"]);
}

#[test]
fn the_page_of_scripts_names_every_step_and_every_failure() {
    let page = include_str!("../../../../../docs/scripts.md");
    let (_, steps) = page.split_once("## Steps").unwrap();
    let (steps, _) = steps.split_once("## Tools").unwrap();
    let named = |line: &'static str, before: &str| {
        let rest = line.strip_prefix(before)?;
        Some(rest.split(['`', ' ']).next().unwrap())
    };
    let mut verbs: Vec<_> = steps.lines().filter_map(|line| named(line, "### `")).collect();
    verbs.sort_unstable();
    let mut known = step::VERBS;
    known.sort_unstable();
    assert_eq!(verbs, known);
    let mut failures: Vec<_> = steps.lines().filter_map(|line| named(line, "| `")).collect();
    failures.sort_unstable();
    let mut known = failure::KINDS.map(|(word, _)| word);
    known.sort_unstable();
    assert_eq!(failures, known);
}
