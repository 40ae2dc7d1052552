//! Pieces of text.

use agent_worker_client::{
    Sanitized,
    text::{Clock, Meaning, Word},
};
use owo_colors::OwoColorize as _;

/// The most columns of a cell whose text may be long.
const WIDEST: usize = 160;

/// How things are shown: when it is, and how wide the terminal is.
#[derive(Debug, Clone)]
pub struct View {
    /// The clock on the wall
    pub clock: Clock,
    /// How many cells a line has; none where nothing is cut or wrapped
    pub width: Option<usize>,
}

impl View {
    /// As it is shown here and now.
    pub fn of(output: crate::output::Output) -> Self {
        Self { clock: Clock::system(), width: output.width() }
    }
}

/// Text for a single line.
pub fn line(raw: &str) -> String {
    Sanitized::line(raw).to_string()
}

/// Text of any number of lines, without space at its end.
pub fn paragraphs(raw: &str) -> String {
    Sanitized::text(raw.trim_end()).to_string()
}

/// Text for a single line, or a `-` for no text.
pub fn line_or_dash(raw: Option<&str>) -> String {
    or_dash(raw.map(line).filter(|text| !text.is_empty()))
}

/// Text for a row of a list. It is cut to 160 columns, so that what a failed command printed, or a
/// long role, does not fill the screen.
pub fn cell(raw: &str) -> String {
    Sanitized::line(raw).truncate(WIDEST).to_string()
}

/// Text for a cell of a table, cut as [`cell`] cuts it, or a `-` for no text.
pub fn cell_or_dash(raw: Option<&str>) -> String {
    or_dash(raw.map(cell).filter(|text| !text.is_empty()))
}

/// Text, or a `-` for no text.
pub fn or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "-".to_owned())
}

/// A command that helps, as all of them are shown.
pub fn hint(command: &str) -> String {
    crate::again::at_home(&format!("hint: {}", Sanitized::text(command)))
}

/// Secondary text, dimmed.
pub fn dim(text: &str) -> String {
    text.dimmed().to_string()
}

/// A word in the colour of its meaning. The word alone is enough.
pub fn coloured(word: Word) -> String {
    let Word { text, meaning } = word;
    match meaning {
        Meaning::Good => text.green().to_string(),
        Meaning::Bad => text.red().to_string(),
        Meaning::Waits => text.yellow().to_string(),
        Meaning::Neutral => text.to_owned(),
    }
}

/// What the eye should find first.
pub fn bold(text: &str) -> String {
    text.bold().to_string()
}

/// Text without its colours, as it arrives in a pipe.
#[cfg(test)]
pub fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}
