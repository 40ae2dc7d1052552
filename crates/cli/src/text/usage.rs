//! Tokens and dollars, as far as they are known.

use agent_worker_client::text::numbers::{self, UNKNOWN};
use agent_worker_protocol::{Usage, Used};

/// Tokens read, cached or not, and written.
pub fn tokens(usage: &Usage) -> String {
    usage.total().map_or_else(|| UNKNOWN.to_owned(), numbers::count)
}

/// The tokens of a workflow; zero if no provider reported any.
pub fn used_tokens(used: &Used) -> String {
    if used.tokens == 0 { UNKNOWN.to_owned() } else { numbers::count(used.tokens) }
}

/// The dollars of a workflow; zero if no provider reported any.
pub fn used_cost(used: &Used) -> String {
    numbers::cost((used.cost > 0.0).then_some(used.cost))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_usage_is_a_dash_and_never_a_zero() {
        assert_eq!(tokens(&Usage::default()), "-");
        let usage = Usage { input: Some(1200), ..Usage::default() };
        assert_eq!(tokens(&usage), "1,200");
        let cached = Usage { cache_read: Some(900), cache_write: Some(80), ..usage };
        assert_eq!(tokens(&cached), "2,180");
        assert_eq!(
            (used_tokens(&Used::default()), used_cost(&Used::default())),
            ("-".into(), "-".into())
        );
    }
}
