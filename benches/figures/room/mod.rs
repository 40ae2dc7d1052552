//! The control room on a terminal: the real program, the real daemon, and an emulator that answers
//! as a terminal does. Rows that keep one of its acceptance list begin with its id.

pub mod frames;
pub mod keys;
pub mod lines;
pub mod lost;
pub mod million;
pub mod quiet;
mod stage;
pub mod start;
pub mod stream;

use std::time::Duration;

use super::{
    limit::share,
    table::{ms, percentile},
};

/// A row of a table: a share of some spans, and how it compares with its aim in milliseconds.
fn row(id: &str, what: &str, spans: &mut [Duration], percent: usize, aim: f64) -> Vec<String> {
    spans.sort();
    let figure = percentile(spans, percent);
    let name = format!("{id} {what}, p{percent}");
    let share = share(&name, figure.as_secs_f64() * 1e3, aim);
    vec![name, ms(percentile(spans, 50)), ms(figure), format!("{aim} ms"), share]
}

/// What stands above such rows.
const HEADER: [&str; 5] = ["what", "p50", "figure", "aim", "of the aim"];

/// A row for a figure that is not a duration.
fn plain(what: &str, figure: f64, unit: &str, aim: f64) -> Vec<String> {
    let share = share(what, figure, aim);
    vec![
        what.to_owned(),
        String::new(),
        format!("{figure:.1} {unit}"),
        format!("{aim} {unit}"),
        share,
    ]
}
