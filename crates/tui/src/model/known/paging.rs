//! How far a list is loaded that comes page by page, the newest first.

/// How far a list is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Paging {
    /// No page was asked for.
    #[default]
    Nothing,
    /// A page is on its way.
    Asked,
    /// There are older entries.
    Part,
    /// All of it is loaded.
    Whole,
}

impl Paging {
    /// Whether the first page is to be asked for. From here on it is on its way.
    pub fn begin(&mut self) -> bool {
        self.ask_if(*self == Self::Nothing)
    }

    /// Whether the next page is to be asked for. From here on it is on its way.
    pub fn more(&mut self) -> bool {
        self.ask_if(matches!(self, Self::Nothing | Self::Part))
    }

    fn ask_if(&mut self, is_wanted: bool) -> bool {
        if is_wanted {
            *self = Self::Asked;
        }
        is_wanted
    }

    /// Notes that a page is there, and whether there are older entries.
    pub fn load(&mut self, has_older: bool) {
        *self = if has_older { Self::Part } else { Self::Whole };
    }

    /// Notes that a page could not be loaded: it may be asked for again.
    pub fn fail(&mut self, is_empty: bool) {
        *self = if is_empty { Self::Nothing } else { Self::Part };
    }
}
