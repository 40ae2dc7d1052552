use super::*;

const FILE: &str = "# mine\n\n[runs]\n# total = \"30m\"   # the whole run\nattempts = 3 # enough\n\n[tui]\n# theme = \"auto\"\n";

fn set(key: &str, value: &str) -> String {
    with(FILE, key, &parsed(value)).unwrap()
}

#[test]
fn a_setting_is_changed_where_it_stands() {
    assert_eq!(set("runs.attempts", "5"), FILE.replace("attempts = 3", "attempts = 5"));
    let total = FILE.replace("# total = \"30m\"", "total = \"1h\"");
    assert_eq!(set("runs.total", "1h"), total);
    assert_eq!(set("tui.theme", "dark"), FILE.replace("# theme = \"auto\"", "theme = \"dark\""));
}

#[test]
fn a_setting_that_stands_nowhere_is_added_to_its_section() {
    let text = set("runs.idle", "5m");
    assert!(text.contains("attempts = 3 # enough\nidle = \"5m\"\n"), "{text}");
    let text = set("providers.house.base_url", "http://127.0.0.1:1/v1");
    assert!(text.starts_with(FILE), "{text}");
    let document: DocumentMut = text.parse().unwrap();
    assert_eq!(document["providers"]["house"]["base_url"].as_str(), Some("http://127.0.0.1:1/v1"));
}

#[test]
fn a_name_with_a_dot_stands_in_quotes() {
    let text = set("prices.\"gpt-4.1\".input", "2");
    assert!(text.ends_with("\n\n[prices.\"gpt-4.1\"]\ninput = 2\n"), "{text}");
    let text = with(&text, "prices.'gpt-4.1'.input", &parsed("3")).unwrap();
    assert!(text.ends_with("[prices.\"gpt-4.1\"]\ninput = 3\n"), "{text}");
    let found = settings(document(&text).unwrap().as_table(), "");
    assert!(found.iter().any(|(name, _)| name == "prices.\"gpt-4.1\".input"), "{found:?}");
    let text = with("[a]\nb = { c = 1 }\n", "a.b.c", &parsed("2")).unwrap();
    assert_eq!(text, "[a]\nb = { c = 2 }\n");
}

#[test]
fn a_setting_is_found_by_every_spelling_with_which_it_can_be_set() {
    let get = |text: &str, key: &str| {
        let all = settings(document(text).unwrap().as_table(), "");
        found(&all, &Key::parse(key).unwrap()).map(|value| value.to_string())
    };
    let spellings = ["a.\"b.c\".d", "a.'b.c'.d", "\"a\".\"b.c\".\"d\""];
    for set in spellings {
        for file in ["", "[a]\n\"b.c\" = { d = 1 }\n"] {
            let text = with(file, set, &parsed("2")).unwrap();
            for key in spellings {
                assert_eq!(get(&text, key).as_deref(), Some("2"), "{key} of {text}");
            }
        }
    }
    assert_eq!(get("[a]\nb = { c = 1 }\n", "a.b.d"), None);
}

#[test]
fn a_setting_below_an_inline_table_or_a_dotted_name_leaves_the_file_valid() {
    for file in ["[a]\nb = { c = 1 }\n", "[a]\nb.c = 1\n", "[a]\nb = { x.c = 1, c = 1 }\n"] {
        for (key, below) in [("a.b.d.e", &["d", "e"][..]), ("a.b.d.e.f", &["d", "e", "f"])] {
            let text = with(file, key, &parsed("2")).unwrap();
            let document = document(&text).unwrap();
            let b = &document["a"]["b"];
            assert_eq!(b["c"].as_integer(), Some(1), "{text}");
            let item = below.iter().fold(b, |item, name| &item[name]);
            assert_eq!(item.as_integer(), Some(2), "{text}");
        }
    }
}

#[test]
fn what_is_no_setting_is_refused() {
    for key in ["attempts", "", "runs.", "runs.attempts.more"] {
        assert!(with(FILE, key, &parsed("1")).is_err(), "{key}");
    }
}
