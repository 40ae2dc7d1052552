//! Runs: the live ones, a run that failed three times, earlier ones; and their transcripts.

use agent_worker_protocol::{
    FailureClass, MessageId, OutputEvent, Run, RunDetail, RunId, RunKind, RunState, Runs, Target,
    Usage,
    run::BlockKind::{Error, Notice, Prompt, System, Text, Thinking, ToolCall, ToolResult},
};

use super::at;
use crate::tests::story::{NOW, begins, block, ends, grows, run};

fn live(number: i64, target: &str, activity: &str, since: &str, cost: f64) -> Run {
    let mut run = run(number, target);
    (run.activity, run.started_at) = (Some(activity.to_owned()), at(since));
    (run.cost, run.backend) = (Some(cost), Some("default".to_owned()));
    run.cause = Some(MessageId::new(4_404));
    run
}

/// A run that is over: how it ended, from when to when, and what it took.
fn over(
    number: i64,
    target: &str,
    state: RunState,
    (from, to): (&str, &str),
    (input, output, cost): (i64, i64, f64),
) -> Run {
    let mut run = live(number, target, "", from, cost);
    (run.state, run.activity, run.ended_at) = (state, None, Some(at(to)));
    run.usage = Usage { input: Some(input), output: Some(output), ..Usage::default() };
    run
}

fn failed(number: i64, attempt: i64, span: (&str, &str), cost: f64) -> Run {
    let used = (40_000, 1_000, cost);
    let mut run = over(number, "coder@review:pr-123", RunState::Failed, span, used);
    (run.attempt, run.class) = (attempt, Some(FailureClass::Transient));
    run.error = Some("provider timeout after 120 s".to_owned());
    (run.cause, run.exit) = (Some(MessageId::new(4_412)), Some(1));
    run
}

/// The newest runs of every agent, oldest first.
pub fn runs() -> Vec<Run> {
    use RunState::{Cancelled, Succeeded, TimedOut};
    let mut reviewer = live(842, "reviewer@review:pr-123", "thinking", "14:05:00", 0.09);
    reviewer.cause = Some(MessageId::new(4_415));
    reviewer.usage.cache_read = Some(14_000);
    let mut waiting = live(840, "scout@review:pr-123", "asks", "14:04:05", 0.06);
    waiting.cause = Some(MessageId::new(4_410));
    waiting.usage = Usage { input: Some(8_400), output: Some(700), ..Usage::default() };
    let mut writer = live(843, "writer@docs", "doc_write", "14:05:48", 0.04);
    (writer.kind, writer.cause) = (RunKind::Wake, None);
    let mut bob = live(844, "bob@global", "shell", "14:06:04", 0.01);
    (bob.kind, bob.cause) = (RunKind::Scheduled, None);
    let own = "reviewer@review:pr-123";
    vec![
        over(830, own, TimedOut, ("13:30:00", "13:32:00"), (9_000, 300, 0.08)),
        over(831, own, Succeeded, ("13:33:00", "13:34:10"), (7_200, 900, 0.06)),
        over(832, own, Succeeded, ("13:41:00", "13:41:51"), (5_100, 600, 0.04)),
        over(834, "tester@review:pr-123", Succeeded, ("14:01:00", "14:01:44"), (11_900, 800, 0.10)),
        over(835, own, Succeeded, ("13:59:00", "14:01:04"), (14_800, 1_900, 0.11)),
        over(836, "editor@review:pr-123", Succeeded, ("14:02:00", "14:02:20"), (2_700, 300, 0.02)),
        over(837, "linker@docs", Cancelled, ("13:50:00", "13:50:09"), (1_200, 100, 0.01)),
        failed(838, 1, ("13:58:20", "14:00:20"), 0.10),
        failed(839, 2, ("14:01:10", "14:03:10"), 0.10),
        waiting,
        failed(841, 3, ("14:04:02", "14:06:02"), 0.11),
        reviewer,
        writer,
        bob,
    ]
}

