//! A state made from what a daemon would say, and keys pressed on it.

use agent_worker_client::{ClientError, FeedItem, text::Zone};
use agent_worker_protocol::{
    Agent, AgentState, AttentionItem, AttentionKind, BlockKind, BlockState, Conversation,
    ErrorCode, Event, EventBody, Group, Heartbeat, Hello, Limits, MemberKind, Message, MessageId,
    MessagePage, MessageType, Mode, Name, OutputEvent, Question, QuestionId, QuestionKind,
    ResourceId, ResourceText, ResourceType, Run, RunId, RunKind, RunState, Scope, ScopeAttention,
    Snapshot, Tag, Target, Timestamp, Usage, Used, Wake, Wanted, Workflow, WorkflowState,
};

use crate::{
    app::{App, Msg, asked, go, update},
    event_loop::dump,
    key::{Code, Key},
    model::{
        Display, Focus, Model, Preferences, Reach,
        acts::Act,
        effects::Effect,
        known::talks::Side,
        place::{Place, Subject, Tab},
        requests::{Reply, Request, RequestError},
        settings::{Environment, Look, Settings},
    },
};
use unicode_width::UnicodeWidthChar;

/// When stories begin: a Tuesday at 14:06:12 UTC.
pub const NOW: i64 = 1_739_887_572_000;

/// A story: what is so, and what came of the last thing that happened.
pub struct Story {
    /// Everything
    pub app: App,
    /// What the last thing that happened led to
    pub effects: Vec<Effect>,
    /// What the last event was
    pub seq: i64,
}

/// The scope `@review`.
pub fn review() -> Scope {
    "@review".parse().unwrap()
}

/// An agent that is idle.
pub fn agent(target: &str) -> Agent {
    let target: Target = target.parse().unwrap();
    Agent {
        name: target.name.clone().unwrap(),
        scope: target.scope_or(&Scope::global()),
        target,
        kind: MemberKind::Agent,
        role: None,
        display_name: None,
        model: Some("anthropic/claude-sonnet-4-5".to_owned()),
        backend: Some("mock".to_owned()),
        wanted: Wanted::Active,
        state: AgentState::Idle,
        paused_reason: None,
        not_before: None,
        away: None,
        status: None,
        task: None,
        unread: 0,
        run: None,
        parent: None,
        used: Default::default(),
    }
}

/// The person, in a scope.
pub fn person(scope: &str) -> Agent {
    let mut person = agent(&format!("user{scope}"));
    (person.kind, person.model, person.backend) = (MemberKind::Person, None, None);
    person
}

/// A run that is at work.
pub fn run(number: i64, target: &str) -> Run {
    let agent: Target = target.parse().unwrap();
    Run {
        id: RunId::new(number),
        scope: agent.scope_or(&Scope::global()),
        agent,
        kind: RunKind::Mention,
        cause: Some(MessageId::new(1)),
        attempt: 1,
        state: RunState::Running,
        class: None,
        error: None,
        activity: Some("thinking".to_owned()),
        model: Some("anthropic/claude-sonnet-4-5".to_owned()),
        backend: Some("mock".to_owned()),
        usage: Usage { input: Some(18_200), output: Some(2_100), ..Usage::default() },
        cost: Some(0.09),
        started_at: Timestamp(NOW - 72_000),
        ended_at: None,
        exit: None,
        signal: None,
        end_by: None,
        away: None,
        spoke_at: Some(Timestamp(NOW)),
    }
}

/// A long text, all of it.
pub fn long_text(number: i64, content: String) -> Reply {
    let (id, content_type) = (ResourceId::new(number), ResourceType::Text);
    let chars = i64::try_from(content.chars().count()).unwrap();
    Reply::Resource(ResourceText { id, content_type, content, chars, more: false })
}

