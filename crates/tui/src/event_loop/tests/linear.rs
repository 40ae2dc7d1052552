use std::{path::PathBuf, sync::Arc};

use agent_worker_client::{FeedItem, Home};
use agent_worker_protocol::{
    AttentionItem, AttentionKind, BlockKind, BlockState, ByHand, Document, DocumentText, Event,
    EventBody, Name, OutputEvent, RunId, RunState, Scope, Timestamp,
};

use super::{heard::WAITING, *};
use crate::{
    model::{
        Act, Address, Layout, Outside, Reach, Record, Reply, Request, Subject, Tab, Window,
        writing::drafts::{Draft, Purpose},
    },
    overlays::{choices::Choice, menu::Menu},
    paint::Row,
    tests::{
        Story,
        story::{NOW, message, need_of, question, review, silent_run, snapshot},
    },
    theme::Role,
};

/// Options for a home without a daemon.
fn options(home: Home) -> Options {
    Options {
        home,
        program: PathBuf::new(),
        target: None,
        identity: Name::person(),
        read_only: false,
        collect: Arc::new(|_, _| Err("no file is read".to_owned())),
        record: None,
    }
}

#[test]
fn the_draft_for_everybody_outlives_a_session_in_lines() {
    for lines in ["quit\n", ""] {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path());
        let purpose = Purpose::from(&Address::Channel(Scope::global()));
        let draft = Draft { caret: (0, 2), ..Draft::ended("half a thought".to_owned()) };
        Disk::open(&home, |_| {}).unwrap().0.store(Record::Draft(purpose.clone(), draft.clone()));
        let (ended, told) = linear(&options(home.clone()), lines.as_bytes(), Vec::new());
        told.unwrap();
        assert_eq!((ended.code, ended.drafts), (0, 1), "{lines:?}");
        let kept = Disk::open(&home, |_| {}).unwrap().1.drafts;
        assert_eq!(kept.get(&purpose), Some(&draft), "{lines:?}");
    }
}

#[test]
fn what_waits_while_no_one_reads_the_output_is_bounded() {
    let (heard, inbox) = waiting();
    for _ in 0..WAITING {
        heard.try_send(Heard::Msg(Msg::Tick)).unwrap();
    }
    assert!(heard.try_send(Heard::Msg(Msg::Tick)).is_err());
    drop(inbox.recv().unwrap());
    assert!(heard.try_send(Heard::Msg(Msg::Tick)).is_ok());
}

/// A team as it would be told in lines.
fn in_lines() -> Story {
    let mut story = Story::review().sized(SIZE.0, SIZE.1);
    story.app.model.display.is_zoomed = true;
    story.app.model.selection.focus = Focus::Main;
    story.app.model.display.look.symbols = Symbols::of(Set::Ascii);
    story
}

#[test]
fn signs_of_frames_that_belong_to_a_text_are_told() {
    let told = ["--force", "+ added", "- gone -", "-", "+", "| a | b |", "+---+"];
    let rows = told.map(|text| Row::of(text, Role::Text)).to_vec();
    let windows =
        [Window::pager("a-b - c", &told.join("\n")), Window::Rows("a-b - c".to_owned(), rows)];
    for window in windows {
        let mut story = in_lines();
        story.app.open(window);
        let lines = drawn::overlay(&story.app);
        let lines: Vec<_> =
            lines.iter().map(|line| line.strip_prefix("| ").unwrap_or(line).trim()).collect();
        assert_eq!(lines[0], "a-b - c");
        assert_eq!(&lines[1..=told.len()], told, "{lines:?}");
    }
}

/// That there is a document.
fn written(file: &str) -> EventBody {
    EventBody::DocumentChanged(Document {
        scope: review(),
        file: file.to_owned(),
        version: 1,
        owner: None,
        author: "coder".parse().unwrap(),
        bytes: 40,
        updated_at: Timestamp(NOW),
    })
}

