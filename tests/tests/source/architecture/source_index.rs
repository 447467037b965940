//! The names of the workspace: which module, type or function a path means.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::super::syntax::{
    FunctionOwner, FunctionSyntax, ModulePath, ModuleSyntax, TypeReference, TypeShape, parsed_files,
};

/// Types whose methods are those of the value inside of them.
const TRANSPARENT: [&str; 9] =
    ["Arc", "Box", "Cow", "LazyLock", "MutexGuard", "OnceLock", "Pin", "Rc", "RwLock"];
/// Deeper, aliases and wrappers name one another.
const MAX_TYPE_DEPTH: usize = 20;

/// A name and the module that defines it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct QualifiedName {
    module: ModulePath,
    name: String,
}

/// A name that is looked up in a module.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct NameLookup {
    name: QualifiedName,
    /// Whether a function is meant if there is one, not a type or a module.
    calls: bool,
}

/// The method of a type.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct MethodName {
    owner: QualifiedName,
    name: String,
}

/// Where a name is read.
#[derive(Clone)]
pub(super) struct ResolutionScope {
    pub(super) module: &'static ModuleSyntax,
    /// The type that `Self` is.
    pub(super) owner: Option<QualifiedName>,
}

/// The definitions of a function: several for features and platforms.
pub(super) struct IndexedFunction {
    pub(super) scope: ResolutionScope,
    /// With the type that it belongs to: `Type::name`.
    pub(super) label: String,
    pub(super) definitions: Vec<&'static FunctionSyntax>,
}

/// What a path names.
#[derive(Clone)]
pub(super) enum NamedItem {
    Module(ModulePath),
    Type(QualifiedName),
    /// The index of a function.
    Function(usize),
}

/// The type of a value.
pub(super) enum InferredType {
    Unknown,
    Ours(QualifiedName),
    /// A type of a library, with the types that it is made with and where these are read.
    Foreign {
        name: String,
        arguments: Vec<TypeReference>,
        scope: ResolutionScope,
    },
}

/// Everything in the workspace that has a name.
#[derive(Default)]
pub(super) struct SourceIndex {
    pub(super) functions: Vec<IndexedFunction>,
    /// Several of one path for the library and the program of a package.
    modules: BTreeMap<ModulePath, Vec<&'static ModuleSyntax>>,
    /// Functions that belong to no type.
    free: BTreeMap<QualifiedName, usize>,
    methods: BTreeMap<MethodName, Vec<usize>>,
    trait_methods: BTreeMap<MethodName, Vec<usize>>,
    /// The traits of ours that a type has.
    traits: BTreeMap<QualifiedName, BTreeSet<QualifiedName>>,
    /// The types that have a method of a name of their own, and the traits that declare one.
    owners: BTreeMap<String, BTreeSet<QualifiedName>>,
    /// What was looked up.
    names: RefCell<BTreeMap<NameLookup, Option<NamedItem>>>,
    /// What is being looked up, and what was not found on the way.
    open_names: RefCell<BTreeSet<NameLookup>>,
}

impl SourceIndex {
    pub(super) fn read() -> Self {
        let mut index = Self::default();
        let modules = || parsed_files().iter().filter(|file| !file.is_test).flat_map(|file| &file.modules);
        for module in modules() {
            index.modules.entry(module.path.clone()).or_default().push(module);
        }
        for module in modules() {
            index.add_functions(module);
            index.add_traits(module);
        }
        // Methods were missing from it.
        index.names.take();
        index
    }

    fn add_functions(&mut self, module: &'static ModuleSyntax) {
        let mut known: BTreeMap<(Option<&FunctionOwner>, &str), usize> = BTreeMap::new();
        for function in &module.functions {
            let key = (function.owner.as_ref(), function.name.as_str());
            match known.get(&key) {
                Some(&at) => self.functions[at].definitions.push(function),
                None => {
                    known.insert(key, self.functions.len());
                    self.add_function(module, function);
                }
            }
        }
    }

    fn add_function(&mut self, module: &'static ModuleSyntax, function: &'static FunctionSyntax) {
        let (at, name) = (self.functions.len(), &function.name);
        let mut scope = ResolutionScope { module, owner: None };
        let mut label = name.clone();
        if let Some(written) = &function.owner {
            label = format!("{}::{name}", written.kind.path.last().map_or("_", String::as_str));
            scope.owner = self.type_of_owner(written, &scope);
            if let Some(owner) = scope.owner.clone() {
                let methods = match written.trait_name {
                    Some(_) => &mut self.trait_methods,
                    None => {
                        self.owners.entry(name.clone()).or_default().insert(owner.clone());
                        &mut self.methods
                    }
                };
                methods.entry(MethodName { owner, name: name.clone() }).or_default().push(at);
            }
        } else {
            self.free.insert(QualifiedName { module: module.path.clone(), name: name.clone() }, at);
        }
        self.functions.push(IndexedFunction { scope, label, definitions: vec![function] });
    }

