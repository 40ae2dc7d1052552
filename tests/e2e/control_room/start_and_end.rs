//! How the control room begins, and what it leaves behind.

use std::{fs, process::Command};

use rustix::process::Signal;

use super::{
    emulator::Profile,
    screen::{Setup, Terminal},
    stage::Stage,
};
use crate::support::{Home, wait_until};

fn small() -> Setup {
    Setup { columns: 80, rows: 24, ..Setup::default() }
}

/// Whether the frame around everything is there: the first line, and the keys in the last.
fn is_framed(screen: &vt100::Screen) -> bool {
    let (_, columns) = screen.size();
    let rows: Vec<_> = screen.rows(0, columns.get()).collect();
    rows[0].starts_with(" aw")
        && rows[0].contains("? help")
        && rows.last().unwrap().contains("q quit")
}

#[test]
fn a_1_the_first_frame_is_whole_and_the_channel_follows() {
    let stage = Stage::idle();
    stage.home.ok(&["send", "@team", "good morning"]);
    let terminal = Terminal::tui(&stage.home, &Setup::default(), &["@team"]);
    let mut was_seen = false;
    terminal.wait_for("something, and it is whole", |screen| {
        let is_blank = screen.contents().trim().is_empty();
        assert!(is_blank || is_framed(screen), "{}", screen.contents());
        was_seen |= !is_blank;
        was_seen
    });
    terminal.wait_for_text("good morning");
    let text = terminal.text();
    assert!(text.contains("\u{276f} # channel") && text.contains("\u{25e6} alice"), "{text}");
    assert!(terminal.look(|emulator| is_framed(emulator.screen())), "{text}");
}

#[test]
fn a_2_a_daemon_that_does_not_answer_holds_nothing_up() {
    let stage = Stage::empty();
    stage.daemon.signal(Signal::STOP);
    let mut terminal = Terminal::tui(&stage.home, &Setup::default(), &[]);
    terminal.wait_for("the frame", is_framed);
    terminal.press("q");
    assert_eq!(terminal.end_clean().code(), Some(0));
    stage.daemon.signal(Signal::CONT);
}

#[test]
fn a_3_without_a_daemon_the_screen_says_where_it_looked_and_is_quiet() {
    let home = Home::new();
    let terminal = Terminal::tui(&home, &small(), &[]);
    terminal.wait_for_text("No daemon is running here.");
    let text = terminal.text();
    assert!(text.contains("start the daemon"), "{text}");
    assert!(text.replace('\n', "").contains("daemon.json"), "{text}");
    terminal.wait_for_quiet(QUIET);
    assert_eq!(terminal.written_within(QUIET * 5), 0);
}

const QUIET: std::time::Duration = std::time::Duration::from_secs(1);

#[test]
fn a_4_a_terminal_that_answers_nothing_shows_nothing_stray() {
    let stage = Stage::idle();
    for profile in [Profile::Silent, Profile::Xterm, Profile::Tmux, Profile::Kitty] {
        let setup = Setup { profile, ..small() };
        let mut terminal = stage.tui(&setup, &[]);
        terminal.wait_for("the frame", is_framed);
        let text = terminal.text();
        for stray in ["rgb:", "2026", ";1R", "$p", "62;"] {
            assert!(!text.contains(stray), "{profile:?}: {stray} in\n{text}");
        }
        terminal.press("q");
        assert_eq!(terminal.end_clean().code(), Some(0), "{profile:?}");
    }
}

#[test]
fn a_5_however_it_ends_the_terminal_is_as_it_was() {
    let stage = Stage::idle();
    let ends: [(i32, &dyn Fn(&Terminal)); 5] = [
        (0, &|terminal| terminal.press("q")),
        (130, &|terminal| {
            terminal.press("\x03");
            terminal.wait_for_text("C-c again quits");
            terminal.press("\x03");
        }),
        (130, &|terminal| terminal.signal(Signal::INT)),
        (143, &|terminal| terminal.signal(Signal::TERM)),
        (129, &|terminal| terminal.signal(Signal::HUP)),
    ];
    for profile in [Profile::Xterm, Profile::Kitty] {
        for (code, end) in &ends {
            let mut terminal = stage.tui(&Setup { profile, ..small() }, &[]);
            let on = terminal.look(|emulator| emulator.left_on());
            assert!(on.len() >= 5, "{on:?}");
            end(&terminal);
            assert_eq!(terminal.end_clean().code(), Some(*code), "{profile:?}");
        }
    }
}

#[test]
fn a_5_from_any_screen_the_terminal_is_as_it_was() {
    let stage = Stage::idle();
    for keys in ["i", "?", ":", "f", "p", "zM", "s", "x", "2"] {
        let mut terminal = stage.tui(&small(), &["alice@team"]);
        for key in keys.chars() {
            terminal.press(&key.to_string());
            terminal.wait_for_quiet(QUIET / 4);
        }
        terminal.signal(Signal::TERM);
        assert_eq!(terminal.end_clean().code(), Some(143), "{keys}");
    }
}

#[test]
fn a_5_texts_that_were_not_sent_are_named_when_the_screen_is_gone() {
    let stage = Stage::idle();
    let mut terminal = stage.tui(&small(), &["@team"]);
    terminal.press("i");
    terminal.wait_for_text("F1 help");
    terminal.paste("half a thought");
    terminal.wait_for_text("half a thought");
    terminal.press("\x1b");
    terminal.wait_for_text("q quit");
    terminal.press("q");
    assert_eq!(terminal.end_clean().code(), Some(0));
    terminal.wait_for_text("1 draft kept");
    let terminal = stage.tui(&small(), &["@team"]);
    terminal.press("i");
    terminal.wait_for_text("half a thought");
}

