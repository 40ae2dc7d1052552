//! Types that are written as a text: one grammar each, read by `FromStr`, printed by `Display`.

/// Lets a type travel as the text that it prints. With `schema`, JSON schema calls it a string,
/// with the examples that stand behind the word.
macro_rules! as_text {
    ($name:ident, $bad:ty $(, $schema:ident $($examples:tt)?)?) => {
        impl TryFrom<String> for $name {
            type Error = $bad;

            fn try_from(text: String) -> Result<Self, $bad> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.to_string()
            }
        }

        $($crate::terms::text::$schema!($name $(, $examples)?);)?
    };
}

/// The same for a newtype of `String`, which prints what it holds.
macro_rules! text {
    ($name:ident, $bad:ty $(, $schema:ident)?) => {
        $crate::terms::text::as_text!($name, $bad $(, $schema)?);

        impl $name {
            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.0 == other
            }
        }
    };
}

macro_rules! schema {
    ($name:ident $(, $examples:tt)?) => {
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string" $(, "examples": $examples)? })
            }
        }
    };
}

pub(crate) use {as_text, schema, text};
