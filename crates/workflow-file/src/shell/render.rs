//! Values in commands. A value is never code: it travels in the environment, and the command names
//! the variable, quoted as its place in the command needs it.

use std::collections::BTreeMap;

use crate::{
    shell::quotes::{Place, Quotes},
    template::{Piece, Template, UnknownName},
};

/// A command for `sh -c`, with the variables it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    pub text: String,
    pub env: BTreeMap<String, String>,
}

/// The longest value that an environment takes on Linux (`MAX_ARG_STRLEN`), with room for its name.
const LONGEST_VALUE: usize = 128 * 1024 - 64;

/// Puts values into a command.
pub fn render(
    shell: &str,
    mut value_of: impl FnMut(&str) -> Option<String>,
) -> Result<Command, String> {
    let template = Template::parse(shell).map_err(|bad| bad.to_string())?;
    let mut command = Command { text: String::new(), env: BTreeMap::new() };
    let mut quotes = Quotes::new();
    for piece in template.pieces() {
        match piece {
            Piece::Literal(text) => {
                quotes.read(text);
                command.text.push_str(text);
            }
            Piece::Value { name, .. } => {
                let unknown = || UnknownName { name: name.clone() }.to_string();
                let value = value_of(name).ok_or_else(unknown)?;
                if quotes.has_dollar() {
                    command.text.pop();
                    command.text.push_str("\\$");
                }
                command.put(name, &value, quotes.place())?;
                quotes.pass();
            }
        }
    }
    Ok(command)
}

impl Command {
    fn put(&mut self, name: &str, value: &str, place: Place) -> Result<(), String> {
        if value.contains('\0') {
            return Err(format!("the value of `{name}` has a zero byte, which no command takes"));
        }
        if value.len() > LONGEST_VALUE {
            return Err(format!(
                "the value of `{name}` has {} bytes, and a command takes {LONGEST_VALUE}",
                value.len()
            ));
        }
        let variable = format!("AGENT_WORKER_VALUE_{}", self.env.len() + 1);
        let word = match place {
            Place::Bare => format!("\"${{{variable}}}\""),
            Place::Double => format!("${{{variable}}}"),
            Place::Single => format!("'\"${{{variable}}}\"'"),
            Place::Nowhere(why) => return Err(format!("`${{{{ {name} }}}}`: {why}")),
        };
        self.text.push_str(&word);
        self.env.insert(variable, value.to_owned());
        Ok(())
    }
}
