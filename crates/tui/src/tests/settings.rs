//! Settings are changed on the screen, live and for good.

use super::story::Story;
use crate::{
    model::effects::{Effect, Record},
    symbols::Set,
    theme::Palette,
};

/// What is written into `config.toml`.
fn kept(story: &Story) -> Option<(&'static str, String)> {
    story.effects.iter().find_map(|effect| match effect {
        Effect::Store(Record::Setting(name, value)) => Some((*name, value.clone())),
        _ => None,
    })
}

#[test]
fn a_setting_gets_its_next_value_at_once_and_in_the_file() {
    let mut story = Story::review();
    story.press(",");
    assert!(story.overlay().contains("theme    auto"), "{}", story.overlay());
    story.press("enter");
    assert_eq!(kept(&story), Some(("theme", "ansi16".to_owned())));
    story.press("enter");
    assert_eq!(kept(&story), Some(("theme", "dark".to_owned())));
    assert_eq!(story.app.model.display.look.theme.palette, Palette::Dark);
    assert!(story.overlay().contains("theme    dark"), "it stays open: {}", story.overlay());
    story.press("down").press("enter").press("enter").press("enter");
    assert_eq!(kept(&story), Some(("symbols", "ascii".to_owned())));
    assert_eq!(story.app.model.display.look.symbols.set, Set::Ascii);
    story.type_in("mouse").press("enter");
    assert_eq!(kept(&story), Some(("mouse", "on".to_owned())));
    assert!(story.effects.contains(&Effect::Mouse(true)));
}

#[test]
fn the_mouse_is_the_terminals_while_a_pane_is_zoomed_and_no_longer() {
    let mut story = Story::review();
    story.app.model.display.has_mouse = true;
    let is_taken = |story: &Story| {
        story.effects.iter().find_map(|effect| match effect {
            Effect::Mouse(is_taken) => Some(*is_taken),
            _ => None,
        })
    };
    assert_eq!(is_taken(story.press("z")), Some(false));
    assert_eq!(is_taken(story.press("esc")), Some(true));
    assert_eq!(is_taken(story.press("z")), Some(false));
    assert_eq!(is_taken(story.press("M")), Some(false));
    assert_eq!(is_taken(story.press("M")), Some(false), "it is wanted, and zoomed");
    let told = &story.app.model.prompt.notice.as_ref().unwrap().text;
    assert_eq!(told, "the mouse is the terminal's while the pane is zoomed");
    assert_eq!(is_taken(story.press(",").type_in("mouse").press("enter")), Some(false));
}

fn keys_kept(story: &Story) -> Option<(&'static str, &'static str, Option<Vec<String>>)> {
    story.effects.iter().find_map(|effect| match effect {
        Effect::Store(Record::Keys(context, action, keys)) => {
            Some((*context, *action, keys.clone()))
        }
        _ => None,
    })
}

#[test]
fn an_action_gets_another_key_at_once_and_in_the_file() {
    let mut story = Story::review();
    story.press(",").type_in("keys of").press("enter");
    assert!(story.overlay().contains("Anywhere: write a message here"), "{}", story.overlay());
    story.type_in("go to anything with a name").press("enter");
    assert!(story.overlay().contains("Anywhere now: f"), "{}", story.overlay());
    story.press("q");
    assert!(story.overlay().contains("`q` is the key of `quit` already"), "{}", story.overlay());
    assert_eq!(keys_kept(&story), None, "a clash is refused");
    story.press("ctrl+f");
    assert_eq!(keys_kept(&story), Some(("global", "jump", Some(vec!["ctrl+f".to_owned()]))));
    assert!(
        story.overlay().contains("go to anything with a name (changed)"),
        "{}",
        story.overlay()
    );
    story.press("esc").press("f");
    assert!(story.screen().contains("f does nothing here"), "{}", story.screen());
    story.press("ctrl+f");
    assert!(story.overlay().contains("jump"), "{}", story.overlay());
}

#[test]
fn an_action_gets_its_default_key_back_unless_another_has_it() {
    let mut story = Story::review();
    let change = |story: &mut Story, words: &str, key: &str| {
        story.press(",").type_in("keys of").press("enter").type_in(words).press("enter");
        story.press(key);
    };
    change(&mut story, "go to anything with a name", "ctrl+f");
    story.press("esc");
    change(&mut story, "retry now when not live", "f");
    story.press("esc");
    change(&mut story, "go to anything with a name", "backspace");
    let refused = "its default key is taken: retry now when not live";
    assert!(story.overlay().contains(refused), "{}", story.overlay());
    story.press("esc").press("esc");
    change(&mut story, "retry now when not live", "backspace");
    assert_eq!(keys_kept(&story), Some(("global", "refresh", None)));
    story.press("esc");
    change(&mut story, "go to anything with a name", "backspace");
    assert_eq!(keys_kept(&story), Some(("global", "jump", None)));
}

#[test]
fn escape_keeps_the_key() {
    let mut story = Story::review();
    story.press(",").type_in("keys of").press("enter").type_in("jump").press("enter");
    story.press("esc");
    assert_eq!(keys_kept(&story), None);
    assert!(story.overlay().contains("keys"), "back in the list: {}", story.overlay());
}
