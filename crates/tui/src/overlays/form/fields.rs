//! Fields to fill in: a workflow's file, a new agent, a schedule, what is searched for.

use agent_worker_client::text::numbers;
use agent_worker_protocol::{Name, Schedule, Scope, Tag, WorkflowState};
use ratatui_core::layout::Rect;

use crate::{
    action::Action,
    key::Key,
    keys::Context,
    model::{Act, Effect, Found, Model, Request},
    overlays::{Caret, Outcome, Overlay, overlay::keyed},
    paint::{Painter, Row},
    panes::{Panes, conversation},
    parts::{field::Field, frame, list, search},
    text::wrap::wrap_row,
    theme::Role,
};

/// Where its keys are, beside the letters of its fields.
const KEYS: &[Context] = &[Context::Picker, Context::Anywhere];

/// What it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Purpose {
    Start,
    /// In this scope
    NewAgent(Scope),
    /// In this scope
    NewGroup(Scope),
    /// More members for this group
    AddToGroup(Scope, Name),
    NewSchedule,
    /// It takes the place of this one
    Schedule(Box<Schedule>),
    Filter,
    Search,
    SearchPane,
}

/// The fields, and which has the caret.
#[derive(Debug)]
pub struct Form {
    pub(super) purpose: Purpose,
    pub(super) fields: Vec<(String, String, Field)>,
    at: usize,
    problem: Option<String>,
    /// Workflow files that can be started, and which one is marked
    files: Vec<Found>,
    marked: usize,
    /// Whether the mark was moved since the last letter
    is_chosen: bool,
    /// The first line on the screen when one was clicked
    first: usize,
    /// What the daemon was asked last
    asked: Option<Request>,
}

/// Fields of the start form before those of the file's params.
const OWN: usize = 2;

/// Files that are listed at once.
const LISTED: usize = 6;

/// Columns of the frame, with its border.
const WIDTH: u16 = 66;

impl Form {
    pub(super) fn new(purpose: Purpose, fields: &[(&str, &str, &str)]) -> Self {
        let is_search = matches!(purpose, Purpose::Search | Purpose::SearchPane);
        let field = |(name, hint, text): &(&str, &str, &str)| {
            let field = if is_search { Field::with_old(text) } else { Field::with(text) };
            ((*name).to_owned(), (*hint).to_owned(), field)
        };
        let fields = fields.iter().map(field).collect();
        let (files, is_chosen) = (Vec::new(), false);
        let (at, marked, first) = (0, 0, 0);
        Self { purpose, fields, at, problem: None, files, marked, is_chosen, first, asked: None }
    }

    /// A workflow from a file; where a failed one is shown, under its tag.
    pub fn start(model: &Model) -> Self {
        let failed = model.workflow().filter(|shown| shown.state == WorkflowState::Failed);
        let tag = failed.map(|shown| &shown.scope.tag).filter(|tag| **tag != Tag::main());
        let tag = tag.map(ToString::to_string).unwrap_or_default();
        let fields = [
            ("file", "a workflow's YAML file, or its folder", ""),
            ("tag", "main, if left empty", tag.as_str()),
        ];
        Self::new(Purpose::Start, &fields)
    }

    /// An agent for this scope.
    pub fn new_agent(scope: Scope) -> Self {
        let fields =
            [("name", "lower-case letters, digits, - and _", ""), ("model", "provider/model", "")];
        Self::new(Purpose::NewAgent(scope), &fields)
    }

    /// What lines of the tree must hold.
    pub fn filter(model: &Model) -> Self {
        Self::new(Purpose::Filter, &[("filter", "names in the tree", &model.selection.tree.filter)])
    }

    /// What is searched for in a conversation.
    pub fn search(find: &str) -> Self {
        Self::new(Purpose::Search, &[("search", "in this conversation, all of it", find)])
    }

    /// What is searched for in the shown pane.
    pub fn search_pane(model: &Model) -> Self {
        let wanted = search::wanted(model);
        Self::new(Purpose::SearchPane, &[("search", "in this pane, all that is loaded", wanted)])
    }