/// A question of an agent, with what can be chosen; two minutes old.
pub fn question(number: i64, agent: &str, options: &[&str]) -> Question {
    let agent: Target = agent.parse().unwrap();
    Question {
        id: QuestionId::new(number),
        scope: agent.scope_or(&Scope::global()),
        agent,
        run: Some(RunId::new(9)),
        kind: QuestionKind::Question,
        text: "may I open a PR?".to_owned(),
        tool: None,
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        default: None,
        expires_at: Timestamp(NOW + 3_480_000),
        answer: None,
        answered_by: None,
        expired_because: None,
        created_at: Timestamp(NOW - 120_000),
    }
}

/// What needs the person for a question.
pub fn need_of(question: &Question) -> AttentionItem {
    AttentionItem {
        kind: AttentionKind::Question,
        subject: question.id.to_string(),
        scope: question.scope.clone(),
        reason: format!("{} asks: {}", question.agent, question.text),
        hint: None,
        since: question.created_at,
    }
}

/// That a run of the reviewer is silent.
pub fn silent_run() -> AttentionItem {
    AttentionItem {
        kind: AttentionKind::Silent,
        subject: "reviewer@review".to_owned(),
        scope: review(),
        reason: "run_8 is silent: calling shell".to_owned(),
        hint: None,
        since: Timestamp(NOW),
    }
}

/// A message in a scope's channel; its number is its order.
pub fn message(seq: i64, sender: &str, content: &str) -> Message {
    let sender: Target = format!("{sender}@review").parse().unwrap();
    let name = sender.name.clone().unwrap();
    let kind = match name.as_str() {
        "user" => MemberKind::Person,
        "system" => MemberKind::System,
        _ => MemberKind::Agent,
    };
    let members: Vec<Name> =
        ["coder", "reviewer", "tester", "user"].iter().map(|name| name.parse().unwrap()).collect();
    Message {
        id: MessageId::new(seq),
        seq,
        scope: review(),
        group: Conversation::Channel,
        sender: name,
        sender_kind: kind,
        content: content.to_owned(),
        kind: if kind == MemberKind::System { MessageType::System } else { MessageType::Message },
        intent: Default::default(),
        mentions: agent_worker_protocol::mention::parse(content, &members),
        resource: None,
        reply_to: None,
        run: None,
        hop: 0,
        created_at: Timestamp(NOW - 600_000 + seq * 20_000),
    }
}

/// A workflow at work, with these agents.
pub fn workflow(scope: &str, agents: &[&str]) -> Workflow {
    let scope: Scope = scope.parse().unwrap();
    Workflow {
        key: scope.key(),
        name: scope.workflow.clone(),
        tag: scope.tag.clone(),
        scope,
        mode: Mode::Start,
        state: WorkflowState::Running,
        outcome: None,
        outcome_reason: None,
        setup: None,
        generation: 1,
        agents: agents.iter().map(|name| name.parse().unwrap()).collect(),
        limits: Limits::default(),
        used: Used { tokens: 61_400, cost: 1.82, ..Used::default() },
        started_at: Some(Timestamp(NOW - 900_000)),
        ended_at: None,
        archived: false,
    }
}

/// A scope's channel with `messages` messages, `read` of them read.
pub fn channel(scope: &Scope, messages: i64, read: i64) -> Group {
    Group {
        scope: scope.clone(),
        name: Conversation::Channel,
        members: Vec::new(),
        wake: Wake::Mentions,
        messages,
        last_seq: messages,
        read_seq: read,
        read_messages: read,
    }
}

/// A snapshot of the story's beginning: a team of three, one of them at work.
pub fn snapshot() -> Snapshot {
    let mut reviewer = agent("reviewer@review");
    (reviewer.state, reviewer.run) = (AgentState::Running, Some(RunId::new(8)));
    let mut coder = agent("coder@review");
    (coder.state, coder.unread) = (AgentState::Queued, 2);
    let (mut global, own) = (workflow("@global", &[]), review());
    global.tag = Tag::main();
    Snapshot {
        epoch: "e".to_owned(),
        seq: 100,
        workflows: vec![global, workflow("@review", &["coder", "reviewer", "tester"])],
        agents: vec![person("@global"), coder, reviewer, agent("tester@review"), person("@review")],
        groups: vec![channel(&Scope::global(), 0, 0), channel(&own, 4, 4)],
        runs: vec![run(8, "reviewer@review")],
        documents: Vec::new(),
        proposals: Vec::new(),
        schedules: Vec::new(),
        questions: Vec::new(),
        attention: Vec::new(),
    }
}

