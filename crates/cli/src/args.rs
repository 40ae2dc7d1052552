//! The commands, as they are written. Their doc comments are their help.

use std::env;

use agent_worker_client::Sanitized;
use clap::{CommandFactory as _, Parser, Subcommand};

use crate::{
    again,
    commands::{
        agent, ask, backend, backup, completions, config, conversation, daemon, dead_letters,
        doctor, document, events, group, inbox, keys, logs, mcp, proposal, provider, question,
        resource, run, schedule, search, status, token, tui, welcome, why, workflow,
    },
    exit::{self, Exit, Refusal},
    fake_model,
    globals::Globals,
    help, mistakes,
    offline::Offline,
    output::Output,
    session::Session,
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
    after_help = help::grouped(&Command::augment_subcommands(clap::Command::new("agent-worker")))
)]
pub struct Cli {
    /// Options that all commands have
    #[command(flatten)]
    pub globals: Globals,
    /// What to do
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a first workflow with its prompts into this folder
    #[command(after_help = "Examples:\n  agent-worker init\n  agent-worker init review")]
    Init(workflow::init::Init),
    /// Run a workflow to its end and show its channel
    ///
    /// Ctrl-C stops the workflow; a second one leaves at once. Exit codes: 0 completed, 1 failed
    /// or stopped, 4 not done within `--timeout`, 5 stalled, 130 interrupted.
    #[command(
        after_help = "Examples:\n  agent-worker run\n  agent-worker run workflow.yaml\n  agent-worker run workflow.yaml --tag pr-123 -p base=main --timeout 10m"
    )]
    Run(workflow::command::Run),
    /// Start a workflow and keep it
    ///
    /// Shows its channel; Ctrl-C leaves the workflow running.
    #[command(after_help = "Example:\n  agent-worker start workflow.yaml -d")]
    Start(workflow::command::Start),
    /// Check a workflow file without starting it
    #[command(
        after_help = "Examples:\n  agent-worker check workflow.yaml\n  agent-worker check --schema >workflow.schema.json"
    )]
    Check(workflow::check::CheckFile),
    /// Make a lasting agent
    #[command(
        after_help = "Example:\n  agent-worker new alice --backend mock --script alice.yaml --role \"answers questions\""
    )]
    New(agent::create::New),
    /// List workflows and agents
    #[command(
        alias = "ls",
        after_help = "Examples:\n  agent-worker list\n  agent-worker list @review"
    )]
    List(workflow::list::List),
    /// Show one agent or workflow whole
    #[command(
        after_help = "Examples:\n  agent-worker info alice\n  agent-worker info @review:pr-123"
    )]
    Info(workflow::list::Info),
    /// Show the daemon, what runs, and what needs you
    #[command(
        visible_alias = "ps",
        after_help = "Examples:\n  agent-worker status\n  agent-worker status --watch"
    )]
    Status(status::command::Looking),
    /// Stop an agent or a workflow; its mail stays
    #[command(
        after_help = "Examples:\n  agent-worker stop alice bob\n  agent-worker stop @review --now\n  agent-worker stop --all"
    )]
    Stop(agent::command::Stop),
    /// Let a stopped or paused agent, or a stopped or stalled workflow, go on
    #[command(after_help = "Examples:\n  agent-worker resume alice\n  agent-worker resume --all")]
    Resume(agent::command::Resume),
    /// Start an agent now
    ///
    /// Waiting mail is due at once; without any it gets one run with what lies in its inbox.
    #[command(after_help = "Example:\n  agent-worker wake alice")]
    Wake(agent::command::Wake),
    /// Remove an agent, or a workflow with its messages and documents
    #[command(
        after_help = "Examples:\n  agent-worker rm alice\n  agent-worker rm @review:pr-123 @review:pr-124"
    )]
    Rm(agent::command::Rm),
    /// Ask an agent one question and show its answer as it comes
    ///
    /// Ctrl-C cancels the question.
    #[command(after_help = "Example:\n  agent-worker ask alice \"what is left to do?\"")]
    Ask(ask::command::Asking),
    /// Ask an agent one question and print its whole answer as JSON
    #[command(
        after_help = "Example:\n  agent-worker serve alice \"what is left to do?\" | jq -r .content"
    )]
    Serve(ask::command::Question),
    /// Send a message: into a workflow's channel, to a group, or to one agent
    #[command(
        mut_arg("message", |arg| arg.help("What to say; `-` reads it from standard input")),
        after_help = "Examples:\n  agent-worker send alice \"please have a look\"\n  agent-worker send @review \"@coder please go on\"\n  git diff | agent-worker send @review - --to reviewer"
    )]
    Send(conversation::send::Send),
    /// Read a workflow's channel, a group, or what was said between you and an agent
    #[command(
        after_help = "Examples:\n  agent-worker peek @review --follow\n  agent-worker peek @review --since 10m\n  agent-worker peek alice -n 5\n  agent-worker peek @review --group alice+bob"
    )]
    Peek(conversation::command::Peeking),
    /// Read your unread messages, or look into an agent's inbox
    ///
    /// Yours count as read from then on. An agent's are shown with what became of them, and
    /// looking changes nothing.
    #[command(after_help = "Examples:\n  agent-worker inbox\n  agent-worker inbox alice --all")]
    Inbox(inbox::command::Mailbox),
    /// Read and write the documents of a workflow
    #[command(
        after_help = "Examples:\n  agent-worker doc read @review\n  agent-worker doc edit plan.md @review"
    )]
    Doc(document::command::Doc),
    /// Let a workflow's agents decide something by voting, and vote yourself
    #[command(
        after_help = "Examples:\n  agent-worker proposal list\n  agent-worker proposal create approval \"merge it?\" --in @review"
    )]
    Proposal(proposal::command::Proposing),
    /// List, show and set when agents run by themselves
    #[command(
        after_help = "Examples:\n  agent-worker schedule list\n  agent-worker schedule alice\n  agent-worker schedule alice set \"0 9 * * 1-5\" --prompt \"write the stand-up\"\n  agent-worker schedule alice run"
    )]
    Schedule(schedule::command::Scheduling),
    /// Make groups of a workflow's members, and see who is in them and what is unread
    #[command(
        after_help = "Examples:\n  agent-worker group create team-a alice bob --in @review\n  agent-worker send team-a@review \"please look at this\""
    )]
    Group(group::command::Grouping),
    /// Read and store long texts that messages point to
    #[command(
        after_help = "Examples:\n  agent-worker resource list @review\n  agent-worker resource read res_7"
    )]
    Resource(resource::command::Keeping),
    /// Find messages, documents and resources by their words, the newest first
    ///
    /// All words must be there; words in quotes follow each other, and `word*` is the beginning of
    /// one. Narrow it down with from:NAME, to:NAME, in:CONVERSATION, in:@WORKFLOW, kind:message,
    /// kind:document, kind:resource, before:2026-01-31, after:2h.
    #[command(
        after_help = "Examples:\n  agent-worker search \"race condition\" @review\n  agent-worker search \"\\\"exact words\\\" from:alice after:24h\""
    )]
    Search(search::command::Searching),
    /// List runs: state, cause, tokens, cost, time
    #[command(
        after_help = "Examples:\n  agent-worker runs\n  agent-worker runs alice@review -n 5\n  agent-worker runs --state failed"
    )]
    Runs(run::command::Listing),
    /// Show the transcript of a run, or of all runs of a workflow
    #[command(
        after_help = "Examples:\n  agent-worker logs run_12\n  agent-worker logs alice --follow\n  agent-worker logs @review -f --since 10m"
    )]
    Logs(logs::command::Logs),
    /// Print the command that goes on with a run's agent program
    #[command(
        after_help = "Examples:\n  agent-worker resume-in-terminal run_12\n  agent-worker resume-in-terminal run_12 --exec"
    )]
    ResumeInTerminal(run::by_hand::ByHandArgs),
    /// List what agents wait for you to say
    #[command(
        after_help = "Examples:\n  agent-worker questions\n  agent-worker questions alice@review --all"
    )]
    Questions(question::command::Listing),
    /// Answer a question of an agent; the first answer stands
    #[command(
        after_help = "Examples:\n  agent-worker answer q_7 yes\n  agent-worker answer q_8 \"the blue one\""
    )]
    Answer(question::command::Answering),
    /// Tell what led to a run, or why an agent or a workflow is not working
    #[command(after_help = "Examples:\n  agent-worker why run_12\n  agent-worker why @review")]
    Why(why::command::Asked),
    /// Try mail again that was given up
    #[command(after_help = "Examples:\n  agent-worker retry alice\n  agent-worker retry msg_12")]
    Retry(dead_letters::command::Retry),
    /// Give up mail that was given up by its agent or is held
    #[command(after_help = "Examples:\n  agent-worker drop @review\n  agent-worker drop msg_12")]
    Drop(dead_letters::command::Drop),
    /// Let held mail through
    #[command(
        after_help = "Examples:\n  agent-worker release @review\n  agent-worker release msg_12"
    )]
    Release(dead_letters::command::Release),
    /// End a run now; its mail is held until you release it
    #[command(after_help = "Example:\n  agent-worker cancel run_12")]
    Cancel(run::command::Cancel),
    /// Show or change what a workflow may use up
    ///
    /// The limits: hops, runs, agents, tokens, cost, duration, `max_runs`. Raising one
    /// releases the mail that it held.
    #[command(
        after_help = "Examples:\n  agent-worker limits @review\n  agent-worker limits @review tokens=4000000 duration=2h"
    )]
    Limits(workflow::limits::Limiting),
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
    Daemon(daemon::command::Daemon),
    /// Write a safety copy of the database into a file, and check it
    ///
    /// The work goes on meanwhile. Keys are not in it.
    #[command(after_help = "Example:\n  agent-worker backup monday.db")]
    Backup(backup::command::Backing),
    /// Put a backup in the database's place; the daemon must be stopped
    ///
    /// What was there is moved aside, and the work goes on as it was when the backup was made.
    #[command(
        after_help = "Example:\n  agent-worker daemon stop && agent-worker restore monday.db"
    )]
    Restore(backup::command::Restoring),
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
    Providers(provider::command::Listing),
    /// List what can run agents: which programs are installed, their versions, what is missing
    #[command(
        after_help = "Examples:\n  agent-worker backends\n  agent-worker backends --try claude"
    )]
    Backends(backend::command::Listing),
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

