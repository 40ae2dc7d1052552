//! Runs at work: one task for each, from the start of its process to its last one gone.

use std::{sync::Arc, time::Duration};

use agent_worker_protocol::{
    BlockState, Interval, ModelAway, SessionTurn, Timestamp, TurnRole, WorkerReport, time::millis,
};
use tokio::time::Instant;

use crate::{
    changes::run::{claim::Claimed, progress::Progress, session::TurnsWrite},
    context::Credential,
    engine::{
        app::App,
        callers::Caller,
        process::{
            reports::{self, Line, Lines},
            spawner::{Reports, Worker},
        },
        retry::insist,
        runs::{
            activity::Activity,
            orders::{Order, Orders},
            outcome::{self, LONGEST_ERROR, LONGEST_TURN, MODEL, MOST_TURNS, Stop, Terminal},
            speech::Speech,
            spending::Spending,
            transcript::{CUT, Transcript},
            watch::Watch,
        },
    },
    fail_points::reach,
    rows::EndCause,
    rules::ending::{Ended, Failure},
};

pub struct Follower<'a> {
    pub app: &'a App,
    pub claimed: &'a Claimed,
    pub transcript: Transcript<'a>,
    pub watch: Watch,
    /// Where its worker works
    pub folder: Option<&'a str>,
    pub speech: Speech,
    pub activity: Activity,
    pub spending: Spending,
    /// Why its model cannot be reached, while that is so
    pub unreached: Option<String>,
    /// What is not stored yet, beside the transcript
    pub noted: Progress,
    /// Whether there was no room for it the last time
    pub is_behind: bool,
    /// What has come of its final text, or of a turn, so far
    pub pieces: String,
    /// Turns for its session that are not whole yet
    pub turns: Vec<SessionTurn>,
    pub terminal: Option<Terminal>,
    /// Whether all that its worker said so far was a report that can be so
    pub is_believed: bool,
    /// Whether the run's program has listed the daemon's tools; `None` if it has no program
    pub program: Option<&'a Caller>,
}

/// How many lines are read in a row before other tasks have a turn.
const IN_A_ROW: usize = 256;

/// How long a worker's last words may take after its end, where others hold its output open.
pub const ECHO: Duration = Duration::from_millis(10);

/// How long a run's process waits to be noted together with its first sign of life.
const FIRST_WORDS: Duration = Duration::from_millis(10);

