//! Whether an agent has a home, and where.

use std::fmt;

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, Visitor},
};

/// Whether an agent has a folder of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(from = "HomeForm", into = "HomeForm")]
pub enum Home {
    /// It has none.
    #[default]
    No,
    /// It has one where homes are kept.
    Own,
    /// It has one at this path.
    At(String),
}

#[derive(Clone, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
enum HomeForm {
    Is(bool),
    Path(String),
}

impl From<HomeForm> for Home {
    fn from(form: HomeForm) -> Self {
        match form {
            HomeForm::Is(false) => Self::No,
            HomeForm::Is(true) => Self::Own,
            HomeForm::Path(path) => Self::At(path),
        }
    }
}

impl From<Home> for HomeForm {
    fn from(home: Home) -> Self {
        match home {
            Home::No => Self::Is(false),
            Home::Own => Self::Is(true),
            Home::At(path) => Self::Path(path),
        }
    }
}

struct HomeVisitor;

impl Visitor<'_> for HomeVisitor {
    type Value = HomeForm;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`true`, `false` or a path")
    }

    fn visit_bool<E: de::Error>(self, is: bool) -> Result<HomeForm, E> {
        Ok(HomeForm::Is(is))
    }

    fn visit_str<E: de::Error>(self, path: &str) -> Result<HomeForm, E> {
        // Elsewhere these are `true` and `false`, so a folder of this name is not meant.
        if matches!(path, "" | "yes" | "no" | "on" | "off") {
            return Err(E::invalid_type(de::Unexpected::Str(path), &self));
        }
        Ok(HomeForm::Path(path.to_owned()))
    }
}

impl<'de> Deserialize<'de> for HomeForm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(HomeVisitor)
    }
}
