//! Work of the control room that `cargo bench` times. What is timed is handed out, so that no
//! clock is read here.

mod room;

use agent_worker_client::Clean;

use crate::{
    symbols::{Set, Symbols},
    text::markdown::{Sheet, Stream},
};

pub use room::Room;

const WIDTH: usize = 90;
const HEIGHT: usize = 40;

/// Streams a text in pieces of `piece` characters. `each` is given the work of every piece: it is
/// taken in, and a screen of the end of the text is made.
pub fn stream(text: &str, piece: usize, mut each: impl FnMut(&mut dyn FnMut())) {
    let symbols = Symbols::of(Set::Unicode);
    let mut stream = Stream::new(Sheet { width: WIDTH, symbols, wrap_code: false });
    let chars: Vec<char> = text.chars().collect();
    for piece in chars.chunks(piece.max(1)) {
        let delta = Clean::text(&piece.iter().collect::<String>());
        each(&mut || {
            stream.push(&delta);
            std::hint::black_box(stream.rows(stream.len().saturating_sub(HEIGHT)..stream.len()));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::looked_at;

    /// How much the last tenth of the pieces costs of what the first costs, counted in clusters
    /// that were looked at.
    fn growth(text: &str) -> f64 {
        let mut costs = Vec::new();
        stream(text, 120, |work| {
            let before = looked_at();
            work();
            costs.push(looked_at() - before);
        });
        let tenth = costs.len() / 10;
        let sum = |costs: &[u32]| costs.iter().copied().map(f64::from).sum::<f64>();
        sum(&costs[costs.len() - tenth..]) / sum(&costs[..tenth])
    }

    #[test]
    fn g_12_a_piece_of_a_long_text_costs_what_a_piece_of_a_short_one_does() {
        let line = "Some **words** of a line that has `code` and [links](https://x.test) in it.\n";
        for text in [
            line.repeat(2700),
            format!("{line}\n").repeat(2700),
            format!("{line}\n- one\n- two\n\n```rust\n{line}\n{line}```\n\n").repeat(700),
            line.replace([' ', '\n'], "").repeat(2700),
        ] {
            let growth = growth(&text);
            assert!(growth <= 1.5, "{growth}: {:?}", &text[..80]);
        }
    }
}
