//! The items of a file: what its modules define and import.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Attribute, Ident, Item, ItemImpl, ReturnType, Signature, Type, UseTree};

use super::bodies::{self, CallSite};
use super::definitions::is_of_tests;

/// The name of a crate and the modules from its root.
pub(crate) type ModulePath = Vec<String>;

/// A module.
#[derive(Default)]
pub(crate) struct ModuleSyntax {
    pub(crate) path: ModulePath,
    /// Its file, relative to the root.
    pub(crate) file: String,
    pub(crate) children: BTreeSet<String>,
    /// The children that are built for tests only; they are no `children`.
    pub(crate) test_children: BTreeSet<String>,
    pub(crate) imports: Vec<ImportedPath>,
    pub(crate) types: BTreeMap<String, TypeShape>,
    pub(crate) functions: Vec<FunctionSyntax>,
    /// Types with an `impl` of a trait, and the trait.
    pub(crate) trait_impls: Vec<FunctionOwner>,
    /// Words of the enum variants and of the patterns of match arms: where a list of types would be written.
    pub(crate) listed_names: BTreeSet<String>,
}

impl ModuleSyntax {
    pub(crate) fn child(&self, name: &str) -> ModulePath {
        self.path.iter().map(String::as_str).chain([name]).map(str::to_owned).collect()
    }
}

/// One name of a `use`.
pub(crate) struct ImportedPath {
    pub(crate) path: Vec<String>,
    /// The name that it has here; `*` for all names of a module.
    pub(crate) name: String,
}

/// What a type is made of.
#[derive(Default)]
pub(crate) struct TypeShape {
    /// By name or number; those of a variant as `Variant.name`.
    pub(crate) fields: BTreeMap<String, TypeReference>,
    /// What a `type` stands for.
    pub(crate) alias: Option<TypeReference>,
}

/// A type as it is written, without references and lifetimes.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TypeReference {
    /// Empty for a type without a name, as a tuple is.
    pub(crate) path: Vec<String>,
    pub(crate) arguments: Vec<TypeReference>,
}

/// The type, and for a trait's `impl` the trait, that a function belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FunctionOwner {
    pub(crate) kind: TypeReference,
    pub(crate) trait_name: Option<TypeReference>,
}

/// A function or method.
pub(crate) struct FunctionSyntax {
    pub(crate) owner: Option<FunctionOwner>,
    pub(crate) name: String,
    pub(crate) returns: TypeReference,
    pub(crate) calls: Vec<CallSite>,
}

