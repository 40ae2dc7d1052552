//! The themes, and the colours that a terminal can show of them.

use ratatui_core::{
    buffer::Buffer,
    style::{Color, Modifier, Style},
};

use super::{
    fixed::{DARK, DAY, Fixed, LIGHT, NIGHT, nearest},
    role::{HUES, Role, attributes},
};

/// Which colours there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Palette {
    /// None: bold, dim, reverse and underline alone.
    Mono,
    /// The terminal's own sixteen, on any background.
    #[default]
    Ansi16,
    /// Fixed colours for a dark background.
    Dark,
    /// Fixed colours for a light one.
    Light,
    /// Fixed colours on a dark background of its own.
    Night,
    /// Fixed colours on a light background of its own.
    Day,
}

/// How many colours a terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Depth {
    /// Fewer than 256: fixed colours are not shown.
    #[default]
    Few,
    /// 256; the last 240 are the same on every terminal.
    Indexed,
    /// 24 bits.
    True,
}

/// A palette, on a background.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Theme {
    pub palette: Palette,
    pub depth: Depth,
    /// Whether the terminal said that its background is light
    pub on_light: bool,
}

impl Theme {
    /// Takes the palette after this one; gives its name.
    pub fn turn(&mut self) -> &'static str {
        let (palette, name) = match self.palette {
            Palette::Ansi16 => (Palette::Dark, "dark"),
            Palette::Dark => (Palette::Light, "light"),
            Palette::Light => (Palette::Night, "night"),
            Palette::Night => (Palette::Day, "day"),
            Palette::Day => (Palette::Mono, "mono"),
            Palette::Mono => (Palette::Ansi16, "ansi16"),
        };
        self.palette = palette;
        name
    }

    /// Whether the terminal shows its colours: those of a fixed palette need 256.
    pub fn is_shown(self) -> bool {
        self.depth > Depth::Few || matches!(self.palette, Palette::Mono | Palette::Ansi16)
    }

    /// What text of this role looks like.
    pub fn style(self, role: Role) -> Style {
        let plain = Style::new().add_modifier(attributes(role));
        match self.fixed() {
            Some(fixed) => self.shown(fixed.style(plain, role)),
            None if self.palette == Palette::Mono => plain,
            None => match ansi(role, self.on_light) {
                Some(color) => plain.fg(color),
                None => plain,
            },
        }
    }

    /// Gives what has no colour yet the theme's own, if it has a background of its own.
    pub fn ground(self, buffer: &mut Buffer) {
        let Some((text, back)) = self.fixed().and_then(|fixed| fixed.ground) else { return };
        let style = self.shown(Style::new().fg(Color::from_u32(text)).bg(Color::from_u32(back)));
        for cell in &mut buffer.content {
            if cell.fg == Color::Reset {
                cell.fg = style.fg.unwrap_or_default();
            }
            if cell.bg == Color::Reset {
                cell.bg = style.bg.unwrap_or_default();
            }
        }
    }

    fn fixed(self) -> Option<&'static Fixed> {
        if self.depth == Depth::Few {
            return None;
        }
        match self.palette {
            Palette::Mono | Palette::Ansi16 => None,
            Palette::Dark => Some(&DARK),
            Palette::Light => Some(&LIGHT),
            Palette::Night => Some(&NIGHT),
            Palette::Day => Some(&DAY),
        }
    }

    /// The style in the colours that the terminal shows.
    fn shown(self, style: Style) -> Style {
        let reduce = |color: Color| match color {
            Color::Rgb(red, green, blue) if self.depth == Depth::Indexed => {
                Color::Indexed(nearest([red, green, blue]))
            }
            other => other,
        };
        Style { fg: style.fg.map(reduce), bg: style.bg.map(reduce), ..style }
    }
}

impl Fixed {
    fn style(&self, plain: Style, role: Role) -> Style {
        let color = self.of(role);
        let style = match role {
            // Fixed colours take the place of dim, which would make them darker than they were
            // chosen.
            Role::Dim | Role::Stopped | Role::Stale => {
                Style { add_modifier: plain.add_modifier - Modifier::DIM, ..plain }
            }
            _ => plain,
        };
        match (role, self.ground) {
            (Role::Selected | Role::Named | Role::Match, Some((text, _))) => {
                let style =
                    Style { add_modifier: style.add_modifier - Modifier::REVERSED, ..style };
                let style = style.fg(Color::from_u32(text));
                color.map_or(style, |color| style.bg(Color::from_u32(color)))
            }
            _ => color.map_or(style, |color| style.fg(Color::from_u32(color))),
        }
    }
}

/// Black, white and bright black are on no list: each vanishes on some background.
fn ansi(role: Role, on_light: bool) -> Option<Color> {
    const NAMES: [Color; HUES as usize] =
        [Color::Cyan, Color::Blue, Color::Magenta, Color::Green, Color::Yellow, Color::LightBlue];
    Some(match role {
        Role::Accent | Role::Link => Color::Cyan,
        Role::Running => Color::Blue,
        Role::Ok | Role::Added => Color::Green,
        Role::Wait if on_light => Color::Magenta,
        Role::Wait => Color::Yellow,
        Role::Asks => Color::Magenta,
        Role::Failed | Role::Removed => Color::Red,
        Role::Hue(hue) => NAMES[usize::from(hue % HUES)],
        _ => return None,
    })
}
