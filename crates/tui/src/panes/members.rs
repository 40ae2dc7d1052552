//! Who is in a conversation.

use agent_worker_protocol::{Conversation, MemberKind, Name, Target};
use ratatui_core::layout::Rect;

use super::Pane;
use crate::{
    action::Action,
    model::{Effect, Model, Pick, Picked, Subject, Tab, groups::wakes, layout, words},
    paint::{Painter, Row},
    parts::{list, table, tabs},
    text::{
        cut,
        query::{Fact, Value},
    },
    theme::{Role, hue},
};

#[derive(Debug, Default)]
pub struct Members {
    picked: Picked<Target>,
}

fn targets(model: &Model) -> Vec<Target> {
    let Subject::Talk(scope, talk) = &model.place.subject else { return Vec::new() };
    let names: Vec<Name> = match talk {
        Conversation::Channel => {
            model.mirror().agents_of(scope).map(|agent| agent.name.clone()).collect()
        }
        Conversation::Direct(one, other) => vec![one.clone(), other.clone()],
        Conversation::Group(_) => {
            model.mirror().group(scope, talk).map(|group| group.members.clone()).unwrap_or_default()
        }
    };
    let all = names.into_iter().map(|name| Target::member(name, scope.clone())).collect();
    table::arranged(model, Tab::Members, all, |target| facts(model, target))
}

/// What members can be filtered and sorted by.
const FIELDS: [&str; 4] = ["name", "kind", "state", "role"];

/// The values of a member by these names.
fn facts(model: &Model, target: &Target) -> Vec<Fact> {
    let name = ("name", Value::from(&words::name(target)));
    let Some(agent) = model.mirror().agent(target) else { return vec![name] };
    let role = agent.role.as_ref().map_or(Value::Unknown, Value::from);
    let state = Value::from(&words::agent(model, agent).word);
    vec![name, ("kind", Value::from(agent.kind.as_str())), ("state", state), ("role", role)]
}

fn line(model: &Model, target: &Target) -> Row {
    let symbols = model.symbols();
    let name = words::name(target);
    let role = hue(&name);
    let row = Row::of(cut::end(name, 14, symbols.ellipsis), role).tabbed(15);
    let Some(agent) = model.mirror().agent(target) else {
        return row.with("is gone", Role::Dim);
    };
    let mut row = row.with(agent.kind.as_str(), Role::Dim).tabbed(25);
    if agent.kind == MemberKind::Agent {
        let is = words::agent(model, agent);
        row = row.with(format!("{} {}", is.symbol, is.word), is.role).tabbed(43).pad(1);
    }
    row.with(agent.role.clone().unwrap_or_default(), Role::Text)
}

impl Pane for Members {
    fn selected(&self, model: &Model) -> Option<Target> {
        let target = self.picked.get(&targets(model))?;
        let agent = model.mirror().agent(&target)?;
        (agent.kind != MemberKind::Person).then_some(target)
    }

    fn done(&mut self, model: &mut Model, action: Action) -> Option<Vec<Effect>> {
        let shown = || self.selected(model).map(Effect::show_agent).into_iter().collect();
        (action == Action::Open).then(shown)
    }

    /// Whom the messages of a group wake.
    fn note(&self, model: &Model) -> Row {
        let Some((group, _)) = model.shown_group() else { return Row::new() };
        Row::of(format!("{} ", wakes(group.wake)), Role::Dim)
    }

    fn count(&self, model: &Model, _: Tab) -> Option<(String, Role)> {
        tabs::count(model.shown_group()?.0.members.len())
    }

    fn fields(&self, _: &Model) -> &'static [&'static str] {
        &FIELDS
    }

    /// Its lines as they are searched, and the selected one.
    fn lines(&self, model: &Model) -> (Vec<String>, Option<usize>) {
        let targets = targets(model);
        let at = self.picked.at(&targets);
        (targets.iter().map(|target| line(model, target).text()).collect(), at)
    }

    fn is_possible(&self, model: &Model, action: Action) -> bool {
        action != Action::Open || self.selected(model).is_some()
    }

    fn list_height(&self, model: &Model) -> Option<usize> {
        Some(layout::channel_height(model))
    }

    fn pick(&mut self, model: &mut Model, to: Pick) -> Vec<Effect> {
        self.picked.go(&targets(model), to);
        Vec::new()
    }

    fn draw(&self, model: &Model, painter: &mut Painter<'_>, area: Rect) {
        let area = list::margin(area);
        let targets = targets(model);
        if targets.is_empty() {
            return painter.hint(area, 2, table::nothing(model, "no members"));
        }
        let room = usize::from(area.width.saturating_sub(1));
        list::lines(model, painter, area, (&self.picked, &targets), |at| {
            line(model, &targets[at]).cut(room, model.symbols().ellipsis)
        });
    }
}