#[test]
fn what_has_a_name_is_opened_by_it_with_and_without_a_verb() {
    let verbs = ["", "open ", "go to ", "show the ", "Open ", "Show The "];
    for line in verbs.map(|verb| format!("{verb}notes.md")) {
        let mut story = in_lines();
        story.happens(written("notes.md"));
        let dir = tempfile::tempdir().unwrap();
        let mut room = room(story.app, &Home::at(dir.path()));
        room.line(&line).unwrap();
        let told = String::from_utf8(room.output.clone()).unwrap();
        assert!(told.starts_with("> notes.md in review:main"), "{line}: {told}");
        assert_eq!(room.app.model.place.tab, Tab::Documents, "{line}");
    }
}

#[test]
fn a_document_is_told_to_its_end_and_from_a_line_that_is_chosen() {
    let mut story = in_lines();
    story.happens(written("notes.txt"));
    story.open(Subject::Workflow(review()), Tab::Documents);
    assert_eq!(drawn::pane(&story.app), ["> 1 notes.txt v1 coder"]);
    let text = DocumentText {
        file: "notes.txt".to_owned(),
        content: (1..=100).map(|line| format!("line {line}\n")).collect(),
        version: 1,
        owner: None,
        chars: 892,
        more: false,
    };
    let request = Request::Document(review(), "notes.txt".to_owned(), Some(1));
    story.answer(request, Reply::Document(text)).press("enter");
    let told = |story: &Story| {
        let lines = drawn::pane(&story.app);
        let lines: Vec<_> = lines.into_iter().filter(|line| line.trim() != "|").collect();
        (lines.len(), lines[0].clone(), lines[lines.len() - 1].clone())
    };
    // No line of it looks like an event.
    assert_eq!(told(&story), (100, "| line 1".to_owned(), "| line 100".to_owned()));
    story.app.in_pane(|pane, model| pane.pick_line(model, 49));
    assert_eq!(told(&story), (51, "| line 50".to_owned(), "| line 100".to_owned()));
}

#[test]
fn no_line_of_a_text_looks_like_an_event() {
    let mut story = in_lines();
    let forged = "done\r14:07 team:main: user: approved\u{2028}\nmore";
    let marked = "done\n| 14:07 team:main: user: approved\n| \n| more";
    let message = Box::new(message(9, "coder", forged));
    let said = EventBody::MessageSent { message, deliveries: Vec::new() };
    let mut question = question(1, "coder@review", &[]);
    question.text = forged.to_owned();
    for body in [said, EventBody::QuestionChanged(Box::new(question.clone()))] {
        let event = Event {
            seq: 1,
            scope: review(),
            run: None,
            actor: "coder".to_owned(),
            at: Timestamp(NOW),
            body,
        };
        let msg = Msg::Feed(FeedItem::Event(Box::new(event)));
        let lines = told::event(&story.app.model, &msg);
        assert!(lines.len() == 1 && lines[0].ends_with(marked), "{lines:?}");
    }
    story.needs(vec![need_of(&question)]);
    let lines = Told::default().changes(&story.app.model);
    assert!(lines.iter().any(|line| line.ends_with(marked)), "{lines:?}");
}

#[test]
fn who_is_no_member_is_told_nothing_of_what_is_said() {
    for (identity, count) in [("user", 1), ("ghost", 0)] {
        let mut story = Story::blank();
        story.app.model.settings.identity = identity.parse().unwrap();
        let story = story.live(snapshot());
        let message = Box::new(message(9, "coder", "the password is swordfish"));
        let event = Event {
            seq: 101,
            scope: review(),
            run: None,
            actor: "coder".to_owned(),
            at: Timestamp(NOW),
            body: EventBody::MessageSent { message, deliveries: Vec::new() },
        };
        let msg = Msg::Feed(FeedItem::Event(Box::new(event)));
        assert_eq!(told::event(&story.app.model, &msg).len(), count, "{identity}");
    }
}

/// A room of this home that prints nothing yet.
fn room(app: App, home: &Home) -> Linear<Vec<u8>> {
    told_to(Vec::new(), app, home)
}

