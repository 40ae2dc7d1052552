use clap::{CommandFactory as _, Parser as _};

use super::*;

/// Commands that need a daemon only, wherever it is.
const DAEMON: &str = "new list info status stop resume wake rm ask serve sessions send peek \
                      inbox doc home context proposal schedule group resource search runs \
                      logs history questions answer why retry drop release cancel limits \
                      events tui token mcp-config mcp providers backends";

/// Commands that are refused on another machine's daemon, whole or in part.
const OTHERS: &str = "init run start check daemon backup restore doctor config keys web \
                      resume-in-terminal fake-model completions man remote-end";

#[test]
fn it_is_decided_for_every_command_what_it_needs() {
    let mut decided: Vec<_> = DAEMON.split(' ').chain(OTHERS.split(' ')).collect();
    let command = Cli::command();
    let mut all: Vec<_> = command.get_subcommands().map(clap::Command::get_name).collect();
    decided.sort_unstable();
    all.sort_unstable();
    assert_eq!(decided, all);
}

#[test]
fn hints_know_which_commands_need_the_machine_of_the_daemon() {
    for line in [
        "run x.yaml",
        "start x.yaml",
        "check x.yaml",
        "backup x.db",
        "restore x.db",
        "doctor",
        "config edit",
        "keys list",
        "providers update x.json",
        "providers",
        "daemon start",
        "daemon stop",
        "daemon restart",
        "daemon logs",
        "daemon status",
        "resume-in-terminal run_1",
        "list",
        "runs",
    ] {
        let words = ["agent-worker"].into_iter().chain(line.split(' '));
        let command = Cli::try_parse_from(words).unwrap().command.unwrap();
        let needs = matches!(command.needs(), Needs::Machine(_));
        assert_eq!(again::needs_machine(line), needs, "{line}");
    }
}

#[test]
fn the_option_of_the_daemon_stays_its_own() {
    let of = |line: &str| of(&Cli::try_parse_from(line.split(' ')).unwrap());
    for (line, to) in [
        ("agent-worker list --host me@box", "me@box"),
        ("agent-worker --host me@box daemon status", "me@box"),
        ("agent-worker daemon --host 0.0.0.0", ""),
        ("agent-worker daemon status", ""),
        ("agent-worker list --host here", "here"),
        ("agent-worker run file.yaml --host here", "here"),
        ("agent-worker web --revoke --host box", "box"),
        ("agent-worker --host here tui --host box", "box"),
        ("agent-worker tui --host here --host me@box --host box", "here me@box box"),
    ] {
        let found = of(line).unwrap();
        let name = |to: &Machine| to.as_ref().map_or(HERE.to_owned(), ToString::to_string);
        assert_eq!(found.iter().map(name).collect::<Vec<_>>().join(" "), to, "{line}");
    }
    for line in [
        "agent-worker web --host box",
        "agent-worker man --host box",
        "agent-worker list --host here --host box",
        "agent-worker tui --host box --host box",
        "agent-worker tui --linear --host here --host box",
        "agent-worker tui --as bob --host here --host box",
    ] {
        assert!(of(line).is_err(), "{line}");
    }
}
