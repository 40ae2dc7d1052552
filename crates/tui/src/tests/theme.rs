use super::*;

fn luminance(color: Color) -> f64 {
    let Color::Rgb(r, g, b) = color else { panic!("{color:?} is no fixed colour") };
    let part = |part: u8| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b)
}

fn contrast(one: f64, other: f64) -> f64 {
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn roles() -> impl Iterator<Item = Role> {
    ROLES.into_iter().chain((0..HUES).map(Role::Hue))
}

#[test]
fn b_10_fixed_colours_can_be_read_on_their_background() {
    for (palette, back) in
        [(Palette::Dark, Color::Rgb(0x0d, 0x11, 0x17)), (Palette::Light, Color::Rgb(255, 255, 255))]
    {
        for role in roles() {
            let style = Theme { palette, on_light: false }.style(role);
            if let Some(color) = style.fg {
                assert!(contrast(luminance(color), luminance(back)) >= 4.5, "{role:?} {color:?}");
            }
        }
    }
}

#[test]
fn b_10_sixteen_colours_are_never_ones_that_vanish() {
    for on_light in [false, true] {
        for role in roles() {
            let style = Theme { palette: Palette::Ansi16, on_light }.style(role);
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
        let style = Theme { palette: Palette::Mono, on_light: false }.style(role);
        assert_eq!((style.fg, style.bg), (None, None), "{role:?}");
    }
}

#[test]
fn a_name_has_one_colour() {
    assert_eq!(hue("coder"), hue("coder"));
    let hues: std::collections::HashSet<_> =
        ["coder", "reviewer", "tester", "scout", "editor", "alice"].map(hue).into();
    assert!(hues.len() > 1);
}
