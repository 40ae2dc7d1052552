//! `agent-worker completions` and `agent-worker man`

use std::{env, io, path::Path, process};

use agent_worker_protocol::shell::quoted;
use clap::{Arg, Args, Command, ValueEnum};
use clap_complete::{ArgValueCandidates, CompleteEnv, CompletionCandidate, env::Shells};

use super::config;
use crate::{
    complete,
    exit::Exit,
    parse::word,
    session::{Session, program},
};

/// The variable by which the shell asks for completions.
const VARIABLE: &str = "AGENT_WORKER_COMPLETE";

/// Function of bash that joins the words of a line before the program is asked.
const JOINED: &str = include_str!("completions.bash");

/// Where zsh is given what a word may be.
const DESCRIBED: [&str; 2] = ["_describe -V 'values' dirs", "_describe -V 'values' other"];

/// Of a file in `fpath`, zsh runs the script when it first needs a completion.
const AUTOLOADED: &str = "\
if [[ ${funcstack[1]} == _agent-worker ]]; then _clap_dynamic_completer_agent_worker \"$@\"; fi
";

/// `agent-worker completions`
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Shells that can be helped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// Bash
    Bash,
    /// Zsh
    Zsh,
    /// fish
    Fish,
}

/// Answers the shell, if it is the shell that asks, and ends. The settings are a TOML text with each
/// of them.
pub fn answer_shell(command: fn() -> Command, settings: fn() -> String) {
    let known = move || with_settings(command(), settings);
    let words = env::args_os().take(1).chain(complete::words().into_iter().map(Into::into));
    let folder = env::current_dir().ok();
    let complete = CompleteEnv::with_factory(known).var(VARIABLE);
    if complete.try_complete(words, folder.as_deref()).unwrap_or_else(|error| error.exit()) {
        process::exit(0);
    }
}

/// The command line, in which the keys of `config get` and `config set` are names of settings.
fn with_settings(command: Command, settings: fn() -> String) -> Command {
    let names = move || -> Vec<CompletionCandidate> {
        config::names(&settings()).into_iter().map(CompletionCandidate::new).collect()
    };
    let of_arg = |arg: Arg| {
        if arg.get_id() == "key" { arg.add(ArgValueCandidates::new(names)) } else { arg }
    };
    command.mut_subcommands(|command| {
        if command.get_name() != "config" {
            return command;
        }
        command.mut_subcommands(|action| action.mut_args(of_arg))
    })
}

/// Prints what a shell needs so that it asks this program.
pub fn completions(
    session: &Session,
    args: &Completions,
    command: &Command,
) -> anyhow::Result<Exit> {
    let script = registration(args.shell, command.get_name(), &program()?)?;
    let answer = serde_json::json!({ "shell": word(&args.shell), "script": script });
    session.show(&answer, |_| script)
}

fn registration(shell: Shell, name: &str, program: &Path) -> anyhow::Result<String> {
    let mut script = Vec::new();
    let program = program.to_string_lossy();
    // For bash a path that needs quotes would get two pairs of them: it is put in below.
    let asked = if shell == Shell::Bash { name } else { program.as_ref() };
    if let Some(completer) = Shells::builtins().completer(&word(&shell)) {
        completer.write_registration(VARIABLE, name, name, asked, &mut script)?;
    }
    let script = String::from_utf8(script)?;
    Ok(match shell {
        Shell::Bash => {
            let script =
                script.replace(&format!("\"{name}\" -- "), &format!("{} -- ", quoted(&program)));
            script.replace("-F _clap_complete_agent_worker ", "-F _agent_worker ") + JOINED
        }
        // Of a path zsh quotes what it must, and not the `~` at its beginning.
        Shell::Zsh => {
            DESCRIBED.iter().fold(script, |script, described| {
                script.replace(described, &format!("{described} -f"))
            }) + AUTOLOADED
        }
        Shell::Fish => script,
    })
}

/// Prints the manual page: the program, then each of its commands.
pub fn man(session: &Session, command: Command) -> anyhow::Result<Exit> {
    let page = page(command)?;
    session.show(&serde_json::json!({ "page": page }), |_| page.clone())
}

fn page(mut command: Command) -> anyhow::Result<String> {
    let mut roff = Vec::new();
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut roff)?;
    let mut roff = naming_commands(String::from_utf8(roff)?, &command).into_bytes();
    for sub in listed(&command) {
        add(sub, sub.get_name(), &mut roff)?;
    }
    Ok(String::from_utf8(roff)?)
}

