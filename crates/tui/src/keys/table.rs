//! The rows of the table of keys, a line each.

use super::binding::{Binding, Context};
use crate::action::Action;

/// A row: action, its name in `config.toml`, default keys, label, what it does, words by which the
/// palette finds it as well, and whether the footer shows it.
macro_rules! bindings {
    ($($context:ident {
        $($action:ident $id:literal [$($key:literal),+]
            $label:literal $does:literal $(($words:literal))? $($footer:ident)?;)+
    })+) => {
        &[$($(Binding {
            context: Context::$context,
            action: Action::$action,
            id: $id,
            keys: &[$($key),+],
            label: $label,
            does: $does,
            words: concat!($($words)?),
            in_footer: !stringify!($($footer)?).is_empty(),
        },)+)+]
    };
}

/// Every key that does something, by context; in a context the order is that of the footer.
pub const BINDINGS: &[Binding] = bindings! {
    Anywhere {
        Write "write" ["i"] "write" "write a message here" ("send say tell") footer;
        Peek "peek" ["p"] "peek" "look at the selected agent" ("watch what is it doing") footer;
        Stop "stop" ["x"] "stop" "stop the selected agent" ("end halt kill abort cancel run") footer;
        Search "search-pane" ["/"] "search" "search in the focused pane" ("find filter") footer;
        SearchAll "search-all" ["S"] "search all" "search all messages and documents" ("find grep messages documents full text");
        NextNeed "next-need" ["a"] "next need" "next thing that needs you" ("attention waiting for me what needs") footer;
        Menu "menu" ["space"] "menu" "actions for the selected thing" ("actions") footer;
        Palette "palette" [":", "ctrl+k"] "command" "find any command by words" ("run action") footer;
        Help "help" ["?", "f1"] "help" "keys of the focused pane, searchable" ("keys shortcuts what can I do");
        Quit "quit" ["q"] "quit" "leave the control room; agents keep running" ("exit leave close");
        Back "back" ["esc"] "back" "one step back";
        QuitHard "quit-hard" ["ctrl+c"] "quit" "twice: leave the control room";
        Suspend "suspend" ["ctrl+z"] "suspend" "to the shell; fg returns" ("shell background");
        Redraw "redraw" ["ctrl+l"] "redraw" "draw the whole screen again" ("repaint garbage");
        Jump "jump" ["f"] "jump" "go to anything with a name" ("find go open switch");
        NextMatch "next-match" ["n"] "next" "next match";
        PreviousMatch "previous-match" ["N"] "previous" "previous match";
        PreviousNeed "previous-need" ["alt+a", "A"] "previous need" "previous thing that needs you";
        NextUnread "next-unread" ["u"] "unread" "unread line, then next conversation with unread" ("new messages");
        PreviousUnread "previous-unread" ["U"] "unread" "previous conversation with unread";
        OlderPlace "back-place" ["b"] "back" "where you were before" ("history previous subject");
        NewerPlace "forward-place" ["B"] "forward" "forward again";
        NextPane "next-pane" ["tab"] "next pane" "focus the next pane";
        PreviousPane "previous-pane" ["shift+tab"] "previous pane" "focus the previous pane";
        Tab1 "tab-1" ["1"] "tab 1" "first tab";
        Tab2 "tab-2" ["2"] "tab 2" "second tab";
        Tab3 "tab-3" ["3"] "tab 3" "third tab";
        Tab4 "tab-4" ["4"] "tab 4" "fourth tab";
        Tab5 "tab-5" ["5"] "tab 5" "fifth tab";
        Tab6 "tab-6" ["6"] "tab 6" "sixth tab";
        Tab7 "tab-7" ["7"] "tab 7" "seventh tab";
        Tab8 "tab-8" ["8"] "tab 8" "eighth tab";
        Tab9 "tab-9" ["9"] "tab 9" "ninth tab";
        NextTab "next-tab" ["]"] "next tab" "next tab";
        PreviousTab "previous-tab" ["["] "previous tab" "previous tab";
        Zoom "zoom" ["z"] "zoom" "focused pane alone, for copying with the mouse" ("full screen select text maximize");
        Dock "dock" ["|"] "side panel" "side panel on or off" ("live run panel");
        View "view-as" ["V"] "view as" "see everything as the selected agent does, or as you again" ("member eyes identity perspective");
        NextPrompt "next-prompt" ["E"] "next prompt" "what the next run of the agent would be given" ("context system prompt");
        Mouse "mouse" ["M"] "mouse" "give the mouse to the terminal, or take it" ("click select");
        Wrap "wrap" ["W"] "wrap" "wrap or cut long lines" ("long lines");
        Theme "theme" ["T"] "theme" "next theme" ("colours colors dark light");
        Settings "settings" [","] "settings" "change the settings of this screen" ("preferences theme bell order symbols config keys bindings shortcuts");
        Bookmark "bookmark" ["\""] "bookmark" "bookmark what is selected, or remove its bookmark" ("keep remember place star");
        Bookmarks "bookmarks" ["'"] "bookmarks" "go to a bookmark" ("kept remembered places");
        Layouts "layouts" ["\\"] "layouts" "open, save, rename or remove a layout" ("arrangement panes screen named");
        Refresh "refresh" ["R"] "reload" "retry now when not live; else load this pane again" ("reconnect reload");
        Copy "copy" ["y"] "copy" "copy the selected thing" ("clipboard yank");
        CopyCode "copy-code" ["C"] "copy code" "copy a code block of the selected thing" ("clipboard yank fence snippet");
        Message "message" ["m"] "message" "message to the selected agent" ("send direct dm tell agent");
        StopAll "stop-all" ["X"] "stop all" "stop the workflow, or remove the stopped agent" ("end halt kill workflow remove delete");
        Retry "retry" ["t"] "try again" "retry failed work" ("retry failed dead mail repeat");
        Release "release" ["L"] "release" "release held messages" ("held unblock allow limit");
        Wake "wake" ["w"] "wake" "start a run of the selected agent now" ("run now trigger");
        Start "start" ["s"] "start" "start a workflow, or resume what is stopped" ("resume continue run launch workflow file");
        New "new" ["plus"] "new" "new agent or workflow" ("create add agent");
        NewGroup "new-group" ["#"] "new group" "new group of the marked agents" ("create conversation members");
        Join "join" ["I"] "join" "join the selected group, or leave it" ("leave group member");
        Mark "mark" ["*"] "mark" "mark, to act on several at once";
        Answer "answer" ["Q"] "answer" "answer the question, or cast the vote, that waits here" ("question permission allow deny approve vote open");
        Why "why" ["Y"] "why" "explain its state" ("reason explain waiting blocked");
    }
    Move {
        Down "down" ["j", "down"] "down" "one line down";
        Up "up" ["k", "up"] "up" "one line up";
        Right "right" ["l", "right"] "right" "unfold, or the pane to the right";
        Left "left" ["h", "left"] "left" "fold, or the pane to the left";
        NextItem "next-item" ["J", "}"] "next" "next message, block, heading";
        PreviousItem "previous-item" ["K", "{"] "previous" "previous message, block, heading";
        HalfDown "half-down" ["ctrl+d"] "half down" "half a page down";
        HalfUp "half-up" ["ctrl+u"] "half up" "half a page up";
        PageDown "page-down" ["pgdn"] "page down" "a page down";
        PageUp "page-up" ["pgup"] "page up" "a page up";
        First "first" ["g", "home"] "oldest" "to the first";
        Last "last" ["G", "end"] "newest" "to the last, and follow";
        Open "open" ["enter"] "open" "open, unfold, go";
        Pager "pager" ["o"] "whole text" "the whole text" ("read full output");
        Filter "filter" ["F"] "filter" "show only some";
        FilterLine "filter-line" ["&"] "filter" "filter the table in one line: state:failed agent:re*" ("where query only lines");
        Columns "columns" ["%"] "columns" "choose the columns of the table" ("hide show");
        Order "order" ["O"] "sort" "sort the table; of a document its outline" ("sort order column outline");
    }
    Nav {
        Open "nav-into" ["enter"] "go in" "focus what is selected" footer;
        Right "nav-right" ["l", "right"] "go in" "unfold, or focus what is selected";
        Start "start" ["s"] "start" "start a workflow from a file, or resume what is stopped" ("resume continue run launch workflow file") footer;
        Left "nav-fold" ["h", "left"] "fold" "fold, or go to the parent";
        FoldAll "nav-fold-all" ["Z"] "fold all" "fold or unfold all";
    }
    Channel {
        Write "write" ["i"] "write" "write here" footer;
        Reply "reply" ["r"] "reply" "reply to the selected message" ("answer") footer;
        Open "open" ["enter"] "detail" "the message whole, with who got it" ("delivered read who");
        Copy "copy" ["y"] "copy" "copy the selected message" footer;
        Select "select" ["v"] "select" "select several: moving extends, a copy ends it" ("copy range visual messages lines");
        Cause "goto-cause" ["c"] "cause" "the run, document or message named by the line" ("run that wrote");
        Last "newest" ["G", "end"] "newest" "newest, and follow" footer;
        Moment "go-to-time" ["@"] "go to time" "go to a time: 10m ago, 14:05, a date" ("jump when clock ago date");
    }
    Members {
        Open "open" ["enter"] "open" "open its run" footer;
        Message "message" ["m"] "message" "message to it" footer;
        New "add" ["plus"] "add" "add members to the group" ("invite group") footer;
        Join "join" ["I"] "join, leave" "join the group, or leave it" footer;
    }
    Agents {
        Open "open" ["enter"] "open" "open the run" footer;
        Peek "peek" ["p"] "peek" "look at it" footer;
        Message "message" ["m"] "message" "message to it" footer;
        Stop "stop" ["x"] "stop" "stop it" footer;
        Retry "retry" ["t"] "try again" "try its failed work again" footer;
        Wake "wake" ["w"] "wake" "start a run of it now" footer;
        Order "order" ["O"] "sort" "sort by any column" footer;
        Mark "mark" ["*"] "mark" "mark several" footer;
        Attach "attach" ["A"] "attach" "go on with its program in this terminal" ("resume session by hand take over");
    }
    Run {
        Open "fold-block" ["enter"] "fold" "fold or unfold" footer;
        PreviousItem "previous-block" ["{", "K"] "block" "previous block" footer;
        NextItem "next-block" ["}", "J"] "block" "next block" footer;
        Last "follow" ["G", "end"] "follow" "end of the stream" footer;
        Pager "pager" ["o"] "open" "the whole text of the block" footer;
        Copy "copy" ["y"] "copy" "copy the block" footer;
        Retry "retry" ["t"] "try again" "try its failed work again" footer;
        Stop "stop" ["x"] "stop" "stop the agent" footer;
        Older "older" ["<"] "older" "older run";
        Newer "newer" [">"] "newer" "newer run";
        Attach "attach" ["A"] "attach" "go on with its program in this terminal" ("resume session by hand take over");
        Thinking "toggle-thinking" ["H"] "thinking" "hide or show thinking" ("thoughts reasoning");
        Cause "goto-cause" ["c"] "cause" "the message that woke it" ("why woke reason");
        Whole "all-runs" ["="] "all runs" "all runs of the agent in one scroll, or one" ("history whole past everything");
    }
    Inbox {
        Open "open" ["enter"] "open" "the message whole" footer;
        Cause "goto-cause" ["c"] "go to channel" "the line in the channel" footer;
        Retry "retry" ["t"] "try again" "retry dead letters" footer;
        Release "release" ["L"] "release" "release held deliveries" footer;
        Mark "mark" ["*"] "mark" "mark several messages, to act on all of them" footer;
        Drop "drop-wake" ["X"] "drop" "discard the selected message" ("discard forget") footer;
    }
    Runs {
        Open "open" ["enter"] "open" "its transcript" footer;
        Retry "retry" ["t"] "try again" "retry its dead letters" footer;
        Attach "attach" ["A"] "attach" "go on with its program in this terminal" ("resume session by hand take over");
        Cause "goto-cause" ["c"] "cause" "the message that woke it" footer;
    }
    Cost {
        Open "open" ["enter"] "open" "the agent, the workflow, or the runs" footer;
        Filter "group" ["F"] "group by" "by agent, model, workflow or day" ("sum model day workflow") footer;
        Order "order" ["O"] "sort" "sort by any column" footer;
        FilterLine "filter-line" ["&"] "filter" "filter the table in one line" footer;
    }
    Votes {
        Vote "vote" ["v"] "vote" "vote on the selected proposal, or vote again" ("choose elect approve reject decide") footer;
        Open "open" ["enter"] "detail" "all of it" footer;
        Pager "open-document" ["o"] "document" "the document that goes to the winner" footer;
        StopAll "cancel" ["X"] "cancel it" "cancel the selected proposal" ("withdraw close") footer;
    }
    Schedules {
        Wake "wake" ["w"] "run now" "run the selected schedule now" ("fire trigger start") footer;
        Edit "edit" ["e"] "change" "change its times or its prompt" ("edit set interval cron prompt") footer;
        Pause "pause" ["P"] "pause" "pause or resume the selected schedule" ("suspend resume on off") footer;
        StopAll "clear" ["X"] "clear" "remove the selected schedule" ("remove delete cancel") footer;
        New "new" ["+"] "new" "a new schedule" ("add make create") footer;
        Open "open" ["enter"] "last run" "the run of its last due time" footer;
        Pager "pager" ["o"] "all of it" "all of it, as a text";
    }
    Documents {
        Open "open" ["enter"] "read" "read" footer;
        Diff "diff" ["D"] "diff" "differences to the version before, or the marked one" ("changes compare what changed") footer;
        Older "older" ["<"] "version" "older version" ("history revision") footer;
        Newer "newer" [">"] "version" "newer version" footer;
        DiffBase "diff-base" ["="] "mark base" "mark this version for the diff";
        Edit "edit" ["e"] "edit" "edit a copy in $EDITOR and save it as a new version" ("write change document") footer;
        Copy "copy" ["y"] "copy" "copy its text" footer;
    }
    Events {
        ErrorsOnly "errors-only" ["!"] "errors" "errors only" footer;
        Filter "filter" ["F"] "filter" "kinds" footer;
        Open "open" ["enter"] "open" "go to the thing" footer;
        Cause "goto-cause" ["c"] "cause" "the thing the event is about" footer;
    }
    Composer {
        Send "send" ["enter"] "send" "send it" footer;
        Close "close" ["esc", "ctrl+c"] "close, keep draft" "close it and keep the draft" footer;
        NewLine "newline" ["ctrl+j", "alt+enter", "shift+enter"] "new line" "a new line" footer;
        Complete "complete" ["tab"] "complete" "complete a name" footer;
        Retarget "retarget" ["ctrl+t"] "to whom" "another recipient, the same text";
        Editor "editor" ["alt+e"] "editor" "write in $EDITOR";
        Sent "sent" ["ctrl+r"] "sent" "messages that were sent";
        Help "help" ["f1"] "help" "help";
    }
    Picker {
        Send "run" ["enter"] "run" "run it" footer;
        Up "up" ["up", "ctrl+p"] "up" "up" footer;
        Down "down" ["down", "ctrl+n"] "down" "down" footer;
        Complete "complete" ["tab"] "complete" "take it into the line" footer;
        Copy "copy-shell" ["ctrl+y"] "copy shell command" "copy it as a shell command" footer;
        Close "close" ["esc", "ctrl+c"] "close" "close" footer;
    }
    Box {
        Open "open" ["enter"] "open" "choose or open it; close what is only read" footer;
        PageDown "page-down" ["pgdn", "space"] "page down" "a page down";
        Copy "copy" ["y"] "copy" "copy its text" footer;
        CopyCode "copy-code" ["C"] "copy code" "copy a code block of the message";
        Write "write" ["i"] "write" "write to the agent" footer;
        Edit "edit" ["e"] "edit" "go on with the text that was not sent" footer;
        Quit "close" ["q", "esc"] "close" "close" footer;
    }
    Pager {
        PageDown "page-down" ["pgdn", "space"] "page down" "a page down";
        Search "search" ["/"] "search" "search" footer;
        NextMatch "next-match" ["n"] "next match" "next match";
        PreviousMatch "previous-match" ["N"] "previous match" "previous match";
        Copy "copy" ["y"] "copy" "copy the whole" footer;
        Select "select" ["V"] "select" "select lines: moving extends, a copy ends it" footer;
        Editor "editor" ["v"] "editor" "look at it in $EDITOR" footer;
        Quit "close" ["q", "esc"] "close" "close" footer;
    }
    Offline {
        Refresh "refresh" ["R"] "retry now" "retry now" footer;
        Start "start" ["s"] "start daemon" "start the daemon" footer;
        Write "write" ["i"] "draft (not sent)" "write a draft" footer;
        Connection "details" ["D"] "details" "address, last error, tries" footer;
    }
    NoDaemon {
        Start "start" ["s"] "start daemon" "start the daemon" footer;
        Refresh "refresh" ["R"] "look again" "look again" footer;
        DaemonLog "daemon-log" ["L"] "its log" "the daemon's log" footer;
    }
    Empty {
        Start "start" ["s"] "start" "start a workflow from a file" footer;
        New "new" ["plus"] "new agent" "new global agent" footer;
    }
};
