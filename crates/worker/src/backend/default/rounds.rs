//! Rounds of model and tools, until the model has nothing more to do.

use std::time::Duration;

use agent_worker_protocol::{BlockKind, Interval, ModelConfig, MyInbox, Op, WorkerReport};
use futures::future::try_join_all;
use tokio::time::{Instant, sleep};

use super::{
    compact::{Compacted, size},
    failure::{failure, has_no_end, is_too_long},
    hearing::{Heard, Hearing, LONGEST_NAME},
    mail::Mail,
    reminders::{ANSWER, GO_ON},
    retry::Patience,
    toolbox::{Outcome, Toolbox},
};
use crate::{
    backend::{
        marks::{CUT_OFF, DECLINED, NOT_FINISHED},
        narration::Narration,
        spoken::Spoken,
    },
    failure::Failure,
    history::{Head, Keeper, Kept, Opening, gist, leave_out_thinking, push},
    model::{
        Call, Dialect, Kind, ModelError, Part, Request, Said, Served, Stop, ToolResult, Turn, Used,
    },
    prompt,
    reports::UNCOUNTED,
    session::Session,
    tools::NoAnswer,
};

/// How often an answer that is too long is continued.
const CONTINUED: u32 = 3;

/// How often in a row a model is told that its call was cut off.
const CUTS: u32 = 2;

/// What a model is told whose call reached the longest answer.
const CUT: &str = "this call was cut off at the longest answer (`max_tokens`), and nothing was \
                   done: make it again in parts, each of them much shorter";

/// A conversation with a model.
pub struct Rounds<'s, D> {
    /// Whose run it is.
    pub session: &'s Session<'s>,
    pub config: &'s ModelConfig,
    pub model: Served<D>,
    /// The longest answer, in tokens.
    pub max_tokens: Option<u32>,
    /// What stands before all turns.
    pub head: Head,
    /// What it may call.
    pub toolbox: Toolbox<'s>,
    /// The messages it was given.
    pub mail: Mail,
    pub turns: Vec<Turn>,
    /// Which of these has what this run begins with.
    pub start: usize,
    /// What earlier runs have kept; empty once it was left out, for want of room.
    pub earlier: Vec<Kept>,
    /// Whether the model's server was found to take no pictures.
    pub takes_no_images: bool,
    /// What this run begins with.
    pub opening: Opening,
    /// What keeps it for the next run.
    pub keeper: Keeper<'s>,
}

impl<'s, D: Dialect> Rounds<'s, D> {
    /// Goes on until there is a final text.
    pub async fn go(mut self) -> Result<String, Failure> {
        self.begin();
        let (mut compacted, mut spoken) = (Compacted::default(), Spoken::default());
        let (mut said, mut continued, mut is_reminded, mut cuts) = (String::new(), 0, false, 0);
        for _ in 0..self.config.max_steps {
            let heard = self.ask(&mut compacted).await?;
            let mut calls: Vec<_> = heard.parts.iter().filter_map(Part::call).cloned().collect();
            said.extend(heard.parts.iter().filter_map(Part::text));
            let is_cut = heard.cut_call().is_some();
            self.keeper.answered(&heard.parts, heard.used, self.head.with(&self.turns));
            self.turns.push(Turn::Answered(heard.parts));
            if !calls.is_empty() {
                spoken.note(&said, calls.iter().map(|call| call.name.as_str()));
                said.clear();
                let cut = calls.pop_if(|_| is_cut);
                cuts = if cut.is_some() { cuts + 1 } else { 0 };
                if cuts > CUTS {
                    let why = "each of its calls was cut off there";
                    return Err(is_too_long(self.session.config, why));
                }
                let (told, gist) = self.round(&calls, cut).await?;
                self.tell(told, gist);
                continue;
            }
            match heard.stop {
                Some(Stop::Length | Stop::Pause) if continued < CONTINUED => {
                    continued += 1;
                    self.tell(vec![Said::Text(GO_ON.to_owned())], Vec::new());
                }
                Some(Stop::Length) if said.trim().is_empty() => {
                    let why = "it wrote no text before that";
                    return Err(is_too_long(self.session.config, why));
                }
                Some(Stop::Refusal) if said.trim().is_empty() => return Ok(DECLINED.to_owned()),
                _ if spoken.lacks_answer(&said) && !is_reminded && !self.session.acts.has_any() => {
                    is_reminded = true;
                    self.notice("it ended without an answer: it is asked for one");
                    self.tell(vec![Said::Text(ANSWER.to_owned())], Vec::new());
                }
                stop => {
                    self.keeper.keep();
                    let mark = mark(stop).filter(|_| !said.trim().is_empty());
                    if let Some((mark, notice)) = mark {
                        self.notice(notice);
                        said.push_str(mark);
                    }
                    return Ok(spoken.answer(said));
                }
            }
        }
        Err(has_no_end(self.session.config, self.config))
    }

