//! Who imports whom inside of a crate: read from its sources, a name that is handed on followed to where it is declared.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::source::{RustToken, tokens};

/// The way to a module from the root of its crate; empty for the root itself.
pub(crate) type ModulePath = Vec<String>;

/// A module.
#[derive(Debug)]
struct ParsedModule {
    children: BTreeSet<String>,
    uses: Vec<ParsedImport>,
    /// All but its `use`s.
    body: Vec<RustToken>,
}

/// One name that is brought in.
#[derive(Debug)]
struct ParsedImport {
    path: Vec<String>,
    name: String,
    hands_on: bool,
}

/// A crate.
#[derive(Debug, Default)]
pub(crate) struct CrateSources {
    modules: BTreeMap<ModulePath, ParsedModule>,
    /// Beside `src`: where modules stand that only tests build.
    support: PathBuf,
}

impl CrateSources {
    /// Reads the crate whose `src` this is.
    pub(crate) fn read(src: &Path) -> Self {
        let root = ["lib.rs", "main.rs"].into_iter().map(|name| src.join(name)).find(|file| file.exists());
        let mut sources = Self { support: src.with_file_name("test-support"), ..Self::default() };
        sources.take_in(Vec::new(), &root.unwrap(), src);
        sources
    }

    fn take_in(&mut self, place: ModulePath, file: &Path, folder: &Path) {
        let module = ParsedModule::from_tokens(&tokens(&std::fs::read_to_string(file).unwrap()));
        for child in &module.children {
            let below: PathBuf = folder.join(child);
            let beside = self.support.join(child);
            let files = [&below, &beside].map(|way| [way.with_extension("rs"), way.join("mod.rs")]).concat();
            let file = files.into_iter().find(|file| file.exists());
            self.take_in([&place[..], std::slice::from_ref(child)].concat(), &file.unwrap(), &below);
        }
        self.modules.insert(place, module);
    }

    /// The modules that have modules of their own.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &ModulePath> {
        self.modules.iter().filter(|(_, module)| !module.children.is_empty()).map(|(place, _)| place)
    }

    /// What is directly in a folder.
    pub(crate) fn children(&self, folder: &[String]) -> &BTreeSet<String> {
        &self.modules[folder].children
    }

    /// Whether this is a folder.
    pub(crate) fn is_folder(&self, place: &[String]) -> bool {
        !self.modules[place].children.is_empty()
    }

    /// Each module with those that it imports from.
    pub(crate) fn imports(&self) -> BTreeSet<(ModulePath, ModulePath)> {
        let mut found = BTreeSet::new();
        for (place, module) in &self.modules {
            let brought = module.uses.iter().filter(|one| !one.hands_on || module.says(&one.name));
            let named = paths(&module.body);
            for path in brought.map(|one| &one.path).chain(&named) {
                let target = self.declared(place, path, 0).filter(|target| target != place);
                found.extend(target.map(|target| (place.clone(), target)));
            }
        }
        found
    }

    /// The module that declares what a path names in a module; none outside of the crate.
    fn declared(&self, place: &[String], path: &[String], depth: usize) -> Option<ModulePath> {
        let first = path.first().filter(|_| depth < 20)?;
        let ups = path.iter().take_while(|segment| *segment == "super").count();
        let module = &self.modules[place];
        match first.as_str() {
            "crate" => self.resolve_in_module(&[], &path[1..], depth),
            "self" => self.resolve_in_module(place, &path[1..], depth),
            "super" => self.resolve_in_module(&place[..place.len().checked_sub(ups)?], &path[ups..], depth),
            name if module.children.contains(name) => self.resolve_in_module(place, path, depth),
            name => {
                let brought = module.uses.iter().find(|one| one.name == name && one.path[0] != name)?;
                self.declared(place, &[&brought.path[..], &path[1..]].concat(), depth + 1)
            }
        }
    }

    /// The same for a path inside of a module.
    fn resolve_in_module(&self, place: &[String], path: &[String], depth: usize) -> Option<ModulePath> {
        let Some((name, rest)) = path.split_first().filter(|(name, _)| *name != "*") else {
            return Some(place.to_vec());
        };
        let module = &self.modules[place];
        if module.children.contains(name) {
            return self.resolve_in_module(&[place, std::slice::from_ref(name)].concat(), rest, depth);
        }
        if let Some(brought) = module.uses.iter().find(|one| one.name == *name) {
            return self.declared(place, &[&brought.path[..], rest].concat(), depth + 1);
        }
        let all = module.uses.iter().filter(|one| one.name == "*");
        let handed = all.filter_map(|one| {
            let from = &one.path[..one.path.len() - 1];
            self.declared(place, &[from, path].concat(), depth + 1)
        });
        let declares = |place: &ModulePath| self.modules[place].declares(name);
        handed.into_iter().find(declares).or_else(|| Some(place.to_vec()))
    }
}

