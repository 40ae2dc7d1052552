//! What a program tells of its work: into the transcript as it comes, and what follows from it.

use std::{
    collections::HashMap,
    mem,
    time::{Duration, Instant},
};

use agent_worker_protocol::{
    BlockKind, Interval, ToolServer, Usage, WorkerReport, backend::SERVER,
};
use serde_json::Value;

use super::{Closing, Kept, Program, by_hand::by_hand};
use crate::{
    backend::{failed::failed, spoken::Spoken},
    history::Seen,
    reports::UNCOUNTED,
    session::Session,
    transcript::Open,
};

/// The story of one program so far.
pub struct Story<'s> {
    session: &'s Session<'s>,
    program: &'s Program<'s>,
    /// The program's name for its session
    kept: Option<Kept>,
    is_kept: bool,
    open: Option<(BlockKind, Open<'s>)>,
    /// Calls whose results have not come, by their ids
    calls: HashMap<String, Call>,
    /// Text since the last call
    text: String,
    spoken: Spoken,
    used: Usage,
    /// Dollars that were reported of the price alone since the program last told its cost
    estimated: f64,
    away_since: Option<Instant>,
    closing: Option<Closing>,
    /// Use that is told with its last word: tokens, the cost as told, the cost as estimated
    owed: Option<(Usage, Option<f64>, Option<f64>)>,
}

struct Call {
    tool: String,
    /// Whether it has done nothing if it fails: a tool of the daemon, or a change of a file
    is_whole: bool,
}

impl<'s> Story<'s> {
    /// Begins to listen to a program that goes on with this session.
    pub fn new(session: &'s Session<'s>, program: &'s Program<'s>, resume: Option<&str>) -> Self {
        let mut story = Self {
            session,
            program,
            kept: None,
            is_kept: false,
            open: None,
            calls: HashMap::new(),
            text: String::new(),
            spoken: Spoken::default(),
            used: Usage::default(),
            estimated: 0.0,
            away_since: None,
            closing: None,
            owed: None,
        };
        if let Some(resume) = resume {
            story.is_in(resume);
            let total = program.kept.as_ref().and_then(|kept| kept.total);
            story.kept.iter_mut().for_each(|kept| kept.total = total);
        }
        story
    }

    /// The program names its session.
    pub fn is_in(&mut self, session: &str) {
        if self.kept.as_ref().is_some_and(|kept| kept.session == session) {
            return;
        }
        let seen = Seen::of(&self.session.context);
        let by_hand = by_hand(self.program.config, session);
        let (session, known) = (session.to_owned(), self.program.known());
        self.kept = Some(Kept { session, seen, known, by_hand, ..Kept::default() });
        self.is_kept = false;
    }

    /// Text of the answer, as it comes.
    pub fn text(&mut self, piece: &str) {
        let goes_on = matches!(self.open, Some((BlockKind::Text, _)));
        if !goes_on && !piece.is_empty() && !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.push_str(piece);
        self.push(BlockKind::Text, piece);
    }

    /// Thinking, as it comes.
    pub fn thinking(&mut self, piece: &str) {
        self.push(BlockKind::Thinking, piece);
    }

    fn push(&mut self, kind: BlockKind, piece: &str) {
        if piece.is_empty() {
            return;
        }
        self.work();
        if self.open.as_ref().is_some_and(|(open, _)| *open != kind) {
            self.end_block();
        }
        let transcript = self.session.transcript;
        let (_, block) = self.open.get_or_insert_with(|| (kind, transcript.open(kind, None)));
        block.push(piece);
    }

    /// The text, or the thinking, is whole.
    pub fn end_block(&mut self) {
        if let Some((_, block)) = self.open.take() {
            block.end();
        }
    }

    /// The text, or the thinking, was broken off.
    pub fn cut_block(&mut self) {
        self.text.clear();
        if let Some((_, block)) = self.open.take() {
            block.cut();
        }
    }

