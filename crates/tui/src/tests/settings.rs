//! Settings are changed on the screen, live and for good.

use super::story::Story;
use crate::{model::effects::Effect, symbols::Set, theme::Palette};

/// What is written into `config.toml`.
fn kept(story: &Story) -> Option<(&'static str, String)> {
    story.effects.iter().find_map(|effect| match effect {
        Effect::KeepSetting(name, value) => Some((*name, value.clone())),
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
