//! How a thing and its workflow are named on the command line.

use crate::{
    hostile::terminal::on_terminal,
    support::{Finished, Home, Team, mock},
};

/// A home with a workflow `news`, whose agent has said something.
fn news() -> Home {
    let home = Home::new();
    let team = Team::new("news", "@ivy go").agent("ivy", &mock("- say: the headline"));
    home.ok(&["run", &team.write(&home), "--quiet"]);
    home
}

/// Runs the hint of a refusal, which must work.
pub fn pasted(home: &Home, refused: &Finished) -> String {
    assert_ne!(refused.code, Some(0), "{refused:?}");
    let hint = refused.stderr.lines().find_map(|line| line.strip_prefix("hint: "));
    let hint = hint.unwrap_or_else(|| panic!("no hint: {refused:?}"));
    let rest = hint.strip_prefix("agent-worker ").unwrap_or_else(|| panic!("no command: {hint}"));
    in_shell(home, &format!("exec {} {rest}", crate::support::PROGRAM))
}

/// Runs a line in the user's shell, which must work.
pub fn in_shell(home: &Home, line: &str) -> String {
    let shell = home.command(&[]);
    let mut command = std::process::Command::new("sh");
    command.args(["-c", line]).env_clear().current_dir(home.work());
    command.envs(shell.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = command.output().expect("sh runs");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{line}: {told}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_plain_name_is_that_of_a_workflow_where_nothing_else_has_it() {
    let home = news();
    assert_eq!(home.ok(&["peek", "news"]), home.ok(&["peek", "@news"]));
    assert!(home.ok(&["runs", "news"]).contains("ivy@news"));
    assert_eq!(home.json(&["info", "news"])["scope"], "@news");
    assert_eq!(home.ok(&["why", "news"]), home.ok(&["why", "@news"]));
    assert_eq!(home.ok(&["limits", "news"]), home.ok(&["limits", "@news"]));
    home.ok(&["start", "news.yaml", "--background"]);
    home.ok(&["stop", "news"]);
    assert_eq!(home.json(&["info", "news:main"])["state"], "stopped");

    // An agent of this name comes first.
    home.ok(&["new", "news", "--backend", "mock", "--script", "news-ivy.yaml"]);
    assert_eq!(home.json(&["info", "news"])["agent"]["target"], "news");
}

#[test]
fn what_cannot_be_undone_is_asked_for_by_its_whole_name() {
    let home = news();
    let refused = home.run(&["drop", "news"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("hint: agent-worker drop @news\n"), "{refused:?}");
    let refused = home.run(&["rm", "news"]);
    assert!(refused.stderr.contains("hint: agent-worker rm @news"), "{refused:?}");
    pasted(&home, &refused);
    assert_eq!(home.run(&["info", "@news"]).code, Some(1));
}

#[test]
fn an_agent_of_another_workflow_is_named_whole() {
    let home = news();
    let refused = home.run(&["stop", "ivy"]);
    assert!(refused.stderr.contains("hint: agent-worker stop ivy@news"), "{refused:?}");
    pasted(&home, &refused);
    assert_eq!(home.json(&["info", "ivy@news"])["agent"]["wanted"], "stopped");
    let asked = home.run(&["ask", "news", "what is new?"]);
    assert_eq!(asked.code, Some(2), "{asked:?}");
    assert!(pasted(&home, &asked).contains("ivy"));
}

#[test]
fn a_document_is_named_with_and_without_options() {
    let home = news();
    home.ok(&["doc", "write", "article.md", "@news", "# News"]);
    let piped = home.run_with(&["doc", "append", "@news", "article.md", "-"], "more\n");
    assert_eq!(piped.code, Some(0), "{piped:?}");
    let text = home.ok(&["doc", "read", "article.md", "@news"]);
    assert_eq!(text, home.ok(&["doc", "read", "--file", "article.md", "--in", "@news"]));
    assert!(text.starts_with("# News") && text.ends_with("more\n"), "{text}");
    assert!(home.ok(&["doc", "list", "@news"]).contains("article.md"));
    assert!(home.ok(&["doc", "history", "article.md", "@news"]).contains('2'));
    home.ok(&["doc", "owner", "article.md", "@news", "ivy"]);
    assert!(home.ok(&["doc", "owner", "article.md", "@news"]).contains("ivy"));

    let twice = home.run(&["doc", "read", "article.md", "--file", "other.md"]);
    assert_eq!(twice.code, Some(2), "{twice:?}");
}

#[test]
fn a_path_is_not_written_as_the_text_of_a_document() {
    let home = news();
    let told = on_terminal(&home, &["doc", "write", "article.md"]).screen;
    assert!(told.contains("hint: agent-worker doc write article.md -"), "{told}");
    let written = home.run_with(&["doc", "write", "article.md", "-"], "# News\n");
    assert_eq!(written.code, Some(0), "{written:?}");
    assert_eq!(home.ok(&["doc", "read", "article.md"]), "# News\n");
}

#[test]
fn a_pipe_has_the_text_of_a_document_whose_path_is_named() {
    let home = news();
    for (action, text, whole) in [("write", "one\n", "one\n"), ("append", "two\n", "one\ntwo\n")] {
        let piped = home.run_with(&["doc", action, "g.md"], text);
        assert_eq!(piped.code, Some(0), "{piped:?}");
        assert_eq!(home.ok(&["doc", "read", "g.md"]), whole);
    }
    let empty = home.run(&["doc", "write", "g.md"]);
    let missing = "missing text: `g.md` looks like a path, and standard input is empty\n";
    assert!(empty.stderr.contains(missing), "{empty:?}");
}

#[test]
fn a_list_of_a_workflow_is_called_by_its_name_where_an_agent_is_named() {
    let home = news();
    for (command, list) in
        [("proposal", "proposals"), ("resource", "resources"), ("group", "conversations")]
    {
        let refused = home.run(&[command, "list", "ivy@news"]);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        let told = format!("only a workflow has a list of {list}: `ivy@news` is not a workflow\n");
        assert!(refused.stderr.contains(&told), "{refused:?}");
        pasted(&home, &refused);
    }
}
