//! What happens in a session, as the transcript of its run.

use std::{cell::Cell, collections::HashMap, mem, rc::Rc};

use agent_worker_protocol::BlockKind;
use serde_json::{Value, json};

use super::{
    super::content::text_of,
    permission::{Names, Owner},
    speech::{Chunk, ToolCall, Update},
};
use crate::{
    acts::Acts,
    backend::{failed::failed, spoken::Spoken},
    transcript::{Open, Transcript},
    workspace::unified,
};

/// The longest diff that is shown, in bytes.
const MOST_DIFF: usize = 64 << 10;

/// How many lines that are of no use are shown.
const MOST_LINES: usize = 5;

/// How much of such a line is shown, in bytes.
const LONGEST_LINE: usize = 500;

/// Writes down a session.
pub struct Narration<'s> {
    pub transcript: &'s Transcript,
    acts: &'s Acts,
    pub names: &'s Names,
    /// The text or thought that grows
    speech: Option<Speech<'s>>,
    calls: HashMap<String, Call<'s>>,
    /// What the agent has said since its last call
    text: String,
    spoken: Spoken,
    plan: String,
    other_lines: usize,
    /// Dollars since the session began
    pub cost: Option<f64>,
    /// What the agent told last of its model's errors
    trouble: Option<String>,
    /// Whether it says that it cannot go on
    is_broken: bool,
}

struct Speech<'s> {
    block: Open<'s>,
    kind: BlockKind,
    message: Option<String>,
}

/// A tool call in progress.
struct Call<'s> {
    owner: Owner,
    name: String,
    title: String,
    /// Its arguments as told last, where they are empty, not yet whole, or not an object
    input: Option<Value>,
    /// How many files it is about, as far as it was told
    files: usize,
    /// Its block; none once its arguments are told
    block: Option<Open<'s>>,
    /// What it showed when it began: what it will do, unless its end tells nothing else
    first: String,
    /// What it answers so far
    result: Option<(Open<'s>, String)>,
    is_over: bool,
    is_denied: Rc<Cell<bool>>,
}

impl<'s> Narration<'s> {
    /// Begins with an empty session.
    pub fn new(transcript: &'s Transcript, acts: &'s Acts, names: &'s Names) -> Self {
        Self {
            transcript,
            acts,
            names,
            speech: None,
            calls: HashMap::new(),
            text: String::new(),
            spoken: Spoken::default(),
            plan: String::new(),
            other_lines: 0,
            cost: None,
            trouble: None,
            is_broken: false,
        }
    }

    /// Takes the next update.
    pub fn update(&mut self, update: Update) {
        match update {
            Update::AgentMessageChunk(chunk) => self.chunk(BlockKind::Text, chunk),
            Update::AgentThoughtChunk(chunk) => self.chunk(BlockKind::Thinking, chunk),
            Update::ToolCall(call) => {
                self.forget_ended(&call.id);
                self.call(&call);
            }
            Update::ToolCallChange(call) => self.call(&call),
            Update::Plan(plan) => self.plan(&plan),
            Update::Usage(usage) => {
                let cost = &usage["cost"];
                let dollars = cost["amount"].as_f64().filter(|_| cost["currency"] == "USD");
                self.cost = dollars.or(self.cost);
            }
            Update::SessionInfo(info) => self.trouble(&info["_meta"]),
            Update::Other => {}
        }
    }

    /// Notes a line that is not what it should be, such as a message.
    pub fn other_line(&mut self, what: &str, line: &str) {
        self.other_lines += 1;
        if self.other_lines <= MOST_LINES {
            let line = &line[..line.floor_char_boundary(LONGEST_LINE)];
            self.notice(&format!("not {what}: {line}"));
        }
    }

    pub fn notice(&mut self, text: &str) {
        self.end_speech();
        self.transcript.write(BlockKind::Notice, None, text);
    }

    /// A call waits for a permission: all that is known of it is told. It counts as denied until it
    /// is noted in what is returned that it is allowed.
    pub fn asked(&mut self, call: &ToolCall) -> Rc<Cell<bool>> {
        self.forget_ended(&call.id);
        self.call(call);
        let Some(known) = self.calls.get_mut(&call.id) else { return Rc::default() };
        if let Some(block) = known.block.take() {
            block.push(&told(call, known));
            block.end();
        }
        known.is_denied.set(true);
        Rc::clone(&known.is_denied)
    }

    /// The agent has broken off: calls that are not over may have had their effect.
    pub fn break_off(&self) {
        for call in self.calls.values().filter(|call| !call.is_over) {
            self.acts.note(call.tool(), call.is_denied.get());
        }
    }

