//! Every screen as it is: held against the design once, and from then on against itself.

use ratatui_core::{
    buffer::{Buffer, Cell},
    style::{Color, Modifier},
};
use unicode_width::UnicodeWidthStr as _;

use super::{
    gallery::{self, Screen},
    story::Story,
};
use crate::{event_loop::dump, screen};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

/// Screens whose styles are held against what they were as well.
const STYLED: [&str; 9] = [
    "board",
    "channel",
    "completing",
    "disconnected",
    "documents-compared",
    "menu",
    "run",
    "run-that-failed",
    "tree",
];

fn held(name: &str, shown: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../screens");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, shown));
}

/// The screen as text, and where the caret is.
fn text(story: &Story) -> String {
    let lines = dump::lines(&story.app);
    let mut lines: Vec<String> = lines.iter().map(|line| line.trim_end().to_owned()).collect();
    if let Some((x, y)) = screen::draw(&story.app).caret {
        lines.push(format!("caret in column {x} of row {y}"));
    }
    lines.join("\n")
}

/// What is not plain, row by row: `12 red,bold[✗] dim[│]`.
fn styles(buffer: &Buffer) -> String {
    let area = buffer.area;
    let rows = (0..area.height).filter_map(|y| {
        let cells: Vec<&Cell> = (0..area.width).map(|x| &buffer[(x, y)]).collect();
        let runs = cells.chunk_by(|one, other| style(one) == style(other));
        let named = runs.filter_map(|run| {
            let text: String = run.iter().map(|cell| cell.symbol()).collect();
            let name = style(run[0]);
            (!name.is_empty()).then(|| format!("{name}[{text}]"))
        });
        let named: Vec<String> = named.collect();
        (!named.is_empty()).then(|| format!("{y:2} {}", named.join(" ")))
    });
    rows.collect::<Vec<_>>().join("\n")
}

fn style(cell: &Cell) -> String {
    let mut words: Vec<String> = Vec::new();
    if cell.fg != Color::Reset {
        words.push(cell.fg.to_string().to_lowercase());
    }
    for (modifier, word) in [
        (Modifier::BOLD, "bold"),
        (Modifier::DIM, "dim"),
        (Modifier::ITALIC, "italic"),
        (Modifier::UNDERLINED, "underlined"),
        (Modifier::REVERSED, "reversed"),
    ] {
        if cell.modifier.contains(modifier) {
            words.push(word.to_owned());
        }
    }
    words.join(",")
}

#[test]
fn b_2_every_screen_is_what_it_was() {
    for (name, make) in gallery::screens() {
        for size in SIZES {
            let story = make(size);
            for line in dump::lines(&story.app) {
                assert_eq!(line.width(), usize::from(size.0), "{name} {size:?}: {line:?}");
            }
            held(&format!("{name}-{}x{}", size.0, size.1), &text(&story));
        }
    }
    held("too-small-52x12", &text(&channel()((52, 12))));
}

fn channel() -> fn((u16, u16)) -> Story {
    let (_, make): Screen = gallery::PANES[0];
    make
}

#[test]
fn b_2_every_style_is_what_it_was() {
    for (name, make) in gallery::screens().filter(|(name, _)| STYLED.contains(name)) {
        let story = make((80, 24));
        held(&format!("{name}-styles"), &styles(&screen::draw(&story.app).buffer));
    }
}