/// A block of a transcript begins, `after` milliseconds after the story did. Calls and answers of
/// tools have the tool's name.
pub fn begins(n: i64, kind: BlockKind, name: &str, after: i64) -> OutputEvent {
    let name = (!name.is_empty()).then(|| name.to_owned());
    let at = Timestamp(NOW + after);
    OutputEvent::Block { n, kind, state: BlockState::Open, name, at, ended_at: None }
}

/// It grows, at this place.
pub fn grows(n: i64, off: usize, text: &str) -> OutputEvent {
    OutputEvent::Delta { n, off: i64::try_from(off).unwrap(), text: text.to_owned() }
}

/// The block is complete, `after` milliseconds after the story began.
pub fn ends(n: i64, kind: BlockKind, name: &str, after: i64) -> OutputEvent {
    let name = (!name.is_empty()).then(|| name.to_owned());
    let at = Timestamp(NOW + after);
    OutputEvent::Block { n, kind, state: BlockState::Done, name, at, ended_at: Some(at) }
}

/// A block, whole at once.
pub fn block(
    n: i64,
    kind: BlockKind,
    name: &str,
    text: &str,
    from: i64,
    to: i64,
) -> Vec<OutputEvent> {
    vec![begins(n, kind, name, from), grows(n, 0, text), ends(n, kind, name, to)]
}

impl Story {
    /// A screen of 80x24 before anything is known.
    pub fn blank() -> Self {
        let look = Settings::default().look(&Environment::default());
        let look = Look { zone: Zone::utc(), ..look };
        let settings = Preferences {
            chosen: Settings::default(),
            keymap: Default::default(),
            environment: Environment::default(),
            read_only: false,
            identity: Name::person(),
        };
        let display = Display::new((80, 24), look, true);
        let app = App::new(Model::new(NOW, display, settings, "devbox".to_owned()));
        Self { app, effects: Vec::new(), seq: 0 }
    }

    /// Live, with this picture.
    pub fn of(snapshot: Snapshot) -> Self {
        Self::blank().live(snapshot)
    }

    /// The same, live with this picture.
    #[must_use]
    pub fn live(mut self, snapshot: Snapshot) -> Self {
        let story = &mut self;
        story.seq = snapshot.seq;
        story.tell(Msg::Reach(Reach::Found, None));
        let hello = Hello {
            epoch: snapshot.epoch.clone(),
            seq: snapshot.seq,
            newest: snapshot.seq,
            version: "0.1.0".to_owned(),
            started_at: None,
            now: None,
        };
        story.tell(Msg::Feed(FeedItem::Hello(hello)));
        story.tell(Msg::Snapshot(Ok(Box::new(snapshot))));
        self
    }

    /// Live, with a team of three.
    pub fn review() -> Self {
        Self::of(snapshot())
    }

    /// The same on a screen of this size.
    #[must_use]
    pub fn sized(mut self, width: u16, height: u16) -> Self {
        self.tell(Msg::Resize(width, height));
        self
    }

    /// Something comes in.
    pub fn tell(&mut self, msg: Msg) -> &mut Self {
        let now = self.app.model.now;
        self.effects = update(&mut self.app, now, msg);
        self
    }

    /// Time passes.
    pub fn wait(&mut self, ms: i64) -> &mut Self {
        self.app.model.now += ms;
        self.tell(Msg::Tick)
    }

    /// A key is pressed, as `config.toml` names it.
    pub fn press(&mut self, key: &str) -> &mut Self {
        self.tell(Msg::Key(key.parse().unwrap()))
    }

