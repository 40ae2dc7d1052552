//! How the types of a file say that they may be written in more than one way.

use std::{borrow::Cow, fmt, marker::PhantomData};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{
    Deserialize, Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor,
    value::{MapAccessDeserializer, SeqAccessDeserializer, StrDeserializer},
};

/// The name of a newtype whose numbers and the like are read as the text they are
/// written as (`1.10` is not `1.1`), where text is one of several things that may stand there.
pub const PLAIN_AS_TEXT: &str = "$plain_as_text";

/// What may be written as a mapping, or, if there is little to say, as text.
pub trait FromText: Sized {
    /// What may stand there, in words that follow "expected".
    const EXPECTED: &'static str;
    /// What the text may look like, as types of JSON schema.
    const TYPES: &'static [&'static str] = &["string"];

    /// The value that a text means.
    fn from_text(text: &str) -> Result<Self, String>;

    /// The value that is meant where nothing is written, if that means anything.
    fn from_nothing() -> Option<Self> {
        None
    }
}

/// Decodes from a text or a mapping.
pub struct Shorthand<T>(pub T);

/// Decodes from a list or, without the list, its only entry.
pub struct OneOrMany<T>(pub Vec<T>);

/// For a field that may be missing.
pub fn optional<'de, D: Deserializer<'de>, T: FromText + Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::<Shorthand<T>>::deserialize(deserializer)?.map(|short| short.0))
}

/// For a field with one or several.
pub fn one_or_many<'de, D: Deserializer<'de>, T: FromText + Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let many = OneOrMany::<Shorthand<T>>::deserialize(deserializer)?;
    Ok(many.0.into_iter().map(|short| short.0).collect())
}

/// For a list; `what` says of what ("a list of names") to the author of something else.
pub fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
    what: &'static str,
) -> Result<Vec<T>, D::Error> {
    short_list(deserializer, what, usize::MAX)
}

/// For a list of at most `most` entries. Later ones are not read.
pub fn short_list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
    what: &'static str,
    most: usize,
) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_seq(ListOf { what, most, entries: PhantomData })
}

/// For a list of names. Models write a list of one as plain text now and then.
pub fn names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct OneOrMany;

    impl<'de> Visitor<'de> for OneOrMany {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of names")
        }

        fn visit_str<E>(self, one: &str) -> Result<Self::Value, E> {
            Ok(one.split(',').map(|name| name.trim().to_owned()).collect())
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Vec::new())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(seq))
        }
    }

    deserializer.deserialize_any(OneOrMany)
}

impl<'de, T: FromText + Deserialize<'de>> Deserialize<'de> for Shorthand<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = ShortOrLong(PhantomData);
        deserializer.deserialize_newtype_struct(PLAIN_AS_TEXT, visitor).map(Self)
    }
}

struct ShortOrLong<T>(PhantomData<T>);

impl<'de, T: FromText + Deserialize<'de>> Visitor<'de> for ShortOrLong<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, source: D) -> Result<T, D::Error> {
        source.deserialize_any(self)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::from_text(text).map_err(E::custom)
    }

    fn visit_unit<E: Error>(self) -> Result<T, E> {
        T::from_nothing().ok_or_else(|| E::invalid_type(Unexpected::Unit, &self))
    }

    fn visit_map<A: MapAccess<'de>>(self, source: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(source))
    }
}

impl<'de, T: FromText + Deserialize<'de>> Deserialize<'de> for OneOrMany<Shorthand<T>> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = AloneOrListed(PhantomData);
        deserializer.deserialize_newtype_struct(PLAIN_AS_TEXT, visitor).map(Self)
    }
}

struct AloneOrListed<T>(PhantomData<T>);

impl<'de, T: FromText + Deserialize<'de>> Visitor<'de> for AloneOrListed<T> {
    type Value = Vec<Shorthand<T>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, or a list of these", T::EXPECTED)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        source: D,
    ) -> Result<Self::Value, D::Error> {
        source.deserialize_any(self)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(vec![Shorthand::deserialize(StrDeserializer::new(text))?])
    }

    fn visit_map<A: MapAccess<'de>>(self, source: A) -> Result<Self::Value, A::Error> {
        Ok(vec![Shorthand::deserialize(MapAccessDeserializer::new(source))?])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, source: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(source))
    }
}

struct ListOf<T> {
    what: &'static str,
    most: usize,
    entries: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListOf<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut source: A) -> Result<Vec<T>, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = source.next_element()? {
            if entries.len() == self.most {
                let Self { what, most, .. } = self;
                return Err(A::Error::custom(format!("{what} has at most {most} entries")));
            }
            entries.push(entry);
        }
        Ok(entries)
    }
}

impl<T: FromText + JsonSchema> JsonSchema for Shorthand<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Shorthand_{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": T::TYPES }, generator.subschema_for::<T>()] })
    }
}

impl<T: JsonSchema> JsonSchema for OneOrMany<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("OneOrMany_{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}
