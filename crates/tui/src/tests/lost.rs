//! Stories of a connection: cut, refused, made again.

use agent_worker_client::{ClientError, FeedItem};
use agent_worker_protocol::{
    Agent, AgentState, ErrorBody, ErrorCode, Heartbeat, Hello, Reset, Target, Timestamp,
};

use super::{
    gallery,
    story::{NOW, Story, agent, run, snapshot},
};
use crate::{
    app::Msg,
    model::{
        Focus, Reach,
        acts::Act,
        effects::Effect,
        place::{Place, Subject, Tab},
        requests::RequestError,
    },
};

/// A daemon that was started then takes up the feed where it broke off.
fn greets(story: &mut Story, started_at: i64) {
    let hello = Hello {
        epoch: "e".to_owned(),
        seq: story.seq,
        newest: story.seq,
        version: "0.1.0".to_owned(),
        started_at: Some(Timestamp(started_at)),
        now: None,
    };
    story.tell(Msg::Feed(FeedItem::Hello(hello)));
}

fn refusal(code: ErrorCode, message: &str, hint: Option<&str>) -> ClientError {
    let hint = hint.map(ToOwned::to_owned);
    ClientError::Refused(ErrorBody { code, message: message.to_owned(), hint })
}

/// The daemon of a live room talks to it no more.
pub fn refused() -> Story {
    let mut story = super::screens::needy();
    story.open_channel();
    let error = refusal(ErrorCode::Unauthorized, "invalid token", None);
    story.tell(Msg::FeedEnded(error));
    story
}

/// A daemon does not talk to a room from the start.
pub fn refused_at_once() -> Story {
    let mut story = Story::blank();
    story.tell(Msg::Reach(Reach::Found, None));
    let hint = "agent-worker daemon restart, with the newer of the two";
    let words = "the client speaks API version 1.0, and the daemon 2.0";
    let error = refusal(ErrorCode::UpgradeRequired, words, Some(hint));
    story.tell(Msg::FeedEnded(error));
    story
}

/// The daemon of a live room runs, and does not answer.
pub fn hanging() -> Story {
    let mut story = super::screens::needy();
    story.open_channel().hangs();
    story
}

/// What was missed is lost, and everything is loaded anew.
pub fn reloading() -> Story {
    let mut story = super::screens::needy();
    story.open_channel().disconnect();
    let reset = Reset { epoch: "e".to_owned(), seq: 400, reason: "it is gone".to_owned() };
    story.tell(Msg::Feed(FeedItem::Reset(reset)));
    story
}

#[test]
fn e_2_another_daemon_is_told_from_the_same_one() {
    let mut story = Story::review();
    greets(&mut story, NOW - 60_000);
    story.disconnect();
    greets(&mut story, NOW - 60_000);
    assert!(story.screen().contains("live again"), "{}", story.screen());
    assert!(!story.screen().contains("restarted"), "{}", story.screen());
    story.disconnect();
    greets(&mut story, NOW - 2_000);
    let screen = story.screen();
    assert!(screen.contains("the daemon was restarted 14:06:10, live again"), "{screen}");
}

#[test]
fn a_silence_is_noticed_although_the_clock_was_set_back_and_not_too_early() {
    let mut story = Story::review().sized(120, 40);
    story.wait(-3_600_000).wait(14_000);
    assert!(!story.screen().contains("no heartbeat"), "{}", story.screen());
    story.wait(1_000);
    assert!(story.screen().contains("no heartbeat 15s"), "{}", story.screen());
}

#[test]
fn e_3_a_daemon_without_a_heartbeat_is_said_to_have_none_and_any_word_of_it_is_one() {
    let mut story = Story::review().sized(120, 40);
    story.wait(14_000).beats(false).wait(14_000);
    assert!(!story.screen().contains("no heartbeat"), "{}", story.screen());
    story.wait(1_000);
    assert!(story.screen().contains("no heartbeat 15s"), "{}", story.screen());
    story.wait(2_000);
    assert!(story.screen().contains("no heartbeat 17s"), "{}", story.screen());
    story.beats(false);
    assert!(story.screen().contains("live"), "{}", story.screen());
    story.wait(25_000).disconnect();
    let heard = Timestamp(story.app.model.now - 25_000);
    let heard = story.app.model.zone().clock_seconds(heard);
    let screen = story.screen();
    assert!(screen.contains(&format!("data as of {heard}")), "a hung daemon: {screen}");
}

