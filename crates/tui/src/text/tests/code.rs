use proptest::prelude::*;

use super::*;
use crate::cases::cases;

fn told(language: &str, lines: &[&str]) -> Vec<String> {
    let mut code = Code::of(language);
    let piece = |(text, role): &(Ink, Role)| match role {
        Role::Text => text.as_str().to_owned(),
        role => format!("<{role:?} {}>", text.as_str()),
    };
    lines.iter().map(|line| code.row(line).spans.iter().map(piece).collect()).collect()
}

#[test]
fn what_matters_in_code_stands_out() {
    assert_eq!(
        told("rust", &["fn len(&'a self) -> usize { // it's 3", "'x' /* one", "two */ 0x1f"]),
        [
            "<Accent fn> len(&'a <Accent self>) -> usize { <Dim // it's 3>",
            "<Ok 'x'> <Dim /* one>",
            "<Dim two */> <Wait 0x1f>",
        ]
    );
    assert_eq!(
        told("sh", &["echo \"a # b\" $# # done", "if true; then"]),
        [
            "echo <Ok \"a # b\"> <Running $#> <Dim # done>",
            "<Accent if> <Accent true>; <Accent then>",
        ]
    );
    assert_eq!(told("SQL", &["SELECT a FROM b"]), ["<Accent SELECT> a <Accent FROM> b"]);
    assert_eq!(told("", &["for what it is"]), ["<Accent for what it is>"]);
}

#[test]
fn types_keys_variables_and_long_texts_stand_out() {
    assert_eq!(
        told("rs", &["let Some(x) = HashMap::of() else { MAX };"]),
        ["<Accent let> <Running Some>(x) = <Running HashMap>::of() <Accent else> { MAX };"]
    );
    assert_eq!(
        told("py", &["a = \"\"\"one", "two # no", "three\"\"\" + Path(b)"]),
        ["a = <Ok \"\"\"one>", "<Ok two # no>", "<Ok three\"\"\"> + <Running Path>(b)"]
    );
    assert_eq!(told("ts", &["f(`a ${b}`, `c", "d`)"]), ["f(<Ok `a ${b}`>, <Ok `c>", "<Ok d`>)"]);
    assert_eq!(
        told("json", &["{ \"a\": \"b\", \"c\": [1, true] }"]),
        ["{ <Running \"a\">: <Ok \"b\">, <Running \"c\">: [<Wait 1>, <Accent true>] }"]
    );
    assert_eq!(
        told("yaml", &["- run-it: http://x # y", "  when: a:b"]),
        ["- <Running run-it>: http://x <Dim # y>", "  <Running when>: a:b"]
    );
    assert_eq!(told("toml", &["a.b = 'c'"]), ["<Running a.b> = <Ok 'c'>"]);
    assert_eq!(
        told("sh", &["echo $HOME/${x} $1 $"]),
        ["echo <Running $HOME>/<Running ${x}> <Running $1> <Running $>"]
    );
}

#[test]
fn the_lines_of_a_patch_look_like_what_they_are() {
    let lines = ["--- a/x", "+++ b/x", "@@ -1 +1 @@", "-old", "+new", " same"];
    assert_eq!(
        told("diff", &lines),
        [
            "<Strong --- a/x>",
            "<Strong +++ b/x>",
            "<Accent @@ -1 +1 @@>",
            "<Removed -old>",
            "<Added +new>",
            " same",
        ]
    );
    assert!(is_patch(&lines.join("\n")) && is_patch("diff --git a/x b/x\n"));
    assert!(!is_patch("- one\n- two\n+ three\n") && !is_patch("---\ntitle: x\n---\n"));
}

#[test]
fn a_long_line_of_code_is_not_read_again_for_each_of_its_letters() {
    for (name, line) in [
        ("json", " ".repeat(200_000)),
        ("json", format!("1{}1", " ".repeat(200_000))),
        ("yaml", "a-".repeat(100_000)),
        ("toml", "a.".repeat(100_000)),
        ("rust", "'\\".repeat(100_000)),
        ("java", "\\'".repeat(100_000)),
    ] {
        assert_eq!(Code::of(name).row(&line).text(), line, "{name}");
    }
    assert_eq!(told("yaml", &["- a-b: c"]), ["- <Running a-b>: c"]);
    assert_eq!(told("yaml", &["x a-b: c"]), ["x a-b: c"]);
    assert_eq!(told("rust", &["'\\u{1f}' 'x"]), ["<Ok '\\u{1f}'> <Ok 'x>"]);
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn no_letter_of_code_is_lost(
        name in prop_oneof!["rust", "py", "ts", "sql", "lua", "json", "yaml", "toml", "sh", "diff", ""],
        lines in proptest::collection::vec("(\"|'|`|\\\\|//|/\\*|\\*/|#|--|fn |中|\\$|\\{|\\}|: |= |Ab|[a-z0-9 ]){0,20}", 1..5),
    ) {
        let mut code = Code::of(&name);
        for line in &lines {
            prop_assert_eq!(&code.row(line).text(), line);
        }
    }
}
