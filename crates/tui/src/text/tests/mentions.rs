use agent_worker_protocol::Name;
use proptest::prelude::*;

use super::*;
use crate::{cases::cases, symbols::Set, text::mentions::inline};

fn names(names: &[&str]) -> Vec<Name> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

fn shown(text: &str, width: usize) -> Vec<Row> {
    let names = names(&["alice", "bob", "user"]);
    let reached = Reached { names: &names, all: true, person: &Name::person() };
    rows(&Clean::text(text), reached, Symbols::of(Set::Unicode), width)
}

/// Each row with its pieces, those that are not plain with their role.
fn told(rows: &[Row]) -> Vec<String> {
    let piece = |(text, role): &(Ink, Role)| match role {
        Role::Text => text.as_str().to_owned(),
        role => format!("<{role:?} {}>", text.as_str()),
    };
    rows.iter().map(|row| row.spans.iter().map(piece).collect()).collect()
}

#[test]
fn a_fence_that_is_code_of_a_block_is_shown_and_does_not_end_it() {
    let told = told(&shown("```md\na\n    ```\nb\n```\nend", 40));
    assert_eq!(told.len(), 5, "{told:#?}");
    assert!(told[2].contains("```"), "{told:#?}");
}

#[test]
fn whom_a_message_reaches_is_bold_and_the_person_stands_out() {
    for (text, row) in [
        ("@alice and @BOB, see", "<Strong @alice> and <Strong @BOB>, see"),
        ("@user should it?", "<Named @user> should it?"),
        ("@all look", "<Strong @all> look"),
        ("@carol is nobody here", "@carol is nobody here"),
        ("compare `seq`, not `@alice`", "compare <Accent `seq`>, not <Accent `@alice`>"),
        ("see https://x.test/@alice now", "see <Link https://x.test/@alice> now"),
        ("the log is in res_31 (long)", "the log is in <Link res_31> (long)"),
        ("no res_x nor ares_3 nor res_3b", "no res_x nor ares_3 nor res_3b"),
        ("**Note:** go", "<Strong Note:> go"),
        ("**for @user only** go", "<Strong for ><Named @user><Strong  only> go"),
        ("2 ** 3 ** 4 and `**`", "2 ** 3 ** 4 and <Accent `**`>"),
        ("**open `a**b`", "**open <Accent `a**b`>"),
        ("**`whole`** x", "<Accent `whole`> x"),
        ("an *old* and _new_ way", "an <Strong old> and <Strong new> way"),
        ("__both__ of ~~three~~", "<Strong both> of <Dim ~~><Dim three><Dim ~~>"),
        ("snake_case_name, 2*x*y, *.rs and *.md", "snake_case_name, 2*x*y, *.rs and *.md"),
        ("2 * 3 * 4 _ 5 _ ", "2 * 3 * 4 _ 5 _ "),
        ("*ask @bob*", "<Strong ask ><Strong @bob>"),
        (
            "see [the notes](https://x.test/a_b) and",
            "see <Link the notes><Dim  (><Link https://x.test/a_b><Dim )> and",
        ),
        ("![a plot](plot.png)", "<Link a plot><Dim  (><Link plot.png><Dim )>"),
        ("[https://x.test](https://x.test)", "<Link https://x.test>"),
        ("[ask @bob](a.md)", "<Link ask ><Strong @bob><Dim  (><Link a.md><Dim )>"),
        ("a[0](x y) and `[a](b)`", "a[0](x y) and <Accent `[a](b)`>"),
        ("[a](b](c) [d](e)", "<Link a><Dim  (><Link b](c><Dim )> <Link d><Dim  (><Link e><Dim )>"),
    ] {
        assert_eq!(told(&shown(text, 80)), [row], "{text}");
    }
}

#[test]
fn everyone_is_only_bold_if_everyone_was_reached() {
    let reached = Reached { names: &[], all: false, person: &Name::person() };
    let rows = rows(&Clean::text("@all @user"), reached, Symbols::of(Set::Unicode), 80);
    assert_eq!(told(&rows), ["@all @user"]);
}

#[test]
fn lists_quotes_and_code_keep_their_shape() {
    let text = "to do:\n- one two three\n  10. four five\n> quoted by @alice\n>> twice\n```sh\ncargo test -p\n```\nend";
    assert_eq!(
        told(&shown(text, 12)),
        [
            "to do:",
            "• one two",
            "  three",
            "  10. four",
            "      five",
            "<Dim ¦> <Dim quoted by>",
            "<Dim ¦> <Dim @alice>",
            "<Dim ¦> <Dim ¦> <Dim twice>",
            "<Dim sh>",
            "    cargo",
            "    test -p",
            "end",
        ]
    );
}

#[test]
fn headings_rules_and_tasks_look_like_what_they_are() {
    let text = "# To do, @bob\n- [x] one\n  - [ ] two three\n    + four\n---\n> - **five** six seven\n#6 is no heading";
    assert_eq!(
        told(&shown(text, 16)),
        [
            "<Title To do, ><Strong @bob>",
            "☑ one",
            "  ☐ two three",
            "    • four",
            "<Dim ────────────────>",
            "<Dim ¦> <Dim •><Dim  ><Strong five><Dim  six>",
            "<Dim ¦>   <Dim seven>",
            "#6 is no heading",
        ]
    );
}

#[test]
fn tables_and_code_are_shown_as_they_are_meant() {
    let text =
        "so:\n| case | now |\n|---|--:|\n| ack | 1 |\n\n```rust\nlet x = \"a\"; // why\n```\nok";
    let rows = shown(text, 40);
    let lines: Vec<String> = rows.iter().map(Row::text).collect();
    assert!(lines.iter().any(|line| line.contains("case │ now")), "{lines:#?}");
    assert!(!lines.iter().any(|line| line.contains("---") || line.contains("```")), "{lines:#?}");
    let code = told(&rows).into_iter().find(|line| line.contains("let")).unwrap();
    assert_eq!(code, "    <Accent let> x = <Ok \"a\">; <Dim // why>");
    assert_eq!(told(&shown("a | b\nno table", 40)), ["a | b", "no table"]);
}

#[test]
fn what_looks_like_many_links_is_read_once() {
    let seams = "](".repeat(200_000);
    for text in [seams.clone(), format!("[{seams}"), format!("[a{seams} )")] {
        let mut marks = Vec::new();
        inline::add(&text, &[], &mut marks);
        assert!(marks.is_empty(), "{marks:?}");
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn a_message_fits_and_loses_nothing_but_its_marks(
        text in prop_oneof![
            "[ a-z*`>@\n中-]{0,80}",
            "(@alice|@user|\\*\\*|\\*|_|~~|# |\\[|\\]\\(|\\)|`|```|~~~|> |- |1. |://|res_1| |\n|x|中){0,40}",
            any::<String>(),
        ],
        width in 0..120usize,
    ) {
        let rows = shown(&text, width);
        for row in &rows {
            prop_assert!(row.width() <= width, "{row:?}");
        }
        if width >= 12 {
            let kept = |text: &str| -> String {
                text.chars().filter(|c| !c.is_whitespace() && !"*->•¦`~_#─()![]".contains(*c)).collect()
            };
            let seen: String = rows.iter().map(Row::text).collect();
            prop_assert_eq!(kept(&seen), kept(Clean::text(&text).as_str()));
        }
    }
}
