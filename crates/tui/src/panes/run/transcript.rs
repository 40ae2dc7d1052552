//! What a run was told, thought and did, as it is told.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeBounds,
};

use agent_worker_protocol::{
    BlockKind, BlockState, OutputEvent, RunDetail, RunId, RunState, Timestamp,
};
use ratatui_core::layout::Rect;

use super::block::{Block, Fit};
use crate::model::known::talks::View;

/// A transcript as far as it is known.
#[derive(Debug, Default)]
pub struct Transcript {
    /// Its blocks, by their numbers
    pub blocks: Vec<Block>,
    /// What is shown of them, in order
    pub items: Vec<Item>,
    /// How the run ended
    pub end: Option<End>,
    /// What else is known of the run
    pub detail: Option<RunDetail>,
    /// In which state the run was when that was asked for
    pub asked: Option<RunState>,
    /// The runs that it is of, where it is of several, by what the numbers of their blocks begin with;
    /// and whether they have ended
    pub runs: BTreeMap<i64, (RunId, bool)>,
    /// How it is looked at in each place
    pub looks: [Look; 3],
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    pub state: RunState,
    /// What it said when it failed
    pub error: Option<String>,
}

/// One entry of the column, by the places of its blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// What the run was given.
    Wake {
        system: Option<usize>,
        prompt: Option<usize>,
    },
    /// A tool's call and its answer.
    Tool {
        /// Which of the calls, from 1
        number: usize,
        call: Option<usize>,
        result: Option<usize>,
    },
    Plain(usize),
    /// The end of the run.
    End,
    /// A run begins, of several that are looked at together: what the numbers of its blocks begin with.
    Run(i64),
}

/// How many numbers each of several runs has for its blocks.
const NUMBERS: i64 = 1 << 24;

impl Item {
    /// The places of its blocks.
    pub fn blocks(self) -> impl Iterator<Item = usize> {
        let blocks = match self {
            Self::Wake { system, prompt } => [system, prompt],
            Self::Tool { call, result, .. } => [call, result],
            Self::Plain(index) => [Some(index), None],
            Self::End | Self::Run(_) => [None, None],
        };
        blocks.into_iter().flatten()
    }

    /// The place of the block that it ends with, once that is there; none of what a run was given.
    pub fn last(self) -> Option<usize> {
        match self {
            Self::Tool { result, .. } => result,
            Self::Plain(index) => Some(index),
            Self::Wake { .. } | Self::End | Self::Run(_) => None,
        }
    }
}

/// Where a transcript is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// In the main pane.
    Main,
    /// What the run was given, in the main pane.
    Prompt,
    /// Beside the main pane: this run, in this area.
    Dock(Option<RunId>, Rect),
}

impl Sight {
    /// Whether it is beside the main pane.
    pub fn is_beside(self) -> bool {
        matches!(self, Self::Dock(..))
    }

    fn index(self) -> usize {
        match self {
            Self::Main => 0,
            Self::Prompt => 1,
            Self::Dock(..) => 2,
        }
    }
}

/// How it is looked at.
#[derive(Debug, Clone, Default)]
pub struct Look {
    /// Where the view stands: on top is an entry, by the number of its first block
    pub view: View<i64>,
    /// The selected entry, by the number of its first block
    pub selected: Option<i64>,
    /// Entries that the person folded or unfolded
    pub folds: BTreeMap<i64, bool>,
    /// Entries that were open on the screen since the view last followed
    pub read: BTreeSet<i64>,
}

impl Transcript {
    /// Takes what is new.
    pub fn take(&mut self, event: OutputEvent, now: i64) -> Fit {
        match event {
            OutputEvent::Block { n, kind, state, name, at, ended_at } => {
                let index = self.index(n).unwrap_or_else(|index| {
                    self.begin(index, Block::new(n, kind, name, at));
                    index
                });
                if state == BlockState::Open {
                    return Fit::Good;
                }
                self.blocks[index].end(state, ended_at, now)
            }
            OutputEvent::Delta { n, off, text } => match self.index(n) {
                Ok(index) => self.blocks[index].add(off, &text, now),
                // Of a block that was not told of: what is told again will have it.
                Err(_) => Fit::Good,
            },
            OutputEvent::End { state, error } => {
                let fit = self.cut(.., now);
                self.end = (fit == Fit::Good).then_some(End { state, error });
                fit
            }
        }
    }

