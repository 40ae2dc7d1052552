//! Costs in columns: millionths of a dollar.

/// Millionths of a dollar.
#[expect(clippy::cast_possible_truncation, reason = "costs are far below 9 trillion dollars")]
pub fn micros(dollars: f64) -> i64 {
    (dollars * 1e6).round() as i64
}

/// Dollars.
#[expect(clippy::cast_precision_loss, reason = "costs are far below 9 billion dollars")]
pub fn dollars(micros: i64) -> f64 {
    micros as f64 / 1e6
}
