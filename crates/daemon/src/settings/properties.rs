//! What anybody may write into the file.

use proptest::prelude::*;

use super::*;
use crate::cases::cases;

/// Every setting: its section, its name, its default as it is written.
fn known() -> Vec<(String, String, String)> {
    let mut all: Table = toml::from_str(&all_settings()).unwrap();
    all.remove("tui");
    let mut known = Vec::new();
    for (section, values) in all {
        for (key, value) in values.as_table().unwrap() {
            let value = match value {
                Value::Integer(number) => number.to_string(),
                Value::String(text) => format!("\"{text}\""),
                other => panic!("{other:?} is not written here"),
            };
            known.push((section.clone(), key.clone(), value));
        }
    }
    known
}

fn setting() -> impl Strategy<Value = (String, String, String)> {
    prop::sample::select(known())
}

fn file(section: &str, key: &str, value: &str) -> String {
    format!("[{section}]\n{key} = {value}\n")
}

/// Anything that may stand behind a `=`.
fn value() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        -2..3_i64,
        any::<i64>(),
        prop::sample::select(vec![i64::MIN, i64::MAX, 1 << 32, (1 << 32) - 1]),
    ];
    let span =
        (0..100_000_000_u64, prop::sample::select(vec!["ns", "us", "ms", "s", "m", "h", "d"]));
    prop_oneof![
        3 => number.prop_map(|number| number.to_string()),
        3 => span.prop_map(|(count, unit)| format!("\"{count}{unit}\"")),
        1 => "[a-z0-9 -]{0,8}".prop_map(|text| format!("\"{text}\"")),
        1 => prop::sample::select(vec!["1.5", "inf", "nan", "true", "[1]", "{}", "1979-05-27", "'"])
            .prop_map(ToOwned::to_owned),
    ]
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn a_setting_is_taken_and_changes_itself_alone_or_is_refused_by_its_name(
        (section, key, _) in setting(),
        value in value(),
    ) {
        match Settings::with(&file(&section, &key, &value)) {
            Ok(settings) => {
                let (this, usual) = (format!("{settings:?}"), format!("{:?}", Settings::default()));
                let others: Vec<_> = this.split(", ").zip(usual.split(", ")).filter(|(a, b)| a != b).collect();
                prop_assert!(others.iter().all(|(one, _)| one.contains(&key)), "{:?}", others);
                prop_assert!(others.len() < 2, "{:?}", others);
                prop_assert!(settings.longest_retry() <= Duration::from_secs(1_000_000_000));
                prop_assert!(settings.max_runs() > 0);
                prop_assert!(settings.text_body_bytes() >= settings.http.body_bytes);
            }
            Err(error) => {
                let error = error.to_string();
                prop_assert!(error.contains(&key), "{}", error);
                prop_assert!(error.len() < 1_000, "{}", error);
            }
        }
    }

    #[test]
    fn what_nobody_knows_is_refused_by_its_name((section, key, default) in setting(), wrong in "[a-z_]{1,12}") {
        let names = known();
        if !names.iter().any(|(s, k, _)| *s == section && *k == wrong) {
            let error = Settings::with(&file(&section, &wrong, &default)).unwrap_err();
            prop_assert!(error.to_string().contains(&wrong), "{}", error);
        }
        if wrong != "tui" && !names.iter().any(|(s, ..)| *s == wrong) {
            let error = Settings::with(&file(&wrong, &key, &default)).unwrap_err();
            prop_assert!(error.to_string().contains(&wrong), "{}", error);
        }
    }

    #[test]
    fn any_text_is_taken_or_refused(text in "([a-z_]{1,8}|[\\[\\]={}\"'#,.\n -]|[0-9é]|\\[runs\\]\n){0,24}") {
        if let Err(error) = Settings::with(&text) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