    fn type_of_owner(&self, owner: &FunctionOwner, scope: &ResolutionScope) -> Option<QualifiedName> {
        match self.type_of_reference(&owner.kind, scope, 0) {
            InferredType::Ours(key) => Some(key),
            InferredType::Unknown | InferredType::Foreign { .. } => None,
        }
    }

    fn add_traits(&mut self, module: &'static ModuleSyntax) {
        let scope = ResolutionScope { module, owner: None };
        for owner in &module.trait_impls {
            let Some(kind) = self.type_of_owner(owner, &scope) else { continue };
            let Some(implemented) = &owner.trait_name else { continue };
            if let InferredType::Ours(key) = self.type_of_reference(implemented, &scope, 0) {
                self.traits.entry(kind).or_default().insert(key);
            }
        }
    }

    /// The method of this name, if only one type of a crate has one.
    pub(super) fn only_method(&self, crate_name: &str, name: &str) -> Option<usize> {
        let mut owners = self.owners.get(name)?.iter().filter(|owner| owner.module[0] == crate_name);
        let only = owners.next().filter(|_| owners.next().is_none())?;
        self.method(only, name)
    }

    /// The method of a type, or the one that a trait of it defines for all types. `None` if several traits have it.
    pub(super) fn method(&self, key: &QualifiedName, name: &str) -> Option<usize> {
        let only = |found: &Vec<usize>| found.first().copied().filter(|_| found.len() == 1);
        let key_of = |owner: &QualifiedName| MethodName { owner: owner.clone(), name: name.to_owned() };
        if let Some(found) = self.methods.get(&key_of(key)) {
            // Several definitions of a type, for features or platforms, have the method each.
            return found.first().copied();
        }
        if let Some(found) = self.trait_methods.get(&key_of(key)) {
            return only(found);
        }
        let mut of_traits = self.traits.get(key)?.iter().filter_map(|key| self.methods.get(&key_of(key)));
        of_traits.next().and_then(only)
    }

    /// The type that a written type is in a scope.
    pub(super) fn type_of_reference(
        &self,
        written: &TypeReference,
        scope: &ResolutionScope,
        depth: usize,
    ) -> InferredType {
        let Some(name) = written.path.last().filter(|_| depth < MAX_TYPE_DEPTH) else {
            return InferredType::Unknown;
        };
        if let Some(NamedItem::Type(key)) = self.named(&written.path, scope, false) {
            return match self.alias(&key) {
                Some((alias, scope)) => self.type_of_reference(alias, &scope, depth + 1),
                None => InferredType::Ours(key),
            };
        }
        match written.arguments.last() {
            Some(inner) if TRANSPARENT.contains(&name.as_str()) => {
                self.type_of_reference(inner, scope, depth + 1)
            }
            // An associated type, or a parameter.
            _ if written.path[0] == "Self" || name.len() == 1 => InferredType::Unknown,
            _ => InferredType::Foreign {
                name: name.clone(),
                arguments: written.arguments.clone(),
                scope: scope.clone(),
            },
        }
    }

    /// Where a type is defined, and what it is made of.
    pub(super) fn shape(&self, key: &QualifiedName) -> Option<(&'static ModuleSyntax, &'static TypeShape)> {
        let modules = self.modules.get(&key.module)?;
        modules.iter().find_map(|module| Some((*module, module.types.get(&key.name)?)))
    }

    /// What a `type` stands for, and where that is read; `None` for other types.
    fn alias(&self, key: &QualifiedName) -> Option<(&'static TypeReference, ResolutionScope)> {
        let (module, shape) = self.shape(key)?;
        Some((shape.alias.as_ref()?, ResolutionScope { module, owner: None }))
    }

    /// The type itself, or the one that it stands for; `None` if that is a library's.
    fn without_alias(&self, key: QualifiedName) -> Option<QualifiedName> {
        let Some((alias, scope)) = self.alias(&key) else { return Some(key) };
        match self.type_of_reference(alias, &scope, 1) {
            InferredType::Ours(key) => Some(key),
            InferredType::Unknown | InferredType::Foreign { .. } => None,
        }
    }