    /// The files that match what is written; none once one of them is.
    fn listed(&self) -> Vec<&Found> {
        if self.purpose != Purpose::Start || self.at != 0 || self.file().is_some() {
            return Vec::new();
        }
        let wanted = self.text(0).trim_start_matches("./").to_lowercase();
        let matches = |found: &&Found| found.path.to_lowercase().contains(&wanted);
        self.files.iter().filter(matches).collect()
    }

    /// The file that is written.
    fn file(&self) -> Option<&Found> {
        let path = self.text(0);
        let path = path.trim_start_matches("./");
        self.files.iter().find(|found| found.path == path)
    }

    /// Takes the marked file; false if no file is marked.
    fn complete(&mut self) -> bool {
        let path = self.listed().get(self.marked).map(|found| found.path.clone());
        let Some(path) = path else { return false };
        self.fields[0].2.set(&path);
        self.take_params();
        true
    }

    /// Has a field for each param of the file, with its default.
    fn take_params(&mut self) {
        let params = self.file().map(|found| found.params.clone()).unwrap_or_default();
        let names = params.iter().map(|param| &param.name);
        if names.eq(self.fields.iter().skip(OWN).map(|(name, ..)| name)) {
            return;
        }
        self.fields.truncate(OWN);
        self.fields.extend(params.into_iter().map(|param| {
            let about = param.about.unwrap_or_else(|| match param.default {
                Some(_) => "a param of the file".to_owned(),
                None => "a param of the file, which needs a value".to_owned(),
            });
            (param.name, about, Field::with(&param.default.unwrap_or_default()))
        }));
    }

    /// The values of the params, or the name of a param without a value.
    fn params(&self) -> Result<Vec<(String, String)>, String> {
        let settings = self.file().map(|found| found.params.as_slice()).unwrap_or_default();
        let mut params = Vec::new();
        for (setting, (name, _, field)) in settings.iter().zip(self.fields.iter().skip(OWN)) {
            let text = field.text();
            match &setting.default {
                Some(default) if default == text => {}
                None if text.is_empty() => return Err(format!("`{name}` needs a value")),
                _ => params.push((name.clone(), text.to_owned())),
            }
        }
        Ok(params)
    }

    pub(super) fn text(&self, at: usize) -> String {
        self.fields[at].2.text().trim().to_owned()
    }

    /// Does what was filled in; the error is what is wrong with it.
    fn done(&mut self, model: &mut Model, panes: &mut Panes) -> Result<Outcome, String> {
        let first = self.text(0);
        let second =
            (self.fields.len() >= OWN).then(|| self.text(1)).filter(|text| !text.is_empty());
        let act = match &self.purpose {
            Purpose::Filter => return Ok(Outcome::close()),
            Purpose::Search | Purpose::SearchPane if first.is_empty() => {
                return Ok(Outcome::close());
            }
            Purpose::SearchPane => return Ok(Outcome::Close(panes.find(model, &first))),
            Purpose::Search => return Ok(Outcome::Close(conversation::find(model, &first))),
            _ if first.is_empty() => return Err("nothing is started without it".to_owned()),
            Purpose::NewGroup(scope) => self.create(scope.clone())?,
            Purpose::AddToGroup(scope, name) => {
                Act::AddToGroup(scope.clone(), name.clone(), self.names(0)?)
            }
            Purpose::NewSchedule => self.set(&first, &self.text(1), 2, None)?,
            Purpose::Schedule(old) => self.set(&old.agent.to_string(), &first, 1, Some(old))?,
            Purpose::Start => {
                let request = Request::Start { path: first, tag: second, params: self.params()? };
                return Ok(self.send(model, request, "starting the workflow"));
            }
            Purpose::NewAgent(scope) => {
                let request = Request::New { scope: scope.clone(), name: first, model: second };
                return Ok(self.send(model, request, "creating the agent"));
            }
        };
        Ok(Outcome::Close(vec![Effect::Act(act)]))
    }

