//! Scripts, written down as JSON, which is YAML.

use proptest::{option, prelude::*, sample::Index};

use super::*;
use crate::{cases::cases, yaml::tests::properties::is_well_told};

fn failure() -> impl Strategy<Value = Failure> {
    prop_oneof![
        option::of(1..100_000_u64).prop_map(|ms| {
            Failure::RateLimited(ms.map(|ms| std::time::Duration::from_millis(ms).into()))
        }),
        prop::sample::select(vec![
            Failure::Transient,
            Failure::Permanent,
            Failure::Overflow,
            Failure::Unavailable,
            Failure::Hang,
            Failure::Crash,
            Failure::Silent,
            Failure::Garbage,
        ]),
        any::<u8>().prop_map(Failure::Exit),
        (any::<u64>(), 0..64_u32).prop_map(|(bytes, most)| Failure::Flood(bytes >> most)),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[ -#%-~é日\n]{0,8}", Just("<${{ match.what }}>".to_owned())]
}

fn arguments() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,3}", inner, 0..3)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn step() -> impl Strategy<Value = Step> {
    let with = prop::collection::btree_map("[a-z]{1,3}", arguments(), 0..3);
    let output = option::of("[a-l][a-z0-9_-]{0,3}");
    prop_oneof![
        text().prop_map(Step::Think),
        text().prop_map(Step::Say),
        text().prop_map(Step::Shell),
        ("[a-z_]{1,8}", with, output, any::<bool>()).prop_map(|(tool, with, output, asks)| {
            let with = with.into_iter().collect();
            let output = output.map(|output| output.parse().unwrap());
            if asks { Step::Ask { tool, with, output } } else { Step::Call { tool, with, output } }
        }),
        (1..100_000_u64).prop_map(|ms| Step::Sleep(std::time::Duration::from_millis(ms).into())),
        (option::of(0..9_999_u32), option::of(0..999_u32)).prop_map(|(input, cents)| {
            let cost = cents.map(|cents| f64::from(cents) / 100.0);
            Step::Usage(ScriptUsage { input, cost, ..ScriptUsage::default() })
        }),
        failure().prop_map(Step::Fail),
    ]
}

/// Scripts in which every turn finds what its texts ask for.
fn script() -> impl Strategy<Value = Script> {
    let steps = prop::collection::vec(step(), 0..5);
    let turn = ("[a-z ]{0,5}", 1..3_u32, steps).prop_map(|(before, times, steps)| Turn {
        when: Some(format!("{before}(?<what>[a-z]+)").try_into().unwrap()),
        times,
        steps,
    });
    prop::collection::vec(turn, 0..4).prop_map(Script)
}

/// The lines of a script, and which of them have a key that one can mistake.
fn written(script: &Script) -> (Vec<String>, Vec<usize>) {
    const KEYS: [&str; 12] = [
        "when", "times", "do", "think", "call", "as", "sleep", "say", "usage", "fail", "shell",
        "with",
    ];
    let text = serde_json::to_string_pretty(&paper::of_script(script)).unwrap();
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let is_key = |line: &String| {
        let depth = line.len() - line.trim_start().len();
        let is_here = |key: &&str| line.trim_start().starts_with(&format!("\"{key}\":"));
        // What stands deeper is an argument, which is called as it likes.
        (depth == 4 || depth == 8) && KEYS.iter().any(is_here)
    };
    let keys = (0..lines.len()).filter(|at| is_key(&lines[*at])).collect();
    (lines, keys)
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn a_script_is_read_as_what_it_was_written_from(script in script()) {
        let (lines, _) = written(&script);
        let decoded = Script::parse(&lines.join("\n"));
        prop_assert_eq!(&decoded.problems, &[], "{}", lines.join("\n"));
        prop_assert_eq!(decoded.value, Some(script));
    }

    #[test]
    fn a_mistaken_key_is_told_once_and_where_it_is(script in script(), at in any::<Index>()) {
        let (mut lines, keys) = written(&script);
        if keys.is_empty() {
            return Ok(());
        }
        let at = *at.get(&keys);
        lines[at] = lines[at].replacen("\":", "s\":", 1);
        let decoded = Script::parse(&lines.join("\n"));
        let told: Vec<_> = decoded.problems.iter().map(|problem| (problem.line, &problem.message)).collect();
        prop_assert!(told.len() == 1, "{:?} in\n{}", told, lines.join("\n"));
        prop_assert_eq!(told[0].0.map(|line| line as usize), Some(at + 1));
        prop_assert!(told[0].1.starts_with("unknown key"), "{:?}", told);
    }

    #[test]
    fn a_failure_is_read_back(failure in failure(), text in "[a-z_]{0,5}( [0-9KMGiBmsh-]{1,6}){0,2}") {
        prop_assert_eq!(paper::of_failure(failure).parse(), Ok(failure));
        if let Ok(failure) = text.parse::<Failure>() {
            prop_assert_eq!(paper::of_failure(failure).parse(), Ok(failure));
        }
    }

    #[test]
    fn any_pattern_is_tried_or_refused_in_a_word(pattern in "[a-c.*+?(){}\\[\\]|\\\\<>:0-9,^$é-]{0,12}") {
        let text = format!("- when: {}\n  do: []", Value::from(pattern.clone()));
        let decoded = Script::parse(&text);
        is_well_told(&text, &decoded)?;
        if let Some(script) = decoded.value {
            prop_assert_eq!(script.0[0].when.as_ref().unwrap().regex().as_str(), pattern);
        }
    }
}
