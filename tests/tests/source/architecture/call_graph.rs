//! Which function calls which, over the whole workspace.
//!
//! Seen are: calls by a path, through `use`, `pub use`, `self`, `super`, `crate`, renames and globs; functions that are handed
//! on by name; `Self::name`, `Type::name` and `Trait::name`; and methods of a value whose type follows from `self`, a
//! parameter, a `let`, a field, a function's result, or what is inside of an `Option`, a `Result` or a collection of those.
//! A method of any other value is taken for the one of its name if only one type of the crate has it and the name has
//! several words; names of one word are those of libraries, too.
//!
//! Not seen are: which type stands behind a trait object, a generic or an associated type; closures that are kept and called
//! elsewhere; code that a macro makes, and the inside of macros that hold neither expressions nor statements nor items;
//! operators, `Drop`, and `From` behind `?` and `into`.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use super::super::syntax::{CallSite, ModulePath, ValueSource};
use super::source_index::{
    IndexedFunction, InferredType, NamedItem, QualifiedName, ResolutionScope, SourceIndex,
};

/// Methods after which the value inside of a collection, an `Option` or a `Result` is still inside of one.
const KEEPING: [&str; 40] = [
    "as_deref",
    "as_deref_mut",
    "as_mut",
    "as_ref",
    "as_slice",
    "chain",
    "clone",
    "cloned",
    "copied",
    "drain",
    "filter",
    "find",
    "first",
    "get",
    "get_mut",
    "into_iter",
    "into_values",
    "inspect",
    "iter",
    "iter_mut",
    "last",
    "last_mut",
    "map_err",
    "next",
    "ok",
    "ok_or",
    "ok_or_else",
    "or",
    "or_else",
    "peekable",
    "pop",
    "pop_front",
    "remove",
    "rev",
    "skip",
    "take",
    "to_owned",
    "to_vec",
    "values",
    "values_mut",
];
/// Methods that return the value inside of an `Option` or a `Result`.
const OPENING: [&str; 6] =
    ["expect", "unwrap", "unwrap_or", "unwrap_or_default", "unwrap_or_else", "get_or_insert_with"];
/// Methods of several words that types of libraries have, too. On a value of unknown type they are not ours.
const COMMON_METHODS: [&str; 12] = [
    "as_bytes",
    "as_path",
    "as_str",
    "contains_key",
    "from_reader",
    "into_inner",
    "into_bytes",
    "is_empty",
    "is_none",
    "is_some",
    "push_str",
    "to_string",
];

/// The most calls and fields in a row; in longer ones the type is unknown.
const MAX_CHAIN: usize = 40;

/// A function of the graph.
pub(crate) struct FunctionNode {
    pub(crate) module: ModulePath,
    /// Relative to the root.
    pub(crate) file: String,
    /// With the type that it belongs to: `Type::name`.
    pub(crate) name: String,
    /// The functions that it calls.
    pub(crate) calls: BTreeSet<usize>,
}

/// Calls between the functions of the workspace.
pub(crate) struct CallGraph {
    pub(crate) functions: Vec<FunctionNode>,
}

impl CallGraph {
    /// The calls of all sources but those of a package's own tests. Read by the first caller in a process.
    pub(crate) fn of_workspace() -> &'static Self {
        static GRAPH: OnceLock<CallGraph> = OnceLock::new();
        GRAPH.get_or_init(|| {
            let index = SourceIndex::read();
            Self { functions: index.functions.iter().map(|function| index.node(function)).collect() }
        })
    }

    /// Each call: the calling and the called function.
    pub(crate) fn edges(&self) -> BTreeSet<(usize, usize)> {
        let functions = self.functions.iter().enumerate();
        functions.flat_map(|(from, function)| function.calls.iter().map(move |to| (from, *to))).collect()
    }
}

/// What a call runs.
enum Callee {
    Function(usize),
    /// A tuple struct or a variant.
    Constructor(QualifiedName),
}

impl Callee {
    fn function(self) -> Option<usize> {
        match self {
            Self::Function(function) => Some(function),
            Self::Constructor(_) => None,
        }
    }
}

impl SourceIndex {
    fn node(&self, function: &IndexedFunction) -> FunctionNode {
        let IndexedFunction { scope, label, definitions } = function;
        let calls = definitions.iter().flat_map(|definition| &definition.calls);
        let called = calls.filter_map(|call| self.called(call, scope, 0)).filter_map(Callee::function);
        FunctionNode {
            module: scope.module.path.clone(),
            file: scope.module.file.clone(),
            name: label.clone(),
            calls: called.collect(),
        }
    }