    fn send(&mut self, model: &mut Model, request: Request, words: &'static str) -> Outcome {
        if !model.may_act() {
            return Outcome::stay();
        }
        model.tell(words);
        self.asked = Some(request.clone());
        Outcome::Stay(vec![Effect::Ask(request)])
    }

    /// What Enter does, and what stands in the upper and in the lower edge of its frame.
    fn says(&self, model: &Model) -> (&'static str, &'static str, String) {
        let shell = |line: &str| {
            let line = model.connection.in_shell(&format!("agent-worker {line}"));
            format!("in a shell: {line}")
        };
        match &self.purpose {
            Purpose::NewSchedule => ("set it", "new schedule", shell("schedule AGENT set WHEN")),
            Purpose::NewGroup(_) => {
                ("create it", "new group", shell("group create NAME MEMBER... --in @X"))
            }
            Purpose::AddToGroup(..) => {
                ("add them", "add to the group", shell("group add NAME MEMBER... --in @X"))
            }
            Purpose::Start => ("start it", "start a workflow", shell("start FILE --tag TAG")),
            Purpose::NewAgent(_) => ("create it", "new agent", shell("new NAME --model M --in @X")),
            Purpose::Schedule(_) => {
                ("set it", "change the schedule", "its other rules stay as they are".to_owned())
            }
            Purpose::Filter => {
                ("keep the filter", "filter the tree", "Esc leaves the filter as it is".to_owned())
            }
            Purpose::Search | Purpose::SearchPane => {
                let [next, previous] = [Action::NextMatch, Action::PreviousMatch]
                    .map(|action| model.key_in(&[Context::Anywhere], action));
                ("search", "search", format!("{next} and {previous} go on"))
            }
        }
    }
}

impl Overlay for Form {
    fn key(&mut self, model: &mut Model, panes: &mut Panes, key: Key) -> Outcome {
        self.problem = None;
        let count = self.fields.len();
        let has_list = self.listed().len() > 1;
        let contexts = [KEYS, &[Context::Move]].concat();
        match model.settings.keymap.beside_text(&contexts, key) {
            // Nothing is started by a file that only stands in the list.
            Some(Action::Send)
                if (self.is_chosen || self.text(0).is_empty()) && self.complete() => {}
            Some(Action::Send) => match self.done(model, panes) {
                Ok(outcome) => return outcome,
                Err(problem) => self.problem = Some(problem),
            },
            Some(Action::Complete) if self.complete() => {}
            Some(by @ (Action::Down | Action::Up | Action::PageDown | Action::PageUp))
                if has_list =>
            {
                self.scroll(model, list::moved(by, LISTED).unwrap_or_default());
            }
            Some(Action::Complete | Action::Down) => self.at = (self.at + 1) % count,
            Some(Action::PreviousPane | Action::Up) => self.at = (self.at + count - 1) % count,
            _ => {
                self.fields[self.at].2.key(key);
                if self.at == 0 {
                    (self.marked, self.is_chosen) = (0, false);
                    if self.purpose == Purpose::Start {
                        self.take_params();
                    }
                }
                if self.purpose == Purpose::Filter {
                    model.selection.tree.filter = self.text(0);
                }
            }
        }
        Outcome::stay()
    }

    fn scroll(&mut self, _: &Model, rows: isize) {
        // While another field has the caret, no file is listed, and the mark stays.
        let Some(last) = self.listed().len().checked_sub(1) else { return };
        self.first = self.first.min(self.marked);
        self.marked = self.marked.saturating_add_signed(rows).min(last);
        self.is_chosen = true;
    }

    fn keys(&self, model: &Model) -> Vec<(String, String)> {
        use Action::{Complete, Down, Send, Up};
        let mut rows: Vec<(&[Action], &str)> = vec![(&[Send], self.says(model).0)];
        if !self.listed().is_empty() {
            rows.extend([(&[Up, Down][..], "choose"), (&[Complete], "take the file")]);
        } else if self.fields.len() > 1 {
            rows.push((&[Complete], "next field"));
        }
        frame::with_esc(keyed(model, KEYS, &rows), "cancel")
    }