#[test]
fn a_full_disk_is_named_in_the_first_line_as_long_as_it_is_full() {
    let mut story = Story::review().sized(120, 40);
    for is_full in [true, false] {
        let screen = story.beats(is_full).screen();
        let first = screen.lines().next().unwrap_or_default();
        assert_eq!((first.contains("DISK FULL"), first.contains("live")), (is_full, !is_full));
        assert!(first.contains(" running"), "what goes on is still counted: {first}");
    }
}

#[test]
fn e_2_without_room_the_tries_go_and_the_time_of_the_data_stays() {
    let mut story = Story::review();
    story.disconnect().tell(Msg::RetryIn(1_000));
    let screen = story.screen();
    assert!(screen.contains("~ RECONNECTING (try 1) │ data as of 14:06:12"), "{screen}");
    let screen = story.sized(120, 40).screen();
    assert!(screen.contains("(try 1, next in 1 s) │ data as of 14:06:12"), "{screen}");
}

#[test]
fn e_10_times_are_by_the_clock_of_the_daemon() {
    let mut story = Story::review().sized(120, 40);
    let (seq, at) = (story.seq, Timestamp(NOW + 90_000));
    story.tell(Msg::Feed(FeedItem::Heartbeat(Heartbeat { seq, at, disk_full: false })));
    let mut running = run(9, "coder@review");
    running.started_at = Timestamp(NOW + 80_000);
    running.spoke_at = Some(Timestamp(NOW + 80_000));
    let mut coder = agent("coder@review");
    (coder.state, coder.run) = (AgentState::Running, Some(running.id));
    story.runs(&running).agent_is(&coder).open(Subject::All, Tab::Agents);
    let screen = story.screen();
    let row = screen.lines().find(|line| line.contains("coder      ")).unwrap_or_default();
    assert!(row.contains("silent 10s"), "{screen}");
    story.wait(5_000);
    assert!(story.screen().contains("silent 15s"), "{}", story.screen());
}

#[test]
fn e_7_what_was_written_without_a_connection_is_not_sent_when_there_is_one() {
    let mut story = Story::review();
    story.open_channel().disconnect();
    story.press("i").type_in("hello").press("enter");
    assert!(story.screen().contains("not connected: kept as draft"), "{}", story.screen());
    let mut asked = story.effects.clone();
    greets(&mut story, NOW);
    asked.append(&mut story.effects);
    story.wait(60_000);
    asked.append(&mut story.effects);
    assert!(!asked.iter().any(|effect| matches!(effect, Effect::Ask(_))), "{asked:?}");
    assert_eq!(story.app.model.writing.composer.text(), "hello");
    assert_eq!(story.press("enter").sends(), ["hello"]);
}

#[test]
fn e_8_while_all_is_loaded_anew_the_old_picture_is_walked_through() {
    let mut story = reloading();
    assert!(story.effects.contains(&Effect::Fetch(0)), "{:?}", story.effects);
    for (key, words) in
        [("esc", "❯ # channel"), ("j", "[1 Run]"), ("k", "[1 Channel"), ("2", "[2 Agents")]
    {
        let screen = story.press(key).screen();
        assert!(screen.contains(words), "{key}: {screen}");
        assert!(screen.contains("reloading") && screen.contains("reviewer"), "{key}: {screen}");
    }
    assert_eq!(story.app.model.selection.focus, Focus::Main);
    let mut new = snapshot();
    new.seq = 400;
    story.tell(Msg::Snapshot(Ok(Box::new(new))));
    assert!(story.screen().contains("⠿ live"), "{}", story.screen());
}