    /// What a path names in a scope. If `calls`, a function is meant if there is one.
    pub(super) fn named(&self, path: &[String], scope: &ResolutionScope, calls: bool) -> Option<NamedItem> {
        let place = &scope.module.path;
        let first = path.first()?;
        let ups = path.iter().take_while(|segment| *segment == "super").count();
        let (start, rest) = match first.as_str() {
            "Self" => (NamedItem::Type(scope.owner.clone()?), &path[1..]),
            "crate" => (NamedItem::Module(place[..1].to_vec()), &path[1..]),
            "self" => (NamedItem::Module(place.clone()), &path[1..]),
            "super" => {
                let above = place.len().checked_sub(ups).filter(|left| *left > 0)?;
                (NamedItem::Module(place[..above].to_vec()), &path[ups..])
            }
            name => match self.in_module(place, name, calls && path.len() == 1) {
                Some(found) => (found, &path[1..]),
                None => (NamedItem::Module(vec![crate_of(name)?]), &path[1..]),
            },
        };
        let mut found = start;
        for (at, name) in rest.iter().enumerate() {
            let is_last = at + 1 == rest.len();
            found = match found {
                NamedItem::Module(module) => self.in_module(&module, name, calls && is_last)?,
                NamedItem::Type(key) => self.in_type(self.without_alias(key)?, name)?,
                NamedItem::Function(_) => return None,
            };
        }
        Some(found)
    }

    /// A method of a type; a name in capitals is a variant, and thus a value of the type.
    fn in_type(&self, key: QualifiedName, name: &str) -> Option<NamedItem> {
        match self.method(&key, name) {
            Some(function) => Some(NamedItem::Function(function)),
            None => name.starts_with(char::is_uppercase).then_some(NamedItem::Type(key)),
        }
    }

    /// What a name is in a module: defined there, or imported.
    fn in_module(&self, place: &[String], name: &str, calls: bool) -> Option<NamedItem> {
        let name = QualifiedName { module: place.to_vec(), name: name.to_owned() };
        let key = NameLookup { name, calls };
        if let Some(known) = self.names.borrow().get(&key) {
            return known.clone();
        }
        // Modules that import all of one another ask for the name again, and find nothing more.
        if !self.open_names.borrow_mut().insert(key.clone()) {
            return None;
        }
        let is_outermost = self.open_names.borrow().len() == 1;
        let found = self.look_up(&key.name, calls);
        if is_outermost {
            self.open_names.borrow_mut().clear();
        }
        // A name that was not found on the way to another one may be found from elsewhere.
        if is_outermost || found.is_some() {
            self.names.borrow_mut().insert(key, found.clone());
        }
        found
    }

    fn look_up(&self, key: &QualifiedName, calls: bool) -> Option<NamedItem> {
        let modules = self.modules.get(&key.module)?;
        let name = key.name.as_str();
        let function = || self.free.get(key).copied().map(NamedItem::Function);
        let module_or_type = || {
            if modules.iter().any(|module| module.children.contains(name)) {
                return Some(NamedItem::Module(modules[0].child(name)));
            }
            let is_type = modules.iter().any(|module| module.types.contains_key(name));
            is_type.then(|| NamedItem::Type(key.clone()))
        };
        let defined = if calls { function().or_else(module_or_type) } else { module_or_type() };
        if defined.is_some() {
            return defined;
        }
        let imports =
            || modules.iter().flat_map(|module| module.imports.iter().map(move |one| (*module, one)));
        for (module, import) in imports().filter(|(_, import)| import.name == name) {
            let is_itself = import.path.len() == 1 && import.path[0] == name;
            let scope = ResolutionScope { module, owner: None };
            let found = self.named(&import.path, &scope, calls).filter(|_| !is_itself);
            if found.is_some() {
                return found;
            }
        }
        for (module, import) in imports().filter(|(_, import)| import.name == "*") {
            let scope = ResolutionScope { module, owner: None };
            if let Some(NamedItem::Module(from)) = self.named(&import.path, &scope, false)
                && let Some(found) = self.in_module(&from, name, calls)
            {
                return Some(found);
            }
        }
        None
    }
}

/// The crate of ours that a name of a library is.
fn crate_of(name: &str) -> Option<String> {
    if name == "entracte" {
        return Some(name.to_owned());
    }
    name.strip_prefix("entracte_").map(|name| name.replace('_', "-"))
}
