//! Sets of words: states, kinds, classes. Each value has one word, in JSON, in columns and in texts.

/// A text that is not a word of its set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown word")]
pub struct UnknownWord;

/// Defines an enum whose values are words: `as_str` gives the word, `parse` the value.
macro_rules! words {
    (
        $(#[$of_all:meta])*
        pub enum $name:ident { $($(#[$of_one:meta])* $value:ident = $word:literal,)+ }
    ) => {
        $(#[$of_all])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
            schemars::JsonSchema,
        )]
        pub enum $name {
            $($(#[$of_one])* #[serde(rename = $word)] $value,)+
        }

        impl $name {
            /// All values, in the order of their definition.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$value),+];

            /// Returns the word for it.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::words::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($word => Ok(Self::$value),)+
                    _ => Err($crate::words::UnknownWord),
                }
            }
        }

        impl From<$name> for &'static str {
            fn from(value: $name) -> Self {
                value.as_str()
            }
        }
    };
}

pub(crate) use words;

#[cfg(test)]
mod tests {
    use super::*;

    words! {
        /// A light.
        #[derive(Default)]
        pub enum Light {
            /// Off
            #[default]
            Off = "off",
            /// On
            FullyOn = "fully_on",
        }
    }

    #[test]
    fn a_value_is_the_same_word_in_texts_and_in_json() {
        assert_eq!(Light::ALL, [Light::Off, Light::FullyOn]);
        for light in Light::ALL {
            assert_eq!(serde_json::to_value(light).unwrap(), light.as_str());
            assert_eq!(light.as_str().parse(), Ok(light));
        }
        assert_eq!("FullyOn".parse::<Light>(), Err(UnknownWord));
    }
}
