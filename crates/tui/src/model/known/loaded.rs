//! What was loaded by key: one request at a time, and again what has changed since.

use std::collections::{BTreeMap, BTreeSet};

/// At most `MOST` values; those with the lowest keys go first.
#[derive(Debug)]
pub struct Loaded<K, V, const MOST: usize> {
    known: BTreeMap<K, V>,
    /// Keys whose value has changed since the request for it
    outdated: BTreeSet<K>,
    failed: BTreeSet<K>,
    asked: Option<K>,
}

impl<K, V, const MOST: usize> Default for Loaded<K, V, MOST> {
    fn default() -> Self {
        Self {
            known: BTreeMap::new(),
            outdated: BTreeSet::new(),
            failed: BTreeSet::new(),
            asked: None,
        }
    }
}

impl<K: Ord + Clone, V, const MOST: usize> Loaded<K, V, MOST> {
    /// Returns the value of a key, even if it is outdated.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.known.get(key)
    }

    /// Whether the value of a key could not be loaded.
    pub fn has_failed(&self, key: &K) -> bool {
        self.failed.contains(key)
    }

    /// Whether the value of a key has to be asked for. From here on it is on its way. One is asked
    /// for at a time, so that a quick way down a list asks for few of its lines.
    pub fn ask(&mut self, key: &K) -> bool {
        let is_known = self.known.contains_key(key) && !self.outdated.contains(key);
        if is_known || self.asked.is_some() || self.failed.contains(key) {
            return false;
        }
        self.asked = Some(key.clone());
        self.outdated.remove(key);
        true
    }

    /// Takes the value of a key.
    pub fn load(&mut self, key: K, value: V) {
        self.asked.take_if(|asked| *asked == key);
        if self.known.len() >= MOST && !self.known.contains_key(&key) {
            self.known.pop_first();
        }
        self.known.insert(key, value);
    }

    /// Notes that a value could not be loaded. It is not asked for again until [`Loaded::retry`].
    pub fn fail(&mut self, key: &K) {
        self.asked.take_if(|asked| asked == key);
        self.failed.insert(key.clone());
    }

    /// Lets a value that could not be loaded be asked for again.
    pub fn retry(&mut self, key: &K) {
        self.asked.take_if(|asked| asked == key);
        self.failed.remove(key);
    }

    /// Notes that the value of a key has changed.
    pub fn outdate(&mut self, key: &K) {
        if self.known.contains_key(key) || self.asked.as_ref() == Some(key) {
            self.outdated.insert(key.clone());
        }
    }

    /// Notes that every value may have changed.
    pub fn outdate_all(&mut self) {
        self.outdated = self.known.keys().chain(&self.asked).cloned().collect();
    }

    pub fn remove(&mut self, key: &K) {
        self.known.remove(key);
    }

    /// Notes that every value may have changed, and that no answer comes any more.
    pub fn renew(&mut self) {
        self.asked = None;
        self.failed.clear();
        self.outdate_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_is_asked_for_at_a_time_and_again_when_it_has_changed() {
        let mut loaded = Loaded::<_, _, 9>::default();
        assert!(loaded.ask(&1) && !loaded.ask(&1) && !loaded.ask(&2));
        loaded.outdate(&1);
        loaded.load(1, "old");
        assert_eq!(loaded.get(&1), Some(&"old"));
        assert!(loaded.ask(&1), "it has changed on its way");
        loaded.load(1, "new");
        assert!(!loaded.ask(&1) && loaded.ask(&2));
    }

    #[test]
    fn a_failure_is_kept_until_somebody_wants_it_again() {
        let mut loaded = Loaded::<i32, (), 9>::default();
        assert!(loaded.ask(&1));
        loaded.fail(&1);
        assert!(loaded.has_failed(&1) && !loaded.ask(&1));
        loaded.retry(&1);
        assert!(loaded.ask(&1));
    }

    #[test]
    fn no_more_is_kept_than_may_be() {
        let mut loaded = Loaded::<_, _, 2>::default();
        for key in 1..=3 {
            loaded.load(key, ());
        }
        assert!(loaded.get(&1).is_none() && loaded.get(&3).is_some());
        loaded.renew();
        assert!(loaded.ask(&3) && loaded.get(&3).is_some());
    }
}
