//! What a person can do.

/// One thing a key, the palette or a menu does. What each is called and does stands in
/// [`crate::keys::BINDINGS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    Help,
    Quit,
    Back,
    QuitHard,
    Suspend,
    Redraw,
    Palette,
    Jump,
    Search,
    SearchAll,
    NextMatch,
    PreviousMatch,
    Moment,
    NextNeed,
    PreviousNeed,
    NextUnread,
    PreviousUnread,
    OlderPlace,
    NewerPlace,
    Menu,
    NextPane,
    PreviousPane,
    Tab1,
    Tab2,
    Tab3,
    Tab4,
    Tab5,
    Tab6,
    Tab7,
    Tab8,
    Tab9,
    NextTab,
    PreviousTab,
    Zoom,
    Dock,
    View,
    NextPrompt,
    Mouse,
    Settings,
    Bookmark,
    Bookmarks,
    Layouts,
    Wrap,
    Theme,
    Refresh,
    Copy,
    CopyCode,
    Write,
    Message,
    Peek,
    Stop,
    StopAll,
    Retry,
    Release,
    Wake,
    Start,
    New,
    NewGroup,
    Join,
    Mark,
    Answer,
    Attach,
    Vote,
    Pause,
    Down,
    Up,
    Right,
    Left,
    NextItem,
    PreviousItem,
    HalfDown,
    HalfUp,
    PageDown,
    PageUp,
    First,
    Last,
    Open,
    Pager,
    Filter,
    FilterLine,
    Order,
    Columns,
    Reply,
    Select,
    Cause,
    Why,
    FoldAll,
    Older,
    Newer,
    Thinking,
    Whole,
    Drop,
    Diff,
    DiffBase,
    Edit,
    ErrorsOnly,
    Connection,
    DaemonLog,
    Send,
    Close,
    NewLine,
    Complete,
    Retarget,
    Editor,
    Sent,
}

impl Action {
    /// Whether it changes something outside of this screen, or begins to.
    pub fn is_act(self) -> bool {
        use Action::{
            Answer, Attach, Edit, Message, New, NewGroup, Reply, Send, Start, Vote, Write,
        };
        let begun = [Answer, Attach, Edit, Message, New, NewGroup, Reply, Send, Start, Vote, Write];
        self.is_of_selected() || begun.contains(&self)
    }

    /// Whether it is an act on what is selected, which says what that means for it.
    pub fn is_of_selected(self) -> bool {
        use Action::{Drop, Join, Pause, Release, Retry, Stop, StopAll, Wake};
        matches!(self, Stop | StopAll | Retry | Release | Wake | Pause | Drop | Join)
    }

    /// The tab it goes to, from 0.
    pub fn tab(self) -> Option<usize> {
        use Action::{Tab1, Tab2, Tab3, Tab4, Tab5, Tab6, Tab7, Tab8, Tab9};
        [Tab1, Tab2, Tab3, Tab4, Tab5, Tab6, Tab7, Tab8, Tab9].iter().position(|tab| *tab == self)
    }
}
