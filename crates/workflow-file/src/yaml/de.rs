//! The tree as a source of serde's data model.

use std::{collections::HashSet, slice};

use agent_worker_protocol::forms::PLAIN_AS_TEXT;
use serde::{
    de::{
        DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess,
        Visitor,
        value::{StrDeserializer, StringDeserializer},
    },
    forward_to_deserialize_any,
};

use crate::yaml::{
    error::{DecodeError, What, quoted},
    scalar::Meaning,
    tree::{Entry, Key, Node, NodeId, Scalar, Tree, Value},
};

/// Decodes a tree once. The keys of the values named in `renamed` are wrong, and a key that fits
/// anywhere stands in for each, so that what is under it is looked at too.
pub(super) fn decode_once<T: DeserializeOwned>(
    tree: &Tree,
    renamed: &HashSet<NodeId>,
) -> Result<T, DecodeError> {
    let pass = Pass { skipped: &tree.skipped, renamed };
    pass.decode(&tree.root, None, std::marker::PhantomData)
}

#[derive(Clone, Copy)]
struct Pass<'t> {
    skipped: &'t HashSet<NodeId>,
    renamed: &'t HashSet<NodeId>,
}

impl<'t> Pass<'t> {
    /// Decodes one value; an error that has no place yet gets this one.
    fn decode<'de, S: DeserializeSeed<'de>>(
        self,
        node: &'t Node,
        key: Option<&'t Key>,
        seed: S,
    ) -> Result<S::Value, DecodeError> {
        let source = Source { node, pass: self, plain_as_text: false };
        seed.deserialize(source).map_err(|error| match error.spot {
            Some(_) => error,
            None => error.at_value(node, key, &self.skipped_children(node)),
        })
    }

    /// The keys of the mapping's entries that are passed over; of a list, an empty word for each.
    fn skipped_children(self, node: &'t Node) -> Vec<&'t str> {
        let is_skipped = |node: &Node| self.skipped.contains(&node.id);
        match &node.value {
            Value::Scalar(_) => Vec::new(),
            Value::Sequence(nodes) => {
                nodes.iter().filter(|node| is_skipped(node)).map(|_| "").collect()
            }
            Value::Mapping(entries) => {
                let skipped = entries.iter().filter(|entry| is_skipped(&entry.value));
                skipped.map(|entry| entry.key.text.as_str()).collect()
            }
        }
    }
}

/// A value as serde reads it.
#[derive(Clone, Copy)]
struct Source<'t> {
    node: &'t Node,
    pass: Pass<'t>,
    plain_as_text: bool,
}

impl<'t> Source<'t> {
    fn meaning(self) -> Option<Meaning<'t>> {
        match &self.node.value {
            Value::Scalar(scalar) => Some(scalar.meaning()),
            _ => None,
        }
    }

    fn is_null(self) -> bool {
        self.meaning() == Some(Meaning::Null)
    }

    fn entries(self, entries: &'t [Entry]) -> Entries<'t> {
        Entries { rest: entries.iter(), value: None, pass: self.pass }
    }

    fn elements(self, nodes: &'t [Node]) -> Elements<'t> {
        Elements { rest: nodes.iter(), pass: self.pass }
    }

    fn visit_scalar<'de, V: Visitor<'de>>(
        self,
        scalar: &Scalar,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match scalar.meaning() {
            Meaning::Null => visitor.visit_unit(),
            _ if self.plain_as_text => visitor.visit_str(&scalar.text),
            Meaning::Bool(value) => visitor.visit_bool(value),
            Meaning::Float(value) => visitor.visit_f64(value),
            Meaning::Text(text) => visitor.visit_str(text),
            Meaning::Int(value) => match (u64::try_from(value), i64::try_from(value)) {
                (Ok(value), _) => visitor.visit_u64(value),
                (_, Ok(value)) => visitor.visit_i64(value),
                // Digits are a number to `f64` too, however many.
                _ => visitor.visit_f64(scalar.text.parse().unwrap_or(f64::NAN)),
            },
        }
    }
}

impl<'de> Deserializer<'de> for Source<'_> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match &self.node.value {
            Value::Scalar(scalar) => self.visit_scalar(scalar, visitor),
            Value::Sequence(nodes) => visitor.visit_seq(self.elements(nodes)),
            Value::Mapping(entries) => visitor.visit_map(self.entries(entries)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        Self { plain_as_text: true, ..self }.deserialize_any(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let plain_as_text = self.plain_as_text || name == PLAIN_AS_TEXT;
        visitor.visit_newtype_struct(Self { plain_as_text, ..self })
    }

    /// A list without a value is empty.
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.is_null() {
            return visitor.visit_seq(self.elements(&[]));
        }
        self.deserialize_any(visitor)
    }

    /// A mapping without a value is empty.
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.is_null() {
            return visitor.visit_map(self.entries(&[]));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        // A derived visitor also takes the fields as a list, which is never meant.
        match &self.node.value {
            Value::Sequence(_) => Err(What::wrong_type("a mapping")),
            _ => self.deserialize_map(visitor),
        }
    }

    /// Enums here are words of a list.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match &self.node.value {
            Value::Scalar(scalar) if !self.is_null() => {
                let word: StrDeserializer<'_, DecodeError> =
                    scalar.text.as_str().into_deserializer();
                visitor.visit_enum(word)
            }
            _ => Err(What::wrong_type(&format!("one of {}", quoted(variants)))),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct
        tuple tuple_struct
    }
}

/// The entries of a mapping.
struct Entries<'t> {
    rest: slice::Iter<'t, Entry>,
    value: Option<&'t Entry>,
    pass: Pass<'t>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = DecodeError;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, DecodeError> {
        let skipped = self.pass.skipped;
        let Some(entry) = self.rest.find(|entry| !skipped.contains(&entry.value.id)) else {
            return Ok(None);
        };
        self.value = Some(entry);
        let id = entry.value.id;
        let text =
            if self.pass.renamed.contains(&id) { format!("x{id}") } else { entry.key.text.clone() };
        let source: StringDeserializer<DecodeError> = text.into_deserializer();
        seed.deserialize(source).map(Some).map_err(|error| error.at_key(&entry.key, id))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<S::Value, DecodeError> {
        let entry = self.value.take().expect("a key is read before its value");
        self.pass.decode(&entry.value, Some(&entry.key), seed)
    }
}

/// The entries of a list.
struct Elements<'t> {
    rest: slice::Iter<'t, Node>,
    pass: Pass<'t>,
}

impl<'de> SeqAccess<'de> for Elements<'_> {
    type Error = DecodeError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, DecodeError> {
        let skipped = self.pass.skipped;
        let node = self.rest.find(|node| !skipped.contains(&node.id));
        node.map(|node| self.pass.decode(node, None, seed)).transpose()
    }
}
