//! The filter of a table, in one line: `state:failed cost:>0.1 agent:re* -nightly`. Every term must
//! hold of a line.

use std::cmp::Ordering;

use agent_worker_client::text::natural;
use agent_worker_protocol::Interval;

/// What a table knows of one of its lines under a name.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Text(String),
    /// A count, dollars, or seconds
    Number(f64),
    Unknown,
}

/// A named value of a line.
pub type Fact = (&'static str, Value);

impl Value {
    /// A count; unknown if it is.
    pub fn count(count: impl Into<Option<i64>>) -> Self {
        // A count that a table shows is far below where a float stops being exact.
        #[expect(clippy::cast_precision_loss, reason = "counts are small enough")]
        count.into().map_or(Self::Unknown, |count| Self::Number(count as f64))
    }

    /// Dollars; unknown if they are.
    pub fn dollars(dollars: Option<f64>) -> Self {
        dollars.map_or(Self::Unknown, Self::Number)
    }

    /// How long something lasts, in seconds.
    pub fn span(span: std::time::Duration) -> Self {
        Self::Number(span.as_secs_f64())
    }

    /// What stands first when lines are sorted from the lowest.
    pub fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => one.total_cmp(other),
            (Self::Text(one), Self::Text(other)) => natural::key(one).cmp(&natural::key(other)),
            (Self::Number(_), Self::Text(_)) => Ordering::Less,
            (Self::Text(_), Self::Number(_)) => Ordering::Greater,
            (Self::Unknown, _) | (_, Self::Unknown) => Ordering::Equal,
        }
    }
}

impl<T: ToString + ?Sized> From<&T> for Value {
    fn from(text: &T) -> Self {
        Self::Text(text.to_string())
    }
}

/// A filter that was understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// As it was written
    pub text: String,
    terms: Vec<Term>,
}

#[derive(Debug, Clone, PartialEq)]
struct Term {
    /// `None` for a word that any text of the line may hold
    field: Option<String>,
    is_not: bool,
    /// One of them must hold
    tests: Vec<Test>,
}

#[derive(Debug, Clone, PartialEq)]
enum Test {
    /// A text holds it, in any case; with `*` it is the whole text. A number equals the second.
    Text(String, Option<f64>),
    /// A number is in this order to it, or equal to it where the second says so.
    Number(Ordering, bool, f64),
}

impl Query {
    /// Reads a filter for a table with these names. An error says what to write.
    pub fn parse(text: &str, fields: &[&str]) -> Result<Self, String> {
        let terms = words(text)?.into_iter().map(|word| term(&word, fields));
        Ok(Self { text: text.trim().to_owned(), terms: terms.collect::<Result<_, _>>()? })
    }

    /// Whether it lets everything through.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether a line is let through.
    pub fn takes(&self, facts: &[Fact]) -> bool {
        self.terms.iter().all(|term| term.holds(facts) != term.is_not)
    }
}

impl Term {
    fn holds(&self, facts: &[Fact]) -> bool {
        let is_meant = |(name, value): &&Fact| match &self.field {
            Some(field) => name == field,
            None => matches!(value, Value::Text(_)),
        };
        let mut meant = facts.iter().filter(is_meant);
        meant.any(|(_, value)| self.tests.iter().any(|test| test.holds(value)))
    }
}

impl Test {
    fn holds(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Text(wanted, _), Value::Text(text)) => is_like(&text.to_lowercase(), wanted),
            (Self::Text(_, wanted), Value::Number(number)) => {
                wanted.is_some_and(|wanted| (wanted - number).abs() < 1e-9)
            }
            (Self::Number(order, or_equal, wanted), Value::Number(number)) => {
                let found = number.total_cmp(wanted);
                found == *order || (*or_equal && found == Ordering::Equal)
            }
            _ => false,
        }
    }
}

