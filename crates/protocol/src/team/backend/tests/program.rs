use super::*;

#[test]
fn a_value_names_variables_anywhere() {
    let find = |variable: &Variable| match variable.as_str() {
        "KEY" => Some("k$Y".to_owned()),
        "_2" => Some(String::new()),
        _ => None,
    };
    for (value, filled) in [
        ("plain", Some("plain")),
        ("$KEY", Some("k$Y")),
        ("Bearer $KEY.", Some("Bearer k$Y.")),
        ("a$KEY$_2-", Some("ak$Y-")),
        ("$$KEY", Some("$KEY")),
        ("Bearer ${KEY}S ${_2}", Some("Bearer k$YS ")),
        ("$${KEY} ${} ${5} ${KEY", Some("${KEY} ${} ${5} ${KEY")),
        ("${{ params.KEY }} ${KEY }", Some("${{ params.KEY }} ${KEY }")),
        ("1 $", Some("1 $")),
        ("$ x $5 é$", Some("$ x $5 é$")),
        ("$KEYS", None),
        ("${KEYS}", None),
    ] {
        assert_eq!(fill(value, find).as_deref(), filled, "{value}");
    }
}

#[test]
fn a_shell_fills_the_variables_of_a_value_and_nothing_else() {
    for (value, word) in [
        ("plain", "plain"),
        ("a b", "'a b'"),
        ("$KEY", r#""${KEY?}""#),
        ("Bearer $KEY.", r#"'Bearer '"${KEY?}"'.'"#),
        ("$A$B", r#""${A?}"''"${B?}""#),
        ("it's $(x) `y` $KEY", r#"'it'\''s $(x) `y` '"${KEY?}""#),
        ("$$KEY", "'$KEY'"),
        ("Bearer ${KEY}.", r#"'Bearer '"${KEY?}"'.'"#),
        ("'$KEY'", r#"\'''"${KEY?}"''\'"#),
    ] {
        assert_eq!(in_shell(value), word, "{value}");
    }
}
