use std::os::unix::fs::PermissionsExt as _;

use agent_worker_client::Host;
use agent_worker_protocol::{Scope, Target};

use super::*;
use crate::{
    app::Msg,
    model::{
        Address, Place, Subject, Tab,
        layouts::{Arrangement, Bookmark},
    },
};

fn home() -> (tempfile::TempDir, Home) {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path());
    (dir, home)
}

fn to_global() -> Purpose {
    Purpose::from(&Address::Channel(Scope::global()))
}

fn draft(text: &str) -> Draft {
    Draft { text: text.to_owned(), caret: (0, text.len()), ..Draft::default() }
}

#[test]
fn f_1_a_text_that_was_not_sent_is_there_the_next_time() {
    let (_dir, home) = home();
    let purpose = to_global();
    let alice: Target = "alice@review".parse().unwrap();
    let agent = Purpose::from(&Address::Agent(alice));
    {
        let (disk, kept) = Disk::open(&home, |_| {}).unwrap();
        assert!(kept.drafts.is_empty() && kept.sent.is_empty());
        disk.store(Record::Draft(purpose.clone(), draft("first")));
        disk.store(Record::Draft(purpose.clone(), draft("second\n中文")));
        disk.store(Record::Draft(agent.clone(), draft("gone")));
        disk.store(Record::Draft(agent, Draft::default()));
        for text in ["a", "b", "a"] {
            disk.store(Record::Sent(text.to_owned()));
        }
    }
    let (_disk, kept) = Disk::open(&home, |_| {}).unwrap();
    assert_eq!(kept.drafts, BTreeMap::from([(purpose, draft("second\n中文"))]));
    assert_eq!(kept.sent, ["b", "a"]);
}

