//! Trees written down in every way that YAML has, and texts that are none.

use std::{
    fmt::Debug,
    time::{Duration, Instant},
};

use proptest::prelude::*;
use regex::Regex;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

use super::{scalar::Meaning, scalar::meaning_of, tests::Team, *};
use crate::{cases::cases, problem::Position, script::Script, workflow_file::WorkflowFile};

/// A value, how it is written.
#[derive(Debug, Clone)]
enum Written {
    Plain(&'static str, Json),
    Single(String),
    Double(String),
    Literal(Vec<String>),
    List { is_flow: bool, values: Vec<Written> },
    Mapping { is_flow: bool, entries: Vec<(String, Written)> },
}

/// A text as it grows, and the places of what stands in it.
#[derive(Default)]
struct Pen {
    text: String,
    places: Vec<(Vec<String>, Position)>,
}

const PLAIN: [&str; 14] = [
    "a",
    "two words",
    "yes",
    "~",
    "null",
    "true",
    "0",
    "-7",
    "0x1F",
    "1.5",
    "é日",
    "a:b",
    "x#y",
    "30s",
];

fn plain() -> impl Strategy<Value = Written> {
    prop::sample::select(PLAIN.to_vec()).prop_map(|text| {
        let json = match meaning_of(text) {
            Meaning::Null => Json::Null,
            Meaning::Bool(is) => is.into(),
            Meaning::Int(number) => i64::try_from(number).unwrap().into(),
            Meaning::Float(number) => number.into(),
            Meaning::Text(text) => text.into(),
        };
        Written::Plain(text, json)
    })
}

fn written() -> impl Strategy<Value = Written> {
    let line = prop_oneof!["[a-z:#'\"{}\\[\\],&*!|>%@-]{1,6}", "[ é日-]{0,2}[a-z]"];
    let scalar = prop_oneof![
        4 => plain(),
        1 => "[ -~é日]{0,8}".prop_map(Written::Single),
        1 => "[ -~é日\n\t]{0,8}".prop_map(Written::Double),
        1 => prop::collection::vec(line.prop_map(|line| line.trim_start().to_owned()), 1..3)
            .prop_map(Written::Literal),
    ];
    scalar.prop_recursive(4, 24, 4, |inner| {
        let key = "[a-z]{1,3}|[ -~]{0,3}|é: #";
        prop_oneof![
            (any::<bool>(), prop::collection::vec(inner.clone(), 0..4))
                .prop_map(|(is_flow, values)| Written::List { is_flow, values }),
            (any::<bool>(), prop::collection::btree_map(key, inner, 0..4)).prop_map(
                |(is_flow, entries)| Written::Mapping {
                    is_flow,
                    entries: entries.into_iter().collect()
                }
            ),
        ]
    })
}

fn single(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

impl Written {
    fn json(&self) -> Json {
        match self {
            Self::Plain(_, json) => json.clone(),
            Self::Single(text) | Self::Double(text) => text.as_str().into(),
            Self::Literal(lines) => {
                lines.iter().map(|line| format!("{line}\n")).collect::<String>().into()
            }
            Self::List { values, .. } => values.iter().map(Self::json).collect(),
            Self::Mapping { entries, .. } => {
                let entries = entries.iter().map(|(key, value)| (key.clone(), value.json()));
                Json::Object(entries.collect::<Map<_, _>>())
            }
        }
    }

    /// Whether it stands on lines of its own below its key.
    fn is_block(&self) -> bool {
        match self {
            Self::List { is_flow, values } => !is_flow && !values.is_empty(),
            Self::Mapping { is_flow, entries } => !is_flow && !entries.is_empty(),
            _ => false,
        }
    }
}

impl Pen {
    fn here(&self) -> Position {
        let line = u32::try_from(self.text.matches('\n').count()).unwrap();
        let last = self.text.rsplit('\n').next().unwrap_or_default();
        Position { line: line + 1, column: u32::try_from(last.chars().count()).unwrap() + 1 }
    }

    /// Writes a value; what stands in blocks is indented by so much.
    fn write(&mut self, value: &Written, indent: usize, path: &[String], in_flow: bool) {
        let is_literal = matches!(value, Written::Literal(_)) && !in_flow;
        if !is_literal && !value.is_block() {
            self.places.push((path.to_vec(), self.here()));
        }
        match value {
            Written::Plain(text, _) => self.text.push_str(text),
            Written::Single(text) => self.text.push_str(&single(text)),
            Written::Double(text) => self.text.push_str(&Json::from(text.as_str()).to_string()),
            Written::Literal(lines) if in_flow => {
                let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
                self.text.push_str(&Json::from(text).to_string());
            }
            Written::Literal(lines) => {
                self.text.push('|');
                for line in lines {
                    self.text.push_str(&format!("\n{}{line}", " ".repeat(indent)));
                }
            }
            _ if in_flow || !value.is_block() => self.flow(value, indent, path),
            _ => self.block(value, indent, path),
        }
    }

    fn flow(&mut self, value: &Written, indent: usize, path: &[String]) {
        let (open, close) =
            if matches!(value, Written::List { .. }) { ("[ ", " ]") } else { ("{ ", " }") };
        self.text.push_str(open);
        for (index, (key, value)) in parts(value).into_iter().enumerate() {
            if index > 0 {
                self.text.push_str(", ");
            }
            let path = inside(path, key.as_deref(), index);
            if let Some(key) = key {
                self.text.push_str(&format!("{}: ", single(&key)));
            }
            self.write(value, indent, &path, true);
        }
        self.text.push_str(close);
    }

    fn block(&mut self, value: &Written, indent: usize, path: &[String]) {
        for (index, (key, value)) in parts(value).into_iter().enumerate() {
            if !self.text.is_empty() && !self.text.ends_with('\n') {
                self.text.push('\n');
            }
            self.text.push_str(&" ".repeat(indent));
            let path = inside(path, key.as_deref(), index);
            self.text.push_str(&key.map_or("-".to_owned(), |key| format!("{}:", single(&key))));
            self.text.push_str(if value.is_block() { "\n" } else { " " });
            self.write(value, indent + 2, &path, false);
        }
    }
}

fn parts(value: &Written) -> Vec<(Option<String>, &Written)> {
    match value {
        Written::List { values, .. } => values.iter().map(|value| (None, value)).collect(),
        Written::Mapping { entries, .. } => {
            entries.iter().map(|(key, value)| (Some(key.clone()), value)).collect()
        }
        _ => Vec::new(),
    }
}

fn inside(path: &[String], key: Option<&str>, index: usize) -> Vec<String> {
    let part = key.map_or_else(|| index.to_string(), str::to_owned);
    path.iter().cloned().chain([part]).collect()
}

/// Text that is YAML, nearly.
fn nearly() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "a",
        "name",
        "members",
        "steps",
        "shell",
        "rounds",
        ":",
        ": ",
        " ",
        "\n",
        "\n  ",
        "\n- ",
        "- ",
        "[",
        "]",
        "{",
        "}",
        ",",
        "'",
        "\"",
        "|",
        "|2-",
        ">+",
        "#",
        " # ",
        "&x ",
        "*x",
        "!t ",
        "!<t>",
        "? ",
        "~",
        "1",
        "é",
        "\n---\n",
        "\n...\n",
        "\t",
        "${{ x }}",
        "%YAML 1.2\n",
        "\\",
        "\\u0000",
        "\r",
        "\r\n",
        "\u{feff}",
        "\u{85}",
        "\u{2028}",
        "\0",
        "\u{7f}",
        "@",
        "`",
        "<<",
        "=",
    ]);
    prop_oneof![
        4 => prop::collection::vec(word, 0..30).prop_map(|words| words.concat()),
        1 => any::<String>(),
        1 => prop::collection::vec(any::<u8>(), 0..40)
            .prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
    ]
}

