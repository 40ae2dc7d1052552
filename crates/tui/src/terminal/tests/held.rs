//! The terminal, taken and given back.

use std::time::{Duration, Instant};

use ratatui_core::{
    buffer::{Buffer, Cell},
    layout::Rect,
};

use super::pty::{Pty, text};
use crate::{
    clipboard::Taken,
    key::{Code, Key},
    mouse::{Mouse, MouseKind},
    terminal::{Answer, Drawn, Input, Options, Terminal},
};

const ANSWERS: &[u8] = b"\x1b[?2026;2$y\x1b[?1u\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[2;2R\x1b[?62c";

fn picture(terminal: &Terminal, text: &str) -> Buffer {
    let (columns, rows) = terminal.size();
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
    for (x, c) in (0..columns).zip(text.chars()) {
        buffer[(x, 0)].set_char(c);
    }
    buffer
}

fn draw(terminal: &mut Terminal, text: &str) {
    let picture = picture(terminal, text);
    assert!(matches!(terminal.draw(&picture, None), Drawn::Bytes(_)));
}

/// Waits until the last frame is written: a frame that comes sooner is not begun.
fn settle(pty: &Pty, terminal: &Terminal) {
    while terminal.is_busy() {
        pty.until(&Input::Free);
    }
}

fn count(seen: &[u8], part: &str) -> usize {
    text(seen).matches(part).count()
}

fn key(c: char) -> Input {
    Input::Key(Key::char(c))
}

#[test]
fn a_4_all_is_asked_with_the_first_frame_and_nothing_waits_for_answers() {
    let mut pty = Pty::new(20, 4);
    let mut terminal = pty.open(Options::default());
    draw(&mut terminal, "hello");
    pty.read_until(b"hello");
    let seen = text(&pty.seen);
    let at = |part: &str| seen.find(part).unwrap_or_else(|| panic!("{part:?} in {seen:?}"));
    assert!(at("\x1b[?1049h") < at("\x1b[?2026$p"));
    assert!(at("\x1b[c") < at("\x1b[2J"), "what a terminal prints of a question is erased");
    assert!(at("\x1b[2J") < at("hello"));
}

#[test]
fn a_5_what_was_switched_on_is_switched_off_and_all_is_as_it_was() {
    let mut pty = Pty::new(20, 4);
    let before = pty.termios();
    let mut terminal = pty.open(Options { mouse: true, ..Options::default() });
    draw(&mut terminal, "hello");
    terminal.title("agents");
    pty.read_until(b"agents");
    assert_ne!(pty.termios().local_modes, before.local_modes);
    pty.send(ANSWERS);
    pty.until(&Input::Answer(Answer::Attributes { clipboard: false }));
    drop(terminal);
    pty.read_until(b"\x1b[?1049l");
    pty.drain();
    for mode in ["1049", "7", "2004", "1004", "1000", "1006", "25"] {
        let (on, off) = (format!("\x1b[?{mode}h"), format!("\x1b[?{mode}l"));
        let seen = text(&pty.seen);
        let last = seen.rfind(&on).max(seen.rfind(&off)).unwrap();
        let wanted = if matches!(mode, "7" | "25") { &on } else { &off };
        assert!(seen[last..].starts_with(wanted.as_str()), "{mode} in {seen:?}");
    }
    assert_eq!((count(&pty.seen, "\x1b[>5u"), count(&pty.seen, "\x1b[<u")), (1, 1));
    assert_eq!((count(&pty.seen, "\x1b[22;2t"), count(&pty.seen, "\x1b[23;2t")), (1, 1));
    let after = pty.termios();
    assert_eq!(after.local_modes, before.local_modes);
    assert_eq!(after.input_modes, before.input_modes);
    assert_eq!(after.output_modes, before.output_modes);
    assert_eq!(after.control_modes, before.control_modes);
}

#[test]
fn what_was_never_drawn_on_is_given_back_without_a_byte() {
    let mut pty = Pty::new(20, 4);
    drop(pty.open(Options::default()));
    pty.drain();
    assert_eq!(text(&pty.seen), "");
}

#[test]
fn a_late_answer_goes_to_no_one_else() {
    let mut pty = Pty::new(20, 4);
    let mut terminal = pty.open(Options::default());
    draw(&mut terminal, "hello");
    pty.read_until(b"hello");
    let closing = std::thread::spawn(move || drop(terminal));
    pty.read_until(b"\x1b[?1049l");
    pty.send(ANSWERS);
    closing.join().unwrap();
    assert!(pty.pending().contains(&Input::Answer(Answer::Attributes { clipboard: false })));
}

