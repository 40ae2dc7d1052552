//! The runs of a workflow as one stream of lines, each with its agent's name and colour.

use std::collections::BTreeMap;

use agent_worker_client::{Client, ClientError, Feed, FeedFilter, FeedItem, OutputItem, RunOutput};
use agent_worker_protocol::{
    AgentList, EventBody, MemberKind, Name, OutputEvent, Run, RunId, RunList, Scope, Target,
    Timestamp,
};
use futures::{StreamExt as _, stream, stream::BoxStream, stream::SelectAll};
use owo_colors::{AnsiColors, OwoColorize as _};

use super::{
    lines::{Part, Recent, Sink, Stored, is_gone, is_recent},
    text::{Tagged, Transcript},
};
use crate::{
    commands::conversation::text as messages,
    exit::{Exit, Refusal, until_unread},
    session::Session,
    text::View,
};

/// The most runs of the past that are read.
const MOST_RUNS: u32 = 100;

/// Colours that differ on light and dark terminals.
const COLOURS: [AnsiColors; 6] = [
    AnsiColors::Cyan,
    AnsiColors::Magenta,
    AnsiColors::Green,
    AnsiColors::Yellow,
    AnsiColors::Blue,
    AnsiColors::Red,
];

type Item = (RunId, Result<OutputItem, ClientError>);

/// Whole lines, with the time of their block.
type Line = (Timestamp, String);

/// The transcripts of a workflow's runs.
struct Merged<'a> {
    session: &'a Session,
    scope: Scope,
    names: Vec<Name>,
    width: usize,
    cutoff: Option<Timestamp>,
    runs: BTreeMap<RunId, Source>,
    sink: Sink,
}

/// The transcript of one run, as whole lines.
struct Source {
    agent: Target,
    transcript: Transcript,
    recent: Recent,
    partial: String,
    /// Start of the block that was read last
    at: Timestamp,
}

/// Shows the transcripts of a workflow's runs, oldest first.
pub async fn logs(
    session: &Session,
    client: &Client,
    target: Target,
    part: Part,
    tail: Option<usize>,
) -> anyhow::Result<Exit> {
    let scope = target.scope_or(&Scope::global());
    let client = client.at(Target::scope(scope.clone()));
    let agents = client.call(&AgentList {}).await?.agents.into_iter();
    let agents = agents.filter(|agent| agent.kind != MemberKind::Person);
    let names: Vec<_> = agents.map(|agent| agent.name).collect();
    let mut merged = Merged {
        session,
        scope,
        width: messages::name_width(&names),
        names,
        cutoff: part.cutoff,
        runs: BTreeMap::new(),
        sink: Sink::new(session.output, tail),
    };
    if !part.follow {
        merged.past(&client, false).await?;
        return Ok(Exit::Done);
    }
    until_unread(Box::pin(merged.follow(&client))).await
}

