//! Sizes, sums and spans of time, as short as a column needs them. They are cut off and never
//! rounded up: what is shown has been reached.

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// How long something has been so: `6s`, `1m12s`, `2h05`, `3d`.
pub fn elapsed(ms: i64) -> String {
    let seconds = ms.max(0) / 1000;
    match seconds {
        0..MINUTE => format!("{seconds}s"),
        MINUTE..HOUR => format!("{}m{:02}s", seconds / MINUTE, seconds % MINUTE),
        HOUR..DAY => format!("{}h{:02}", seconds / HOUR, seconds % HOUR / MINUTE),
        _ => format!("{}d", seconds / DAY),
    }
}

/// How long something took: `41 ms`, `6 s`, and from a minute on as [`elapsed`] has it.
pub fn span(ms: i64) -> String {
    match ms.max(0) {
        ms @ 0..1000 => format!("{ms} ms"),
        ms @ 1000..60_000 => format!("{} s", ms / 1000),
        ms => elapsed(ms),
    }
}

/// A size: `812 B`, `3.1 KB`, `84 KB`, `1.2 MB`.
pub fn bytes(number: i64) -> String {
    scaled(number, 10, [" B", " KB", " MB", " GB"])
}

/// A count of many: `812`, `2.1k`, `18.2k`, `412k`, `1.2M`.
pub fn tokens(number: i64) -> String {
    scaled(number, 100, ["", "k", "M", "G"])
}

/// Parts of a unit are told below so many of it.
fn scaled(number: i64, parts_below: i64, units: [&str; 4]) -> String {
    let number = number.max(0);
    let (mut unit, mut whole) = (0, 1);
    while unit + 1 < units.len() && number / whole >= 1000 {
        whole *= 1000;
        unit += 1;
    }
    let name = units[unit];
    let count = number / whole;
    if unit > 0 && count < parts_below {
        format!("{count}.{}{name}", number % whole * 10 / whole)
    } else {
        format!("{count}{name}")
    }
}

/// Dollars: `$0.09`; less than a cent has the places that it needs.
pub fn money(dollars: f64) -> String {
    if !dollars.is_finite() {
        return "-".to_owned();
    }
    if dollars != 0.0 && dollars.abs() < 0.01 {
        return format!("${dollars:.4}");
    }
    format!("${dollars:.2}")
}

/// A number with its thousands set apart: `812 440`.
pub fn thousands(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = if number < 0 { "-".to_owned() } else { String::new() };
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
#[path = "tests/numbers.rs"]
mod tests;
