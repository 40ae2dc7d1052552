//! The examination of a state directory: what must be so, and where it is not.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{op::op, terms::words::words};

/// Check the database and everything that must be so, and say what is wrong. Changes no data.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Doctor {}

/// What an examination found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Examination {
    /// Whether nothing is broken
    pub sound: bool,
    /// Whether a daemon was at work meanwhile
    pub daemon: bool,
    /// How many checks were made
    pub checks: usize,
    /// What is not as it must, or should, be
    pub findings: Vec<Finding>,
}

words! {
    /// How much a finding weighs.
    pub enum Grade {
        /// A promise does not hold.
        Broken = "broken",
        /// Nothing is lost yet, and the user should know.
        Note = "note",
    }
}

/// A check that found something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The check's name, such as `deliveries.leased`
    pub check: String,
    /// How much it weighs
    pub grade: Grade,
    /// What must be so
    pub promise: String,
    /// Where it is not so; of many the first ones
    pub cases: Vec<Case>,
    /// How many cases there are
    pub count: usize,
    /// What to do
    pub hint: Option<String>,
}

/// One place where something is not as it must be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Case {
    /// What it is about: `run_3`, `msg_7 to alice`, a file
    pub subject: String,
    /// What is the case
    pub what: String,
}

/// How many cases of a finding are told.
pub const MOST_CASES: usize = 10;

impl Finding {
    /// A promise that does not hold in one place.
    pub fn broken(check: &str, promise: &str, case: Case) -> Self {
        Self {
            check: check.to_owned(),
            grade: Grade::Broken,
            promise: promise.to_owned(),
            cases: vec![case],
            count: 1,
            hint: None,
        }
    }

    /// Something that the user should know.
    pub fn note(check: &str, promise: &str, case: Case) -> Self {
        Self { grade: Grade::Note, ..Self::broken(check, promise, case) }
    }

    /// The same, with what to do about it.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Counts one more case, and tells it if there is room.
    pub fn add(&mut self, case: Case) {
        self.count += 1;
        if self.cases.len() < MOST_CASES {
            self.cases.push(case);
        }
    }
}

impl Case {
    /// What is the case somewhere.
    pub fn new(subject: impl Into<String>, what: impl Into<String>) -> Self {
        Self { subject: subject.into(), what: what.into() }
    }
}

impl Examination {
    /// What was found, put together.
    pub fn of(daemon: bool, checks: usize, findings: Vec<Finding>) -> Self {
        let sound = findings.iter().all(|finding| finding.grade == Grade::Note);
        Self { sound, daemon, checks, findings }
    }
}

op!(Doctor "doctor": get "/doctor", read => Examination);
