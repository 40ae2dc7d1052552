use crate::{
    app::Msg,
    model::{
        Sort,
        effects::{Effect, Record},
        layout,
        place::{Subject, Tab},
    },
    mouse::{Mouse, MouseKind},
    tests::Story,
};

fn story(tab: Tab) -> Story {
    let mut story = Story::team().sized(160, 50);
    story.open(Subject::All, tab);
    story
}

/// Where a word stands in the head of the table, as the screen shows it.
fn head(story: &Story, word: &str) -> Option<(u16, u16)> {
    let screen = story.screen();
    let is_head =
        |line: &str| line.contains("per hour") || line.contains("agent") && line.contains("state");
    let (y, line) = screen.lines().enumerate().find(|(_, line)| is_head(line))?;
    let pane = line.find('│')?;
    let x = line[..pane + line[pane..].find(word)?].chars().count();
    Some((u16::try_from(x).ok()?, u16::try_from(y).ok()?))
}

fn click(story: &mut Story, word: &str) {
    let (x, y) = head(story, word).unwrap_or_else(|| panic!("{word}: {}", story.screen()));
    story.tell(Msg::Mouse(Mouse { kind: MouseKind::Click, x, y }));
}

#[test]
fn a_click_on_the_head_of_a_column_sorts_by_it() {
    for (tab, word, field) in [
        (Tab::Agents, "agent", "agent"),
        (Tab::Agents, "tokens", "tokens"),
        (Tab::Agents, "unread", "unread"),
        (Tab::Agents, "q ", "unread"),
        (Tab::Runs, "state", "state"),
        (Tab::Runs, "start", "age"),
        (Tab::Runs, "took", "took"),
        (Tab::Runs, "in/out", "tokens"),
        (Tab::Cost, "agent", "name"),
        (Tab::Cost, "per", "rate"),
        (Tab::Cost, "hour", "rate"),
        (Tab::Cost, "failed", "failed"),
    ] {
        let mut story = story(tab);
        story.app.model.display.has_mouse = true;
        for is_down in [true, false] {
            click(&mut story, word);
            let sort = story.app.model.selection.sorts.get(&tab).copied();
            assert_eq!(sort, Some(Sort { field, is_down }), "{tab:?} {word}");
        }
    }
}

#[test]
fn a_double_click_on_an_empty_row_opens_nothing() {
    for (tab, word) in [(Tab::Agents, "agent"), (Tab::Runs, "state"), (Tab::Cost, "per")] {
        let mut story = story(tab);
        story.app.model.display.has_mouse = true;
        let (place, (x, y)) = (story.app.model.place.clone(), head(&story, word).unwrap());
        let click = |y| Msg::Mouse(Mouse { kind: MouseKind::DoubleClick, x, y });
        let bottom = layout::regions(&story.app.model).main.bottom();
        story.tell(click(bottom - 1));
        assert!(story.app.model.place == place, "{tab:?}: {}", story.screen());
        assert!(story.app.overlays.is_empty(), "{tab:?}: {}", story.screen());
        story.tell(click(y + 1));
        assert!(story.app.model.place != place, "{tab:?}: {}", story.screen());
    }
}

#[test]
fn columns_are_hidden_and_shown_and_kept() {
    for (tab, columns) in [
        (Tab::Agents, ["tokens", "cost"]),
        (Tab::Runs, ["in/out", "cost"]),
        (Tab::Cost, ["tokens", "runs"]),
    ] {
        let mut story = story(tab);
        story.press("%").type_in(columns[0]).press("enter");
        let kept = |story: &Story| {
            let mut effects = story.effects.iter();
            effects.any(|effect| matches!(effect, Effect::Store(Record::Layout(_))))
        };
        assert!(kept(&story), "{tab:?}");
        assert!(story.overlay().contains(&format!("[ ] {}", columns[0])), "{}", story.overlay());
        story.press("esc");
        assert_eq!(head(&story, columns[0]), None, "{tab:?}: {}", story.screen());
        assert!(head(&story, columns[1]).is_some(), "{tab:?}: {}", story.screen());
        story.press("%").type_in(columns[0]).press("enter").press("esc");
        assert!(head(&story, columns[0]).is_some(), "{tab:?}: {}", story.screen());
    }
}

#[test]
fn what_leaves_room_lets_another_column_in() {
    let mut story = story(Tab::Agents).sized(80, 24);
    story.press("%").type_in("for").press("enter").press("esc");
    assert_eq!(head(&story, "for"), None);
    assert!(head(&story, "try").is_some(), "{}", story.screen());
}

#[test]
fn a_pane_without_columns_says_so() {
    let mut story = Story::review();
    story.open_channel().press("%");
    assert!(story.screen().contains("no columns to choose here"), "{}", story.screen());
}