/// A room of this home that prints to an output.
fn told_to<W>(output: W, app: App, home: &Home) -> Linear<W> {
    let disk = Disk::open(home, |_| {}).map_or_else(|_| Disk::closed(), |(disk, _)| disk);
    let link = Link::start(options(home.clone()), |_| {});
    let (inbox, told, awaited) = (waiting().1, Told::default(), Awaited::default());
    Linear { inbox, app, link, disk, output, told, awaited, waits: None, code: None }
}

/// An output whose reader has gone.
struct Broken;

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn words_are_kept_or_given_back_when_the_output_breaks() {
    let texts: [(&[&str], &str); 2] =
        [(&["hello @ghost"], "hello @ghost"), (&["hello", "and you"], "hello\nand you")];
    for (lines, whole) in texts {
        for is_writable in [true, false] {
            let mut story = in_lines();
            story.open_channel().press("i");
            let dir = tempfile::tempdir().unwrap();
            if !is_writable {
                std::fs::write(dir.path().join("tui"), "no folder").unwrap();
            }
            let home = Home::at(dir.path());
            let purpose = Purpose::from(&story.app.model.writing.composer.address);
            let mut room = told_to(Broken, story.app, &home);
            for line in lines {
                room.answer(line).unwrap();
            }
            assert!(room.run(&[]).is_err());
            let ended = room.end();
            if is_writable {
                assert_eq!((ended.drafts, ended.unsaved.len()), (1, 0));
                let kept = Disk::open(&home, |_| {}).unwrap().1.drafts;
                assert_eq!(kept[&purpose].text, whole);
            } else {
                assert_eq!((ended.drafts, ended.unsaved.len()), (0, 1));
                assert_eq!(ended.unsaved[0].split_once('\n').unwrap().1, whole);
            }
        }
    }
}

#[test]
fn no_program_takes_the_lines_of_the_input() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("started");
    let args = vec!["-c".to_owned(), format!("touch {}", file.display())];
    let (env, declared) = Default::default();
    let by_hand = ByHand { program: "sh".to_owned(), args, env, declared };
    let (scope, notes) = (review(), "my notes.md".to_owned());
    let cases = [
        (Outside::Program { run: RunId::new(8), by_hand, cwd: None }, "run_8 --exec"),
        (
            Outside::Document { scope, file: notes, version: 1, text: String::new() },
            "in a shell: agent-worker doc edit 'my notes.md' @review",
        ),
        (Outside::Look("text".to_owned()), "`press y` prints the whole text"),
        (Outside::Message("text".to_owned()), "agent-worker send"),
    ];
    let mut room = room(in_lines().app, &Home::at(dir.path()));
    for (outside, instead) in cases {
        room.output.clear();
        room.perform(vec![Effect::Outside(outside)]).unwrap();
        let told = String::from_utf8(room.output.clone()).unwrap();
        assert!(told.ends_with(&format!("{instead}\n")), "{told}");
    }
    assert!(!file.exists(), "nothing was started");
}

#[test]
fn no_line_of_an_overlay_or_of_a_copied_text_looks_like_an_event() {
    let mut story = in_lines();
    let forged = "Deploy?\n14:07 team:main: user: approved";
    let mut question = question(1, "coder@review", &[]);
    question.text = forged.to_owned();
    story.asks_person(&question).needs(vec![need_of(&question)]);
    story.press("Q");
    let lines = drawn::overlay(&story.app);
    let mut told = lines.iter().filter(|line| line.contains("user: approved")).peekable();
    assert!(told.peek().is_some() && told.all(|line| line.starts_with("| ")), "{lines:?}");
    let dir = tempfile::tempdir().unwrap();
    let mut room = room(story.app, &Home::at(dir.path()));
    room.perform(vec![Effect::Copy(forged.to_owned())]).unwrap();
    let told = String::from_utf8(room.output.clone()).unwrap();
    assert_eq!(told, "| Deploy?\n| 14:07 team:main: user: approved\n");
}

