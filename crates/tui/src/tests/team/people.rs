//! Who is there, in which state, and what of it needs the person.

use agent_worker_protocol::{
    Agent, AgentDetail, AgentState, AgentUsed, AttentionItem, AttentionKind, Because, ContextPart,
    ContextSection, ContextShown, Explanation, Interval, Limits, MemberKind, Mode, Origin,
    Question, RunId, RunKind, Scope, Session, SessionId, SessionKind, Tag, Target, Used, Wanted,
    Workflow, WorkflowState,
};

use super::{at, pr, work};
use crate::{
    model::words,
    tests::story::{self, agent, person, workflow},
};

/// The workflows: three live ones (one with a tag), and one for each way to end.
pub fn workflows() -> Vec<Workflow> {
    let mut global = workflow("@global", &[]);
    global.tag = Tag::main();
    global.used = Used::default();
    let mut review =
        workflow("@review:pr-123", &["coder", "editor", "reviewer", "scout", "tester"]);
    review.used = Used { tokens: 86_400, cost: 1.58, runs: 14, ..Used::default() };
    review.limits = Limits { runs: Some(40), tokens: Some(2_000_000), ..Limits::default() };
    let mut docs = workflow("@docs", &["glossary", "linker", "translator", "writer"]);
    docs.used = Used { tokens: 12_700, cost: 0.24, runs: 3, ..Used::default() };
    let ended = |scope: &str, state, reason: Option<&str>| {
        let mut ended = workflow(scope, &["runner"]);
        (ended.mode, ended.state, ended.outcome) = (Mode::Run, state, Some(state));
        ended.outcome_reason = reason.map(ToOwned::to_owned);
        ended.used = Used::default();
        ended.ended_at = Some(at("13:20:00"));
        ended
    };
    vec![
        global,
        review,
        docs,
        ended("@nightly", WorkflowState::Completed, None),
        ended("@release:v2", WorkflowState::Failed, Some("the setup failed: exit 1")),
    ]
}

/// An agent in a state, doing something.
fn is(target: &str, state: AgentState) -> Agent {
    let mut agent = agent(target);
    agent.state = state;
    agent.backend = Some("default".to_owned());
    agent
}

/// An agent whose run is live.
fn at_work(target: &str, state: AgentState, run: i64, task: &str) -> Agent {
    let mut agent = is(target, state);
    (agent.run, agent.task) = (Some(RunId::new(run)), Some(task.to_owned()));
    agent
}

/// Agents in every state that there is.
pub fn agents() -> Vec<Agent> {
    let mut reviewer = at_work(
        "reviewer@review:pr-123",
        AgentState::Running,
        842,
        "does the new cursor keep its order?",
    );
    (reviewer.unread, reviewer.role) = (3, Some("reads every change".to_owned()));
    let mut coder = is("coder@review:pr-123", AgentState::Idle);
    coder.role = Some("writes the code".to_owned());
    let mut tester = is("tester@review:pr-123", AgentState::Queued);
    tester.unread = 2;
    let mut scout =
        at_work("scout@review:pr-123", AgentState::Waiting, 840, "may I open a PR upstream?");
    scout.unread = 1;
    let mut linker = is("linker@docs", AgentState::Backoff);
    (linker.not_before, linker.unread) = (Some(at("14:07:42")), 1);
    let mut glossary = is("glossary@docs", AgentState::Paused);
    glossary.wanted = Wanted::Paused;
    glossary.paused_reason = Some("the key ANTHROPIC_API_KEY was refused".to_owned());
    let mut translator = is("translator@docs", AgentState::Stopped);
    translator.wanted = Wanted::Stopped;
    let mut ide = is("ide@global", AgentState::Idle);
    ide.kind = MemberKind::External;
    (ide.model, ide.backend) = (None, Some("external".to_owned()));
    let mut own = person("@review:pr-123");
    own.unread = 3;
    let mut agents = vec![
        person("@global"),
        is("alice@global", AgentState::Idle),
        at_work("bob@global", AgentState::Running, 844, "keep main green ✅"),
        ide,
        coder,
        is("editor@review:pr-123", AgentState::Idle),
        reviewer,
        scout,
        tester,
        own,
        glossary,
        linker,
        translator,
        at_work("writer@docs", AgentState::Running, 843, "guide/install.md"),
        person("@docs"),
    ];
    for agent in &mut agents {
        agent.used = used(&agent.target);
    }
    agents
}

/// What the runs of an agent have used.
fn used(target: &Target) -> AgentUsed {
    let runs: Vec<_> = work::runs().into_iter().filter(|run| run.agent == *target).collect();
    let costs = runs.iter().filter_map(|run| run.cost);
    AgentUsed {
        tokens: runs.iter().filter_map(|run| run.usage.total()).sum(),
        cost: costs.clone().next().map(|_| costs.sum()),
    }
}