/// What is said of any text: a value or an error, in order, briefly, and with places in the text.
pub(crate) fn is_well_told<T: DeserializeOwned + Debug>(
    text: &str,
    decoded: &Decoded<T>,
) -> Result<(), TestCaseError> {
    let problems = &decoded.problems;
    prop_assert_eq!(decoded.value.is_none(), problems.iter().any(Problem::is_error));
    prop_assert!(problems.is_sorted_by_key(Problem::order));
    prop_assert!(problems.len() <= MAX_PROBLEMS + 1);
    let text = text.replace("\r\n", "\n");
    let lines: Vec<&str> = text.split(['\n', '\r']).collect();
    for problem in problems {
        let (Some(line), Some(column)) = (problem.line, problem.column) else {
            prop_assert!(false, "{problem} stands nowhere");
            continue;
        };
        let found = lines.get(line as usize - 1);
        let is_there =
            found.is_some_and(|found| (1..=found.chars().count() + 1).contains(&(column as usize)));
        prop_assert!(is_there, "{problem} is outside");
        let hint = problem.hint.as_deref().unwrap_or_default();
        let length = problem.message.chars().count() + hint.chars().count();
        prop_assert!(length < 2_000, "{length} characters: {problem}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(1_500))]

    #[test]
    fn what_is_written_is_read_and_found_where_it_stands(value in written()) {
        let mut pen = Pen::default();
        pen.write(&value, 0, &[], false);
        let decoded = decode::<Json>(&pen.text);
        let json = value.json();
        if json.is_null() {
            return Ok(());
        }
        prop_assert_eq!(&decoded.problems, &[], "{}", pen.text);
        prop_assert_eq!(decoded.value, Some(json), "{}", pen.text);
        let tree = decoded.tree.unwrap();
        for (path, at) in &pen.places {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            prop_assert_eq!(tree.locate(&path), Some(*at), "{:?} in\n{}", path, pen.text);
        }
    }

    #[test]
    fn json_is_read_as_json(value in written()) {
        let json = value.json();
        let text = serde_json::to_string_pretty(&json).unwrap();
        prop_assert_eq!(decode::<Json>(&text).value, Some(json).filter(|json| !json.is_null()));
    }

    #[test]
    fn any_text_is_read_or_refused_with_places_in_it(text in nearly()) {
        is_well_told(&text, &decode::<Team>(&text))?;
        is_well_told(&text, &decode::<Json>(&text))?;
    }

    #[test]
    fn a_plain_scalar_means_what_the_core_schema_says(text in "[0-9oxXeE.+~-]{0,5}|[.]?[nN](ull|ULL|aN|AN)|[+-]?[.](inf|Inf|INF)|[tT]rue|[fF](alse|ALSE)") {
        thread_local! {
            static RULES: [Regex; 6] = [
                r"null|Null|NULL|~|", r"true|True|TRUE|false|False|FALSE", r"[-+]?[0-9]+",
                r"0o[0-7]+|0x[0-9a-fA-F]+",
                r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?",
                r"[-+]?(\.inf|\.Inf|\.INF)|\.nan|\.NaN|\.NAN",
            ].map(|rule| Regex::new(&format!(r"\A({rule})\z")).unwrap());
        }
        let rule = RULES.with(|rules| rules.iter().position(|rule| rule.is_match(&text)));
        let found = match meaning_of(&text) {
            Meaning::Null => Some(0),
            Meaning::Bool(_) => Some(1),
            Meaning::Int(_) if text.starts_with("0o") || text.starts_with("0x") => Some(3),
            Meaning::Int(_) => Some(2),
            Meaning::Float(number) if text.contains(|c: char| c.is_ascii_digit()) => {
                prop_assert_eq!(text.parse(), Ok(number));
                Some(4)
            }
            Meaning::Float(_) => Some(5),
            Meaning::Text(_) => None,
        };
        prop_assert_eq!(found, rule);
    }
}

const SIZE: usize = 1 << 17;

/// Lines of so many bytes each, until it is enough.
fn lines(each: usize, line: impl Fn(usize) -> String) -> String {
    (0..SIZE / each).map(line).collect()
}

fn takes_no_longer_than_others<T>(texts: &[String], read: impl Fn(&str) -> Decoded<T>) {
    for text in texts {
        let began = Instant::now();
        drop(read(text));
        let took = began.elapsed();
        let start: String = text.chars().take(60).collect();
        assert!(took < Duration::from_secs(5), "{start}… took {took:?}");
    }
}

#[test]
fn a_text_made_to_be_slow_is_as_fast_as_others() {
    let bomb = |n: usize| {
        let last = n.saturating_sub(1);
        format!("a{n}: &a{n} [*a{last}, *a{last}, *a{last}]\n")
    };
    let texts = [
        "a: &a [x]\nb: ".to_owned() + &"*a ".repeat(SIZE / 3),
        lines(40, bomb),
        "[".repeat(SIZE),
        "{".repeat(SIZE),
        "- ".repeat(SIZE / 2),
        "? ".repeat(SIZE / 2),
        "a: ".repeat(SIZE / 3),
        "&a ".repeat(SIZE / 3),
        "!a ".repeat(SIZE / 3),
        "'".repeat(SIZE),
        format!("name: \"{}\"", "\\n".repeat(SIZE / 2)),
        format!("name: |\n{}", "  a\n".repeat(SIZE / 4)),
        format!("name: >\n{}", "  a\n\n".repeat(SIZE / 5)),
        format!("name: a\n{}", "  a\n".repeat(SIZE / 4)),
        "#\n".repeat(SIZE / 2),
        " ".repeat(SIZE),
        "\n".repeat(SIZE),
        "--- a\n".repeat(SIZE / 6),
        lines(9, |n| format!("k{n}: x\n")),
        "name: x\n".repeat(SIZE / 8),
        lines(11, |n| format!("k{n}: &a\n")) + "x: [",
    ];
    takes_no_longer_than_others(&texts, decode::<Team>);
}

#[test]
fn a_workflow_file_made_to_be_slow_is_as_fast_as_others() {
    let params = format!("params:\n{}", lines(33, |n| format!("  k{n}: x\n")));
    let unknown: String = (0..60).map(|n| format!("u{n}: x\n")).collect();
    let texts = [
        format!("{params}agents:\n{}", "  A: [\n".repeat(90)),
        params + &unknown,
        format!("kickoff: {}", "${{a}}".repeat(SIZE / 6)),
        format!("kickoff: |\n{}", "  ${{a}}\n".repeat(SIZE / 9)),
        format!("setup: [{}]", lines(23, |n| format!("{{shell: x, as: o{n}}},"))),
        format!("setup: [{}]", "{shell: x, as: o},".repeat(SIZE / 18)),
        format!("agents: {{{}}}", lines(22, |n| format!("a{n}: {{max_steps: 0}},"))),
    ];
    takes_no_longer_than_others(&texts, WorkflowFile::parse);
}

#[test]
fn a_script_made_to_be_slow_is_as_fast_as_others() {
    let calls = lines(23, |n| format!("{{ call: t, as: o{n} }},"));
    let texts = [
        format!("- do: [{{ say: {:?} }}]", "${{a}}".repeat(SIZE / 6)),
        format!("- do: [{{ say: {:?} }}]", "${{match.a}}".repeat(SIZE / 12)),
        format!("- do:\n  - say: |\n{}", "      ${{a}}\n".repeat(SIZE / 13)),
        format!("- do: [{}]", "{ say: '${{a}}' },".repeat(SIZE / 18)),
        format!("- do: [{calls}{{ say: '${{{{a}}}}' }}]"),
        format!("- do: [{{ call: t, with: {{ a: [{}] }} }}]", "'${{a}}',".repeat(SIZE / 9)),
        format!(
            "- do: [{{ call: t, with: {{ {} }} }}]",
            lines(16, |n| format!("k{n}: '${{{{a}}}}',"))
        ),
        "- { do: [] }\n".repeat(SIZE / 13),
    ];
    takes_no_longer_than_others(&texts, Script::parse);
}
