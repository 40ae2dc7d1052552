//! Texts made to be slow.

use std::time::{Duration, Instant};

use crate::{
    file::WorkflowFile,
    script::Script,
    yaml::{Decoded, decode, tests::Team},
};

const SIZE: usize = 1 << 17;

/// More than any of them takes on a busy machine, and far less than what grows with the square.
const LONG: Duration = Duration::from_mins(1);

/// Lines of `each` bytes each, `SIZE` bytes together.
fn lines(each: usize, line: impl Fn(usize) -> String) -> String {
    (0..SIZE / each).map(line).collect()
}

fn takes_no_longer_than_others<T>(texts: &[String], read: impl Fn(&str) -> Decoded<T>) {
    for text in texts {
        let began = Instant::now();
        drop(read(text));
        let took = began.elapsed();
        let start: String = text.chars().take(60).collect();
        assert!(took < LONG, "{start}… took {took:?}");
    }
}

#[test]
fn a_text_made_to_be_slow_is_as_fast_as_others() {
    let bomb = |n: usize| {
        let last = n.saturating_sub(1);
        format!("a{n}: &a{n} [*a{last}, *a{last}, *a{last}]\n")
    };
    let texts = [
        "a: &a [x]\nb: ".to_owned() + &"*a ".repeat(SIZE / 3),
        lines(40, bomb),
        "[".repeat(SIZE),
        "{".repeat(SIZE),
        "- ".repeat(SIZE / 2),
        "? ".repeat(SIZE / 2),
        "a: ".repeat(SIZE / 3),
        "&a ".repeat(SIZE / 3),
        "!a ".repeat(SIZE / 3),
        "'".repeat(SIZE),
        format!("name: \"{}\"", "\\n".repeat(SIZE / 2)),
        format!("name: |\n{}", "  a\n".repeat(SIZE / 4)),
        format!("name: >\n{}", "  a\n\n".repeat(SIZE / 5)),
        format!("name: a\n{}", "  a\n".repeat(SIZE / 4)),
        "#\n".repeat(SIZE / 2),
        " ".repeat(SIZE),
        "\n".repeat(SIZE),
        "--- a\n".repeat(SIZE / 6),
        lines(9, |n| format!("k{n}: x\n")),
        "name: x\n".repeat(SIZE / 8),
        lines(11, |n| format!("k{n}: &a\n")) + "x: [",
    ];
    takes_no_longer_than_others(&texts, decode::<Team>);
}

#[test]
fn a_workflow_file_made_to_be_slow_is_as_fast_as_others() {
    let params = format!("params:\n{}", lines(33, |n| format!("  k{n}: x\n")));
    let unknown: String = lines(SIZE / 60, |n| format!("u{n}: x\n"));
    let texts = [
        format!("{params}agents:\n{}", "  A: [\n".repeat(90)),
        params + &unknown,
        format!("kickoff: {}", "${{a}}".repeat(SIZE / 6)),
        format!("kickoff: |\n{}", "  ${{a}}\n".repeat(SIZE / 9)),
        format!("setup: [{}]", lines(23, |n| format!("{{shell: x, as: o{n}}},"))),
        format!("setup: [{}]", "{shell: x, as: o},".repeat(SIZE / 18)),
        format!("agents: {{{}}}", lines(22, |n| format!("a{n}: {{max_steps: 0}},"))),
    ];
    takes_no_longer_than_others(&texts, WorkflowFile::parse);
}

#[test]
fn a_script_made_to_be_slow_is_as_fast_as_others() {
    let calls = lines(23, |n| format!("{{ call: t, as: o{n} }},"));
    let texts = [
        format!("- do: [{{ say: {:?} }}]", "${{a}}".repeat(SIZE / 6)),
        format!("- do: [{{ say: {:?} }}]", "${{match.a}}".repeat(SIZE / 12)),
        format!("- do:\n  - say: |\n{}", "      ${{a}}\n".repeat(SIZE / 13)),
        format!("- do: [{}]", "{ say: '${{a}}' },".repeat(SIZE / 18)),
        format!("- do: [{calls}{{ say: '${{{{a}}}}' }}]"),
        format!("- do: [{{ call: t, with: {{ a: [{}] }} }}]", "'${{a}}',".repeat(SIZE / 9)),
        format!(
            "- do: [{{ call: t, with: {{ {} }} }}]",
            lines(16, |n| format!("k{n}: '${{{{a}}}}',"))
        ),
        "- { do: [] }\n".repeat(SIZE / 13),
        lines(40, |n| format!("- {{ when: '[a-z]{n}', do: [] }}\n")),
        lines(150, |n| format!("- {{ when: '[a-z]{n}', do: [] }}\n")) + &"- {}\n".repeat(60),
    ];
    takes_no_longer_than_others(&texts, Script::parse);
}