    fn draw(&self, model: &Model, _: &Panes, painter: &mut Painter<'_>, area: Rect) -> Caret {
        let (_, title, bottom) = self.says(model);
        let title = match &self.purpose {
            Purpose::NewAgent(scope) => format!("{title} in {scope}"),
            _ => title.to_owned(),
        };
        let listed = self.listed();
        let problem = self.problem.iter().map(|text| Row::of(text.clone(), Role::Failed));
        let room = usize::from(WIDTH.min(area.width.saturating_sub(2))).saturating_sub(4);
        let problem: Vec<_> = problem.flat_map(|row| wrap_row(&row, room, 0)).collect();
        let told = problem.len().max(1);
        let rows = self.fields.len() * 2 + 2 + told + listed.len().min(LISTED);
        let height = u16::try_from(rows).unwrap_or(9);
        let inside = frame::frame(painter, area, (WIDTH, height), title, bottom);
        let symbols = painter.symbols;
        let widest = self.fields.iter().map(|(name, ..)| name.chars().count()).max();
        let x = u16::try_from(widest.unwrap_or(0) + 2).unwrap_or(8).clamp(8, 20);
        let mut caret = None;
        // The last rows are for the problem.
        let above = usize::from(inside.height).saturating_sub(told);
        let shown = (above / 2).clamp(1, self.fields.len());
        let first = (self.at + 1).saturating_sub(shown);
        let fields = self.fields.iter().enumerate().skip(first).take(shown);
        for (y, (number, (name, hint, field))) in (0..).step_by(2).zip(fields) {
            let role = if number == self.at { Role::Accent } else { Role::Text };
            let room = usize::from(x).saturating_sub(1);
            painter.row(inside, 0, y, &Row::of(name.clone(), role).cut(room, symbols.ellipsis));
            let place = field.draw(painter, inside, x, y);
            painter.row(inside, x, y + 1, &Row::of(hint.clone(), Role::Dim));
            if number == self.at {
                caret = Some(place);
            }
        }
        let end = u16::try_from(shown * 2).unwrap_or(0);
        let top = list::top(self.marked, self.first, LISTED, listed.len());
        let below = end + u16::try_from(told).unwrap_or(1);
        for (y, (at, found)) in (below..).zip(listed.iter().enumerate().skip(top).take(LISTED)) {
            let sign = if at == self.marked { symbols.selected } else { " " };
            let row = Row::of(sign, Role::Accent).pad(1).with(found.path.clone(), Role::Text);
            painter.row(inside, 0, y, &row.cut(usize::from(inside.width), symbols.ellipsis));
            painter.spot(inside, y, at);
        }
        painter.rows(inside, end, &problem);
        if problem.is_empty() && !listed.is_empty() {
            let all = numbers::counted(self.files.len(), "file", "files");
            let count = format!("{} of {all}", listed.len());
            painter.row(inside, 0, end, &Row::of(count, Role::Dim));
        }
        caret
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.fields[self.at].2)
    }

    fn take_files(&mut self, files: Vec<Found>) {
        if self.purpose == Purpose::Start {
            self.files = files;
            self.take_params();
        }
    }

    fn has_asked(&self, request: &Request) -> bool {
        self.asked.as_ref() == Some(request)
    }

    fn marked(&self) -> Option<usize> {
        Some(self.marked)
    }

    fn mark(&mut self, _: &Model, line: usize, first: usize) {
        (self.marked, self.first, self.is_chosen) = (line, first, true);
    }

    fn takes(&self) -> Action {
        Action::Complete
    }

    fn loses_text(&self) -> bool {
        let is_written = |(.., field): &(String, String, Field)| !field.text().is_empty();
        self.purpose != Purpose::Filter && self.fields.iter().any(is_written)
    }

    fn contexts(&self) -> Vec<Context> {
        KEYS.to_vec()
    }
}
