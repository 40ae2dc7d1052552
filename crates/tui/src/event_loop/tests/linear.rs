use std::{path::PathBuf, sync::Arc};

use agent_worker_client::Home;
use agent_worker_protocol::{name::Name, target::Scope};

use super::*;
use crate::model::{
    Address,
    writing::drafts::{Draft, Purpose},
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
        Disk::open(&home, |_| {}).unwrap().0.keep(purpose.clone(), draft.clone());
        let ended = linear(&options(home.clone()), lines.as_bytes(), Vec::new()).unwrap();
        assert_eq!((ended.code, ended.drafts), (0, 1), "{lines:?}");
        let kept = Disk::open(&home, |_| {}).unwrap().1.drafts;
        assert_eq!(kept.get(&purpose), Some(&draft), "{lines:?}");
    }
}
