//! Counts, money and spans of time as people read them. What is not known is a `-`, never a zero.

use std::time::Duration;

use agent_worker_protocol::{run::Usage, workflow::Used};

/// What stands for a number that nobody knows.
pub const UNKNOWN: &str = "-";

/// A count with its thousands set apart.
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

/// So many things, with their name in the singular or the plural.
pub fn of(number: i64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// Tokens read and written, as far as they are known.
pub fn tokens(usage: &Usage) -> String {
    match (usage.input, usage.output) {
        (None, None) => UNKNOWN.to_owned(),
        _ => count(usage.total()),
    }
}

/// Dollars: small sums with the places that they need.
pub fn cost(dollars: Option<f64>) -> String {
    match dollars {
        None => UNKNOWN.to_owned(),
        Some(dollars) if dollars.abs() < 1.0 => format!("${dollars:.4}"),
        Some(dollars) => format!("${dollars:.2}"),
    }
}

/// The tokens of a workflow; none are counted where no provider told any.
pub fn used_tokens(used: &Used) -> String {
    if used.tokens == 0 { UNKNOWN.to_owned() } else { count(used.tokens) }
}

/// The dollars of a workflow; a zero is what nobody told.
pub fn used_cost(used: &Used) -> String {
    cost((used.cost > 0.0).then_some(used.cost))
}

/// A span of time in its two largest units.
pub fn span(span: Duration) -> String {
    let seconds = span.as_secs();
    let (days, hours) = (seconds / 86_400, seconds / 3600 % 24);
    let (minutes, rest) = (seconds / 60 % 60, seconds % 60);
    match (days, hours, minutes) {
        (0, 0, 0) if seconds < 10 => format!("{}.{}s", seconds, span.subsec_millis() / 100),
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, _) => format!("{minutes}m {rest}s"),
        (0, _, _) => format!("{hours}h {minutes}m"),
        _ => format!("{days}d {hours}h"),
    }
}

/// A size in bytes.
pub fn bytes(number: i64) -> String {
    const UNITS: [(i64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match UNITS.iter().find(|(unit, _)| number >= *unit) {
        Some((unit, name)) => format!("{}.{} {name}", number / unit, number % unit * 10 / unit),
        None => format!("{number} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_no_zero() {
        assert_eq!(tokens(&Usage::default()), "-");
        assert_eq!(tokens(&Usage { input: Some(0), ..Usage::default() }), "0");
        assert_eq!(
            tokens(&Usage { input: Some(1200), output: Some(80), ..Usage::default() }),
            "1,280"
        );
        assert_eq!((cost(None).as_str(), cost(Some(0.0148)).as_str()), ("-", "$0.0148"));
        assert_eq!(cost(Some(12.3)), "$12.30");
        let used = Used::default();
        assert_eq!((used_tokens(&used).as_str(), used_cost(&used).as_str()), ("-", "-"));
    }

    #[test]
    fn numbers_are_read_at_a_glance() {
        assert_eq!(
            [count(0), count(999), count(1000), count(-1_234_567)].join(" "),
            "0 999 1,000 -1,234,567"
        );
        assert_eq!((of(1, "run", "runs"), of(2, "run", "runs")), ("1 run".into(), "2 runs".into()));
        for (ms, text) in [
            (0, "0.0s"),
            (3_400, "3.4s"),
            (59_000, "59s"),
            (125_000, "2m 5s"),
            (3_780_000, "1h 3m"),
            (90_000_000, "1d 1h"),
        ] {
            assert_eq!(span(Duration::from_millis(ms)), text);
        }
        assert_eq!(
            (bytes(512), bytes(1536), bytes(3 << 20)),
            ("512 B".into(), "1.5 KiB".into(), "3.0 MiB".into())
        );
    }
}