#[test]
fn keys_pastes_buttons_and_answers_come_in_order() {
    let pty = Pty::new(20, 4);
    let _terminal = pty.open(Options::default());
    pty.send(b"j\x1b[A\x1b[200~x\ny\x1b[201~\x1b[<0;3;4M\x1b[0n\x1b[O");
    assert_eq!(pty.next(), key('j'));
    assert_eq!(pty.next(), Input::Key(Key::plain(Code::Up)));
    assert_eq!(pty.next(), Input::Paste("x\ny".to_owned()));
    let click = Mouse { kind: MouseKind::Click, x: 2, y: 3 };
    assert_eq!(pty.next(), Input::Mouse(click));
    assert_eq!(pty.next(), Input::Answer(Answer::Ready));
    assert_eq!(pty.next(), Input::Focus(false));
}

#[test]
fn an_escape_with_nothing_behind_it_is_a_key() {
    let pty = Pty::new(20, 4);
    let _terminal = pty.open(Options::default());
    pty.send(b"\x1b");
    assert_eq!(pty.next(), Input::Key(Key::plain(Code::Esc)));
    pty.send(b"\x1b[B");
    assert_eq!(pty.next(), Input::Key(Key::plain(Code::Down)));
}

#[test]
fn c_7_text_that_comes_as_keys_is_told_from_keys() {
    let pty = Pty::new(20, 4);
    let _terminal = pty.open(Options::default());
    pty.send(b"xyXqdt\r");
    let Input::Burst(keys) = pty.next() else { panic!() };
    assert_eq!(keys.len(), 7);
    pty.send(b"\x1b[A");
    assert_eq!(pty.next(), Input::Key(Key::plain(Code::Up)));
    pty.send(b"j");
    assert_eq!(pty.next(), key('j'));
}

#[test]
fn a_11_a_lost_terminal_is_noticed_and_its_end_waits_for_nothing() {
    let mut pty = Pty::new(20, 4);
    let mut terminal = pty.open(Options::default());
    draw(&mut terminal, "hello");
    pty.read_until(b"hello");
    pty.close();
    pty.until(&Input::Lost);
    let (mut again, end) = (0, Instant::now() + Duration::from_millis(200));
    while Instant::now() < end {
        again += pty.pending().iter().filter(|input| **input == Input::Lost).count();
        std::thread::yield_now();
    }
    assert!(again <= 1, "nothing goes on reading");
    drop(terminal);
}

fn full(terminal: &Terminal, c: char) -> Buffer {
    let (columns, rows) = terminal.size();
    let mut cell = Cell::EMPTY;
    cell.set_char(c);
    Buffer::filled(Rect::new(0, 0, columns, rows), cell)
}

/// Draws until the kernel, which takes some frames that no one reads, takes no more.
fn fill(pty: &Pty, terminal: &mut Terminal) {
    for frame in 0..100 {
        let next = full(terminal, char::from(b'a' + frame % 26));
        assert!(matches!(terminal.draw(&next, None), Drawn::Bytes(_)));
        if terminal.is_busy() && !pty.came(&Input::Free, Duration::from_secs(1)) {
            return;
        }
    }
    panic!("nothing is held back");
}

#[test]
fn g_7_a_terminal_that_does_not_read_gets_no_frames_and_then_the_last_one() {
    let mut pty = Pty::new(200, 60);
    let mut terminal = pty.open(Options::default());
    pty.send(ANSWERS);
    pty.until(&Input::Answer(Answer::Attributes { clipboard: false }));
    fill(&pty, &mut terminal);
    let next = full(&terminal, '%');
    assert_eq!(terminal.draw(&next, None), Drawn::Busy);
    while !pty.pending().contains(&Input::Free) {
        pty.drain();
    }
    pty.seen.clear();
    let next = full(&terminal, '!');
    assert!(matches!(terminal.draw(&next, None), Drawn::Bytes(_)));
    while terminal.is_busy() {
        pty.drain();
    }
    pty.drain();
    assert_eq!((count(&pty.seen, "%"), count(&pty.seen, "!")), (0, 200 * 60));
    drop(terminal);
}

#[test]
fn the_end_does_not_wait_for_a_terminal_that_does_not_read() {
    let mut pty = Pty::new(200, 60);
    let before = pty.termios();
    let mut terminal = pty.open(Options::default());
    fill(&pty, &mut terminal);
    drop(terminal);
    assert_eq!(pty.termios().local_modes, before.local_modes);
    pty.drain();
}