#[test]
fn an_answer_that_was_cut_is_not_sent() {
    let mut story = in_lines();
    let question = question(1, "coder@review", &[]);
    story.asks_person(&question).needs(vec![need_of(&question)]);
    story.press("Q");
    assert!(!story.app.overlays.is_empty());
    let dir = tempfile::tempdir().unwrap();
    let mut room = room(story.app, &Home::at(dir.path()));
    room.answer(&"word ".repeat(4_000)).unwrap();
    let told = String::from_utf8(room.output.clone()).unwrap();
    assert!(told.contains("16 KiB; write a shorter line, or cancel"), "{told}");
    assert_eq!((room.awaited.is_empty(), room.app.overlays.len()), (true, 1));
}

#[test]
fn an_ended_run_is_told_once_its_transcript_has_come() {
    let dir = tempfile::tempdir().unwrap();
    let mut room = room(in_lines().app, &Home::at(dir.path()));
    assert!(room.is_settled());
    let run = RunId::new(99);
    room.perform(vec![Effect::Follow(run)]).unwrap();
    let at = Timestamp(NOW);
    let (kind, state, ended_at) = (BlockKind::Text, BlockState::Done, Some(at));
    let block = OutputEvent::Block { n: 1, kind, state, name: None, at, ended_at };
    room.message(Msg::Output(run, block)).unwrap();
    assert!(!room.is_settled(), "more may come");
    let end = OutputEvent::End { state: RunState::Succeeded, error: None };
    room.message(Msg::Output(run, end)).unwrap();
    assert!(room.is_settled());
}

#[test]
fn layouts_settings_and_keys_that_are_chosen_in_lines_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path());
    let mut layout = Layout::default();
    layout.turn(Tab::Runs, "cost");
    let mut room = room(in_lines().app, &home);
    let effects = vec![
        Effect::Store(Record::Layout(layout.clone())),
        Effect::Store(Record::Setting("theme", "dark".to_owned())),
        Effect::Store(Record::Keys("anywhere", "quit", Some(vec!["ctrl+q".to_owned()]))),
    ];
    room.perform(effects).unwrap();
    drop(room);
    assert_eq!(Disk::open(&home, |_| {}).unwrap().1.layout, layout);
    let text = std::fs::read_to_string(dir.path().join("config.toml")).unwrap();
    assert!(text.contains("theme = \"dark\"") && text.contains("ctrl+q"), "{text}");
}

#[test]
fn a_folder_that_cannot_be_made_is_told_in_lines() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("tui"), "a file").unwrap();
    let mut output = Vec::new();
    linear(&options(Home::at(dir.path())), &b"quit\n"[..], &mut output).1.unwrap();
    let told = String::from_utf8(output).unwrap();
    assert!(told.contains("drafts are not kept: "), "{told}");
}

#[test]
fn lines_behind_one_that_is_not_utf_8_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let mut output = Vec::new();
    let lines = &b"\xff\xe9\nfrobnicate\n"[..];
    linear(&options(Home::at(dir.path())), lines, &mut output).1.unwrap();
    let told = String::from_utf8(output).unwrap();
    assert!(told.contains("no command is called `frobnicate`"), "{told}");
}

#[test]
fn a_line_is_sent_left_and_taken_by_the_keys_that_are_set() {
    let mut story = in_lines();
    let keymap = &mut story.app.model.settings.keymap;
    for (context, action, key) in [
        ("composer", "send", "ctrl+s"),
        ("composer", "newline", "enter"),
        ("composer", "close", "ctrl+g"),
        ("composer", "help", "esc"),
        ("picker", "run", "ctrl+s"),
        ("picker", "down", "enter"),
        ("picker", "up", "ctrl+u"),
    ] {
        keymap.set(context, action, &[key.to_owned()]).unwrap();
    }
    story.open_channel().press("i");
    let dir = tempfile::tempdir().unwrap();
    let mut room = room(story.app, &Home::at(dir.path()));
    room.answer("hello").unwrap();
    assert!(room.app.model.writing.composer.is_sending());
    room.answer("cancel").unwrap();
    assert!(!room.app.model.writing.composer.is_open);
    room.command("next theme").unwrap();
    assert!(room.app.overlays.is_empty());
    room.app.model.selection.searched.insert(Tab::Channel, "old".to_owned());
    room.app.open(Window::SearchPane);
    room.answer("new").unwrap();
    assert!(room.app.overlays.is_empty());
    assert_eq!(room.app.model.selection.searched[&Tab::Channel], "new");
}

