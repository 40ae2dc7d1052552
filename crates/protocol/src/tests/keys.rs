use proptest::prelude::*;

use super::*;
use crate::cases::cases;

#[test]
fn lines_are_read_as_a_shell_reads_them() {
    let text = "\u{feff}A=x=y#z\n# C=1\n\n  export B='it is $5'\r\nexport\tC=\"say \\\"hi\\\"\"  # why\n\
                D=one' 'two\\ three\nE=\nA=last\nF=\"a\\b\"\n";
    let keys = parse(text);
    assert_eq!(keys.mistakes, []);
    let expected = [
        ("A", "last"),
        ("B", "it is $5"),
        ("C", "say \"hi\""),
        ("D", "one two three"),
        ("E", ""),
        ("F", "a\\b"),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(keys.values, BTreeMap::from(expected));
}

#[test]
fn a_line_that_is_not_understood_is_named_and_not_shown() {
    for (line, what) in [
        ("secret", "expected NAME=value"),
        ("export secret", "expected NAME=value"),
        ("A B=secret", "invalid name"),
        ("=secret", "invalid name"),
        ("A='secret", "a single quote is not closed"),
        ("A=\"secret\\\"", "a double quote is not closed"),
        ("A=secret\\", "ends with a backslash"),
        ("A=$secret", "not expanded"),
        ("A=\"${secret}\"", "not expanded"),
        ("A=$(secret)", "not expanded"),
        ("A=secret;x", "character of the shell"),
        ("A= secret", "text after the value"),
    ] {
        let keys = parse(&format!("# first\n{line}\nZ=1"));
        assert_eq!(keys.values.len(), 1, "{line}");
        let [mistake] = &keys.mistakes[..] else { panic!("{line}: {:?}", keys.mistakes) };
        let told = mistake.to_string();
        assert!(told.starts_with("line 2 of keys.env: ") && told.contains(what), "{told}");
        assert!(!told.contains("secret"), "{told}");
    }
}

#[test]
fn a_change_keeps_the_other_lines() {
    let text = "# mine\nexport A='1'\nB=2\nnonsense\nA=3\n";
    assert_eq!(change(text, "A", Some("x y")), "# mine\nB=2\nnonsense\nA='x y'\n");
    assert_eq!(change(text, "B", None), "# mine\nexport A='1'\nnonsense\nA=3\n");
    assert_eq!(change(text, "C", None), text);
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn every_value_of_one_line_is_kept(
        keys in prop::collection::btree_map("[A-Za-z_][A-Za-z0-9_]{0,5}", "[^\r\n]{0,12}", 0..5),
        noise in "(#[^\n]{0,5}\n|\n){0,3}",
    ) {
        let mut text = noise;
        for (name, value) in &keys {
            text = change(&text, name, Some(value));
        }
        prop_assert_eq!(parse(&text), Keys { values: keys, mistakes: Vec::new() });
    }
}