    /// A call of a tool.
    pub fn call(&mut self, id: &str, tool: &str, arguments: &Value) {
        self.work();
        self.end_block();
        let own = plain(tool, &self.session.config.servers);
        self.spoken.note(&mem::take(&mut self.text), [own]);
        self.session.transcript.write(BlockKind::ToolCall, Some(own), &shown(arguments));
        let is_whole = own != tool || matches!(own, "write" | "edit");
        self.calls.insert(id.to_owned(), Call { tool: own.to_owned(), is_whole });
    }

    /// Whether the result of a call has not come.
    pub fn has_call(&self, id: &str) -> bool {
        self.calls.contains_key(id)
    }

    /// Whether a call has done nothing if it fails.
    pub fn is_whole(&self, id: &str) -> bool {
        self.calls.get(id).is_some_and(|call| call.is_whole)
    }

    /// The result of a call, whether it is the answer of a failed one, and whether the call has done
    /// nothing.
    pub fn result(&mut self, id: &str, text: &str, has_failed: bool, is_undone: bool) {
        self.end_block();
        let Some(Call { tool, .. }) = self.calls.remove(id) else { return };
        let failed = has_failed.then(|| failed(text));
        let text = failed.as_deref().unwrap_or(text);
        self.session.transcript.write(BlockKind::ToolResult, Some(&tool), text);
        self.session.acts.note(&tool, is_undone);
    }

    /// Something that the user should know of the program itself.
    pub fn notice(&mut self, text: &str) {
        self.end_block();
        let text = format!("{}: {}", self.program.name(), self.program.without_keys(text));
        self.session.transcript.write(BlockKind::Notice, None, &text);
    }

    /// Tokens of one answer. Their cost follows from the price until the program tells it, so that
    /// a limit binds while the program works.
    pub fn used(&mut self, usage: Usage) {
        let estimate = self.program.config.price.and_then(|price| price.of(usage.plausible()));
        self.report(usage, None, estimate);
    }

    /// Adds what the program has used since it last told its total. What was reported of its cost
    /// is not reported again, and not taken back where it was more.
    pub fn used_in_all(&mut self, all: Usage, cost: Option<f64>) {
        let rest = minus(all, self.used);
        let cost = cost.map(|cost| (cost - mem::take(&mut self.estimated)).max(0.0));
        self.used_by_many(rest, cost);
    }

    /// Tokens of all answers since the last time. A cost that the program does not tell follows
    /// from the price. They are booked once the program has ended: a limit that they reach ends no
    /// run whose answer is there.
    fn used_by_many(&mut self, usage: Usage, cost: Option<f64>) {
        self.book();
        let estimate = self.program.config.price.and_then(|price| price.of_many(usage.plausible()));
        self.session.reports.using_as_told(usage, cost.or(estimate));
        self.owed = Some((usage, cost, estimate));
    }

    /// Books what the program has used by its last word.
    pub fn book(&mut self) {
        if let Some((usage, cost, estimate)) = self.owed.take() {
            self.report(usage, cost, estimate);
        }
    }

    fn report(&mut self, usage: Usage, cost: Option<f64>, estimate: Option<f64>) {
        if usage == Usage::default() && cost.is_none() {
            return;
        }
        self.used = self.used.plus(usage.plausible());
        if cost.is_none() {
            self.estimated += estimate.unwrap_or(0.0);
        }
        if !self.session.reports.used_as_told(usage, cost.or(estimate)) {
            self.notice(UNCOUNTED);
        }
    }

    /// All that the session has used since it began.
    pub fn used_by_session(&mut self, total: Usage) {
        let before = self.kept.as_ref().and_then(|kept| kept.total).unwrap_or_default();
        self.used_by_many(minus(total, before), None);
        if let Some(kept) = &mut self.kept {
            kept.total = Some(believed(total, before));
            kept.store(self.session.reports);
            self.is_kept = true;
        }
    }

