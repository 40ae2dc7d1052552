//! One screen as text, for scripts and for bug reports: no terminal is needed.

use std::time::{Duration, Instant};

use super::{
    connection::Link,
    options::Options,
    start::{initial, now},
};
use crate::{
    app::{App, Msg, update},
    model::{Effect, Model, Reach},
    screen,
};

/// How long the daemon has to answer everything that the screen needs.
const PATIENCE: Duration = Duration::from_secs(10);

/// The screen at this size, once everything on it is loaded: lines without colours.
pub fn dump(options: &Options, size: (u16, u16)) -> Vec<String> {
    let (mut app, _) = initial(options, size);
    let (told, heard) = std::sync::mpsc::channel();
    let link = Link::start(options.clone(), move |msg| drop(told.send(msg)));
    let until = Instant::now() + PATIENCE;
    let mut open = 0_usize;
    while !is_whole(&app.model, open) {
        let Ok(msg) = heard.recv_timeout(until.saturating_duration_since(Instant::now())) else {
            break;
        };
        open = open.saturating_sub(usize::from(matches!(msg, Msg::Answer(..))));
        for effect in update(&mut app, now(), msg) {
            match effect {
                Effect::Ask(request) => {
                    open += 1;
                    link.ask(request);
                }
                Effect::Fetch(after) => link.fetch(after),
                Effect::Follow(run) => link.follow(run),
                _ => {}
            }
        }
    }
    lines(&app)
}

/// Whether nothing that the screen shows is on its way.
fn is_whole(model: &Model, open: usize) -> bool {
    match model.connection.reach {
        Reach::Looking => false,
        Reach::Nobody { is_starting, .. } => !is_starting,
        Reach::Found => model.is_live() && open == 0,
    }
}

/// A drawn screen as lines, each as wide as the screen.
pub fn lines(app: &App) -> Vec<String> {
    let frame = screen::draw(app);
    let area = frame.buffer.area;
    let line =
        |y: u16| -> String { (0..area.width).map(|x| frame.buffer[(x, y)].symbol()).collect() };
    (0..area.height).map(line).collect()
}
