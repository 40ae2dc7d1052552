mod edges;
mod homes;
mod memory;

use tempfile::TempDir;

use crate::Home;

/// A new home, and the folder that keeps it.
fn home() -> (TempDir, Home) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::make(&folder.path().join("team/main/alice"), "# Your tools\n").unwrap();
    (folder, home)
}
