//! Commands with values at every place of them, run by the shells that are here.

use std::process::Stdio;

use proptest::prelude::*;

use super::*;
use crate::cases::cases;

/// A word of a command with values in it, and what stands around the values in the end.
#[derive(Debug, Clone)]
struct Word {
    text: String,
    around: Vec<String>,
}

const VALUE: &str = "${{ v }}";

fn sides(of: &'static str, wrap: impl Fn(&str, &str) -> String) -> impl Strategy<Value = Word> {
    (of, of).prop_map(move |(before, after)| Word {
        text: wrap(&before, &after),
        around: vec![before, after],
    })
}

/// Words that a shell makes one argument of.
fn word() -> impl Strategy<Value = Word> {
    let price = Word {
        text: format!("\"costs ${VALUE}, \\$(2)${VALUE}\""),
        around: ["costs $", ", $(2)$", ""].map(str::to_owned).to_vec(),
    };
    let leaf = prop_oneof![
        3 => sides("[a-zé.,:=+@%^-]{0,4}", |a, b| format!("{a}{VALUE}{b}")),
        3 => sides("[a-z '(){};&|#.]{0,4}", |a, b| format!("\"{a}{VALUE}{b}\"")),
        3 => sides("[a-z \"(){};&|#$`\\\\]{0,4}", |a, b| format!("'{a}{VALUE}{b}'")),
        2 => sides("[a-z '\"(){};&|#.]{0,6}", |a, b| {
            format!("\"$(cat <<END\n{a}{VALUE}{b}\nEND\n)\"")
        }),
        1 => Just(price),
    ];
    leaf.prop_recursive(2, 4, 1, |inner| {
        // What a substitution gives ends in no line break, and so in a mark here.
        let inside = prop::sample::select(vec![
            "\"$(printf %s. W)\"",
            "\"$( (printf %s. W) )\"",
            "\"$(: '(' \"(\" # don't\nprintf %s. W)\"",
            "\"${none:-$(printf %s. W)}\"",
            "$(: W)''\"$(printf %s. W)\"",
        ]);
        (inner, inside).prop_map(|(word, inside)| {
            let mut around = word.around;
            around.last_mut().unwrap().push('.');
            Word { text: inside.replace('W', &word.text), around }
        })
    })
}

/// What may stand before a command and changes nothing of it.
fn before() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "",
        "# don't",
        ": a#b \"c#d\" # it's \"",
        ": $#",
        ": `: \"a\"`",
        ": \"`: a`\"",
        ": ${x#'}'} \"${x%(*}\" ${x:-(}",
        ": <<END\ndon't \"\nEND",
        ": <<'END' <<-\"OTHER\"\nit's ${\nEND\n(\n\tOTHER",
        ": \\' \\\" \"\\\"'\"",
        "(: ')')",
        ": $((1 + (2)))",
    ]);
    prop::collection::vec(line, 0..3).prop_map(|mut lines| {
        lines.push("");
        lines.join("\n")
    })
}

fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z \t\n'\"$`\\\\*?~#;&|<>(){}\\[\\]!=-]{0,12}x",
        Just("a b'; echo \"$(echo pwned)\" `echo pwned` $HOME * \\x".to_owned()),
    ]
}

/// What a command puts out, both ways.
fn run(shell: &str, command: &Command) -> String {
    let folder = std::env::temp_dir();
    let output = std::process::Command::new(shell)
        .args(["-c", &command.text])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .envs(&command.env)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// `sh`, and a shell that knows more, where there is one: some systems have it for `sh`.
fn shells() -> Vec<&'static str> {
    let is_here = |shell: &&str| {
        let mut command = std::process::Command::new(shell);
        command.args(["-c", ":"]).stdin(Stdio::null()).status().is_ok()
    };
    ["sh", "bash"].into_iter().filter(is_here).collect()
}

/// Pieces of commands, in any order. `V` is a value.
fn soup() -> impl Strategy<Value = String> {
    const PIECES: &str = "echo ·a· ·\n·;·|·&&·'·\"·`·\\·$·(·)·$(·]·${x:-·}·#· # ·<<E\n·\nE\n·<<'E'\n·\
        case a in a)·esac·{ ·;}·((·))·$((·$[·${x[·${x:·V·V·V·V·\
        ((V))·((a=V))·$((V))·$[V]·${x[V]}·${x:V}·${x:a:V}·${!V}·\"$((V))\"·$(V)·`V`·'V'·\"V\"";
    let piece = prop::sample::select(PIECES.split('·').collect::<Vec<_>>());
    prop::collection::vec(piece, 1..12).prop_map(|pieces| pieces.concat().replace('V', VALUE))
}

proptest! {
    #![proptest_config(cases(80))]

    #[test]
    fn a_value_is_one_word_wherever_it_stands(before in before(), word in word(), value in hostile()) {
        let text = format!("{before}printf '<%s>' {}", word.text);
        let command = render(&text, |_| Some(value.clone())).unwrap();
        for shell in shells() {
            let expected = format!("<{}>", word.around.join(&value));
            prop_assert_eq!(run(shell, &command), expected, "{} {}", shell, command.text);
        }
    }

    #[test]
    fn a_value_is_no_code_wherever_it_stands(soup in soup()) {
        const ELEMENT: &str = "a[$(expr 600 + 66)]";
        const ALL: &str =
            "$(expr 600 + 66)`expr 600 + 66`';expr 600 + 66;'\";expr 600 + 66;\"\nexpr 600 + 66\n";
        for value in [ELEMENT, ALL] {
            let Ok(command) = render(&soup, |_| Some(value.to_owned())) else { continue };
            for shell in shells() {
                let said = run(shell, &command);
                prop_assert!(!said.contains("666"), "{shell}: {said}\n{}", command.text);
            }
        }
    }

    #[test]
    fn a_command_without_values_stays_as_it_is(soup in soup()) {
        let text = soup.replace(VALUE, "v");
        let command = render(&text, |_| None).unwrap();
        prop_assert_eq!(command, Command { text, env: BTreeMap::new() });
    }
}