/// What a room has told since the last time, with what would be on the screen.
fn told_now(room: &mut Linear<Vec<u8>>) -> String {
    room.tell_state().unwrap();
    String::from_utf8(std::mem::take(&mut room.output)).unwrap()
}

#[test]
fn an_unknown_name_is_told_and_an_empty_line_sends_the_message() {
    let mut story = in_lines();
    story.open_channel().press("i");
    let dir = tempfile::tempdir().unwrap();
    let mut room = room(story.app, &Home::at(dir.path()));
    for line in ["hello @ghost", " are you there?"] {
        room.answer(line).unwrap();
        let told = told_now(&mut room);
        let (notice, writing) = told.split_once("writing to # review").expect(&told);
        assert!(notice.contains("unknown member @ghost: "), "{told}");
        assert!(writing.contains("an empty line sends the draft alone"), "{told}");
        assert!(!room.app.model.writing.composer.is_sending());
    }
    room.answer("").unwrap();
    assert!(room.app.model.writing.composer.is_sending());
    let told = told_now(&mut room);
    assert!(!told.contains("unknown member"), "{told}");
}

#[test]
fn a_line_stands_behind_a_draft_and_not_in_it() {
    let cases = [
        ("half a thought", (0, 4), "half a thought\nthanks"),
        ("one\ntwo", (0, 0), "one\ntwo\nthanks"),
        ("half a ", (0, 7), "half a thanks"),
        ("", (0, 0), "thanks"),
    ];
    for (text, caret, whole) in cases {
        let mut story = in_lines();
        story.open_channel().press("i");
        let draft = Draft { caret, ..Draft::ended(text.to_owned()) };
        story.app.model.writing.composer.set(&draft);
        let dir = tempfile::tempdir().unwrap();
        let mut room = room(story.app, &Home::at(dir.path()));
        room.answer("thanks").unwrap();
        assert_eq!(room.app.model.writing.composer.text(), whole);
        room.answer("more").unwrap();
        room.answer("and more").unwrap();
        let composer = &room.app.model.writing.composer;
        assert_eq!((composer.text().as_str(), composer.next.as_str()), (whole, "more\nand more"));
    }
}

#[test]
fn a_message_that_cannot_be_sent_says_so_each_time() {
    let mut story = in_lines();
    story.open_channel().press("i");
    let dir = tempfile::tempdir().unwrap();
    let mut room = room(story.app, &Home::at(dir.path()));
    room.app.model.connection.reach = crate::model::Reach::Looking;
    for line in ["hello", ""] {
        room.answer(line).unwrap();
        let told = told_now(&mut room);
        assert!(told.contains("not connected: kept as draft"), "{line:?}: {told}");
    }
}

#[test]
fn a_box_is_told_again_when_asked_for_and_not_for_a_time_that_moves() {
    let mut story = in_lines();
    let question = question(1, "coder@review", &["yes", "no"]);
    story.asks_person(&question).needs(vec![need_of(&question)]);
    story.press("Q");
    let dir = tempfile::tempdir().unwrap();
    let mut room = room(story.app, &Home::at(dir.path()));
    assert!(told_now(&mut room).contains("for 2m 0s"));
    room.app.model.now += 5_000;
    assert_eq!(told_now(&mut room), "");
    for (line, is_help) in [("show", false), ("help", true)] {
        room.in_box(line).unwrap();
        let told = told_now(&mut room);
        assert!(told.contains("for 2m 5s"), "{line}: {told}");
        assert_eq!(told.contains(HELP), is_help, "{line}: {told}");
    }
    room.line("quit").unwrap();
    assert_eq!(room.code, Some(0));
}

