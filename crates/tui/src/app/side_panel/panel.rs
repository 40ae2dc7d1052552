//! The side panel on the screen, and its keys.

use ratatui_core::layout::Rect;

use super::{
    agent,
    mail_rows::{self, Line},
    target::{is_beside_agent, run, target},
};
use crate::{
    action::Action,
    app::App,
    model::{Effect, Focus, layout},
    paint::{Painter, Row},
    panes::{Pane as _, documents::beside, run::Sight},
    parts::list,
    theme::Role,
};

/// It came onto the screen, or what it shows is another.
pub fn shown(app: &mut App) -> Vec<Effect> {
    if layout::regions(&app.model).dock.is_none() {
        return Vec::new();
    }
    if beside::is_shown(&app.model) {
        return app.panes.documents.on_show(&mut app.model);
    }
    mail_rows::ask(app)
}

pub fn act(app: &mut App, action: Action) -> Option<Vec<Effect>> {
    if beside::is_shown(&app.model) {
        return app.panes.documents.act(&mut app.model, action);
    }
    if is_beside_agent(app) {
        return (action == Action::Open).then(|| {
            app.model.selection.focus = Focus::Main;
            Vec::new()
        });
    }
    let pane = beside_pane(app);
    app.panes.run.act_in(&mut app.model, pane, action)
}

/// Moves what is shown by rows, where it is a run or a diff: the rest fits.
pub fn scroll(app: &mut App, rows: isize) -> Vec<Effect> {
    if beside::is_shown(&app.model) {
        app.panes.documents.scroll_beside(&app.model, rows);
        return Vec::new();
    }
    if !is_of_run(app) {
        return Vec::new();
    }
    let action = if rows < 0 { Action::Up } else { Action::Down };
    (0..rows.unsigned_abs()).flat_map(|_| act(app, action).unwrap_or_default()).collect()
}

/// Tells where its run is looked at in the columns of today, before the text of the run grows.
pub fn settle(app: &mut App) {
    let Some(area) = layout::regions(&app.model).dock.filter(|_| is_of_run(app)) else { return };
    if app.panes.run.is_settled(&app.model, Sight::Dock(run(app), area)) {
        return;
    }
    let pane = beside_pane(app);
    app.panes.run.settle(&app.model, pane);
}

/// Selects what stands in a row of it; false if nothing to select does.
pub fn click(app: &mut App, row: u16) -> bool {
    if !is_of_run(app) {
        return false;
    }
    let pane = beside_pane(app);
    let head = app.panes.run.head_in(&app.model, pane);
    let row = usize::from(row).checked_sub(head);
    row.is_some_and(|row| app.panes.run.click_in(&app.model, pane, row))
}

/// Whether it shows a run as it goes on.
fn is_of_run(app: &App) -> bool {
    !beside::is_shown(&app.model) && !is_beside_agent(app)
}

/// The run beside, and where it is.
fn beside_pane(app: &App) -> Sight {
    let area = layout::regions(&app.model).dock.map(|area| run_area(app, area));
    Sight::Dock(run(app), area.unwrap_or_default())
}

/// Where the run is: above what waits for its agent, which stands right below it.
fn run_area(app: &App, area: Rect) -> Rect {
    let below = mail_rows::rows(app, true, usize::from(area.width)).len();
    let below = u16::try_from(below).unwrap_or(u16::MAX).saturating_add(1).min(area.height / 2);
    let most = area.height.saturating_sub(below);
    let head = 3;
    let wanted =
        app.panes.run.rows_beside(&app.model, run(app), usize::from(area.width), usize::from(most));
    let wanted = u16::try_from(wanted).unwrap_or(u16::MAX).saturating_add(head);
    Rect { height: wanted.clamp(head.min(most), most), ..area }
}

pub fn draw(app: &App, painter: &mut Painter<'_>, area: Rect) {
    if !app.model.has_picture() {
        return;
    }
    if beside::is_shown(&app.model) {
        return app.panes.documents.draw_beside(&app.model, painter, area);
    }
    let Some(target) = target(app) else {
        return painter.hint(area, 1, "nothing has run here yet");
    };
    if !app.model.sees_inside(&target) {
        let words = format!("{} does not see inside {target}", app.model.person());
        return painter.hint(area, 1, words);
    }
    if is_beside_agent(app) {
        let sections = agent::sections(app, &target, usize::from(area.width));
        return draw_sections(app, painter, area, sections);
    }
    let run_area = run_area(app, area);
    let pane = Sight::Dock(run(app), run_area);
    app.panes.run.paint(&app.model, painter, run_area, pane);
    let (_, rest) = list::split(area, usize::from(run_area.height) + 1);
    draw_sections(app, painter, rest, mail_rows::rows(app, true, usize::from(area.width)));
}

fn draw_sections(app: &App, painter: &mut Painter<'_>, area: Rect, lines: Vec<Line>) {
    let ellipsis = app.model.symbols().ellipsis;
    for (y, line) in (0..area.height).zip(lines) {
        match line {
            Line::Title(words) => {
                painter.rule(list::margin(area), y, Some(Row::of(words, Role::Dim)));
            }
            Line::Row(row) => {
                painter.row(area, 0, y, &row.cut(usize::from(area.width), ellipsis));
            }
        }
    }
}
