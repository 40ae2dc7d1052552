//! A terminal that does not read for a while.

use std::time::{Duration, Instant};

use super::{
    crowd::{Crowd, room},
    screen::{Setup, Terminal},
    stage::{Stage, say},
};
use crate::support::{block_on, wait_until};

/// How often the whole screen is drawn again: far more than the kernel keeps of unread output.
const FRAMES: usize = 120;
/// How many of them it may keep at the most.
const KEPT: usize = 20;
/// How much memory it may hold more then, in KiB: the messages themselves, and a frame.
const MEMORY: usize = 5_000;

fn long(number: usize) -> String {
    let words =
        (0..90).map(|word| format!("{:x}", (number * 7919 + word) * 2_654_435_761 % 0xfff_fff));
    format!("number {number}: {}", words.collect::<Vec<_>>().join(" "))
}

#[test]
fn g_7_a_terminal_that_does_not_read_gets_the_last_frame_and_none_of_those_before() {
    // An agent works, so that times on the screen change.
    let stage = Stage::busy("", &["alice"]);
    let talk = |from: usize, to: usize| {
        block_on(async {
            let client = stage.client();
            for number in from..to {
                say(&client, &long(number)).await;
            }
        });
    };
    talk(0, 20);
    let setup = Setup { columns: 200, rows: 60, ..Setup::default() };
    let terminal = stage.tui(&setup, &["@team"]);
    terminal.wait_for_text("number 19:");
    let memory = terminal.memory();
    terminal.stall(true);
    let before = terminal.bytes().len();
    for number in 0..FRAMES {
        terminal.press("\x0c");
        terminal.written_within(Duration::from_millis(40));
        if number % 4 == 0 {
            talk(20 + number, 21 + number);
        }
    }
    talk(1000, 1001);
    wait_until("it takes note of all and rests", || {
        let before = terminal.cpu_time();
        terminal.written_within(Duration::from_secs(2));
        terminal.cpu_time() - before <= Duration::from_millis(100)
    });
    let more = terminal.memory().saturating_sub(memory);
    assert!(more <= MEMORY, "{more} KiB more");
    terminal.stall(false);
    terminal.wait_for_text("number 1000:");
    terminal.written_within(Duration::from_secs(2));
    let bytes = terminal.bytes().split_off(before);
    let frames = bytes.windows(4).filter(|part| part == b"\x1b[2J").count();
    assert!(frames <= KEPT, "{frames} frames were kept for later");
}

/// What a slow link takes in a second.
const LINK: usize = 16_000;
/// What a link takes that is not quite as slow.
const FASTER_LINK: usize = 64_000;
/// How many keys are pressed, each once the one before has its effect.
const KEYS: usize = 40;
/// How many frames may be shown between a key and its effect: what is on its way, and what the key
/// asked for. Without a bound it is a frame more for each thirtieth of a second.
const BEFORE: usize = 4;

#[test]
fn g_5_on_a_link_that_buffers_a_key_waits_for_few_frames() {
    let (most, told) = frames_before_a_key(|terminal| terminal.far(FASTER_LINK));
    println!("{told}");
    assert!(most <= BEFORE, "{most} frames were shown before a key had its effect");
}

#[test]
fn g_6_on_a_slow_link_a_key_waits_for_few_frames_however_much_happens() {
    let (most, told) = frames_before_a_key(|terminal| terminal.slow(LINK));
    println!("{told}");
    assert!(most <= BEFORE, "{most} frames were shown before a key had its effect");
}

#[test]
fn g_6_where_a_link_takes_all_at_once_the_terminals_own_answer_sets_the_pace() {
    let (most, told) = frames_before_a_key(|terminal| terminal.far(LINK));
    println!("{told}");
    assert!(most <= BEFORE, "{most} frames were shown before a key had its effect");
}

/// The most frames that are shown between a key and its effect with a crowd talking, and how long
/// keys take.
fn frames_before_a_key(link: impl FnOnce(&Terminal)) -> (usize, String) {
    let stage = Stage::idle();
    let terminal = room(&stage, &["@team"]);
    let crowd = Crowd::talking(&stage);
    crowd.wait_for_more(50);
    link(&terminal);
    let begun = (crowd.count(), Instant::now());
    let mut figures = Vec::new();
    for (key, tab) in [("2", "[2 Agents"), ("1", "[1 Channel")].iter().cycle().take(KEYS) {
        let (frames, pressed) = (terminal.look(|emulator| emulator.frames().len()), Instant::now());
        terminal.press(key);
        terminal.wait_for_text(tab);
        let frames = terminal.look(|emulator| emulator.frames().len()) - frames;
        figures.push((frames, pressed.elapsed()));
        // The channel is drawn again and again before the next key.
        crowd.wait_for_more(20);
    }
    let rate = (crowd.count() - begun.0) as u128 * 1000 / begun.1.elapsed().as_millis();
    drop(crowd);
    let most = figures.iter().map(|(frames, _)| *frames).max().unwrap();
    let mut times: Vec<_> = figures.iter().map(|(_, time)| time.as_millis()).collect();
    times.sort_unstable();
    let told = format!(
        "{rate} messages a second: a key takes {} ms, p95 {} ms",
        times[KEYS / 2],
        times[KEYS * 95 / 100]
    );
    (most, told)
}