impl TypeReference {
    pub(crate) fn from_path(path: &syn::Path) -> Self {
        let arguments = path.segments.last().map(|segment| match &segment.arguments {
            syn::PathArguments::AngleBracketed(list) => list
                .args
                .iter()
                .filter_map(|argument| match argument {
                    syn::GenericArgument::Type(kind) => Some(Self::from_type(kind)),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        });
        Self { path: segments(path), arguments: arguments.unwrap_or_default() }
    }

    pub(crate) fn from_type(kind: &Type) -> Self {
        match kind {
            Type::Path(path) if path.qself.is_none() => Self::from_path(&path.path),
            Type::Reference(reference) => Self::from_type(&reference.elem),
            Type::Paren(inner) => Self::from_type(&inner.elem),
            Type::Group(inner) => Self::from_type(&inner.elem),
            Type::Slice(slice) => Self::of_elements(&slice.elem),
            Type::Array(array) => Self::of_elements(&array.elem),
            Type::ImplTrait(bounds) => Self::from_bounds(bounds.bounds.iter()),
            Type::TraitObject(bounds) => Self::from_bounds(bounds.bounds.iter()),
            _ => Self::default(),
        }
    }

    fn of_elements(element: &Type) -> Self {
        Self { path: vec!["[]".to_owned()], arguments: vec![Self::from_type(element)] }
    }

    /// The first trait.
    fn from_bounds<'a>(bounds: impl Iterator<Item = &'a syn::TypeParamBound>) -> Self {
        let mut traits = bounds.filter_map(|bound| match bound {
            syn::TypeParamBound::Trait(bound) => Some(Self::from_path(&bound.path)),
            _ => None,
        });
        traits.next().unwrap_or_default()
    }
}

pub(super) fn segments(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

/// The module of a file, and after it those written inside of it.
pub(super) fn modules(file: &syn::File, path: &str, module: ModulePath) -> Vec<ModuleSyntax> {
    let mut visitor = ItemVisitor::default();
    visitor.enter(path, module);
    visitor.visit_file(file);
    visitor.found
}

#[derive(Default)]
struct ItemVisitor {
    found: Vec<ModuleSyntax>,
    /// The index of the module that is visited.
    current: usize,
    owner: Option<FunctionOwner>,
}

impl ItemVisitor {
    fn enter(&mut self, file: &str, path: ModulePath) {
        self.current = self.found.len();
        self.found.push(ModuleSyntax { path, file: file.to_owned(), ..ModuleSyntax::default() });
    }

    fn module(&mut self) -> &mut ModuleSyntax {
        &mut self.found[self.current]
    }

    fn define(&mut self, name: &Ident) -> &mut TypeShape {
        self.module().types.entry(name.to_string()).or_default()
    }

    fn define_function(&mut self, signature: &Signature, block: Option<&syn::Block>) {
        let parsed = bodies::parse(signature, block);
        let returns = match &signature.output {
            ReturnType::Type(_, kind) => TypeReference::from_type(kind),
            ReturnType::Default => TypeReference::default(),
        };
        let (owner, name) = (self.owner.clone(), signature.ident.to_string());
        let module = self.module();
        module.listed_names.extend(parsed.pattern_words);
        module.functions.push(FunctionSyntax { owner, name, returns, calls: parsed.calls });
        // Items inside of a body are items of the module to us.
        if let Some(block) = block {
            let outer = self.owner.take();
            visit::visit_block(self, block);
            self.owner = outer;
        }
    }

    /// Adds the fields of a type, or of a variant with its name before each.
    fn define_fields(&mut self, name: &Ident, variant: &str, fields: &syn::Fields) {
        let fields = fields.iter().enumerate().map(|(at, field)| {
            let name = field.ident.as_ref().map_or_else(|| at.to_string(), Ident::to_string);
            (format!("{variant}{name}"), TypeReference::from_type(&field.ty))
        });
        let fields: Vec<_> = fields.collect();
        self.define(name).fields.extend(fields);
    }
}

impl<'ast> Visit<'ast> for ItemVisitor {
    fn visit_item(&mut self, item: &'ast Item) {
        if let Item::Mod(module) = item
            && module.attrs.iter().any(is_of_tests)
        {
            self.module().test_children.insert(module.ident.to_string());
        }
        if !attributes(item).iter().any(is_of_tests) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let name = item.ident.to_string();
        let (path, file) = (self.module().child(&name), self.module().file.clone());
        self.module().children.insert(name);
        if item.content.is_some() {
            let outer = self.current;
            self.enter(&file, path);
            visit::visit_item_mod(self, item);
            self.current = outer;
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        imported(&item.tree, &[], &mut self.module().imports);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.define(&item.ident);
        self.define_fields(&item.ident, "", &item.fields);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.define(&item.ident);
        for variant in &item.variants {
            self.define_fields(&item.ident, &format!("{}.", variant.ident), &variant.fields);
            let mut words = vec![variant.ident.to_string()];
            for field in &variant.fields {
                let mut visitor = WordVisitor(&mut words);
                visitor.visit_type(&field.ty);
            }
            self.module().listed_names.extend(words);
        }
    }

    fn visit_item_union(&mut self, item: &'ast syn::ItemUnion) {
        self.define(&item.ident);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        let target = TypeReference::from_type(&item.ty);
        self.define(&item.ident).alias = Some(target);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.define(&item.ident);
        let kind = TypeReference { path: vec![item.ident.to_string()], arguments: Vec::new() };
        let outer = self.owner.replace(FunctionOwner { kind, trait_name: None });
        visit::visit_item_trait(self, item);
        self.owner = outer;
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let trait_name = item.trait_.as_ref().map(|(path, _)| TypeReference::from_path(path));
        let owner = FunctionOwner { kind: TypeReference::from_type(&item.self_ty), trait_name };
        if owner.trait_name.is_some() {
            self.module().trait_impls.push(owner.clone());
        }
        let outer = self.owner.replace(owner);
        visit::visit_item_impl(self, item);
        self.owner = outer;
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        let outer = self.owner.take();
        self.define_function(&item.sig, Some(&item.block));
        self.owner = outer;
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !item.attrs.iter().any(is_of_tests) {
            self.define_function(&item.sig, Some(&item.block));
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.define_function(&item.sig, item.default.as_ref());
    }

    /// A macro that wraps definitions holds items, if it holds Rust.
    fn visit_macro(&mut self, found: &'ast syn::Macro) {
        if let Ok(inner) = found.parse_body::<syn::File>() {
            inner.items.iter().for_each(|item| self.visit_item(item));
        }
    }
}

/// Every word of a pattern or a type.
pub(super) struct WordVisitor<'a>(pub(super) &'a mut Vec<String>);

impl<'ast> Visit<'ast> for WordVisitor<'_> {
    fn visit_ident(&mut self, word: &'ast Ident) {
        self.0.push(word.to_string());
    }
}

/// The names of a `use`.
fn imported(tree: &UseTree, prefix: &[String], found: &mut Vec<ImportedPath>) {
    let joined = |name: &Ident| [prefix, &[name.to_string()]].concat();
    match tree {
        UseTree::Path(path) => imported(&path.tree, &joined(&path.ident), found),
        UseTree::Group(group) => group.items.iter().for_each(|tree| imported(tree, prefix, found)),
        UseTree::Glob(_) => found.push(ImportedPath { path: prefix.to_vec(), name: "*".to_owned() }),
        UseTree::Name(name) if name.ident == "self" => {
            let last = prefix.last().cloned();
            found.extend(last.map(|name| ImportedPath { path: prefix.to_vec(), name }));
        }
        UseTree::Name(name) => {
            found.push(ImportedPath { path: joined(&name.ident), name: name.ident.to_string() });
        }
        UseTree::Rename(name) => {
            let path = if name.ident == "self" { prefix.to_vec() } else { joined(&name.ident) };
            found.push(ImportedPath { path, name: name.rename.to_string() });
        }
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Mod(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        _ => &[],
    }
}
