//! Names in the order that people count in.

/// A stretch of a name. Numbers stand before letters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Digits, as a number
    Number(u64),
    Text(String),
}

/// Returns what a name is sorted by: `runner-2` before `runner-10`, `pr-9:main` before `pr-10:main`.
pub fn key(name: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let is_number = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != is_number).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        parts.push(if is_number {
            Part::Number(part.parse().unwrap_or(u64::MAX))
        } else {
            Part::Text(part.to_owned())
        });
        rest = after;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_counted() {
        let mut names = ["b", "runner-10", "a10:main", "runner-2", "a9:main", "runner", "10", "9"];
        names.sort_by_key(|name| key(name));
        assert_eq!(
            names,
            ["9", "10", "a9:main", "a10:main", "b", "runner", "runner-2", "runner-10"]
        );
    }
}