#[test]
fn a_stop_from_before_a_new_picture_does_not_kill_the_next_run() {
    for is_same in [true, false] {
        let mut story = Story::review();
        let reviewer: Target = "reviewer@review".parse().unwrap();
        story.select_agent("reviewer@review").press("x").wait(200).press("y");
        assert_eq!(story.acts(), [Act::Stop(vec![reviewer.clone()])]);
        story.disconnect();
        let reset = Reset { epoch: "e".to_owned(), seq: 400, reason: "it is gone".to_owned() };
        story.tell(Msg::Feed(FeedItem::Reset(reset)));
        let mut new = snapshot();
        new.seq = 400;
        if !is_same {
            let next = run(9, "reviewer@review");
            let is_reviewer = |agent: &&mut Agent| agent.target == reviewer;
            new.agents.iter_mut().find(is_reviewer).unwrap().run = Some(next.id);
            new.runs = vec![next];
        }
        story.tell(Msg::Snapshot(Ok(Box::new(new))));
        story.wait(11_000).press("x");
        assert_eq!(story.overlay().contains("kill"), is_same, "{}", story.screen());
        if !is_same {
            story.wait(200).press("y");
            assert_eq!(story.acts(), [Act::Stop(vec![reviewer])], "{}", story.screen());
        }
    }
}

#[test]
fn e_9_a_refusal_says_what_to_do_and_keeps_the_picture() {
    let mut story = refused();
    for width in [60, 80, 200] {
        story.app.model.display.size = (width, 24);
        let screen = story.screen();
        let words: Vec<_> = screen.split_whitespace().collect();
        let said = words.join(" ");
        assert!(said.contains("not allowed (401)"), "{screen}");
        let help = "invalid token. R reads the token in daemon.json anew. R asks again.";
        assert!(said.contains(help), "{screen}");
        assert!(screen.contains("2 failures"), "the picture stays: {screen}");
        assert!(screen.contains("R retry now") && !screen.contains("s start"), "{screen}");
    }
    assert_eq!(story.press("R").effects, [Effect::Retry]);
    assert_eq!(story.press("s").effects, []);
    assert!(story.screen().contains("a daemon runs: invalid token"), "{}", story.screen());
}

#[test]
fn e_9_a_refusal_at_the_start_is_a_screen_of_its_own() {
    let mut story = refused_at_once();
    let screen = story.screen();
    for words in [
        "another version (426)",
        "the client speaks API version 1.0, and the daemon 2.0",
        "What helps: agent-worker daemon restart, with the newer of the two.",
        "R   ask again",
        "q   quit",
    ] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
    assert_eq!(story.press("R").effects, [Effect::Retry]);
    story.wait(60_000);
    assert_eq!(story.effects, [], "nothing is asked by itself");
}

#[test]
fn a_daemon_that_hangs_is_not_started_but_it_is_said_how_it_goes_on() {
    for has_picture in [true, false] {
        let mut story = if has_picture { Story::review() } else { Story::blank() };
        story.tell(Msg::Reach(Reach::Found, None)).hangs();
        let screen = story.screen();
        let words: Vec<_> = screen.split_whitespace().collect();
        let said = words.join(" ");
        for told in ["NOT ANSWERING", "does not answer", "kill -CONT 7 lets it go on", "R "] {
            assert!(said.contains(told), "{told}: {screen}");
        }
        assert!(!said.contains("s start daemon"), "{screen}");
        assert_eq!(story.press("s").effects, [], "{screen}");
        let told = story.app.model.prompt.notice.as_ref().map(|notice| notice.text.as_str());
        assert!(told.is_some_and(|told| told.contains("does not answer")), "{told:?}");
        assert_eq!(story.press("R").effects, [Effect::Retry]);
        greets(&mut story, NOW);
        assert!(!story.screen().contains("NOT ANSWERING"), "{}", story.screen());
    }
}