    /// Keys are pressed, one by one.
    pub fn type_in(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            let key = if c == '\n' { Key::plain(Code::Enter) } else { Key::char(c) };
            self.tell(Msg::Key(key));
        }
        self
    }

    /// A text is pasted.
    pub fn paste(&mut self, text: &str) -> &mut Self {
        self.tell(Msg::Paste(text.to_owned()))
    }

    /// Something happens in `@review`.
    pub fn happens(&mut self, body: EventBody) -> &mut Self {
        self.happens_in(review(), body)
    }

    /// This happens in a scope.
    pub fn happens_in(&mut self, scope: Scope, body: EventBody) -> &mut Self {
        self.seq += 1;
        let event = Event {
            seq: self.seq,
            scope,
            run: None,
            actor: "daemon".to_owned(),
            at: Timestamp(self.app.model.now),
            body,
        };
        self.tell(Msg::Feed(FeedItem::Event(Box::new(event))))
    }

    /// What needs the person in `@review` is this.
    pub fn needs(&mut self, items: Vec<AttentionItem>) -> &mut Self {
        self.happens(EventBody::AttentionChanged(ScopeAttention { scope: review(), items }))
    }

    /// An agent asks the person, or is answered.
    pub fn asks_person(&mut self, question: &Question) -> &mut Self {
        self.happens(EventBody::QuestionChanged(Box::new(question.clone())))
    }

    /// A run's transcript grows by these.
    pub fn output(&mut self, run: i64, events: Vec<OutputEvent>) -> &mut Self {
        let mut effects = Vec::new();
        for event in events {
            self.tell(Msg::Output(RunId::new(run), event));
            effects.append(&mut self.effects);
        }
        self.effects = effects;
        self
    }

    /// A run is as it is here now, and its agent with it.
    pub fn runs(&mut self, run: &Run) -> &mut Self {
        self.happens(EventBody::RunChanged(Box::new(run.clone())))
    }

    /// An agent is as it is here now.
    pub fn agent_is(&mut self, agent: &Agent) -> &mut Self {
        self.happens(EventBody::AgentChanged(Box::new(agent.clone())))
    }

    /// The connection is lost.
    pub fn disconnect(&mut self) -> &mut Self {
        let source = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
        let error = ClientError::Unreachable { base: "http://127.0.0.1:1".to_owned(), source };
        self.tell(Msg::Feed(FeedItem::Disconnected { error }))
    }

    /// The daemon runs, and does not answer.
    pub fn hangs(&mut self) -> &mut Self {
        let hint = "kill -CONT 7 lets it go on; kill -9 7 ends it".to_owned();
        let (base, pid) = ("http://127.0.0.1:1".to_owned(), Some(7));
        let error = ClientError::Silent { base, pid, hint };
        self.tell(Msg::Feed(FeedItem::Disconnected { error }))
    }

    /// The daemon says that it is there, and whether its disk is full.
    pub fn beats(&mut self, disk_full: bool) -> &mut Self {
        let (seq, at) = (self.seq, Timestamp(self.app.model.now));
        self.tell(Msg::Feed(FeedItem::Heartbeat(Heartbeat { seq, at, disk_full })))
    }

    /// Shows the channel of `@review` with four messages, and focuses it.
    pub fn open_channel(&mut self) -> &mut Self {
        self.open_channel_with(vec![
            message(1, "user", "@reviewer please review"),
            message(2, "reviewer", "The diff looks right. @coder please compare `seq`, not `id`."),
            message(3, "coder", "收件箱游标改为序号比较。"),
            message(4, "tester", "2 failures"),
        ])
    }

    /// The same with these messages.
    pub fn open_channel_with(&mut self, messages: Vec<Message>) -> &mut Self {
        let place = Place::at(Subject::Workflow(review()), Tab::Channel);
        self.effects = go(&mut self.app, place);
        self.app.model.selection.focus = Focus::Main;
        let page = serde_json::json!({ "messages": messages, "more": false, "more_before": false, "more_after": false });
        let page: MessagePage = serde_json::from_value(page).unwrap();
        let key = (review(), Conversation::Channel);
        let pictures = self.app.model.known.talks.get(&key).map_or(0, |talk| talk.pictures);
        let request = Request::Page(key.0, key.1, Side::Newest, pictures);
        self.tell(Msg::Answer(Box::new(request), Ok(Reply::Messages(page))))
    }

    /// Selects an agent in the tree.
    pub fn select_agent(&mut self, target: &str) -> &mut Self {
        let target: Target = target.parse().unwrap();
        self.effects = go(&mut self.app, Place::of(Subject::Agent(target)));
        self.app.model.selection.focus = Focus::Nav;
        self
    }

    /// The message being sent fails: refused with these words, or for an unknown reason.
    pub fn fail_send(&mut self, refusal: Option<&str>) -> &mut Self {
        let sending = self.app.model.writing.composer.sending.clone().unwrap();
        let request = Request::Send(sending);
        let trouble = RequestError {
            code: refusal.map(|_| ErrorCode::Invalid),
            message: refusal.unwrap_or("no daemon answers").to_owned(),
            hint: None,
            is_unsure: refusal.is_none(),
        };
        self.tell(Msg::Answer(Box::new(request), Err(trouble)))
    }

    /// What the last thing that happened does.
    pub fn acts(&self) -> Vec<Act> {
        let acts = self.effects.iter().filter_map(|effect| match effect {
            Effect::Ask(Request::Act(act)) => Some(act.clone()),
            _ => None,
        });
        acts.collect()
    }

    /// What the last thing that happened asks the daemon.
    pub fn asks(&self) -> Vec<Request> {
        let asks = self.effects.iter().filter_map(|effect| match effect {
            Effect::Ask(request) => Some(request.clone()),
            _ => None,
        });
        asks.collect()
    }

    /// The daemon answers.
    pub fn answer(&mut self, request: Request, reply: Reply) -> &mut Self {
        self.tell(Msg::Answer(Box::new(request), Ok(reply)))
    }

    /// Shows a place, and focuses it.
    pub fn open(&mut self, subject: Subject, tab: Tab) -> &mut Self {
        let effects = go(&mut self.app, Place::at(subject, tab));
        self.effects = asked(&self.app, effects);
        self.app.model.selection.focus = Focus::Main;
        self
    }

    /// The main pane: what stands behind the tree.
    pub fn main_pane(&self) -> String {
        let screen = self.screen();
        let lines = screen.lines().skip(2).filter_map(|line| line.split_once('│'));
        let lines: Vec<_> = lines.map(|(_, main)| main.trim_end()).collect();
        lines.join("\n").trim_end().to_owned()
    }

    /// What the last thing that happened sends.
    pub fn sends(&self) -> Vec<String> {
        let sends = self.effects.iter().filter_map(|effect| match effect {
            Effect::Ask(Request::Send(sending)) => Some(sending.text.clone()),
            _ => None,
        });
        sends.collect()
    }

    /// The screen: its lines without the spaces at their ends.
    pub fn screen(&self) -> String {
        let lines = dump::lines(&self.app);
        let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        lines.join("\n").trim_end().to_owned()
    }

    /// The box over the panes.
    pub fn overlay(&self) -> String {
        let lines = dump::lines(&self.app);
        let is_top = |line: &&String| line.contains('┌') && line.contains('┐');
        let Some(top) = lines.iter().find(is_top) else { return String::new() };
        // A wide sign fills the column after it too.
        let cells = |line: &str| {
            let columns =
                line.chars().flat_map(|c| [c, '\0'].into_iter().take(c.width().unwrap_or(0)));
            columns.collect::<Vec<_>>()
        };
        let at = |corner: char| cells(top).iter().position(|c| *c == corner).unwrap_or(0);
        let (left, right) = (at('┌'), at('┐'));
        let from = lines.iter().position(|line| line == top).unwrap_or(0);
        let mut shown = Vec::new();
        for line in &lines[from..] {
            let cut: String = cells(line)[left..=right].iter().filter(|c| **c != '\0').collect();
            let is_last = cut.starts_with('└');
            shown.push(cut);
            if is_last {
                break;
            }
        }
        shown.join("\n")
    }
}
