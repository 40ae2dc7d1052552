use super::*;

fn keys(text: &str) -> Vec<Input> {
    text.chars().map(|c| Input::Key(Key::char(c))).collect()
}

fn burst(text: &str) -> Vec<Input> {
    vec![Input::Burst(text.chars().map(Key::char).collect())]
}

fn after(guard: &mut Guard, now: Instant, batch: Vec<Input>) -> Vec<Input> {
    let mut out = Vec::new();
    guard.batch(batch, now, &mut out);
    out
}

#[test]
fn a_key_alone_is_delivered_at_once() {
    let mut guard = Guard::default();
    assert_eq!(after(&mut guard, Instant::now(), keys("x")), keys("x"));
    assert_eq!(guard.due(), None);
}

#[test]
fn six_characters_at_once_are_a_burst_and_so_is_what_follows_them() {
    let (mut guard, now) = (Guard::default(), Instant::now());
    assert_eq!(after(&mut guard, now, keys("xyXqdt")), burst("xyXqdt"));
    assert_eq!(after(&mut guard, now + WITHIN / 2, keys("q")), burst("q"));
    assert_eq!(after(&mut guard, now + WITHIN * 3, keys("q")), keys("q"));
}

#[test]
fn a_line_end_belongs_to_a_burst() {
    let (mut guard, now) = (Guard::default(), Instant::now());
    let mut batch = keys("xyXqdt");
    batch.push(Input::Key(Key::plain(Code::Enter)));
    let out = after(&mut guard, now, batch);
    let [Input::Burst(keys)] = out.as_slice() else { panic!("{out:?}") };
    assert_eq!(keys.len(), 7);
}

#[test]
fn a_few_characters_at_once_are_keys_after_a_moment() {
    let (mut guard, now) = (Guard::default(), Instant::now());
    assert_eq!(after(&mut guard, now, keys("gg")), []);
    let mut out = Vec::new();
    guard.silence(guard.due().unwrap(), &mut out);
    assert_eq!(out, keys("gg"));
    assert_eq!(guard.due(), None);
}

#[test]
fn a_burst_in_parts_is_one() {
    let (mut guard, now) = (Guard::default(), Instant::now());
    assert_eq!(after(&mut guard, now, keys("xyX")), []);
    assert_eq!(after(&mut guard, now + WITHIN / 2, keys("qdt")), burst("xyXqdt"));
}

#[test]
fn a_burst_of_single_characters_is_noticed_late() {
    let (mut guard, now) = (Guard::default(), Instant::now());
    let mut out = Vec::new();
    for c in "abcdefgh".chars() {
        guard.batch(keys(&c.to_string()), now, &mut out);
    }
    assert_eq!(out[..5], keys("abcde"));
    assert!(out[5..].iter().all(|input| matches!(input, Input::Burst(_))), "{out:?}");
}

#[test]
fn a_key_that_is_held_down_is_no_burst() {
    let (mut guard, now) = (Guard::default(), Instant::now());
    let mut out = after(&mut guard, now, keys("jjjjjjjj"));
    guard.silence(now + WITHIN, &mut out);
    assert_eq!(out, keys("jjjjjjjj"));
}

#[test]
fn a_key_that_writes_nothing_ends_the_wait() {
    let (mut guard, now) = (Guard::default(), Instant::now());
    let mut batch = keys("ab");
    batch.push(Input::Key(Key::plain(Code::Up)));
    assert_eq!(after(&mut guard, now, batch.clone()), batch);
    assert_eq!(guard.due(), None);
}
