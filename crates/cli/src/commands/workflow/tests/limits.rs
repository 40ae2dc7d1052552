use super::*;

#[test]
fn limits_are_set_one_by_one() {
    let parsed = ["tokens=4_000_000", "duration=2h", "cost=5.00", "tokens=5"];
    let parsed = parsed.iter().map(|text| text.parse().unwrap()).collect();
    let wanted = Limits {
        tokens: Some(5),
        duration: Some(Interval::seconds(7200)),
        cost: Some(5.0),
        ..Limits::default()
    };
    let set = together(Scope::global(), parsed);
    assert_eq!((set.limits, set.unset), (wanted, Vec::new()));
}

#[test]
fn a_limit_of_none_is_taken_off_unless_a_later_one_sets_it() {
    let of = |texts: [&str; 2]| {
        let parsed = texts.iter().map(|text| text.parse().unwrap()).collect();
        let set = together(Scope::global(), parsed);
        (set.limits.tokens, set.unset)
    };
    assert_eq!(of(["tokens=5", "tokens=none"]), (None, vec![LimitName::Tokens]));
    assert_eq!(of(["tokens=none", "tokens=5"]), (Some(5), vec![LimitName::Tokens]));
}

#[test]
fn the_help_names_each_limit_and_each_default() {
    let line = |name: &str| ABOUT.lines().find(|line| line.trim().starts_with(name));
    for name in LimitName::ALL {
        let name = name.as_str();
        assert!(line(&format!("{name} ")).is_some(), "{name}");
    }
    let interval = format!("({})", Limits::TASK_INTERVAL);
    let defaults = [
        ("hops ", "(40)"),
        ("runs ", "(200)"),
        ("agents ", "(20"),
        ("task_interval ", interval.as_str()),
    ];
    for (name, default) in defaults {
        assert!(line(name).unwrap().contains(default), "{name}: {default}");
    }
}

#[test]
fn what_is_no_limit_is_named() {
    let error = |text: &str| text.parse::<Limit>().unwrap_err();
    assert!(error("token=5").contains("did you mean `tokens`?"));
    let told = "invalid value `many` for `runs`: write a positive whole number, or `none` to take the limit off";
    assert_eq!(error("runs=many"), told);
    for endless in ["nan", "inf", "-inf", "1e400"] {
        let told = format!("invalid value `{endless}` for `cost`: write an amount of dollars");
        assert!(error(&format!("cost={endless}")).starts_with(&told));
    }
    for name in LimitName::ALL {
        let told = error(name.as_str());
        assert!(told.contains(&format!("write `{}=", name.as_str())), "{told}");
        assert!(example(name).parse::<Limit>().is_ok(), "{told}");
    }
    assert!(error("5").contains("write `tokens=4000000`"));
    assert!(error("duration=2").contains("invalid span of time"));
}
