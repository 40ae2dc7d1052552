//! The feed, as tests wait on it.

use agent_worker_client::{Client, Feed, FeedFilter, FeedItem};
use agent_worker_protocol::{Cursor, Event, EventBody, Question, Run, Workflow, WorkflowState};

use super::{DEADLINE, within};

/// Everything that happens from a moment on.
pub struct Watch {
    feed: Feed,
    seen: Vec<String>,
}

impl Watch {
    /// Watches from the beginning of all.
    pub async fn all(client: &Client) -> Self {
        Self::after(client, Some(Cursor { epoch: None, seq: 0 })).await
    }

    /// Watches from now on; what happens after this returns is seen.
    pub async fn now(client: &Client) -> Self {
        Self::after(client, None).await
    }

    async fn after(client: &Client, cursor: Option<Cursor>) -> Self {
        let mut watch =
            Self { feed: Feed::follow(client, FeedFilter::default(), cursor), seen: Vec::new() };
        within("the feed begins", async {
            loop {
                if matches!(watch.item().await, FeedItem::Hello(_)) {
                    return;
                }
            }
        })
        .await;
        watch
    }

    async fn item(&mut self) -> FeedItem {
        match self.feed.next().await {
            Some(Ok(item)) => item,
            Some(Err(error)) => panic!("the feed ended: {error}; seen: {:#?}", self.seen),
            None => panic!("the feed ended; seen: {:#?}", self.seen),
        }
    }

    /// The next event.
    pub async fn event(&mut self) -> Event {
        loop {
            if let FeedItem::Event(event) = self.item().await {
                self.seen.push(told(&event));
                return *event;
            }
        }
    }

    /// Waits for an event for which `look` returns something.
    pub async fn wait<T>(&mut self, what: &str, mut look: impl FnMut(&Event) -> Option<T>) -> T {
        let found = tokio::time::timeout(DEADLINE, async {
            loop {
                let event = self.event().await;
                if let Some(found) = look(&event) {
                    return found;
                }
            }
        })
        .await;
        found.unwrap_or_else(|_| panic!("not within {DEADLINE:?}: {what}; seen: {:#?}", self.seen))
    }

    /// Waits for the end of a run for which `look` is true.
    pub async fn run_ended(&mut self, look: impl Fn(&Run) -> bool) -> Run {
        self.wait("a run ends", |event| match &event.body {
            EventBody::RunChanged(run) if !run.state.is_live() && look(run) => {
                Some((**run).clone())
            }
            _ => None,
        })
        .await
    }

    /// Waits until a question is open.
    pub async fn question_asked(&mut self) -> Question {
        self.wait("a question is asked", |event| match &event.body {
            EventBody::QuestionChanged(question) if question.is_open() => {
                Some((**question).clone())
            }
            _ => None,
        })
        .await
    }

    /// Waits until a run of an agent has read its inbox and does something. What it did first may
    /// not be seen: the feed tells of what it is doing by then.
    pub async fn run_works(&mut self, agent: &str) -> Run {
        self.run_where("a run is at work", agent, |_| true).await
    }

    /// Waits until a run of an agent is doing something that it does for long.
    pub async fn run_is(&mut self, agent: &str, activity: &str) -> Run {
        self.run_where(&format!("a run is {activity}"), agent, |doing| doing == activity).await
    }

    async fn run_where(&mut self, what: &str, agent: &str, look: impl Fn(&str) -> bool) -> Run {
        self.wait(what, |event| match &event.body {
            EventBody::RunChanged(run) => {
                let is_it = run.activity.as_deref().is_some_and(&look)
                    && run.agent.name.as_ref().is_some_and(|name| name.as_str() == agent);
                is_it.then(|| (**run).clone())
            }
            _ => None,
        })
        .await
    }

    /// Waits until a workflow is in a state.
    pub async fn workflow(&mut self, state: WorkflowState) -> Workflow {
        self.wait(&format!("a workflow is {state:?}"), |event| match &event.body {
            EventBody::WorkflowChanged(workflow) if workflow.state == state => {
                Some((**workflow).clone())
            }
            _ => None,
        })
        .await
    }
}

/// An event in a few words.
fn told(event: &Event) -> String {
    match &event.body {
        EventBody::RunChanged(run) => {
            format!("{} {} of {} is {:?}", event.seq, run.id, run.agent, run.state)
        }
        body => format!("{} {:?}", event.seq, body.kind()),
    }
}
