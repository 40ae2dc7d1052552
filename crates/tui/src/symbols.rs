//! The characters that the screen is made of, in three sets: for terminals that have all, for those
//! that take some of them for two cells, and for those that have ASCII alone.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Set {
    #[default]
    Unicode,
    /// Only what is one cell wide everywhere.
    Narrow,
    Ascii,
}

/// One character for each meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbols {
    pub set: Set,
    pub running: &'static str,
    pub frames: [&'static str; 8],
    pub idle: &'static str,
    pub queued: &'static str,
    pub asks: &'static str,
    pub failed: &'static str,
    pub done: &'static str,
    pub stopped: &'static str,
    pub retry: &'static str,
    pub stale: &'static str,
    pub draft: &'static str,
    pub hidden: &'static str,
    pub folded: &'static str,
    pub open: &'static str,
    pub selected: &'static str,
    pub vote: &'static str,
    pub no_vote: &'static str,
    pub quote: &'static str,
    pub full: &'static str,
    pub empty: &'static str,
    pub minus: &'static str,
    pub vertical: &'static str,
    pub horizontal: &'static str,
    pub corners: [&'static str; 4],
    pub tees: [&'static str; 3],
    pub ellipsis: &'static str,
    pub tail: &'static str,
    pub bullet: &'static str,
    pub heading: &'static str,
}

const UNICODE: Symbols = Symbols {
    set: Set::Unicode,
    running: "⠿",
    frames: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"],
    idle: "◦",
    queued: "⧗",
    asks: "?",
    failed: "✗",
    done: "✓",
    stopped: "▪",
    retry: "⟳",
    stale: "~",
    draft: "✎",
    hidden: "⚑",
    folded: "▸",
    open: "▾",
    selected: "❯",
    vote: "☑",
    no_vote: "☐",
    quote: "¦",
    full: "▪",
    empty: "░",
    minus: "−",
    vertical: "│",
    horizontal: "─",
    corners: ["┌", "┐", "└", "┘"],
    tees: ["├", "┼", "┤"],
    ellipsis: "…",
    tail: "▌",
    bullet: "•",
    heading: "═",
};

const NARROW: Symbols = Symbols {
    set: Set::Narrow,
    empty: ".",
    minus: "-",
    vertical: "╎",
    horizontal: "╌",
    corners: ["╌", "╌", "╌", "╌"],
    tees: ["╎", "╎", "╎"],
    ellipsis: "..",
    tail: "_",
    bullet: "*",
    heading: "=",
    ..UNICODE
};

const ASCII: Symbols = Symbols {
    set: Set::Ascii,
    running: "*",
    frames: ["-", "\\", "|", "/", "-", "\\", "|", "/"],
    idle: ".",
    queued: "q",
    asks: "?",
    failed: "x",
    done: "v",
    stopped: "=",
    retry: "r",
    stale: "~",
    draft: "e",
    hidden: "!",
    folded: ">",
    open: "v",
    selected: ">",
    vote: "[x]",
    no_vote: "[ ]",
    quote: "|",
    full: "#",
    empty: ".",
    minus: "-",
    vertical: "|",
    horizontal: "-",
    corners: ["+", "+", "+", "+"],
    tees: ["|", "+", "|"],
    ellipsis: "..",
    tail: "_",
    bullet: "*",
    heading: "=",
};

impl Symbols {
    /// The characters of a set.
    pub const fn of(set: Set) -> &'static Self {
        match set {
            Set::Unicode => &UNICODE,
            Set::Narrow => &NARROW,
            Set::Ascii => &ASCII,
        }
    }

    /// Every character of it.
    #[cfg(test)]
    pub fn all(&self) -> Vec<&'static str> {
        let Self { frames, corners, tees, .. } = self;
        let single = [
            self.running,
            self.idle,
            self.queued,
            self.asks,
            self.failed,
            self.done,
            self.stopped,
            self.retry,
            self.stale,
            self.draft,
            self.hidden,
            self.folded,
            self.open,
            self.selected,
            self.vote,
            self.no_vote,
            self.quote,
            self.full,
            self.empty,
            self.minus,
            self.vertical,
            self.horizontal,
            self.ellipsis,
            self.tail,
            self.bullet,
            self.heading,
        ];
        single.into_iter().chain(*frames).chain(*corners).chain(*tees).collect()
    }
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr as _;

    use super::*;

    #[test]
    fn b_12_what_is_called_narrow_is_one_cell_wide_everywhere() {
        for symbol in Symbols::of(Set::Narrow).all() {
            for c in symbol.chars() {
                let text = c.to_string();
                assert_eq!((text.width(), text.width_cjk()), (1, 1), "{symbol}");
            }
        }
    }

    #[test]
    fn b_11_what_is_called_ascii_is() {
        for symbol in Symbols::of(Set::Ascii).all() {
            assert!(symbol.bytes().all(|byte| (0x20..=0x7e).contains(&byte)), "{symbol}");
        }
    }
}
