use std::collections::BTreeMap;

use ratatui_core::{
    buffer::{Buffer, Cell},
    layout::Rect,
    style::{Color, Modifier},
};

use super::{fixed::indexed, role::HUES, *};
use crate::{screen, tests::all_screens};

fn luminance([red, green, blue]: [u8; 3]) -> f64 {
    let part = |part: u8| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue)
}

fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn roles() -> impl Iterator<Item = Role> {
    ROLES.into_iter().chain((0..HUES).map(Role::Hue))
}

const FIXED: [Palette; 4] = [Palette::Dark, Palette::Light, Palette::Night, Palette::Day];

/// Text and background of terminals that themes without a ground are made for.
fn terminal(palette: Palette) -> ([u8; 3], [u8; 3]) {
    match palette {
        Palette::Light => ([0x1f, 0x23, 0x28], [255; 3]),
        _ => ([0xe6, 0xed, 0xf3], [0x0d, 0x11, 0x17]),
    }
}

fn rgb(color: Color, own: [u8; 3]) -> [u8; 3] {
    match color {
        Color::Reset => own,
        Color::Rgb(red, green, blue) => [red, green, blue],
        Color::Indexed(index) => indexed(index),
        other => panic!("{other:?} is no fixed colour"),
    }
}

/// What a cell shows, as it is seen.
fn pair(cell: &Cell, palette: Palette) -> ([u8; 3], [u8; 3]) {
    let (text, back) = terminal(palette);
    let (fg, bg) = (rgb(cell.fg, text), rgb(cell.bg, back));
    if cell.modifier.contains(Modifier::REVERSED) { (bg, fg) } else { (fg, bg) }
}

/// Lines that only divide.
fn is_decoration(symbol: &str) -> bool {
    matches!(symbol, "│" | "─" | "┌" | "┐" | "└" | "┘" | "░" | "¦")
}

#[test]
fn b_10_every_pair_of_fixed_colours_on_every_screen_can_be_read() {
    let mut bad: BTreeMap<String, String> = BTreeMap::new();
    for (name, mut story) in all_screens() {
        for palette in FIXED {
            for depth in [Depth::True, Depth::Indexed] {
                story.app.model.display.look.theme = Theme { palette, depth, on_light: false };
                for cell in screen::draw(&story.app).buffer.content() {
                    if cell.symbol().trim().is_empty() {
                        continue;
                    }
                    let (fg, bg) = pair(cell, palette);
                    let least = if is_decoration(cell.symbol()) { 3.0 } else { 4.5 };
                    let found = contrast(fg, bg);
                    if found < least || cell.modifier.contains(Modifier::DIM) {
                        let pair = format!("{palette:?} {depth:?} {fg:x?} on {bg:x?} {found:.2}");
                        bad.entry(pair).or_insert_with(|| format!("{name}: {:?}", cell.symbol()));
                    }
                }
            }
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn b_10_every_role_can_be_read_also_where_no_screen_shows_it() {
    for (palette, role) in FIXED.into_iter().flat_map(|it| roles().map(move |role| (it, role))) {
        for depth in [Depth::True, Depth::Indexed] {
            let theme = Theme { palette, depth, on_light: false };
            let mut buffer = Buffer::empty(Rect::new(0, 0, 1, 1));
            buffer.content[0].set_symbol("x").set_style(theme.style(role));
            theme.ground(&mut buffer);
            let (fg, bg) = pair(&buffer.content[0], palette);
            assert!(contrast(fg, bg) >= 4.5, "{palette:?} {depth:?} {role:?}: {fg:?} on {bg:?}");
        }
    }
}

#[test]
fn a_terminal_with_few_colours_shows_its_own_sixteen() {
    for palette in FIXED {
        for role in roles() {
            let few = Theme { palette, ..Theme::default() }.style(role);
            assert_eq!(few, Theme::default().style(role), "{palette:?} {role:?}");
        }
        let theme = Theme { palette, ..Theme::default() };
        assert!(!theme.is_shown() && Theme { depth: Depth::Indexed, ..theme }.is_shown());
    }
}

#[test]
fn with_256_colours_there_are_no_others() {
    for palette in FIXED {
        for role in roles() {
            let style = Theme { palette, depth: Depth::Indexed, on_light: false }.style(role);
            for color in [style.fg, style.bg].into_iter().flatten() {
                assert!(matches!(color, Color::Indexed(16..)), "{palette:?} {role:?} {color:?}");
            }
        }
    }
}

#[test]
fn a_colour_of_the_256_is_its_own_nearest() {
    for index in 16..=u8::MAX {
        assert_eq!(indexed(fixed::nearest(indexed(index))), indexed(index));
    }
}

#[test]
fn b_10_sixteen_colours_are_never_ones_that_vanish() {
    for on_light in [false, true] {
        for role in roles() {
            let style = Theme { on_light, ..Theme::default() }.style(role);
            let vanishing = [Color::Black, Color::White, Color::Gray, Color::DarkGray];
            assert!(style.fg.is_none_or(|color| !vanishing.contains(&color)), "{role:?}");
            assert!(!matches!(style.fg, Some(Color::Rgb(..) | Color::Indexed(_))));
            assert_eq!(style.bg, None);
        }
    }
}

#[test]
fn b_9_without_colours_there_is_none() {
    for role in roles() {
        let style = Theme { palette: Palette::Mono, ..Theme::default() }.style(role);
        assert_eq!((style.fg, style.bg), (None, None), "{role:?}");
    }
}

#[test]
fn every_theme_has_its_turn() {
    let mut theme = Theme::default();
    let names: Vec<_> = (0..6).map(|_| theme.turn()).collect();
    assert_eq!(names, ["dark", "light", "night", "day", "mono", "ansi16"]);
}

#[test]
fn a_name_has_one_colour() {
    assert_eq!(hue("coder"), hue("coder"));
    let hues: std::collections::HashSet<_> =
        ["coder", "reviewer", "tester", "scout", "editor", "alice"].map(hue).into();
    assert!(hues.len() > 1);
}