#[test]
fn f_8_another_program_gets_every_key_and_the_screen_comes_back() {
    let mut pty = Pty::new(20, 4);
    let mut terminal = pty.open(Options::default());
    pty.send(ANSWERS);
    pty.until(&Input::Answer(Answer::Attributes { clipboard: false }));
    draw(&mut terminal, "hello");
    pty.read_until(b"hello");
    terminal.outside(|| {
        pty.read_until(b"\x1b[?1049l");
        pty.seen.clear();
        pty.send(b"twenty keys\n");
        let mut line = [0; 64];
        let count = rustix::io::read(pty.slave(), &mut line).unwrap();
        assert_eq!(&line[..count], b"twenty keys\n");
        assert_eq!(pty.pending(), []);
    });
    assert_eq!(pty.next(), Input::Resize(20, 4));
    draw(&mut terminal, "hello");
    pty.read_until(b"hello");
    assert_eq!(count(&pty.seen, "\x1b[?1049h"), 1);
    assert_eq!(count(&pty.seen, "\x1b[<u\x1b[>5u"), 1, "what was left of the mode goes first");
    assert_eq!(count(&pty.seen, "\x1b[c"), 0, "nothing is asked twice");
    pty.send(b"q");
    pty.until(&key('q'));
}

#[test]
fn the_windows_title_comes_back_with_the_screen() {
    let mut pty = Pty::new(20, 4);
    let mut terminal = pty.open(Options::default());
    terminal.title("two agents");
    pty.send(ANSWERS);
    pty.until(&Input::Answer(Answer::Attributes { clipboard: false }));
    draw(&mut terminal, "hello");
    pty.read_until(b"hello");
    let told = "\x1b[22;2t\x1b]2;two agents\x1b\\";
    assert_eq!(count(&pty.seen, told), 1);
    terminal.outside(|| {
        pty.read_until(b"\x1b[?1049l");
        pty.seen.clear();
    });
    pty.until(&Input::Resize(20, 4));
    draw(&mut terminal, "hello");
    pty.read_until(b"hello");
    assert_eq!((count(&pty.seen, told), count(&pty.seen, "\x1b[22;2t")), (1, 1));
}

#[test]
fn c_11_letters_are_told_as_keys_where_they_are_no_text() {
    let mut pty = Pty::new(20, 4);
    let mut terminal = pty.open(Options::default());
    draw(&mut terminal, "hello");
    pty.read_until(b"hello");
    assert_eq!(count(&pty.seen, "\x1b[="), 0, "not before it is known that they can be");
    pty.send(ANSWERS);
    pty.until(&Input::Answer(Answer::Attributes { clipboard: false }));
    settle(&pty, &terminal);
    for (cursor, told) in
        [(None, "\x1b[=29;1u"), (Some((0, 1)), "\x1b[=5;1u"), (None, "\x1b[=29;1u")]
    {
        pty.seen.clear();
        let next = picture(&terminal, "hello");
        assert!(matches!(terminal.draw(&next, cursor), Drawn::Bytes(_)));
        pty.read_until(told.as_bytes());
        settle(&pty, &terminal);
    }
    let next = picture(&terminal, "hello");
    assert_eq!(terminal.draw(&next, None), Drawn::Nothing);
    pty.send(b"\x1b[1086::106;;1086u");
    let Input::Key(key) = pty.next() else { panic!() };
    assert_eq!((key.code, key.on_base_layout()), (Code::Char('о'), Some(Key::char('j'))));
}

#[test]
fn h_6_the_bell_rings_once_and_a_clipboard_has_its_limit() {
    let mut pty = Pty::new(20, 4);
    let mut terminal = pty.open(Options::default());
    draw(&mut terminal, "hello");
    pty.read_until(b"hello");
    pty.seen.clear();
    assert_eq!(terminal.copy(&"x".repeat(100_001)), Taken::TooLong);
    assert_eq!(terminal.copy("a\x1b]0;b\x07"), Taken::Unsaid);
    terminal.title("a\x1b]0;b\x07\u{202e}c");
    terminal.bell();
    pty.read_until(b"\x07");
    assert_eq!(text(&pty.seen), "\x1b]52;c;YRtdMDtiBw==\x1b\\\x1b[22;2t\x1b]2;a]0;bc\x1b\\\x07");
}
