//! A screen as a drawing: every cell at its place, whatever fonts there are. Letters stand in runs
//! that are as long as their cells; everything else stands in the middle of its own; lines are
//! drawn, so that they meet.

use std::{collections::BTreeMap, fmt::Write as _};

use ratatui_core::{
    buffer::Cell,
    style::{Color, Modifier},
};
use unicode_width::UnicodeWidthStr as _;

use crate::{
    screen::Frame,
    theme::{Palette, Theme},
};

/// Pixels of a cell, of its letters, and from its top to the line they stand on.
const WIDTH: f64 = 8.43;
const HEIGHT: f64 = 18.0;
const LETTERS: f64 = 14.0;
const BASE: f64 = 13.5;

/// Pixels around the screen.
const MARGIN: f64 = 12.0;

const FONTS: &str =
    "'DejaVu Sans Mono', Menlo, Consolas, 'Noto Sans Mono CJK SC', Symbola, monospace";

/// A colour: red, green, blue.
type Rgb = [u8; 3];

/// The colours of a terminal.
struct Paints {
    back: Rgb,
    text: Rgb,
}

impl Paints {
    fn of(theme: Theme) -> Self {
        match theme.palette {
            Palette::Light => Self { back: [0xff, 0xff, 0xff], text: [0x1f, 0x23, 0x28] },
            _ => Self { back: [0x0d, 0x11, 0x17], text: [0xc9, 0xd1, 0xd9] },
        }
    }

    /// One of a terminal's own colours, as many terminals have them.
    fn named(&self, color: Color) -> Rgb {
        match color {
            Color::Rgb(red, green, blue) => [red, green, blue],
            Color::Red => [0xff, 0x7b, 0x72],
            Color::Green => [0x7e, 0xe7, 0x87],
            Color::Yellow => [0xe3, 0xb3, 0x41],
            Color::Blue => [0x6c, 0xb6, 0xff],
            Color::Magenta => [0xd2, 0xa8, 0xff],
            Color::Cyan => [0x56, 0xb6, 0xc2],
            Color::LightBlue => [0x9e, 0xcb, 0xff],
            Color::Reset => self.text,
            other => panic!("{other:?} is no colour of the control room"),
        }
    }
}

/// How a cell is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Look {
    text: Rgb,
    back: Option<Rgb>,
    attributes: Modifier,
}

impl Look {
    fn of(cell: &Cell, paints: &Paints) -> Self {
        let attributes = cell.modifier;
        let text = paints.named(cell.fg);
        let text = if attributes.contains(Modifier::DIM) { mixed(text, paints.back) } else { text };
        if attributes.contains(Modifier::REVERSED) {
            return Self { text: paints.back, back: Some(text), attributes };
        }
        Self { text, back: None, attributes }
    }

    /// What the letters' element says of it.
    fn attributes(self, paints: &Paints) -> String {
        let mut said = String::new();
        if self.text != paints.text {
            let _ = write!(said, " fill=\"{}\"", hex(self.text));
        }
        for (modifier, words) in [
            (Modifier::BOLD, " font-weight=\"bold\""),
            (Modifier::ITALIC, " font-style=\"italic\""),
            (Modifier::UNDERLINED, " text-decoration=\"underline\""),
        ] {
            if self.attributes.contains(modifier) {
                said.push_str(words);
            }
        }
        said
    }
}

/// Two thirds of the way to the first.
fn mixed(one: Rgb, other: Rgb) -> Rgb {
    let mix = |part: usize| {
        let (one, other) = (u16::from(one[part]), u16::from(other[part]));
        u8::try_from((one * 2 + other) / 3).unwrap()
    };
    [mix(0), mix(1), mix(2)]
}

