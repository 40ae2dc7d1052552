//! Who serves models: the table of those that are known, and where an agent's model is found.

use std::collections::{BTreeMap, BTreeSet};

use agent_worker_protocol::{
    KnownProvider, Price, Provider, ServedModel, Variable, Wire,
    nearest::nearest,
    provider::{EXAMPLE_MODEL, is_address, no_address},
};
use serde::{Deserialize, Deserializer, de::Error as _};

use crate::prices::{self, PriceTable};

/// What keeps an agent of the backend `default` that names no model.
pub const NO_MODEL: &str = "backend `default` needs a model";

/// What `[providers.NAME]` of `config.toml` says: of a known one only what is different.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProviderSetting {
    /// How it is spoken to (`openai`)
    pub wire: Option<Wire>,
    /// Its address
    pub base_url: Option<String>,
    /// The variable that holds its key
    #[serde(deserialize_with = "variable")]
    pub key: Option<Variable>,
    /// What its models cost, in dollars for a million tokens
    pub prices: BTreeMap<String, Price>,
}

/// Why it is not known where a model is served.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NotServed {
    /// What is the case.
    pub message: String,
    /// What to do.
    pub hint: String,
}

/// The providers of a daemon.
#[derive(Debug, Clone, PartialEq)]
pub struct Providers {
    all: BTreeMap<String, KnownProvider>,
    /// Models that have a price of the user's own, of each provider at its known address
    own: BTreeMap<String, BTreeSet<String>>,
    /// The day of the prices
    as_of: String,
}

/// Reads the name of a variable. What is not one may be the key itself, and is not repeated.
fn variable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Variable>, D::Error> {
    let name = String::deserialize(deserializer)?;
    name.parse().map(Some).map_err(|_| {
        D::Error::custom(
            "a key is never written here: write the name of the variable that holds it, such as \
             `HOUSE_KEY`",
        )
    })
}

/// Name, wire, address, and the variable that holds the key.
const KNOWN: [(&str, Wire, &str, Option<&str>); 12] = [
    ("anthropic", Wire::Anthropic, "https://api.anthropic.com", Some("ANTHROPIC_API_KEY")),
    ("deepseek", Wire::Openai, "https://api.deepseek.com/v1", Some("DEEPSEEK_API_KEY")),
    (
        "gemini",
        Wire::Openai,
        "https://generativelanguage.googleapis.com/v1beta/openai",
        Some("GEMINI_API_KEY"),
    ),
    ("groq", Wire::Openai, "https://api.groq.com/openai/v1", Some("GROQ_API_KEY")),
    ("lmstudio", Wire::Openai, "http://127.0.0.1:1234/v1", None),
    ("mistral", Wire::Openai, "https://api.mistral.ai/v1", Some("MISTRAL_API_KEY")),
    ("ollama", Wire::Openai, "http://127.0.0.1:11434/v1", None),
    ("openai", Wire::Responses, "https://api.openai.com/v1", Some("OPENAI_API_KEY")),
    ("openrouter", Wire::Openai, "https://openrouter.ai/api/v1", Some("OPENROUTER_API_KEY")),
    ("together", Wire::Openai, "https://api.together.xyz/v1", Some("TOGETHER_API_KEY")),
    ("vllm", Wire::Openai, "http://127.0.0.1:8000/v1", None),
    ("xai", Wire::Openai, "https://api.x.ai/v1", Some("XAI_API_KEY")),
];

impl Default for Providers {
    fn default() -> Self {
        let known = KNOWN.map(|(name, wire, base_url, key)| {
            let key = key.map(|key| key.parse().expect("the table has names of variables"));
            (name.to_owned(), KnownProvider { key, ..bare(name, wire, base_url) })
        });
        let own = KNOWN.map(|(name, ..)| (name.to_owned(), BTreeSet::new())).into();
        let mut providers = Self { all: known.into(), own, as_of: String::new() };
        providers.renew(PriceTable::own());
        providers
    }
}

impl Providers {
    /// The known ones, with a daemon's own settings. The error names what is missing.
    pub fn with(settings: &BTreeMap<String, ProviderSetting>) -> Result<Self, String> {
        let mut all = Self::default();
        for (name, setting) in settings {
            let ProviderSetting { wire, base_url, key, prices } = setting.clone();
            if let Some(url) = base_url.as_deref().filter(|url| !is_address(url)) {
                return Err(format!("[providers.{name}]: {}", no_address(url)));
            }
            if let Some((model, _)) = prices.iter().find(|(_, price)| !price.is_sound()) {
                return Err(format!(
                    "[providers.{name}.prices] invalid price of `{model}`: must be 0 or more"
                ));
            }
            if base_url.is_some() {
                all.own.remove(name);
            } else if let Some(own) = all.own.get_mut(name) {
                own.extend(prices.keys().cloned());
            }
            let mut provider = match (all.all.remove(name), base_url) {
                (Some(known), None) => known,
                // A key goes nowhere but where it belongs: another address names its own. Nor is it
                // known what another address takes for the same.
                (known, Some(base_url)) => {
                    let wire = known.map_or(Wire::Openai, |known| known.wire);
                    bare(name, wire, &base_url)
                }
                (None, None) => return Err(format!("[providers.{name}] has no `base_url`")),
            };
            provider.wire = wire.unwrap_or_else(|| wire_at(provider.wire, &provider.base_url));
            provider.key = key.or(provider.key);
            provider.prices.extend(prices);
            all.all.insert(name.clone(), provider);
        }
        Ok(all)
    }