/// Adds a command to the page, with all below it. The options of all commands are on it already.
fn add(command: &Command, path: &str, roff: &mut Vec<u8>) -> io::Result<()> {
    let own = command.clone().mut_args(|arg| {
        let is_left_out = arg.is_global_set() || arg.is_hide_set();
        arg.hide(is_left_out)
    });
    let man = clap_mangen::Man::new(own);
    roff.extend_from_slice(format!(".SH {}\n", path.to_uppercase()).as_bytes());
    man.render_synopsis_section(roff)?;
    man.render_description_section(roff)?;
    man.render_options_section(roff)?;
    listed(command).try_for_each(|sub| add(sub, &format!("{path} {}", sub.get_name()), roff))
}

/// The commands below a command, without hidden ones and `help`.
fn listed(command: &Command) -> impl Iterator<Item = &Command> {
    let is_listed = |sub: &&Command| !sub.is_hide_set() && sub.get_name() != "help";
    command.get_subcommands().filter(is_listed)
}

/// The page with commands in place of pages of their own, which do not exist.
fn naming_commands(page: String, command: &Command) -> String {
    let escaped = |name: &str| name.replace('-', r"\-");
    let program = escaped(command.get_name());
    command.get_subcommands().fold(page, |page, sub| {
        let name = escaped(sub.get_name());
        page.replace(&format!(r"{program}\-{name}(1)"), &format!("{program} {name}"))
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn each_shell_is_told_to_ask_this_program() {
        for shell in Shell::value_variants() {
            let script = registration(*shell, "agent-worker", Path::new("/opt/aw")).unwrap();
            assert!(script.contains(VARIABLE) && script.contains("/opt/aw"), "{script}");
        }
    }

    #[test]
    fn bash_joins_the_words_first() {
        let script = registration(Shell::Bash, "agent-worker", Path::new("/opt/aw")).unwrap();
        assert_eq!(script.matches("-F _agent_worker agent-worker\n").count(), 2, "{script}");
        assert!(script.contains("_clap_complete_agent_worker() {"), "{script}");
        assert!(script.contains("\n_agent_worker() {"), "{script}");
    }

    #[test]
    fn bash_asks_a_program_whose_path_needs_quotes() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("it's in $HOME/echo");
        std::fs::create_dir(program.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink("/bin/echo", &program).unwrap();
        let script = registration(Shell::Bash, "agent-worker", &program).unwrap()
            + "COMP_WORDS=(agent-worker peek) COMP_CWORD=1 COMP_LINE='agent-worker peek'
               _agent_worker agent-worker peek agent-worker; echo \"$COMPREPLY\"";
        let output = std::process::Command::new("bash").args(["-c", &script]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(told.contains("-- agent-worker peek"), "{output:?}");
    }

    #[test]
    fn zsh_takes_what_a_word_may_be_for_paths() {
        let script = registration(Shell::Zsh, "agent-worker", Path::new("/opt/aw")).unwrap();
        assert_eq!(script.matches("_describe ").count(), 2, "{script}");
        assert!(DESCRIBED.iter().all(|one| script.contains(&format!("{one} -f"))), "{script}");
        assert!(script.contains("\nfunction _clap_dynamic_completer_agent_worker() {"), "{script}");
    }

    /// Asserts that the page has a section for each command below this one.
    fn assert_has_all(page: &str, command: &Command, path: &str) {
        for sub in listed(command) {
            let path = format!("{path} {}", sub.get_name().to_uppercase());
            assert!(page.contains(&format!(".SH{path}\n")), "{path}");
            assert_has_all(page, sub, &path);
        }
    }

    #[test]
    fn the_manual_has_every_command_and_the_options_of_all_of_them_once() {
        let page = page(Cli::whole()).unwrap();
        assert_has_all(&page, &Cli::command(), "");
        assert!(
            page.contains(".SH DOC READ\n") && page.contains("agent\\-worker doc read"),
            "{page}"
        );
        assert_eq!(page.matches("OPTIONS OF ALL COMMANDS").count(), 1, "{page}");
    }

    #[test]
    fn the_manual_names_no_other_page() {
        let page = page(Cli::whole()).unwrap();
        assert!(page.contains("\nagent\\-worker resume\n"), "{page}");
        assert!(page.contains("\nagent\\-worker fake\\-model\n"), "{page}");
        assert!(!page.contains("(1)"), "{page}");
    }
}
