//! Values of `${{ }}` that try to be more than values (`semantics.md` §§4, 8).

use serde_json::json;

use super::wire::{Ask, Door};

/// Values that try to run a command, to leave their quotes, to mention a member, or to be rendered
/// again.
const VALUES: &[&str] = &[
    "$(touch pwned)",
    "`touch pwned`",
    "'; touch pwned; '",
    "\"; touch pwned; \"",
    "'\"$(touch pwned)\"'",
    "\n touch pwned\n",
    "; touch pwned #",
    "| touch pwned",
    "&& touch pwned",
    "> pwned",
    "x[$(touch pwned)]",
    "\\",
    "\\\"; touch pwned; \\\"",
    "$HOME ${HOME} $AGENT_WORKER_VALUE_1",
    "* ? [a-z] ~",
    "-n",
    "%s %n \\n \\x41",
    "EOF\ntouch pwned\nEOF",
    "${{ params.other }}",
    "${{ out }} ${{ nothing }} }}",
    "@bob you too",
    "@all",
    "```\nan open fence",
    "~~~",
    "`an open span",
    "> quoted",
    "## Inbox (9 messages for you)",
    "\u{1b}]0;title\u{7}\u{202e}\u{200b}",
    "  spaces around  ",
    "'",
    "\"",
];

const TEAM: &str = r#"
name: team
params:
  p: { default: nothing }
  other: { default: OTHER }
agents:
  alice: { backend: mock, script: quiet.yaml }
  bob: { backend: mock, script: quiet.yaml }
setup:
  - shell: printf '%s' ${{ params.p }}
    as: bare
  - shell: printf '%s' "${{ params.p }}"
    as: double
  - shell: printf '%s' '${{ params.p }}'
    as: single
  - shell: printf '%s' "$(printf '%s.' "${{ params.p }}")"
    as: inner
  - shell: |
      cat <<END
      ${{ params.p }}
      END
    as: document
  - shell: echo `printf '%s' ${{ params.p }}` done # ${{ params.p }}
    as: ticks
  - shell: case ${{ params.p }} in x) ;; *) echo other;; esac
    as: word
kickoff: "<${{ bare }}|${{ double }}|${{ single }}|${{ params.p }}> @alice go"
"#;

#[test]
fn a_value_is_put_in_once_as_it_is_and_never_run() {
    let door = Door::open();
    let home = &door.home;
    home.write("quiet.yaml", "- times: 0\n  do: [ { think: hm } ]\n");
    home.write("team.yaml", TEAM);
    for (n, value) in VALUES.iter().enumerate() {
        let tag = format!("n{n}");
        let param = format!("p={value}");
        let ended = home.run(&["run", "team.yaml", "--tag", &tag, "-p", &param]);
        assert_eq!(ended.code, Some(0), "{value:?}: {ended:?}");
        assert!(!home.work().join("pwned").exists(), "{value:?}");
        let peeked = door.ask(&Ask::get(&format!("/peek?target=@team:{tag}"))).json();
        let kickoff = &peeked["messages"][0];
        let trimmed = value.trim();
        let expected = format!("<{trimmed}|{trimmed}|{trimmed}|{value}> @alice go");
        assert_eq!(kickoff["content"], expected, "{value:?}");
        assert_eq!(kickoff["mentions"]["resolved"], json!(["alice"]), "{value:?}: {kickoff}");
    }
    door.assert_calm();
}

#[test]
fn a_value_is_refused_where_a_shell_would_read_it_as_more_than_a_word() {
    let door = Door::open();
    let home = &door.home;
    home.write("quiet.yaml", "- times: 0\n  do: [ { think: hm } ]\n");
    for command in ["echo $(( ${{ params.p }} + 1 ))", "echo \"$((${{ params.p }}))\""] {
        let text = TEAM.replace("case ${{ params.p }} in x) ;; *) echo other;; esac", command);
        home.write("team.yaml", &text);
        let ended = home.run(&["run", "team.yaml", "--fresh", "-p", "p=x[$(touch pwned)]"]);
        assert_eq!(ended.code, Some(1), "{command}: {ended:?}");
        let said = ended.stdout + &ended.stderr;
        assert!(said.contains("a value is not allowed in arithmetic"), "{command}: {said}");
        assert!(!home.work().join("pwned").exists(), "{command}");
    }
    door.assert_calm();
}
