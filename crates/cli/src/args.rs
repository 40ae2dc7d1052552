//! The commands, as they are written. Their doc comments are their help.

use std::{env, path::PathBuf};

use agent_worker_client::Sanitized;
use agent_worker_protocol::target::Target;
use clap::{Args, CommandFactory as _, Parser, Subcommand};

use crate::{
    again,
    commands::{
        agents, ask, attention, backends, backup, by_hand, check, completions, config,
        conversation, daemon, doc, events, group, init, keys, limits, list, logs, mail, mcp, new,
        proposal, providers, questions, resource, runs, schedule, search, send, start, token, tui,
    },
    exit::{self, Refusal},
    fake_model, help, meant, mistakes,
    output::Output,
};

/// Teams of LLM agents on your own machine.
///
/// A local daemon keeps the agents, their messages and their documents, and starts a process for
/// each piece of work. Every command finds the daemon, or starts it.
#[derive(Debug, Parser)]
#[command(
    name = "agent-worker",
    version,
    propagate_version = false,
    max_term_width = 100,
    help_template = help::TEMPLATE,
    after_help = help::grouped()
)]
pub struct Cli {
    /// Options that all commands have
    #[command(flatten)]
    pub globals: Globals,
    /// What to do
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Options that all commands have.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options of all commands")]
pub struct Globals {
    /// Print JSON for programs, and nothing else, on standard output
    #[arg(long, global = true)]
    pub json: bool,
    /// Act, or read, as this member
    #[arg(long = "as", global = true, value_name = "NAME", value_parser = meant::member)]
    pub member: Option<Target>,
    /// Fail rather than start a daemon
    #[arg(long, global = true)]
    pub no_start: bool,
    /// Use this state directory [default: `$AGENT_WORKER_HOME`, else `~/.agent-worker`]
    #[arg(long, global = true, value_name = "DIR")]
    pub home: Option<PathBuf>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a first workflow with its prompts into this folder
    #[command(after_help = "Examples:\n  agent-worker init\n  agent-worker init review")]
    Init(init::Init),
    /// Run a workflow to its end and show its channel
    ///
    /// Ctrl-C stops the workflow; a second one leaves at once. Exit codes: 0 completed, 1 failed
    /// or stopped, 4 not done within `--timeout`, 5 stalled, 130 interrupted.
    #[command(
        after_help = "Examples:\n  agent-worker run\n  agent-worker run workflow.yaml\n  agent-worker run workflow.yaml --tag pr-123 -p base=main --timeout 10m"
    )]
    Run(start::Run),
    /// Start a workflow and keep it
    ///
    /// Shows its channel; Ctrl-C leaves the workflow running.
    #[command(after_help = "Example:\n  agent-worker start workflow.yaml -d")]
    Start(start::Start),
    /// Check a workflow file without starting it
    #[command(
        after_help = "Examples:\n  agent-worker check workflow.yaml\n  agent-worker check --schema >workflow.schema.json"
    )]
    Check(check::CheckFile),
    /// Make a lasting agent
    #[command(
        after_help = "Example:\n  agent-worker new alice --backend mock --script alice.yaml --role \"answers questions\""
    )]
    New(new::New),
    /// List workflows and agents
    #[command(
        alias = "ls",
        after_help = "Examples:\n  agent-worker list\n  agent-worker list @review"
    )]
    List(list::List),
    /// Show one agent or workflow whole
    #[command(
        after_help = "Examples:\n  agent-worker info alice\n  agent-worker info @review:pr-123"
    )]
    Info(list::Info),
    /// Show the daemon, what runs, and what needs you
    #[command(
        visible_alias = "ps",
        after_help = "Examples:\n  agent-worker status\n  agent-worker status --watch"
    )]
    Status(attention::Looking),
    /// Stop an agent or a workflow; its mail stays
    #[command(
        after_help = "Examples:\n  agent-worker stop alice bob\n  agent-worker stop @review --now\n  agent-worker stop --all"
    )]
    Stop(agents::Stop),
    /// Let a stopped or paused agent, or a stopped or stalled workflow, go on
    #[command(after_help = "Examples:\n  agent-worker resume alice\n  agent-worker resume --all")]
    Resume(agents::Resume),
    /// Start an agent now
    ///
    /// Waiting mail is due at once; without any it gets one run with what lies in its inbox.
    #[command(after_help = "Example:\n  agent-worker wake alice")]
    Wake(agents::Wake),
    /// Remove an agent, or a workflow with its messages and documents
    #[command(
        after_help = "Examples:\n  agent-worker rm alice\n  agent-worker rm @review:pr-123 @review:pr-124"
    )]
    Rm(agents::Rm),
    /// Ask an agent one question and show its answer as it comes
    ///
    /// Ctrl-C cancels the question.
    #[command(after_help = "Example:\n  agent-worker ask alice \"what is left to do?\"")]
    Ask(ask::Asking),
    /// Ask an agent one question and print its whole answer as JSON
    #[command(
        after_help = "Example:\n  agent-worker serve alice \"what is left to do?\" | jq -r .content"
    )]
    Serve(ask::Question),
    /// Send a message: into a workflow's channel, to a group, or to one agent
    #[command(
        mut_arg("message", |arg| arg.help("What to say; `-` reads it from standard input")),
        after_help = "Examples:\n  agent-worker send alice \"please have a look\"\n  agent-worker send @review \"@coder please go on\"\n  git diff | agent-worker send @review - --to reviewer"
    )]
    Send(send::Send),
    /// Read a workflow's channel, a group, or what was said between you and an agent
    #[command(
        after_help = "Examples:\n  agent-worker peek @review --follow\n  agent-worker peek @review --since 10m\n  agent-worker peek alice -n 5\n  agent-worker peek @review --group alice+bob"
    )]
    Peek(conversation::Peeking),
    /// Read your unread messages, or look into an agent's inbox
    ///
    /// Yours count as read from then on. An agent's are shown with what became of them, and
    /// looking changes nothing.
    #[command(after_help = "Examples:\n  agent-worker inbox\n  agent-worker inbox alice --all")]
    Inbox(conversation::Mailbox),
    /// Read and write the documents of a workflow
    #[command(
        after_help = "Examples:\n  agent-worker doc read @review\n  agent-worker doc edit plan.md @review"
    )]
    Doc(doc::Doc),
    /// Let a workflow's agents decide something by voting, and vote yourself
    #[command(
        after_help = "Examples:\n  agent-worker proposal list\n  agent-worker proposal create approval \"merge it?\" --in @review"
    )]
    Proposal(proposal::Proposing),
    /// List, show and set when agents run by themselves
    #[command(
        after_help = "Examples:\n  agent-worker schedule list\n  agent-worker schedule alice\n  agent-worker schedule alice set \"0 9 * * 1-5\" --prompt \"write the stand-up\"\n  agent-worker schedule alice run"
    )]
    Schedule(schedule::Scheduling),
    /// Make groups of a workflow's members, and see who is in them and what is unread
    #[command(
        after_help = "Examples:\n  agent-worker group create team-a alice bob --in @review\n  agent-worker send team-a@review \"please look at this\""
    )]
    Group(group::Grouping),
    /// Read and store long texts that messages point to
    #[command(
        after_help = "Examples:\n  agent-worker resource list @review\n  agent-worker resource read res_7"
    )]
    Resource(resource::Keeping),
    /// Find messages, documents and resources by their words, the newest first
    ///
    /// All words must be there; words in quotes follow each other, and `word*` is the beginning of
    /// one. Narrow it down with from:NAME, to:NAME, in:CONVERSATION, in:@WORKFLOW, kind:message,
    /// kind:document, kind:resource, before:2026-01-31, after:2h.
    #[command(
        after_help = "Examples:\n  agent-worker search \"race condition\" @review\n  agent-worker search \"\\\"exact words\\\" from:alice after:24h\""
    )]
    Search(search::Searching),
    /// List runs: state, cause, tokens, cost, time
    #[command(
        after_help = "Examples:\n  agent-worker runs\n  agent-worker runs alice@review -n 5\n  agent-worker runs --state failed"
    )]
    Runs(runs::Listing),
    /// Show the transcript of a run, or of all runs of a workflow
    #[command(
        after_help = "Examples:\n  agent-worker logs run_12\n  agent-worker logs alice --follow\n  agent-worker logs @review -f --since 10m"
    )]
    Logs(logs::Logs),
    /// Print the command that goes on with a run's agent program
    #[command(
        after_help = "Examples:\n  agent-worker resume-in-terminal run_12\n  agent-worker resume-in-terminal run_12 --exec"
    )]
    ResumeInTerminal(by_hand::ByHandArgs),
    /// List what agents wait for you to say
    #[command(
        after_help = "Examples:\n  agent-worker questions\n  agent-worker questions alice@review --all"
    )]
    Questions(questions::Listing),
    /// Answer a question of an agent; the first answer stands
    #[command(
        after_help = "Examples:\n  agent-worker answer q_7 yes\n  agent-worker answer q_8 \"the blue one\""
    )]
    Answer(questions::Answering),
    /// Tell what led to a run, or why an agent or a workflow is not working
    #[command(after_help = "Examples:\n  agent-worker why run_12\n  agent-worker why @review")]
    Why(attention::Asked),
    /// Try mail again that was given up
    #[command(after_help = "Examples:\n  agent-worker retry alice\n  agent-worker retry msg_12")]
    Retry(mail::Retry),
    /// Give up mail that was given up by its agent or is held
    #[command(after_help = "Examples:\n  agent-worker drop @review\n  agent-worker drop msg_12")]
    Drop(mail::Drop),
    /// Let held mail through
    #[command(
        after_help = "Examples:\n  agent-worker release @review\n  agent-worker release msg_12"
    )]
    Release(mail::Release),
    /// End a run now; its mail is held until you release it
    #[command(after_help = "Example:\n  agent-worker cancel run_12")]
    Cancel(runs::Cancel),
    /// Show or change what a workflow may use up
    ///
    /// The limits: hops, runs, agents, tokens, cost, duration, `max_runs`. Raising one
    /// releases the mail that it held.
    #[command(
        after_help = "Examples:\n  agent-worker limits @review\n  agent-worker limits @review tokens=4000000 duration=2h"
    )]
    Limits(limits::Limiting),
    /// Print what happens, an event on each line, as JSON
    #[command(
        after_help = "Examples:\n  agent-worker events --follow --kind message.sent\n  agent-worker events @review --until workflow.changed --timeout 5m"
    )]
    Events(events::Events),
    /// Open the control room: everything live on one screen
    ///
    /// It starts no daemon by itself; `s` does.
    #[command(
        after_help = "Examples:\n  agent-worker tui @review:pr-123\n  agent-worker tui --dump 120x40"
    )]
    Tui(tui::Tui),
    /// Be the daemon, in the foreground; or stop, restart or look at the one there is
    #[command(
        args_conflicts_with_subcommands = true,
        after_help = "Examples:\n  agent-worker daemon --port 4711\n  agent-worker daemon restart"
    )]
    Daemon(daemon::Daemon),
    /// Write a safety copy of the database into a file, and check it
    ///
    /// The work goes on meanwhile. Keys are not in it.
    #[command(after_help = "Example:\n  agent-worker backup monday.db")]
    Backup(backup::Backing),
    /// Put a backup in the database's place; the daemon must be stopped
    ///
    /// What was there is moved aside, and the work goes on as it was when the backup was made.
    #[command(
        after_help = "Example:\n  agent-worker daemon stop && agent-worker restore monday.db"
    )]
    Restore(backup::Restoring),
    /// Check the database and everything that must be so, and say what is wrong
    ///
    /// It changes nothing and starts no daemon. Exit codes: 0 all is well, 1 something is broken.
    #[command(
        after_help = "Examples:\n  agent-worker doctor\n  agent-worker doctor --json | jq .findings"
    )]
    Doctor,
    /// Print and change settings: `config.toml` in the state directory
    #[command(
        after_help = "Examples:\n  agent-worker config get runs.retry_delay\n  agent-worker config set runs.retry_delay 30s"
    )]
    Config(config::Config),
    /// Keep API keys for agents; a value is never shown
    #[command(
        after_help = "Examples:\n  agent-worker keys set ANTHROPIC_API_KEY\n  agent-worker keys set GITHUB_TOKEN --from-env"
    )]
    Keys(keys::Keys),
    /// Make or revoke the token of an external member
    ///
    /// A token has the rights of its member and no more. It stays valid over restarts, until it is
    /// revoked or another is made.
    #[command(
        after_help = "Examples:\n  agent-worker token ide\n  agent-worker token ide --revoke"
    )]
    Token(token::Token),
    /// Print the settings that make an MCP client an external member
    #[command(
        after_help = "Examples:\n  agent-worker mcp-config ide\n  agent-worker mcp-config ide --client claude --new-token\n  agent-worker mcp-config ide --client codex --stdio"
    )]
    McpConfig(token::McpConfig),
    /// Serve the daemon's tools on stdio to any MCP client
    ///
    /// Finds the daemon or starts it, and goes on when it restarts. `--as AGENT@SCOPE` says who the
    /// client is; without it, it is you.
    #[command(after_help = "Example:\n  agent-worker mcp --as ide@review")]
    Mcp(mcp::Mcp),
    /// List who serves models, whether their keys are there, and what their models cost
    #[command(
        after_help = "Examples:\n  agent-worker providers\n  agent-worker providers anthropic\n  agent-worker providers update model_prices_and_context_window.json"
    )]
    Providers(providers::Listing),
    /// List what can run agents: which programs are installed, their versions, what is missing
    #[command(
        after_help = "Examples:\n  agent-worker backends\n  agent-worker backends --try claude"
    )]
    Backends(backends::Listing),
    /// Be a scripted model, to rehearse a team without a key
    ///
    /// It listens on this machine alone, speaks every interface of the models of Anthropic and OpenAI,
    /// and says at its end what it was asked and what it gave; `GET /counts` says it before.
    #[command(after_help = "Example:\n  agent-worker fake-model rehearsal.yaml --port 4747")]
    FakeModel(fake_model::FakeModel),
    /// Print completions for a shell
    #[command(
        after_help = "Examples:\n  source <(agent-worker completions bash)\n  agent-worker completions fish >~/.config/fish/completions/agent-worker.fish"
    )]
    Completions(completions::Completions),
    /// Print the manual page
    #[command(after_help = "Example:\n  agent-worker man | man -l -")]
    Man,
}

