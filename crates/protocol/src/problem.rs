//! What is wrong with a file that a user wrote, and where.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::terms::words::words;

words! {
    /// How bad a problem is.
    #[derive(PartialOrd, Ord)]
    pub enum Severity {
        /// The file cannot be used as it is.
        Error = "error",
        /// The file can be used, but probably not as its author thinks.
        Warning = "warning",
        /// The file is right, but it asks for something that a later version of the program brings.
        Later = "later",
    }
}

/// A line and a column of a text, both counted from 1, the column in characters.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct Position {
    /// The line
    pub line: u32,
    /// The column
    pub column: u32,
}

/// One thing that is wrong with a file. Prints as `file:line:column: message`, without the parts
/// that are not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// How bad it is
    pub severity: Severity,
    /// The file it stands in
    pub file: Option<String>,
    /// The line, from 1
    pub line: Option<u32>,
    /// The column, from 1
    pub column: Option<u32>,
    /// What is the case
    pub message: String,
    /// What to do, where there is something to do
    pub hint: Option<String>,
}

impl Position {
    /// Where a text begins.
    pub const START: Self = Self { line: 1, column: 1 };
}

impl Problem {
    /// A problem of some severity, of a file and a place yet unknown.
    pub fn new(severity: Severity, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { severity, file: None, line: None, column: None, message, hint: None }
    }

    /// Something that keeps the file from being used.
    pub fn error(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, message)
    }

    /// Something that its author probably did not mean.
    pub fn warning(message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, message)
    }

    /// The same problem at a place of its file.
    #[must_use]
    pub fn at(mut self, position: Position) -> Self {
        self.line = Some(position.line);
        self.column = Some(position.column);
        self
    }

    /// The same problem in a file.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// The same problem with something to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Whether it keeps the file from being used.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// What problems of one file are ordered by: those without a place come last.
    pub fn order(&self) -> (u32, u32) {
        (self.line.unwrap_or(u32::MAX), self.column.unwrap_or(u32::MAX))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = [self.file.clone(), text_of(self.line), text_of(self.column)];
        let place: Vec<String> = place.into_iter().flatten().collect();
        if !place.is_empty() {
            write!(f, "{}: ", place.join(":"))?;
        }
        f.write_str(&self.message)
    }
}

fn text_of(number: Option<u32>) -> Option<String> {
    number.map(|number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_prints_only_the_parts_of_its_place_that_are_known() {
        let problem = Problem::error("what");
        assert_eq!(problem.to_string(), "what");
        let problem = problem.at(Position { line: 3, column: 7 });
        assert_eq!(problem.to_string(), "3:7: what");
        assert_eq!(problem.in_file("a.yaml").to_string(), "a.yaml:3:7: what");
        assert_eq!(Problem::error("what").in_file("a.yaml").to_string(), "a.yaml: what");
    }

    #[test]
    fn a_severity_travels_in_lower_case() {
        let later = serde_json::to_value(Problem::new(Severity::Later, "x")).unwrap();
        assert_eq!(later["severity"], "later");
        assert!(Problem::error("x").is_error() && !Problem::warning("x").is_error());
    }
}
