//! Counts, sizes, sums and spans of time. They are cut off and never rounded up, except for sums
//! of money: what is shown has been reached.

use std::time::Duration;

/// Text for an unknown number.
pub const UNKNOWN: &str = "-";

/// A count with its thousands apart: `18,200`.
pub fn count(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = if number < 0 { "-".to_owned() } else { String::new() };
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun, in the singular or the plural: `2 runs`.
pub fn counted(number: impl TryInto<i64>, one: &str, many: &str) -> String {
    let number = number.try_into().unwrap_or(i64::MAX);
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A short count: `812`, `18.2k`, `412k`, `1.2M`.
pub fn short(number: i64) -> String {
    scaled(number, 1000, ["", "k", "M", "G"])
}

/// A size in bytes, in units of 1,024: `812 B`, `1.5 KiB`, `412 MiB`.
pub fn size(bytes: i64) -> String {
    scaled(bytes, 1024, [" B", " KiB", " MiB", " GiB"])
}

/// In the largest unit that is at least one, with tenths below 100.
fn scaled(number: i64, step: i64, units: [&str; 4]) -> String {
    let number = number.max(0);
    let (mut unit, mut whole) = (0, 1);
    while unit + 1 < units.len() && number / whole >= step {
        whole *= step;
        unit += 1;
    }
    let (name, many) = (units[unit], number / whole);
    if unit > 0 && many < 100 {
        format!("{many}.{}{name}", number % whole * 10 / whole)
    } else {
        format!("{many}{name}")
    }
}

/// Dollars: four digits below $0.10, else two.
pub fn cost(dollars: Option<f64>) -> String {
    match dollars.filter(|dollars| dollars.is_finite()) {
        None => UNKNOWN.to_owned(),
        Some(dollars) if dollars != 0.0 && dollars.abs() < 0.1 => format!("${dollars:.4}"),
        Some(dollars) => format!("${dollars:.2}"),
    }
}

/// How long something took, in its two largest units: `41ms`, `6.2s`, `1m 12s`, `2h 5m`, `3d 4h`.
pub fn span(span: Duration) -> String {
    match span.as_secs() {
        0 => format!("{}ms", span.as_millis()),
        seconds @ 1..10 => format!("{seconds}.{}s", span.subsec_millis() / 100),
        _ => elapsed(span),
    }
}

/// How long something goes on, in whole seconds, so that a line that shows it is not restless:
/// `6s`, `1m 12s`, `2h 5m`, `3d 4h`.
pub fn elapsed(span: Duration) -> String {
    let seconds = span.as_secs();
    let (days, hours) = (seconds / 86_400, seconds / 3600 % 24);
    let (minutes, rest) = (seconds / 60 % 60, seconds % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, _) => format!("{minutes}m {rest}s"),
        (0, _, _) => format!("{hours}h {minutes}m"),
        _ => format!("{days}d {hours}h"),
    }
}