    /// The model cannot be reached, and the program asks it again: for the `attempt`th time, of
    /// about `of`.
    pub fn away(&mut self, error: &str, attempt: u32, of: u32, next: Duration) {
        self.cut_block();
        let since = self.away_since.get_or_insert_with(Instant::now).elapsed();
        let since = Duration::from_millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX));
        self.notice(&format!("{error}: it is asked again"));
        let error = self.program.without_keys(error);
        let (since, next) = (Interval::from(since), Interval::from(next));
        self.session.reports.send(&WorkerReport::Away { error, since, attempt, of, next });
    }

    /// The model has answered: from here on there is something to go on with.
    fn work(&mut self) {
        self.away_since = None;
        self.session.acts.begin();
        if let Some(kept) = self.kept.as_ref().filter(|_| !self.is_kept) {
            kept.store(self.session.reports);
            self.is_kept = true;
        }
    }

    /// The program has said its last word. Some say nothing with it after they have answered.
    pub fn close(&mut self, closing: Closing) {
        let closing = match closing {
            Closing::Done(text) => Closing::Done(mem::take(&mut self.spoken).answer(text)),
            closing => closing,
        };
        self.closing.get_or_insert(closing);
    }

    /// The program's last word, once it has come.
    pub fn closing(&self) -> Option<&Closing> {
        self.closing.as_ref()
    }

    /// The story is over.
    pub fn end(&mut self) -> Option<Closing> {
        if self.closing.is_some() {
            self.end_block();
        } else {
            self.cut_block();
        }
        // A call that is not over may have had its effect.
        self.calls.values().for_each(|call| self.session.acts.note(&call.tool, false));
        // A run that is broken off or has failed says why.
        if matches!(self.closing, Some(Closing::Done(_))) {
            self.tell_open_calls();
        }
        self.closing.take()
    }

    /// Tells which calls have no result.
    fn tell_open_calls(&mut self) {
        let mut tools: Vec<_> =
            self.calls.values().map(|call| format!("`{}`", call.tool)).collect();
        tools.sort();
        let were = match tools.len() {
            0 => return,
            1 => "was",
            _ => "were",
        };
        self.notice(&format!("{} {were} left without a result", tools.join(", ")));
    }
}

/// The name that a tool of the daemon has everywhere, without what programs put before it. The name
/// of one of the agent's own servers may begin as the daemon's does.
fn plain<'t>(tool: &'t str, servers: &[ToolServer]) -> &'t str {
    let own = ["mcp__", "mcp_", ""].iter().find_map(|prefix| {
        let named = tool.strip_prefix(prefix)?;
        let is_other = servers.iter().any(|own| of_server(named, own.name.as_str()).is_some());
        of_server(named, SERVER).filter(|_| !is_other)
    });
    own.unwrap_or(tool)
}

/// The tool of a name that begins with this server.
fn of_server<'t>(named: &'t str, server: &str) -> Option<&'t str> {
    let rest = named.strip_prefix(server)?;
    let tool = ["__", ".", "/", "_"].iter().find_map(|between| rest.strip_prefix(between))?;
    Some(tool).filter(|tool| !tool.is_empty())
}

fn shown(arguments: &Value) -> String {
    match arguments {
        Value::String(text) => text.clone(),
        Value::Null => "{}".to_owned(),
        arguments => arguments.to_string(),
    }
}

/// What was used since; never less than nothing.
fn minus(all: Usage, before: Usage) -> Usage {
    all.with(before, |all, before| Some(all?.saturating_sub(before.unwrap_or(0)).max(0)))
}

/// The total to count on from. An impossible one would hide what is used after it, or count again
/// what was used before.
fn believed(total: Usage, before: Usage) -> Usage {
    let used = minus(total, before).plausible();
    let part = |total: Option<i64>, used: Option<i64>| used.and(total).filter(|all| *all >= 0);
    total.with(used, part).with(before, Option::or)
}

#[cfg(test)]
#[path = "tests/story.rs"]
mod tests;
