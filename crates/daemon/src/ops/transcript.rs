//! The transcript of a run, block by block, as it is stored.

use std::ops::ControlFlow;

use agent_worker_protocol::{Block, BlockPart, BlockRead, BlockText, Blocks, RunBlocks};

use crate::{
    context::{Cx, Run, limit},
    error::{OpError, Result},
    rows::transcript::{self, BLOCKS, NEWEST_BLOCKS},
    rules::access::run,
};

/// How many blocks one page has at most.
const MOST_BLOCKS: u32 = 500;

/// How much text one page or one part has at most, in bytes; a page has at least one block.
const MOST_BYTES: usize = 1 << 20;

/// How much of a text is given, in characters.
#[derive(Debug, Clone, Copy)]
struct Shown {
    head: usize,
    tail: usize,
}

impl Shown {
    /// The beginning of a text, and the end of what is not in it.
    fn of<'t>(&self, text: &'t str) -> (&'t str, Option<&'t str>) {
        let end = text.char_indices().nth(self.head).map_or(text.len(), |(at, _)| at);
        let (head, rest) = text.split_at(end);
        let is_wanted = self.tail > 0 && !rest.is_empty();
        let tail = is_wanted.then(|| {
            let start = rest.char_indices().nth_back(self.tail - 1).map_or(0, |(at, _)| at);
            &rest[start..]
        });
        (head, tail)
    }

    fn part(&self, block: Block) -> BlockPart {
        let Block { n, kind, state, name, text, started_at, ended_at } = block;
        let (head, tail) = self.of(&text);
        BlockPart {
            n,
            kind,
            state,
            name,
            len: length(&text),
            text: head.to_owned(),
            tail: tail.map(ToOwned::to_owned),
            started_at,
            ended_at,
        }
    }
}

pub fn length(text: &str) -> i64 {
    i64::try_from(text.len()).unwrap_or(i64::MAX)
}

impl Run for RunBlocks {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Blocks> {
        let run = run::readable(cx, self.id)?.id;
        if self.last && self.from.is_some() {
            return Err(OpError::invalid("only one of `from` and `last` is allowed"));
        }
        let limit = limit::at_most(self.limit, 50, MOST_BLOCKS)? as usize;
        let shown = Shown {
            head: self.max_chars.unwrap_or(2000) as usize,
            tail: self.tail_chars.unwrap_or(0) as usize,
        };
        let sql = if self.last { NEWEST_BLOCKS } else { BLOCKS };
        let (mut blocks, mut bytes, mut more) = (Vec::new(), 0, false);
        cx.db.each(sql, (run, self.from.unwrap_or(0)), |block| {
            let part = shown.part(block);
            bytes += part.text.len() + part.tail.as_ref().map_or(0, String::len);
            more = blocks.len() == limit || (bytes > MOST_BYTES && !blocks.is_empty());
            if more {
                return ControlFlow::Break(());
            }
            blocks.push(part);
            ControlFlow::Continue(())
        })?;
        if self.last {
            blocks.reverse();
        }
        Ok(Blocks { blocks, more, count: transcript::count(cx.db, run)? })
    }
}

impl Run for BlockRead {
    fn run(&self, cx: &mut Cx<'_>) -> Result<BlockText> {
        let run = run::readable(cx, self.id)?.id;
        let limit = limit::at_most(self.limit, 1 << 16, u32::MAX)? as usize;
        let block = transcript::find(cx.db, run, self.n.into())?;
        let Some(block) = block else {
            let count = transcript::count(cx.db, run)?;
            let text = format!("block {} not found in {run}: its transcript has {count}", self.n);
            return Err(OpError::not_found(text));
        };
        let (off, text) = range(&block.text, self.off.unwrap_or(0) as usize, limit);
        Ok(BlockText {
            n: block.n,
            kind: block.kind,
            state: block.state,
            name: block.name,
            off: i64::try_from(off).unwrap_or(i64::MAX),
            len: length(&block.text),
            more: off + text.len() < block.text.len(),
            text: text.to_owned(),
        })
    }
}

/// The bytes of a text from a place on, whole characters and at least one if there is one, and
/// where they begin.
fn range(text: &str, off: usize, limit: usize) -> (usize, &str) {
    let start = text.floor_char_boundary(off);
    let first = text[start..].chars().next().map_or(0, char::len_utf8);
    let end = text.floor_char_boundary(start.saturating_add(limit.min(MOST_BYTES)));
    (start, &text[start..end.max(start + first)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_by_bytes_has_whole_characters_and_goes_on_where_it_ended() {
        assert_eq!(range("aäb", 0, 2), (0, "a"));
        assert_eq!(range("aäb", 1, 1), (1, "ä"));
        assert_eq!(range("aäb", 2, 9), (1, "äb"));
        assert_eq!(range("aäb", 4, 9), (4, ""));
        assert_eq!(range("aäb", 99, 9), (4, ""));
        assert_eq!(range("", 0, 1), (0, ""));
    }

    #[test]
    fn the_end_of_a_text_is_what_its_beginning_has_not() {
        let shown = |head, tail| Shown { head, tail };
        assert_eq!(shown(2, 0).of("äöüß"), ("äö", None));
        assert_eq!(shown(2, 1).of("äöüß"), ("äö", Some("ß")));
        assert_eq!(shown(2, 9).of("äöüß"), ("äö", Some("üß")));
        assert_eq!(shown(4, 9).of("äöüß"), ("äöüß", None));
        assert_eq!(shown(0, 0).of("äöüß"), ("", None));
    }
}
