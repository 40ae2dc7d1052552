use super::*;

fn members() -> Vec<Name> {
    ["alice", "bob", "types", "pytest", "a", "b", "alice-b", "user"]
        .iter()
        .map(|name| name.parse().unwrap())
        .collect()
}

fn names(text: &str) -> Vec<String> {
    parse(text, &members()).resolved.iter().map(ToString::to_string).collect()
}

#[test]
fn a_mention_stands_where_a_person_would_see_one() {
    for (text, expected) in [
        ("@alice", vec!["alice"]),
        ("hi @Alice, @BOB!", vec!["alice", "bob"]),
        ("请@alice看", vec!["alice"]),
        ("@alice请看", vec!["alice"]),
        ("_@alice_", vec!["alice"]),
        ("**@alice**", vec!["alice"]),
        ("(@alice)", vec!["alice"]),
        ("@alice: @alice. @alice", vec!["alice"]),
        ("@a/@b", vec!["a", "b"]),
        ("\u{FF20}alice", vec!["alice"]),
        ("@alice-b @alice-", vec!["alice-b", "alice"]),
        ("-@alice", vec!["alice"]),
        ("@alice/ now", vec!["alice"]),
        ("@alice's", vec!["alice"]),
        ("@user please", vec!["user"]),
    ] {
        assert_eq!(names(text), expected, "{text}");
    }
}

#[test]
fn what_only_looks_like_one_names_nobody() {
    for text in [
        "@aliceB",
        "@alice-x",
        "@alice_x",
        "bob@review.example",
        "x@alice",
        "@types/node",
        "@pytest.fixture",
        "@alice@review",
        "@@alice",
        "./@alice",
        "a/@alice",
        ".@alice",
        "\\@alice",
        "@",
        "@ alice",
    ] {
        assert_eq!(names(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn code_urls_and_quotes_are_skipped_and_reported() {
    for text in [
        "`@alice`",
        "``x ` @alice``",
        "```\n@alice\n```",
        "~~~ rust\n@alice\n~~~\n",
        "   ```\n@alice",
        "> @alice said so",
        "  > @alice",
        "see https://example.test/@alice",
        "https://example.test/?q=,@alice",
        "```\n~~~\n@alice\n```",
        "10. step:\n\n    ```python\n    def f():\n        pass\n\n    @alice\n    ```",
        "- a\n    ~~~\n    @alice\n    ~~~",
        "- ```\n  code\n\n  @alice\n  ```",
        "* 2) ```\n@alice",
        "```md\n    ```\n@alice\n```",
        "- ```md\n      ```\n  @alice\n  ```",
        "~~~\n\t~~~\n@alice",
        "- > @alice",
        "1. a\n\n     > @alice",
    ] {
        let found = parse(text, &members());
        assert!(found.resolved.is_empty(), "{text}");
        assert_eq!(found.ignored, ["alice"], "{text}");
    }
}

#[test]
fn code_ends_where_it_is_closed() {
    for (text, expected) in [
        ("`code` @alice", vec!["alice"]),
        ("`open @alice", vec!["alice"]),
        ("`open\n\n@alice `", vec!["alice"]),
        ("```\ncode\n```\n@alice", vec!["alice"]),
        ("``` a`b\n@alice", vec!["alice"]),
        ("````\n```\n````\n@bob", vec!["bob"]),
        ("> quoted\n@alice", vec!["alice"]),
        ("(https://example.test) @alice", vec!["alice"]),
        ("https://x.y，@alice 请看", vec!["alice"]),
        ("《https://x.y》@alice", vec!["alice"]),
        ("https://x.y（@alice 的）", vec!["alice"]),
        ("“https://x.y”@alice ‘https://x.y’@bob", vec!["alice", "bob"]),
        ("「https://x.y」@alice『https://x.y』@bob", vec!["alice", "bob"]),
        ("https://x.y【@alice】 https://x.y《@bob》", vec!["alice", "bob"]),
        ("`a`@alice", vec!["alice"]),
        ("1. ```sh\n   git log\n   ```\n\n@alice please", vec!["alice"]),
        ("- ~~~\n  a\n\t~~~\n  @alice", vec!["alice"]),
        ("    ```\n    a\n  ```\n@bob", vec!["bob"]),
        ("```md\n1. Build:\n\n    ```sh\n    make\n    ```\nthen @a\n```\n@bob", vec!["bob"]),
        ("10. a\n\n    ```\n    b\n       ```\n@bob", vec!["bob"]),
        ("- ```\n  a\n     ```\n@bob", vec!["bob"]),
        ("-> @alice", vec!["alice"]),
        ("-``` @alice", vec!["alice"]),
        ("1234567890. > @alice", vec!["alice"]),
    ] {
        assert_eq!(names(text), expected, "{text}");
    }
}

#[test]
fn a_mention_has_its_place_and_its_surroundings() {
    let text = "hi ＠Alice\n> @bob\nsee `@a` at https://x.test/ @all\n```\nx";
    let names: Vec<_> = places(text, &members())
        .into_iter()
        .map(|place| (text[place.range].to_owned(), place.name, place.is_speech))
        .collect();
    let place = |text: &str, name: &str, speech| (text.to_owned(), name.to_owned(), speech);
    assert_eq!(
        names,
        [
            place("＠Alice", "alice", true),
            place("@bob", "bob", false),
            place("@a", "a", false),
            place("@all", "all", true)
        ]
    );
    let asides: Vec<_> =
        asides(text).into_iter().map(|aside| (&text[aside.range], aside.kind)).collect();
    assert_eq!(
        asides,
        [
            ("> @bob\n", AsideKind::Quoted),
            ("`@a`", AsideKind::Code),
            ("://x.test/", AsideKind::Url),
            ("```\n", AsideKind::Fenced),
            ("x", AsideKind::Fenced)
        ]
    );
}

#[test]
fn unknown_names_are_reported_once() {
    let found = parse("@carol @carol @alicia-x- @9lives @types/node @all", &members());
    assert_eq!(found.unresolved, ["carol", "alicia-x"]);
    assert!(found.all);
    assert!(found.resolved.is_empty());
}

#[test]
fn data_beside_a_mention_is_no_part_of_it() {
    assert_eq!(names(&format!("@alice{DATA}")), ["alice"]);
    assert_eq!(names(&format!("{DATA}@alice")), ["alice"]);
    assert_eq!(names(&format!("@{DATA}alice")), Vec::<String>::new());
}

#[test]
fn of_very_many_words_that_name_nobody_the_first_are_told() {
    let words: Vec<_> = (0..100).map(|n| format!("@n{n}")).collect();
    let found = parse(&format!("{} @alice", words.join(" ")), &members());
    assert_eq!(found.unresolved.len(), TOLD);
    assert_eq!((found.unresolved[0].as_str(), found.unresolved[49].as_str()), ("n0", "n49"));
    assert_eq!(found.resolved.len(), 1);
}
