//! The keys of boxes are rows of the table: they can be changed, and are named as they are.

use crate::{
    model::{Effect, Record, Window},
    tests::{Story, message},
};

impl Story {
    /// Gives an action of a context this key alone.
    fn rebind(&mut self, context: &str, action: &str, key: &str) -> &mut Self {
        let keymap = &mut self.app.model.settings.keymap;
        keymap.set(context, action, &[key.to_owned()]).unwrap();
        self
    }

    fn copies(&self) -> Vec<&str> {
        let copies = self.effects.iter().filter_map(|effect| match effect {
            Effect::Copy(text) => Some(text.as_str()),
            _ => None,
        });
        copies.collect()
    }

    fn last_line(&self) -> String {
        self.screen().lines().last().unwrap_or_default().to_owned()
    }
}

fn pager() -> Story {
    let mut story = Story::review();
    let text: String = (1..=90).map(|line| format!("line {line} of it\n")).collect();
    story.app.open(Window::pager("a text".to_owned(), &text));
    story
}

/// A channel with the newest message open.
fn detail() -> Story {
    let mut story = Story::review();
    story.open_channel_with(vec![message(1, "coder", "what is it?")]);
    story
}

#[test]
fn the_keys_of_the_pager_are_those_of_the_settings() {
    let mut story = pager();
    for (context, action, key) in [
        ("pager", "copy", "c"),
        ("pager", "search", "ctrl+s"),
        ("pager", "select", "m"),
        ("pager", "page-down", "ctrl+f"),
        ("pager", "close", "x"),
        ("move", "down", "ctrl+e"),
    ] {
        story.rebind(context, action, key);
    }
    let footer = story.last_line();
    assert!(footer.contains("C-e k scroll  C-s search  n N match  c copy  m select"), "{footer}");
    assert!(footer.contains("x close"), "{footer}");
    story.press("ctrl+e");
    assert!(story.screen().contains("line 2 of it") && !story.screen().contains("line 1 of it"));
    story.press("j").press("space").press("y").press("q").press("V").press("/");
    assert!(story.screen().contains("line 2 of it"), "the old keys do nothing");
    assert_eq!((story.copies(), story.app.overlays.len()), (vec![], 1));
    story.press("m").press("ctrl+e");
    assert!(story.screen().contains("2 selected: c copies them"), "{}", story.screen());
    assert_eq!(story.press("c").copies(), ["line 2 of it\nline 3 of it"]);
    story.press("ctrl+f");
    assert!(!story.screen().contains("line 3 of it"), "{}", story.screen());
    story.press("ctrl+s").type_in("line 7 ").press("enter");
    assert!(story.screen().contains("line 7 of it"), "{}", story.screen());
    story.press("x");
    assert!(story.app.overlays.is_empty());
}

#[test]
fn esc_leaves_the_pager_whatever_its_keys_are() {
    let mut story = pager();
    story.rebind("pager", "close", "x").press("V").press("esc");
    assert_eq!(story.app.overlays.len(), 1, "it ends the selection first");
    story.press("esc");
    assert!(story.app.overlays.is_empty());
}

#[test]
fn a_message_has_the_keys_of_its_conversation() {
    let mut story = detail();
    story.rebind("channel", "reply", "ctrl+r").rebind("channel", "goto-cause", "z");
    story.press("K").press("enter");
    let footer = story.last_line();
    assert!(footer.contains("z cause  C-r reply"), "{footer}");
    story.press("r");
    assert!(!story.app.model.writing.composer.is_open, "the old key does nothing");
    story.press("ctrl+r");
    assert!(story.app.model.writing.composer.is_open);
}

#[test]
fn a_box_is_closed_by_the_key_of_the_settings() {
    let mut story = detail();
    story.rebind("box", "close", "x").press("K").press("enter").press("q");
    assert_eq!(story.app.overlays.len(), 1);
    story.press("x");
    assert!(story.app.overlays.is_empty());
    story.select_agent("coder@review");
    story.press("p").press("q");
    assert_eq!(story.app.overlays.len(), 1);
    story.press("x");
    assert!(story.app.overlays.is_empty());
}

#[test]
fn the_keys_of_a_peek_are_those_of_the_table_of_agents() {
    let mut story = Story::review();
    story.rebind("box", "write", "ctrl+w").rebind("agents", "peek", "ctrl+p");
    story.select_agent("coder@review");
    story.press("p");
    let footer = story.last_line();
    assert!(footer.contains("j k other agents  Enter open  C-w write"), "{footer}");
    story.press("p").press("i");
    assert_eq!(story.app.overlays.len(), 1, "the old keys do nothing");
    story.press("ctrl+w");
    assert!(story.app.model.writing.composer.is_open);
}

#[test]
fn fields_are_sent_by_the_key_of_the_settings_and_letters_stay_text() {
    let mut story = Story::review();
    story.rebind("picker", "run", "ctrl+o").rebind("picker", "down", "ctrl+n");
    story.press("s").type_in("jk q");
    let footer = story.last_line();
    assert!(footer.starts_with(" C-o start"), "{footer}");
    story.press("enter");
    assert_eq!((story.asks().len(), story.app.overlays.len()), (0, 1));
    story.press("ctrl+o");
    assert_eq!(story.asks().len(), 1, "{}", story.screen());
}

#[test]
fn the_help_and_the_settings_list_the_keys_of_boxes() {
    let mut story = Story::review();
    story.press("?").type_in("look at it in");
    assert!(story.overlay().contains("Pager"), "{}", story.overlay());
    for _ in 0.."look at it in".len() {
        story.press("backspace");
    }
    story.type_in("text that was not sent");
    assert!(story.overlay().contains("Boxes"), "{}", story.overlay());
    story.press("esc").press("esc").press(",").type_in("keys of").press("enter");
    story.type_in("pager: copy the whole").press("enter").press("c");
    let kept = story.effects.iter().any(|effect| match effect {
        Effect::Store(Record::Keys(context, action, keys)) => {
            (*context, *action, keys.as_deref()) == ("pager", "copy", Some(&["c".to_owned()][..]))
        }
        _ => false,
    });
    assert!(kept, "{:?}", story.effects);
}
