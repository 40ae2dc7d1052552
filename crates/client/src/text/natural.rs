//! Names in the order that people count in.

/// A stretch of a name. Where a name ends stands before numbers, and these before letters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// What stands between a name and what is added to it: dots, or colons
    Separator(String),
    /// Digits, as a number
    Number(u64),
    Text(String),
}

/// Returns what a name is sorted by: `runner-2` before `runner-10`, `pr:main` before `pr2:main`.
pub fn key(name: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let is_of = match first {
            '0'..='9' => |c: char| c.is_ascii_digit(),
            '.' | ':' => is_separator,
            _ => |c: char| !c.is_ascii_digit() && !is_separator(c),
        };
        let end = rest.find(|c| !is_of(c)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        parts.push(match first {
            '0'..='9' => Part::Number(part.parse().unwrap_or(u64::MAX)),
            '.' | ':' => Part::Separator(part.to_owned()),
            _ => Part::Text(part.to_owned()),
        });
        rest = after;
    }
    parts
}

fn is_separator(c: char) -> bool {
    matches!(c, '.' | ':')
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

    #[test]
    fn a_name_stands_before_those_that_go_on_with_a_number() {
        for sorted in [
            ["team.yaml", "team2.yaml", "team10.yaml"],
            ["team:main", "team2:main", "team10:main"],
            ["team:main", "team-a:main", "team-b:main"],
            ["v1.2", "v1.10", "v2"],
        ] {
            let mut names = sorted;
            names.reverse();
            names.sort_by_key(|name| key(name));
            assert_eq!(names, sorted);
        }
    }
}
