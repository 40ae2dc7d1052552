//! `agent-worker history`: the transcripts of all runs of an agent, one after the other

use agent_worker_client::{Client, Feed, FeedFilter, FeedItem};
use agent_worker_protocol::{
    AgentShow, EventBody, Interval, Run, RunId, RunList, RunShow, Scope, Target,
};
use clap::Args;

use super::{
    command::no_runs,
    lines::{Part, Sink, cutoff, is_gone, is_recent, print},
    text::begin,
};
use crate::{
    again, complete,
    exit::{Exit, Refusal, until_unread},
    parse, resolve,
    session::Session,
    text::View,
};

/// The most runs that are listed at once.
const PAGE: u32 = 500;

/// `agent-worker history`
#[derive(Debug, Args)]
pub struct Wanted {
    /// The agent
    #[arg(add = complete::agents(), value_parser = parse::target)]
    pub agent: Target,
    /// Continue with what the agent does from now on
    #[arg(short, long)]
    pub follow: bool,
    /// Print only the last lines
    #[arg(short = 'n', long, value_name = "LINES")]
    pub tail: Option<usize>,
    /// Print only what was written in the last SPAN, such as `10m`
    #[arg(long, value_name = "SPAN")]
    pub since: Option<Interval>,
}

/// What is printed of an agent's runs.
struct History<'a> {
    session: &'a Session,
    client: &'a Client,
    agent: Target,
    part: Part,
    /// The newest run that was printed
    last: Option<RunId>,
    sink: Sink,
}

/// Prints what an agent was told, thought, did and said in all its runs, oldest first.
pub async fn history(session: &Session, wanted: Wanted) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    let agent = session.meant(&client, wanted.agent).await?;
    resolve::agent_only(&agent, "shown", &format!("agent-worker logs {agent}"))?;
    not_a_run(&client, &agent).await?;
    let mut history = History {
        session,
        client: &client,
        agent,
        part: Part { follow: wanted.follow, cutoff: cutoff(wanted.since), is_tagged: true },
        last: None,
        sink: Sink::new(session.output, wanted.tail),
    };
    if !wanted.follow {
        history.past().await?;
        // With `--since` there may be older ones.
        if history.last.is_none() && wanted.since.is_none() {
            return Err(no_runs(&history.agent).into());
        }
        return Ok(Exit::Done);
    }
    until_unread(Box::pin(history.follow())).await
}

/// Refuses the id of a run, unless an agent has that name.
async fn not_a_run(client: &Client, agent: &Target) -> Result<(), Refusal> {
    let Ok(id) = agent.to_string().parse::<RunId>() else { return Ok(()) };
    let show = AgentShow { target: agent.clone() };
    if client.call(&show).await.is_ok() || client.call(&RunShow { id }).await.is_err() {
        return Ok(());
    }
    let message = format!("only an agent has a history: `{id}` is a run");
    Err(Refusal::new(message).hint(again::with("history", "logs")))
}

impl History<'_> {
    async fn follow(&mut self) -> anyhow::Result<Exit> {
        let mut feed = self.feed()?;
        while let Some(item) = feed.next().await {
            match item? {
                FeedItem::Disconnected { error } => self.sink.lose(error),
                FeedItem::Hello(_) => {
                    self.sink.go_on();
                    self.news(&mut feed).await?;
                }
                FeedItem::Event(event) => match event.body {
                    EventBody::RunChanged(run) if self.is_new(&run) => {
                        self.news(&mut feed).await?;
                    }
                    EventBody::AgentRemoved { target, .. } if target == self.agent => {
                        return Ok(Exit::Done);
                    }
                    EventBody::WorkflowRemoved { scope }
                        if is_gone(self.client, scope.clone()).await =>
                    {
                        return Ok(Exit::Done);
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        Err(Refusal::new("the feed has ended").into())
    }

    fn feed(&self) -> anyhow::Result<Feed> {
        let scope = self.agent.scope_or(&Scope::global());
        let kinds = ["run.changed", "agent.removed", "workflow.removed"].map(str::to_owned);
        let filter = FeedFilter { scope: Some(scope), kinds: kinds.into() };
        Ok(Feed::follow(self.client, filter, None).relocate(self.session.relocation()?))
    }

    /// Prints the runs that were not printed yet. If the daemon is lost meanwhile, that is told, and
    /// the feed begins anew: the old one would tell it again.
    async fn news(&mut self, feed: &mut Feed) -> anyhow::Result<()> {
        let before = self.sink.losses();
        loop {
            let losses = self.sink.losses();
            // What it asks first finds the next daemon.
            self.past().await?;
            if self.sink.losses() == losses {
                break;
            }
        }
        if self.sink.losses() > before {
            *feed = self.feed()?;
        }
        Ok(())
    }

    fn is_new(&self, run: &Run) -> bool {
        run.agent == self.agent && Some(run.id) > self.last
    }

    /// Prints the runs that were not printed yet; what comes after them is printed at once.
    async fn past(&mut self) -> anyhow::Result<()> {
        for (run, text) in self.unseen().await?.into_iter().rev() {
            self.one(&run, text.as_deref()).await?;
            self.last = Some(run.id);
        }
        self.sink.release()
    }

    /// The runs that were not printed yet, newest first. If only the last lines are wanted, these
    /// are the runs that have them, the ended ones with their text.
    async fn unseen(&self) -> anyhow::Result<Vec<(Run, Option<String>)>> {
        let client = self.client.at(self.agent.clone());
        let (mut runs, mut lines, mut before) = (Vec::new(), 0, None);
        loop {
            let page =
                client.call(&RunList { limit: Some(PAGE), before, ..RunList::default() }).await?;
            before = page.runs.last().map(|run| run.id);
            for run in page.runs {
                if Some(run.id) <= self.last {
                    return Ok(runs);
                }
                if !is_recent(&run, self.part.cutoff) {
                    continue;
                }
                let text = self.read(&run).await?;
                lines += text.as_ref().map_or(0, |text| text.matches('\n').count());
                runs.push((run, text));
                if self.sink.is_filled_by(lines) {
                    return Ok(runs);
                }
            }
            if !page.more {
                return Ok(runs);
            }
        }
    }

    /// The transcript of an ended run, if only the last lines are wanted.
    async fn read(&self, run: &Run) -> anyhow::Result<Option<String>> {
        if !self.sink.is_holding() || run.state.is_live() {
            return Ok(None);
        }
        let mut whole = Sink::new(self.session.output, Some(usize::MAX));
        print(self.session, self.client, run, self.part, &mut whole).await?;
        Ok(whole.into_held())
    }

    /// Prints a run to its end, as `text` if that was read already. If it is live and not followed,
    /// prints what is stored.
    async fn one(&mut self, run: &Run, text: Option<&str>) -> anyhow::Result<()> {
        if !self.session.output.json {
            let view = View::of(self.session.output);
            let gap = if self.last.is_some() { "\n" } else { "" };
            self.sink.begin(format!("{gap}{}", begin(&view, run)));
        }
        if let Some(text) = text {
            return self.sink.write(text);
        }
        print(self.session, self.client, run, self.part, &mut self.sink).await?;
        Ok(())
    }
}
