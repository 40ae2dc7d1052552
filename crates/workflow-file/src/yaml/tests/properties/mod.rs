//! Trees written down in every way that YAML has, and texts that are none.

mod pen;
mod slow;

use std::fmt::Debug;

use proptest::prelude::*;
use regex::Regex;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::*;
use crate::{
    cases::cases,
    yaml::scalar::{Meaning, meaning_of},
};
use pen::{Pen, written};

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