impl Merged<'_> {
    /// Shows the stored transcripts, and returns those that grow.
    async fn past(
        &mut self,
        client: &Client,
        follow: bool,
    ) -> anyhow::Result<Vec<(RunId, RunOutput)>> {
        let list = RunList { limit: Some(MOST_RUNS), ..RunList::default() };
        let page = client.call(&list).await?;
        if page.more {
            let more = format!("older runs are omitted: see agent-worker runs {}", self.scope);
            self.session.output.note(&more);
        }
        let cutoff = self.cutoff;
        let (mut lines, mut ahead) = (Vec::new(), Vec::new());
        for run in page.runs.into_iter().filter(|run| is_recent(run, cutoff)) {
            let goes_on = follow && run.state.is_live();
            let mut output = self.open(client, &run)?;
            // The last lines are of later runs.
            if run.ended_at.is_some_and(|at| self.sink.is_filled_by(newer(&lines, at))) {
                continue;
            }
            // What is held back is the last of all that is stored, also of live runs.
            if !goes_on || self.sink.is_holding() {
                lines.push(self.read(&run, &mut output).await?);
            }
            if goes_on {
                ahead.push((run.id, output));
            }
        }
        // What two agents did side by side is shown side by side.
        let mut lines: Vec<_> = lines.into_iter().rev().flatten().collect();
        lines.sort_by_key(|(at, _)| *at);
        for (_, line) in lines {
            self.sink.write(&line)?;
        }
        self.sink.release()?;
        Ok(ahead)
    }

    /// Stored lines of a run, with the time of their block.
    async fn read(&mut self, run: &Run, output: &mut RunOutput) -> anyhow::Result<Vec<Line>> {
        let (mut stored, may_be_silent) = (Stored::from_now(), run.state.is_live());
        let mut lines = Vec::new();
        while let Ok(Some(item)) = stored.next(may_be_silent, output.next()).await {
            if let OutputItem::Output(event) = item? {
                let text = self.tell(run.id, event)?;
                let at = self.runs.get(&run.id).map_or(run.started_at, |source| source.at);
                lines.push((at, text));
            }
        }
        Ok(lines)
    }

    async fn follow(&mut self, client: &Client) -> anyhow::Result<Exit> {
        let kinds = vec!["run.changed".to_owned(), "workflow.removed".to_owned()];
        let filter = FeedFilter { scope: Some(self.scope.clone()), kinds };
        let mut feed = Feed::follow(client, filter, None).relocate(self.session.relocation()?);
        let mut outputs: SelectAll<BoxStream<'static, Item>> = SelectAll::new();
        let mut is_begun = false;
        loop {
            let item = tokio::select! {
                item = feed.next() => item,
                Some((run, item)) = outputs.next() => {
                    if let OutputItem::Output(event) = item? {
                        let text = self.tell(run, event)?;
                        self.sink.write(&text)?;
                    }
                    continue;
                }
            };
            let Some(item) = item else { return Err(Refusal::new("the feed has ended").into()) };
            match item? {
                FeedItem::Disconnected { error } => self.sink.lose(error),
                FeedItem::Hello(_) => {
                    self.sink.go_on();
                    if is_begun {
                        continue;
                    }
                    is_begun = true;
                    for (run, output) in self.past(client, true).await? {
                        outputs.push(items(run, output));
                    }
                }
                FeedItem::Event(event) => match event.body {
                    EventBody::RunChanged(run) if !self.runs.contains_key(&run.id) => {
                        let output = self.open(client, &run)?;
                        outputs.push(items(run.id, output));
                    }
                    EventBody::WorkflowRemoved { scope }
                        if is_gone(client, scope.clone()).await =>
                    {
                        return Ok(Exit::Done);
                    }
                    _ => {}
                },
                _ => {}
            }
        }
    }

    /// Opens the transcript of a run.
    fn open(&mut self, client: &Client, run: &Run) -> anyhow::Result<RunOutput> {
        let source = Source {
            agent: run.agent.clone(),
            transcript: Transcript::of(View::of(self.session.output), run),
            recent: Recent::from(self.cutoff),
            partial: String::new(),
            at: run.started_at,
        };
        self.runs.insert(run.id, source);
        Ok(RunOutput::follow(client, run.id).relocate(self.session.relocation()?))
    }

    /// What to show of an event: whole lines.
    fn tell(&mut self, id: RunId, event: OutputEvent) -> anyhow::Result<String> {
        let Some(source) = self.runs.get_mut(&id) else { return Ok(String::new()) };
        if let OutputEvent::Block { at, .. } = &event {
            source.at = *at;
        }
        if !source.recent.has(&event) {
            return Ok(String::new());
        }
        if self.session.output.json {
            let tagged = Tagged { run: id, agent: &source.agent, event: &event };
            return Ok(format!("{}\n", self.session.output.line_of(&tagged)?));
        }
        source.partial.push_str(&source.transcript.tell(event));
        let name = source.agent.name.clone().unwrap_or_else(Name::system);
        let whole = source.partial.rfind('\n').map_or(0, |at| at + 1);
        let lines: String = source.partial.drain(..whole).collect();
        let head = self.head(&name);
        let lines = lines.lines().filter(|line| !line.is_empty());
        Ok(lines.flat_map(|line| [&head, " ", line, "\n"]).collect())
    }

    /// Prefix of each line of an agent.
    fn head(&mut self, name: &Name) -> String {
        let at = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.clone());
            self.names.len() - 1
        });
        let head = format!("{:width$} │", name.as_str(), width = self.width);
        head.color(COLOURS[at % COLOURS.len()]).to_string()
    }
}

/// How many lines of these runs were written after a time.
fn newer(runs: &[Vec<Line>], at: Timestamp) -> usize {
    let newer = runs.iter().flatten().filter(|(written, _)| *written > at);
    newer.map(|(_, text)| text.matches('\n').count()).sum()
}

/// What a transcript gives as it grows, each with its run.
fn items(id: RunId, output: RunOutput) -> BoxStream<'static, Item> {
    let items = stream::unfold(output, move |mut output| async move {
        let item = output.next().await?;
        Some(((id, item), output))
    });
    items.boxed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_left_out_only_if_enough_lines_are_newer_than_its_end() {
        let line = |at, text: &str| (Timestamp(at), text.to_owned());
        let runs = [vec![line(30, "a\n"), line(50, "b\nc\n")], vec![line(40, ""), line(20, "d\n")]];
        for (at, lines) in [(10, 4), (20, 3), (30, 2), (49, 2), (50, 0)] {
            assert_eq!(newer(&runs, Timestamp(at)), lines, "after {at}");
        }
    }
}