impl Follower<'_> {
    /// Follows the worker to its end, and gives what is to be noted with that.
    pub async fn follow(
        mut self,
        worker: &mut Worker,
        reports: &mut Reports,
    ) -> (Ended, Arc<Progress>) {
        let mut lines = Lines::default();
        let stop = self.listen(worker, &mut lines, reports).await;
        let (status, forced) = match stop {
            Stop::Done => self.await_exit(worker, &mut lines, reports).await,
            Stop::Failure(failure) => {
                (self.put_down(worker, &mut lines, reports, &failure).await, Some(failure))
            }
        };
        // An answer that was broken off has to be paid for.
        self.spending.note(&mut self.noted);
        reach("run.exited");
        let is_decided = forced.is_some();
        let (exit, signal) = status.map_or((None, None), outcome::how);
        let ended = match self.judge(forced, exit, signal) {
            Ok((text, acted)) => Ended { acted, ..Ended::succeeded(text) },
            Err(failure) => {
                self.save_at_last().await;
                if !is_decided {
                    self.decide(&failure).await;
                }
                failure.into()
            }
        };
        self.app.spawner().end_leftovers().await;
        let ended = Ended { exit, signal, stderr: worker.last_words().await, ..ended };
        (ended, Arc::new(self.take_unsaved()))
    }

    /// Listens until the worker has said its last word or has ended, or is to be ended.
    async fn listen(
        &mut self,
        worker: &mut Worker,
        lines: &mut Lines,
        reports: &mut Reports,
    ) -> Stop {
        let mut orders = Orders::new(self.app.store(), self.claimed.run.id);
        let flush = self.app.store().settings().transcript.flush.duration();
        let mut last_saved = Instant::now();
        let mut in_a_row = 0;
        loop {
            let has_unsaved =
                self.transcript.has_unsaved() || !self.noted.is_empty() || self.owes();
            let is_new = self.noted.process.is_some() && !self.is_behind;
            let pause = if is_new { FIRST_WORDS } else { flush };
            tokio::select! {
                biased;
                line = lines.next(reports), if in_a_row < IN_A_ROW => {
                    in_a_row += 1;
                    if let Some(stop) = self.hear(line) {
                        return stop;
                    }
                }
                _ = worker.wait() => return self.hear_out(lines, reports).await,
                order = orders.next() => match order {
                    Order::End(failure) => return Stop::Failure(failure),
                    Order::Rest(rests) => self.rest(rests),
                },
                () = tokio::time::sleep_until(last_saved + pause), if has_unsaved => {
                    self.save().await;
                    last_saved = Instant::now();
                }
                () = outcome::wait_until(self.speech.due()) => {
                    self.save().await;
                    last_saved = Instant::now();
                }
                () = tokio::time::sleep_until(self.watch.next_look()) => {
                    if let Some(overdue) = self.watch.look(Instant::now()) {
                        let away = self.unreached.as_deref();
                        return Stop::Failure(self.watch.failure(overdue, self.folder, away));
                    }
                }
                // A worker that never pauses must not keep other sources waiting.
                () = tokio::task::yield_now(), if in_a_row == IN_A_ROW => {
                    in_a_row = 0;
                    continue;
                }
            }
            if self.is_urgent() && (!reports::has_line(reports) || in_a_row == IN_A_ROW) {
                self.save().await;
                last_saved = Instant::now();
            }
        }
    }

    /// Takes a line, and says whether it was the last.
    pub fn hear(&mut self, line: Line) -> Option<Stop> {
        let taken = match line {
            Line::End => return Some(Stop::Done),
            Line::Bad(why) => Err(why),
            Line::Report(report) => self.take(report),
        };
        match taken {
            Err(why) => {
                self.is_believed = false;
                Some(Stop::Failure(Failure::new(EndCause::Transient, why)))
            }
            Ok(()) => self.terminal.is_some().then_some(Stop::Done),
        }
    }

    /// The worker has ended: reads the rest of its reports.
    async fn hear_out(&mut self, lines: &mut Lines, reports: &mut Reports) -> Stop {
        let all = async {
            loop {
                if let Some(stop) = self.hear(lines.next(reports).await) {
                    return stop;
                }
            }
        };
        tokio::time::timeout(ECHO, all).await.unwrap_or(Stop::Done)
    }

    /// The run waits for the user, or goes on.
    fn rest(&mut self, rests: bool) {
        self.watch.rest(rests, Instant::now());
        self.speech.rest(rests, self.now(), Instant::now());
    }

    /// Whether something happened that others should see now.
    fn is_urgent(&self) -> bool {
        let others = Progress { heartbeat: false, process: None, ..self.noted.clone() };
        !self.is_behind && (self.transcript.is_urgent() || !others.is_empty())
    }

    pub fn take(&mut self, report: WorkerReport) -> Result<(), String> {
        let (is_work, now) = (!matches!(report, WorkerReport::Heartbeat), Instant::now());
        self.watch.heard(is_work, now);
        if is_work {
            self.speech.heard(self.now(), now);
        }
        match report {
            WorkerReport::Started => {
                reach("run.started");
                self.noted.started = true;
            }
            WorkerReport::Heartbeat => self.noted.heartbeat = true,
            WorkerReport::Chose { turn } => self.noted.turn = Some(turn),
            WorkerReport::Block { n, kind, name } => {
                let activity = self.activity.begin(n, kind, name.as_deref());
                self.note_activity(activity);
                self.transcript.begin(n, kind, name, self.now())?;
            }
            WorkerReport::Delta { n, text } => self.transcript.grow(n, &text)?,
            WorkerReport::BlockEnd { n, cut } => {
                let state = if cut { BlockState::Cut } else { BlockState::Done };
                self.transcript.end(n, state, self.now())?;
                let activity = self.activity.end(n, state);
                self.note_activity(activity);
            }
            WorkerReport::Away { error, since, attempt, of, next } => {
                self.noted.away = Some(Some(self.away(&error, since, attempt, of, next)));
                self.unreached = Some(error);
            }
            WorkerReport::Using { usage, cost } => self.spending.using(usage, cost),
            WorkerReport::Used { usage, cost } => {
                self.spending.used(usage, cost, &mut self.noted)?;
            }
            WorkerReport::Turn { role, content, tokens } => {
                self.take_turn(role, &content, tokens)?;
            }
            WorkerReport::Turns { instead } => {
                let turns = std::mem::take(&mut self.turns);
                self.noted.turns.push(TurnsWrite { instead, turns });
            }
            WorkerReport::Piece { text } => self.gather(&text),
            WorkerReport::StepDone { .. } => return Err("it reported a setup step".to_owned()),
            WorkerReport::Finished { text, acted } => {
                reach("run.finished");
                self.gather(&text);
                let text = self.take_text();
                self.terminal = Some(Terminal::Finished { text, acted });
            }
            WorkerReport::Failed { class, mut error, retry_after } => {
                error.truncate(error.floor_char_boundary(LONGEST_ERROR));
                let retry_after = retry_after.map(|span| millis(span.duration()));
                let failure = Failure { class: outcome::believed(class), error, retry_after };
                self.terminal = Some(Terminal::Failed(failure));
            }
        }
        Ok(())
    }

    pub fn away(
        &self,
        error: &str,
        since: Interval,
        attempt: u32,
        of: u32,
        next: Interval,
    ) -> ModelAway {
        /// How much of what a server said is shown, in bytes.
        const LONGEST: usize = 200;
        let now = self.now();
        ModelAway {
            since: now.before(since.duration()),
            attempt,
            of: Some(of),
            next_at: now.after(next.duration()),
            error: Some(error[..error.floor_char_boundary(LONGEST)].to_owned()),
        }
    }

    /// Notes what a block tells of what the agent is doing.
    fn note_activity(&mut self, activity: Option<String>) {
        let Some(activity) = activity else { return };
        let is_answer = activity != MODEL;
        self.noted.activity = Some(activity);
        if is_answer && self.unreached.take().is_some() {
            self.noted.away = Some(None);
        }
    }

    /// Whether an answer in progress has used something that is to be noted now. What an agent
    /// program tells with its last word waits for its end: a limit that it reaches must not end a
    /// run whose answer is there.
    fn owes(&self) -> bool {
        self.program.is_none() && self.spending.is_due(Instant::now())
    }

    /// Takes the end of a turn for the session.
    fn take_turn(&mut self, role: TurnRole, end: &str, tokens: Option<i64>) -> Result<(), String> {
        self.gather(end);
        let content = std::mem::take(&mut self.pieces);
        if content.len() > LONGEST_TURN {
            return Err("it reported a turn that is too long".to_owned());
        }
        let held: usize = self.turns.iter().map(|turn| turn.content.len()).sum();
        if held + content.len() > MOST_TURNS {
            return Err("it reported a session that is too long".to_owned());
        }
        self.turns.push(SessionTurn { role, content, tokens });
        Ok(())
    }

    /// Takes the final text. If a message does not hold all of it, it ends with a mark.
    fn take_text(&mut self) -> String {
        let mut text = std::mem::take(&mut self.pieces);
        let most = self.app.store().settings().messages.max_bytes;
        if text.len() > most {
            text.truncate(text.floor_char_boundary(most.saturating_sub(CUT.len())));
            text.push_str(CUT);
        }
        text
    }

    /// Adds to the final text or to a turn: only its end tells which. One character more than the
    /// longer of both may have is kept, so that its end also tells whether it was too long.
    pub fn gather(&mut self, text: &str) {
        let most = self.app.store().settings().messages.max_bytes.max(LONGEST_TURN);
        let room = most.saturating_add(char::MAX_LEN_UTF8).saturating_sub(self.pieces.len());
        self.pieces.push_str(&text[..text.floor_char_boundary(room)]);
    }

    pub fn now(&self) -> Timestamp {
        self.app.store().clock().now()
    }

    /// Stores what happened since the last time. What cannot be stored now is stored with what
    /// comes next.
    pub async fn save(&mut self) {
        let progress = self.take_unsaved();
        if progress.is_empty() {
            return;
        }
        let is_first = progress.process.is_some();
        let (run, progress) = (self.claimed.run.id, Arc::new(progress));
        let noted =
            self.app.store().write(Credential::Daemon, outcome::note(run, progress.clone())).await;
        if is_first {
            reach("spawn.stored");
        }
        self.is_behind = noted.is_err();
        self.app.outputs().stored(run);
        if let Err(error) = noted {
            tracing::warn!(%run, %error, "a part of a transcript waits to be stored");
            self.noted = Arc::unwrap_or_clone(progress);
        }
    }

    /// Stores what is left of it, before the run's token dies.
    async fn save_at_last(&mut self) {
        let progress = self.take_unsaved();
        if progress.is_empty() {
            return;
        }
        let run = self.claimed.run.id;
        if let Err(error) = insist(self.app, outcome::note(run, Arc::new(progress))).await {
            tracing::warn!(%run, %error, "the end of a transcript was not stored");
        }
    }

    fn take_unsaved(&mut self) -> Progress {
        if self.owes() {
            self.spending.note(&mut self.noted);
        }
        let mut progress = std::mem::take(&mut self.noted);
        progress.blocks.extend(self.transcript.take());
        progress.spoke = self.speech.take(progress.is_visible(), Instant::now()).or(progress.spoke);
        progress
    }
}
