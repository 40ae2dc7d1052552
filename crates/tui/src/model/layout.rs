//! Which part of the screen is whose: a function of its size and of what is to be shown; and an
//! empty screen of that size to paint on.

use ratatui_core::{buffer::Buffer, layout::Rect};

use super::{Display, Effect, Focus, Model, Tab, writing::composer};
use crate::paint::{Painter, Spots};

/// The smallest screen that anything fits on.
pub const SMALLEST: (u16, u16) = (60, 15);

/// Columns from which the side panel has room beside the others.
pub const DOCK_FROM: u16 = 109;

/// Rows of the strip that says what all agents do, with the rule above it: always as many, so that
/// the text above stays where it is.
const STRIP: u16 = 5;

/// How wide the screen is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Only one message fits.
    TooSmall,
    /// Tree and main pane.
    Small,
    /// The same with more room.
    Middle,
    /// A side panel as well.
    Large,
}

/// The parts of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Regions {
    /// How wide it is
    pub class: Class,
    pub status: Rect,
    pub tabs: Rect,
    pub nav: Option<Rect>,
    /// The main pane, without the rule beside it
    pub main: Rect,
    /// The side panel, without the rule beside it
    pub dock: Option<Rect>,
    /// What all agents do, below the main pane
    pub strip: Option<Rect>,
    /// Where is written and asked
    pub line: Rect,
    pub footer: Rect,
}

/// How wide a screen of this size is.
pub fn class((width, height): (u16, u16)) -> Class {
    match width {
        _ if width < SMALLEST.0 || height < SMALLEST.1 => Class::TooSmall,
        ..100 => Class::Small,
        100..160 => Class::Middle,
        _ => Class::Large,
    }
}

impl Display {
    /// Whether only what the smallest screen says is seen.
    pub fn is_too_small(&self) -> bool {
        class(self.size) == Class::TooSmall
    }

    /// Takes the mouse where it is wanted: a pane alone on the screen leaves it to the terminal.
    pub fn mouse(&self) -> Effect {
        Effect::Mouse(!self.is_zoomed && self.has_mouse)
    }

    /// What `draw` gives, the screen it drew on, which was empty, and what a click there means.
    pub fn painted<T>(&self, draw: impl FnOnce(&mut Painter<'_>, Rect) -> T) -> (T, Buffer, Spots) {
        let area = Rect::new(0, 0, self.size.0, self.size.1);
        let mut buffer = Buffer::empty(area);
        let mut painter = Painter::new(&mut buffer, self.look.theme, self.look.symbols);
        let given = draw(&mut painter, area);
        let Painter { spots, .. } = painter;
        (given, buffer, spots)
    }
}

/// The parts of the screen as it is now.
pub fn regions(model: &Model) -> Regions {
    let (width, height) = model.display.size;
    let class = class(model.display.size);
    let lines = if model.writing.composer.is_open {
        composer::open_height(model).min(height / 2)
    } else {
        composer::height(model)
    };
    let footer = Rect::new(0, height.saturating_sub(1), width, 1.min(height));
    let line = Rect::new(0, height.saturating_sub(1 + lines), width, lines.min(height));
    let body = Rect::new(0, 2.min(height), width, line.y.saturating_sub(2));
    let mut regions = Regions {
        class,
        status: Rect::new(0, 0, width, 1.min(height)),
        tabs: Rect::new(0, 1.min(height), width, 1.min(height)),
        nav: None,
        main: body,
        dock: None,
        strip: None,
        line,
        footer,
    };
    if model.display.is_zoomed {
        return zoomed(model, regions, body);
    }
    split(model, &mut regions, body);
    regions
}

fn zoomed(model: &Model, regions: Regions, body: Rect) -> Regions {
    let main = Rect { width: 0, ..body };
    match model.selection.focus {
        Focus::Nav => Regions { nav: Some(body), main, ..regions },
        Focus::Main => regions,
        Focus::Dock => Regions { dock: Some(body), main, ..regions },
    }
}

fn split(model: &Model, regions: &mut Regions, body: Rect) {
    let nav = match regions.class {
        Class::TooSmall => 0,
        Class::Small => 22,
        Class::Middle => 28,
        Class::Large => 30,
    };
    let dock = match (regions.class, model.display.dock) {
        (Class::Middle, Some(true)) => 40,
        (Class::Large, Some(true)) => 62,
        (Class::Large, None) if has_dock(model.place.tab) && !model.display.is_comparing => 62,
        _ => 0,
    };
    regions.nav = (nav > 0).then_some(Rect { width: nav, ..body });
    let mut main = Rect { x: body.x + nav, width: body.width.saturating_sub(nav), ..body };
    if dock > 0 && main.width > dock + 40 {
        main.width -= dock + 1;
        regions.dock = Some(Rect { x: main.right() + 2, width: dock - 1, ..body });
    }
    // The rule between tree and main pane, and a space behind it.
    main.x += 2;
    main.width = main.width.saturating_sub(2);
    let strip = strip_height(model, regions.class, model.display.size.1);
    if strip > 0 && main.height > strip + 8 {
        main.height -= strip;
        regions.strip = Some(Rect { y: main.bottom(), height: strip, ..main });
    }
    regions.main = main;
}

/// Whether the side panel is there by itself: tables take the whole screen.
fn has_dock(tab: Tab) -> bool {
    matches!(tab, Tab::Channel | Tab::Messages | Tab::Documents | Tab::Run | Tab::Prompt)
}

/// The strip is for channels on screens that have the rows for it.
fn strip_height(model: &Model, class: Class, height: u16) -> u16 {
    let is_talk = matches!(model.place.tab, Tab::Channel | Tab::Messages);
    if class < Class::Middle || height < 30 || !is_talk {
        return 0;
    }
    STRIP
}

/// Rows of the conversation on the screen.
pub fn channel_height(model: &Model) -> usize {
    usize::from(regions(model).main.height)
}

/// Columns of the conversation on the screen.
pub fn channel_width(model: &Model) -> usize {
    usize::from(regions(model).main.width)
}

/// Columns of a text in the pager.
pub fn pager_width(model: &Model) -> usize {
    usize::from(model.display.size.0.saturating_sub(2)).max(1)
}
