//! `agent-worker search`

use agent_worker_client::ClientError;
use agent_worker_protocol::{ErrorCode, Search, Target};
use clap::Args;

use super::text as hits;
use crate::{
    again, complete,
    exit::{Exit, Refusal},
    parse,
    session::Session,
};

/// `agent-worker search`
#[derive(Debug, Args)]
pub struct Searching {
    /// Search words
    #[arg(allow_hyphen_values = true)]
    pub text: String,
    /// Workflow, group or agent [default: everywhere]
    #[arg(add = complete::targets(), value_parser = parse::target)]
    pub target: Option<Target>,
    /// Number of entries, at most 100 [default: 20]
    #[arg(short = 'n', long, value_parser = parse::up_to(100))]
    pub limit: Option<u32>,
    /// Show the next page, with the PLACE printed below this one
    #[arg(long, value_name = "PLACE")]
    pub next: Option<i64>,
}

/// Searches, and shows the matches.
pub async fn search(session: &Session, args: Searching) -> anyhow::Result<Exit> {
    check(&args.text)?;
    let word = args.target.as_ref().filter(|target| target.scope.is_none()).cloned();
    let asked = async {
        let client = session.at(args.target.clone()).await?;
        let search = Search { text: args.text.clone(), limit: args.limit, next: args.next };
        anyhow::Ok(client.call(&search).await?)
    };
    let found = asked.await.map_err(|error| unless_unquoted(error, &args.text, word.as_ref()))?;
    session.show_in_view(&found, hits::list)
}

/// Refuses what looks like a search that was not finished.
fn check(text: &str) -> Result<(), Refusal> {
    if text.matches('"').count() % 2 == 1 {
        let whole = format!("{}\"", text.trim_end());
        let refusal = Refusal::usage(format!("a quote is not closed in `{text}`"));
        return Err(refusal.hint(again::with(text, &whole)));
    }
    let is_bare = |word: &&str| FILTERS.contains(word);
    match words(text).find(is_bare) {
        Some(bare) => {
            let message = format!("filter `{bare}` has no value in `{text}`");
            let value = if bare == "kind:" { "message" } else { "NAME" };
            let value = if ["before:", "after:"].contains(&bare) { "24h" } else { value };
            let value = if bare == "in:" { "@WORKFLOW" } else { value };
            Err(Refusal::usage(message).hint(format!("write `{bare}{value}`, without a space")))
        }
        None => Ok(()),
    }
}

/// The words of a search. As for the daemon, a space in quotes ends none.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut is_open = false;
    text.split(move |c: char| {
        is_open ^= matches!(c, '"' | '\u{201c}' | '\u{201d}');
        c.is_whitespace() && !is_open
    })
}

/// The filters of a search; each is followed by its value.
const FILTERS: [&str; 6] = ["from:", "to:", "in:", "kind:", "before:", "after:"];

/// A second word that names no agent or workflow was most likely meant to be searched for.
fn unless_unquoted(error: anyhow::Error, text: &str, word: Option<&Target>) -> anyhow::Error {
    let refused = error.downcast_ref::<ClientError>();
    // It may be the place behind `in:` that is missing.
    let is_missing = refused.is_some_and(|refused| refused.is(ErrorCode::NotFound))
        && !words(text).any(|word| word.starts_with("in:"));
    let Some(word) = word.filter(|_| is_missing) else { return error };
    let message = format!("agent or workflow `{word}` not found: quote a search of several words");
    Refusal::new(message).hint(again::joined(text, &word.to_string())).into()
}

#[cfg(test)]
mod tests {
    use agent_worker_protocol::ErrorBody;

    use super::*;

    #[test]
    fn a_place_that_is_not_found_is_told_as_it_is() {
        let word: Target = "ivy".parse().unwrap();
        let told = |text: &str| {
            let (code, message) = (ErrorCode::NotFound, "no such place".to_owned());
            let refused = ClientError::Refused(ErrorBody { code, message, hint: None });
            unless_unquoted(refused.into(), text, Some(&word)).to_string()
        };
        assert!(told("word").contains("`ivy` not found: quote"), "{}", told("word"));
        assert!(told("word in:@nowhere").contains("no such place"), "{}", told("word in:@nowhere"));
    }

    #[test]
    fn a_search_that_is_not_finished_is_refused() {
        for text in ["\"race", "from:", "from: alice", "word after:"] {
            assert!(check(text).is_err(), "{text}");
        }
        for text in [
            "from:alice",
            "\"race condition\"",
            "say from:alice so",
            "so: it is",
            "\"reply to: all\"",
            "in:\"the team\" x",
        ] {
            assert!(check(text).is_ok(), "{text}");
        }
    }
}
