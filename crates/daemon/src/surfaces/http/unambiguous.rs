//! JSON that all readers read alike. If a key occurs twice in an object, some readers take the
//! first value and others the last. So a value that one reader has checked may not be the value
//! that another uses.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

/// A value in which no object has a key twice.
#[derive(Debug)]
pub struct Unambiguous(pub Value);

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Self)
    }
}

pub struct Reader;

/// Reads values that stand for themselves.
macro_rules! plain {
    ($($visit:ident($kind:ty)),+) => {$(
        fn $visit<E: Error>(self, value: $kind) -> Result<Value, E> {
            Ok(value.into())
        }
    )+};
}

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    plain!(visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_f64(f64), visit_str(&str));

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Unambiguous(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some((key, Unambiguous(value))) = entries.next_entry::<String, _>()? {
            if fields.contains_key(&key) {
                return Err(A::Error::custom(format!("`{key}` is given twice")));
            }
            fields.insert(key, value);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_stands_there() {
        let text = r#"{"a":[1,-2,3.5,"x",null,true,{}],"b":{"a":18446744073709551615}}"#;
        let Unambiguous(value) = serde_json::from_str(text).unwrap();
        assert_eq!(value, serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(value.to_string(), text);
    }

    #[test]
    fn a_key_stands_once_however_deep_and_however_it_is_written() {
        for text in [r#"{"a":1,"a":1}"#, r#"[{"b":{"a":1,"\u0061":2}}]"#] {
            let error = serde_json::from_str::<Unambiguous>(text).unwrap_err().to_string();
            assert!(error.contains("`a` is given twice"), "{error}");
        }
    }
}
