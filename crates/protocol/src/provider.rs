//! Who serves models: how a server is spoken to, what its models cost, and what is known of it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::op,
    team::run::Usage,
    terms::{FromText, Secret, Variable, words::words},
};

/// A model that is served now, for hints and examples.
pub const EXAMPLE_MODEL: &str = "anthropic/claude-sonnet-5-5";

words! {
    /// How a server of models is spoken to.
    pub enum Wire {
        /// Anthropic's Messages
        Anthropic = "anthropic",
        /// `OpenAI`'s Chat Completions
        Openai = "openai",
        /// `OpenAI`'s Responses
        Responses = "responses",
    }
}

/// A server of models that is known by its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KnownProvider {
    /// What model names begin with
    pub name: String,
    /// How it is spoken to
    pub wire: Wire,
    /// Its address
    pub base_url: String,
    /// The variable that holds its key; none if it wants none
    pub key: Option<Variable>,
    /// What its models cost that are known, in dollars for a million tokens
    pub prices: BTreeMap<String, Price>,
    /// What else is known of its models
    pub models: BTreeMap<String, ModelFacts>,
}

/// Where a model is served, as far as it is known without its key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServedModel {
    /// Who serves it
    pub provider: String,
    /// How the server is spoken to
    pub wire: Wire,
    /// The server's address
    pub base_url: String,
    /// The variable that holds the server's key; none if it wants none
    pub key: Option<Variable>,
    /// What the server calls it
    pub model: String,
    /// What it costs, if that is known
    pub price: Option<Price>,
    /// Its longest answer in tokens, if that is known
    pub longest: Option<u32>,
    /// The day from which it is no longer served, if that is known
    pub retires: Option<String>,
}

/// List the servers of models that are known, and whether their keys are there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderList {}

/// A server of models, and whether it can be used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsableProvider {
    /// The server
    pub provider: KnownProvider,
    /// Whether its key is there; none if it wants none
    pub has_key: Option<bool>,
}

/// All servers of models that are known, by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProvidersListed {
    /// The servers
    pub providers: Vec<UsableProvider>,
    /// The day of the prices, as `YYYY-MM-DD`
    pub prices_as_of: String,
}

op!(ProviderList "provider_list": get "/providers", read => ProvidersListed);

/// The server of a model.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Provider {
    /// Provider, or the provider it is compatible with: `openai`, `anthropic` or another known one
    pub name: Option<String>,
    /// Address; default: the known one of the provider
    pub base_url: Option<String>,
    /// API key, as `$NAME`; no other key is sent to a `base_url`
    pub api_key: Option<Secret>,
}

impl FromText for Provider {
    const EXPECTED: &'static str = "the name of a provider, or a mapping with `base_url`";

    fn from_text(text: &str) -> Result<Self, String> {
        Ok(Self { name: Some(text.to_owned()), ..Self::default() })
    }
}

/// Whether a text is an address that can be asked over HTTP.
pub fn is_address(text: &str) -> bool {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let server = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
    server.is_some_and(is_server) && !text.contains(|c: char| c.is_whitespace() || c.is_control())
}

/// Whether a text names a host, with a port or without: `[::1]:8080`.
fn is_server(text: &str) -> bool {
    let server = text.rsplit_once('@').map_or(text, |(_, server)| server);
    let (host, port) = match server.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port),
        _ => (server, ""),
    };
    let is_port = port.is_empty() || port.parse::<u16>().is_ok();
    is_port && !host.is_empty()
}

/// What is said of a text that is not one.
pub fn no_address(text: &str) -> String {
    format!("`{text}` is not an address: write one such as `http://127.0.0.1:8080/v1`")
}

/// Whether HTTP has headers of this name.
pub fn is_header(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_part)
}

/// Whether a header can have this value.
pub fn is_header_value(value: &str) -> bool {
    !value.contains(|c: char| c.is_ascii_control() && c != '\t')
}

/// What a model costs, in dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Tokens read anew
    pub input: f64,
    /// Tokens written, thinking among them
    pub output: f64,
    /// Tokens read from the cache; as those read anew if it is not told
    pub cache_read: Option<f64>,
    /// Tokens written to the cache; as those read anew if it is not told
    pub cache_write: Option<f64>,
    /// What a request with a longer prompt costs
    pub over: Option<Over>,
}

/// What a request costs whose prompt is longer than a number of tokens, in dollars for a million.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Over {
    /// The longest prompt that costs the lower price, in tokens
    pub tokens: i64,
    /// Tokens read anew
    pub input: f64,
    /// Tokens written
    pub output: f64,
    /// Tokens read from the cache; as those read anew if it is not told
    pub cache_read: Option<f64>,
    /// Tokens written to the cache; as those read anew if it is not told
    pub cache_write: Option<f64>,
}

/// What is known of a model besides its price.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ModelFacts {
    /// The longest answer, in tokens
    pub longest: Option<u32>,
    /// The day from which it is no longer served, as `YYYY-MM-DD`
    pub retires: Option<String>,
}

impl Price {
    /// What many answers cost together, in dollars; `None` if their use is unknown. How long each
    /// prompt was is not known, so none counts as a longer one.
    pub fn of_many(&self, usage: Usage) -> Option<f64> {
        Self { over: None, ..*self }.of(usage)
    }

    /// What an answer costs, in dollars; `None` if its use is unknown.
    #[expect(clippy::cast_precision_loss, reason = "no answer has 9 quadrillion tokens")]
    pub fn of(&self, usage: Usage) -> Option<f64> {
        let cost = |tokens: Option<i64>, price: f64| tokens.unwrap_or(0) as f64 * price / 1e6;
        let (input, output) = (usage.input?, usage.output?);
        let price = self.for_prompt(usage.read()?);
        let whole = cost(Some(input), price.input) + cost(Some(output), price.output);
        let read = cost(usage.cache_read, price.cache_read.unwrap_or(price.input));
        let written = cost(usage.cache_write, price.cache_write.unwrap_or(price.input));
        Some(whole + read + written)
    }

    /// Returns the price of a request whose prompt has this many tokens.
    fn for_prompt(&self, tokens: i64) -> Self {
        match self.over.filter(|over| tokens > over.tokens) {
            Some(Over { input, output, cache_read, cache_write, .. }) => {
                Self { input, output, cache_read, cache_write, over: None }
            }
            None => *self,
        }
    }

    /// Whether it can be one: not less than nothing, and a number.
    pub fn is_sound(&self) -> bool {
        let all = [Some(*self), self.over.map(|over| self.for_prompt(over.tokens + 1))];
        let parts = all.into_iter().flatten().flat_map(|price| {
            [Some(price.input), Some(price.output), price.cache_read, price.cache_write]
        });
        parts.flatten().all(|part| part.is_finite() && part >= 0.0)
    }
}
