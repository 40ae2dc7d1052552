//! Costs in columns: millionths of a dollar.

/// Millionths of a dollar.
#[expect(clippy::cast_possible_truncation, reason = "costs are far below 9 trillion dollars")]
pub fn micros(dollars: f64) -> i64 {
    (dollars * 1e6).round() as i64
}

/// A cost with the dollars that come to it, as far as either is known.
pub fn plus(known: Option<i64>, more: Option<f64>) -> Option<i64> {
    more.map(|more| known.unwrap_or(0).saturating_add(micros(more))).or(known)
}

/// Dollars.
#[expect(clippy::cast_precision_loss, reason = "costs are far below 9 billion dollars")]
pub fn dollars(micros: i64) -> f64 {
    micros as f64 / 1e6
}