#[test]
fn a_5_a_text_that_is_not_on_disk_is_printed_when_the_screen_is_gone() {
    let stage = Stage::idle();
    let mut terminal = stage.tui(&small(), &["@team"]);
    fs::remove_dir_all(stage.home.path().join("tui/drafts")).unwrap();
    terminal.press("i");
    terminal.wait_for_text("F1 help");
    terminal.paste("half a thought");
    terminal.wait_for_text("cannot write to");
    terminal.press("\x1b");
    terminal.wait_for_text("q quit");
    terminal.press("q");
    assert_eq!(terminal.end_clean().code(), Some(0));
    terminal.wait_for_text("0 drafts kept, 1 NOT saved");
    let text = terminal.text();
    assert!(text.contains("draft for # team:main, not saved") && text.contains("half a thought"));
}

#[test]
fn a_6_a_fault_gives_the_terminal_back_and_names_the_log() {
    let mut stage = Stage::idle();
    let drafting = stage.tui(&small(), &["@team"]);
    drafting.press("i");
    drafting.wait_for_text("F1 help");
    drafting.paste("half a thought");
    drafting.wait_for_text("half a thought");
    let drafts = stage.home.path().join("tui/drafts");
    // Not the piece that is written before it gets its name
    let is_kept = || {
        let mut all = fs::read_dir(&drafts).into_iter().flatten().flatten();
        all.any(|file| file.path().extension().is_some_and(|end| end == "json"))
    };
    wait_until("the draft is on disk", is_kept);
    drop(drafting);
    stage.home.set("AW_TUI_PANIC", "draw");
    let mut terminal = Terminal::tui(&stage.home, &small(), &["@team"]);
    assert_eq!(terminal.end_clean().code(), Some(101));
    terminal.wait_for_text("tui.log");
    let text = terminal.text();
    let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap();
    assert!(text.contains("AW_TUI_PANIC"), "{text}");
    assert!(last.contains("tui.log") || text.trim_end().ends_with("tui.log"), "{text}");
    assert!(is_kept(), "the draft is still there");
}

#[test]
fn a_7_without_a_terminal_that_places_its_cursor_nothing_is_drawn() {
    let home = Home::new();
    let refused = home.run(&["tui"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert_eq!(refused.stdout, "");
    assert!(
        refused.stderr.contains("--dump") && refused.stderr.trim_end().lines().count() <= 2,
        "{refused:?}"
    );
    for (term, redirect) in [("dumb", ""), ("xterm", " >out")] {
        let setup = Setup { term, ..small() };
        let like = home.command(&["tui"]);
        let mut command = Command::new("sh");
        command.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let program = like.get_program().to_str().unwrap();
        command.args(["-c", &format!("{program} tui{redirect}")]).current_dir(home.work());
        let mut terminal = Terminal::start(command, &setup);
        assert_eq!(terminal.end_clean().code(), Some(2), "{term}");
        terminal.wait_for_text("--dump");
        assert!(!terminal.bytes().contains(&0x1b), "{term}: {}", terminal.text());
        let out = fs::read(home.work().join("out")).unwrap_or_default();
        assert_eq!(out, b"", "{term}");
    }
}

#[test]
fn a_8_a_screen_can_be_printed() {
    let stage = Stage::idle();
    for (size, columns, rows) in [("120x40", 120, 40), ("80x24", 80, 24), ("40x10", 40, 10)] {
        let text = stage.home.ok(&["tui", "--dump", size]);
        assert_eq!(text.lines().count(), rows, "{text}");
        assert!(!text.contains('\x1b'), "{text}");
        for line in text.lines() {
            assert!(unicode_width::UnicodeWidthStr::width(line) <= columns, "{line}");
        }
    }
}

#[test]
fn a_8_a_target_that_is_not_there_is_an_error() {
    let stage = Stage::idle();
    for target in ["@nosuch", "nosuch@team"] {
        let refused = stage.home.run(&["tui", "--dump", "80x24", target]);
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""), "{refused:?}");
        assert!(refused.stderr.contains(&format!("`{target}` not found")), "{refused:?}");
    }
}

#[test]
fn a_8_a_printed_screen_of_an_agent_has_its_transcript() {
    let stage = Stage::idle();
    stage.home.ok(&["new", "teller", "--backend", "mock"]);
    let answer = stage.home.ok(&["ask", "teller", "what is there to say?"]);
    let words: Vec<_> = answer.split_whitespace().take(2).collect();
    let text = stage.home.ok(&["tui", "--dump", "120x40", "teller@global"]);
    assert!(!text.contains("nothing of it is here yet"), "{text}");
    assert!(text.contains(&words.join(" ")), "{answer}: {text}");
}

#[test]
fn a_11_a_lost_terminal_ends_it() {
    let stage = Stage::idle();
    let like = stage.home.command(&["tui", "@team"]);
    let mut command = Command::new("env");
    command.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.arg("--block-signal=HUP").arg(like.get_program()).args(like.get_args());
    command.current_dir(stage.home.work());
    let mut terminal = Terminal::start(command, &small());
    terminal.wait_for_text("\u{283f} live");
    terminal.press("i");
    terminal.wait_for_text("F1 help");
    terminal.paste("half a thought");
    terminal.wait_for_text("half a thought");
    let before = terminal.cpu_time();
    terminal.close();
    let after = terminal.cpu_time_at_end();
    assert_eq!(terminal.end().code(), Some(129));
    // A reader that goes on asking a terminal that is gone would use all there is.
    assert!(after - before <= std::time::Duration::from_millis(200), "{:?}", after - before);
    let drafts = stage.home.path().join("tui/drafts");
    let texts: String = fs::read_dir(drafts)
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert!(texts.contains("half a thought"), "{texts}");
}
