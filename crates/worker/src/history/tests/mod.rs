use std::{
    cell::Cell,
    hash::Hasher,
    io::{self, Write},
    rc::Rc,
    sync::{Arc, Mutex},
};

use agent_worker_protocol::{RunConfig, SessionConfig, SessionTurn, TurnRole, Usage, WorkerReport};

use super::{
    binding::Growing,
    kept::{LONGEST, sound},
    *,
};
use crate::{
    model::{Call, Image, Part, Said, Tool, ToolResult, Turn, Used},
    prompt::tests::config,
    reports::Reports,
};

const MODEL: &str = "house/m-1";

fn text(text: &str) -> Said {
    Said::Text(text.to_owned())
}

fn result(id: &str, text: &str) -> Said {
    let images = vec![Image { media_type: "image/png".to_owned(), data: "aGk=".to_owned() }];
    let (id, name, text) = (id.to_owned(), "look".to_owned(), text.to_owned());
    Said::Result(ToolResult { id, name, text, images, is_error: false })
}

fn thinking() -> Part {
    Part::Thinking { text: "so".to_owned(), seal: Some("signed".to_owned()) }
}

fn call(id: &str) -> Part {
    let (id, name, arguments) = (id.to_owned(), "look".to_owned(), "{}".to_owned());
    Part::Call(Call { id, name, arguments, seal: Some("sealed".to_owned()) })
}

fn opening(said: &str, is_whole: bool) -> Opening {
    let seen = Seen { message: 7, document: Some(2) };
    Opening { said: vec![text(said)], seen, is_whole, gist: vec![format!("- asked {said}")] }
}

fn answered(parts: Vec<Part>) -> Kept {
    Kept::Answered { parts, model: MODEL.to_owned(), tokens: Some(120), behind: None }
}

/// A run that calls a tool and says something.
fn run(n: usize, is_whole: bool, long: usize) -> Vec<Kept> {
    vec![
        Kept::Prompt(opening(&format!("prompt {n}"), is_whole)),
        answered(vec![thinking(), call("1")]),
        Kept::Told(vec![result("1", &"x".repeat(long))]),
        answered(vec![Part::Text(format!("answer {n}"))]),
    ]
}

fn history(kept: &[Kept], most: usize) -> History {
    let turns = kept.iter().map(Kept::stored).collect();
    History::of(&RunConfig {
        session: Some(SessionConfig { turns, most, begins_anew: false }),
        ..config()
    })
}

#[test]
fn a_session_goes_on_where_it_ended() {
    let kept = [run(1, true, 10), run(2, false, 10)].concat();
    let history = history(&kept, usize::MAX);
    assert!(!history.is_changed);
    assert_eq!(history.seen(), Some(Seen { message: 7, document: Some(2) }));
    let turns = history.turns(MODEL, &Head::default(), |_| false);
    assert_eq!((turns.len(), sound(&turns)), (8, 8));
    assert_eq!(turns[1], Turn::Answered(vec![thinking(), call("1")]), "it is signed as it was");
    let Turn::Told(said) = &turns[2] else { panic!("{turns:?}") };
    let [Said::Result(result)] = &said[..] else { panic!("{said:?}") };
    assert!(result.images.is_empty() && result.text.contains("look again"), "{result:?}");
}

#[test]
fn what_one_model_has_signed_another_is_not_sent() {
    let history = history(&run(1, true, 10), usize::MAX);
    let turns = history.turns("house/m-2", &Head::default(), |_| false);
    let Turn::Answered(parts) = &turns[1] else { panic!("{turns:?}") };
    let [Part::Call(call)] = &parts[..] else { panic!("{parts:?}") };
    assert_eq!((call.seal.as_ref(), sound(&turns)), (None, 4));
}