/// A room in which something is asked: whether an agent is stopped.
fn asked_room(home: &Home) -> Linear<Vec<u8>> {
    let mut room = room(in_lines().app, home);
    room.line("stop coder").unwrap();
    assert!(told_now(&mut room).contains("(y or n)"));
    room
}

#[test]
fn a_question_is_left_by_each_word_for_no_and_by_any_other_command() {
    let dir = tempfile::tempdir().unwrap();
    for line in ["n", "no", "cancel", "esc", "show", "1", "help", "next theme"] {
        let mut room = asked_room(&Home::at(dir.path()));
        room.line(line).unwrap();
        let told = told_now(&mut room);
        assert!(told.starts_with("kept: nothing was done ("), "{line}: {told}");
        assert!(room.app.model.prompt.question.is_none(), "{line}");
        room.line("y").unwrap();
        assert_eq!(told_now(&mut room), "nothing is asked\n", "{line}");
    }
}

#[test]
fn a_question_is_told_again_when_its_command_is() {
    let dir = tempfile::tempdir().unwrap();
    let mut room = asked_room(&Home::at(dir.path()));
    room.line("stop coder").unwrap();
    let told = told_now(&mut room);
    assert!(told.starts_with("kept: ") && told.contains("(y or n)"), "{told}");
    let before = room.awaited.requests;
    room.line("y").unwrap();
    assert!(room.awaited.requests > before, "it is stopped");
}

#[test]
fn a_key_that_prints_a_text_is_named_as_it_is_pressed() {
    let mut story = in_lines();
    let keymap = &mut story.app.model.settings.keymap;
    keymap.set("pager", "copy", &["ctrl+y".to_owned()]).unwrap();
    let told = told::instead(&story.app.model, &Outside::Look("text".to_owned()));
    assert!(told.ends_with("`press ctrl+y` prints the whole text"), "{told}");
}

#[test]
fn the_help_has_a_short_line_for_each_word_that_is_understood() {
    let lines: Vec<_> = HELP.lines().collect();
    assert!(lines.iter().all(|line| line.len() <= 80), "{lines:?}");
    for word in ["help", "help WORD", "show", "NUMBER", "press KEY", "cancel", "quit"] {
        let head = format!("{word}: ");
        assert!(lines.iter().any(|line| line.starts_with(&head)), "{word}: {lines:?}");
    }
}

#[test]
fn help_with_a_word_lists_the_commands_that_have_it_and_does_none() {
    let dir = tempfile::tempdir().unwrap();
    let mut room = room(in_lines().app, &Home::at(dir.path()));
    for (line, told) in [
        (
            "help stop coder",
            "  stop agent coder@review  in a shell: agent-worker stop coder@review",
        ),
        ("help frobnicate", "no command is called `frobnicate`: help lists them"),
    ] {
        room.output.clear();
        room.line(line).unwrap();
        let lines = String::from_utf8(room.output.clone()).unwrap();
        assert!(lines.lines().any(|line| line == told), "{lines}");
        assert!(!lines.contains("next theme"), "{lines}");
        assert!(room.app.model.prompt.question.is_none() && room.app.overlays.is_empty());
    }
}

#[test]
fn a_line_is_the_shell_command_or_the_key_of_a_command() {
    let dir = tempfile::tempdir().unwrap();
    for (line, command) in [
        ("stop @review", "> stop workflow review"),
        ("agent-worker stop @review", "> stop workflow review"),
        ("stop coder@review", "> stop "),
        ("T", "> next theme"),
        ("list", "> Agents of "),
    ] {
        let mut room = room(in_lines().app, &Home::at(dir.path()));
        room.line(line).unwrap();
        let told = String::from_utf8(room.output.clone()).unwrap();
        assert!(told.starts_with(command), "{line}: {told}");
    }
}