/// What needs the person: dead letters, a question, an agent that is paused, mail that is held,
/// and messages that name the person.
pub fn attention() -> Vec<AttentionItem> {
    let item = |kind, subject: &str, since: &str, reason: &str, hint: &str| {
        let target: Target = subject.parse().unwrap();
        AttentionItem {
            kind,
            subject: subject.to_owned(),
            scope: target.scope_or(&Scope::global()),
            reason: reason.to_owned(),
            hint: Some(hint.to_owned()),
            since: at(since),
        }
    };
    vec![
        item(
            AttentionKind::Dead,
            "coder@review:pr-123",
            "14:06:02",
            "1 message: provider timeout after 120 s",
            "agent-worker retry coder@review:pr-123",
        ),
        item(
            AttentionKind::Question,
            "q_7",
            "14:04:10",
            "scout@review:pr-123 asks: may I open a PR upstream?",
            "agent-worker answer q_7 yes",
        ),
        item(
            AttentionKind::Paused,
            "glossary@docs",
            "13:41:00",
            "the key ANTHROPIC_API_KEY was refused",
            "agent-worker resume glossary@docs",
        ),
        AttentionItem {
            scope: pr(),
            ..item(
                AttentionKind::Vote,
                "prop_7",
                "14:01:00",
                "use SQLite FTS for search",
                "agent-worker proposal show prop_7",
            )
        },
        item(
            AttentionKind::Mention,
            "user@review:pr-123",
            "14:05:40",
            "3 unread messages",
            "agent-worker inbox user@review:pr-123",
        ),
        item(
            AttentionKind::Held,
            "editor@review:pr-123",
            "14:02:30",
            "1 message: coder and editor have woken each other 10 times",
            "agent-worker release editor@review:pr-123",
        ),
    ]
}

/// An agent, whole.
pub fn detail(target: &Target) -> AgentDetail {
    let agent = agents().into_iter().find(|agent| agent.target == *target).unwrap();
    let runs = work::runs().into_iter().filter(|run| run.agent == *target);
    AgentDetail {
        agent,
        origin: Origin::File,
        hired: false,
        created_at: at("13:58:00"),
        paused_at: None,
        system: Some(
            "You are the reviewer of this team. Read the whole change before you say anything.\n\
             \n\
             - name the file and the line of what you find\n\
             - ask `@coder`, do not mend it yourself\n\
             - 用中文回答中文的问题\n\
             - keep notes.md: one section for each finding\n\
             \n\
             When every finding is settled, say so to `@user` and stop."
                .to_owned(),
        ),
        cwd: Some("/srv/work/aw".to_owned()),
        home: None,
        env: vec!["GITHUB_TOKEN".to_owned(), "CARGO_HOME".to_owned()],
        timeout: Interval::seconds(900),
        attempts: 3,
        tools: ["channel_read", "channel_send", "my_inbox", "team_doc_read", "team_doc_write"]
            .map(ToOwned::to_owned)
            .to_vec(),
        limits: Limits { runs: Some(40), tokens: Some(2_000_000), ..Limits::default() },
        schedules: Vec::new(),
        held: 0,
        dead: 0,
        session: Some(Session {
            id: SessionId::new(1),
            agent: target.clone(),
            title: None,
            backend: "default".to_owned(),
            kind: SessionKind::Main,
            turns: 14,
            bytes: 23_400,
            tokens: Some(6_100),
            runs: 5,
            cost: Some(0.41),
            created_at: at("13:58:00"),
            updated_at: at("14:06:02"),
        }),
        runs: runs.rev().collect(),
    }
}

/// What the next run of an agent would be given.
pub fn context(target: &Target) -> ContextShown {
    let system = format!("You are {}.", words::name(target));
    let prompt = "## Inbox\n\nmsg_4404 from user: 请检查游标。\n".to_owned();
    let section = |part, heading: &str, chars| ContextSection {
        part,
        heading: Some(heading.to_owned()),
        chars,
    };
    ContextShown {
        target: target.clone(),
        kind: RunKind::Mention,
        messages: 2,
        sections: vec![
            ContextSection { heading: None, ..section(ContextPart::System, "", 14) },
            section(ContextPart::Prompt, "Inbox", 40),
        ],
        chars: 54,
        system: Some(system),
        prompt,
    }
}

/// Why an agent waits.
pub fn why(subject: &str) -> Explanation {
    let because =
        |text: &str| Because { subject: subject.to_owned(), text: text.to_owned(), at: None };
    Explanation {
        subject: subject.to_owned(),
        state: "queued".to_owned(),
        because: vec![
            because("2 messages wait for it, the first from reviewer since 14:05"),
            because("3 runs are live, and `max_runs` of the daemon is 3"),
        ],
        hint: Some("agent-worker limits @review:pr-123 max_runs=4".to_owned()),
    }
}

/// What scout waits for.
pub fn question() -> Question {
    Question {
        text: "may I open a PR upstream?".to_owned(),
        created_at: at("14:04:10"),
        ..story::question(7, "scout@review:pr-123", &["yes", "no"])
    }
}
