//! What models say, in the words of each dialect, read back.

mod anthropic;
mod openai;
mod responses;
mod served;
mod server;

use agent_worker_protocol::Usage;
use proptest::prelude::*;

use super::{
    Anthropic, Call, Event, ModelError, OpenAi, Part, Request, Responses, Stop, Turn, Used,
    http::{Dialect, Reader},
    sse::Sse,
};

/// An answer that was put together.
#[derive(Debug, Default, PartialEq)]
struct Whole {
    parts: Vec<Part>,
    used: Used,
    stop: Option<Stop>,
    /// Whether each piece has ended, and once
    ended: Vec<usize>,
}

impl Whole {
    fn hear(&mut self, event: Event) {
        match event {
            Event::Begin { n, part } => {
                assert_eq!(n, self.parts.len(), "pieces are numbered by their place");
                self.parts.push(part);
                self.ended.push(0);
            }
            Event::Grow { n, text } => {
                assert_eq!(self.ended[n], 0, "a piece that has ended does not grow");
                self.parts[n].grow(&text);
            }
            Event::Sign { n, seal } => self.parts[n].sign(seal),
            Event::End { n } => self.ended[n] += 1,
            Event::Used(used) => self.used = used,
            Event::Stop(stop) => self.stop = Some(stop),
        }
    }
}

/// Reads a stream that comes in these pieces.
fn read<R: Reader + Default>(pieces: &[&[u8]]) -> Result<Whole, ModelError> {
    let (mut sse, mut reader, mut whole) = (Sse::default(), R::default(), Whole::default());
    for piece in pieces {
        for event in sse.take(piece).unwrap() {
            if reader.read(&event, &mut |event| whole.hear(event))? {
                reader.finish(&mut |event| whole.hear(event))?;
                return Ok(whole);
            }
        }
    }
    reader.finish(&mut |event| whole.hear(event))?;
    Ok(whole)
}

/// The same bytes in other pieces.
fn pieces<'b>(bytes: &'b [u8], cuts: &[usize]) -> Vec<&'b [u8]> {
    let mut rest = bytes;
    let mut pieces = Vec::new();
    for cut in cuts {
        let (piece, after) = rest.split_at(cut % (rest.len() + 1));
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

/// What a model may say, in the order in which servers say it.
fn answers() -> impl Strategy<Value = Vec<Part>> {
    let text = || "[a-zé漢🙂 \"\\\\\n]{1,20}";
    let thinking = prop::option::of(text());
    let calls =
        prop::collection::vec(("[a-z_]{1,8}", "\\{\"[a-z]{0,3}\":\"[a-zé🙂]{0,9}\"\\}|"), 0..4);
    (thinking, prop::option::of(text()), calls).prop_map(|(thinking, said, calls)| {
        let thinking = thinking.map(|text| Part::Thinking { text, seal: None });
        let said = said.map(Part::Text);
        let calls = calls.into_iter().enumerate().map(|(n, (name, arguments))| {
            Part::Call(Call { id: format!("call-{n}"), name, arguments, seal: None })
        });
        thinking.into_iter().chain(said).chain(calls).collect()
    })
}

/// The same parts, with the seals that a server gives their thinking.
fn sealed(parts: &[Part], of: impl Fn(&str) -> String) -> Vec<Part> {
    let mut parts = parts.to_vec();
    for part in &mut parts {
        if let Part::Thinking { text, seal } = part {
            *seal = Some(of(text));
        }
    }
    parts
}

/// Checks that a whole answer was read: its parts, each ended once, and what it used.
fn assert_whole(heard: &Whole, parts: &[Part], usage: Usage) {
    assert_eq!(heard.parts, parts);
    assert!(heard.ended.iter().all(|times| *times == 1), "{heard:?}");
    assert_eq!((heard.stop, heard.used.usage), (Some(Stop::Done), usage));
}

/// Splits a text into pieces of `long` characters.
fn chunks(text: &str, long: usize) -> Vec<String> {
    let chars: Vec<_> = text.chars().collect();
    chars.chunks(long).map(|chunk| chunk.iter().collect()).collect()
}

/// What goes on in several pieces at once: one of each in turn.
fn in_turn<T>(lists: Vec<Vec<T>>) -> Vec<T> {
    let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(lists.iter_mut().filter_map(Iterator::next));
        if all.len() == before {
            return all;
        }
    }
}

#[test]
fn a_name_that_no_server_takes_is_sent_back_as_one_that_each_takes() {
    let long = "x".repeat(65);
    for (name, sent) in [
        ("multi_tool_use.parallel", "multi_tool_use_parallel"),
        ("read file", "read_file"),
        ("", "unknown"),
        (long.as_str(), &long[..64]),
    ] {
        let (id, name) = ("1".to_owned(), name.to_owned());
        let call = Part::Call(Call { id, name, arguments: String::new(), seal: None });
        let turns = [Turn::Answered(vec![call])];
        let request =
            Request { system: None, turns: &turns, tools: &[], max_tokens: None, thinking: None };
        for body in [
            OpenAi::of("http://127.0.0.1/v1").body("m", &request),
            Responses::default().body("m", &request),
            Anthropic::default().body("m", &request),
        ] {
            let body = String::from_utf8(body).unwrap();
            assert!(body.contains(&format!("\"name\":\"{sent}\"")), "{body}");
        }
    }
}

#[test]
fn a_call_without_arguments_is_written_in_several_ways() {
    for arguments in ["", " \n", "null", " null\n", "{}"] {
        let (id, name) = ("1".to_owned(), "look".to_owned());
        let call = Call { id, name, arguments: arguments.to_owned(), seal: None };
        assert!(call.object().unwrap().is_empty(), "{arguments:?}");
        assert_eq!(call.shown_text(), "{}", "{arguments:?}");
    }
}
