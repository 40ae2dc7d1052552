//! Commands on a terminal, and what must never come out of them.

use std::{
    io::{Read, Write},
    num::NonZeroU16,
    sync::mpsc::{self, RecvTimeoutError},
    time::Instant,
};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::support::{DEADLINE, Home};

/// Does something to a terminal, or to the eye, in every way that is known. Each part has words
/// before and behind it that are to be seen.
pub const HOSTILE: &str = "seen\u{1b}[2J\u{1b}[3;4H\u{1b}[35;7mseen\u{1b}]0;title\u{7}\
    \u{1b}]52;c;cm0gLXJmIH4=\u{1b}\\\u{1b}]8;;http://evil.example\u{1b}\\seen\u{1b}]8;;\u{1b}\\\
    \u{1b}P+q544e\u{1b}\\\u{1b}_Gf=100;AAAA\u{1b}\\\u{1b}c\u{1b}(0\u{1b}[?1049h\u{1b}[6n\u{1b}[99A\
    \u{9b}2J\u{9d}0;title\u{9c}\u{90}x\u{9c}seen\u{7}\u{8}\u{8}\u{7f}\u{e}\u{202e}dlrow\u{2066}\
    \u{200b}\u{feff}\u{3164}\u{e0100}\u{fe01}\u{e0001}\u{e0041}\u{ad}seen\u{85}\u{2028}e\u{301}\u{302}\u{303}\u{304}\u{305}\
    \u{306}\u{307}\u{308}seen";

/// What a command ends with that waits for an answer.
const PROMPT: &str = "or Enter to skip: ";

const COLUMNS: u16 = 200;
const ROWS: u16 = 400;

/// What a command did to a terminal.
pub struct Shown {
    pub raw: String,
    /// What is to be seen in the end
    pub screen: String,
}

/// Runs a command to its end on a terminal of its own.
pub fn on_terminal(home: &Home, args: &[&str]) -> Shown {
    with_answers(home, args, &[])
}

/// Runs a command to its end on a terminal of its own, where each of these lines is typed as soon
/// as it asks for an answer.
pub fn with_answers(home: &Home, args: &[&str], answers: &[&str]) -> Shown {
    let size = PtySize { rows: ROWS, cols: COLUMNS, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).expect("a terminal");
    let like = home.command(args);
    let mut command = CommandBuilder::new(like.get_program());
    command.args(like.get_args());
    command.cwd(home.work());
    command.env_clear();
    for (name, value) in like.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command.env("TERM", "xterm-256color");
    let mut child = pair.slave.spawn_command(command).expect("the program starts");
    drop(pair.slave);
    let mut writer = pair.master.take_writer().expect("its input");
    let mut reader = pair.master.try_clone_reader().expect("its output");
    let (sender, read) = mpsc::channel();
    std::thread::spawn(move || {
        let mut part = [0; 4096];
        // A read from a terminal without a writer ends in an error.
        while let Ok(length @ 1..) = reader.read(&mut part) {
            drop(sender.send(part[..length].to_vec()));
        }
    });
    let (mut bytes, mut answers, until) = (Vec::new(), answers.iter(), Instant::now() + DEADLINE);
    let mut asked = 0;
    loop {
        match read.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(part) => bytes.extend(part),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                drop(child.kill());
                panic!("not done within {DEADLINE:?}: {args:?}");
            }
        }
        while String::from_utf8_lossy(&bytes).matches(PROMPT).count() > asked {
            asked += 1;
            let answer = answers.next().into_iter().flat_map(|answer| answer.as_bytes());
            writer.write_all(&answer.copied().collect::<Vec<_>>()).expect("it is typed");
        }
    }
    child.wait().expect("it is a child");
    let rows = NonZeroU16::new(ROWS).expect("rows");
    let mut screen = vt100::Parser::new(rows, NonZeroU16::new(COLUMNS).expect("columns"), 0);
    screen.process(&bytes);
    let raw = String::from_utf8(bytes).unwrap_or_else(|bad| panic!("{args:?}: no text: {bad}"));
    Shown { raw, screen: screen.screen().contents() }
}

/// Takes out what the program itself uses to style and to move: colours, lines that are drawn
/// again, the cursor.
fn without_own_styles(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        let end = behind.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(behind.len());
        let (numbers, tail) = behind.split_at(end);
        let last = tail.chars().next().unwrap_or(' ');
        let is_own = match last {
            'm' => numbers != "35;7",
            'K' => matches!(numbers, "" | "2"),
            'A'..='D' => numbers.parse().is_ok_and(|n: u32| n < 50),
            _ => false,
        };
        if !is_own {
            out.push_str("\u{1b}[");
            rest = behind;
            continue;
        }
        rest = &tail[last.len_utf8()..];
    }
    out + rest
}

/// What acts, or hides: everything but letters, marks and line ends.
fn is_harmful(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(
            c,
            '\u{ad}' | '\u{200b}' | '\u{feff}' | '\u{3164}' | '\u{fe01}' | '\u{2028}' | '\u{2029}'
        )
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e0fff}')
}

/// Asserts that a text that is to be shown does nothing.
pub fn assert_harmless(what: &str, raw: &str) {
    let text = without_own_styles(&raw.replace("\r\n", "\n"));
    // The program goes back to the beginning of a line that it draws again.
    let text = text.replace('\r', "");
    let found = text.char_indices().find(|(_, c)| is_harmful(*c));
    if let Some((at, c)) = found {
        let from = text.floor_char_boundary(at.saturating_sub(200));
        let to = text.ceil_char_boundary((at + 100).min(text.len()));
        panic!("{what}: {c:?} in {:?}", &text[from..to]);
    }
}

/// Asserts that no letter of a text climbs over the lines above it.
pub fn assert_low(what: &str, text: &str) {
    let tower = "\u{301}\u{302}\u{303}\u{304}\u{305}";
    assert!(!text.contains(tower), "{what}: {text}");
}