/// Performs a command.
pub async fn perform(
    session: &Session,
    command: Option<Command>,
    offline: &dyn Offline,
) -> anyhow::Result<Exit> {
    let Some(command) = command else { return welcome::greet(session) };
    if !matches!(command, Command::Mcp(_)) {
        session.plain_member_only()?;
    }
    match command {
        Command::Init(args) => workflow::init::init(session, &args),
        Command::Run(args) => Box::pin(workflow::command::run(session, args, offline)).await,
        Command::Start(args) => Box::pin(workflow::command::start(session, args, offline)).await,
        Command::Check(args) => workflow::check::check(session, &args, offline).await,
        Command::New(args) => agent::create::new(session, args).await,
        Command::List(args) => workflow::list::list(session, args).await,
        Command::Info(args) => workflow::list::info(session, args).await,
        Command::Status(args) => Box::pin(status::command::status(session, args, offline)).await,
        Command::Stop(args) => agent::command::stop(session, args).await,
        Command::Resume(args) => agent::command::resume(session, args).await,
        Command::Wake(args) => agent::command::wake(session, args).await,
        Command::Rm(args) => agent::command::remove(session, args).await,
        Command::Ask(args) => Box::pin(ask::command::ask(session, args)).await,
        Command::Serve(args) => Box::pin(ask::command::serve(session, args)).await,
        Command::Send(args) => conversation::send::send(session, args).await,
        Command::Peek(args) => Box::pin(conversation::command::peek(session, args)).await,
        Command::Doc(args) => document::command::doc(session, args).await,
        Command::Proposal(args) => proposal::command::proposal(session, args).await,
        Command::Schedule(args) => schedule::command::schedule(session, args).await,
        Command::Group(args) => group::command::group(session, args).await,
        Command::Inbox(args) => inbox::command::inbox(session, args).await,
        Command::Resource(args) => resource::command::resource(session, args).await,
        Command::Search(args) => search::command::search(session, args).await,
        Command::Runs(args) => run::command::list(session, args).await,
        Command::Logs(args) => Box::pin(logs::command::logs(session, args)).await,
        Command::ResumeInTerminal(args) => run::by_hand::resume(session, args).await,
        Command::Cancel(args) => run::command::cancel(session, args).await,
        Command::Questions(args) => question::command::list(session, args).await,
        Command::Answer(args) => question::command::answer(session, args).await,
        Command::Why(args) => why::command::why(session, args).await,
        Command::Retry(args) => dead_letters::command::retry(session, args).await,
        Command::Drop(args) => dead_letters::command::drop(session, args).await,
        Command::Release(args) => dead_letters::command::release(session, args).await,
        Command::Limits(args) => workflow::limits::limits(session, args).await,
        Command::Events(args) => Box::pin(events::events(session, args)).await,
        // `Wish::of` has taken it out.
        Command::Tui(_) => anyhow::bail!("the control room is opened by the program itself"),
        Command::Daemon(args) => daemon::command::look_after(session, args).await,
        Command::Backup(args) => backup::command::backup(session, &args).await,
        Command::Restore(args) => backup::command::restore(session, &args, offline).await,
        Command::Doctor => doctor::command::examine(session, offline).await,
        Command::Config(args) => config::config(session, args, offline).await,
        Command::Keys(args) => keys::keys(session, args).await,
        Command::Token(args) => token::token(session, args).await,
        Command::McpConfig(args) => token::mcp_config(session, args).await,
        Command::Mcp(_) => Box::pin(mcp::serve(session)).await,
        Command::Backends(args) => backend::command::list(session, args).await,
        Command::Providers(args) => provider::command::providers(session, args).await,
        Command::FakeModel(args) => fake_model::play(session, &args).await,
        Command::Completions(args) => completions::completions(session, &args, Cli::command()),
        Command::Man => completions::man(session, Cli::command()),
    }
}

#[cfg(test)]
#[path = "tests/args.rs"]
mod tests;
