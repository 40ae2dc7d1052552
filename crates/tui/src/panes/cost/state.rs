//! What is kept, and which line is selected.

use std::collections::BTreeMap;

use super::{
    sum::By,
    sums::{self, Line},
};
use crate::{
    model::{Model, Picked, Tab},
    parts::table,
};

/// What was used.
#[derive(Debug, Default)]
pub struct Costs {
    pub(super) by: By,
    pub(super) picked: BTreeMap<&'static str, Picked<String>>,
}

impl Costs {
    /// The lines of the table, as it is filtered and sorted.
    pub(super) fn lines(&self, model: &Model) -> Vec<Line> {
        table::arranged(model, Tab::Cost, sums::lines(model, self.by), Line::facts)
    }

    pub(super) fn names(&self, model: &Model) -> Vec<String> {
        self.lines(model).into_iter().map(|line| line.name).collect()
    }

    pub(super) fn own(&self, model: &Model) -> Option<Line> {
        let lines = self.lines(model);
        let names: Vec<String> = lines.iter().map(|line| line.name.clone()).collect();
        let picked = self.picked.get(self.by.words());
        let at = picked.map_or(Some(0), |picked| picked.at(&names))?;
        lines.into_iter().nth(at)
    }
}