#[test]
fn calls_of_another_model_have_ids_that_every_server_takes() {
    let mut kept = run(1, true, 10);
    let Kept::Answered { parts, .. } = &mut kept[1] else { panic!("{kept:?}") };
    parts[1] = call("functions.look:0");
    kept[2] = Kept::Told(vec![result("functions.look:0", "seen")]);
    let ids = |model: &str| {
        let turns = history(&kept, usize::MAX).turns(model, &Head::default(), |_| false);
        assert_eq!(sound(&turns), 4, "call and result belong together");
        let Turn::Told(said) = &turns[2] else { panic!("{turns:?}") };
        let [Said::Result(result)] = &said[..] else { panic!("{said:?}") };
        result.id.clone()
    };
    assert_eq!(ids(MODEL), "functions.look:0");
    let id = ids("house/m-2");
    assert!(id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric()), "{id}");
}

#[test]
fn bound_thinking_is_replayed_only_behind_what_stood_before_it() {
    let head = Head::of(Some("You are alice."), &[]);
    let mut kept = [run(1, true, 10), run(2, false, 10)].concat();
    let mut turns = Vec::new();
    for kept in &mut kept {
        let before = head.with(&turns);
        if let Kept::Answered { behind, .. } = kept {
            *behind = Some(before);
        }
        push(&mut turns, kept.turn(MODEL));
    }
    // Pictures are not kept: what was answered behind them was not answered behind this.
    for kept in &mut kept {
        if let Kept::Told(said) = kept {
            let Said::Result(result) = &mut said[0] else { panic!("{said:?}") };
            result.images.clear();
        }
    }
    let thinks = |turns: &[Turn]| {
        let is_so = |turn: &Turn| matches!(turn, Turn::Answered(parts) if parts[0] == thinking());
        turns.iter().map(is_so).collect::<Vec<_>>()
    };
    let behind = |head: &Head| {
        let turns = history(&kept, usize::MAX).turns(MODEL, head, Part::is_thinking);
        assert_eq!(sound(&turns), turns.len());
        thinks(&turns)
    };
    let [no, yes] = [false, true];
    assert_eq!(behind(&head), [no, yes, no, no, no, no, no, no], "of the first answer alone");
    assert_eq!(behind(&Head::of(Some("You are bob."), &[])), [no; 8], "another system prompt");
    let schema = std::sync::Arc::new(serde_json::Map::new());
    let tool = Tool { name: "look".to_owned(), about: String::new(), schema };
    assert_eq!(behind(&Head::of(Some("You are alice."), &[tool])), [no; 8], "another tool list");
    let all = history(&kept, usize::MAX).turns(MODEL, &Head::default(), |_| false);
    assert_eq!(thinks(&all), [no, yes, no, no, no, yes, no, no], "nothing binds");
}

/// Counts the bytes that are hashed.
#[derive(Clone, Default)]
struct Counted(Rc<Cell<usize>>);

impl Hasher for Counted {
    fn finish(&self) -> u64 {
        0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.set(self.0.get() + bytes.len());
    }
}

#[test]
fn a_session_of_twice_the_length_takes_twice_the_hashing() {
    let head = Head::of(Some("You are alice."), &[]);
    let hashed = |runs: usize| {
        let counted = Counted::default();
        let (mut turns, mut same) = (Vec::new(), head.growing());
        let mut growing = Growing::behind(counted.clone());
        for kept in (0..runs).flat_map(|n| run(n, n == 0, 100)) {
            // The second makes the last turn longer.
            for turn in [kept.turn(MODEL), kept.turn(MODEL)] {
                push(&mut turns, turn);
                assert_eq!(same.with(&turns), head.with(&turns));
                growing.with(&turns);
            }
        }
        counted.0.get()
    };
    let (once, twice) = (hashed(20), hashed(40));
    assert!(twice < once * 21 / 10, "{once} and {twice} bytes");
}

#[test]
fn what_makes_no_sense_goes_with_everything_behind_it() {
    let bad = [answered(vec![call("1")]), Kept::Told(vec![result("2", "of another call")])];
    let kept = [run(1, true, 10), run(2, false, 10)[..1].to_vec(), bad.to_vec(), run(3, false, 10)];
    let history = history(&kept.concat(), usize::MAX);
    assert_eq!((history.kept.len(), history.is_changed), (5, true));
}

