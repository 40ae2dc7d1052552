//! To come.

/// A line that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// which
    pub index: usize,
}

/// The best.
pub fn best(query: &str, candidates: &[String]) -> Vec<Found> {
    let query = query.to_lowercase();
    candidates
        .iter()
        .enumerate()
        .filter(|(_, c)| query.split_whitespace().all(|w| c.to_lowercase().contains(w)))
        .map(|(index, _)| Found { index })
        .collect()
}
