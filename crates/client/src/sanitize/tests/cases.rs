use super::*;

const ATTACKS: &[(&str, &str)] = &[
    // what is wanted stays
    ("naïve 日本語 👍🏽 ❤\u{fe0f} 1\u{fe0f}\u{20e3}", "naïve 日本語 👍🏽 ❤\u{fe0f} 1\u{fe0f}\u{20e3}"),
    ("👩\u{200d}👩\u{200d}👧 👩\u{200d}⚕\u{fe0f}", "👩\u{200d}👩\u{200d}👧 👩\u{200d}⚕\u{fe0f}"),
    // line ends and tabs
    ("a\r\nb\rc\n\u{85}d\u{2028}e\u{2029}f", "a\nb\nc\n\nd\ne\nf"),
    ("10%\r20%\r\r\n", "10%\n20%\n\n"),
    ("a\tb", "a    b"),
    // colours, and what greps write between them
    ("\u{1b}[31mred\u{1b}[0m \u{1b}[01;31m\u{1b}[Kmatch\u{1b}[m\u{1b}[K", "red match"),
    ("\u{9b}31mred\u{9b}m", "red"),
    // sequences that act
    ("a\u{1b}[2J\u{1b}[Hb", "a⟦esc⟧b"),
    ("a\u{1b}[2J b\u{1b}[H", "a⟦esc⟧ b⟦esc⟧"),
    ("\u{9b}6n", "⟦esc⟧"),
    ("a\u{1b}cb\u{1b}7\u{1b}(0lqk\u{1b}#8", "a⟦esc⟧b⟦esc⟧lqk⟦esc⟧"),
    ("\u{1b}[?1049h\u{1b}[?2004h\u{1b}[>4;2m\u{1b}[!p", "⟦esc⟧"),
    // strings: title, clipboard, link, sixel, whatever a multiplexer passes on
    ("a\u{1b}]0;owned\u{7}b", "a⟦esc⟧b"),
    ("a\u{1b}]52;c;cm0gLXJm\u{1b}\\b", "a⟦esc⟧b"),
    (
        "\u{1b}]8;;http://evil.example\u{1b}\\bank.example\u{1b}]8;;\u{1b}\\",
        "⟦esc⟧bank.example⟦esc⟧",
    ),
    ("a\u{1b}Pq#0;2;0;0;0\n#0~~\u{1b}\\b", "a⟦esc⟧b"),
    ("a\u{1b}Ptmux;\u{1b}\u{1b}]52;c;eA==\u{7}\u{1b}\\b", "a⟦esc⟧b"),
    ("a\u{1b}_Gf=100;AAAA\u{1b}\\b\u{1b}^pm\u{1b}\\c\u{1b}Xsos\u{1b}\\d", "a⟦esc⟧b⟦esc⟧c⟦esc⟧d"),
    (
        "a\u{9d}0;owned\u{9c}b\u{90}x\u{9c}c\u{98}x\u{9c}d\u{9e}x\u{9c}e\u{9f}x\u{9c}f",
        "a⟦esc⟧b⟦esc⟧c⟦esc⟧d⟦esc⟧e⟦esc⟧f",
    ),
    // broken off: by the end, by a line, by another sequence, by a cancel
    ("a\u{1b}", "a⟦esc⟧"),
    ("a\u{1b}[", "a⟦esc⟧"),
    ("a\u{1b}[31", "a⟦esc⟧"),
    ("a\u{1b}[3\n1mb", "a⟦esc⟧\n1mb"),
    ("a\u{1b}]0;owned", "a⟦esc⟧"),
    ("a\u{1b}]0;owned\nb", "a⟦esc⟧\nb"),
    ("a\u{9d}0;owned\nb", "a⟦esc⟧\nb"),
    ("a\u{1b}]0;x\u{1b}[31mb", "a⟦esc⟧b"),
    ("a\u{1b}]0;x\u{18}b\u{1b}Px\u{1a}c", "a⟦esc⟧b⟦esc⟧c"),
    ("a\u{1b}\u{1b}[31mb", "a⟦esc⟧b"),
    ("a\u{1b}é", "a⟦esc⟧é"),
    // other controls
    ("a\u{7}b\u{8}c\u{7f}d\0e\u{b}f\u{c}g", "a^Gb^Hc^?d^@e^Kf^Lg"),
    ("a\u{84}b\u{8e}c\u{9c}d", "a\u{fffd}b\u{fffd}c\u{fffd}d"),
    // Trojan source: bidi
    ("if admin\u{202e} \u{2066}// check\u{2069} \u{2066}", "if admin // check "),
    ("\u{200e}a\u{200f}b\u{61c}c\u{202a}d\u{202c}", "abcd"),
    // words that look like other words
    ("pass\u{200b}word\u{ad}s\u{2060}x\u{feff}y\u{200c}z\u{180e}", "passwordsxyz"),
    ("a\u{200d}b 👩\u{200d}x \u{200d}👧", "ab 👩x 👧"),
    ("\u{3164}user\u{115f}\u{1160}\u{ffa0}", "user"),
    // text for machines only
    ("hi\u{e0001}\u{e0069}\u{e0067}\u{e006e}\u{e007f}!", "hi!"),
    ("a\u{fe0f}\u{fe0f}\u{fe0e}\u{fe01}\u{e0101}\u{e01ef}b", "a\u{fe0f}b"),
    // private use characters and noncharacters
    ("\u{e000}\u{f8ff}\u{f0000}\u{10fffd}", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
    ("\u{fdd0}\u{fffe}\u{ffff}\u{1fffe}\u{10ffff}", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
    // towers of marks, and marks on nothing
    ("e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}!", "e\u{301}\u{302}\u{303}\u{304}!"),
    ("\u{301}a\n\u{20dd}b", "◌\u{301}a\n◌\u{20dd}b"),
];

#[test]
fn attacks_do_nothing() {
    for (raw, clean) in ATTACKS {
        assert_eq!(Sanitized::text(raw).as_str(), *clean, "{raw:?}");
    }
}

#[test]
fn a_single_line_shows_where_it_was_broken() {
    for (raw, clean) in [
        ("a\nb\r\n\r\nc", "a ⏎ b ⏎ c"),
        ("\n\na\n", "a"),
        ("a\tb\u{2028}c\u{85}d", "a b c d"),
        ("a\n\u{1b}[2Jb", "a ⏎ ⟦esc⟧b"),
        ("a\u{1b}[H\n\u{1b}[2Jb", "a⟦esc⟧ ⏎ ⟦esc⟧b"),
        ("a\n\u{301}", "a ⏎ ◌\u{301}"),
        ("a\n\u{200b}\n", "a"),
        ("\n", ""),
    ] {
        assert_eq!(Sanitized::line(raw).as_str(), clean, "{raw:?}");
    }
}

#[test]
fn what_was_hidden_is_counted() {
    assert_eq!(Sanitized::line("\u{1b}[31mred\u{1b}[m\ttab\n").hidden(), 0);
    assert_eq!(Sanitized::line("a\u{200b}b\u{202e}c\u{1b}[H\u{1b}[2J").hidden(), 4);
}

#[test]
fn width_counts_cells() {
    for (raw, width) in [("", 0), ("abc", 3), ("日本", 4), ("e\u{301}", 1), ("ab\n日本語\nc", 6)]
    {
        assert_eq!(Sanitized::text(raw).width(), width, "{raw:?}");
    }
}

#[test]
fn a_cut_halves_no_character() {
    for (raw, width, cut) in [
        ("abcdef", 6, "abcdef"),
        ("abcdef", 4, "abc…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
        ("👩\u{200d}👩\u{200d}👧x", 2, "…"),
        ("👩\u{200d}👩\u{200d}👧x", 3, "👩\u{200d}👩\u{200d}👧x"),
        ("abc", 1, "…"),
        ("abc", 0, ""),
        ("abcdef\nab", 3, "ab…\nab"),
    ] {
        assert_eq!(Sanitized::text(raw).truncate(width).as_str(), cut, "{raw:?} {width}");
    }
}

#[test]
fn a_text_made_to_be_slow_is_as_fast_as_others() {
    let began = std::time::Instant::now();
    for part in [
        "\u{9d}\n",
        "\u{1b}]",
        "\u{9d}",
        "\u{1b}[1;",
        "\u{9d}x\u{7}",
        "\u{1b}(",
        "a\u{301}",
        "\n\u{9d}\u{1b}x",
    ] {
        let raw = part.repeat(200_000);
        assert!(Sanitized::line(&raw).as_str().len() <= 8 * raw.len());
    }
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}
