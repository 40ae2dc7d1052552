use std::{sync::mpsc, thread};

use super::*;

#[test]
fn a_second_caller_waits_until_the_folders_are_removed() {
    let folders = Mutex::new(vec![PathBuf::from("one")]);
    let (begun, begins) = mpsc::channel();
    let (go, may_go) = mpsc::channel();
    let is_held = thread::scope(|scope| {
        let folders = &folders;
        scope.spawn(move || {
            remove_all(folders, |folder| {
                begun.send(folder).unwrap();
                may_go.recv().unwrap();
                Ok(())
            });
        });
        assert_eq!(begins.recv().unwrap(), Path::new("one"));
        let is_held = folders.try_lock().is_err();
        go.send(()).unwrap();
        is_held
    });
    assert!(is_held, "a second would have gone on");
    remove_all(&folders, |folder| panic!("{folder:?} was removed"));
}