#[test]
fn thinking_is_left_out_from_one_turn_on() {
    let mut kept = [run(1, true, 10), run(2, false, 10)].concat();
    leave_out_thinking(&mut kept, 2);
    let parts = |n: usize| match &kept[n] {
        Kept::Answered { parts, .. } => parts.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!((parts(1), parts(5)), (2, 1));
    leave_out_thinking(&mut kept, 1);
    assert!(matches!(&kept[1], Kept::Answered { parts, .. } if parts.len() == 1), "{kept:?}");
}

#[test]
fn a_run_that_broke_off_is_gone_on_with_and_no_call_lacks_its_result() {
    let all = [run(1, true, 10), run(2, false, 10)].concat();
    for length in 0..=all.len() {
        let history = history(&all[..length], usize::MAX);
        let mut turns = history.turns(MODEL, &Head::default(), |_| false);
        assert_eq!(sound(&turns), turns.len(), "{length}");
        let is_open = matches!(all[..length].last(), Some(Kept::Answered { parts, .. })
            if parts.len() == 2);
        assert_eq!(history.is_changed, is_open, "{length}");
        push(&mut turns, Turn::Told(vec![text("next")]));
        assert_eq!(sound(&turns), turns.len(), "{length}: the sides take turns");
    }
}

#[test]
fn what_cannot_be_read_ends_it_there() {
    let mut stored: Vec<_> = run(1, true, 10).iter().map(Kept::stored).collect();
    stored[2].content = r#"{"of_a_later_version":1}"#.to_owned();
    let session = Some(SessionConfig { turns: stored, most: usize::MAX, begins_anew: false });
    let history = History::of(&RunConfig { session, ..config() });
    assert_eq!(
        (history.turns(MODEL, &Head::default(), |_| false).len(), history.is_changed),
        (1, true)
    );
    assert!(!History::of(&config()).is_wanted);
}

#[test]
fn a_session_that_its_user_has_ended_does_not_say_that_it_tells_what_was_asked() {
    let asked = Kept::Gist(vec!["- msg_1 from @user: \"the first thing\"".to_owned()]);
    let kept = [vec![asked], run(1, true, 10)].concat();
    let told = |begins_anew| {
        let turns = kept.iter().map(Kept::stored).collect();
        let session = Some(SessionConfig { turns, most: 0, begins_anew });
        match History::of(&RunConfig { session, ..config() }).kept.first() {
            Some(Kept::Summary(lines)) => lines.of_earlier_runs(),
            other => panic!("{other:?}"),
        }
    };
    assert!(told(false).contains("This is what you were asked and did in them;"));
    let text = told(true);
    assert!(text.contains("This is what you did, without what you were asked, in them;"), "{text}");
    assert!(!text.contains("msg_1"), "{text}");
}

#[test]
fn what_is_too_long_becomes_a_list_of_what_was_done() {
    let kept: Vec<_> = (0..10).flat_map(|n| run(n, n == 0, 3000)).collect();
    let history = history(&kept, 20_000);
    assert!(history.is_changed);
    let [Kept::Summary(lines), Kept::Prompt(first), rest @ ..] = history.kept.as_slice() else {
        panic!("{:?}", history.kept)
    };
    assert_eq!((first.said.clone(), rest.len()), (vec![text("prompt 8")], 7));
    let told = lines.of_earlier_runs();
    for line in
        ["- asked prompt 0\n", "- you called look with \"{}\", which gave: \"xxx", "answer 7"]
    {
        assert!(told.contains(line), "{line}: {told}");
    }
    assert!(!told.contains("answer 8"), "{told}");
    assert_eq!(history.seen(), None, "the instructions are gone: they are told anew");
    let turns = history.turns(MODEL, &Head::default(), |_| false);
    assert_eq!(sound(&turns), turns.len());
    // The list itself has an end.
    let mut session: Vec<_> = history.kept.iter().map(Kept::stored).collect();
    for n in 0..400 {
        session.extend(run(n, true, 300).iter().map(Kept::stored));
        let given =
            Some(SessionConfig { turns: session.clone(), most: 20_000, begins_anew: false });
        let history = History::of(&RunConfig { session: given, ..config() });
        session = history.kept.iter().map(Kept::stored).collect();
        let bytes: usize = session.iter().map(|turn| turn.content.len()).sum();
        assert!(bytes <= 20_000 + 14_000, "{n}: {bytes}");
    }
}

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What was kept, put together as the daemon does it: round by round.
fn rounds(written: &Written) -> Vec<(bool, Vec<SessionTurn>)> {
    let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    let (mut rounds, mut open, mut pieces) = (Vec::new(), Vec::new(), String::new());
    for line in text.lines() {
        match serde_json::from_str(line).unwrap() {
            WorkerReport::Piece { text } => pieces.push_str(&text),
            WorkerReport::Turn { role, content, tokens } => {
                let content = std::mem::take(&mut pieces) + &content;
                open.push(SessionTurn { role, content, tokens });
            }
            WorkerReport::Turns { instead } => rounds.push((instead, std::mem::take(&mut open))),
            other => panic!("{other:?}"),
        }
    }
    rounds
}

#[test]
fn rounds_are_kept_whole_and_nothing_of_a_run_in_which_nothing_happened() {
    let written = Written::default();
    let reports = Reports::to(written.clone());
    let mut keeper = Keeper::new(&reports, true, MODEL.to_owned());
    keeper.open(opening("prompt", true));
    let usage = Usage { input: Some(10), output: Some(2), cache_read: Some(5), ..Usage::default() };
    keeper.answered(&[thinking(), call("1")], Used { usage, cost: None }, 1);
    assert_eq!(rounds(&written), []);
    keeper.told(&[result("1", &"é".repeat(20_000))], Vec::new());
    keeper.answered(&[Part::Text("done".to_owned())], Used::default(), 1);
    keeper.keep();
    let rounds = rounds(&written);
    let roles = |n: usize| rounds[n].1.iter().map(|turn| turn.role).collect::<Vec<_>>();
    assert_eq!(roles(0), [TurnRole::Prompt, TurnRole::Answered, TurnRole::Told]);
    assert_eq!((roles(1), rounds[0].1[1].tokens), (vec![TurnRole::Answered], Some(17)));
    let turns: Vec<_> = rounds.into_iter().flat_map(|(_, turns)| turns).collect();
    let session = Some(SessionConfig { turns, most: usize::MAX, begins_anew: false });
    let history = History::of(&RunConfig { session, ..config() });
    assert_eq!(history.turns(MODEL, &Head::default(), |_| false).len(), 4);
}

#[test]
fn an_impossible_count_of_a_server_is_not_added_up() {
    let written = Written::default();
    let reports = Reports::to(written.clone());
    let mut keeper = Keeper::new(&reports, true, MODEL.to_owned());
    let most = Some(i64::MAX);
    let usage = Usage {
        input: Some(10),
        output: Some(-1),
        cache_read: most,
        cache_write: most,
        ..Usage::default()
    };
    keeper.answered(&[Part::Text("done".to_owned())], Used { usage, cost: None }, 1);
    keeper.keep();
    assert_eq!(rounds(&written)[0].1[0].tokens, Some(10));
}

#[test]
fn no_turn_that_is_kept_is_too_long() {
    let written = Written::default();
    let reports = Reports::to(written.clone());
    let mut keeper = Keeper::new(&reports, true, MODEL.to_owned());
    keeper.open(opening("prompt", true));
    let ids: Vec<_> = (0..20).map(|n| n.to_string()).collect();
    keeper.answered(&ids.iter().map(|id| call(id)).collect::<Vec<_>>(), Used::default(), 1);
    let long = "x".repeat(48 << 10);
    keeper.told(&ids.iter().map(|id| result(id, &long)).collect::<Vec<_>>(), Vec::new());
    let Part::Call(write) = call("1") else { unreachable!() };
    let write = Part::Call(Call {
        arguments: format!("{{\"content\":\"{}\"}}", "y".repeat(LONGEST)),
        ..write
    });
    keeper.answered(&[write], Used::default(), 1);
    keeper.told(&[result("1", "written")], Vec::new());
    let turns: Vec<_> = rounds(&written).into_iter().flat_map(|(_, turns)| turns).collect();
    assert!(turns.iter().all(|turn| turn.content.len() <= LONGEST));
    assert!(turns[2].content.contains(" bytes the rest is not kept: read it again"));
    assert!(turns[3].content.contains("which gave: \\\"written"), "{}", &turns[3].content);
    let session = Some(SessionConfig { turns, most: usize::MAX, begins_anew: false });
    let history = History::of(&RunConfig { session, ..config() });
    let turns = history.turns(MODEL, &Head::default(), |_| false);
    assert_eq!((sound(&turns), turns.len()), (3, 3));
    let told = summarise(&history.kept).of_earlier_runs();
    assert!(told.contains("which gave: \"written"), "{told}");
}

#[test]
fn a_call_is_told_with_the_result_of_its_own_round() {
    let round = |text: &str| [answered(vec![call("1")]), Kept::Told(vec![result("1", text)])];
    let told = summarise(&[round("one"), round("two")].concat()).of_earlier_runs();
    for text in ["one", "two"] {
        assert!(told.contains(&format!("which gave: \"{text}\"")), "{told}");
    }
}

#[test]
fn mail_that_came_in_the_middle_of_a_run_is_told_when_that_is_gone() {
    let written = Written::default();
    let reports = Reports::to(written.clone());
    let mut keeper = Keeper::new(&reports, true, MODEL.to_owned());
    keeper.open(opening("prompt", true));
    keeper.answered(&[call("1")], Used::default(), 1);
    let mail = "- msg_2 from @user: \"the other thing\"";
    keeper.told(&[result("1", "seen"), text("new mail")], vec![mail.to_owned()]);
    let turns: Vec<_> = rounds(&written).into_iter().flat_map(|(_, turns)| turns).collect();
    let session = Some(SessionConfig { turns, most: usize::MAX, begins_anew: false });
    let history = History::of(&RunConfig { session, ..config() });
    let turns = history.turns(MODEL, &Head::default(), |_| false);
    assert_eq!((sound(&turns), turns.len()), (3, 3));
    assert!(summarise(&history.kept).of_earlier_runs().contains(mail));
}

#[test]
fn a_session_that_is_written_anew_loses_only_the_round_that_is_too_long() {
    let written = Written::default();
    let reports = Reports::to(written.clone());
    let keeper = Keeper::new(&reports, true, MODEL.to_owned());
    let mut kept = [run(1, true, 10), run(2, false, 10), run(3, false, 10)].concat();
    let Kept::Answered { parts, .. } = &mut kept[5] else { panic!("{kept:?}") };
    parts.push(Part::Text("y".repeat(LONGEST)));
    keeper.keep_instead(&kept);
    let [(true, turns)] = &rounds(&written)[..] else { panic!() };
    let roles: Vec<_> = turns.iter().map(|turn| turn.role).collect();
    let [prompt, told, answered] = [TurnRole::Prompt, TurnRole::Told, TurnRole::Answered];
    let whole = [prompt, answered, told, answered];
    assert_eq!(roles, [&whole[..], &[prompt, answered], &whole].concat());
    assert!(turns[4].content.contains("you called look"), "{}", turns[4].content);
    let session =
        Some(SessionConfig { turns: turns.clone(), most: usize::MAX, begins_anew: false });
    let history = History::of(&RunConfig { session, ..config() });
    let turns = history.turns(MODEL, &Head::default(), |_| false);
    assert_eq!((sound(&turns), turns.len()), (10, 10));
}
