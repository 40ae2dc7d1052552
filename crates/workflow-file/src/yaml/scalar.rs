//! What a plain scalar means: the core schema of YAML 1.2 (§10.3.2), in which `yes` and `no` are
//! text.

/// What a scalar stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Meaning<'a> {
    /// Nothing: `null`, `~`, or no text at all.
    Null,
    /// `true` or `false`.
    Bool(bool),
    Int(i128),
    Float(f64),
    /// Anything else, and everything in quotes.
    Text(&'a str),
}

/// What a scalar without quotes stands for.
pub fn meaning_of(plain: &str) -> Meaning<'_> {
    match plain {
        "" | "~" | "null" | "Null" | "NULL" => Meaning::Null,
        "true" | "True" | "TRUE" => Meaning::Bool(true),
        "false" | "False" | "FALSE" => Meaning::Bool(false),
        ".nan" | ".NaN" | ".NAN" => Meaning::Float(f64::NAN),
        _ => int(plain)
            .map(Meaning::Int)
            .or_else(|| float(plain).map(Meaning::Float))
            .unwrap_or(Meaning::Text(plain)),
    }
}

fn int(text: &str) -> Option<i128> {
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'o', ..] => (&text[2..], 8),
        [b'0', b'x', ..] => (&text[2..], 16),
        _ => (text.strip_prefix(['+', '-']).unwrap_or(text), 10),
    };
    let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    let number = i128::from_str_radix(digits, radix).ok().filter(|_| is_number)?;
    Some(if text.starts_with('-') { -number } else { number })
}

fn float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Some(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    // What else `f64` takes (`inf`, `nan`, `infinity`) is text in YAML.
    let fits = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
    text.parse().ok().filter(|_| text.chars().all(fits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_mean_what_the_core_schema_says() {
        for (text, meaning) in [
            ("", Meaning::Null),
            ("~", Meaning::Null),
            ("NULL", Meaning::Null),
            ("true", Meaning::Bool(true)),
            ("FALSE", Meaning::Bool(false)),
            ("0", Meaning::Int(0)),
            ("-12", Meaning::Int(-12)),
            ("+7", Meaning::Int(7)),
            ("010", Meaning::Int(10)),
            ("0o17", Meaning::Int(15)),
            ("0xfF", Meaning::Int(255)),
            ("1.5", Meaning::Float(1.5)),
            ("-.5", Meaning::Float(-0.5)),
            ("1.", Meaning::Float(1.0)),
            ("1e3", Meaning::Float(1000.0)),
            ("-.inf", Meaning::Float(f64::NEG_INFINITY)),
        ] {
            assert_eq!(meaning_of(text), meaning, "{text}");
        }
        assert!(matches!(meaning_of(".nan"), Meaning::Float(x) if x.is_nan()));
        assert!(matches!(meaning_of(&"9".repeat(60)), Meaning::Float(x) if x > 1e59));
    }

    #[test]
    fn what_looks_like_a_value_elsewhere_is_text_here() {
        let words = "yes no on off y n Yes tRue nULL inf nan Infinity 1_000 0b1 0o8 0x 0xg - + . .. e 1e \
                     -0x1 +-1 1.2.3 12:30:45 2026-01-01 30s";
        for text in words.split(' ') {
            assert_eq!(meaning_of(text), Meaning::Text(text));
        }
    }
}
