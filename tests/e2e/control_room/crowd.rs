//! Keys and carets while a channel fills as fast as the daemon takes messages.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use agent_worker_client::Client;
use agent_worker_protocol::{ChannelSend, DocWrite, Intent, Mode};
use unicode_width::UnicodeWidthStr;

use super::{
    emulator::{Frame, Profile},
    screen::{Setup, Terminal},
    stage::Stage,
};
use crate::support::{Team, block_on, mock, wait_until};

/// How many speak at once.
const VOICES: usize = 4;

/// What happens again and again, as fast as the daemon takes it, until this is dropped.
pub struct Crowd {
    ends: Arc<AtomicBool>,
    count: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl Crowd {
    /// Does this with one number after the other.
    fn doing<F>(client: Client, act: impl Fn(Client, usize) -> F + Send + Copy + 'static) -> Self
    where
        F: Future<Output = ()> + Send,
    {
        let (ends, count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let (is_over, counted) = (ends.clone(), count.clone());
        let voice = async move |client: Client, first: usize| {
            for number in (first..).step_by(VOICES) {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                act(client.clone(), number).await;
                counted.fetch_add(1, Ordering::Relaxed);
            }
        };
        let thread = thread::spawn(move || {
            let voices = (0..VOICES).map(|first| voice(client.clone(), first));
            block_on(async { futures::future::join_all(voices).await });
        });
        Self { ends, count, thread: Some(thread) }
    }

    /// Messages in the team's channel.
    pub fn talking(stage: &Stage) -> Self {
        Self::doing(stage.client().at("@team".parse().unwrap()), |client, number| async move {
            tell(&client, number).await;
        })
    }

    /// How much has happened.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Waits until so much more has happened.
    pub fn wait_for_more(&self, more: usize) {
        let wanted = self.count() + more;
        wait_until(&format!("{wanted} things happen"), || self.count() >= wanted);
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
            && !thread::panicking()
        {
            panic!("what should happen did not");
        }
    }
}

async fn tell(client: &Client, number: usize) {
    let message = format!("number {number}");
    let said =
        ChannelSend { message, to: Vec::new(), intent: Some(Intent::Inform), reply_to: None };
    client.call(&said).await.expect("it is said");
}

pub fn room(stage: &Stage, target: &[&str]) -> Terminal {
    let setup = Setup { profile: Profile::Kitty, ..Setup::default() };
    let terminal = stage.tui(&setup, target);
    terminal.keep_frames();
    terminal
}

/// The box where is written: in which row it begins, and its rows.
fn written(text: &str) -> Option<(usize, Vec<&str>)> {
    let lines: Vec<_> = text.lines().collect();
    let rule = lines.iter().position(|line| line.contains(" to # team:main "))?;
    Some((rule + 1, lines[rule + 1..lines.len() - 1].to_vec()))
}

/// What stands in the box, as one text.
fn draft(text: &str) -> Option<String> {
    let (_, rows) = written(text)?;
    Some(rows.iter().map(|row| row.strip_prefix(' ').unwrap_or(row)).collect())
}

fn wait_for_draft(terminal: &Terminal, wanted: &str) {
    terminal.wait_for(&format!("the draft is {wanted:?}"), |screen| {
        draft(&super::screen::text(screen)).as_deref() == Some(wanted)
    });
}

/// As long as a person takes for a key at the least.
#[expect(
    clippy::disallowed_methods,
    reason = "six keys within forty milliseconds are taken for a text that was not typed"
)]
fn typing() {
    thread::sleep(Duration::from_millis(10));
}

#[test]
fn c_2_while_a_channel_fills_every_key_has_its_effect_in_order() {
    let stage = Stage::idle();
    let terminal = room(&stage, &["@team"]);
    let crowd = Crowd::talking(&stage);
    crowd.wait_for_more(50);
    terminal.wait_for_text("number 4");
    let before = crowd.count();
    // Each key has its effect before the next one is pressed.
    terminal.press("i");
    terminal.wait_for_text("F1 help");
    let text: String = ('a'..='z').chain('0'..='9').cycle().take(110).collect();
    for end in 1..=text.len() {
        terminal.press(&text[end - 1..end]);
        wait_for_draft(&terminal, &text[..end]);
    }
    // These keys do not wait for the one before.
    for letter in text.chars() {
        terminal.press(&letter.to_string());
    }
    wait_for_draft(&terminal, &text.repeat(2));
    terminal.press("\x1b");
    terminal.wait_for_text("q quit");
    for (key, tab) in [("2", "[2 Agents"), ("3", "[3 Docs"), ("1", "[1 Channel")].repeat(10) {
        typing();
        terminal.press(key);
        terminal.wait_for_text(tab);
    }
    assert!(crowd.count() > before + 50, "{}", crowd.count());
    drop(crowd);
}

/// Where the caret has to be, by what is written: behind its last character, or in the next row if
/// the line is full.
fn caret_of(text: &str) -> Option<(u16, u16)> {
    let (first, rows) = written(text)?;
    let last = rows.iter().rposition(|row| !row.trim().is_empty()).unwrap_or(0);
    let end = rows[last].width().max(1);
    let (row, column) = if end > 118 { (first + last + 1, 1) } else { (first + last, end) };
    Some((u16::try_from(row).unwrap(), u16::try_from(column).unwrap()))
}

/// At the end of every frame in which the box is open, the cursor is where the caret is.
fn assert_carets(frames: &[Frame]) -> usize {
    let open = frames.iter().filter_map(|frame| Some((frame, caret_of(&frame.text)?)));
    open.map(|(frame, caret)| {
        assert_eq!(frame.cursor, Some(caret), "\n{}", frame.text);
    })
    .count()
}

#[test]
fn f_7_while_a_channel_fills_the_cursor_is_at_the_caret_in_every_frame() {
    let stage = Stage::idle();
    let terminal = room(&stage, &["@team"]);
    let crowd = Crowd::talking(&stage);
    crowd.wait_for_more(20);
    terminal.press("i");
    terminal.wait_for_text("F1 help");
    // To the last column, over it, with a wide character that has no room in front of it.
    let mut typed = String::new();
    let text = format!("{}yz\u{4e2d}\u{6587}{}\u{4e2d}\u{6587}.", "x".repeat(116), "w".repeat(113));
    for letter in text.chars() {
        terminal.press(&letter.to_string());
        typed.push(letter);
        wait_for_draft(&terminal, &typed);
    }
    crowd.wait_for_more(100);
    // Back over wide characters: the cells in front of the caret become fewer.
    let end = terminal.look(|emulator| emulator.screen().cursor_position());
    let kept = terminal.look(|emulator| emulator.frames().to_vec());
    for cells in [1_u16, 3, 5] {
        terminal.press("\x1b[D");
        let wanted = (end.0, end.1 - cells);
        terminal.wait_for("the caret before a character", |screen| {
            screen.cursor_position() == wanted && !screen.hide_cursor()
        });
    }
    drop(crowd);
    let open = assert_carets(&kept);
    assert!(open > text.chars().count(), "{open} frames of {}", kept.len());
}

/// How many workflows there are.
const MANY: usize = 20;

fn scope(number: usize) -> String {
    format!("@team-{:02}", number % MANY)
}

/// Something happens in one of the workflows: something else each time.
async fn happen(client: Client, number: usize) {
    let client = client.at(scope(number).parse().unwrap());
    if (number / MANY).is_multiple_of(2) {
        return tell(&client, number).await;
    }
    let file = Some("notes.md".to_owned());
    let write = DocWrite { content: format!("text {number}"), file, if_version: None };
    client.call(&write).await.expect("it is written");
}

/// How much more memory may be held after so much has happened, in KiB.
const MEMORY: usize = 20_000;

#[test]
fn d_3_what_happens_in_many_workflows_is_drawn_thirty_times_a_second_at_the_most() {
    let stage = Stage::empty();
    block_on(async {
        let client = stage.client();
        for number in 0..MANY {
            let team = Team::new(&scope(number)[1..], "").agent("alice", &mock("- say: yes"));
            team.start(&stage.home, &client, Mode::Start).await;
        }
    });
    let terminal = room(&stage, &[]);
    terminal.press("3");
    terminal.wait_for_text("[3 Events");
    let crowd = Crowd::doing(stage.client(), happen);
    crowd.wait_for_more(200);
    let memory = terminal.memory();
    let begun = (terminal.look(|emulator| emulator.frames().len()), Instant::now());
    crowd.wait_for_more(1500);
    let frames = terminal.look(|emulator| emulator.frames().len()) - begun.0;
    let most = 31 * begun.1.elapsed().as_millis() / 1000 + 2;
    assert!(frames as u128 <= most, "{frames} frames, {most} at the most");
    assert!(frames > 5, "{frames} frames");
    let last = crowd.count();
    drop(crowd);
    stage.home.ok(&["send", "@team-07", "the last of all"]);
    terminal.wait_for_text("the last of all");
    terminal.wait_for_quiet(Duration::from_secs(1));
    let more = terminal.memory().saturating_sub(memory);
    assert!(more <= MEMORY, "{more} KiB more after {last} things");
    terminal.press("q");
}
