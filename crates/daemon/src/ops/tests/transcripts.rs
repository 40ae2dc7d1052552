use agent_worker_protocol::{
    BlockKind, BlockPart, BlockRead, BlockState, Blocks, ErrorCode, MessageHide, RunBlocks,
    Timestamp,
};

use super::*;
use crate::changes::run::transcript::{self, BlockWrite};

/// A run of alice's with these texts as its transcript; the last text still grows.
fn run_with(world: &World, texts: &[&str]) -> Claim {
    world.start(&["alice"], "@alice go");
    let (claim, last) = (world.claim(), texts.len() - 1);
    let run = claim.run();
    let write = |(n, text): (usize, &&str)| BlockWrite {
        n: i64::try_from(n).unwrap(),
        kind: BlockKind::Text,
        name: None,
        text: (*text).to_owned(),
        state: if n < last { BlockState::Done } else { BlockState::Open },
    };
    let writes: Vec<_> = texts.iter().enumerate().map(write).collect();
    world.daemon(move |cx| transcript::store(cx, run, &writes));
    claim
}

fn all_of(id: RunId) -> RunBlocks {
    RunBlocks { id, from: None, last: false, limit: None, max_chars: None, tail_chars: None }
}

fn whole(id: RunId, n: u32) -> BlockRead {
    BlockRead { id, n, off: None, limit: None }
}

fn places(page: &Blocks) -> Vec<i64> {
    page.blocks.iter().map(|block| block.n).collect()
}

#[test]
fn a_transcript_is_read_by_range_in_order() {
    let world = World::new();
    let id = run_with(&world, &["zero", "one", "two", "three"]).run();
    let page = |from: Option<u32>, last, limit| {
        let page = world.call("", RunBlocks { from, last, limit, ..all_of(id) }).unwrap();
        assert_eq!(page.count, 4);
        (places(&page), page.more)
    };
    assert_eq!(page(None, false, None), (vec![0, 1, 2, 3], false));
    assert_eq!(page(None, false, Some(3)), (vec![0, 1, 2], true));
    assert_eq!(page(Some(1), false, Some(2)), (vec![1, 2], true));
    assert_eq!(page(Some(2), false, Some(2)), (vec![2, 3], false));
    assert_eq!(page(Some(4), false, None), (vec![], false));
    assert_eq!(page(None, true, Some(2)), (vec![2, 3], true));
    assert_eq!(page(None, true, Some(4)), (vec![0, 1, 2, 3], false));
    let both = world.call("", RunBlocks { from: Some(1), last: true, ..all_of(id) });
    assert_eq!(both.unwrap_err().into_body().code, ErrorCode::Invalid);
}

#[test]
fn a_block_says_how_long_it_is_and_shows_its_beginning_and_its_end() {
    let world = World::new();
    let id = run_with(&world, &["äöüß", "short"]).run();
    let ask = RunBlocks { max_chars: Some(2), tail_chars: Some(1), ..all_of(id) };
    let mut page = world.call("", ask).unwrap();
    let expected = BlockPart {
        n: 0,
        kind: BlockKind::Text,
        state: BlockState::Done,
        name: None,
        len: 8,
        text: "äö".to_owned(),
        tail: Some("ß".to_owned()),
        started_at: Timestamp(BEGIN),
        ended_at: Some(Timestamp(BEGIN)),
    };
    assert_eq!(page.blocks.remove(0), expected);
    let open = page.blocks.remove(0);
    assert_eq!((open.state, open.ended_at, open.len), (BlockState::Open, None, 5));
    let usual = world.call("", all_of(id)).unwrap();
    assert_eq!((usual.blocks[0].text.as_str(), &usual.blocks[0].tail), ("äöüß", &None));
}

#[test]
fn a_page_of_long_blocks_ends_early_and_says_that_there_is_more() {
    let world = World::new();
    let long = "x".repeat(700_000);
    let id = run_with(&world, &[&long, &long, "short", &long]).run();
    let max_chars = Some(u32::MAX);
    let page = world.call("", RunBlocks { max_chars, ..all_of(id) }).unwrap();
    assert_eq!((places(&page), page.more), (vec![0], true));
    let page = world.call("", RunBlocks { max_chars, last: true, ..all_of(id) }).unwrap();
    assert_eq!((places(&page), page.more), (vec![2, 3], true));
    let short = world.call("", all_of(id)).unwrap();
    assert_eq!((places(&short), short.more), (vec![0, 1, 2, 3], false));
    assert_eq!(short.blocks[0].len, 700_000);
}

#[test]
fn the_text_of_a_block_is_read_in_parts_that_fit_together() {
    let world = World::new();
    let text = "aäöü".repeat(1000);
    let id = run_with(&world, &["first", &text]).run();
    let (mut whole_text, mut off) = (String::new(), 0);
    loop {
        let ask = BlockRead { off: Some(off), limit: Some(100), ..whole(id, 1) };
        let part = world.call("", ask).unwrap();
        assert_eq!((part.n, part.len), (1, 7000));
        assert_eq!(part.off, i64::from(off));
        whole_text.push_str(&part.text);
        off += u32::try_from(part.text.len()).unwrap();
        if !part.more {
            break;
        }
    }
    assert_eq!(whole_text, text);
    let part = world.call("", whole(id, 1)).unwrap();
    assert_eq!((part.text, part.more), (text, false));
}

#[test]
fn a_block_that_there_is_not_is_told_so() {
    let world = World::new();
    let claim = run_with(&world, &["only"]);
    let refused = world.call("", whole(claim.run(), 1)).unwrap_err().into_body();
    assert_eq!(refused.code, ErrorCode::NotFound);
    assert_eq!(refused.message, "block 1 not found in run_1: its transcript has 1");
    let nobody = world.call("", all_of(RunId::new(99))).unwrap_err().into_body();
    assert_eq!(nobody.code, ErrorCode::NotFound);
}

#[test]
fn a_run_reads_the_transcripts_of_its_own_agent_alone() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice @bob go");
    let (alice, bob) = (world.claim(), world.claim());
    assert_ne!(alice.agent(), bob.agent());
    assert!(world.tool(&alice, all_of(alice.run())).is_ok());
    for refused in [
        world.tool(&alice, all_of(bob.run())).unwrap_err(),
        world.tool(&alice, whole(bob.run(), 0)).unwrap_err(),
    ] {
        assert_eq!(refused.into_body().code, ErrorCode::Denied);
    }
}

#[test]
fn the_transcript_of_a_run_that_was_given_a_hidden_message_is_read_by_the_user_alone() {
    let world = World::new();
    let bad = run_with(&world, &["> bad"]);
    world.succeed(&bad, "done");
    world.send("@alice go on");
    let next = world.claim();
    let read = |id| {
        let blocks = world.tool(&next, all_of(id)).map(drop);
        (blocks, world.tool(&next, whole(id, 0)).map(drop))
    };
    assert!(matches!(read(bad.run()), (Ok(()), Ok(()))));
    let given = world.messages().remove(0).id;
    world.call("", MessageHide { message: given }).unwrap();
    let (blocks, block) = read(bad.run());
    for refused in [blocks, block] {
        let refused = refused.unwrap_err().into_body();
        assert_eq!(refused.code, ErrorCode::Denied);
        assert!(refused.message.contains("hidden"), "{}", refused.message);
    }
    assert!(world.tool(&next, all_of(next.run())).is_ok());
    assert!(world.call("", whole(bad.run(), 0)).is_ok());
}
