//! The product's source as modules: which file defines a name, and which files name it.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use syn::{
    Item, Path as SynPath, UseTree,
    spanned::Spanned,
    visit::{self, Visit},
};

use super::root;

/// One file of a crate's product; files that only tests compile are not in it.
pub struct File {
    /// From the crate's `src`.
    pub path: PathBuf,
    pub text: String,
    /// First and last lines of items that only tests compile.
    pub of_tests: Vec<(usize, usize)>,
    /// The module it is, as segments from the root.
    module: Vec<String>,
    /// Paths it names, absolute within the crate, with their line. Re-exports are not in it.
    named: Vec<(Vec<String>, usize)>,
}

#[derive(Default)]
struct Module {
    file: usize,
    /// What `use` brings in, by the name that it has here.
    imported: BTreeMap<String, Vec<String>>,
    /// Modules whose names are all brought in.
    globs: Vec<Vec<String>>,
    defined: BTreeSet<String>,
}

/// A crate's product.
pub struct House {
    pub files: Vec<File>,
    modules: BTreeMap<Vec<String>, Module>,
}

/// One file that names a definition of another.
pub struct Arrow {
    pub from: usize,
    pub to: usize,
    pub line: usize,
}

impl House {
    /// The crate's files from each of its roots (`lib.rs`, and `main.rs` where there is one).
    pub fn of(name: &str) -> Self {
        Self::from(&root().join("crates").join(name).join("src"))
    }

    pub fn from(src: &Path) -> Self {
        let mut house = Self { files: Vec::new(), modules: BTreeMap::new() };
        if src.join("main.rs").exists() {
            house.read(src, Path::new("main.rs"), &["main".into()]);
        }
        house.read(src, Path::new("lib.rs"), &[]);
        house
    }

    fn read(&mut self, src: &Path, path: &Path, module: &[String]) {
        let text = std::fs::read_to_string(src.join(path)).unwrap();
        let parsed =
            syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let file = self.files.len();
        self.files.push(File {
            path: path.to_path_buf(),
            text,
            of_tests: Vec::new(),
            module: module.to_vec(),
            named: Vec::new(),
        });
        let folder = match path.file_stem().and_then(|stem| stem.to_str()) {
            Some("mod" | "lib" | "main") => path.parent().unwrap().to_path_buf(),
            _ => path.with_extension(""),
        };
        self.items(src, file, &folder, module, &parsed.items);
    }

    fn items(&mut self, src: &Path, file: usize, folder: &Path, at: &[String], items: &[Item]) {
        let mut module = Module { file, ..Module::default() };
        let mut children = Vec::new();
        let mut named = Vec::new();
        for item in items {
            if only_tests(item) || stands_elsewhere(item) {
                let span = item.span();
                self.files[file].of_tests.push((span.start().line, span.end().line));
                continue;
            }
            match item {
                Item::Mod(child) => {
                    let name = child.ident.to_string();
                    let mut path = at.to_vec();
                    path.push(name.clone());
                    match &child.content {
                        Some((_, items)) => self.items(src, file, folder, &path, items),
                        None => children.push((name, path)),
                    }
                }
                Item::Use(item) => {
                    let mut leaves = Vec::new();
                    flatten(&item.tree, &mut Vec::new(), &mut leaves);
                    for (path, as_name, line) in leaves {
                        let Some(path) = imported(at, &path) else { continue };
                        match as_name {
                            Some(name) => drop(module.imported.insert(name, path.clone())),
                            None => module.globs.push(path.clone()),
                        }
                        if matches!(item.vis, syn::Visibility::Inherited) {
                            named.push((path, line));
                        }
                    }
                }
                other => {
                    module.defined.extend(defined(other));
                    if let Item::Macro(called) = other {
                        // Items that a macro is given, such as the enums of `words!`.
                        let given = syn::parse2::<syn::File>(called.mac.tokens.clone());
                        let given = given.map(|file| file.items).unwrap_or_default();
                        module.defined.extend(given.iter().filter_map(defined));
                    }
                    let mut paths = Paths { at, found: &mut named };
                    paths.visit_item(other);
                }
            }
        }
        self.files[file].named.extend(named);
        self.modules.insert(at.to_vec(), module);
        for (name, path) in children {
            let flat = folder.join(format!("{name}.rs"));
            let file =
                if src.join(&flat).exists() { flat } else { folder.join(&name).join("mod.rs") };
            self.read(src, &file, &path);
        }
    }

    /// The file that defines what a path names; none for what is of another crate.
    fn resolve(&self, path: &[String], depth: usize) -> Option<usize> {
        let mut at: Vec<String> = Vec::new();
        for (index, segment) in path.iter().enumerate() {
            let module = self.modules.get(&at)?;
            let mut child = at.clone();
            child.push(segment.clone());
            if self.modules.contains_key(&child) {
                at = child;
            } else if module.defined.contains(segment) {
                return Some(module.file);
            } else {
                if depth > 20 {
                    return None;
                }
                let rest = &path[index + 1..];
                let with = |base: &[String], name: Option<&String>| {
                    let mut whole = base.to_vec();
                    whole.extend(name.cloned());
                    whole.extend(rest.iter().cloned());
                    whole
                };
                if let Some(target) = module.imported.get(segment) {
                    return self.resolve(&with(target, None), depth + 1);
                }
                return module
                    .globs
                    .iter()
                    .find_map(|glob| self.resolve(&with(glob, Some(segment)), depth + 1));
            }
        }
        self.modules.get(&at).map(|module| module.file)
    }