    /// Takes what is new of one of several runs.
    pub fn take_of(&mut self, run: RunId, mut event: OutputEvent, now: i64) -> Fit {
        let base = run.number() * NUMBERS;
        let known = self.runs.entry(base).or_insert((run, false));
        match &mut event {
            OutputEvent::Block { n, .. } | OutputEvent::Delta { n, .. } => {
                *n = base + 1 + (*n).min(NUMBERS - 2);
                self.take(event, now)
            }
            OutputEvent::End { .. } => {
                known.1 = true;
                self.cut(base + 1..base + NUMBERS, now)
            }
        }
    }

    /// Ends what is open of the blocks with these numbers.
    fn cut(&mut self, numbers: impl RangeBounds<i64>, now: i64) -> Fit {
        let open = self.blocks.iter_mut().filter(|it| it.is_growing() && numbers.contains(&it.n));
        let fits: Vec<Fit> = open.map(|block| block.end(BlockState::Cut, None, now)).collect();
        if fits.contains(&Fit::Gap) { Fit::Gap } else { Fit::Good }
    }

    /// The run of an entry, of several.
    pub fn run_of(&self, item: Item) -> Option<RunId> {
        let base = self.key(item) / NUMBERS * NUMBERS;
        self.runs.get(&base).map(|(run, _)| *run)
    }

    /// Whether the run of an entry has ended.
    pub fn is_over(&self, item: Item) -> bool {
        let base = self.key(item) / NUMBERS * NUMBERS;
        self.end.is_some() || self.runs.get(&base).is_some_and(|(_, is_over)| *is_over)
    }

    fn index(&self, n: i64) -> Result<usize, usize> {
        self.blocks.binary_search_by_key(&n, |block| block.n)
    }

    fn begin(&mut self, index: usize, block: Block) {
        self.blocks.insert(index, block);
        if index + 1 == self.blocks.len() {
            self.enter(index);
            return;
        }
        self.items.clear();
        for index in 0..self.blocks.len() {
            self.enter(index);
        }
    }

    /// Makes a block part of what is shown.
    fn enter(&mut self, index: usize) {
        let base = |index: usize| self.blocks[index].n / NUMBERS * NUMBERS;
        let begins = index == 0 || base(index) != base(index - 1);
        if begins && !self.runs.is_empty() {
            self.items.push(Item::Run(base(index)));
        }
        match self.blocks[index].kind {
            BlockKind::System | BlockKind::Prompt => self.enter_wake(index),
            BlockKind::ToolCall => {
                let number = self.calls() + 1;
                self.items.push(Item::Tool { number, call: Some(index), result: None });
            }
            BlockKind::ToolResult => self.enter_result(index),
            BlockKind::Text | BlockKind::Thinking | BlockKind::Notice | BlockKind::Error => {
                self.items.push(Item::Plain(index));
            }
        }
    }

    /// A system prompt belongs to the prompt after it. A run that begins its session anew may be given
    /// one after its first prompt.
    fn enter_wake(&mut self, index: usize) {
        if self.blocks[index].kind == BlockKind::System {
            self.items.push(Item::Wake { system: Some(index), prompt: None });
            return;
        }
        let start = self.newest();
        let open = self.items[start..].iter_mut().find_map(|item| match item {
            Item::Wake { prompt: open @ None, .. } => Some(open),
            _ => None,
        });
        match open {
            Some(open) => *open = Some(index),
            None => self.items.push(Item::Wake { system: None, prompt: Some(index) }),
        }
    }