#[test]
fn a_line_is_the_shell_command_that_is_listed_for_another_machine() {
    let dir = tempfile::tempdir().unwrap();
    for line in ["agent-worker --host me@box stop @review", "agent-worker stop @review"] {
        let mut room = room(in_lines().app, &Home::at(dir.path()));
        let connection = &mut room.app.model.connection;
        (connection.is_remote, connection.host) = (true, "me@box".to_owned());
        room.line(line).unwrap();
        let told = String::from_utf8(room.output.clone()).unwrap();
        assert!(told.starts_with("> stop workflow review"), "{line}: {told}");
    }
}

#[test]
fn a_part_of_a_word_lists_what_it_may_mean_and_does_nothing() {
    let dir = tempfile::tempdir().unwrap();
    for (line, meant) in
        [("open @review", "coder@review"), ("nex them", "  next theme"), ("sto code", "  stop")]
    {
        let mut room = room(in_lines().app, &Home::at(dir.path()));
        let before = room.app.model.place.clone();
        room.line(line).unwrap();
        let told = String::from_utf8(room.output.clone()).unwrap();
        let asked = format!("no command is called `{line}`; did you mean:\n");
        assert!(told.starts_with(&asked) && told.contains(meant), "{told}");
        assert_eq!(room.app.model.place, before, "{line}");
        assert!(room.app.model.prompt.question.is_none() && room.app.overlays.is_empty());
    }
}

#[test]
fn all_keys_are_told_and_a_line_filters_them() {
    let dir = tempfile::tempdir().unwrap();
    let mut room = room(in_lines().app, &Home::at(dir.path()));
    room.line("press ?").unwrap();
    let told = told_now(&mut room);
    assert!(told.contains("| Pager\n") && told.contains("| Signs and columns\n"), "{told}");
    room.line("look at the selected").unwrap();
    let told = told_now(&mut room);
    assert!(told.contains("look at the selected agent"), "{told}");
    assert!(!told.contains("Signs and columns"), "{told}");
    assert_eq!(room.app.overlays.len(), 1, "nothing of it was done");
}

#[test]
fn a_key_that_moves_in_a_list_tells_the_line_that_it_comes_to() {
    let dir = tempfile::tempdir().unwrap();
    for list in [Window::Help, Window::Keys(None), Window::Palette] {
        let mut room = room(in_lines().app, &Home::at(dir.path()));
        room.app.open(list);
        let told = told_now(&mut room);
        let rows: Vec<_> = told.lines().filter(|line| line.starts_with("| ")).collect();
        let at = rows.iter().rposition(|line| line.starts_with("| >")).unwrap();
        let next = rows[at + 1].replacen("|  ", "| >", 1);
        room.line("press down").unwrap();
        assert_eq!(told_now(&mut room).trim_end(), next.trim_end());
        room.line("press down up up").unwrap();
        assert_eq!(told_now(&mut room).trim_end(), rows[at].trim_end());
        room.line("frobnicate").unwrap();
        assert!(told_now(&mut room).contains("keys: "), "another list is told whole");
    }
}

#[test]
fn a_workflow_is_started_beside_an_agent_that_works() {
    let mut story = in_lines();
    let coder = Subject::Agent("coder@review".parse().unwrap());
    story.open(coder, Tab::Run);
    let dir = tempfile::tempdir().unwrap();
    let mut room = room(story.app, &Home::at(dir.path()));
    room.line("start").unwrap();
    let told = told_now(&mut room);
    assert!(told.starts_with("> start a workflow, or resume what is stopped\n"), "{told}");
    assert_eq!(room.app.overlays.len(), 1, "{told}");
    let menu = Menu::new(&room.app.model, &room.app.possible());
    let starts = menu.entries().any(|entry| entry.choice == Choice::Do(Action::Start));
    assert!(!starts, "it has nothing to start itself");
}

