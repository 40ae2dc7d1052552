//! The characters that the screen is made of, in three sets: for terminals that have all, for those
//! that take some of them for two cells, and for those that have ASCII alone.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Set {
    #[default]
    Unicode,
    /// Only what is one cell wide everywhere.
    Narrow,
    Ascii,
}

/// A character, or a few that stand for one.
type Symbol = &'static str;

/// A meaning in each row, with its characters in the three sets.
macro_rules! symbols {
    ($($name:ident: $kind:ty = $unicode:expr, $narrow:expr, $ascii:expr;)+) => {
        /// One character for each meaning.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct Symbols {
            pub set: Set,
            $(pub $name: $kind,)+
        }

        const UNICODE: Symbols = Symbols { set: Set::Unicode, $($name: $unicode,)+ };
        const NARROW: Symbols = Symbols { set: Set::Narrow, $($name: $narrow,)+ };
        const ASCII: Symbols = Symbols { set: Set::Ascii, $($name: $ascii,)+ };

        #[cfg(test)]
        impl Symbols {
            /// Every character of it.
            pub fn all(&self) -> Vec<Symbol> {
                let mut all = Vec::new();
                $(all.extend_from_slice(self.$name.each());)+
                all
            }
        }
    };
}

/// The characters of a row.
#[cfg(test)]
trait Each {
    fn each(&self) -> &[Symbol];
}

#[cfg(test)]
impl Each for Symbol {
    fn each(&self) -> &[Symbol] {
        std::slice::from_ref(self)
    }
}

#[cfg(test)]
impl<const COUNT: usize> Each for [Symbol; COUNT] {
    fn each(&self) -> &[Symbol] {
        self
    }
}

symbols! {
    running: Symbol = "⠿", "⠿", "*";
    frames: [Symbol; 8] =
        ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"],
        ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"],
        ["-", "\\", "|", "/", "-", "\\", "|", "/"];
    idle: Symbol = "◦", "◦", ".";
    queued: Symbol = "⧗", "⧗", "q";
    asks: Symbol = "?", "?", "?";
    failed: Symbol = "✗", "✗", "x";
    done: Symbol = "✓", "✓", "v";
    stopped: Symbol = "▪", "▪", "=";
    retry: Symbol = "⟳", "⟳", "r";
    stale: Symbol = "~", "~", "~";
    draft: Symbol = "✎", "✎", "e";
    hidden: Symbol = "⚑", "⚑", "!";
    folded: Symbol = "▸", "▸", ">";
    open: Symbol = "▾", "▾", "v";
    selected: Symbol = "❯", "❯", ">";
    vote: Symbol = "☑", "☑", "[x]";
    no_vote: Symbol = "☐", "☐", "[ ]";
    quote: Symbol = "¦", "¦", "|";
    full: Symbol = "▪", "▪", "#";
    empty: Symbol = "░", ".", ".";
    bars: [Symbol; 8] =
        ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
        [".", ":", "-", "=", "+", "*", "%", "#"],
        [".", ":", "-", "=", "+", "*", "%", "#"];
    minus: Symbol = "−", "-", "-";
    vertical: Symbol = "│", "╎", "|";
    horizontal: Symbol = "─", "╌", "-";
    corners: [Symbol; 4] = ["┌", "┐", "└", "┘"], ["╌", "╌", "╌", "╌"], ["+", "+", "+", "+"];
    tees: [Symbol; 3] = ["├", "┼", "┤"], ["╎", "╎", "╎"], ["|", "+", "|"];
    ellipsis: Symbol = "…", "..", "..";
    tail: Symbol = "▌", "_", "_";
    bullet: Symbol = "•", "*", "*";
    heading: Symbol = "═", "=", "=";
}

impl Symbols {
    /// The characters of a set.
    pub const fn of(set: Set) -> &'static Self {
        match set {
            Set::Unicode => &UNICODE,
            Set::Narrow => &NARROW,
            Set::Ascii => &ASCII,
        }
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