    /// What the agent has said since its last call, or with it.
    pub fn end(mut self) -> String {
        self.end_speech();
        for (_, call) in self.calls.drain() {
            call.block.into_iter().chain(call.result.map(|(block, _)| block)).for_each(Open::cut);
        }
        self.spoken.answer(self.text.trim().to_owned())
    }

    /// The error of an agent that ends its turn all the same, and says so beside its answer.
    pub fn error(&self) -> Option<&str> {
        self.is_broken.then(|| self.trouble.as_deref().unwrap_or("it had a system error"))
    }

    fn chunk(&mut self, kind: BlockKind, chunk: Chunk) {
        let text = text_of(&chunk.content);
        if text.is_empty() {
            return;
        }
        self.acts.begin();
        let goes_on = |speech: &Speech<'_>| {
            let is_same = speech.message == chunk.message_id
                || speech.message.is_none()
                || chunk.message_id.is_none();
            speech.kind == kind && is_same
        };
        if !self.speech.as_ref().is_some_and(goes_on) {
            self.end_speech();
            if kind == BlockKind::Text && !self.text.is_empty() {
                self.text.push_str("\n\n");
            }
            let block = self.transcript.open(kind, None);
            self.speech = Some(Speech { block, kind, message: chunk.message_id });
        }
        if let Some(speech) = &self.speech {
            speech.block.push(&text);
        }
        if kind == BlockKind::Text {
            self.text.push_str(&text);
        }
    }

    fn end_speech(&mut self) {
        if let Some(speech) = self.speech.take() {
            speech.block.end();
        }
    }

    /// Some model servers give every call the same id: what begins is not the call that has ended.
    fn forget_ended(&mut self, id: &str) {
        if self.calls.get(id).is_some_and(|known| known.is_over) {
            self.calls.remove(id);
        }
    }

    fn call(&mut self, call: &ToolCall) {
        self.acts.begin();
        let id = &call.id;
        let is_new = !self.calls.contains_key(id);
        if is_new {
            self.end_speech();
            self.begin(call);
        }
        let Some(known) = self.calls.get_mut(id).filter(|known| !known.is_over) else { return };
        if let Some(title) = &call.title {
            known.title.clone_from(title);
        }
        if call.raw_input.is_some() && call.arguments().is_none() {
            known.input.clone_from(&call.raw_input);
        }
        known.files = known.files.max(call.files());
        let is_over = is_over(call);
        if (call.arguments().is_some() || is_over)
            && let Some(block) = known.block.take()
        {
            block.push(&told(call, known));
            block.end();
        }
        let has_failed = call.status.as_deref() == Some("failed");
        let mut answer = answer(call, is_over).unwrap_or_default();
        if is_new && !is_over {
            mem::swap(&mut known.first, &mut answer);
        } else if is_over && answer.is_empty() && call.content.is_none() {
            answer.push_str(&known.first);
        }
        // What was told as it grew can no longer begin otherwise.
        if has_failed && known.result.is_none() {
            answer = failed(&answer);
        }
        if is_over || !answer.is_empty() {
            // An empty answer adds nothing where something was told.
            known.grow(self.transcript, &answer);
        }
        if is_over {
            known.is_over = true;
            if let Some((block, _)) = known.result.take() {
                block.end();
            }
            known.note(self.acts, has_failed);
        }
    }

    fn begin(&mut self, call: &ToolCall) {
        let owner = self.names.owner(call);
        let title = call.title.clone().unwrap_or_default();
        let name = match &owner {
            Owner::Daemon(tool) => tool.clone(),
            Owner::Program([tool, ..]) => {
                call.name.clone().unwrap_or_else(|| tool.as_str().to_owned())
            }
            _ => {
                let named = call.name.clone().unwrap_or_else(|| title.clone());
                if named.is_empty() { "tool".to_owned() } else { named }
            }
        };
        let block = Some(self.transcript.open(BlockKind::ToolCall, Some(&name)));
        let (first, input, files, result) = (String::new(), None, 0, None);
        let (is_over, is_denied) = (false, Rc::default());
        let new =
            Call { owner, name, title, input, files, block, first, result, is_over, is_denied };
        self.spoken.note(&mem::take(&mut self.text), [new.tool()]);
        self.calls.insert(call.id.clone(), new);
    }

    fn plan(&mut self, plan: &Value) {
        let entries = plan["entries"].as_array().filter(|all| all.iter().all(Value::is_object));
        let lines = entries.into_iter().flatten().map(|entry| {
            let mark = match entry["status"].as_str() {
                Some("completed") => "x",
                Some("in_progress") => "~",
                _ => " ",
            };
            format!("[{mark}] {}", entry["content"].as_str().unwrap_or_default())
        });
        let text = lines.collect::<Vec<_>>().join("\n");
        if !text.is_empty() && text != self.plan {
            self.notice(&format!("plan:\n{text}"));
            self.plan = text;
        }
    }

    /// codex tells errors of its model here, and ends its turn as if all were well.
    fn trouble(&mut self, meta: &Value) {
        let codex = &meta["codex"];
        if let Some(error) = codex.get("error") {
            let parts = ["message", "additionalDetails"].iter();
            let text = parts.filter_map(|key| error[*key].as_str()).collect::<Vec<_>>().join(": ");
            self.notice(&text);
            self.trouble = Some(text);
        }
        match codex["threadStatus"]["type"].as_str() {
            Some("systemError") => self.is_broken = true,
            Some("active") => self.is_broken = false,
            _ => {}
        }
    }
}

