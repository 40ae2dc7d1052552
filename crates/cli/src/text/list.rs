//! Lists: a table, with a line where there are more rows, or a line where there are none.

use super::{View, dim, layout};

/// A column of a list: its heading, and what it says of an item.
pub type Column<'a, T> = (&'a str, &'a dyn Fn(&T) -> String);

/// A list that a command prints.
#[derive(Debug)]
pub struct List<'a> {
    header: Vec<&'a str>,
    rows: Vec<Vec<String>>,
    empty: Option<&'a str>,
    more: bool,
}

impl<'a> List<'a> {
    /// A list with these columns.
    pub fn new(header: &[&'a str], rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        let rows = rows.into_iter().collect();
        Self { header: header.to_vec(), rows, empty: None, more: false }
    }

    /// A list with these columns, and a row for each item.
    pub fn of<T>(columns: &[Column<'a, T>], items: &[T]) -> Self {
        let header: Vec<_> = columns.iter().map(|(heading, _)| *heading).collect();
        let row = |item: &T| columns.iter().map(|(_, cell)| cell(item)).collect::<Vec<_>>();
        Self::new(&header, items.iter().map(row))
    }

    /// Prints this instead of a table without rows.
    #[must_use]
    pub fn empty(self, text: &'a str) -> Self {
        Self { empty: Some(text), ..self }
    }

    /// Says that there are more rows than were asked for.
    #[must_use]
    pub fn more(self, more: bool) -> Self {
        Self { more, ..self }
    }

    /// Leaves the last column out if it says nothing.
    #[must_use]
    pub fn without_last_if(mut self, is_bare: bool) -> Self {
        if is_bare {
            self.header.pop();
            for row in &mut self.rows {
                row.pop();
            }
        }
        self
    }

    /// The text of the list.
    pub fn text(self, view: &View) -> String {
        match self.empty {
            Some(empty) if self.rows.is_empty() => empty.to_owned(),
            _ => {
                let table = layout::table(view.width, &self.header, self.rows);
                if self.more { format!("{table}\n{}", dim(MORE)) } else { table }
            }
        }
    }
}

/// Says that a list is not complete.
pub const MORE: &str = "older entries are omitted: -n shows more";
