//! What text looks like: roles have meanings, a theme gives them attributes and colours. Nothing
//! outside this file names a colour.

use ratatui_core::style::{Color, Modifier, Style};

/// What a piece of text is to the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Role {
    #[default]
    Text,
    Dim,
    Title,
    /// What has focus; keys.
    Accent,
    Link,
    /// The selected row, a badge, a banner.
    Selected,
    Running,
    Ok,
    /// Queued, or trying again later.
    Wait,
    Asks,
    Failed,
    Stopped,
    /// Not known to be so any more.
    Stale,
    /// The person is named.
    Named,
    /// An agent is named.
    Strong,
    Added,
    Removed,
    /// What was searched for.
    Match,
    /// A member's name, in one of [`HUES`] colours.
    Hue(u8),
}

/// How many colours names have.
pub const HUES: u8 = 6;

#[cfg(test)]
pub const ROLES: [Role; 19] = [
    Role::Text,
    Role::Dim,
    Role::Title,
    Role::Accent,
    Role::Link,
    Role::Selected,
    Role::Running,
    Role::Ok,
    Role::Wait,
    Role::Asks,
    Role::Failed,
    Role::Stopped,
    Role::Stale,
    Role::Named,
    Role::Strong,
    Role::Added,
    Role::Removed,
    Role::Match,
    Role::Hue(0),
];

/// Which colours there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
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
}

/// A palette, on a background.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Theme {
    pub palette: Palette,
    /// Whether the terminal said that its background is light
    pub on_light: bool,
}

impl Theme {
    /// Takes the palette after this one; gives its name.
    pub fn turn(&mut self) -> &'static str {
        let (palette, name) = match self.palette {
            Palette::Ansi16 => (Palette::Dark, "dark"),
            Palette::Dark => (Palette::Light, "light"),
            Palette::Light => (Palette::Mono, "mono"),
            Palette::Mono => (Palette::Ansi16, "ansi16"),
        };
        self.palette = palette;
        name
    }

    /// What text of this role looks like.
    pub fn style(self, role: Role) -> Style {
        let plain = Style::new().add_modifier(attributes(role));
        match self.palette {
            Palette::Mono => plain,
            Palette::Ansi16 => match ansi(role, self.on_light) {
                Some(color) => plain.fg(color),
                None => plain,
            },
            Palette::Dark => fixed(plain, role, 0),
            Palette::Light => fixed(plain, role, 1),
        }
    }
}

/// What is true in every theme, so that nothing is told by a colour alone.
fn attributes(role: Role) -> Modifier {
    match role {
        Role::Title | Role::Asks | Role::Failed | Role::Strong => Modifier::BOLD,
        Role::Dim | Role::Stopped => Modifier::DIM,
        Role::Stale => Modifier::DIM.union(Modifier::ITALIC),
        Role::Link => Modifier::UNDERLINED,
        Role::Selected | Role::Named | Role::Match => Modifier::REVERSED,
        _ => Modifier::empty(),
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

/// Colour of each role on a dark and on a light background; none is the terminal's own.
const FIXED: [(Role, u32, u32); 12] = [
    (Role::Dim, 0x8b_94_9e, 0x57_60_6a),
    (Role::Accent, 0x56_b6_c2, 0x0b_72_85),
    (Role::Link, 0x56_b6_c2, 0x0b_72_85),
    (Role::Running, 0x6c_b6_ff, 0x05_50_ae),
    (Role::Ok, 0x7e_e7_87, 0x11_63_29),
    (Role::Wait, 0xe3_b3_41, 0x8a_5a_00),
    (Role::Asks, 0xd2_a8_ff, 0x66_39_ba),
    (Role::Failed, 0xff_7b_72, 0xa4_0e_26),
    (Role::Stopped, 0x8b_94_9e, 0x57_60_6a),
    (Role::Stale, 0x8b_94_9e, 0x57_60_6a),
    (Role::Added, 0x7e_e7_87, 0x11_63_29),
    (Role::Removed, 0xff_7b_72, 0xa4_0e_26),
];

/// Colours of names on a dark and on a light background.
const FIXED_HUES: [(u32, u32); HUES as usize] = [
    (0x56_b6_c2, 0x0b_72_85),
    (0x6c_b6_ff, 0x05_50_ae),
    (0xd2_a8_ff, 0x66_39_ba),
    (0x7e_e7_87, 0x11_63_29),
    (0xe3_b3_41, 0x8a_5a_00),
    (0x9e_cb_ff, 0x1b_4f_8f),
];

fn fixed(plain: Style, role: Role, side: usize) -> Style {
    let pick = |dark: u32, light: u32| Color::from_u32([dark, light][side]);
    if let Role::Hue(hue) = role {
        let (dark, light) = FIXED_HUES[usize::from(hue % HUES)];
        return plain.fg(pick(dark, light));
    }
    // Fixed colours take the place of dim, which would make them darker than they were chosen.
    let plain = if matches!(role, Role::Dim | Role::Stopped | Role::Stale) {
        plain.remove_modifier(Modifier::DIM)
    } else {
        plain
    };
    match FIXED.iter().find(|(known, ..)| *known == role) {
        Some((_, dark, light)) => plain.fg(pick(*dark, *light)),
        None => plain,
    }
}

/// The colour of a member's name: the same in every scope and session (FNV-1a, 32 bits).
pub fn hue(name: &str) -> Role {
    let hash = name
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    Role::Hue(u8::try_from(hash % u32::from(HUES)).unwrap_or(0))
}

#[cfg(test)]
#[path = "tests/theme.rs"]
mod tests;