    pub fn arrows(&self) -> Vec<Arrow> {
        let mut arrows = Vec::new();
        let mut known = BTreeSet::new();
        for (from, file) in self.files.iter().enumerate() {
            for (path, line) in &file.named {
                let to = self.resolve(path, 0);
                if let Some(to) = to.filter(|&to| to != from && known.insert((from, to))) {
                    // A path that ends at a folder's module says that its parts are used, which
                    // are arrows of their own.
                    let is_folder =
                        self.files[to].path.ends_with("mod.rs") && self.files[to].module == *path;
                    if !is_folder {
                        arrows.push(Arrow { from, to, line: *line });
                    }
                }
            }
        }
        arrows
    }
}

fn only_tests(item: &Item) -> bool {
    let attributes = match item {
        Item::Mod(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Const(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        _ => return false,
    };
    attributes.iter().any(|attribute| {
        let is_cfg = attribute.path().is_ident("cfg");
        is_cfg && attribute.parse_args::<syn::Ident>().is_ok_and(|only| only == "test")
    })
}

/// Whether a module's file is outside of the crate: what is timed, and what tests share.
fn stands_elsewhere(item: &Item) -> bool {
    matches!(item, Item::Mod(item) if item.attrs.iter().any(|one| one.path().is_ident("path")))
}

fn defined(item: &Item) -> Option<String> {
    let name = match item {
        Item::Fn(item) => &item.sig.ident,
        Item::Struct(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Const(item) => &item.ident,
        Item::Static(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        _ => return None,
    };
    Some(name.to_string())
}

type Leaf = (Vec<String>, Option<String>, usize);

fn flatten(tree: &UseTree, before: &mut Vec<String>, leaves: &mut Vec<Leaf>) {
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            flatten(&path.tree, before, leaves);
            before.pop();
        }
        UseTree::Name(name) => leaf(before, &name.ident, &name.ident, leaves),
        UseTree::Rename(rename) => leaf(before, &rename.ident, &rename.rename, leaves),
        UseTree::Glob(star) => leaves.push((before.clone(), None, star.span().start().line)),
        UseTree::Group(group) => {
            for tree in &group.items {
                flatten(tree, before, leaves);
            }
        }
    }
}

fn leaf(before: &[String], name: &syn::Ident, as_name: &syn::Ident, leaves: &mut Vec<Leaf>) {
    let mut path = before.to_vec();
    if name != "self" {
        path.push(name.to_string());
    }
    let shown = if as_name == "self" { path.last().cloned() } else { Some(as_name.to_string()) };
    leaves.push((path, shown, name.span().start().line));
}

/// What a `use` names, from the crate's root: what is of another crate is found nowhere there.
fn imported(at: &[String], path: &[String]) -> Option<Vec<String>> {
    absolute(at, path).or_else(|| (!path.is_empty()).then(|| [at, path].concat()))
}

/// A path from the crate's root; none where it begins with a name.
fn absolute(at: &[String], path: &[String]) -> Option<Vec<String>> {
    let mut whole = match path.first()?.as_str() {
        "crate" | "$crate" => Vec::new(),
        "self" => at.to_vec(),
        "super" => at[..at.len().checked_sub(1)?].to_vec(),
        _ => return None,
    };
    for segment in &path[1..] {
        if segment == "super" {
            whole.pop()?;
        } else {
            whole.push(segment.clone());
        }
    }
    Some(whole)
}

/// Paths within an item, those in the arguments of macros too.
struct Paths<'a> {
    at: &'a [String],
    found: &'a mut Vec<(Vec<String>, usize)>,
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_path(&mut self, path: &'ast SynPath) {
        let segments: Vec<_> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        self.note(&segments, path.span().start().line);
        visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut leaves = Vec::new();
        flatten(&item.tree, &mut Vec::new(), &mut leaves);
        for (path, _, line) in leaves {
            self.note(&path, line);
        }
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.tokens(called.tokens.clone());
        visit::visit_macro(self, called);
    }
}

impl Paths<'_> {
    fn note(&mut self, segments: &[String], line: usize) {
        // One segment is a local name, whose `use` was read.
        let whole = if segments.len() < 2 { None } else { absolute(self.at, segments) };
        let whole = whole.or_else(|| (segments.len() > 1).then(|| [self.at, segments].concat()));
        self.found.extend(whole.map(|path| (path, line)));
    }

    fn tokens(&mut self, tokens: proc_macro2::TokenStream) {
        let mut segments: Vec<String> = Vec::new();
        let mut line = 0;
        let mut colons = 0;
        for token in tokens {
            match token {
                proc_macro2::TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.note(&std::mem::take(&mut segments), line);
                    }
                    line = name.span().start().line;
                    segments.push(name.to_string());
                    colons = 0;
                }
                proc_macro2::TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                proc_macro2::TokenTree::Group(group) => {
                    self.note(&std::mem::take(&mut segments), line);
                    colons = 0;
                    self.tokens(group.stream());
                }
                _ => {
                    self.note(&std::mem::take(&mut segments), line);
                    colons = 0;
                }
            }
        }
        self.note(&segments, line);
    }
}
