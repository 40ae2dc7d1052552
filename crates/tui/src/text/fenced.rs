//! The code blocks of a text.

use agent_worker_client::{Clean, text::numbers};
use agent_worker_protocol::{
    Fence,
    mention::{self},
};

/// A fenced code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// What stands behind its fence; may be empty
    pub about: String,
    pub text: String,
}

impl Block {
    /// Tells it from others: `rust, 12 lines: fn main() {`.
    pub fn label(&self) -> String {
        let count = numbers::counted(self.text.lines().count(), "line", "lines");
        let first = self.text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
        match self.about.split_whitespace().next() {
            Some(language) => format!("{language}, {count}: {first}"),
            None => format!("{count}: {first}"),
        }
    }
}

/// The fenced code blocks of a text, without their fences. A block that was not closed ends with
/// the text.
pub fn blocks(text: &str) -> Vec<Block> {
    let text = Clean::text(text);
    let mut blocks = Vec::new();
    let mut open: Option<(Fence, Block)> = None;
    for line in text.as_str().split_inclusive('\n') {
        match &mut open {
            Some((fence, _)) if fence.is_closed_by(line) => {
                blocks.extend(open.take().map(|(_, block)| block));
            }
            Some((_, block)) => block.text.push_str(line),
            None => {
                let signs = mention::bare(line);
                let about = || signs.trim_start_matches(['`', '~']).trim().to_owned();
                let block = || Block { about: about(), text: String::new() };
                open = Fence::opened_in_list_by(line).map(|fence| (fence, block()));
            }
        }
    }
    blocks.extend(open.map(|(_, block)| block));
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_with_their_languages_and_without_their_fences() {
        let text =
            "so\n```rust ignore\nfn a() {}\n\n  b();\n```\nand\n~~~\n```\n~~~\n`no`\n```\nopen";
        let blocks = blocks(text);
        let texts: Vec<&str> = blocks.iter().map(|block| block.text.as_str()).collect();
        assert_eq!(texts, ["fn a() {}\n\n  b();\n", "```\n", "open"]);
        let labels: Vec<String> = blocks.iter().map(Block::label).collect();
        assert_eq!(labels, ["rust, 3 lines: fn a() {}", "1 line: ```", "1 line: open"]);
    }

    #[test]
    fn a_block_in_a_list_is_found() {
        let blocks = blocks("1. ```sh\n   git log\n   ```\n2. and");
        let found: Vec<_> =
            blocks.iter().map(|block| (block.about.as_str(), block.text.as_str())).collect();
        assert_eq!(found, [("sh", "   git log\n")]);
    }

    #[test]
    fn a_fence_that_is_code_of_a_block_does_not_end_it() {
        let blocks = blocks("```md\n1. a\n\n    ```sh\n    make\n    ```\nb\n```\nc");
        let texts: Vec<&str> = blocks.iter().map(|block| block.text.as_str()).collect();
        assert_eq!(texts, ["1. a\n\n    ```sh\n    make\n    ```\nb\n"]);
    }

    #[test]
    fn what_is_copied_holds_no_control_characters() {
        let [block] = &blocks("```\na\u{1b}[31mb\r\n```")[..] else { panic!("one block") };
        assert!(!block.text.contains(['\u{1b}', '\r']), "{block:?}");
    }
}