impl Cli {
    /// What is written on the command line. What is not understood is said, with the words of the
    /// command line made harmless, and the program ends.
    pub fn read() -> Self {
        Self::try_parse().unwrap_or_else(|error| {
            if let Some(hint) = mistakes::meant(&error, &again::typed()) {
                let text = error.render().to_string();
                let first = text.lines().next().unwrap_or_default();
                let error = Refusal::usage(first.trim_start_matches("error: ")).hint(hint).into();
                let code = exit::report(&Output { json: false }, &error);
                std::process::exit(code as i32);
            }
            let words =
                env::args_os().map(|word| Sanitized::line(&word.to_string_lossy()).to_string());
            // What is harmful may also be what was wrong; then the error has no words to show.
            let wordless = || clap::Error::new(error.kind()).with_cmd(&Self::command());
            Self::try_parse_from(words).err().unwrap_or_else(wordless).exit()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(line.split_whitespace())
    }

    #[test]
    fn the_commands_fit_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_a_help_with_an_example() {
        for command in Cli::command().get_subcommands().filter(|command| !command.is_hide_set()) {
            let name = command.get_name();
            assert!(command.get_about().is_some(), "{name}");
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains(&format!("agent-worker {name}")), "{name}: {help}");
        }
    }

    #[test]
    fn options_of_all_commands_may_stand_behind_the_command() {
        let cli = parse("agent-worker list @review --json --as alice --no-start").unwrap();
        assert!(cli.globals.json && cli.globals.no_start);
        assert_eq!(cli.globals.member.unwrap().to_string(), "alice");
        let cli = parse("agent-worker mcp --as ide@review:pr-1").unwrap();
        assert_eq!(cli.globals.member.unwrap().to_string(), "ide@review:pr-1");
    }

    #[test]
    fn what_is_no_target_is_refused_with_the_rule() {
        for line in [
            "agent-worker info alice@",
            "agent-worker logs -- -3",
            "agent-worker retry run@",
            "agent-worker limits @review tokens",
            "agent-worker events --kind message.read",
            "agent-worker run x.yaml --timeout soon",
            "agent-worker run x.yaml --model foo",
            "agent-worker start x.yaml --model openai/",
            "agent-worker mcp --as @review",
        ] {
            assert_eq!(parse(line).unwrap_err().exit_code(), 2, "{line}");
        }
    }

    /// All text of the program in which a command could be named.
    fn sources(folder: &std::path::Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(std::fs::read_to_string(&path).unwrap());
            }
        }
    }

    #[test]
    fn every_command_that_is_named_anywhere_exists() {
        let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut texts = Vec::new();
        for name in ["protocol", "client", "daemon", "worker", "cli"] {
            sources(&crates.join(name).join("src"), &mut texts);
        }
        let command = Cli::command();
        let exists = |word: &str| command.find_subcommand(word).is_some();
        let program = concat!("agent-worker", " ");
        let mut named = 0;
        for line in texts.iter().flat_map(|text| text.lines()) {
            // In a comment, or behind an `of`, it is the program and no command.
            let is_prose = line.trim_start().starts_with("//") && !line.contains('`');
            let is_named = |at: usize| !is_prose && !line[..at].ends_with("of ");
            for (at, _) in line.match_indices(program).filter(|(at, _)| is_named(*at)) {
                let rest = &line[at + program.len()..];
                let is_word = |c: char| c.is_ascii_lowercase() || c == '-';
                let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
                let word = rest[..end].trim_end_matches('-').split("--").next().unwrap_or("");
                named += usize::from(!word.is_empty());
                assert!(word.is_empty() || exists(word), "no command `{word}`: {line}");
            }
        }
        assert!(named > 100, "{named}");
    }

    #[test]
    fn the_daemon_has_options_or_a_command() {
        assert!(parse("agent-worker daemon --port 4711 --host 0.0.0.0 --allow-host box").is_ok());
        assert!(parse("agent-worker daemon stop").is_ok());
        assert!(parse("agent-worker daemon --port 4711 stop").is_err());
    }
}