    /// Takes the prices of a newer table. Those of the user's own stay, and so do models that the
    /// table does not have.
    pub fn renew(&mut self, mut table: PriceTable) {
        for (name, own) in &self.own {
            let Some(provider) = self.all.get_mut(name) else { continue };
            for (model, listed) in table.providers.remove(name).unwrap_or_default() {
                if !own.contains(&model) {
                    provider.prices.insert(model.clone(), listed.price);
                }
                provider.models.insert(model, listed.facts);
            }
        }
        self.as_of = table.as_of;
    }

    /// The day of the prices, as `YYYY-MM-DD`.
    pub fn prices_as_of(&self) -> &str {
        &self.as_of
    }

    /// All of them, by name.
    pub fn all(&self) -> impl Iterator<Item = &KnownProvider> {
        self.all.values()
    }

    /// Where a model is served: by the provider that its name begins with, or as the agent says.
    /// An address that the agent gives is sent only a key that the agent names.
    pub fn find(
        &self,
        model: Option<&str>,
        given: Option<&Provider>,
    ) -> Result<ServedModel, NotServed> {
        let model = model.ok_or_else(|| NotServed {
            message: NO_MODEL.to_owned(),
            hint: format!("give it a `model: provider/model`, such as `{EXAMPLE_MODEL}`"),
        })?;
        self.check_named(model)?;
        let (prefix, rest) = model.split_once('/').unwrap_or(("", model));
        let Some(given) = given else {
            let known = self.all.get(prefix).ok_or_else(|| self.unknown(model, prefix))?;
            return Ok(serve(known, rest));
        };
        let named = given.name.as_deref();
        let own_prefix = named.is_none_or(|name| name == prefix);
        let known = match named {
            Some(name) => Some(self.all.get(name).ok_or_else(|| self.unknown(name, name))?),
            None => self.all.get(prefix),
        };
        // What another provider than its own is asked for may be called with a slash there.
        let called = if own_prefix && known.is_some() { rest } else { model };
        let mut served = match (known, &given.base_url) {
            (Some(known), _) => serve(known, called),
            (None, Some(base_url)) => serve(&bare(base_url, Wire::Openai, base_url), called),
            (None, None) => return Err(self.unknown(model, prefix)),
        };
        if let Some(base_url) = &given.base_url {
            served.base_url.clone_from(base_url);
            served.wire = wire_at(served.wire, base_url);
            (served.key, served.price, served.longest, served.retires) = (None, None, None, None);
        }
        if let Some(key) = &given.api_key {
            served.key = Some(key.variable().clone());
        }
        Ok(served)
    }

    /// Refuses a model without a name, such as `openai/`: its server would be asked for nothing.
    pub fn check_named(&self, model: &str) -> Result<(), NotServed> {
        let (_, name) = model.split_once('/').unwrap_or(("", model));
        if name.trim().is_empty() { Err(self.unknown(model, "")) } else { Ok(()) }
    }

    fn unknown(&self, what: &str, name: &str) -> NotServed {
        let message = if name.is_empty() {
            format!("invalid model `{what}`: write `provider/model`")
        } else {
            format!("unknown provider `{name}`")
        };
        let near = nearest(name, self.all.keys().map(String::as_str));
        let names = self.all.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        let hint = format!(
            "{near}known are {names}; for another compatible server: \
             agent-worker config set providers.NAME.base_url URL, or in a workflow file \
             `provider: {{ name: openai, base_url: … }}`"
        );
        NotServed { message, hint }
    }
}

/// How another address of a known provider is spoken to. Most servers that are compatible with
/// `OpenAI` serve Chat Completions alone.
fn wire_at(wire: Wire, base_url: &str) -> Wire {
    let is_own = base_url.starts_with("https://api.openai.com");
    if wire == Wire::Responses && !is_own { Wire::Openai } else { wire }
}

/// A provider without a key. Only its address is known.
fn bare(name: &str, wire: Wire, base_url: &str) -> KnownProvider {
    let (name, base_url) = (name.to_owned(), base_url.to_owned());
    let (prices, models) = (BTreeMap::new(), BTreeMap::new());
    KnownProvider { name, wire, base_url, key: None, prices, models }
}

/// Where a model of this server is served, with what is known of it.
pub fn serve(provider: &KnownProvider, model: &str) -> ServedModel {
    let facts = of_model(&provider.models, model).cloned().unwrap_or_default();
    ServedModel {
        provider: provider.name.clone(),
        wire: provider.wire,
        base_url: provider.base_url.clone(),
        key: provider.key.clone(),
        model: model.to_owned(),
        price: of_model(&provider.prices, model).copied(),
        longest: facts.longest,
        retires: facts.retires,
    }
}

/// Whether a provider tells itself what its answers have cost.
pub fn tells_costs(name: &str) -> bool {
    name == "openrouter"
}

/// What is known of a model: by its own name, else by the name without the date at its end.
fn of_model<'m, T>(known: &'m BTreeMap<String, T>, model: &str) -> Option<&'m T> {
    let of_day = || known.iter().find(|(name, _)| prices::is_called(model, name)).map(|(_, is)| is);
    known.get(model).or_else(of_day)
}

#[cfg(test)]
#[path = "tests/providers.rs"]
mod tests;
