//! The names that a file defines, and the parameters that its signatures take.

use std::collections::BTreeMap;

use syn::visit::{self, Visit};
use syn::{
    Attribute, FnArg, GenericArgument, Ident, Item, Macro, Pat, PathArguments, Signature, Type, Visibility,
};

/// The definition of a type.
#[derive(Clone)]
pub(crate) struct TypeDefinition {
    pub(crate) name: String,
    /// Its file, relative to the root.
    pub(crate) file: String,
    /// `pub` or `pub(crate)`.
    pub(crate) is_shared: bool,
}

/// What a file defines.
#[derive(Clone, Default)]
pub(crate) struct FileDefinitions {
    pub(crate) types: Vec<TypeDefinition>,
    /// Functions that take a tuple, with their files.
    pub(crate) tuple_parameters: Vec<String>,
    /// Functions that take several integers of one type, with their files and these parameters.
    pub(crate) integer_parameters: BTreeMap<String, Vec<String>>,
    file: String,
}

impl FileDefinitions {
    pub(super) fn read(file: &syn::File, path: &str) -> Self {
        let mut definitions = Self { file: path.to_owned(), ..Self::default() };
        definitions.visit_file(file);
        definitions
    }

    fn define(&mut self, name: &Ident, visibility: &Visibility) {
        let is_shared = match visibility {
            Visibility::Public(_) => true,
            Visibility::Restricted(within) => within.path.is_ident("crate"),
            Visibility::Inherited => false,
        };
        self.types.push(TypeDefinition { name: name.to_string(), file: self.file.clone(), is_shared });
    }
}

impl<'ast> Visit<'ast> for FileDefinitions {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes: &[Attribute] = match item {
            Item::Mod(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Struct(item) => &item.attrs,
            Item::Enum(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            _ => &[],
        };
        if attributes.iter().any(is_of_tests) {
            return;
        }
        match item {
            Item::Struct(item) => self.define(&item.ident, &item.vis),
            Item::Enum(item) => self.define(&item.ident, &item.vis),
            Item::Union(item) => self.define(&item.ident, &item.vis),
            Item::Trait(item) => self.define(&item.ident, &item.vis),
            Item::Type(item) => self.define(&item.ident, &item.vis),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    /// A macro that wraps definitions holds items, if it holds Rust.
    fn visit_macro(&mut self, found: &'ast Macro) {
        if let Ok(inner) = found.parse_body::<syn::File>() {
            for item in &inner.items {
                self.visit_item(item);
            }
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        // The signatures of a trait of another crate are not ours to choose; those of our own are checked at the trait.
        if item.trait_.is_none() {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_signature(&mut self, signature: &'ast Signature) {
        let takes_tuple = signature.inputs.iter().any(|input| match input {
            FnArg::Typed(input) => is_tuple(&input.ty),
            FnArg::Receiver(_) => false,
        });
        if takes_tuple {
            self.tuple_parameters.push(format!("{} {}", self.file, signature.ident));
        }
        let repeated = repeated_integers(signature);
        if !repeated.is_empty() {
            self.integer_parameters.insert(format!("{} {}", self.file, signature.ident), repeated);
        }
    }
}

/// Whether an attribute leaves an item out of everything but tests.
pub(super) fn is_of_tests(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string() == "test")
}

fn is_tuple(kind: &Type) -> bool {
    match kind {
        Type::Tuple(tuple) => tuple.elems.len() > 1,
        Type::Reference(reference) => is_tuple(&reference.elem),
        _ => false,
    }
}

/// The parameters whose integer type another parameter has, too.
fn repeated_integers(signature: &Signature) -> Vec<String> {
    let mut by_type: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for input in &signature.inputs {
        if let FnArg::Typed(input) = input
            && let Some(integer) = integer_type(&input.ty)
            && let Pat::Ident(name) = &*input.pat
        {
            by_type.entry(integer).or_default().push(name.ident.to_string());
        }
    }
    by_type.into_values().filter(|names| names.len() > 1).flatten().collect()
}

/// The primitive integer type of a parameter, also behind a reference or in an `Option`.
fn integer_type(kind: &Type) -> Option<String> {
    const INTEGERS: [&str; 12] =
        ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];
    match kind {
        Type::Reference(reference) => integer_type(&reference.elem),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            let inner = match &last.arguments {
                PathArguments::AngleBracketed(inner) if last.ident == "Option" => inner.args.first(),
                _ => None,
            };
            match inner {
                Some(GenericArgument::Type(inner)) => integer_type(inner),
                _ => Some(last.ident.to_string()).filter(|name| INTEGERS.contains(&name.as_str())),
            }
        }
        _ => None,
    }
}