    /// An answer belongs to the first call of its tool that has none. Only where no call waits for
    /// one, it may say of the last call that this was cut off at the longest answer.
    fn enter_result(&mut self, index: usize) {
        let start = self.newest();
        let (name, blocks) = (&self.blocks[index].name, &self.blocks);
        let waits = |item: &Item, is_cut: bool| {
            let Item::Tool { call: Some(call), result: None, .. } = item else { return false };
            let is_its = name.is_none() || blocks[*call].name == *name;
            is_its && is_cut == (blocks[*call].state == BlockState::Cut)
        };
        let items = &self.items[start..];
        let open = items.iter().position(|item| waits(item, false));
        let open = open.or_else(|| items.iter().rposition(|item| waits(item, true)));
        if let Some(open) = open
            && let Item::Tool { result, .. } = &mut self.items[start + open]
        {
            *result = Some(index);
            return;
        }
        let number = self.calls() + 1;
        self.items.push(Item::Tool { number, call: None, result: Some(index) });
    }

    /// Whether the call of an entry was broken off, and nothing came of it.
    pub fn is_broken_off(&self, item: Item) -> bool {
        let Item::Tool { call: Some(call), result: None, .. } = item else { return false };
        self.blocks[call].state == BlockState::Cut
    }

    /// The entries in order, with what the model thought or without.
    pub fn told(&self, with_thinking: bool) -> Vec<Item> {
        let is_thinking = |index: usize| self.blocks[index].kind == BlockKind::Thinking;
        let is_thought = |item: &Item| matches!(item, Item::Plain(at) if is_thinking(*at));
        let items = self.items.iter().copied();
        items.filter(|item| with_thinking || !is_thought(item)).collect()
    }

    /// The two texts that the run was given, each for itself.
    pub fn given(&self) -> Vec<Item> {
        let mut items = Vec::new();
        for item in &self.items {
            if let Item::Wake { system, prompt } = *item {
                items.extend(system.map(|_| Item::Wake { system, prompt: None }));
                items.extend(prompt.map(|_| Item::Wake { system: None, prompt }));
            }
        }
        items
    }

    /// Where the entries of the run begin that was entered last.
    fn newest(&self) -> usize {
        self.items.iter().rposition(|item| matches!(item, Item::Run(_))).unwrap_or(0)
    }

    /// How many tools were called.
    fn calls(&self) -> usize {
        self.items[self.newest()..].iter().filter(|item| matches!(item, Item::Tool { .. })).count()
    }

    /// The number of an entry's first block.
    pub fn key(&self, item: Item) -> i64 {
        match item {
            Item::End => i64::MAX,
            Item::Run(base) => base,
            item => item.blocks().min().map_or(0, |index| self.blocks[index].n),
        }
    }

    /// When an entry began.
    pub fn began(&self, item: Item) -> Option<Timestamp> {
        let index = match item {
            Item::Wake { system, prompt } => prompt.or(system)?,
            Item::Tool { call, result, .. } => call.or(result)?,
            Item::Plain(index) => index,
            Item::Run(base) => self.blocks.partition_point(|block| block.n < base),
            Item::End => return None,
        };
        Some(self.blocks[index].started_at)
    }

    /// How it is looked at.
    pub fn look(&self, pane: Sight) -> &Look {
        &self.looks[pane.index()]
    }

    /// How it is looked at, to be changed.
    pub fn look_mut(&mut self, pane: Sight) -> &mut Look {
        &mut self.looks[pane.index()]
    }

    /// The tools that were called, each with how often.
    pub fn tools(&self) -> Vec<(String, usize, bool)> {
        let mut tools: Vec<(String, usize, bool)> = Vec::new();
        for item in &self.items {
            let Item::Tool { call, result, .. } = item else { continue };
            let Some(index) = call.or(*result) else { continue };
            let name = self.blocks[index].name.as_deref().unwrap_or("a tool");
            let is_open = result.is_none_or(|result| self.blocks[result].is_growing());
            let is_running = is_open && self.end.is_none() && !self.is_broken_off(*item);
            match tools.iter_mut().find(|(known, ..)| known == name) {
                Some((_, count, running)) => {
                    *count += 1;
                    *running |= is_running;
                }
                None => tools.push((name.to_owned(), 1, is_running)),
            }
        }
        tools
    }
}

#[cfg(test)]
#[path = "../tests/run_transcript.rs"]
mod tests;
