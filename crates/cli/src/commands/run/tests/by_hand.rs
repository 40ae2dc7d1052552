use std::collections::BTreeMap;

use super::*;

#[test]
fn the_command_works_when_it_is_pasted() {
    let mut by_hand = ByHand {
        program: "codex".to_owned(),
        args: ["resume", "0a-1"].map(str::to_owned).into(),
        env: [("CODEX_HOME".to_owned(), "/srv/my keep".to_owned())].into(),
        declared: BTreeMap::new(),
    };
    assert_eq!(
        line(&by_hand, Some("/srv/it's")),
        "cd '/srv/it'\\''s' && CODEX_HOME='/srv/my keep' codex resume 0a-1"
    );
    let set = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    by_hand.declared =
        [set("A_URL", "http://a/?b c"), set("A_KEY", "$KEY"), set("CODEX_HOME", "/no")].into();
    assert_eq!(
        line(&by_hand, None),
        concat!(
            "A_KEY=\"$",
            "{KEY?}\" A_URL='http://a/?b c' CODEX_HOME='/srv/my keep' codex resume 0a-1"
        )
    );
    by_hand.declared.clear();
    by_hand.env.clear();
    by_hand.args = vec!["; rm -rf x".to_owned()];
    assert_eq!(line(&by_hand, None), "codex '; rm -rf x'");
}

#[test]
fn a_command_is_refused_in_a_shell_and_by_exec_while_a_variable_is_not_set() {
    let by_hand = ByHand {
        program: "sh".to_owned(),
        args: ["-c", "echo \"$A_KEY\""].map(str::to_owned).into(),
        env: BTreeMap::new(),
        declared: [("A_KEY".to_owned(), "k-$_NO_KEY".to_owned())].into(),
    };
    let pasted = |value: Option<&str>| {
        let mut shell = Command::new("sh");
        shell.args(["-c", &line(&by_hand, None)]).envs(value.map(|value| ("_NO_KEY", value)));
        shell.output().unwrap()
    };
    let refused = pasted(None);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && said.contains("_NO_KEY"), "{refused:?}");
    assert!(refused.stdout.is_empty(), "{refused:?}");
    for value in ["", "a b'$c"] {
        let told = String::from_utf8(pasted(Some(value)).stdout).unwrap();
        assert_eq!(told, format!("k-{value}\n"));
    }
    let refused = exec(RunId::new(1), &by_hand, None).to_string();
    let why = "`_NO_KEY`, which the agent's program needs, is not set";
    assert_eq!(refused, format!("cannot resume run_1: {why}"));
}

#[test]
fn no_program_is_started_in_another_folder() {
    let by_hand = ByHand {
        program: "/nowhere/codex".to_owned(),
        args: Vec::new(),
        env: [("CODEX_HOME".to_owned(), "/nowhere".to_owned())].into(),
        declared: BTreeMap::new(),
    };
    let refused = exec(RunId::new(1), &by_hand, Some("/nowhere/work")).to_string();
    assert_eq!(refused, "cannot resume run_1: folder not found: /nowhere/work");
}