    /// Goes on where the last run ended.
    fn begin(&mut self) {
        let history = &self.session.history;
        if history.is_changed {
            self.keeper.keep_instead(&history.kept);
            if let Some(Kept::Summary(lines)) = history.kept.first() {
                self.told(&lines.of_earlier_runs());
            }
        }
        self.turns = history.turns(&self.keeper.model, &self.head, D::binds);
        push(&mut self.turns, Turn::Told(self.opening.said.clone()));
        self.start = self.turns.len() - 1;
        self.keeper.open(self.opening.clone());
    }

    /// Leaves out all pictures, and says whether there were any.
    fn drop_images(&mut self) -> bool {
        let mut dropped = 0;
        for turn in &mut self.turns {
            let Turn::Told(said) = turn else { continue };
            dropped += said.iter_mut().map(without_images).sum::<usize>();
        }
        self.leave_out_bound();
        dropped > 0
    }

    /// Leaves out thinking that its server takes only behind what stood before it.
    fn leave_out_bound(&mut self) {
        for turn in &mut self.turns {
            turn.leave_out(D::binds);
        }
    }

    /// Notes what stands before all turns now. Thinking behind other tools is bound to them.
    fn renew_head(&mut self) {
        let head = Head::of(self.session.prompt.system.as_deref(), self.toolbox.offered());
        if head.with(&[]) != self.head.with(&[]) {
            self.head = head;
            self.leave_out_bound();
        }
    }

    /// Leaves out all thinking from the turn on that the server has named, for good, and says
    /// whether there was any.
    fn leave_out_thinking(&mut self, place: Option<usize>, compacted: &Compacted) -> bool {
        for from in [place.unwrap_or(0), 0] {
            let turns = self.turns.iter_mut().skip(from);
            let left_out = turns.filter_map(|turn| turn.leave_out(Part::is_thinking).then_some(()));
            if left_out.count() > 0 {
                leave_out_thinking(&mut self.earlier, from);
                self.keeper.keep_instead(&self.kept(compacted));
                return true;
            }
        }
        false
    }

    /// The session as it is to be kept from now on.
    fn kept(&self, compacted: &Compacted) -> Vec<Kept> {
        let behind = self.head.before_each(&self.turns);
        let turns: Vec<_> = self.turns.iter().cloned().zip(behind).skip(self.start).collect();
        let of_this_run = compacted.kept(&turns, &self.opening, &self.keeper.model);
        self.earlier.iter().cloned().chain(of_this_run).collect()
    }

    /// Ends a round with what the model is told of it. The gist is of the mail in it.
    fn tell(&mut self, mut told: Vec<Said>, gist: Vec<String>) {
        if self.takes_no_images {
            for said in &mut told {
                without_images(said);
            }
        }
        self.opening.gist.extend_from_slice(&gist);
        self.keeper.told(&told, gist);
        self.turns.push(Turn::Told(told));
    }

    /// Writes down what the model is told besides its prompt and results.
    fn told(&self, text: &str) {
        self.session.transcript.write(BlockKind::Prompt, None, text);
    }

    /// Makes the conversation shorter, and says whether that was possible: what earlier runs did
    /// goes first, and only if that is little, the older rounds of this one.
    fn shorten(&mut self, compacted: &mut Compacted) -> bool {
        let prompt = &self.session.prompt;
        let whole = prompt.whole.as_ref().unwrap_or(&prompt.text);
        let before = size(&self.turns);
        let earlier = std::mem::take(&mut self.earlier);
        let drops = !earlier.is_empty();
        if drops {
            compacted.drop_earlier(&earlier, &mut self.turns, self.start, whole);
            self.start = 0;
            self.opening.said = vec![Said::Text(whole.clone())];
            self.opening.is_whole = true;
        }
        let is_short = size(&self.turns) <= before / 2;
        let shortens = !is_short && compacted.shorten(&mut self.turns, whole);
        if !drops && !shortens {
            return false;
        }
        self.leave_out_bound();
        self.keeper.keep_instead(&self.kept(compacted));
        if self.turns.len() == 1 {
            self.keeper.open(self.opening.clone());
        }
        true
    }

    /// Makes the calls of an answer: those that only read side by side, the others in order. A call
    /// that was cut off is not made. New mail for the agent is told with their results.
    async fn round(
        &mut self,
        calls: &[Call],
        cut: Option<Call>,
    ) -> Result<(Vec<Said>, Vec<String>), Failure> {
        let mut told = Vec::new();
        let are_alike =
            |a: &Call, b: &Call| self.toolbox.only_reads(a) && self.toolbox.only_reads(b);
        for calls in calls.chunk_by(are_alike) {
            let outcomes = try_join_all(calls.iter().map(|call| self.call(call))).await?;
            for Outcome { result, value, is_undone, .. } in outcomes {
                self.session.acts.note(&result.name, is_undone);
                if let Some(value) = value.filter(|_| result.name == MyInbox::NAME) {
                    self.mail.note(&value);
                }
                told.push(Said::Result(result));
            }
        }
        if let Some(Call { id, name, .. }) = cut {
            self.narration(&name).end(CUT, true, None);
            let (text, images) = (CUT.to_owned(), Vec::new());
            told.push(Said::Result(ToolResult { id, name, text, images, is_error: true }));
        }
        let new = self.mail.news(&self.session.tools).await?;
        if !new.is_empty() {
            self.toolbox.look_again().await?;
            self.renew_head();
            let news = prompt::news(&new);
            self.told(&news);
            told.push(Said::Text(news));
        }
        Ok((told, gist(&new)))
    }

