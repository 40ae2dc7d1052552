//! Which turn of a script a run plays.

use std::collections::BTreeMap;

use agent_worker_workflow_file::script::{Script, Turn};

/// A turn that fits.
#[derive(Debug)]
pub struct Chosen<'s> {
    /// Its place in the script.
    pub place: u32,
    pub turn: &'s Turn,
    /// What the named groups of its pattern found; nothing is found as the empty text.
    pub found: BTreeMap<String, String>,
}

/// First turn that matches the messages and is not used up.
pub fn choose<'s>(script: &'s Script, played: &[u32], mail: &str) -> Option<Chosen<'s>> {
    (0..).zip(&script.0).find_map(|(place, turn)| {
        let times = played.iter().filter(|played| **played == place).count();
        let is_used_up = turn.times > 0 && times >= turn.times as usize;
        if is_used_up {
            return None;
        }
        let found = match &turn.when {
            Some(pattern) => pattern.find(mail)?,
            None => BTreeMap::new(),
        };
        Some(Chosen { place, turn, found })
    })
}
