//! The daemon of another machine: commands that are shown are for that daemon.

use agent_worker_client::{mirror::Mirror, remote::ssh_line};
use agent_worker_protocol::provider::EXAMPLE_MODEL;

use super::{Story, snapshot};
use crate::{
    app::Msg,
    model::{Act, Reach, Window},
};

fn on_box(mut story: Story) -> Story {
    story.app.model.connection.is_remote = true;
    story.app.model.connection.host = "me@box".to_owned();
    story
}

#[test]
fn commands_of_a_shell_are_for_the_daemon_that_is_shown() {
    let mut story = on_box(Story::review());
    story.select_agent("coder@review").press(":").type_in("stop");
    let palette = story.overlay();
    assert!(palette.contains("in a shell: agent-worker --host me@box stop"), "{palette}");
    let connection = &story.app.model.connection;
    let both = Act::Stop(vec!["a@x".parse().unwrap(), "b@x".parse().unwrap()]).shell();
    assert_eq!(
        connection.in_shell(&both),
        "agent-worker --host me@box stop a@x; agent-worker --host me@box stop b@x"
    );
    assert_eq!(
        connection.at_its_machine("agent-worker daemon logs"),
        ssh_line("me@box", "agent-worker daemon logs")
    );
}

/// A daemon with nothing in it.
fn empty() -> Story {
    let mut snapshot = snapshot();
    snapshot.workflows.truncate(1);
    snapshot.agents.truncate(1);
    snapshot.groups.truncate(1);
    snapshot.runs.clear();
    Story::of(snapshot)
}

#[test]
fn a_command_without_room_goes_on_behind_a_backslash() {
    let screen = empty().screen();
    let rows: Vec<&str> = screen.lines().map(str::trim_end).collect();
    let at = rows.iter().position(|row| row.ends_with("  agent-worker new alice --model \\"));
    let at = at.unwrap_or_else(|| panic!("{screen}"));
    assert!(rows[at + 1].ends_with(&format!("    {EXAMPLE_MODEL}")), "{screen}");
    assert!(screen.contains("agent-worker start workflow.yaml --tag pr-123"), "{screen}");
}

#[test]
fn hints_for_a_shell_are_for_the_daemon_that_is_shown() {
    let empty = on_box(empty()).sized(120, 40).screen();
    let on = "agent-worker --host me@box";
    assert!(empty.contains(&format!("{on} new alice")), "{empty}");
    let mut story = on_box(Story::review());
    story.app.open(Window::NewAgent);
    let form = story.overlay();
    assert!(form.contains(&format!("in a shell: {on} new NAME")), "{form}");
    let mut stranger = on_box(Story::review());
    let problem = "unknown member `ghost`".to_owned();
    stranger.app.model.connection.stranger = Some((problem, Mirror::default()));
    let screen = stranger.screen();
    assert!(screen.contains(&format!("`{on} list` shows who there is.")), "{screen}");
}

/// `--host` does not start workflows: the daemon needs their folder.
#[test]
fn a_workflow_of_another_machine_is_started_there() {
    let mut story = on_box(empty()).sized(150, 40);
    let screen = story.screen();
    assert_eq!(screen.matches("  ssh -t me@box 'env").count(), 2, "init and start: {screen}");
    assert!(!screen.contains("--host me@box start"), "{screen}");
    story.press("s");
    let refused = story.overlay();
    assert!(refused.contains("its folder must be on me@box"), "{refused}");
    assert!(refused.contains("agent-worker start FILE -d"), "{refused}");
}

#[test]
fn without_a_daemon_there_the_machine_is_named() {
    let mut story = on_box(Story::blank());
    let looked_at = "me@box".to_owned();
    story.tell(Msg::Reach(Reach::Nobody { looked_at, problem: None, is_starting: false }, None));
    let screen = story.screen();
    assert!(screen.contains("No daemon was found on me@box."), "{screen}");
    assert!(!screen.contains("agent-worker run"), "{screen}");
}

#[test]
fn a_machine_that_cannot_be_reached_is_told_apart_from_one_without_a_daemon() {
    let mut story = on_box(Story::blank()).sized(120, 40);
    let problem = Some("cannot reach me@box: Connection refused".to_owned());
    let looked_at = "me@box".to_owned();
    story.tell(Msg::Reach(Reach::Nobody { looked_at, problem, is_starting: false }, None));
    let screen = story.screen();
    let title = "The daemon on me@box cannot be reached.";
    for shown in [title, "UNREACHABLE", "Connection refused", "R   try again"] {
        assert!(screen.contains(shown), "{shown}: {screen}");
    }
    for hidden in ["NO DAEMON", "start the daemon", "start daemon", "its log"] {
        assert!(!screen.contains(hidden), "{hidden}: {screen}");
    }
}

#[test]
fn without_a_daemon_what_is_told_is_seen_and_nothing_is_written() {
    let mut story = Story::blank();
    let looked_at = "~/.agent-worker".to_owned();
    story.tell(Msg::Reach(Reach::Nobody { looked_at, problem: None, is_starting: false }, None));
    story.press("L");
    assert!(story.screen().contains("agent-worker daemon logs"), "{}", story.screen());
    story.press("i");
    assert!(!story.app.model.writing.composer.is_open);
    let told = "not connected: nothing can be written yet";
    assert!(story.screen().contains(told), "{}", story.screen());
}

#[test]
fn nothing_is_written_while_the_state_of_a_daemon_that_was_found_is_loaded() {
    let mut story = Story::blank();
    story.tell(Msg::Reach(Reach::Found, None)).press("i");
    assert!(!story.app.model.writing.composer.is_open);
    let screen = story.screen();
    assert!(screen.contains("not connected: nothing can be written yet"), "{screen}");
}