#[test]
fn a_daemon_that_was_started_is_not_said_to_be_starting() {
    let reach = |is_starting| {
        let looked_at = "daemon.json".to_owned();
        Msg::Reach(Reach::Nobody { looked_at, problem: None, is_starting }, None)
    };
    let mut story = Story::blank();
    story.tell(reach(false)).press("s").tell(reach(true));
    assert!(story.screen().contains("starting the daemon"), "{}", story.screen());
    let story = story.live(snapshot());
    assert!(!story.screen().contains("starting the daemon"), "{}", story.screen());
}

#[test]
fn a_daemon_that_is_started_makes_the_old_picture_no_newer() {
    let mut story = Story::review();
    story.disconnect().wait(30_000);
    let looked_at = "daemon.json".to_owned();
    story.tell(Msg::Reach(Reach::Nobody { looked_at, problem: None, is_starting: true }, None));
    story.tell(Msg::Reach(Reach::Found, None));
    assert!(story.screen().contains("data as of 14:06:12"), "{}", story.screen());
}

#[test]
fn e_9_a_snapshot_that_is_not_to_be_had_is_asked_for_ever_more_seldom() {
    let fails = |story: &mut Story, code| {
        let trouble = RequestError::of(&refusal(ErrorCode::Internal, "it is ill", Some("wait")));
        story.tell(Msg::Snapshot(Err(RequestError { code, ..trouble })));
        let screen = story.screen();
        assert!(screen.contains("not loaded: it is ill (wait)"), "{screen}");
        match story.effects.as_slice() {
            [Effect::Fetch(after)] => *after,
            other => panic!("{other:?}"),
        }
    };
    let mut story = reloading();
    let waits: Vec<_> = (0..6).map(|_| fails(&mut story, None)).collect();
    assert_eq!(waits, [1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
    // A refusal is not soon another answer.
    assert_eq!(fails(&mut reloading(), Some(ErrorCode::Denied)), 8_000);
}

#[test]
fn the_first_picture_ends_what_was_told_of_its_absence() {
    let mut story = Story::blank();
    story.seq = snapshot().seq;
    story.tell(Msg::Reach(Reach::Found, None));
    greets(&mut story, NOW);
    let trouble = RequestError::of(&refusal(ErrorCode::Internal, "it is ill", None));
    story.tell(Msg::Snapshot(Err(trouble)));
    let told = story.app.model.prompt.notice.as_ref().map(|notice| notice.text.as_str());
    assert_eq!(told, Some("not loaded: it is ill; it is asked for again"));
    story.tell(Msg::Snapshot(Ok(Box::new(snapshot()))));
    assert_eq!(story.app.model.prompt.notice, None);
}

#[test]
fn what_is_missing_at_the_start_is_told_until_it_comes() {
    let mut story = Story::blank();
    let late = agent("late@review");
    let subject = Subject::Agent(late.target.clone());
    story.app.model.selection.awaited = Some(Place::of(subject.clone()));
    let mut story = story.live(snapshot());
    assert!(story.screen().contains("late@review is not there"), "{}", story.screen());
    story.agent_is(&late);
    assert_eq!(story.app.model.place.subject, subject);
    assert!(!story.screen().contains("is not there"), "{}", story.screen());
}

#[test]
fn without_a_daemon_s_starts_one_from_every_pane_as_the_footer_says() {
    for (name, make) in gallery::PANES {
        for focus in [Focus::Nav, Focus::Main] {
            let mut story = make((80, 24));
            story.disconnect();
            story.app.model.selection.focus = focus;
            assert!(story.screen().contains("s start daemon"), "{name}: {}", story.screen());
            assert_eq!(story.press("s").effects, [Effect::StartDaemon], "{name} {focus:?}");
        }
    }
    let mut story = Story::review();
    story.disconnect();
    story.tell(Msg::NotStarted("no room on the disk".to_owned()));
    let screen = story.screen();
    assert!(screen.contains("the daemon was not started: no room on the disk"), "{screen}");
}
