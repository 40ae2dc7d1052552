//! `tui --record`: what was on the screen can be played again.

use std::{fs, num::NonZero};

use serde_json::Value;

use super::{
    screen::{Setup, text},
    stage::Stage,
};

#[test]
fn without_a_terminal_no_file_is_left() {
    let stage = Stage::idle();
    let path = stage.home.work().join("none.cast");
    let refused = stage.home.run(&["tui", "--record", &path.display().to_string()]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(!path.exists(), "{refused:?}");
}

#[test]
fn a_recording_played_again_ends_with_the_same_screen() {
    let stage = Stage::idle();
    let path = stage.home.work().join("team.cast");
    let name = path.display().to_string();
    let mut terminal = stage.tui(&Setup::default(), &["@team", "--record", &name]);
    terminal.wait_for_text("team:main");
    terminal.press("?");
    terminal.wait_for_text("help: tree");
    terminal.resize(100, 30);
    let size = |rows, columns| [rows, columns].map(|cells| NonZero::<u16>::new(cells).unwrap());
    terminal.wait_for("a wider screen", |screen| {
        text(screen).lines().count() == 30 && text(screen).contains("Esc close")
    });
    terminal.wait_for_quiet(std::time::Duration::from_secs(1));
    let shown = terminal.text();
    terminal.press("\x1b");
    terminal.wait_for("no help", |screen| !text(screen).contains("help: tree"));
    terminal.press("q");
    terminal.end();

    let lines = fs::read_to_string(&path).expect("it was recorded");
    let mut lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let header = lines.next().unwrap();
    assert_eq!((&header["version"], &header["width"]), (&2.into(), &120.into()), "{header}");
    let [rows, columns] = size(40, 120);
    let mut player = vt100::Parser::new(rows, columns, 0);
    let mut seen = false;
    for line in lines {
        let data = line[2].as_str().unwrap();
        match line[1].as_str().unwrap() {
            "o" => player.process(data.as_bytes()),
            "r" => {
                let (columns, rows) = data.split_once('x').unwrap();
                let [rows, columns] = size(rows.parse().unwrap(), columns.parse().unwrap());
                player.screen_mut().set_size(rows, columns);
            }
            other => panic!("{other}"),
        }
        seen |= text(player.screen()) == shown;
    }
    assert!(seen, "{shown}\n---\n{}", text(player.screen()));

    let again = stage.home.run(&["tui", "--record", &name]);
    assert_eq!(again.code, Some(2), "{again:?}");
    assert!(again.stderr.contains("it exists already; name a new file"), "{again:?}");
}
