//! The bodies of functions: what they call, and on which values.

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Block, Expr, FnArg, Macro, Pat, Signature, Stmt, Token};

use super::items::{TypeReference, WordVisitor, segments};

/// A function or method that a body calls or hands on.
#[derive(Clone, Debug)]
pub(crate) enum CallSite {
    /// `path(…)`, or a path that may name a function.
    Path(Vec<String>),
    /// `receiver.name(…)`.
    Method { receiver: ValueSource, name: String },
}

/// Where a value comes from, as far as its type follows from it.
#[derive(Clone, Debug)]
pub(crate) enum ValueSource {
    Unknown,
    OfType(TypeReference),
    Field(Box<ValueSource>, String),
    /// The value that a call returns.
    Returned(Box<CallSite>),
    /// The value inside of an `Option`, a `Result` or a collection.
    Inner(Box<ValueSource>),
}

/// What a body holds.
#[derive(Default)]
pub(super) struct ParsedBody {
    pub(super) calls: Vec<CallSite>,
    /// Words in the patterns of its match arms.
    pub(super) pattern_words: Vec<String>,
}

pub(super) fn parse(signature: &Signature, block: Option<&Block>) -> ParsedBody {
    let mut visitor = BodyVisitor::default();
    for input in &signature.inputs {
        if let FnArg::Typed(input) = input {
            visitor.bind(&input.pat, &ValueSource::OfType(TypeReference::from_type(&input.ty)));
        }
    }
    if let Some(block) = block {
        visitor.visit_block(block);
    }
    visitor.body
}

/// A value that has a name.
struct NamedValue {
    name: String,
    source: ValueSource,
}

#[derive(Default)]
struct BodyVisitor {
    body: ParsedBody,
    /// The names in scope; the last one of a name holds.
    locals: Vec<NamedValue>,
}

impl BodyVisitor {
    fn local(&self, name: &str) -> Option<&ValueSource> {
        self.locals.iter().rev().find(|local| local.name == name).map(|local| &local.source)
    }

    /// Names the values that a pattern takes out of a value.
    fn bind(&mut self, pattern: &Pat, source: &ValueSource) {
        match pattern {
            Pat::Ident(pattern) => {
                // Inner patterns see the same value.
                if let Some((_, inner)) = &pattern.subpat {
                    self.bind(inner, source);
                }
                self.locals.push(NamedValue { name: pattern.ident.to_string(), source: source.clone() });
            }
            Pat::Reference(pattern) => self.bind(&pattern.pat, source),
            Pat::Paren(pattern) => self.bind(&pattern.pat, source),
            Pat::Type(pattern) => {
                self.bind(&pattern.pat, &ValueSource::OfType(TypeReference::from_type(&pattern.ty)));
            }
            Pat::TupleStruct(pattern) => {
                let is_wrapper = pattern
                    .path
                    .segments
                    .last()
                    .is_some_and(|last| last.ident == "Some" || last.ident == "Ok");
                for (at, element) in pattern.elems.iter().enumerate() {
                    let field =
                        if is_wrapper { inner_of(source) } else { field_of(&pattern.path, &at.to_string()) };
                    self.bind(element, &field);
                }
            }
            Pat::Struct(pattern) => {
                for field in &pattern.fields {
                    self.bind(&field.pat, &field_of(&pattern.path, &member_name(&field.member)));
                }
            }
            Pat::Tuple(pattern) => {
                pattern.elems.iter().for_each(|pattern| self.bind(pattern, &ValueSource::Unknown));
            }
            Pat::Slice(pattern) => {
                let inner = inner_of(source);
                pattern.elems.iter().for_each(|pattern| self.bind(pattern, &inner));
            }
            Pat::Or(pattern) => pattern.cases.iter().for_each(|pattern| self.bind(pattern, source)),
            _ => {}
        }
    }

    fn source(&self, value: &Expr) -> ValueSource {
        match value {
            Expr::Path(path) => match &segments(&path.path)[..] {
                [name] if name == "self" => ValueSource::OfType(TypeReference::from_path(&path.path)),
                [name] => self.local(name).cloned().unwrap_or(ValueSource::Unknown),
                _ => ValueSource::Unknown,
            },
            Expr::Field(field) => {
                ValueSource::Field(Box::new(self.source(&field.base)), member_name(&field.member))
            }
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) => ValueSource::Returned(Box::new(CallSite::Path(callee(path)))),
                _ => ValueSource::Unknown,
            },
            Expr::MethodCall(call) => ValueSource::Returned(Box::new(self.method(call))),
            Expr::Struct(value) => ValueSource::OfType(TypeReference::from_path(&value.path)),
            Expr::Cast(value) => ValueSource::OfType(TypeReference::from_type(&value.ty)),
            Expr::Try(inner) => inner_of(&self.source(&inner.expr)),
            Expr::Index(value) => inner_of(&self.source(&value.expr)),
            Expr::Reference(inner) => self.source(&inner.expr),
            Expr::Paren(inner) => self.source(&inner.expr),
            Expr::Group(inner) => self.source(&inner.expr),
            Expr::Await(inner) => self.source(&inner.base),
            Expr::Unary(inner) => self.source(&inner.expr),
            _ => ValueSource::Unknown,
        }
    }

    fn method(&self, call: &syn::ExprMethodCall) -> CallSite {
        CallSite::Method { receiver: self.source(&call.receiver), name: call.method.to_string() }
    }

    /// Forgets, after this, the names that it brings into scope.
    fn in_scope(&mut self, visit: impl FnOnce(&mut Self)) {
        let outer = self.locals.len();
        visit(self);
        self.locals.truncate(outer);
    }

    fn closure(&mut self, closure: &syn::ExprClosure, argument: &ValueSource) {
        self.in_scope(|visitor| {
            let (mut first, unknown) = (Some(argument), ValueSource::Unknown);
            for input in &closure.inputs {
                visitor.bind(input, first.take().unwrap_or(&unknown));
            }
            visitor.visit_expr(&closure.body);
        });
    }
}