impl ParsedModule {
    fn from_tokens(tokens: &[RustToken]) -> Self {
        let mut module = Self { children: BTreeSet::new(), uses: Vec::new(), body: Vec::new() };
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at..] {
                [word, RustToken::Word(name), RustToken::Mark(';'), ..] if word.is("mod") => {
                    module.children.insert(name.clone());
                    at += 3;
                }
                [word, ..] if word.is("use") && !matches!(tokens.get(at + 1), Some(RustToken::Mark('<'))) => {
                    let hands_on =
                        at > 0 && (tokens[at - 1].is("pub") || tokens[at - 1] == RustToken::Mark(')'));
                    at += 1;
                    let mut names = Vec::new();
                    tree(tokens, &mut at, &[], &mut names);
                    module.uses.extend(names.into_iter().map(|(path, name)| ParsedImport {
                        path,
                        name,
                        hands_on,
                    }));
                }
                rest => {
                    module.body.push(rest[0].clone());
                    at += 1;
                }
            }
        }
        module
    }

    fn says(&self, name: &str) -> bool {
        self.body.iter().any(|token| token.is(name))
    }

    fn declares(&self, name: &str) -> bool {
        let kinds = ["fn", "struct", "enum", "trait", "type", "const", "static"];
        let pairs = self.body.windows(2);
        pairs.into_iter().any(|pair| pair[1].is(name) && kinds.iter().any(|kind| pair[0].is(kind)))
    }
}

/// The names of `a::{b, c::d as e}`: each path, with the name it has here.
fn tree(tokens: &[RustToken], at: &mut usize, prefix: &[String], found: &mut Vec<(Vec<String>, String)>) {
    let mut path = prefix.to_vec();
    loop {
        match tokens.get(*at) {
            Some(RustToken::Word(word)) if word == "as" => {
                let name = tokens[*at + 1].word().unwrap().to_owned();
                *at += 2;
                return found.push((path, name));
            }
            Some(RustToken::Word(word)) => path.push(word.clone()),
            Some(RustToken::Mark('*')) => path.push("*".to_owned()),
            Some(RustToken::Path) => {}
            Some(RustToken::Mark('{')) => {
                *at += 1;
                while tokens[*at] != RustToken::Mark('}') {
                    tree(tokens, at, &path, found);
                    if tokens[*at] == RustToken::Mark(',') {
                        *at += 1;
                    }
                }
                *at += 1;
                return;
            }
            Some(RustToken::Mark(_)) | None => {
                if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
                    path.pop();
                }
                let name = path.last().cloned();
                return found.extend(name.map(|name| (path, name)));
            }
        }
        *at += 1;
    }
}

/// The paths that stand in a body: `a::b::c`.
fn paths(body: &[RustToken]) -> Vec<Vec<String>> {
    let (mut at, mut found) = (0, Vec::new());
    while at < body.len() {
        let mut path: Vec<String> = body[at].word().map(str::to_owned).into_iter().collect();
        while let [_, RustToken::Path, RustToken::Word(next), ..] = &body[at..] {
            path.push(next.clone());
            at += 2;
        }
        at += 1;
        if path.len() > 1 {
            found.push(path);
        }
    }
    found
}
