//! The commands, as they are written. Their doc comments are their help.

pub mod host;
pub mod perform;

use agent_worker_protocol::run::RunCancel;
use clap::{Parser, Subcommand};

use crate::{
    commands::{
        agent, ask, backend, backup, completions, config, context, conversation, daemon,
        dead_letters, document, events, fake_model, group, home, inbox, keys, logs, mcp, proposal,
        provider, question, resource, run, schedule, search, session as sessions, status, token,
        tui, web, why, workflow,
    },
    globals::Globals,
    help,
};

/// Teams of LLM agents on your own machine.
///
/// A local daemon keeps the agents, their messages and their documents, and starts a process for
/// each piece of work. Most commands start the daemon if it is not running.
#[derive(Debug, Parser)]
#[command(
    name = "agent-worker",
    version,
    propagate_version = false,
    max_term_width = 100,
    help_template = help::TEMPLATE
)]
pub struct Cli {
    /// What each command takes
    #[command(flatten)]
    pub globals: Globals,
    /// The action
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// A command with its arguments.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a first workflow in the current folder
    #[command(after_help = "Examples:\n  agent-worker init\n  agent-worker init review")]
    Init(workflow::init::Init),
    /// Run a workflow to its end and show its channel
    ///
    /// Ctrl-C and SIGTERM stop the workflow; a second one exits at once. If its output is closed,
    /// the workflow goes on. Exit codes: 0 completed, 1 failed or stopped, 4 timed out, 5 stalled,
    /// 130 interrupted, 141 output closed, 143 terminated.
    #[command(
        after_help = "Examples:\n  agent-worker run\n  agent-worker run workflow.yaml\n  agent-worker run workflow.yaml --tag pr-123 -p base=main --timeout 10m"
    )]
    Run(workflow::command::Run),
    /// Start a workflow that runs until it is stopped
    ///
    /// Shows its channel; Ctrl-C and SIGTERM leave the workflow running. Exit codes: 0 stopped, or
    /// started with `-d`, 1 failed, 130 interrupted, 141 output closed, 143 terminated.
    #[command(after_help = "Example:\n  agent-worker start workflow.yaml -d")]
    Start(workflow::command::Start),
    /// Check a workflow file without starting it
    #[command(
        after_help = "Examples:\n  agent-worker check workflow.yaml\n  agent-worker check --schema >workflow.schema.json"
    )]
    Check(workflow::check::CheckFile),
    /// Create a persistent agent
    #[command(
        after_help = "Example:\n  agent-worker new alice --backend mock --script alice.yaml --role \"answers questions\""
    )]
    New(Box<agent::create::New>),
    /// List workflows and agents
    #[command(
        alias = "ls",
        after_help = "Examples:\n  agent-worker list\n  agent-worker list @review"
    )]
    List(workflow::list::List),
    /// Show all details of an agent or a workflow
    #[command(
        after_help = "Examples:\n  agent-worker info alice\n  agent-worker info @review:pr-123"
    )]
    Info(workflow::list::Info),
    /// Show the daemon, what runs, and what needs you
    ///
    /// Does not start a daemon; exits with 3 if none is running. Archived workflows are only in
    /// `agent-worker list`.
    #[command(
        visible_alias = "ps",
        after_help = "Examples:\n  agent-worker status\n  agent-worker status --watch"
    )]
    Status(status::command::Looking),
    /// Stop agents or workflows; their deliveries stay
    #[command(
        after_help = "Examples:\n  agent-worker stop alice bob\n  agent-worker stop @review --now\n  agent-worker stop --all"
    )]
    Stop(agent::command::Stop),
    /// Resume stopped, paused or stalled agents and workflows
    #[command(after_help = "Examples:\n  agent-worker resume alice\n  agent-worker resume --all")]
    Resume(agent::command::Resume),
    /// Start an agent now
    ///
    /// Its waiting deliveries become due. Without any, it gets one run with its inbox.
    #[command(after_help = "Example:\n  agent-worker wake alice")]
    Wake(agent::command::Wake),
    /// Remove agents, or workflows with messages and documents
    ///
    /// Homes stay on the disk, with `SOUL.md` and memory; remove their folders yourself.
    /// Sessions that codex, or cursor in mode `print`, has kept for an agent go with it.
    #[command(
        after_help = "Examples:\n  agent-worker rm alice\n  agent-worker rm @review:pr-123 @review:pr-124"
    )]
    Rm(agent::command::Rm),
    /// Ask an agent a question and stream its answer
    ///
    /// Ctrl-C cancels the question. Exit code 141: the output was closed before the answer ended.
    #[command(
        after_help = "Examples:\n  agent-worker ask alice \"what is left to do?\"\n  agent-worker ask alice --new \"something else: how do bees sleep?\""
    )]
    Ask(ask::command::Asking),
    /// Ask an agent a question and print its answer as JSON
    #[command(
        after_help = "Example:\n  agent-worker serve alice \"what is left to do?\" | jq -r .content"
    )]
    Serve(ask::command::Question),
    /// List, show and continue the sessions of an agent
    ///
    /// A session is the conversation that runs go on with. `ask AGENT --new` begins one.
    #[command(
        subcommand,
        after_help = "Examples:\n  agent-worker sessions list alice\n  agent-worker sessions resume session_7 \"and in winter?\""
    )]
    Sessions(sessions::command::Action),
    /// Send a message to a channel, a group or an agent
    #[command(
        mut_arg("message", |arg| arg.help("The text; `-` reads it from standard input")),
        after_help = "Examples:\n  agent-worker send alice \"please have a look\"\n  agent-worker send @review \"@coder please go on\"\n  git diff | agent-worker send @review - --to reviewer"
    )]
    Send(conversation::send::Send),
    /// Read a channel, a group or direct messages
    #[command(
        after_help = "Examples:\n  agent-worker peek @review --follow\n  agent-worker peek @review --since 10m\n  agent-worker peek alice -n 5\n  agent-worker peek @review --group alice+bob"
    )]
    Peek(conversation::command::Peeking),
    /// Read your unread messages, or show an agent's inbox
    ///
    /// Marks your messages as read; an agent's inbox is not changed.
    #[command(after_help = "Examples:\n  agent-worker inbox\n  agent-worker inbox alice --all")]
    Inbox(inbox::command::Mailbox),
    /// Read and write the documents of a workflow
    #[command(
        after_help = "Examples:\n  agent-worker doc read @review\n  agent-worker doc edit plan.md @review"
    )]
    #[command(subcommand)]
    Doc(document::command::Action),
    /// Show and change the home of an agent: its files and memory
    #[command(
        after_help = "Examples:\n  agent-worker home show alice\n  agent-worker home edit alice SOUL.md"
    )]
    #[command(subcommand)]
    Home(home::command::Action),
    /// Show what the next run of an agent would be given
    ///
    /// Its prompts, word for word, and their lengths. Nothing is started.
    #[command(after_help = "Example:\n  agent-worker context alice")]
    Context(context::command::Context),
    /// Let the members of a workflow decide by vote
    #[command(
        after_help = "Examples:\n  agent-worker proposal list\n  agent-worker proposal create approval \"merge it?\" --in @review"
    )]
    #[command(subcommand)]
    Proposal(proposal::command::Action),
    /// List, show and change the schedules of agents
    #[command(
        after_help = "Examples:\n  agent-worker schedule list\n  agent-worker schedule alice\n  agent-worker schedule alice set \"0 9 * * 1-5\" --prompt \"write the stand-up\"\n  agent-worker schedule alice run"
    )]
    Schedule(schedule::command::Scheduling),
    /// Create groups of members, and list conversations
    #[command(
        after_help = "Examples:\n  agent-worker group create team-a alice bob --in @review\n  agent-worker send team-a@review \"please look at this\""
    )]
    #[command(subcommand)]
    Group(group::command::Action),
    /// Read and store long texts that messages link to
    #[command(
        after_help = "Examples:\n  agent-worker resource list @review\n  agent-worker resource read res_7"
    )]
    #[command(subcommand)]
    Resource(resource::command::Action),
    /// Search messages, documents and resources, newest first
    ///
    /// All words must occur; quoted words must follow each other, and `word*` matches a prefix.
    /// Filters: from:NAME, to:NAME, in:CONVERSATION, in:@WORKFLOW, kind:message, kind:system,
    /// kind:document, kind:resource, before:2026-01-31, after:2h.
    #[command(
        after_help = "Examples:\n  agent-worker search \"race condition\" @review\n  agent-worker search \"\\\"exact words\\\" from:alice after:24h\""
    )]
    Search(search::command::Searching),
    /// List runs with their state, tokens, cost and time
    #[command(
        after_help = "Examples:\n  agent-worker runs\n  agent-worker runs alice@review -n 5\n  agent-worker runs --state failed"
    )]
    Runs(run::command::Listing),
    /// Show the transcript of a run, or of a workflow's runs
    #[command(
        after_help = "Examples:\n  agent-worker logs run_12\n  agent-worker logs alice --follow\n  agent-worker logs @review -f --since 10m"
    )]
    Logs(logs::command::Logs),
    /// Print the command that continues a run's program session
    #[command(
        after_help = "Examples:\n  agent-worker resume-in-terminal run_12\n  agent-worker resume-in-terminal run_12 --exec"
    )]
    ResumeInTerminal(run::by_hand::ByHandArgs),
    /// Print everything an agent was told, thought, did and said
    ///
    /// All its runs in order: system prompts, prompts, thinking, calls and results, and what older
    /// parts of its session were replaced with.
    #[command(
        after_help = "Examples:\n  agent-worker history alice | less -R\n  agent-worker history alice --since 1h --follow"
    )]
    History(logs::history::Wanted),
    /// List the questions that agents ask you
    #[command(
        after_help = "Examples:\n  agent-worker questions\n  agent-worker questions alice@review --all"
    )]
    Questions(question::command::Listing),
    /// Answer an agent's question; the first answer counts
    #[command(
        after_help = "Examples:\n  agent-worker answer q_7 yes\n  agent-worker answer q_8 \"the blue one\""
    )]
    Answer(question::command::Answering),
    /// Explain a run, a message, or why something is idle
    #[command(
        after_help = "Examples:\n  agent-worker why run_12\n  agent-worker why msg_12\n  agent-worker why @review"
    )]
    Why(why::command::Asked),
    /// Retry dead letters
    #[command(after_help = "Examples:\n  agent-worker retry alice\n  agent-worker retry msg_12")]
    Retry(dead_letters::command::Retry),
    /// Discard dead letters and held deliveries
    #[command(after_help = "Examples:\n  agent-worker drop @review\n  agent-worker drop msg_12")]
    Drop(dead_letters::command::Drop),
    /// Release held deliveries
    #[command(
        after_help = "Examples:\n  agent-worker release @review\n  agent-worker release msg_12"
    )]
    Release(dead_letters::command::Release),
    /// End a run now; hold its deliveries, but drop an `ask`
    #[command(after_help = "Example:\n  agent-worker cancel run_12")]
    Cancel(RunCancel),
    /// Show or change the limits of a workflow
    #[command(
        long_about = workflow::limits::ABOUT,
        after_help = "Examples:\n  agent-worker limits @review\n  agent-worker limits @review tokens=4000000 duration=2h"
    )]
    Limits(workflow::limits::Limiting),
    /// Print events as JSON, one on each line
    #[command(
        after_help = "Examples:\n  agent-worker events --follow --kind message.sent\n  agent-worker events @review --until workflow.changed --timeout 5m"
    )]
    Events(events::Events),
    /// Open the control room: everything live on one screen
    ///
    /// Does not start a daemon; press `s` to start it.
    #[command(
        after_help = "Examples:\n  agent-worker tui @review:pr-123\n  agent-worker tui --host here --host me@box\n  agent-worker tui --dump 120x40\n  agent-worker tui --record team.cast\n  agent-worker tui --linear"
    )]
    Tui(tui::Tui),
    /// Run the daemon, or manage the running one
    ///
    /// In the foreground its first line is `ready URL`, also with `--json`.
    #[command(
        args_conflicts_with_subcommands = true,
        after_help = "Examples:\n  agent-worker daemon --port 4711\n  agent-worker daemon restart"
    )]
    Daemon(daemon::command::Daemon),
    /// Back up the database and verify the copy
    ///
    /// Agents keep working. The backup has the database only, without homes, API keys, settings and
    /// prices.
    #[command(after_help = "Example:\n  agent-worker backup monday.db")]
    Backup(backup::command::Backing),
    /// Restore the database from a backup
    ///
    /// The daemon must be stopped. The current database is moved aside.
    #[command(
        after_help = "Example:\n  agent-worker daemon stop && agent-worker restore monday.db"
    )]
    Restore(backup::command::Restoring),
    /// Check the database and the state directory
    ///
    /// Changes no data and starts no daemon. Exit codes: 0 consistent, 1 something is broken.
    #[command(
        after_help = "Examples:\n  agent-worker doctor\n  agent-worker doctor --json | jq .findings"
    )]
    Doctor,
    /// Print and change settings
    #[command(
        after_help = "Examples:\n  agent-worker config get runs.retry_delay\n  agent-worker config set runs.retry_delay 30s"
    )]
    #[command(subcommand)]
    Config(config::Action),
    /// Manage API keys for agents
    #[command(
        after_help = "Examples:\n  agent-worker keys set ANTHROPIC_API_KEY\n  agent-worker keys set GITHUB_TOKEN --from-env"
    )]
    #[command(subcommand)]
    Keys(keys::Action),
    /// Create or revoke the token of an external member
    ///
    /// A token has the rights of its member. It stays valid, also over restarts, until it is revoked
    /// or replaced. Each call makes a new token and ends the last one.
    #[command(
        after_help = "Examples:\n  agent-worker token ide\n  agent-worker token ide --revoke"
    )]
    Token(token::Token),
    /// Open the web chat in a browser
    ///
    /// The link lets one browser tab in, as you, for 30 days.
    #[command(after_help = "Examples:\n  agent-worker web\n  agent-worker web --revoke")]
    Web(web::Web),
    /// Print the settings that connect an MCP client
    #[command(
        after_help = "Examples:\n  agent-worker mcp-config ide\n  agent-worker mcp-config ide --client claude --new-token\n  agent-worker mcp-config ide --client codex --stdio"
    )]
    McpConfig(token::McpConfig),
    /// Serve the daemon's tools on stdio to any MCP client
    ///
    /// Continues when the daemon restarts. `--as AGENT@SCOPE` names the member; without it, you.
    #[command(after_help = "Example:\n  agent-worker mcp --as ide@review")]
    Mcp(mcp::Mcp),
    /// List providers of models with their keys and prices
    #[command(
        after_help = "Examples:\n  agent-worker providers\n  agent-worker providers anthropic\n  agent-worker providers update model_prices_and_context_window.json"
    )]
    Providers(provider::command::Listing),
    /// List backends, with what is installed and missing
    #[command(
        after_help = "Examples:\n  agent-worker backends\n  agent-worker backends --try claude"
    )]
    Backends(backend::command::Listing),
    /// Serve a scripted model for tests
    ///
    /// Listens on this machine only, speaks the model interfaces of Anthropic, OpenAI and Google, and
    /// prints its counts when it ends; `GET /counts` returns them before. Its first line is
    /// `ready URL`, with `--json` `{"ready":"URL"}`.
    #[command(after_help = "Example:\n  agent-worker fake-model rehearsal.yaml --port 4747")]
    FakeModel(fake_model::FakeModel),
    /// Print shell completions
    #[command(
        after_help = "Examples:\n  source <(agent-worker completions bash)\n  agent-worker completions fish >~/.config/fish/completions/agent-worker.fish"
    )]
    Completions(completions::Completions),
    /// Serve the daemon to another machine on stdio, for `--host`
    #[command(hide = true)]
    RemoteEnd,
    /// Print the manual page
    #[command(after_help = "Example:\n  agent-worker man | man -l -")]
    Man,
}

#[cfg(test)]
#[path = "../tests/args.rs"]
mod tests;
