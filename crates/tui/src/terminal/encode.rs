//! From pictures to bytes: what differs, and nothing else.

use ratatui_core::{
    buffer::Buffer,
    style::{Color, Modifier},
};

use super::{
    cells::{self, Look, Shape, Shown},
    known::Known,
};

/// Up to this many unchanged cells are written again, not skipped: a jump costs as many bytes.
const GAP: usize = 5;
/// From this many blank cells on, the end of a row is erased rather than written.
const ERASED: usize = 4;

/// What the terminal shows.
pub struct Screen {
    /// Whether it has slanted letters; other terminals show something else instead
    italic: bool,
    /// Empty as long as nothing is known of it
    rows: Vec<Vec<Shape>>,
    width: u16,
    cursor: Option<(u16, u16)>,
    spare: Vec<Shape>,
}

impl Screen {
    pub fn new(italic: bool) -> Self {
        Self { italic, rows: Vec::new(), width: 0, cursor: None, spare: Vec::new() }
    }

    /// From here on nothing is known of what it shows.
    pub fn forget(&mut self) {
        self.rows.clear();
    }

    /// The bytes that bring it from what it shows to this; none, if it shows it.
    pub fn frame(&mut self, next: &Buffer, cursor: Option<(u16, u16)>, known: &Known) -> Vec<u8> {
        let area = *next.area();
        if area.is_empty() {
            return Vec::new();
        }
        let mut frame = Frame { narrow: known.can().narrow, ..Frame::default() };
        if (area.width, usize::from(area.height)) != (self.width, self.rows.len()) {
            let blank = vec![Shape::blank(); usize::from(area.width)];
            self.rows = vec![blank; usize::from(area.height)];
            self.width = area.width;
            self.cursor = None;
            frame.bytes.extend(b"\x1b[?25l\x1b[m\x1b[2J");
        }
        for y in 0..area.height {
            cells::row(next, area.top() + y, &mut self.spare);
            if !self.italic {
                self.spare.iter_mut().for_each(Shape::straighten);
            }
            let shown = &mut self.rows[usize::from(y)];
            if *shown != self.spare {
                frame.row(y, shown, &self.spare);
                std::mem::swap(shown, &mut self.spare);
            }
        }
        let cursor = cursor.filter(|(x, y)| *x < area.width && *y < area.height);
        let bytes = frame.finish(self.cursor, cursor);
        self.cursor = cursor;
        if !bytes.is_empty() && known.can().synchronized {
            return [b"\x1b[?2026h", bytes.as_slice(), b"\x1b[?2026l"].concat();
        }
        bytes
    }
}

/// The bytes of one frame.
#[derive(Default)]
struct Frame {
    bytes: Vec<u8>,
    look: Look,
    /// Where the terminal's cursor certainly is
    at: Option<(usize, u16)>,
    narrow: bool,
}

impl Frame {
    fn row(&mut self, y: u16, shown: &[Shape], next: &[Shape]) {
        let changed = cells::changed(shown, next);
        let end = erased_from(next);
        // Only worth it where something is there to be erased.
        let erase =
            end.filter(|end| changed[*end..].iter().filter(|changed| **changed).count() > ERASED);
        let mut x = 0;
        while x < next.len() {
            if erase == Some(x) {
                self.move_to(x, y, next);
                self.look_like(Look::default());
                self.bytes.extend(b"\x1b[K");
                return;
            }
            if changed[x] && next[x].shown != Shown::Half {
                self.move_to(x, y, next);
                self.write(&next[x], x, y);
            }
            x += 1;
        }
    }

    /// Goes there: over a few cells that stay as they are by writing them again.
    fn move_to(&mut self, x: usize, y: u16, row: &[Shape]) {
        if let Some((from, at_y)) = self.at
            && at_y == y
            && (from..=from + GAP).contains(&x)
            && row[from..x]
                .iter()
                .all(|cell| cell.look == self.look && cell.is_certain(self.narrow))
        {
            for cell in &row[from..x] {
                self.bytes.extend(cell.text().unwrap_or_default().as_bytes());
            }
            self.at = Some((x, y));
            return;
        }
        if self.at != Some((x, y)) {
            self.place(x, y);
        }
    }