impl<'s> Call<'s> {
    /// Adds what is new of its answer, which agents repeat whole.
    fn grow(&mut self, transcript: &'s Transcript, answer: &str) {
        let (block, told) = self.result.get_or_insert_with(|| {
            (transcript.open(BlockKind::ToolResult, Some(&self.name)), String::new())
        });
        match answer.strip_prefix(told.as_str()) {
            Some(new) => block.push(new),
            None if told.ends_with(answer) => return,
            None => {
                block.push("\n");
                block.push(answer);
            }
        }
        answer.clone_into(told);
    }

    /// A failed call that is whole has done nothing; others may have, unless they were denied.
    fn note(&self, acts: &Acts, has_failed: bool) {
        let is_undone = self.is_denied.get() || self.owner.is_whole(self.files);
        acts.note(self.tool(), has_failed && is_undone);
    }

    /// The name that its tool has everywhere.
    fn tool(&self) -> &str {
        match &self.owner {
            Owner::Daemon(tool) => tool,
            Owner::Program([tool, ..]) => tool.as_str(),
            _ => self.name.as_str(),
        }
    }
}

/// The arguments of a call, as JSON.
fn told(call: &ToolCall, known: &Call<'_>) -> String {
    if let Some(arguments) = call.arguments() {
        // codex tells which server's tool it is there too.
        let of_tool = arguments.get("arguments").filter(|_| call.is_marked_mcp());
        return of_tool
            .map_or_else(|| Value::Object(arguments.clone()).to_string(), Value::to_string);
    }
    // What it shows before it has run is what it will do.
    let shown =
        call.content.iter().flatten().find_map(|content| content.get("content").map(text_of));
    match (shown.filter(|_| !is_over(call)), &known.input) {
        (_, Some(input)) if !input.is_object() => input.to_string(),
        (Some(shown), _) if serde_json::from_str::<Value>(&shown).is_ok() => shown,
        (_, Some(input)) => input.to_string(),
        _ => json!({ "title": known.title }).to_string(),
    }
}

fn is_over(call: &ToolCall) -> bool {
    matches!(call.status.as_deref(), Some("completed" | "failed"))
}

/// Answer of a call, if the update has one.
fn answer(call: &ToolCall, is_over: bool) -> Option<String> {
    let is_waiting = call.status.as_deref() == Some("pending");
    let contents = call.content.as_deref().unwrap_or_default();
    let parts: Vec<_> = contents.iter().filter_map(shown).filter(|part| !part.is_empty()).collect();
    let output = call.raw_output.as_ref().filter(|_| is_over);
    let code = output.and_then(|output| output.pointer("/metadata/exit")?.as_i64());
    let code = match code {
        Some(code) if code != 0 => format!("\n(exit code {code})"),
        _ => String::new(),
    };
    if !parts.is_empty() && !is_waiting {
        return Some(parts.join("\n") + &code);
    }
    let output = output?;
    let text = ["/output", "/result", "/result/content/0/text"];
    let text = text.iter().find_map(|path| output.pointer(path)?.as_str());
    let failure = || output.pointer("/error/message").and_then(Value::as_str);
    Some(match text.or_else(|| output.as_str()).or_else(failure) {
        Some(text) => text.to_owned() + &code,
        None => output.to_string(),
    })
}

fn shown(content: &Value) -> Option<String> {
    let field = |name: &str| content.get(name).and_then(Value::as_str);
    match field("type")? {
        "content" => content.get("content").map(text_of),
        "diff" => {
            let (path, new) = (field("path").unwrap_or("file"), field("newText")?);
            let old = field("oldText").map(str::as_bytes);
            unified(path.trim_start_matches('/'), old, new.as_bytes(), MOST_DIFF)
        }
        "terminal" => Some(format!("[terminal {}]", field("terminalId").unwrap_or(""))),
        _ => None,
    }
}
