//! The fields of a group.

use agent_worker_protocol::{GroupCreate, Name, Scope, Wake};

use super::fields::{Form, Purpose};
use crate::model::Act;

/// What the fields are for.
const MEMBERS: &str = "names, with spaces between them; you are in it too";
const WAKES: &str = "`mentions`: those a message names; `all`: every agent";

impl Form {
    /// A new group in a scope, of these members to begin with.
    pub fn new_group(scope: Scope, names: &[Name]) -> Self {
        let members = names.iter().map(Name::as_str).collect::<Vec<_>>().join(" ");
        let hint = format!("in {scope}; lower-case letters, digits, - and _");
        let fields =
            [("name", &*hint, ""), ("members", MEMBERS, &members), ("wakes", WAKES, "mentions")];
        Self::new(Purpose::NewGroup(scope), &fields)
    }

    /// Members that a group gets.
    pub fn add_to_group(scope: Scope, name: Name) -> Self {
        let fields = [("members", "names, with spaces between them", "")];
        Self::new(Purpose::AddToGroup(scope, name), &fields)
    }

    /// Creates the group, if what was written makes one.
    pub(super) fn create(&self, scope: Scope) -> Result<Act, String> {
        let wake = match self.text(2).as_str() {
            "" | "mentions" => None,
            "all" => Some(Wake::All),
            other => return Err(format!("unknown wake rule `{other}`: write `mentions` or `all`")),
        };
        let name = self.text(0).parse::<Name>().map_err(|bad| bad.to_string())?;
        let members = self.names(1)?.iter().map(Name::to_string).collect();
        Ok(Act::CreateGroup(scope, Box::new(GroupCreate { name, members, wake })))
    }

    /// The names in a field.
    pub(super) fn names(&self, field: usize) -> Result<Vec<Name>, String> {
        let text = self.text(field);
        let words = text.split([' ', ',']).filter(|word| !word.is_empty());
        words
            .map(|word| word.trim_start_matches('@').parse::<Name>().map_err(|bad| bad.to_string()))
            .collect()
    }
}