/// The words of a line; quotes keep spaces together.
fn words(text: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    for c in text.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            c if c.is_whitespace() && !is_quoted => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    if is_quoted {
        return Err("a quote is not closed: write \"two words\"".to_owned());
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    Ok(words)
}

fn term(word: &str, fields: &[&str]) -> Result<Term, String> {
    let bare = word.strip_prefix(['-', '!']).filter(|rest| !rest.is_empty());
    let (is_not, word) = (bare.is_some(), bare.unwrap_or(word));
    let Some((field, wanted)) = word.split_once(':') else {
        let test = Test::Text(word.to_lowercase(), None);
        return Ok(Term { field: None, is_not, tests: vec![test] });
    };
    let field = field.to_lowercase();
    if !fields.contains(&field.as_str()) {
        return Err(format!("unknown field `{field}`: write one of {}", fields.join(", ")));
    }
    if wanted.is_empty() {
        return Err(format!("`{field}:` has no value: write `{field}:word` or `{field}:>1`"));
    }
    let tests = wanted.split(',').filter(|one| !one.is_empty()).map(|one| test(&field, one));
    Ok(Term { field: Some(field.clone()), is_not, tests: tests.collect::<Result<_, _>>()? })
}

fn test(field: &str, wanted: &str) -> Result<Test, String> {
    const SIGNS: [(&str, Ordering, bool); 5] = [
        (">=", Ordering::Greater, true),
        ("<=", Ordering::Less, true),
        (">", Ordering::Greater, false),
        ("<", Ordering::Less, false),
        ("=", Ordering::Equal, true),
    ];
    let sign = SIGNS
        .iter()
        .find_map(|(sign, order, or_equal)| Some((wanted.strip_prefix(sign)?, *order, *or_equal)));
    let Some((rest, order, or_equal)) = sign else {
        let text = wanted.to_lowercase();
        // As it was written first: `2M` is two million, `2m` is two minutes.
        let number = number_of(field, wanted).or_else(|| number(&text));
        return Ok(Test::Text(text, number));
    };
    let bad = || format!("`{rest}` in `{field}:{wanted}` is not a number: write 0.1, 10k or 5m");
    number_of(field, rest).map(|number| Test::Number(order, or_equal, number)).ok_or_else(bad)
}

/// A number as the field shows it: a version may be written as `v3`, and the first attempt of three
/// as `1/3`.
fn number_of(field: &str, text: &str) -> Option<f64> {
    let is_version = |rest: &&str| field == "version" && rest.starts_with(char::is_numeric);
    let attempt = text.split_once('/').filter(|(_, of)| field == "try" && number(of).is_some());
    let version = text.strip_prefix(['v', 'V']).filter(is_version);
    number(attempt.map(|(attempt, _)| attempt).or(version).unwrap_or(text))
}

/// `0.1`, `$0.1`, `10k`, `1.5M`, and spans in seconds: `90s`, `5m`, `2h`, `3d`.
fn number(text: &str) -> Option<f64> {
    let text = text.strip_prefix('$').unwrap_or(text);
    if let Ok(number) = text.parse::<f64>() {
        return number.is_finite().then_some(number);
    }
    for (sign, scale) in [("k", 1e3), ("M", 1e6), ("G", 1e9), ("d", 86_400.0)] {
        if let Some(number) = text.strip_suffix(sign).and_then(|text| text.parse::<f64>().ok()) {
            return Some(number * scale);
        }
    }
    text.parse::<Interval>().ok().map(|span| span.duration().as_secs_f64())
}

/// Whether a text holds the other, or is like it where that has stars.
fn is_like(text: &str, wanted: &str) -> bool {
    let Some((first, rest)) = wanted.split_once('*') else { return text.contains(wanted) };
    let Some(mut left) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = rest.split('*').collect();
    let Some((last, middle)) = parts.split_last() else { return true };
    for part in middle {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(last)
}

#[cfg(test)]
#[path = "tests/query.rs"]
mod tests;
