//! What `.gitignore` files leave out.

use std::{
    path::{Path, PathBuf},
    rc::Rc,
};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use super::{file, root::Place};

/// The longest such file that is read, in bytes.
const LONGEST: usize = 64 << 10;

/// The rules that hold in a folder: its own first, then those of the folders above.
#[derive(Debug, Clone, Default)]
pub struct Ignored(Option<Rc<Rules>>);

#[derive(Debug)]
struct Rules {
    folder: PathBuf,
    own: Gitignore,
    outer: Ignored,
}

impl Ignored {
    /// With the rules of a folder below. Lines that are not rules are passed
    /// over, as git does.
    pub fn and(&self, folder: &Place) -> Self {
        let file = Place {
            folder: folder.folder.clone(),
            name: ".gitignore".into(),
            path: folder.path.join(".gitignore"),
        };
        let content = file::open(&file).and_then(|opened| file::whole(&file, opened, LONGEST));
        let Ok(content) = content else { return self.clone() };
        let mut builder = GitignoreBuilder::new("");
        for line in String::from_utf8_lossy(&content).lines() {
            let _ = builder.add_line(None, line);
        }
        let Ok(own) = builder.build() else { return self.clone() };
        let folder = folder.path.clone();
        Self(Some(Rc::new(Rules { folder, own, outer: self.clone() })))
    }

    /// Whether this is left out. The innermost rule that knows it decides.
    pub fn has(&self, path: &Path, is_folder: bool) -> bool {
        let Some(rules) = &self.0 else { return false };
        let below = path.strip_prefix(&rules.folder).unwrap_or(path);
        match rules.own.matched(below, is_folder) {
            Match::Ignore(_) => true,
            Match::Whitelist(_) => false,
            Match::None => rules.outer.has(path, is_folder),
        }
    }
}