/// Runs as they are asked for, newest first.
pub fn page(of: Option<&Target>) -> Runs {
    let is_wanted = |run: &Run| of.is_none_or(|of| run.agent == *of);
    Runs { runs: runs().into_iter().rev().filter(is_wanted).collect(), more: false }
}

/// A run, whole.
pub fn detail(id: RunId) -> RunDetail {
    let run = runs().into_iter().find(|run| run.id == id).unwrap();
    let has_failed = run.state == RunState::Failed;
    RunDetail {
        mail: mail(&run),
        result: None,
        stderr: has_failed.then(|| STDERR.to_owned()),
        cwd: Some("/srv/work/aw".to_owned()),
        pid: run.state.is_live().then_some(41_207),
        by_hand: None,
        run,
    }
}

/// What a run was given to read.
fn mail(run: &Run) -> Vec<MessageId> {
    let first = (run.id == RunId::new(842)).then(|| MessageId::new(4_407));
    first.into_iter().chain(run.cause).collect()
}

const STDERR: &str = "POST /v1/messages\nno byte for 120 s, the connection was closed\n";

/// What a run is told, thinks and does, as its stream tells it.
pub fn transcript(id: RunId) -> Vec<OutputEvent> {
    match id.number() {
        842 => reviewing(),
        841 => failing(),
        840 => asking(),
        843 => writing(),
        844 => testing(),
        _ => ended(id),
    }
}

/// A call of a tool and its answer, which takes `lasts` milliseconds.
fn tool(
    n: i64,
    name: &str,
    arguments: &str,
    answer: &str,
    from: i64,
    lasts: i64,
) -> Vec<OutputEvent> {
    let mut events = block(n, ToolCall, name, arguments, from, from);
    events.extend(block(n + 1, ToolResult, name, answer, from + lasts, from + lasts));
    events
}

const WAKE: &str = "2 new messages\n\n\
    > coder: (1) history, ids used to be integers.\n\
    > tester: 2 failures: inbox_ack_is_monotonic, resume_after_gap.\n";

const CARGO_TEST: &str = r#"{"command":"cargo test -p daemon -- inbox"}"#;

/// A diff as the tool that edits files answers it.
const DIFF: &str = "--- a/daemon/inbox.rs\n+++ b/daemon/inbox.rs\n@@ -41,7 +41,7 @@ impl Inbox {\n     \
    fn unread(&self) -> impl Iterator<Item = &Mail> {\n-        self.mail.iter().filter(|mail| mail.id > \
    self.cursor)\n+        self.mail.iter().filter(|mail| mail.seq > self.cursor)\n     }\n";

