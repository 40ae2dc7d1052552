//! How figures are shown.

use std::time::Duration;

use comfy_table::{Table, presets::ASCII_MARKDOWN};

/// Prints a table under a heading.
#[expect(clippy::print_stdout, reason = "the figures are what a bench prints")]
pub fn print(heading: &str, header: &[&str], rows: &[Vec<String>]) {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).set_header(header.to_vec());
    for row in rows {
        table.add_row(row.clone());
    }
    println!("\n## {heading}\n\n{table}");
}

/// A share of a sorted list of spans.
pub fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)]
}

/// Milliseconds with two places.
pub fn ms(span: Duration) -> String {
    format!("{:.2} ms", span.as_secs_f64() * 1e3)
}

/// The one in the middle.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
