//! HTML as plain text: what a reader sees, simply.

/// Elements whose content is not shown.
const HIDDEN: [&str; 6] = ["script", "style", "svg", "template", "noscript", "iframe"];

/// Elements that begin on a line of their own, and end it.
const BLOCKS: &str = "\
    address article aside blockquote body dd details div dl dt fieldset figcaption figure footer \
    form head header html main nav ol option section summary table tbody thead title tr ul label";

/// Those that have an empty line around them besides.
const PARTS: [&str; 9] = ["p", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "hr"];

/// Names of characters, each with its character.
const ENTITIES: &str = "\
    amp=& lt=< gt=> quot=\" apos=' copy=© reg=® trade=™ mdash=— ndash=– hellip=… lsquo=‘ rsquo=’ \
    ldquo=“ rdquo=” laquo=« raquo=» bull=• middot=· times=× deg=° euro=€ rarr=→ larr=←";

/// Names of blanks.
const BLANKS: [&str; 4] = ["nbsp", "ensp", "emsp", "thinsp"];

/// Turns it into text. Links are told as `[text](address)`, headings with `#`, items with `-`.
pub fn to_text(html: &str) -> String {
    let mut text = Text::default();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        text.words(&rest[..at]);
        rest = &rest[at..];
        rest = match piece(rest) {
            Piece::Comment(after) => after,
            Piece::Tag(tag, after) => {
                if let Some(name) = tag.hides() {
                    behind(after, name)
                } else {
                    text.tag(&tag);
                    after
                }
            }
            Piece::Sign => {
                text.words("<");
                &rest[1..]
            }
        };
    }
    text.words(rest);
    text.end()
}

enum Piece<'h> {
    Comment(&'h str),
    Tag(Tag<'h>, &'h str),
    /// A `<` that begins nothing.
    Sign,
}

struct Tag<'h> {
    name: String,
    attributes: &'h str,
    is_end: bool,
}

/// What begins here. What has no end goes on to the end of the text.
fn piece(html: &str) -> Piece<'_> {
    if let Some(comment) = html.strip_prefix("<!--") {
        return Piece::Comment(comment.split_once("-->").map_or("", |(_, after)| after));
    }
    if html.starts_with("<!") || html.starts_with("<?") {
        return Piece::Comment(html.split_once('>').map_or("", |(_, after)| after));
    }
    let is_end = html.starts_with("</");
    let name = &html[if is_end { 2 } else { 1 }..];
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return Piece::Sign;
    }
    let length = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    let (name, attributes) = name.split_at(length);
    let end = tag_end(attributes);
    let (attributes, after) = attributes.split_at(end);
    let after = after.strip_prefix('>').unwrap_or(after);
    Piece::Tag(Tag { name: name.to_ascii_lowercase(), attributes, is_end }, after)
}

/// Where a tag ends: not within the quotes of a value.
fn tag_end(attributes: &str) -> usize {
    let mut quote = None;
    let mut is_value = false;
    for (at, byte) in attributes.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (None, b'>') => return at,
            (None, b'"' | b'\'') if is_value => quote = Some(byte),
            _ => {}
        }
        is_value = byte == b'=' || is_value && byte.is_ascii_whitespace();
    }
    attributes.len()
}

/// What stands behind the end of this element.
fn behind<'h>(html: &'h str, name: &str) -> &'h str {
    let mut rest = html;
    while let Some(at) = rest.find("</") {
        rest = &rest[at + 2..];
        let is_it = rest.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name));
        if is_it {
            return rest.split_once('>').map_or("", |(_, after)| after);
        }
    }
    ""
}

impl Tag<'_> {
    fn hides(&self) -> Option<&'static str> {
        let is_whole = self.attributes.ends_with('/');
        let hidden = HIDDEN.into_iter().find(|name| *name == self.name);
        hidden.filter(|_| !self.is_end && !is_whole)
    }

    /// The value of an attribute.
    fn value(&self, wanted: &str) -> Option<String> {
        let mut rest = self.attributes;
        loop {
            let (name, after) = rest.split_once('=')?;
            let after = after.trim_start();
            let (value, behind) = match after.chars().next()? {
                quote @ ('"' | '\'') => after[1..].split_once(quote).unwrap_or((&after[1..], "")),
                _ => after.split_once(char::is_whitespace).unwrap_or((after, "")),
            };
            let name = name.trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
            if name.eq_ignore_ascii_case(wanted) {
                return Some(entities(value.trim()));
            }
            rest = behind;
        }
    }
}