fn reviewing() -> Vec<OutputEvent> {
    let mut events = block(0, System, "", "You are reviewer.", -72_000, -72_000);
    events.extend(block(1, Prompt, "", WAKE, -61_000, -61_000));
    let thought = "The ids are nanoid strings, so “greater than” is a lexical comparison and the \
                   unread filter drops messages. The fix must compare the sequence number.";
    events.extend(block(2, Thinking, "", thought, -59_000, -53_000));
    let log = "messages of the channel\n".repeat(130);
    events.extend(tool(3, "channel_read", r#"{"limit":50}"#, &log, -53_000, 41));
    events.extend(tool(5, "team_doc_read", r#"{"file":"notes.md"}"#, &log, -52_000, 12));
    let said = "I see two callers that still compare ids:\n\n\
                - `Inbox::unread` in **daemon/inbox.rs**\n\
                - `resume` in **daemon/context.rs**\n\n\
                I mend the first, run the inbox tests, then I answer @coder.";
    events.extend(block(7, Text, "", said, -48_000, -46_000));
    events.extend(tool(8, "edit", r#"{"path":"daemon/inbox.rs"}"#, DIFF, -44_000, 9));
    events.extend(block(10, ToolCall, "shell", CARGO_TEST, -38_000, -38_000));
    events.push(begins(11, ToolResult, "shell", -37_000));
    events.push(grows(11, 0, &output()));
    events.push(begins(12, Thinking, "", -13_000));
    let doubt = "The failing test acks m-9 and then m-10. As strings “m-10” sorts before “m-9”, so the \
                 cursor moves back 🤔";
    events.push(grows(12, 0, doubt));
    events
}

/// What the tests have said so far.
fn output() -> String {
    let mut lines = vec!["   Compiling daemon v0.1.0".to_owned(), "running 34 tests".to_owned()];
    lines.extend((1..=31).map(|number| format!("test inbox::case_{number:02} ... ok")));
    lines.push("test inbox::ack_moves_cursor ... ok".to_owned());
    lines.push("test inbox::unread_after_ack ... ok".to_owned());
    lines.push("test inbox::inbox_ack_is_monotonic ... FAILED".to_owned());
    lines.join("\n") + "\n"
}

fn failing() -> Vec<OutputEvent> {
    let mut events = block(0, System, "", "You are coder.", -130_000, -130_000);
    events.extend(block(1, Prompt, "", "1 new message\n", -130_000, -130_000));
    let thought = "The test asks for an order that strings do not have.";
    events.extend(block(2, Thinking, "", thought, -128_000, -126_000));
    events.extend(tool(3, "edit", r#"{"path":"daemon/inbox.rs"}"#, DIFF, -125_000, 7));
    let end = "running 2 tests\ntest inbox_ack_is_monotonic ... FAILED\nexit 101";
    events.extend(tool(5, "shell", CARGO_TEST, end, -124_000, 3_200));
    let limit = "the provider asks to wait: 429, Retry-After 2 s";
    events.extend(block(7, Notice, "", limit, -120_000, -120_000));
    events.extend(block(8, Error, "", "provider timeout after 120 s", -10_000, -10_000));
    let error = Some("provider timeout after 120 s".to_owned());
    events.push(OutputEvent::End { state: RunState::Failed, error });
    events
}

fn asking() -> Vec<OutputEvent> {
    let mut events = block(0, Prompt, "", "1 new message\n", -127_000, -127_000);
    events.extend(block(
        1,
        Text,
        "",
        "The upstream project has the same fault.",
        -125_000,
        -123_000,
    ));
    let question = r#"{"question":"may I open a PR upstream?"}"#;
    events.extend(block(2, ToolCall, "ask_person", question, -122_000, -122_000));
    events.push(begins(3, ToolResult, "ask_person", -122_000));
    events
}

fn writing() -> Vec<OutputEvent> {
    let mut events = block(0, Prompt, "", "woken by the user\n", -24_000, -24_000);
    events.push(begins(1, Text, "", -9_000));
    events.push(grows(1, 0, "## Servers\n\nStart the daemon once; everything else finds it"));
    events
}

fn testing() -> Vec<OutputEvent> {
    let mut events = block(0, Prompt, "", "every 15 m\n", -8_000, -8_000);
    events.push(begins(1, ToolCall, "shell", -7_000));
    events.push(grows(1, 0, CARGO_TEST));
    events.push(ends(1, ToolCall, "shell", -7_000));
    events.push(begins(2, ToolResult, "shell", -6_900));
    events.push(grows(2, 0, "running 214 tests\n"));
    events
}

fn ended(id: RunId) -> Vec<OutputEvent> {
    let run = runs().into_iter().find(|run| run.id == id).unwrap();
    let (from, to) = (run.started_at.0 - NOW, run.ended_at.unwrap().0 - NOW);
    let mut events = block(0, Prompt, "", "1 new message\n", from, from);
    events.extend(block(1, Text, "", "Done, see notes.md.", to - 2_000, to));
    events.push(OutputEvent::End { state: run.state, error: run.error });
    events
}
