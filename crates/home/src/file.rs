//! The files of a home.

use std::{fmt, str::FromStr};

use jiff::civil::Date;

/// A file of a home.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HomeFile {
    /// How the agent works
    Agents,
    /// Its character
    Soul,
    /// Who it is
    Identity,
    /// Whom it works for
    User,
    /// What it checks by itself
    Heartbeat,
    /// What it does in its first run
    Bootstrap,
    /// Which tools it has
    Tools,
    /// What it remembers
    LongTerm,
    /// What happened on a day
    Day(Date),
}

/// A name that is not of a file of a home.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown file `{0}`")]
pub struct UnknownFile(pub String);

impl HomeFile {
    /// Every file but those of days.
    pub const FIXED: [Self; 8] = [
        Self::Agents,
        Self::Soul,
        Self::Identity,
        Self::User,
        Self::Heartbeat,
        Self::Bootstrap,
        Self::Tools,
        Self::LongTerm,
    ];

    /// Returns whether the agent itself may write it. The others are the user's.
    pub fn is_of_agent(self) -> bool {
        matches!(self, Self::Identity | Self::User | Self::LongTerm)
    }

    /// Returns whether it is part of the agent's memory.
    pub fn is_memory(self) -> bool {
        matches!(self, Self::LongTerm | Self::Day(_))
    }

    /// Returns the folders from the home to it.
    pub fn folders(self) -> &'static [&'static str] {
        match self {
            Self::LongTerm => &["memory"],
            Self::Day(_) => &["memory", "daily"],
            _ => &[],
        }
    }

    /// Returns its name in its folder.
    pub fn name(self) -> String {
        match self {
            Self::Agents => "AGENTS.md".to_owned(),
            Self::Soul => "SOUL.md".to_owned(),
            Self::Identity => "IDENTITY.md".to_owned(),
            Self::User => "USER.md".to_owned(),
            Self::Heartbeat => "HEARTBEAT.md".to_owned(),
            Self::Bootstrap => "BOOTSTRAP.md".to_owned(),
            Self::Tools => "TOOLS.md".to_owned(),
            Self::LongTerm => "long-term.md".to_owned(),
            Self::Day(date) => format!("{date}.md"),
        }
    }

    /// Returns the day of a file's name, such as `2026-11-25.md`.
    pub fn day(name: &str) -> Option<Self> {
        let date = name.strip_suffix(".md")?;
        // Only as it is written here, so that each day has one name.
        let day: Date = date.parse().ok()?;
        (day.to_string() == date).then_some(Self::Day(day))
    }
}

impl fmt::Display for HomeFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for folder in self.folders() {
            write!(f, "{folder}/")?;
        }
        f.write_str(&self.name())
    }
}

impl FromStr for HomeFile {
    type Err = UnknownFile;

    fn from_str(text: &str) -> Result<Self, UnknownFile> {
        let fixed = Self::FIXED.into_iter().find(|file| file.to_string() == text);
        let day = || text.strip_prefix("memory/daily/").and_then(Self::day);
        fixed.or_else(day).ok_or_else(|| UnknownFile(text.to_owned()))
    }
}