    /// Makes a call, and tells its result at once: so results stand in the order of the calls, also
    /// where one is refused among calls that are made side by side.
    async fn call(&self, call: &Call) -> Result<Outcome, NoAnswer> {
        let mut narration = self.narration(&call.name);
        let outcome = self.toolbox.call(call, &mut |text| narration.push(text)).await?;
        narration.end(&outcome.result.text, outcome.is_undone, outcome.diff.as_deref());
        Ok(outcome)
    }

    fn narration(&self, tool: &str) -> Narration<'s> {
        let name = &tool[..tool.floor_char_boundary(LONGEST_NAME)];
        Narration::new(self.session.transcript, name)
    }

    /// Asks for the next answer, again where that may help.
    async fn ask(&mut self, compacted: &mut Compacted) -> Result<Heard, Failure> {
        let mut patience = Patience::new(self.config);
        let mut is_unbound = false;
        loop {
            let (heard, asked) = self.attempt().await;
            let Err(error) = asked else { return Ok(heard) };
            // It ends: each time less is left.
            if error.kind == Kind::Overflow && self.shorten(compacted) {
                self.notice(&format!("{error}: older rounds are left out"));
                compacted.summaries().for_each(|text| self.told(&text));
                continue;
            }
            if error.kind == Kind::Unbound
                && !std::mem::replace(&mut is_unbound, true)
                && self.leave_out_thinking(error.place, compacted)
            {
                self.notice(&format!("{error}: it goes on without its earlier thinking"));
                continue;
            }
            if !self.takes_no_images && error.may_be_of_pictures() && self.drop_images() {
                self.takes_no_images = !error.may_be_of_too_much();
                self.notice(&format!("{error}: it goes on without pictures"));
                continue;
            }
            let wait = || patience.after(error.retry_after, Instant::now(), rand::random());
            let Some(wait) = error.may_pass().then(wait).flatten() else {
                return Err(failure(self.session.config, self.config, &error));
            };
            let next = whole_milliseconds(wait);
            let told = Interval::about(wait);
            self.notice(&format!("{error}: it is asked again in {told}"));
            let (since, attempt, of) = patience.outlook(wait, Instant::now());
            let (since, error) = (whole_milliseconds(since), error.to_string());
            self.session.reports.send(&WorkerReport::Away { error, since, attempt, of, next });
            sleep(wait).await;
        }
    }

    async fn attempt(&self) -> (Heard, Result<(), ModelError>) {
        let request = Request {
            system: self.session.prompt.system.as_deref(),
            turns: &self.turns,
            tools: self.toolbox.offered(),
            max_tokens: self.max_tokens,
            thinking: self.config.thinking,
        };
        let mut hearing = Hearing::new(self.session.transcript, self.session.reports);
        let asked = self.model.ask(&request, &mut |event| hearing.hear(event)).await;
        let heard = hearing.end(asked.is_ok());
        // Also what was broken off has cost something.
        let Used { usage, cost } = heard.used;
        if !self.session.reports.used_as_told(usage, cost) {
            self.notice(UNCOUNTED);
        }
        (heard, asked)
    }

    fn notice(&self, what: &str) {
        let text = format!("{}: {what}", self.config.served.provider);
        self.session.transcript.write(BlockKind::Notice, None, &text);
    }
}

/// What stands behind an answer that is not whole, and what the transcript says of it.
fn mark(stop: Option<Stop>) -> Option<(&'static str, &'static str)> {
    match stop? {
        Stop::Length | Stop::Pause => {
            Some((CUT_OFF, "its answer is longer than it may be, and is posted cut off"))
        }
        Stop::Refusal => {
            let notice = "it declined to go on: its answer is posted as far as it came";
            Some((NOT_FINISHED, notice))
        }
        Stop::Done => None,
    }
}

fn whole_milliseconds(span: Duration) -> Interval {
    Interval::from(Duration::from_millis(u64::try_from(span.as_millis()).unwrap_or(u64::MAX)))
}

/// Says in place of pictures that there were some, and how many.
fn without_images(said: &mut Said) -> usize {
    let Said::Result(result) = said else { return 0 };
    let images = std::mem::take(&mut result.images).len();
    if images > 0 {
        result.text.push_str("\n[a picture, which you cannot be shown: your server refuses it]");
    }
    images
}
