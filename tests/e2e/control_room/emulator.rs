//! A terminal as far as the program can tell: what it shows, what is switched on, what it answers.

use std::num::NonZeroU16;

use vt100::{Callbacks, Parser, Screen};

/// Which questions a terminal answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// None
    Silent,
    /// Those of old, and that for its background
    #[default]
    Xterm,
    /// Those of old
    Tmux,
    /// All
    Kitty,
}

/// The emulator.
pub struct Emulator {
    parser: Parser<Modes>,
}

/// What is switched on besides what the screen itself knows, and what is to be answered.
pub struct Modes {
    profile: Profile,
    /// How keys are told apart, on top of how they were before
    pub keys: Vec<u16>,
    /// Whether it tells of its focus
    pub focus: bool,
    /// Whether lines go on in the next row
    pub wraps: bool,
    /// How many titles it keeps
    pub titles: i32,
    /// How often it rang
    pub bells: usize,
    /// What it was called
    pub title: String,
    /// What was put on its clipboard, as it came
    pub clipboard: Vec<u8>,
    /// What it did not know
    pub unknown: Vec<String>,
    /// The frames that were shown at once, if they are wanted
    pub frames: Option<Vec<Frame>>,
    answers: Vec<u8>,
}

/// What is seen at the end of a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// All that is written
    pub text: String,
    /// The cursor's row and column; none: it is hidden
    pub cursor: Option<(u16, u16)>,
}

impl Emulator {
    pub fn new(profile: Profile, columns: u16, rows: u16) -> Self {
        let modes = Modes {
            profile,
            keys: Vec::new(),
            focus: false,
            wraps: true,
            titles: 0,
            bells: 0,
            title: String::new(),
            clipboard: Vec::new(),
            unknown: Vec::new(),
            frames: None,
            answers: Vec::new(),
        };
        let (columns, rows) = (cells(columns), cells(rows));
        Self { parser: Parser::new_with_callbacks(rows, columns, 0, modes) }
    }

    /// Takes what was written, and gives what the terminal answers.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.parser.process(bytes);
        std::mem::take(&mut self.parser.callbacks_mut().answers)
    }

    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.parser.set_size(cells(rows), cells(columns));
    }

    pub fn screen(&self) -> &Screen {
        self.parser.screen()
    }

    pub fn modes(&self) -> &Modes {
        self.parser.callbacks()
    }

    /// Keeps every frame from here on. Only a terminal that shows frames at once can tell them.
    pub fn keep_frames(&mut self) {
        assert_eq!(self.modes().profile, Profile::Kitty, "it cannot tell frames");
        self.parser.callbacks_mut().frames = Some(Vec::new());
    }

    /// The frames since they are kept.
    pub fn frames(&self) -> &[Frame] {
        self.modes().frames.as_deref().expect("frames are kept")
    }

    /// What is switched on that was not at the start.
    pub fn left_on(&self) -> Vec<&'static str> {
        let (screen, modes) = (self.screen(), self.modes());
        let on = [
            ("another screen", screen.alternate_screen()),
            ("a hidden cursor", screen.hide_cursor()),
            ("pastes in brackets", screen.bracketed_paste()),
            ("the mouse", screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None),
            ("keys", !modes.keys.is_empty()),
            ("the focus", modes.focus),
            ("no wrapping", !modes.wraps),
            ("a title", modes.titles != 0),
        ];
        on.into_iter().filter(|(_, on)| *on).map(|(what, _)| what).collect()
    }
}

fn cells(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).expect("a terminal has cells")
}

impl Modes {
    fn answer(&mut self, answer: &str) {
        if self.profile != Profile::Silent {
            self.answers.extend(answer.as_bytes());
        }
    }

    fn frame(&mut self, screen: &Screen) {
        if let Some(frames) = &mut self.frames {
            let cursor = (!screen.hide_cursor()).then(|| screen.cursor_position());
            frames.push(Frame { text: super::screen::text(screen), cursor });
        }
    }

    fn set(&mut self, mode: u16, on: bool) {
        match mode {
            7 => self.wraps = on,
            1004 => self.focus = on,
            2026 => {}
            _ => self.unknown.push(format!("mode {mode}")),
        }
    }
}

impl Callbacks for Modes {
    fn audible_bell(&mut self, _: &mut Screen) {
        self.bells += 1;
    }

    fn set_window_title(&mut self, _: &mut Screen, title: &[u8]) {
        self.title = String::from_utf8_lossy(title).into_owned();
    }

    fn copy_to_clipboard(&mut self, _: &mut Screen, _: &[u8], data: &[u8]) {
        self.clipboard = data.to_vec();
    }

    fn unhandled_csi(
        &mut self,
        screen: &mut Screen,
        first: Option<u8>,
        second: Option<u8>,
        params: &[&[u16]],
        end: char,
    ) {
        let number = params.first().and_then(|param| param.first()).copied().unwrap_or(0);
        let kitty = self.profile == Profile::Kitty;
        match (first, second, end) {
            (None, None, 'c') => self.answer("\x1b[?62;22c"),
            (None, None, 'n') if number == 5 => self.answer("\x1b[0n"),
            (None, None, 'n') if number == 6 => {
                let (row, column) = screen.cursor_position();
                self.answer(&format!("\x1b[{};{}R", row + 1, column + 1));
            }
            (Some(b'?'), Some(b'$'), 'p') if kitty => {
                let known = if number == 2026 { 2 } else { 0 };
                self.answer(&format!("\x1b[?{number};{known}$y"));
            }
            (Some(b'?'), None, 'u') if kitty => self.answer("\x1b[?5u"),
            (Some(b'?'), Some(b'$'), 'p') | (Some(b'?'), None, 'u') => {}
            (Some(b'>'), None, 'u') => self.keys.push(number),
            (Some(b'<'), None, 'u') => drop(self.keys.pop()),
            (Some(b'='), None, 'u') if !self.keys.is_empty() => {
                *self.keys.last_mut().expect("it is not empty") = number;
            }
            (Some(b'?'), None, 'h') => self.set(number, true),
            (Some(b'?'), None, 'l') if number == 2026 => self.frame(screen),
            (Some(b'?'), None, 'l') => self.set(number, false),
            (None, None, 't') if number == 22 => self.titles += 1,
            (None, None, 't') if number == 23 => self.titles -= 1,
            _ => self.unknown.push(format!("CSI {first:?} {second:?} {params:?} {end}")),
        }
    }

    fn unhandled_osc(&mut self, _: &mut Screen, params: &[&[u8]]) {
        let background = matches!(params, [b"11", b"?"]);
        if background && matches!(self.profile, Profile::Xterm | Profile::Kitty) {
            self.answer("\x1b]11;rgb:0d0d/1111/1717\x1b\\");
        } else if !background {
            self.unknown.push(format!("OSC {params:?}"));
        }
    }

    fn unhandled_escape(&mut self, _: &mut Screen, _: Option<u8>, _: Option<u8>, byte: u8) {
        // The end of a string that was broken off.
        if byte != b'\\' {
            self.unknown.push(format!("ESC {}", char::from(byte)));
        }
    }

    fn unhandled_control(&mut self, _: &mut Screen, byte: u8) {
        self.unknown.push(format!("control {byte:#x}"));
    }
}
