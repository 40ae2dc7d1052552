mod properties;

use std::collections::BTreeMap;

use super::*;

/// What `printf '<%s>'` makes of a command's words.
fn run(command: &str, value: &str) -> String {
    let values = BTreeMap::from([("v".to_owned(), value.to_owned())]);
    let rendered = render(command, |name| values.get(name).cloned()).unwrap();
    let output = std::process::Command::new("sh")
        .args(["-c", &rendered.text])
        .envs(&rendered.env)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_value_is_one_word_wherever_it_stands() {
    let hostile = "a b'; echo \"$(echo pwned)\" `echo pwned` $HOME * \\";
    for command in [
        "printf '<%s>' ${{ v }}",
        "printf '<%s>' \"${{ v }}\"",
        "printf '<%s>' '${{ v }}'",
        "printf '<%s>' \"$(printf %s ${{ v }})\"",
        "printf '<%s>' \"$(printf %s \"${{ v }}\")\"",
        "# don't\nprintf '<%s>' ${{ v }}",
        "cat <<END >&2\ndon't\nEND\nprintf '<%s>' ${{ v }}",
        "cat <<'E O F' >&2\ndon't\nE O F\nprintf '<%s>' ${{ v }}",
        "printf '<%s>' \"`printf %s ${{ v }}`\"",
        "printf '<%s>' \"$(cat <<END\n${{ v }}\nEND\n)\"",
    ] {
        assert_eq!(run(command, hostile), format!("<{hostile}>"), "{command}");
    }
    assert_eq!(run("printf '<%s>' x${{ v }}y", "1 2"), "<x1 2y>");
    assert_eq!(run("printf '<%s>' \"\\$(${{ v }})\"", "1  2"), "<$(1  2)>");
    assert_eq!(run("printf '<%s>' \"$${{ v }}\" $${{ v }}", "1  2"), "<$1  2><$1  2>");
}

#[test]
fn a_value_is_no_part_of_arithmetic() {
    let values = BTreeMap::from([("v".to_owned(), "1".to_owned())]);
    for command in ["$((${{ v }}))", "\"$(( 2 * (1 + ${{ v }}) ))\"", "$(echo $((${{ v }})))"] {
        assert!(
            render(command, |name| values.get(name).cloned()).unwrap_err().contains("arithmetic"),
            "{command}"
        );
    }
    assert_eq!(run("printf %s $(( $(printf %s ${{ v }}) + 1 ))", "1"), "2");
    assert_eq!(run("printf %s $( (printf %s ${{ v }}) )", "1"), "1");
    assert_eq!(run("printf %s $((1))${{ v }}", "2"), "12");
}

#[test]
fn a_command_that_is_nested_without_end_takes_no_longer_than_others() {
    for open in ["(", "(\n", "$(", "${x:-"] {
        let begun = open.repeat((1 << 20) / open.len());
        let refused = render(&format!("{begun}${{{{ v }}}}"), |_| Some("1".to_owned()));
        assert!(refused.unwrap_err().contains("this deep"), "{open}");
        assert_eq!(render(&begun, |_| None).unwrap().text, begun);
    }
    let (open, close) = ("$(echo ".repeat(100), ")".repeat(100));
    assert_eq!(run(&format!("printf '<%s>' {open}${{{{ v }}}}{close}"), "1"), "<1>");
}

#[test]
fn a_value_that_no_command_takes_is_refused() {
    let values = BTreeMap::from([("v".to_owned(), "x".repeat(200_000))]);
    assert!(
        render("echo ${{ v }}", |name| values.get(name).cloned()).unwrap_err().contains("200000")
    );
    assert!(render("echo ${{ w }}", |name| values.get(name).cloned()).unwrap_err().contains('w'));
    let zero = render("echo ${{ v }}", |_| Some("a\0b".to_owned())).unwrap_err();
    assert_eq!(zero, "the value of `v` has a zero byte, which no command takes");
}

#[test]
fn a_value_does_not_stand_where_it_would_not_arrive_or_would_be_run() {
    for (command, why) in [
        ("((x = ${{ v }}))", "arithmetic"),
        ("echo $[${{ v }}]", "arithmetic"),
        ("echo ${x[${{ v }}]}", "arithmetic"),
        ("echo ${x:${{ v }}}", "arithmetic"),
        ("echo ${${{ v }}}", "arithmetic"),
        ("echo \\${{ v }}", "behind a `\\`"),
        ("echo \"\\${{ v }}\"", "behind a `\\`"),
        ("cat <<'END'\n${{ v }}\nEND\n", "in quotes"),
        ("cat <<${{ v }}\n", "in a name"),
    ] {
        let refused = render(command, |_| Some("1".to_owned())).unwrap_err();
        assert!(refused.contains(why), "{command}: {refused}");
    }
}
