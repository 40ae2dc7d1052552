use proptest::prelude::*;

use super::*;
use crate::cases::cases;

fn event(name: Option<&str>, data: &str) -> SseEvent {
    SseEvent { name: name.map(str::to_owned), data: data.to_owned() }
}

fn read(text: &str) -> Vec<SseEvent> {
    Sse::default().take(text.as_bytes()).unwrap()
}

#[test]
fn events_have_names_and_lines_of_data() {
    assert_eq!(
        read(
            "\u{feff}event: a\ndata: 1\ndata:  2\n\n: comment\nid: 7\nretry: 3\n\ndata\n\n\
             event: lost\n\ndata:3\r\n\r\ndata: 4\r\rdata: unfinished\n"
        ),
        [event(Some("a"), "1\n 2"), event(None, ""), event(None, "3"), event(None, "4")]
    );
}

#[test]
fn bytes_that_are_no_text_harm_themselves_alone() {
    let events = Sse::default().take(b"data: a\xffb\n\ndata: c\n\n").unwrap();
    assert_eq!(events, [event(None, "a\u{fffd}b"), event(None, "c")]);
}

#[test]
fn an_event_without_end_is_refused() {
    let mut sse = Sse::default();
    let chunk = vec![b'x'; 1 << 20];
    let refused = (0..20).find_map(|_| sse.take(&chunk).err());
    assert_eq!(refused, Some(TooLong));
    let mut lines = Sse::default();
    let line = [b"data: ".as_slice(), &chunk, b"\n"].concat();
    assert_eq!((0..20).find_map(|_| lines.take(&line).err()), Some(TooLong));
}

/// The same rules, read slowly from the whole text.
fn slowly(text: &str) -> Vec<SseEvent> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut lines: Vec<_> = text.split('\n').collect();
    lines.pop();
    let mut events = Vec::new();
    for block in lines.split_inclusive(|line| line.is_empty()) {
        let Some(([], lines)) = block.split_last().map(|(end, lines)| (end.as_bytes(), lines))
        else {
            continue;
        };
        let field = |name: &str| {
            let of = move |line: &&str| {
                let rest = line.strip_prefix(name)?;
                let value = if rest.is_empty() { "" } else { rest.strip_prefix(':')? };
                Some(value.strip_prefix(' ').unwrap_or(value).to_owned())
            };
            lines.iter().filter_map(of).collect::<Vec<_>>()
        };
        let data = field("data");
        let name = field("event").pop().filter(|name| !name.is_empty());
        if !data.is_empty() {
            events.push(SseEvent { name, data: data.join("\n") });
        }
    }
    events
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn any_cutting_of_the_bytes_gives_the_same_events(
        text in "(\u{feff}|)((data|event|id|other|)(:|: |)[a-cé:]{0,3}(\n|\r\n|\r|\n\n|\r\n\r\n|)){0,8}",
        cuts in prop::collection::vec(0usize..40, 0..10),
    ) {
        let bytes = text.as_bytes();
        let mut sse = Sse::default();
        let mut events = Vec::new();
        let mut at = 0;
        for cut in cuts {
            let end = (at + cut).min(bytes.len());
            events.extend(sse.take(&bytes[at..end]).unwrap());
            at = end;
        }
        events.extend(sse.take(&bytes[at..]).unwrap());
        // A carriage return at the end of a piece ends its line, also when a newline may follow.
        prop_assert_eq!(&events, &slowly(&text));
        prop_assert_eq!(&events, &read(&text));
    }
}