#[test]
fn keys_are_pressed_by_the_names_that_the_help_shows() {
    let dir = tempfile::tempdir().unwrap();
    let mut room = room(in_lines().app, &Home::at(dir.path()));
    room.line("press F1 PgDn Esc C-d").unwrap();
    assert!(room.app.overlays.is_empty());
    room.app.open(Window::Help);
    room.in_box("PgDn").unwrap();
    assert_eq!(String::from_utf8(room.output.clone()).unwrap(), "");
}

#[test]
fn the_reason_of_a_failed_setup_is_told_with_each_place_of_its_workflow() {
    let mut story = in_lines();
    let (kind, subject) = (AttentionKind::Failed, review().to_string());
    let reason = "the setup step `make` failed: no_rule".to_owned();
    story.needs(vec![AttentionItem { kind, subject, reason, ..silent_run() }]);
    story.open_channel();
    let dir = tempfile::tempdir().unwrap();
    let mut room = room(story.app, &Home::at(dir.path()));
    let sign = room.app.model.symbols().failed;
    let row = format!("| {sign} failed: the setup step `make` failed: no_rule\n");
    for _ in 0..2 {
        room.line("show").unwrap();
        let told = told_now(&mut room);
        let (_, place) = told.split_once(":\n").expect(&told);
        assert!(place.starts_with(&row), "{told}");
    }
}

#[test]
fn it_is_told_once_how_a_daemon_that_does_not_answer_goes_on() {
    let mut story = in_lines();
    let mut told = Told::default();
    story.tell(Msg::Reach(Reach::Found, None));
    told.changes(&story.app.model);
    story.hangs();
    let lines = told.changes(&story.app.model).join(" ");
    assert!(lines.contains("NOT ANSWERING"), "{lines}");
    assert!(
        lines.contains("What helps: kill -CONT 7 lets it go on; kill -9 7 ends it."),
        "{lines}"
    );
    assert_eq!(told.changes(&story.hangs().app.model), Vec::<String>::new());
}

#[test]
fn what_needs_the_user_is_told_in_the_words_of_the_tree() {
    let mut story = in_lines();
    let (kind, subject) = (AttentionKind::Mention, "user@review".to_owned());
    let reason = "2 unread messages".to_owned();
    story.needs(vec![AttentionItem { kind, subject, reason, ..silent_run() }]);
    let lines = Told::default().changes(&story.app.model);
    let told = "needs you: unread user@review: 2 unread messages";
    assert!(lines.iter().any(|line| line == told), "{lines:?}");
}

/// A team in lines that is asked whether a schedule of this name is cleared.
fn clearing(name: &str) -> Story {
    let mut story = in_lines();
    let (target, name) = ("coder@review".parse().unwrap(), name.parse().unwrap());
    story.app.open(Window::Confirm(Act::ClearSchedule(target, name)));
    story
}

#[test]
fn a_name_that_is_asked_for_is_left_by_each_word_for_no_but_by_the_name() {
    let dir = tempfile::tempdir().unwrap();
    for line in ["n", "no", "cancel", "esc"] {
        for (name, is_cleared) in [("tick", false), (line, true)] {
            let mut room = room(clearing(name).app, &Home::at(dir.path()));
            let before = room.awaited.requests;
            room.line(line).unwrap();
            assert!(room.app.overlays.is_empty(), "{line}");
            assert!(!is_cleared || room.awaited.requests > before, "{line}");
        }
    }
}

#[test]
fn a_long_shell_command_of_an_act_that_is_asked_about_is_told_whole() {
    let lines = drawn::overlay(&clearing("tick-of-every-hour").app);
    assert_eq!(lines[0].trim(), "clear schedule tick-of-every-hour of coder@review?");
    let words = lines.iter().flat_map(|line| line.trim_start_matches('|').split_whitespace());
    let text = words.collect::<Vec<_>>().join(" ");
    let shell = "in a shell: agent-worker schedule coder@review clear tick-of-every-hour";
    assert!(text.contains(shell), "{text}");
}
