use std::{
    io::{Read as _, Seek as _},
    sync::mpsc,
};

use serde_json::Value;

use super::*;

fn recorded(record: impl FnOnce(&mut Recorder)) -> Vec<Value> {
    let mut file = tempfile::tempfile().unwrap();
    let tell = |problem| panic!("{problem}");
    let mut recorder =
        Recorder::start(file.try_clone().unwrap(), (80, 24), 1_739_887_572, tell).unwrap();
    record(&mut recorder);
    drop(recorder);
    let mut text = String::new();
    file.rewind().unwrap();
    file.read_to_string(&mut text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_recording_has_a_header_and_a_line_for_each_frame() {
    let lines = recorded(|recorder| {
        recorder.frame((80, 24), "\x1b[1;1H中 \"a\"".as_bytes());
        recorder.frame((80, 24), b"");
        recorder.frame((100, 30), b"wider");
    });
    assert_eq!(
        (&lines[0]["version"], &lines[0]["width"], &lines[0]["height"]),
        (&json!(2), &json!(80), &json!(24))
    );
    let events: Vec<_> = lines[1..].iter().map(|line| (&line[1], &line[2])).collect();
    assert_eq!(
        events,
        [
            (&json!("o"), &json!(BEGIN)),
            (&json!("o"), &json!("\x1b[1;1H中 \"a\"")),
            (&json!("r"), &json!("100x30")),
            (&json!("o"), &json!("wider")),
        ]
    );
    let times: Vec<f64> = lines[1..].iter().map(|line| line[0].as_f64().unwrap()).collect();
    assert!(times.is_sorted(), "{times:?}");
}

#[test]
fn a_recording_that_cannot_be_written_says_so() {
    let (told, heard) = mpsc::channel();
    let file = File::open("/dev/null").unwrap();
    let tell = move |problem| told.send(problem).unwrap();
    let recorder = Recorder::start(file, (80, 24), 0, tell).unwrap();
    drop(recorder);
    assert!(heard.recv().unwrap().starts_with("the recording stops: "));
}
