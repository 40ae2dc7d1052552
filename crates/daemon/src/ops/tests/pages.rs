use agent_worker_protocol::{ChannelRead, MessageHide, MessagePage, Peek};

use super::*;

/// Says `one` to `nine` in the channel, with as much in between that is said elsewhere.
fn talk(world: &World) -> Vec<MessageId> {
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    let words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    let mut ids = Vec::new();
    for word in words {
        world.call("", say("elsewhere")).unwrap();
        ids.push(world.send(word).id);
    }
    ids
}

fn limited(limit: u32) -> Peek {
    Peek { limit: Some(limit), ..Peek::default() }
}

fn peek(world: &World, ask: &Peek) -> MessagePage {
    world.call("@team", ask.clone()).unwrap()
}

/// What was said, whether there is more before it, after it, and in the direction asked for.
fn told(page: &MessagePage) -> (String, bool, bool, bool) {
    let words: Vec<_> = page.messages.iter().map(|message| message.content.as_str()).collect();
    (words.join(" "), page.more_before, page.more_after, page.more)
}

#[test]
fn a_page_says_what_lies_on_both_sides_of_it() {
    let world = World::new();
    let ids = talk(&world);
    let page = |ask: Peek| told(&peek(&world, &ask));
    let is = |words: &str, before, after, more| (words.to_owned(), before, after, more);
    assert_eq!(page(limited(2)), is("eight nine", true, false, true));
    assert_eq!(page(limited(500)).0, "hello one two three four five six seven eight nine");
    assert!(!page(limited(10)).1);

    let after = |id| Peek { after: Some(id), ..limited(3) };
    assert_eq!(page(after(ids[3])), is("five six seven", true, true, true));
    assert_eq!(page(after(ids[5])), is("seven eight nine", true, false, false));
    assert_eq!(page(after(ids[8])), is("", true, false, false));
    assert_eq!(page(after(MessageId::new(0))), is("hello one two", false, true, true));

    let before = |id| Peek { before: Some(id), ..limited(3) };
    assert_eq!(page(before(ids[3])), is("one two three", true, true, true));
    assert_eq!(page(before(ids[1])), is("hello one", false, true, false));
    assert_eq!(page(before(MessageId::new(i64::MAX))), is("seven eight nine", true, false, true));
}

#[test]
fn a_page_around_a_message_has_its_limit_of_messages_wherever_it_is() {
    let world = World::new();
    let ids = talk(&world);
    let page = |id, limit| {
        let page = told(&peek(&world, &Peek { around: Some(id), ..limited(limit) }));
        assert_eq!(page.3, page.1 || page.2);
        (page.0, page.1, page.2)
    };
    let is = |words: &str, before, after| (words.to_owned(), before, after);
    assert_eq!(page(ids[4], 1), is("five", true, true));
    assert_eq!(page(ids[4], 2), is("four five", true, true));
    assert_eq!(page(ids[4], 5), is("three four five six seven", true, true));
    assert_eq!(page(ids[8], 4), is("six seven eight nine", true, false));
    assert_eq!(page(ids[0], 4), is("hello one two three", false, true));
    assert_eq!(page(ids[4], 500).0.split(' ').count(), 10);
    let (first, last) = (MessageId::new(1), MessageId::new(i64::MAX));
    assert_eq!(page(first, 3), is("hello one two", false, true));
    assert_eq!(page(last, 3), is("seven eight nine", true, false));
    // What was said elsewhere has its place among what was said here.
    let elsewhere = MessageId::new(ids[4].number() - 1);
    assert_eq!(page(elsewhere, 4), is("three four five six", true, true));
}

#[test]
fn a_page_of_what_was_looked_for_counts_what_was_found() {
    let world = World::new();
    let ids = talk(&world);
    let find = |ask: Peek| told(&peek(&world, &Peek { find: Some("E".to_owned()), ..ask }));
    // hello one three five seven eight nine
    let around = Peek { around: Some(ids[3]), ..limited(2) };
    assert_eq!(find(around), ("three five".to_owned(), true, true, true));
    let after = Peek { after: Some(ids[7]), ..limited(2) };
    assert_eq!(find(after), ("nine".to_owned(), true, false, false));
    let before = Peek { before: Some(ids[0]), ..limited(2) };
    assert_eq!(find(before), ("hello".to_owned(), false, true, false));
    let nothing = told(&peek(&world, &Peek { find: Some("ten".to_owned()), ..limited(2) }));
    assert_eq!(nothing, (String::new(), false, false, false));
}

#[test]
fn what_the_user_has_hidden_takes_no_room_of_a_page_of_an_agent() {
    let world = World::new();
    let ids = talk(&world);
    for id in &ids[3..8] {
        world.call("", MessageHide { message: *id }).unwrap();
    }
    let read = |after, limit| {
        let read = ChannelRead { after, limit: Some(limit), group: None };
        let page = world.call_as("@team", Some("alice"), read).unwrap();
        let words: Vec<_> = page.messages.into_iter().map(|message| message.content).collect();
        (words.join(" "), page.more)
    };
    let is = |words: &str, more| (words.to_owned(), more);
    assert_eq!(read(None, 2), is("three nine", true));
    assert_eq!(read(Some(ids[2]), 2), is("nine", false));
    assert_eq!(read(Some(ids[1]), 1), is("three", true));
    let peeked = |member| {
        let peek = Peek { around: Some(ids[5]), ..limited(2) };
        told(&world.call_as("@team", member, peek).unwrap())
    };
    assert_eq!(peeked(Some("alice")), ("three nine".to_owned(), true, false, true));
    assert_eq!(peeked(None), ("five six".to_owned(), true, true, true));
}
