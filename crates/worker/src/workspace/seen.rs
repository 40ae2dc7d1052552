//! What this run has seen of files, so that it changes none that is no longer what it saw.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hasher},
    path::PathBuf,
};

use super::{Refusal, root::Place};

/// What a file's content was, in short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp(u64);

/// Makes a stamp of a content that comes in pieces.
#[derive(Debug, Default)]
pub struct Stamping(DefaultHasher);

impl Stamping {
    pub fn push(&mut self, piece: &[u8]) {
        self.0.write(piece);
    }

    /// There is no more.
    pub fn end(self) -> Stamp {
        Stamp(self.0.finish())
    }
}

impl Stamp {
    /// Of a content that is there as a whole.
    pub fn of(content: &[u8]) -> Self {
        let mut stamping = Stamping::default();
        stamping.push(content);
        stamping.end()
    }
}

/// Files by their paths without links, as this run saw them last.
#[derive(Debug, Default)]
pub struct Seen(HashMap<PathBuf, Stamp>);

impl Seen {
    /// The run has seen this, or has written it.
    pub fn note(&mut self, place: &Place, stamp: Stamp) {
        self.0.insert(place.path.clone(), stamp);
    }

    /// Refuses a file that the run has not read.
    pub fn known(&self, place: &Place) -> Result<(), Refusal> {
        if self.0.contains_key(&place.path) {
            return Ok(());
        }
        let path = place.told();
        Err(Refusal::new(format!("`{path}` was not read in this run, so it is not changed"))
            .hint("`read` it, then make the change"))
    }

    /// Refuses a file that is another than the run has seen. One it has never seen is not.
    pub fn same(&self, place: &Place, content: &[u8]) -> Result<(), Refusal> {
        match self.0.get(&place.path) {
            Some(stamp) if *stamp != Stamp::of(content) => {
                let path = place.told();
                Err(Refusal::new(format!("`{path}` has changed since this run read it"))
                    .hint("`read` it again, then make the change"))
            }
            _ => Ok(()),
        }
    }
}
