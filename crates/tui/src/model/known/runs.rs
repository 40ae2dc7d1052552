//! Runs that were loaded beside the picture.

use std::collections::{BTreeMap, VecDeque};

use agent_worker_protocol::{Run, RunId, Runs, Target};

use super::paging::Paging;
use crate::model::Picked;

/// How many runs of one table are kept.
const MOST: usize = 2_000;

/// How many tables are kept.
const MOST_TABLES: usize = 8;

/// Tables of runs that were viewed, by agent; `None` is the table of all agents.
#[derive(Debug, Default)]
pub struct Tables {
    tables: BTreeMap<Option<Target>, Pages>,
    /// The most recently viewed is the last
    seen: VecDeque<Option<Target>>,
}

/// What is known of one table.
#[derive(Debug, Default)]
pub struct Pages {
    pub runs: BTreeMap<RunId, Run>,
    /// Which one is selected
    pub picked: Picked<RunId>,
    paging: Paging,
    /// Runs that were made or changed while a page was on its way
    meanwhile: Vec<Run>,
}

impl Pages {
    /// Whether a page is on its way.
    pub fn is_loading(&self) -> bool {
        self.paging == Paging::Asked
    }

    /// Whether no more are loaded, though there are older ones.
    pub fn is_full(&self) -> bool {
        self.runs.len() >= MOST && !self.is_whole()
    }

    /// Whether there are no older ones.
    pub fn is_whole(&self) -> bool {
        self.paging == Paging::Whole
    }

    /// The oldest run of them.
    pub fn oldest(&self) -> Option<RunId> {
        self.runs.keys().next().copied()
    }

    fn take(&mut self, run: Run, is_of_all: bool) {
        match self.paging {
            Paging::Nothing => return,
            // The page may have been made before.
            Paging::Asked => return self.meanwhile.push(run),
            Paging::Part | Paging::Whole => {}
        }
        // The next page of all agents' runs begins before the oldest: the runs between would never
        // come.
        let is_before = self.oldest().is_some_and(|oldest| run.id < oldest);
        if is_of_all && is_before && !self.is_whole() {
            return;
        }
        self.runs.insert(run.id, run);
        while self.runs.len() > MOST + MOST / 10 {
            self.runs.pop_first();
            self.paging = Paging::Part;
        }
    }

    fn catch_up(&mut self, is_of_all: bool) {
        for run in std::mem::take(&mut self.meanwhile) {
            self.take(run, is_of_all);
        }
    }
}

impl Tables {
    /// A table, if it was looked at.
    pub fn get(&self, of: Option<&Target>) -> Option<&Pages> {
        self.tables.get(&of.cloned())
    }

    /// A table. Those that were not looked at for longest are forgotten.
    pub fn get_mut(&mut self, of: Option<&Target>) -> &mut Pages {
        let of = of.cloned();
        self.seen.retain(|seen| *seen != of);
        self.seen.push_back(of.clone());
        if self.seen.len() > MOST_TABLES
            && let Some(oldest) = self.seen.pop_front()
        {
            self.tables.remove(&oldest);
        }
        self.tables.entry(of).or_default()
    }

    /// A run of any of them.
    pub fn find(&self, id: RunId) -> Option<&Run> {
        self.tables.values().find_map(|pages| pages.runs.get(&id))
    }

    /// Whether the first page is to be asked for. From here on it is on its way.
    pub fn begin(&mut self, of: Option<&Target>) -> bool {
        self.get_mut(of).paging.begin()
    }

    /// Whether the next page is to be asked for. From here on it is on its way.
    pub fn more(&mut self, of: Option<&Target>) -> bool {
        let pages = self.get_mut(of);
        !pages.is_full() && pages.paging.more()
    }

    pub fn load(&mut self, of: Option<&Target>, before: Option<RunId>, page: Runs) {
        let Some(pages) = self.tables.get_mut(&of.cloned()) else { return };
        if before.is_none() {
            pages.runs.clear();
        }
        pages.runs.extend(page.runs.into_iter().map(|run| (run.id, run)));
        pages.paging.load(page.more);
        pages.catch_up(of.is_none());
    }

    /// A page could not be loaded: it may be asked for again.
    pub fn fail(&mut self, of: Option<&Target>, before: Option<RunId>) {
        if let Some(pages) = self.tables.get_mut(&of.cloned()) {
            pages.paging.fail(before.is_none());
            pages.catch_up(of.is_none());
        }
    }

    /// A run was made or changed. The picture keeps the newest of each agent alone.
    pub fn take(&mut self, run: &Run) {
        for of in [None, Some(run.agent.clone())] {
            if let Some(pages) = self.tables.get_mut(&of) {
                pages.take(run.clone(), of.is_none());
            }
        }
    }

    /// Everything is to be asked for again.
    pub fn distrust(&mut self) {
        for pages in self.tables.values_mut() {
            pages.paging = Paging::default();
            pages.meanwhile.clear();
        }
    }

    pub fn forget(&mut self, is_gone: impl Fn(&Run) -> bool) {
        for pages in self.tables.values_mut() {
            pages.runs.retain(|_, run| !is_gone(run));
            pages.meanwhile.retain(|run| !is_gone(run));
        }
    }
}
