//! What the commands do: each asks the daemon and prints what it answers.

pub mod agents;
pub mod ask;
pub mod attention;
pub mod backends;
pub mod backup;
pub mod by_hand;
pub mod check;
pub mod completions;
pub mod config;
pub mod conversation;
pub mod daemon;
pub mod doc;
pub mod doctor;
mod each;
mod edit;
mod elsewhere;
pub mod events;
pub mod group;
pub mod init;
pub mod keys;
pub mod limits;
pub mod list;
pub mod logs;
pub mod mail;
pub mod mcp;
pub mod new;
pub mod proposal;
pub mod providers;
pub mod questions;
pub mod resource;
pub mod runs;
pub mod schedule;
pub mod search;
pub mod send;
pub mod start;
pub mod token;
pub mod tui;
pub mod welcome;

use agent_worker_protocol::target::{Scope, Target};

use crate::{args::Command, exit::Exit, fake_model, keeper::Keeper, session::Session};

/// Does what was asked.
pub async fn perform(
    session: &Session,
    command: Option<Command>,
    keeper: &dyn Keeper,
) -> anyhow::Result<Exit> {
    let Some(command) = command else { return welcome::greet(session) };
    if !matches!(command, Command::Mcp(_)) {
        session.plain_member_only()?;
    }
    match command {
        Command::Init(args) => init::init(session, &args),
        Command::Run(args) => Box::pin(start::run(session, args, keeper)).await,
        Command::Start(args) => Box::pin(start::start(session, args, keeper)).await,
        Command::Check(args) => check::check(session, &args, keeper).await,
        Command::New(args) => new::new(session, args).await,
        Command::List(args) => list::list(session, args).await,
        Command::Info(args) => list::info(session, args).await,
        Command::Status(args) => Box::pin(attention::status(session, args, keeper)).await,
        Command::Stop(args) => agents::stop(session, args).await,
        Command::Resume(args) => agents::resume(session, args).await,
        Command::Wake(args) => agents::wake(session, args).await,
        Command::Rm(args) => agents::remove(session, args).await,
        Command::Ask(args) => Box::pin(ask::ask(session, args)).await,
        Command::Serve(args) => Box::pin(ask::serve(session, args)).await,
        Command::Send(args) => send::send(session, args).await,
        Command::Peek(args) => Box::pin(conversation::peek(session, args)).await,
        Command::Doc(args) => doc::doc(session, args).await,
        Command::Proposal(args) => proposal::proposal(session, args).await,
        Command::Schedule(args) => schedule::schedule(session, args).await,
        Command::Group(args) => group::group(session, args).await,
        Command::Inbox(args) => conversation::inbox(session, args).await,
        Command::Resource(args) => resource::resource(session, args).await,
        Command::Search(args) => search::search(session, args).await,
        Command::Runs(args) => runs::list(session, args).await,
        Command::Logs(args) => Box::pin(logs::logs(session, args)).await,
        Command::ResumeInTerminal(args) => by_hand::resume(session, args).await,
        Command::Cancel(args) => runs::cancel(session, args).await,
        Command::Questions(args) => questions::list(session, args).await,
        Command::Answer(args) => questions::answer(session, args).await,
        Command::Why(args) => attention::why(session, args).await,
        Command::Retry(args) => mail::retry(session, args).await,
        Command::Drop(args) => mail::drop(session, args).await,
        Command::Release(args) => mail::release(session, args).await,
        Command::Limits(args) => limits::limits(session, args).await,
        Command::Events(args) => Box::pin(events::events(session, args)).await,
        // `Wish::of` has taken it out.
        Command::Tui(_) => anyhow::bail!("the control room is opened by the program itself"),
        Command::Daemon(args) => daemon::look_after(session, args).await,
        Command::Backup(args) => backup::backup(session, &args).await,
        Command::Restore(args) => backup::restore(session, &args, keeper).await,
        Command::Doctor => doctor::examine(session, keeper).await,
        Command::Config(args) => config::config(session, args, keeper).await,
        Command::Keys(args) => keys::keys(session, args).await,
        Command::Token(args) => token::token(session, args).await,
        Command::McpConfig(args) => token::mcp_config(session, args).await,
        Command::Mcp(_) => Box::pin(mcp::serve(session)).await,
        Command::Backends(args) => backends::list(session, args).await,
        Command::Providers(args) => providers::providers(session, args).await,
        Command::FakeModel(args) => fake_model::play(session, &args).await,
        Command::Completions(args) => completions::completions(session, &args),
        Command::Man => completions::man(session),
    }
}

/// Where a target is, for those that lie in the person's own scope too.
fn scope_of(target: &Target) -> Scope {
    target.scope_or(&Scope::global())
}
