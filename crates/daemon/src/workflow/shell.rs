//! Values in the commands of a setup. A value is never code: it travels in the environment, and
//! the command names the variable, quoted as its place in the command needs it.

use std::collections::BTreeMap;

use agent_worker_protocol::interpolate::{Piece, Template};

/// A command for `sh -c`, with the variables it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The command
    pub text: String,
    /// Its values
    pub env: BTreeMap<String, String>,
}

/// The longest value that an environment takes on Linux (`MAX_ARG_STRLEN`), with room for its name.
const LONGEST_VALUE: usize = 128 * 1024 - 64;

/// Puts values into a command.
pub fn render(shell: &str, values: &BTreeMap<String, String>) -> Result<Command, String> {
    let template = Template::parse(shell).map_err(|bad| bad.to_string())?;
    let mut command = Command { text: String::new(), env: BTreeMap::new() };
    let mut quotes = Quotes::default();
    for piece in template.pieces() {
        match piece {
            Piece::Literal(text) => {
                quotes.read(text);
                command.text.push_str(text);
            }
            Piece::Value { name, .. } => {
                let value = values
                    .get(name)
                    .ok_or_else(|| format!("`${{{{ {name} }}}}` names nothing that is known"))?;
                command.put(name, value, quotes.place())?;
            }
        }
    }
    Ok(command)
}

impl Command {
    fn put(&mut self, name: &str, value: &str, place: Place) -> Result<(), String> {
        if value.len() > LONGEST_VALUE || value.contains('\0') {
            return Err(format!(
                "the value of `{name}` has {} bytes, and a command takes {LONGEST_VALUE} without a zero byte",
                value.len()
            ));
        }
        let variable = format!("AGENT_WORKER_VALUE_{}", self.env.len() + 1);
        let word = match place {
            Place::Bare => format!("\"${{{variable}}}\""),
            Place::Double => format!("${{{variable}}}"),
            Place::Single => format!("'\"${{{variable}}}\"'"),
            Place::Arithmetic => {
                // Some shells run what stands in it, however it is quoted.
                return Err(format!(
                    "a value cannot stand in arithmetic: assign `{name}` to a variable before"
                ));
            }
        };
        self.text.push_str(&word);
        self.env.insert(variable, value.to_owned());
        Ok(())
    }
}

/// Which quotes a place of a command is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Bare,
    Double,
    Single,
    Arithmetic,
}

/// What is open inside a substitution, `$(`.
const SUBSTITUTION: char = '$';

/// What is open inside arithmetic, `$((`. A substitution that begins with a subshell looks alike
/// where no space is between the two.
const ARITHMETIC: char = '=';

/// Follows the quotes of a command. A mistake in it costs a value its spaces, never its safety.
#[derive(Debug, Default)]
struct Quotes {
    /// Open quotes and substitutions, the innermost last
    open: Vec<char>,
    is_escaped: bool,
    last: char,
}

impl Quotes {
    fn read(&mut self, text: &str) {
        for c in text.chars() {
            self.step(c);
            self.last = c;
        }
    }

    fn step(&mut self, c: char) {
        let innermost = self.open.last().copied();
        if std::mem::take(&mut self.is_escaped) {
            return;
        }
        match (innermost, c) {
            (Some('\''), '\'')
            | (Some('"'), '"')
            | (Some('(' | SUBSTITUTION | ARITHMETIC), ')') => {
                self.open.pop();
            }
            (Some('\''), _) => {}
            (_, '\\') => self.is_escaped = true,
            (_, '(') if self.last == '$' => self.open.push(SUBSTITUTION),
            (Some(SUBSTITUTION), '(') if self.last == '(' => self.open.push(ARITHMETIC),
            (Some('"'), _) => {}
            (_, '\'' | '"' | '(') => self.open.push(c),
            _ => {}
        }
    }

    fn place(&self) -> Place {
        let mut outward = self.open.iter().rev();
        if outward.find(|open| [&SUBSTITUTION, &ARITHMETIC].contains(open)) == Some(&ARITHMETIC) {
            return Place::Arithmetic;
        }
        match self.open.last() {
            Some('\'') => Place::Single,
            Some('"') => Place::Double,
            _ => Place::Bare,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `printf '<%s>'` makes of a command's words.
    fn run(command: &str, value: &str) -> String {
        let values = BTreeMap::from([("v".to_owned(), value.to_owned())]);
        let rendered = render(command, &values).unwrap();
        let output = std::process::Command::new("sh")
            .args(["-c", &rendered.text])
            .envs(&rendered.env)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn a_value_is_one_word_wherever_it_stands() {
        let hostile = "a b'; echo \"$(echo pwned)\" `echo pwned` $HOME * \\";
        for command in [
            "printf '<%s>' ${{ v }}",
            "printf '<%s>' \"${{ v }}\"",
            "printf '<%s>' '${{ v }}'",
            "printf '<%s>' \"$(printf %s ${{ v }})\"",
            "printf '<%s>' \"$(printf %s \"${{ v }}\")\"",
        ] {
            assert_eq!(run(command, hostile), format!("<{hostile}>"), "{command}");
        }
        assert_eq!(run("printf '<%s>' x${{ v }}y", "1 2"), "<x1 2y>");
    }

    #[test]
    fn a_value_is_no_part_of_arithmetic() {
        let values = BTreeMap::from([("v".to_owned(), "1".to_owned())]);
        for command in ["$((${{ v }}))", "\"$(( 2 * (1 + ${{ v }}) ))\"", "$(echo $((${{ v }})))"] {
            assert!(render(command, &values).unwrap_err().contains("arithmetic"), "{command}");
        }
        assert_eq!(run("printf %s $(( $(printf %s ${{ v }}) + 1 ))", "1"), "2");
        assert_eq!(run("printf %s $( (printf %s ${{ v }}) )", "1"), "1");
        assert_eq!(run("printf %s $((1))${{ v }}", "2"), "12");
    }

    #[test]
    fn a_value_that_no_command_takes_is_refused() {
        let values = BTreeMap::from([("v".to_owned(), "x".repeat(200_000))]);
        assert!(render("echo ${{ v }}", &values).unwrap_err().contains("200000"));
        assert!(render("echo ${{ w }}", &values).unwrap_err().contains('w'));
    }
}