fn hex([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The screen, with what it shows in words.
pub fn svg(frame: &Frame, theme: Theme, words: &str) -> String {
    let paints = Paints::of(theme);
    let area = frame.buffer.area;
    let mut sheet = Sheet { paints, out: String::new(), lines: BTreeMap::new() };
    for y in 0..area.height {
        let cells: Vec<&Cell> = (0..area.width).map(|x| &frame.buffer[(x, y)]).collect();
        sheet.row(y, &cells);
    }
    if let Some((x, y)) = frame.caret {
        let (x, y) = place(f64::from(x), f64::from(y));
        sheet.rect(x, y + 1.0, 2.0, HEIGHT - 2.0, sheet.paints.text);
    }
    sheet.draw_lines();
    page((area.width, area.height), theme, words, &sheet.out)
}

/// Each row of a screen by itself.
pub fn rows(frame: &Frame, theme: Theme) -> Vec<String> {
    let area = frame.buffer.area;
    let row = |y| {
        let paints = Paints::of(theme);
        let mut sheet = Sheet { paints, out: String::new(), lines: BTreeMap::new() };
        let cells: Vec<&Cell> = (0..area.width).map(|x| &frame.buffer[(x, y)]).collect();
        sheet.row(y, &cells);
        if let Some((x, _)) = frame.caret.filter(|(_, at)| *at == y) {
            let (x, y) = place(f64::from(x), f64::from(y));
            sheet.rect(x, y + 1.0, 2.0, HEIGHT - 2.0, sheet.paints.text);
        }
        sheet.draw_lines();
        sheet.out
    };
    (0..area.height).map(row).collect()
}

/// An SVG of this size in columns and rows, with a description.
pub fn page(size: (u16, u16), theme: Theme, words: &str, out: &str) -> String {
    let paints = Paints::of(theme);
    let width = f64::from(size.0) * WIDTH + 2.0 * MARGIN;
    let height = f64::from(size.1) * HEIGHT + 2.0 * MARGIN;
    let (back, text) = (hex(paints.back), hex(paints.text));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"{FONTS}\" font-size=\"{LETTERS}\" \
         fill=\"{text}\" xml:space=\"preserve\">\n<title>The control room: {words}</title>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{back}\"/>\n{out}</svg>\n"
    )
}

/// Where a cell begins.
fn place(x: f64, y: f64) -> (f64, f64) {
    (MARGIN + x * WIDTH, MARGIN + y * HEIGHT)
}

struct Sheet {
    paints: Paints,
    out: String,
    /// Lines by colour, and whether they go down: each from where to where
    lines: BTreeMap<(String, bool), Vec<[f64; 4]>>,
}

impl Sheet {
    fn row(&mut self, y: u16, cells: &[&Cell]) {
        let mut x = 0;
        while x < cells.len() {
            let look = Look::of(cells[x], &self.paints);
            let is_letters = |cell: &&Cell| is_letter(cell) && Look::of(cell, &self.paints) == look;
            let letters = cells[x..].iter().take_while(|cell| is_letters(cell)).count();
            let taken = letters.max(cells[x].symbol().width().max(1));
            let (left, top) = place(at(x), f64::from(y));
            if let Some(back) = look.back {
                self.rect(left, top, at(taken) * WIDTH, HEIGHT, back);
            }
            if letters > 0 {
                let text: String = cells[x..x + letters].iter().map(|cell| cell.symbol()).collect();
                self.letters(left, top, &text, look);
            } else if !self.line(left, top, cells[x].symbol(), look) {
                self.symbol(left, top, at(taken) * WIDTH, cells[x].symbol(), look);
            }
            x += taken;
        }
    }

    fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, color: Rgb) {
        let _ = writeln!(
            self.out,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{}\"/>",
            hex(color)
        );
    }

    /// A run of letters, as long as its cells. Blanks around it are no part of it.
    fn letters(&mut self, x: f64, y: f64, text: &str, look: Look) {
        let blank = text.len() - text.trim_start().len();
        let (x, text) = (x + at(blank) * WIDTH, text.trim());
        if text.is_empty() {
            return;
        }
        let _ = writeln!(
            self.out,
            "<text x=\"{x:.2}\" y=\"{:.2}\" textLength=\"{:.2}\"{}>{}</text>",
            y + BASE,
            at(text.len()) * WIDTH,
            look.attributes(&self.paints),
            escaped(text)
        );
    }

    /// A symbol, in the middle of its cells.
    fn symbol(&mut self, x: f64, y: f64, width: f64, text: &str, look: Look) {
        let _ = writeln!(
            self.out,
            "<text x=\"{:.2}\" y=\"{:.2}\" text-anchor=\"middle\"{}>{}</text>",
            x + width / 2.0,
            y + BASE,
            look.attributes(&self.paints),
            escaped(text)
        );
    }

    /// A part of a line; false if it is none.
    fn line(&mut self, x: f64, y: f64, symbol: &str, look: Look) -> bool {
        let (middle_x, middle_y) = (x + WIDTH / 2.0, y + HEIGHT / 2.0);
        let (right, bottom) = (x + WIDTH, y + HEIGHT);
        let (across, down): (&[[f64; 2]], &[[f64; 2]]) = match symbol {
            "─" => (&[[x, right]], &[]),
            "│" => (&[], &[[y, bottom]]),
            "┌" => (&[[middle_x, right]], &[[middle_y, bottom]]),
            "┐" => (&[[x, middle_x]], &[[middle_y, bottom]]),
            "└" => (&[[middle_x, right]], &[[y, middle_y]]),
            "┘" => (&[[x, middle_x]], &[[y, middle_y]]),
            "├" => (&[[middle_x, right]], &[[y, bottom]]),
            "┤" => (&[[x, middle_x]], &[[y, bottom]]),
            "┼" => (&[[x, right]], &[[y, bottom]]),
            "═" => {
                for y in [middle_y - 1.5, middle_y + 1.5] {
                    self.stroke([x, y, right, y], look, false);
                }
                return true;
            }
            "▌" => {
                self.rect(x, y, WIDTH / 2.0, HEIGHT, look.text);
                return true;
            }
            _ => return false,
        };
        for [from, to] in across {
            self.stroke([*from, middle_y, *to, middle_y], look, false);
        }
        for [from, to] in down {
            self.stroke([middle_x, *from, middle_x, *to], look, true);
        }
        true
    }

    /// A line, in one with the line that it goes on from.
    fn stroke(&mut self, line: [f64; 4], look: Look, is_down: bool) {
        let near = |one: f64, other: f64| (one - other).abs() < 0.01;
        let lines = self.lines.entry((hex(look.text), is_down)).or_default();
        let before =
            lines.iter_mut().find(|before| near(before[2], line[0]) && near(before[3], line[1]));
        match before {
            Some(before) => (before[2], before[3]) = (line[2], line[3]),
            None => lines.push(line),
        }
    }

    fn draw_lines(&mut self) {
        for ((color, _), lines) in std::mem::take(&mut self.lines) {
            let path: String = lines
                .iter()
                .map(|[x, y, to_x, to_y]| format!("M{x:.2} {y:.2}L{to_x:.2} {to_y:.2}"))
                .collect();
            let _ = writeln!(self.out, "<path d=\"{path}\" stroke=\"{color}\"/>");
        }
    }
}

/// What all fonts of one width have.
fn is_letter(cell: &Cell) -> bool {
    cell.symbol().len() == 1 && cell.symbol().is_ascii()
}

fn at(cells: usize) -> f64 {
    f64::from(u16::try_from(cells).unwrap())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
