//! Bookmarks and saved layouts, as lines of a list.

use super::choices::{Choice, Entry, entry, place_name};
use crate::model::{Arrangement, Model};

/// What was bookmarked, the newest first, then how each bookmark is removed.
pub(super) fn bookmarks(model: &Model, go: &str) -> Vec<Entry> {
    let kept = || model.selection.layout.bookmarks.iter().rev().cloned();
    let to = kept().map(|it| entry(format!("{go}{}", it.label), Choice::Bookmark(it)));
    let without =
        kept().map(|it| entry(format!("remove bookmark {}", it.label), Choice::RemoveBookmark(it)));
    to.chain(without).collect()
}

/// Saved layouts, then what can be done with them.
pub(super) fn layouts(model: &Model, open: &str) -> Vec<Entry> {
    let named = || model.selection.layout.named.iter();
    let opened = named().map(|(name, to)| {
        let label = format!("{open}{name}: {}", told(to));
        Entry { words: "open layout".to_owned(), ..entry(label, Choice::Arrange(name.clone())) }
    });
    let save = entry("save this layout".to_owned(), Choice::NameLayout(None));
    let save = Entry { words: "screen as new named".to_owned(), ..save };
    let renamed = named().map(|(name, _)| {
        entry(format!("rename layout {name}"), Choice::NameLayout(Some(name.clone())))
    });
    let removed = named().map(|(name, _)| {
        entry(format!("remove layout {name}"), Choice::RemoveLayout(name.clone()))
    });
    opened.chain([save]).chain(renamed).chain(removed).collect()
}

fn told(layout: &Arrangement) -> String {
    let mut text = place_name(&layout.place);
    for (is, words) in [
        (layout.dock == Some(true), ", side panel"),
        (layout.dock == Some(false), ", no side panel"),
        (layout.is_zoomed, ", zoomed"),
        (layout.sort.is_some(), ", sorted"),
        (layout.filter.is_some(), ", filtered"),
    ] {
        if is {
            text.push_str(words);
        }
    }
    text
}
