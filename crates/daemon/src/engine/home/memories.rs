//! Memories of agents, kept between searches: only files that have changed are read again.

use std::path::PathBuf;

use agent_worker_home::Memory;

/// How many memories are kept.
const KEPT: usize = 4;

/// Memories by the path of their home, the most recent search last.
#[derive(Debug, Default)]
pub struct Memories(Vec<(PathBuf, Memory)>);

impl Memories {
    /// Does something with the memory of a home. It is forgotten if that fails.
    pub fn with<T, E>(
        &mut self,
        home: PathBuf,
        work: impl FnOnce(&mut Memory) -> Result<T, E>,
    ) -> Result<T, E> {
        let known = self.0.iter().position(|(known, _)| *known == home);
        let mut memory = known.map(|at| self.0.remove(at).1).unwrap_or_default();
        let done = work(&mut memory)?;
        if self.0.len() == KEPT {
            self.0.remove(0);
        }
        self.0.push((home, memory));
        Ok(done)
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
            memories.with(home.into(), |_| Ok::<_, ()>(())).unwrap();
        }
        assert_eq!(names(&memories), ["c", "d", "b", "e"]);
        memories.with("d".into(), |_| Err::<(), _>(())).unwrap_err();
        assert_eq!(names(&memories), ["c", "b", "e"]);
    }
}
