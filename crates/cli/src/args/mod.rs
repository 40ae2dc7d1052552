//! The commands, as they are written. Their doc comments are their help.

pub mod host;
pub mod perform;

use agent_worker_protocol::RunCancel;
use clap::{Parser, Subcommand};

use crate::{
    commands::{
        agent, ask, backend, backup, completions, config, context, conversation, daemon,
        dead_letters, document, events, fake_model, group, home, inbox, keys, logs, proposal,
        provider, question, resource, run, schedule, search, session as sessions, status, token,
        tui, web, why, workflow,
    },
    globals::Globals,
    help::{self, examples},
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
    #[command(after_help = examples("init\ninit review"))]
    Init(workflow::init::Init),
    /// Run a workflow to its end and show its channel
    ///
    /// Ctrl-C and SIGTERM stop the workflow; a second one exits at once. If its output is closed,
    /// the workflow goes on. Exit codes: 0 completed, 1 failed or stopped, 4 timed out, 5 stalled,
    /// 130 interrupted, 141 output closed, 143 terminated.
    #[command(
        after_help = examples("run\nrun workflow.yaml\nrun workflow.yaml --tag pr-123 -p base=main --timeout 10m")
    )]
    Run(workflow::command::Run),
    /// Start a workflow that runs until it is stopped
    ///
    /// Shows its channel; Ctrl-C and SIGTERM leave the workflow running. Exit codes: 0 stopped, or
    /// started with `-d`, 1 failed, 130 interrupted, 141 output closed, 143 terminated.
    #[command(after_help = examples("start workflow.yaml -d"))]
    Start(workflow::command::Start),
    /// Check a workflow file without starting it
    #[command(after_help = examples("check workflow.yaml\ncheck --schema >workflow.schema.json"))]
    Check(workflow::check::CheckFile),
    /// Create a persistent agent
    #[command(
        after_help = examples("new alice --backend mock --script scripts/greeter.yaml --role \"answers questions\"")
    )]
    New(Box<agent::create::New>),
    /// List workflows and agents
    #[command(alias = "ls", after_help = examples("list\nlist @review"))]
    List(workflow::list::List),
    /// Show all details of an agent or a workflow
    #[command(after_help = examples("info alice\ninfo @review:pr-123"))]
    Info(workflow::list::Info),
    /// Show the daemon, what runs, and what needs you
    ///
    /// Does not start a daemon; exits with 3 if none is running. Archived workflows are only in
    /// `agent-worker list`.
    #[command(visible_alias = "ps", after_help = examples("status\nstatus --watch"))]
    Status(status::command::Looking),
    /// Stop agents or workflows; their deliveries stay
    #[command(
        override_usage = "agent-worker stop [OPTIONS] <TARGET>...|--all",
        mut_arg("all", |arg| arg.help("All running workflows, and active agents of `@global`")),
        after_help = examples("stop alice bob\nstop @review --now\nstop --all")
    )]
    Stop(agent::command::Stop),
    /// Resume stopped, paused or stalled agents and workflows
    ///
    /// An archived workflow is resumed only by its name.
    #[command(
        override_usage = "agent-worker resume [OPTIONS] <TARGET>...|--all",
        mut_arg("all", |arg| arg.help("All that are stopped, paused or stalled")),
        after_help = examples("resume alice\nresume --all")
    )]
    Resume(agent::command::Resume),
    /// Start an agent now
    ///
    /// Deliveries that were to start it later, such as after a failed run, start it now. Without
    /// such deliveries it gets one run with all that is in its inbox, even if that is nothing.
    #[command(after_help = examples("wake alice"))]
    Wake(agent::command::Wake),
    /// Remove agents, or workflows with messages and documents
    ///
    /// Homes stay on the disk, with `SOUL.md` and memory; remove their folders yourself. The
    /// sessions that codex, or cursor in mode `print`, has kept for an agent are removed.
    ///
    /// The database keeps its size, and its free space is used for what is stored next. To give that
    /// to the disk, make a `backup`, `restore` it, and delete the old files that `restore` names.
    ///
    /// `--all` removes the workflows that are not running, stalled ones and archives too, and the
    /// stopped or paused agents of `@global`.
    #[command(
        override_usage = "agent-worker rm [OPTIONS] <TARGET>...|--all",
        mut_arg("all", |arg| arg.help("All that are stopped or have ended, if you confirm it")),
        after_help = examples("rm alice\nrm @review:pr-123 @review:pr-124")
    )]
    Rm(agent::command::Rm),
    /// Ask an agent a question and stream its answer
    ///
    /// A terminal shows the answer as it grows, a file or program gets it when it is whole. The
    /// answer counts as read, unless older messages of the agent are unread. With `--json` the
    /// output is events as they come, and the answer stays unread. Ctrl-C cancels the question.
    /// Exit code 141: the output was closed before the answer ended.
    #[command(
        after_help = examples("ask alice \"what is left to do?\"\nask alice --new \"something else: how do bees sleep?\"")
    )]
    Ask(ask::command::Asking),
    /// Ask an agent a question and print its answer as JSON
    #[command(after_help = examples("serve alice \"what is left to do?\" | jq -r .content"))]
    Serve(ask::command::Question),
    /// List, show and continue the sessions of an agent
    ///
    /// A session is the conversation with a model that an agent's runs continue. `ask AGENT --new`
    /// begins another.
    #[command(
        subcommand,
        after_help = examples("sessions list alice\nsessions resume session_7 \"and in winter?\"")
    )]
    Sessions(sessions::command::Action),
    /// Send a message to a channel, a group or an agent
    #[command(
        mut_arg("message", |arg| arg.help("The text; `-` reads it from standard input")),
        mut_arg("to", |arg| arg.help("Members, such as `bob,eve`, or one group")),
        after_help = examples("send alice \"please have a look\"\nsend @review \"@coder please go on\"\ngit diff | agent-worker send @review - --to reviewer")
    )]
    Send(conversation::send::Send),
    /// Read a channel, a group or direct messages
    #[command(
        after_help = examples("peek @review --follow\npeek @review --since 10m\npeek alice -n 5\npeek @review --group coder+reviewer")
    )]
    Peek(conversation::command::Peeking),
    /// Read your unread messages, or show an agent's inbox
    ///
    /// Marks your messages as read; an agent's inbox is not changed.
    #[command(after_help = examples("inbox\ninbox alice --all"))]
    Inbox(inbox::command::Mailbox),
    /// Read and write the documents of a workflow
    #[command(subcommand, after_help = examples("doc read @review\ndoc edit plan.md @review"))]
    Doc(document::command::Action),
    /// Show and change the home of an agent: its files and memory
    #[command(subcommand, after_help = examples("home show alice\nhome edit alice SOUL.md"))]
    Home(home::command::Action),
    /// Show what the next run of an agent would be given
    ///
    /// Its prompts, word for word, and their lengths. Nothing is started.
    #[command(after_help = examples("context alice"))]
    Context(context::command::Context),
    /// Let the members of a workflow decide by vote
    #[command(
        subcommand,
        after_help = examples("proposal list\nproposal create approval \"merge it?\" --in @review")
    )]
    Proposal(proposal::command::Action),
    /// List, show and change the schedules of agents
    #[command(
        after_help = examples("schedule list\nschedule alice\nschedule alice set \"0 9 * * 1-5\" --prompt \"write the stand-up\"\nschedule alice run")
    )]
    Schedule(schedule::command::Scheduling),
    /// Create groups of members, and list conversations
    #[command(
        subcommand,
        after_help = examples("group create team-a coder reviewer --in @review\nsend team-a@review \"please look at this\"")
    )]
    Group(group::command::Action),
    /// Read and store long texts that messages link to
    #[command(subcommand, after_help = examples("resource list @review\nresource read res_7"))]
    Resource(resource::command::Action),
    /// Search messages, documents and resources, newest first
    ///
    /// All words must occur; quoted words must follow each other, and `word*` matches a prefix.
    /// Filters: from:NAME, to:NAME, in:CONVERSATION, in:@WORKFLOW, kind:message, kind:system,
    /// kind:document, kind:resource, before:2026-01-31, after:2h. Days and times are those of
    /// the daemon's machine; `after:2026-01-31T17:30Z` is UTC.
    #[command(
        after_help = examples("search \"race condition\" @review\nsearch \"\\\"exact words\\\" from:alice after:24h\"")
    )]
    Search(search::command::Searching),
    /// List runs with their state, tokens, cost and time
    #[command(after_help = examples("runs\nruns coder@review -n 5\nruns --state failed"))]
    Runs(run::command::Listing),
    /// Show the transcript of a run, or of a workflow's runs
    #[command(
        after_help = examples("logs run_12\nlogs alice --follow\nlogs @review -f --since 10m")
    )]
    Logs(logs::command::Logs),
    /// Print the command that continues a run's program session
    #[command(after_help = examples("resume-in-terminal run_12\nresume-in-terminal run_12 --exec"))]
    ResumeInTerminal(run::by_hand::ByHandArgs),
    /// Print everything an agent was told, thought, did and said
    ///
    /// All its runs in order: system prompts, prompts, thinking, calls and results, and the
    /// summaries that replaced older parts of its session.
    #[command(after_help = examples("history alice | less -R\nhistory alice --since 1h --follow"))]
    History(logs::history::Wanted),
    /// List the questions that agents ask you
    #[command(after_help = examples("questions\nquestions coder@review --all"))]
    Questions(question::command::Listing),
    /// Answer an agent's question; the first answer counts
    #[command(after_help = examples("answer q_7 yes\nanswer q_8 \"the blue one\""))]
    Answer(question::command::Answering),
    /// Explain a run, a message, or why something is idle
    #[command(after_help = examples("why run_12\nwhy msg_12\nwhy @review"))]
    Why(why::command::Asked),
    /// Retry dead letters
    ///
    /// A dead letter is a delivery without attempts left. `retry run_12` retries those of one run,
    /// and releases its held deliveries.
    #[command(after_help = examples("retry alice\nretry msg_12"))]
    Retry(dead_letters::command::Retry),
    /// Discard dead letters and held deliveries
    ///
    /// A dead letter is a delivery without attempts left. A held delivery waits for your decision.
    /// If a message has neither, `drop msg_12` discards its deliveries that wait.
    #[command(after_help = examples("drop @review\ndrop msg_12"))]
    Drop(dead_letters::command::Drop),
    /// Release held deliveries
    ///
    /// A held delivery waits for your decision: `release` gives it to its agent, `drop` discards
    /// it. `inbox AGENT` shows why it is held.
    #[command(after_help = examples("release @review\nrelease msg_12"))]
    Release(dead_letters::command::Release),
    /// End a run now and hold its deliveries
    ///
    /// `release` gives the held deliveries to the agent again. The question of an `ask` is
    /// discarded.
    #[command(after_help = examples("cancel run_12"))]
    Cancel(RunCancel),
    /// Show or change the limits of a workflow
    #[command(
        long_about = workflow::limits::ABOUT,
        after_help = examples("limits @review\nlimits @review tokens=4000000 duration=2h")
    )]
    Limits(workflow::limits::Limiting),
    /// Print events as JSON, one on each line
    #[command(
        after_help = examples("events --follow --kind message.sent\nevents @review --until workflow.changed --timeout 5m")
    )]
    Events(events::Events),
    /// Open the control room: everything live on one screen
    ///
    /// Does not start a daemon; press `s` to start it.
    #[command(
        after_help = examples("tui @review:pr-123\ntui --host here --host me@box\ntui --dump 120x40\ntui --record team.cast\ntui --linear")
    )]
    Tui(tui::Tui),
    /// Run the daemon, or manage the running one
    ///
    /// In the foreground its first line is `ready URL`, also with `--json`.
    #[command(
        args_conflicts_with_subcommands = true,
        after_help = examples("daemon --port 4711\ndaemon restart")
    )]
    Daemon(daemon::command::Daemon),
    /// Back up the database and verify the copy
    ///
    /// Agents keep working. The backup has the database only, without homes, API keys, settings and
    /// prices.
    #[command(after_help = examples("backup monday.db"))]
    Backup(backup::command::Backing),
    /// Restore the database from a backup
    ///
    /// The daemon must be stopped. The current database is moved aside. Homes, API keys, settings and
    /// prices stay as they are.
    #[command(after_help = examples("agent-worker daemon stop && agent-worker restore monday.db"))]
    Restore(backup::command::Restoring),
    /// Check the database and the state directory
    ///
    /// Changes no data and starts no daemon. Exit codes: 0 consistent, 1 something is broken.
    #[command(after_help = examples("doctor\ndoctor --json | jq .findings"))]
    Doctor,
    /// Print and change settings
    #[command(
        subcommand,
        after_help = examples("config get runs.retry_delay\nconfig set runs.retry_delay 30s")
    )]
    Config(config::Action),
    /// Manage API keys for agents
    #[command(
        subcommand,
        after_help = examples("keys set ANTHROPIC_API_KEY\nkeys set GITHUB_TOKEN --from-env")
    )]
    Keys(keys::Action),
    /// Create or revoke the token of an external member
    ///
    /// A token has the rights of its member. It stays valid, also over restarts, until it is revoked
    /// or replaced. Each call makes a new token and ends the last one.
    #[command(after_help = examples("token ide\ntoken ide --revoke"))]
    Token(token::Token),
    /// Open the web chat in a browser
    ///
    /// The link works once, for one browser tab. That tab then acts as you for 30 days.
    #[command(after_help = examples("web\nweb --revoke"))]
    Web(web::Web),
    /// Print the settings that connect an MCP client
    #[command(
        after_help = examples("mcp-config ide\nmcp-config ide --client claude --new-token\nmcp-config ide --client codex --stdio")
    )]
    McpConfig(token::McpConfig),
    /// Serve the daemon's tools on stdio to any MCP client
    ///
    /// Continues when the daemon restarts. `--as AGENT@SCOPE` names the member that the client is;
    /// without it the client acts as you.
    #[command(after_help = examples("mcp --as ide@review"))]
    Mcp,
    /// List providers of models with their keys and prices
    ///
    /// With a name: its models. LONG PROMPTS are the prices of input and output above that length,
    /// RETIRES is the day on which the provider ends the model.
    #[command(
        after_help = examples("providers\nproviders anthropic\nproviders update model_prices_and_context_window.json")
    )]
    Providers(provider::command::Listing),
    /// List backends, with what is installed and missing
    ///
    /// VERSION is the installed version of a program, TESTED WITH the version that agent-worker was
    /// tested with. KEY OR LOG-IN is the API key, or the file of the log-in, that the program uses.
    #[command(after_help = examples("backends\nbackends --try claude"))]
    Backends(backend::command::Listing),
    /// Serve a scripted model for tests
    ///
    /// Listens on this machine only, speaks the model interfaces of Anthropic, OpenAI and Google, and
    /// prints its counts when it ends; until then `GET /counts` returns them. Its first line is
    /// `ready URL`, or `{"ready":"URL"}` with `--json`.
    #[command(after_help = examples("fake-model rehearsal.yaml --port 4747"))]
    FakeModel(fake_model::FakeModel),
    /// Print shell completions
    #[command(
        after_help = examples("source <(agent-worker completions bash)\nsource <(agent-worker completions zsh)\nagent-worker completions fish >~/.config/fish/completions/agent-worker.fish")
    )]
    Completions(completions::Completions),
    /// Serve the daemon to another machine on stdio, for `--host`
    #[command(hide = true)]
    RemoteEnd,
    /// Print the manual page
    #[command(after_help = examples("man | man -l -"))]
    Man,
}

#[cfg(test)]
#[path = "../tests/args.rs"]
mod tests;
