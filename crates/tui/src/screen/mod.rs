//! The screen, drawn from the state. It changes nothing and knows no clock.

pub mod composer;
mod footer;
mod screens;
mod status;
pub mod strip;
pub mod tabs;
pub mod tree;

use ratatui_core::{buffer::Buffer, layout::Rect};

use crate::model::layout::{self, Class};
use crate::{
    model::{Reach, State, place::Tab, refusal},
    paint::Painter,
    theme::Role,
};
#[cfg(test)]
pub use footer::row as footer_row;

/// A drawn screen.
#[derive(Debug)]
pub struct Frame {
    /// Its cells
    pub buffer: Buffer,
    /// Where the caret is; none: hidden
    pub caret: Option<(u16, u16)>,
}

/// Draws the whole screen.
pub fn draw(state: &State) -> Frame {
    let area = Rect::new(0, 0, state.size.0, state.size.1);
    let mut buffer = Buffer::empty(area);
    let mut painter =
        Painter { buffer: &mut buffer, theme: state.look.theme, symbols: state.look.symbols };
    let caret = paint(state, &mut painter, area);
    Frame { buffer, caret }
}

fn paint(state: &State, painter: &mut Painter<'_>, area: Rect) -> Option<(u16, u16)> {
    let regions = layout::regions(state);
    if regions.class == Class::TooSmall {
        screens::too_small(state, painter, area);
        return None;
    }
    status::draw(state, painter, regions.status);
    if let (Reach::Nobody { .. }, false) = (&state.reach, state.has_picture()) {
        screens::no_daemon(state, painter, area);
        footer::draw(state, painter, regions.footer);
        return overlays(state, painter, area);
    }
    if let (Some(error), false) = (refusal::of(state), state.has_picture()) {
        screens::refused(state, painter, area, error);
        footer::draw(state, painter, regions.footer);
        return overlays(state, painter, area);
    }
    panes(state, painter, &regions);
    let caret = composer::draw(state, painter, regions.line);
    footer::draw(state, painter, regions.footer);
    overlays(state, painter, area).or(caret.filter(|_| state.overlays.is_empty()))
}

fn panes(state: &State, painter: &mut Painter<'_>, regions: &layout::Regions) {
    tabs::draw(state, painter, regions.tabs);
    if let Some(area) = regions.nav {
        tree::draw(state, painter, area);
        if regions.main.width > 0 {
            painter.divider(Rect { x: area.right(), width: 1, ..area });
        }
    }
    if regions.main.width > 0 {
        if state.is_empty() && matches!(state.place.subject, crate::model::place::Subject::All) {
            screens::empty(state, painter, regions.main);
        } else {
            crate::panes::draw(state, painter, regions.main);
        }
    }
    if let Some(area) = regions.strip {
        strip::draw(state, painter, area);
    }
    if let Some(area) = regions.dock {
        if !state.is_zoomed {
            painter.divider(Rect { x: area.x - 2, width: 1, ..area });
        }
        crate::app::side_panel::draw(state, painter, area);
    }
    if !state.is_live() && state.has_picture() {
        for area in [Some(regions.main), regions.dock, regions.strip].into_iter().flatten() {
            painter.tint(area, Role::Dim);
        }
    }
}

fn overlays(state: &State, painter: &mut Painter<'_>, area: Rect) -> Option<(u16, u16)> {
    let mut caret = None;
    for overlay in &state.overlays {
        caret = overlay.draw(state, painter, area);
    }
    caret
}

/// Whether a time on the screen goes on while nothing happens.
pub fn shows_a_clock(state: &State) -> bool {
    use agent_worker_protocol::agent::AgentState;
    let is_shown = layout::class(state.size) != Class::TooSmall;
    let is_told = |agent: &agent_worker_protocol::agent::Agent| match agent.state {
        AgentState::Running | AgentState::Backoff | AgentState::Waiting => true,
        AgentState::Queued => state.place.tab == Tab::Agents,
        _ => false,
    };
    let has_open = || {
        let scope = state.place.subject.scope();
        scope.is_some_and(|scope| state.mirror().proposals_of(scope).next().is_some())
    };
    let counts_down = match state.place.tab {
        Tab::Votes => has_open(),
        Tab::Schedules => {
            crate::panes::schedules::all(state).iter().any(|schedule| schedule.next_due.is_some())
        }
        _ => false,
    };
    is_shown && (counts_down || state.mirror().agents().any(is_told))
}