    fn place(&mut self, x: usize, y: u16) {
        self.bytes.extend(format!("\x1b[{};{}H", u32::from(y) + 1, x + 1).as_bytes());
        self.at = Some((x, y));
    }

    fn write(&mut self, cell: &Shape, x: usize, y: u16) {
        let Shown::Text(text, width) = &cell.shown else { return };
        self.look_like(cell.look);
        if cell.may_be_narrower() {
            // What was in its other cells would stay there.
            self.bytes.extend(std::iter::repeat_n(b' ', usize::from(*width)));
            self.place(x, y);
        }
        self.bytes.extend(text.as_bytes());
        let certain = cell.is_certain(self.narrow);
        self.at = certain.then_some((x + usize::from(*width), y));
    }

    fn look_like(&mut self, look: Look) {
        if look == self.look {
            return;
        }
        self.bytes.extend(b"\x1b[");
        let codes = codes(look);
        if !codes.is_empty() {
            // From nothing to something; otherwise all is taken back first.
            if self.look != Look::default() {
                self.bytes.extend(b"0;");
            }
            self.bytes.extend(codes.join(";").as_bytes());
        }
        self.bytes.push(b'm');
        self.look = look;
    }

    /// Places the cursor last, and only where a text is written.
    fn finish(mut self, before: Option<(u16, u16)>, cursor: Option<(u16, u16)>) -> Vec<u8> {
        if self.bytes.is_empty() && before == cursor {
            return self.bytes;
        }
        self.look_like(Look::default());
        let mut bytes = Vec::with_capacity(self.bytes.len() + 24);
        if before.is_some() && (cursor.is_none() || !self.bytes.is_empty()) {
            bytes.extend(b"\x1b[?25l");
        }
        let hidden = before.is_none() || !bytes.is_empty();
        if let Some((x, y)) = cursor {
            self.place(x.into(), y);
            if hidden {
                self.bytes.extend(b"\x1b[?25h");
            }
        }
        bytes.append(&mut self.bytes);
        bytes
    }
}

/// From where on a row is blank, if that is worth erasing.
fn erased_from(row: &[Shape]) -> Option<usize> {
    let blank = Shape::blank();
    let end = row.iter().rposition(|cell| *cell != blank).map_or(0, |last| last + 1);
    (row.len() - end >= ERASED).then_some(end)
}

fn codes(look: Look) -> Vec<String> {
    const MODIFIERS: [(Modifier, u8); 7] = [
        (Modifier::BOLD, 1),
        (Modifier::DIM, 2),
        (Modifier::ITALIC, 3),
        (Modifier::UNDERLINED, 4),
        (Modifier::SLOW_BLINK, 5),
        (Modifier::REVERSED, 7),
        (Modifier::CROSSED_OUT, 9),
    ];
    let mut codes: Vec<String> = MODIFIERS
        .iter()
        .filter(|(modifier, _)| look.modifier.contains(*modifier))
        .map(|(_, code)| code.to_string())
        .collect();
    codes.extend(color(look.fg, 30));
    codes.extend(color(look.bg, 40));
    codes
}

fn color(color: Color, base: u8) -> Option<String> {
    let number = match color {
        Color::Reset => return None,
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 60,
        Color::LightRed => 61,
        Color::LightGreen => 62,
        Color::LightYellow => 63,
        Color::LightBlue => 64,
        Color::LightMagenta => 65,
        Color::LightCyan => 66,
        Color::White => 67,
        Color::Indexed(index) => return Some(format!("{};5;{index}", base + 8)),
        Color::Rgb(red, green, blue) => {
            return Some(format!("{};2;{red};{green};{blue}", base + 8));
        }
    };
    Some((base + number).to_string())
}
