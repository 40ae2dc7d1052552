//! Memories of agents, kept between searches: only files that have changed are read again.

use std::path::{Path, PathBuf};

use agent_worker_home::Memory;

/// How many memories are kept.
const KEPT: usize = 4;

/// Memories by the path of their home, the most recent search last.
#[derive(Debug, Default)]
pub struct Memories(Vec<(PathBuf, Memory)>);

impl Memories {
    /// Takes the memory of a home, to be read and searched while others are too.
    pub fn take(&mut self, home: &Path) -> Memory {
        let known = self.0.iter().position(|(known, _)| known == home);
        known.map(|at| self.0.remove(at).1).unwrap_or_default()
    }

    /// Keeps a memory until the next search.
    pub fn keep(&mut self, home: PathBuf, memory: Memory) {
        if self.0.len() == KEPT {
            self.0.remove(0);
        }
        self.0.push((home, memory));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memories_of_the_last_searches_are_kept() {
        let mut memories = Memories::default();
        let names = |memories: &Memories| -> Vec<String> {
            memories.0.iter().map(|(home, _)| home.display().to_string()).collect()
        };
        for home in ["a", "b", "c", "d", "b", "e"] {
            let memory = memories.take(Path::new(home));
            memories.keep(home.into(), memory);
        }
        assert_eq!(names(&memories), ["c", "d", "b", "e"]);
        drop(memories.take(Path::new("d")));
        assert_eq!(names(&memories), ["c", "b", "e"]);
    }
}