#[test]
fn f_2_what_is_kept_is_for_its_owner_alone_and_nothing_half_written_is_left() {
    let (_dir, home) = home();
    let folder = home.control_room();
    let (disk, _) = Disk::open(&home, |_| {}).unwrap();
    disk.store(Record::Draft(to_global(), draft("text")));
    drop(disk);
    let names: Vec<_> = fs::read_dir(folder.join("drafts")).unwrap().flatten().collect();
    assert_eq!(names.len(), 1);
    assert_eq!(names[0].metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn what_cannot_be_written_is_told() {
    let (_dir, home) = home();
    let folder = home.control_room();
    let (told, heard) = channel();
    let (disk, _) = Disk::open(&home, move |msg| told.send(msg).unwrap()).unwrap();
    fs::remove_dir_all(folder.join("drafts")).unwrap();
    disk.store(Record::Draft(to_global(), draft("text")));
    assert!(matches!(heard.recv().unwrap(), Msg::DraftNotSaved(..)));
}

#[test]
fn a_draft_that_could_not_be_written_is_written_once_it_can_be() {
    let (_dir, home) = home();
    let drafts = home.control_room().join("drafts");
    let (told, heard) = channel();
    let (disk, _) = Disk::open(&home, move |msg| told.send(msg).unwrap()).unwrap();
    for text in ["after a while", "after another record", "at the end"] {
        fs::remove_dir_all(&drafts).unwrap();
        disk.store(Record::Draft(to_global(), draft(text)));
        assert!(matches!(heard.recv().unwrap(), Msg::DraftNotSaved(..)), "{text}");
        fs::create_dir(&drafts).unwrap();
        if text == "at the end" {
            break;
        }
        if text == "after another record" {
            disk.store(Record::Filter("agent:coder".to_owned()));
        }
        let msg = heard.recv_timeout(Duration::from_mins(1)).unwrap();
        assert!(matches!(&msg, Msg::Saved(_, saved) if saved == text), "{text}: {msg:?}");
    }
    assert_eq!(disk.close(), Unsaved::default());
    assert_eq!(Disk::open(&home, |_| {}).unwrap().1.drafts[&to_global()], draft("at the end"));
}

#[test]
fn a_draft_that_cannot_be_written_until_the_end_is_given_back() {
    let (_dir, home) = home();
    let folder = home.control_room();
    let disk = Disk::open(&home, |_| {}).unwrap().0;
    fs::remove_dir_all(folder.join("drafts")).unwrap();
    disk.store(Record::Draft(to_global(), draft("first")));
    disk.store(Record::Draft(to_global(), draft("second")));
    let unsaved = disk.close();
    let (last, problem) = &unsaved.drafts[&to_global()];
    assert_eq!((unsaved.drafts.len(), last), (1, &draft("second")));
    assert!(problem.starts_with(&format!("cannot write to {}: ", folder.display())), "{problem}");
}

#[test]
fn what_was_typed_behind_a_message_is_noted_once_it_can_be_or_given_back() {
    for is_mended in [true, false] {
        let (_dir, home) = home();
        let file = home.control_room().join(SENT_FILE);
        let (told, heard) = channel();
        let (disk, _) = Disk::open(&home, move |msg| told.send(msg).unwrap()).unwrap();
        fs::create_dir(&file).unwrap();
        disk.store(Record::Sent("one".to_owned()));
        disk.store(Record::Unsent(to_global(), "two".to_owned()));
        for _ in 0..2 {
            assert!(matches!(heard.recv().unwrap(), Msg::NotSaved(_)));
        }
        if is_mended {
            fs::remove_dir(&file).unwrap();
        }
        let back: Vec<_> = disk.close().unsent.into_iter().map(|(_, text, _)| text).collect();
        let noted = Disk::open(&home, |_| {}).unwrap().1.sent;
        let (text, other) = if is_mended { (noted, back) } else { (back, noted) };
        assert_eq!((text, other), (vec!["two".to_owned()], Vec::new()), "{is_mended}");
    }
}

#[test]
fn hidden_columns_are_hidden_the_next_time_and_a_file_that_is_no_layout_hides_none() {
    let (_dir, home) = home();
    let folder = home.control_room();
    let mut layout = Layout::default();
    layout.turn(Tab::Runs, "cost");
    Disk::open(&home, |_| {}).unwrap().0.store(Record::Layout(layout.clone()));
    let kept = Disk::open(&home, |_| {}).unwrap().1.layout;
    assert_eq!(kept, layout);
    assert!(!kept.shows(Tab::Runs, "cost") && kept.shows(Tab::Agents, "cost"));
    fs::write(folder.join(LAYOUT_FILE), "[1").unwrap();
    assert_eq!(Disk::open(&home, |_| {}).unwrap().1.layout, Layout::default());
}

#[test]
fn a_layout_that_cannot_be_read_is_told_and_not_overwritten() {
    let (_dir, home) = home();
    drop(Disk::open(&home, |_| {}).unwrap());
    let path = home.control_room().join(LAYOUT_FILE);
    fs::write(&path, "[1").unwrap();
    let (told, heard) = channel();
    let disk = Disk::open(&home, move |msg| told.send(msg).unwrap()).unwrap().0;
    let begun = format!("cannot read {}: ", path.display());
    let msg = heard.recv().unwrap();
    assert!(matches!(&msg, Msg::NotSaved(words) if words.starts_with(&begun)), "{msg:?}");
    let mut layout = Layout::default();
    layout.turn(Tab::Runs, "cost");
    disk.store(Record::Layout(layout.clone()));
    drop(disk);
    assert_eq!(fs::read_to_string(path.with_extension("json.old")).unwrap(), "[1");
    assert_eq!(Disk::open(&home, |_| {}).unwrap().1.layout, layout);
}

#[test]
fn a_setting_is_written_into_the_file_that_a_link_leads_to() {
    let (_dir, home) = home();
    let own = home.path().join("mine.toml");
    fs::write(&own, "# mine\n").unwrap();
    std::os::unix::fs::symlink(&own, home.path().join("config.toml")).unwrap();
    let disk = Disk::open(&home, |_| {}).unwrap().0;
    disk.store(Record::Setting("theme", "dark".to_owned()));
    drop(disk);
    let text = fs::read_to_string(&own).unwrap();
    assert!(text.contains("# mine") && text.contains("theme = \"dark\""), "{text}");
}

#[test]
fn a_link_to_settings_that_do_not_exist_yet_stays_one() {
    let (_dir, home) = home();
    let (own, config) = (home.path().join("mine.toml"), home.path().join("config.toml"));
    std::os::unix::fs::symlink("mine.toml", &config).unwrap();
    let disk = Disk::open(&home, |_| {}).unwrap().0;
    disk.store(Record::Setting("theme", "dark".to_owned()));
    drop(disk);
    assert!(fs::symlink_metadata(&config).unwrap().is_symlink());
    assert!(fs::read_to_string(&own).unwrap().contains("theme = \"dark\""));
}

#[test]
fn no_other_program_changes_the_settings_while_one_is_written() {
    let (_dir, home) = home();
    let config = home.path().join("config.toml");
    let lock = config.with_extension("lock");
    let changed = change(&config, |text| {
        assert!(fs::File::open(&lock).unwrap().try_lock().is_err());
        config_text::with(text, "theme", "dark")
    });
    changed.unwrap();
    change(&config, |text| Ok(text.to_owned())).unwrap();
}

#[test]
fn a_setting_that_cannot_be_written_names_its_file() {
    let (_dir, home) = home();
    let config = home.path().join("config.toml");
    fs::create_dir(&config).unwrap();
    let (told, heard) = channel();
    let (disk, _) = Disk::open(&home, move |msg| told.send(msg).unwrap()).unwrap();
    disk.store(Record::Setting("theme", "dark".to_owned()));
    disk.store(Record::Keys("anywhere", "quit", None));
    drop(disk);
    let wanted = format!("cannot write to {}: ", config.display());
    let problems: Vec<Msg> = heard.iter().collect();
    let is_named = |msg: &Msg| matches!(msg, Msg::NotSaved(words) if words.starts_with(&wanted));
    assert!(problems.len() == 2 && problems.iter().all(is_named), "{problems:?}");
}

#[test]
fn settings_are_those_of_this_machine_whichever_daemon_is_shown() {
    let (_dir, home) = home();
    let home = home.on(Host::new("me@box".parse().unwrap(), None, None));
    let disk = Disk::open(&home, |_| {}).unwrap().0;
    disk.store(Record::Setting("theme", "dark".to_owned()));
    drop(disk);
    let text = fs::read_to_string(home.path().join("config.toml")).unwrap();
    assert!(text.contains("theme = \"dark\""), "{text}");
}

/// A process that runs and is not this one.
fn another() -> Option<i32> {
    i32::try_from(std::os::unix::process::parent_id()).ok()
}

/// A process that has ended.
fn ended() -> Option<i32> {
    let mut ended = std::process::Command::new("true").spawn().unwrap();
    ended.wait().unwrap();
    i32::try_from(ended.id()).ok()
}

/// What another control room has written.
fn write_as(writer: Option<i32>, path: &Path, purpose: &Purpose, text: &str) {
    let file = File { purpose: purpose.clone(), draft: draft(text), writer };
    fs::write(path, serde_json::to_vec(&file).unwrap()).unwrap();
}

#[test]
fn a_12_two_control_rooms_keep_each_its_own_text_for_the_same_address() {
    let (_dir, home) = home();
    let purpose = to_global();
    let path = path_of(&home.control_room().join("drafts"), &purpose);
    let (told, heard) = channel();
    let (disk, _) = Disk::open(&home, move |msg| told.send(msg).unwrap()).unwrap();
    write_as(another(), &path, &purpose, "of the other");
    let begun = Disk::open(&home, |_| {}).unwrap().1.drafts;
    assert_eq!(begun[&purpose].text, "of the other", "a new one begins with a copy");
    disk.store(Record::Draft(purpose.clone(), draft("my own")));
    assert!(matches!(heard.recv().unwrap(), Msg::AlsoOpen(_)));
    assert!(matches!(heard.recv().unwrap(), Msg::Saved(..)));
    let texts = || [path.clone(), beside(&path)].map(|path| File::read(&path).unwrap().draft.text);
    assert_eq!(texts(), ["my own", "of the other"]);
    disk.store(Record::Draft(purpose.clone(), draft("my own, longer")));
    assert!(matches!(heard.recv().unwrap(), Msg::Saved(..)), "it is told once");
    disk.store(Record::Draft(purpose.clone(), draft("")));
    drop(disk);
    assert_eq!(File::read(&path).unwrap().draft.text, "of the other", "what was sent is gone");
    assert!(!beside(&path).exists());
}

#[test]
fn a_draft_of_a_message_is_read_as_it_was_always_written() {
    let (_dir, home) = home();
    drop(Disk::open(&home, |_| {}).unwrap());
    let path = path_of(&home.control_room().join("drafts"), &to_global());
    assert!(path.ends_with("7fd5d6e91089bf37097a0250.json"), "{}", path.display());
    let written = r#"{"address":{"Channel":"@global"},"draft":{"text":"hi","caret":[0,2]}}"#;
    fs::write(path, written).unwrap();
    let kept = Disk::open(&home, |_| {}).unwrap().1;
    assert_eq!(kept.drafts, BTreeMap::from([(to_global(), draft("hi"))]));
}

#[test]
fn a_12_a_text_of_another_that_has_ended_is_offered_again() {
    let (_dir, home) = home();
    let purpose = to_global();
    let path = path_of(&home.control_room().join("drafts"), &purpose);
    drop(Disk::open(&home, |_| {}).unwrap());
    let writer = ended();
    write_as(writer, &path, &purpose, "the last of it");
    write_as(writer, &beside(&path), &purpose, "what was beside it");
    let document = Purpose::Document(Scope::global(), "notes.md".to_owned());
    let of_document = path_of(&home.control_room().join("drafts"), &document);
    write_as(writer, &beside(&of_document), &document, "what was beside a document");
    for _ in 0..2 {
        let kept = Disk::open(&home, |_| {}).unwrap().1;
        assert!(beside(&of_document).exists(), "it is no message to be sent");
        assert_eq!(kept.drafts[&purpose].text, "the last of it");
        assert_eq!(kept.sent, ["what was beside it"]);
    }
}

#[test]
fn a_text_of_another_that_has_ended_is_told() {
    let (_dir, home) = home();
    let purpose = to_global();
    let path = path_of(&home.control_room().join("drafts"), &purpose);
    drop(Disk::open(&home, |_| {}).unwrap());
    write_as(ended(), &beside(&path), &purpose, "what was beside it");
    let (told, heard) = channel();
    let disk = Disk::open(&home, move |msg| told.send(msg).unwrap()).unwrap().0;
    let left = |text: &str| {
        let msg = heard.recv().unwrap();
        let expected = [(purpose.clone(), text.to_owned())];
        assert!(matches!(&msg, Msg::Left(texts) if *texts == expected), "{msg:?}");
    };
    left("what was beside it");
    write_as(ended(), &path, &purpose, "what was written meanwhile");
    disk.store(Record::Draft(purpose.clone(), draft("mine")));
    left("what was written meanwhile");
}

#[test]
fn a_text_of_another_that_has_ended_is_told_once_while_mine_cannot_be_written() {
    let (_dir, home) = home();
    let path = path_of(&home.control_room().join("drafts"), &to_global());
    let (told, heard) = channel();
    let disk = Disk::open(&home, move |msg| told.send(msg).unwrap()).unwrap().0;
    write_as(ended(), &path, &to_global(), "what was written meanwhile");
    // The name under which a draft is begun is taken.
    fs::create_dir(path.with_extension(format!("{}.new", std::process::id()))).unwrap();
    for text in ["mine", "mine, longer"] {
        disk.store(Record::Draft(to_global(), draft(text)));
    }
    assert_eq!(disk.close().drafts.len(), 1);
    let told: Vec<Msg> = heard.iter().collect();
    let left = told.iter().filter(|msg| matches!(msg, Msg::Left(_))).count();
    assert_eq!(left, 1, "{told:?}");
}

#[test]
fn drafts_are_there_and_saved_while_a_text_of_another_that_has_ended_cannot_be_noted() {
    let (_dir, home) = home();
    let folder = home.control_room();
    let path = path_of(&folder.join("drafts"), &to_global());
    drop(Disk::open(&home, |_| {}).unwrap());
    write_as(ended(), &path, &to_global(), "mine");
    write_as(ended(), &beside(&path), &to_global(), "what was beside it");
    // The name under which the sent texts are begun is taken.
    let piece = folder.join(SENT_FILE).with_extension(format!("{}.new", std::process::id()));
    fs::create_dir(&piece).unwrap();
    let (told, heard) = channel();
    let (disk, kept) = Disk::open(&home, move |msg| told.send(msg).unwrap()).unwrap();
    assert_eq!(kept.drafts[&to_global()].text, "mine");
    disk.store(Record::Draft(to_global(), draft("mine, longer")));
    assert_eq!(disk.close(), Unsaved::default());
    let told: Vec<Msg> = heard.iter().collect();
    assert!(matches!(told.as_slice(), [Msg::NotSaved(_), Msg::Saved(..)]), "{told:?}");
    fs::remove_dir(&piece).unwrap();
    let kept = Disk::open(&home, |_| {}).unwrap().1;
    assert_eq!(kept.drafts[&to_global()].text, "mine, longer");
    assert_eq!(kept.sent, ["what was beside it"]);
}

#[test]
fn texts_of_others_that_have_ended_are_told_at_once() {
    let (_dir, home) = home();
    let alice: Target = "alice@review".parse().unwrap();
    let purposes = [to_global(), Purpose::from(&Address::Agent(alice))];
    drop(Disk::open(&home, |_| {}).unwrap());
    for purpose in &purposes {
        let path = path_of(&home.control_room().join("drafts"), purpose);
        write_as(ended(), &beside(&path), purpose, "of another");
    }
    let (told, heard) = channel();
    drop(Disk::open(&home, move |msg| told.send(msg).unwrap()).unwrap());
    let told: Vec<Msg> = heard.iter().collect();
    let [Msg::Left(texts)] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(purposes.iter().all(|purpose| texts.iter().any(|(to, _)| to == purpose)), "{texts:?}");
}

#[test]
fn a_text_of_another_that_has_ended_meanwhile_is_neither_overwritten_nor_removed() {
    for own in ["mine", ""] {
        let (_dir, home) = home();
        let drafts = home.control_room().join("drafts");
        let message = to_global();
        let document = Purpose::Document(Scope::global(), "notes.md".to_owned());
        let of_document = path_of(&drafts, &document);
        let disk = Disk::open(&home, |_| {}).unwrap().0;
        write_as(ended(), &path_of(&drafts, &message), &message, "of A");
        write_as(ended(), &of_document, &document, "of A");
        disk.store(Record::Draft(message.clone(), draft(own)));
        disk.store(Record::Draft(document, draft(own)));
        drop(disk);
        let kept = Disk::open(&home, |_| {}).unwrap().1;
        assert_eq!(kept.sent, ["of A"], "own text {own:?}");
        let shown = kept.drafts.get(&message).map(|draft| draft.text.as_str());
        assert_eq!(shown, Some(own).filter(|own| !own.is_empty()));
        let files = [of_document.clone(), beside(&of_document)];
        let texts: Vec<_> = files.iter().filter_map(|path| File::read(path)).collect();
        assert!(texts.iter().any(|file| file.draft.text == "of A"), "own text {own:?}");
    }
}

#[test]
fn a_text_that_another_has_put_beside_its_own_is_not_brought_back_when_it_is_sent() {
    let (_dir, home) = home();
    let message = to_global();
    let path = path_of(&home.control_room().join("drafts"), &message);
    let disk = Disk::open(&home, |_| {}).unwrap().0;
    write_as(own_pid(), &beside(&path), &message, "mine");
    write_as(ended(), &path, &message, "of B");
    disk.store(Record::Draft(message, draft("")));
    drop(disk);
    let kept = Disk::open(&home, |_| {}).unwrap().1;
    assert_eq!((kept.sent, kept.drafts.len()), (vec!["of B".to_owned()], 0));
}

#[test]
fn each_layout_that_makes_no_sense_is_kept() {
    let (_dir, home) = home();
    let folder = home.control_room();
    fs::create_dir_all(&folder).unwrap();
    for text in ["one", "two"] {
        fs::write(folder.join(LAYOUT_FILE), text).unwrap();
        drop(Disk::open(&home, |_| {}).unwrap());
    }
    let kept = ["layout.json.old", "layout.json.old+"];
    assert_eq!(kept.map(|name| fs::read_to_string(folder.join(name)).unwrap()), ["one", "two"]);
}

#[test]
fn two_control_rooms_of_one_home_keep_what_both_have_sent_and_filtered() {
    let (_dir, home) = home();
    let [one, other] = [(); 2].map(|()| Disk::open(&home, |_| {}).unwrap().0);
    for (disk, name) in [(one, "one"), (other, "other")] {
        disk.store(Record::Sent(format!("sent by {name}")));
        disk.store(Record::Filter(format!("agent:{name}")));
        drop(disk);
    }
    let kept = Disk::open(&home, |_| {}).unwrap().1;
    assert_eq!(kept.sent, ["sent by one", "sent by other"]);
    assert_eq!(kept.filters, ["agent:one", "agent:other"]);
}

fn bookmark(label: &str, tab: Tab) -> Bookmark {
    let place = Place::at(Subject::Workflow(Scope::global()), tab);
    Bookmark { place, item: None, label: label.to_owned() }
}

fn arrangement(tab: Tab) -> Arrangement {
    Arrangement {
        place: Place::at(Subject::Workflow(Scope::global()), tab),
        focus: Default::default(),
        dock: None,
        is_zoomed: false,
        is_cutting: false,
        sort: None,
        filter: None,
    }
}

#[test]
fn two_control_rooms_of_one_home_keep_the_layouts_and_bookmarks_of_both() {
    let (_dir, home) = home();
    let mut first = Layout::default();
    first.named.insert("old".to_owned(), arrangement(Tab::Channel));
    first.named.insert("changed".to_owned(), arrangement(Tab::Channel));
    first.turn_bookmark(bookmark("old", Tab::Channel));
    Disk::open(&home, |_| {}).unwrap().0.store(Record::Layout(first));
    let [(one, kept_by_one), (other, kept_by_other)] =
        [(); 2].map(|()| Disk::open(&home, |_| {}).unwrap());
    let mut layout = kept_by_one.layout;
    layout.named.remove("old");
    layout.named.insert("of one".to_owned(), arrangement(Tab::Runs));
    layout.turn(Tab::Runs, "cost");
    layout.turn_bookmark(bookmark("old", Tab::Channel));
    layout.turn_bookmark(bookmark("of one", Tab::Runs));
    one.store(Record::Layout(layout));
    drop(one);
    let mut layout = kept_by_other.layout;
    layout.named.insert("changed".to_owned(), arrangement(Tab::Events));
    layout.turn_bookmark(bookmark("of the other", Tab::Events));
    other.store(Record::Layout(layout.clone()));
    layout.turn_bookmark(bookmark("of the other", Tab::Events));
    layout.turn_bookmark(bookmark("the last", Tab::Cost));
    other.store(Record::Layout(layout));
    drop(other);
    let kept = Disk::open(&home, |_| {}).unwrap().1.layout;
    let named: Vec<_> = kept.named.iter().map(|(name, to)| (name.as_str(), to.place.tab)).collect();
    assert_eq!(named, [("changed", Tab::Events), ("of one", Tab::Runs)]);
    let labels: Vec<_> = kept.bookmarks.iter().map(|kept| kept.label.as_str()).collect();
    assert_eq!(labels, ["of one", "the last"]);
    assert!(!kept.shows(Tab::Runs, "cost"));
}

#[test]
fn a_failed_write_leaves_no_piece() {
    let (_dir, home) = home();
    let drafts = home.control_room().join("drafts");
    let (told, heard) = channel();
    let (disk, _) = Disk::open(&home, move |msg| told.send(msg).unwrap()).unwrap();
    let path = path_of(&drafts, &to_global());
    fs::create_dir(&path).unwrap();
    disk.store(Record::Draft(to_global(), draft("text")));
    assert!(matches!(heard.recv().unwrap(), Msg::DraftNotSaved(..)));
    let left: Vec<_> = fs::read_dir(&drafts).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, [path]);
}

#[test]
fn pieces_of_control_rooms_that_have_ended_are_removed() {
    let (_dir, home) = home();
    drop(Disk::open(&home, |_| {}).unwrap());
    let folder = home.control_room();
    let (gone, there) = (ended().unwrap(), another().unwrap());
    let pieces =
        |pid: i32| ["drafts/abc", "sent"].map(|name| folder.join(format!("{name}.{pid}.new")));
    for path in pieces(gone).iter().chain(&pieces(there)) {
        fs::write(path, "half").unwrap();
    }
    drop(Disk::open(&home, |_| {}).unwrap());
    assert!(pieces(gone).iter().all(|path| !path.exists()));
    assert!(pieces(there).iter().all(|path| path.exists()), "they are being written");
}