/// A text as it grows.
#[derive(Default)]
struct Text {
    made: String,
    /// Whether a blank is due before the next word
    is_apart: bool,
    /// How many ends of lines are due before the next word
    lines: usize,
    /// How many elements it is in whose blanks count
    preformatted: usize,
    /// Where open links begin in the text, and where they lead
    links: Vec<(usize, Option<String>)>,
}

impl Text {
    fn words(&mut self, raw: &str) {
        let text = entities(raw);
        if self.preformatted > 0 {
            if !text.is_empty() {
                self.word(&text);
            }
            return;
        }
        self.is_apart |= text.starts_with(is_blank);
        for word in text.split(is_blank).filter(|word| !word.is_empty()) {
            self.word(word);
            self.is_apart = true;
        }
        self.is_apart = text.ends_with(is_blank) || text.is_empty() && self.is_apart;
    }

    fn word(&mut self, word: &str) {
        self.line_up();
        self.made.push_str(word);
    }

    /// Puts what is due before what comes next.
    fn line_up(&mut self) {
        let is_new = self.lines > 0 || self.made.is_empty();
        if !self.made.is_empty() {
            self.made.extend(std::iter::repeat_n('\n', self.lines));
        }
        if self.is_apart && !is_new && !self.made.ends_with([' ', '\n', '\t']) {
            self.made.push(' ');
        }
        self.lines = 0;
        self.is_apart = false;
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        let name = tag.name.as_str();
        if PARTS.contains(&name) {
            self.lines = self.lines.max(2);
        } else if BLOCKS.split(' ').any(|block| block == name) || matches!(name, "br" | "li") {
            self.lines = self.lines.max(1);
        }
        match (name, tag.is_end) {
            ("pre", false) => self.preformatted += 1,
            ("pre", true) => self.preformatted = self.preformatted.saturating_sub(1),
            ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", false) => {
                let level = usize::from(name.as_bytes()[1] - b'0');
                self.word(&"#".repeat(level));
                self.is_apart = true;
            }
            ("li", false) => {
                self.word("-");
                self.is_apart = true;
            }
            ("td" | "th", true) => {
                self.made.push('\t');
                self.is_apart = false;
            }
            ("img", _) => {
                if let Some(alt) = tag.value("alt").filter(|alt| !alt.is_empty()) {
                    self.words(&format!(" [{alt}] "));
                }
            }
            ("a", false) => self.link(tag),
            ("a", true) => self.end_link(),
            _ => {}
        }
    }

    fn link(&mut self, tag: &Tag<'_>) {
        let leads =
            |to: &String| !to.is_empty() && !to.starts_with('#') && !to.starts_with("javascript:");
        if let Some(to) = tag.value("href").filter(leads) {
            self.line_up();
            self.links.push((self.made.len(), Some(to)));
            self.made.push('[');
        } else {
            self.links.push((self.made.len(), None));
        }
    }

    fn end_link(&mut self) {
        let Some((start, Some(to))) = self.links.pop() else { return };
        if self.made.len() <= start + 1 {
            // There is nothing to read in it.
            self.made.truncate(start);
            return;
        }
        self.made.extend(["](", to.as_str(), ")"]);
    }

    fn end(self) -> String {
        let lines: Vec<_> = self.made.lines().map(str::trim_end).collect();
        lines.join("\n")
    }
}

fn is_blank(c: char) -> bool {
    c.is_ascii_whitespace()
}

/// Puts characters in the place of their names.
fn entities(raw: &str) -> String {
    /// The longest name there is, and then some.
    const LONGEST: usize = 12;
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let head = &rest.as_bytes()[..rest.len().min(LONGEST)];
        let end = head.iter().position(|byte| *byte == b';');
        match end.and_then(|end| Some((end, entity(&rest[..end])?))) {
            Some((end, c)) => {
                text.push(c);
                rest = &rest[end + 1..];
            }
            None => text.push('&'),
        }
    }
    text.push_str(rest);
    text
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let number = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(number).filter(|c| *c != '\0');
    }
    if BLANKS.contains(&name) {
        return Some(' ');
    }
    let named = ENTITIES.split(' ').find_map(|entity| entity.strip_prefix(name)?.strip_prefix('='));
    named?.chars().next()
}

#[cfg(test)]
#[path = "tests/html.rs"]
mod tests;