    /// The function that a call runs; `None` if it is not ours or not known.
    fn called(&self, call: &CallSite, scope: &ResolutionScope, depth: usize) -> Option<Callee> {
        match call {
            CallSite::Path(path) => match self.named(path, scope, true)? {
                NamedItem::Function(function) => Some(Callee::Function(function)),
                NamedItem::Type(key) => Some(Callee::Constructor(key)),
                NamedItem::Module(_) => None,
            },
            CallSite::Method { receiver, name } => {
                let kind = self.type_of(receiver, scope, depth);
                self.method_of_value(&kind, name, scope).map(Callee::Function)
            }
        }
    }

    fn method_of_value(&self, kind: &InferredType, name: &str, scope: &ResolutionScope) -> Option<usize> {
        match kind {
            InferredType::Ours(key) => self.method(key, name),
            // Names of one word are those of libraries: `run`, `find`, `connection`.
            InferredType::Unknown if name.contains('_') && !COMMON_METHODS.contains(&name) => {
                self.only_method(&scope.module.path[0], name)
            }
            InferredType::Unknown | InferredType::Foreign { .. } => None,
        }
    }

    fn type_of(&self, source: &ValueSource, scope: &ResolutionScope, depth: usize) -> InferredType {
        if depth > MAX_CHAIN {
            return InferredType::Unknown;
        }
        match source {
            ValueSource::Unknown => InferredType::Unknown,
            ValueSource::OfType(written) if matches!(&written.path[..], [name] if name == "self") => {
                match scope.owner.clone() {
                    Some(owner) => InferredType::Ours(owner),
                    // A macro made the type.
                    None => InferredType::Foreign {
                        name: String::new(),
                        arguments: Vec::new(),
                        scope: scope.clone(),
                    },
                }
            }
            ValueSource::OfType(written) => self.type_of_reference(written, scope, 0),
            ValueSource::Field(value, name) => {
                let InferredType::Ours(key) = self.type_of(value, scope, depth + 1) else {
                    return InferredType::Unknown;
                };
                let Some((module, shape)) = self.shape(&key) else { return InferredType::Unknown };
                let Some(field) = shape.fields.get(name) else { return InferredType::Unknown };
                self.type_of_reference(field, &ResolutionScope { module, owner: Some(key) }, 0)
            }
            ValueSource::Returned(call) => self.returned(call, scope, depth + 1),
            ValueSource::Inner(value) => self.inner(self.type_of(value, scope, depth + 1)),
        }
    }

    /// The type of what is inside of a value.
    fn inner(&self, outer: InferredType) -> InferredType {
        let InferredType::Foreign { name, arguments, scope } = outer else { return InferredType::Unknown };
        let inner = if name == "Result" { arguments.first() } else { arguments.last() };
        inner.map_or(InferredType::Unknown, |inner| self.type_of_reference(inner, &scope, 0))
    }

    /// The type that a call returns.
    fn returned(&self, call: &CallSite, scope: &ResolutionScope, depth: usize) -> InferredType {
        match call {
            CallSite::Path(_) => match self.called(call, scope, depth) {
                Some(Callee::Function(function)) => self.result(function),
                Some(Callee::Constructor(key)) => InferredType::Ours(key),
                None => InferredType::Unknown,
            },
            CallSite::Method { receiver, name } => {
                let kind = self.type_of(receiver, scope, depth);
                if let Some(function) = self.method_of_value(&kind, name, scope) {
                    return self.result(function);
                }
                let name = name.as_str();
                match kind {
                    found if OPENING.contains(&name) => self.inner(found),
                    found @ InferredType::Foreign { .. } if KEEPING.contains(&name) => found,
                    // `Clone` is derived.
                    InferredType::Ours(key) if matches!(name, "clone" | "to_owned" | "as_ref" | "as_mut") => {
                        InferredType::Ours(key)
                    }
                    _ => InferredType::Unknown,
                }
            }
        }
    }

    fn result(&self, function: usize) -> InferredType {
        let IndexedFunction { scope, definitions, .. } = &self.functions[function];
        self.type_of_reference(&definitions[0].returns, scope, 0)
    }
}