fn member_name(member: &syn::Member) -> String {
    match member {
        syn::Member::Named(name) => name.to_string(),
        syn::Member::Unnamed(index) => index.index.to_string(),
    }
}

/// A field of a struct, or of a variant: `Type::Variant` has `Variant.0`.
fn field_of(path: &syn::Path, field: &str) -> ValueSource {
    let mut written = segments(path);
    let is_variant = written.iter().rev().nth(1).is_some_and(|kind| kind.starts_with(char::is_uppercase));
    let variant = if is_variant { written.pop() } else { None };
    let name = variant.map_or_else(|| field.to_owned(), |variant| format!("{variant}.{field}"));
    let kind = TypeReference { path: written, arguments: Vec::new() };
    ValueSource::Field(Box::new(ValueSource::OfType(kind)), name)
}

fn inner_of(source: &ValueSource) -> ValueSource {
    match source {
        ValueSource::Unknown => ValueSource::Unknown,
        known => ValueSource::Inner(Box::new(known.clone())),
    }
}

/// The path of a called function. `<Type as Trait>::name` is read as `Type::name`.
fn callee(path: &syn::ExprPath) -> Vec<String> {
    let written = segments(&path.path);
    match (&path.qself, written.last()) {
        (Some(kind), Some(name)) => {
            [&TypeReference::from_type(&kind.ty).path[..], std::slice::from_ref(name)].concat()
        }
        _ => written,
    }
}

impl<'ast> Visit<'ast> for BodyVisitor {
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        self.visit_expr(&call.func);
        call.args.iter().for_each(|argument| self.visit_expr(argument));
    }

    /// A path that is not called may be a function that is handed on, which calls it as well.
    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        let callee = callee(path);
        let is_local = matches!(&callee[..], [name] if self.local(name).is_some());
        if !is_local {
            self.body.calls.push(CallSite::Path(callee));
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let method = self.method(call);
        let CallSite::Method { receiver, .. } = &method else { return };
        // A closure of `map` and the like takes what is inside of the receiver.
        let argument = inner_of(receiver);
        self.body.calls.push(method);
        self.visit_expr(&call.receiver);
        for value in &call.args {
            match value {
                Expr::Closure(closure) => self.closure(closure, &argument),
                value => self.visit_expr(value),
            }
        }
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        self.closure(closure, &ValueSource::Unknown);
    }

    fn visit_block(&mut self, block: &'ast Block) {
        self.in_scope(|visitor| visit::visit_block(visitor, block));
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let mut source = ValueSource::Unknown;
        if let Some(init) = &local.init {
            self.visit_expr(&init.expr);
            if let Some((_, otherwise)) = &init.diverge {
                self.visit_expr(otherwise);
            }
            source = self.source(&init.expr);
        }
        self.bind(&local.pat, &source);
    }

    fn visit_expr_let(&mut self, found: &'ast syn::ExprLet) {
        self.visit_expr(&found.expr);
        let source = self.source(&found.expr);
        self.bind(&found.pat, &source);
    }

    fn visit_expr_if(&mut self, found: &'ast syn::ExprIf) {
        self.in_scope(|visitor| {
            visitor.visit_expr(&found.cond);
            visitor.visit_block(&found.then_branch);
        });
        if let Some((_, otherwise)) = &found.else_branch {
            self.visit_expr(otherwise);
        }
    }

    fn visit_expr_while(&mut self, found: &'ast syn::ExprWhile) {
        self.in_scope(|visitor| visit::visit_expr_while(visitor, found));
    }

    fn visit_expr_for_loop(&mut self, found: &'ast syn::ExprForLoop) {
        self.visit_expr(&found.expr);
        let element = inner_of(&self.source(&found.expr));
        self.in_scope(|visitor| {
            visitor.bind(&found.pat, &element);
            visitor.visit_block(&found.body);
        });
    }

    fn visit_expr_match(&mut self, found: &'ast syn::ExprMatch) {
        self.visit_expr(&found.expr);
        let source = self.source(&found.expr);
        for arm in &found.arms {
            WordVisitor(&mut self.body.pattern_words).visit_pat(&arm.pat);
            self.in_scope(|visitor| {
                visitor.bind(&arm.pat, &source);
                visit::visit_arm(visitor, arm);
            });
        }
    }

    /// Functions inside of a body are visited as functions of their own.
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    /// Most macros hold expressions, some hold statements; of the rest nothing is seen.
    fn visit_macro(&mut self, found: &'ast Macro) {
        if let Ok(values) = found.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
            values.iter().for_each(|value| self.visit_expr(value));
        } else if let Ok(statements) = found.parse_body_with(Block::parse_within) {
            statements.iter().for_each(|statement: &Stmt| self.visit_stmt(statement));
        }
    }
}
