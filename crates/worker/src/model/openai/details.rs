//! Signed thinking as OpenRouter passes it on: a list of details that comes in pieces.

use serde_json::Value;

/// Fields that grow from piece to piece; the others are sent once.
const GROWING: [&str; 3] = ["text", "summary", "data"];

/// The details so far.
#[derive(Debug, Default)]
pub struct Details(Vec<Value>);

impl Details {
    /// Takes pieces: each belongs to the detail of its kind and place, or begins one.
    pub fn take(&mut self, pieces: Vec<Value>) {
        for piece in pieces {
            let is_same = |known: &&mut Value| {
                known["type"] == piece["type"] && known["index"] == piece["index"]
            };
            match self.0.iter_mut().rev().find(is_same) {
                Some(known) if !piece["index"].is_null() => add(known, piece),
                _ => self.0.push(piece),
            }
        }
    }

    /// All of them, if there are any, under the name that they are sent back by.
    pub fn seal(&self) -> Option<String> {
        let is_any = !self.0.is_empty();
        is_any.then(|| serde_json::json!({ "reasoning_details": self.0 }).to_string())
    }
}

fn add(known: &mut Value, piece: Value) {
    let Value::Object(piece) = piece else { return };
    for (field, value) in piece {
        match (&mut known[&field], value) {
            (_, Value::Null) => {}
            (Value::String(known), Value::String(more)) if GROWING.contains(&field.as_str()) => {
                known.push_str(&more);
            }
            (known, value) => *known = value,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pieces_of_one_detail_become_one_again() {
        let mut details = Details::default();
        assert_eq!(details.seal(), None);
        details.take(vec![
            json!({ "type": "reasoning.text", "index": 0, "text": "I th", "signature": null }),
        ]);
        details.take(vec![json!({ "type": "reasoning.text", "index": 0, "text": "ink" })]);
        details.take(vec![
            json!({ "type": "reasoning.text", "index": 0, "signature": "abc" }),
            json!({ "type": "reasoning.encrypted", "index": 1, "data": "xyz" }),
            json!({ "type": "reasoning.encrypted", "data": "1" }),
            json!({ "type": "reasoning.encrypted", "data": "2" }),
        ]);
        let seal: Value = serde_json::from_str(&details.seal().unwrap()).unwrap();
        assert_eq!(
            seal["reasoning_details"],
            json!([
                { "type": "reasoning.text", "index": 0, "text": "I think", "signature": "abc" },
                { "type": "reasoning.encrypted", "index": 1, "data": "xyz" },
                { "type": "reasoning.encrypted", "data": "1" },
                { "type": "reasoning.encrypted", "data": "2" },
            ])
        );
    }
}
