//! Every sentence of the ports that an adapter implements has a check, or a reason why no check can look at it. The
//! table is a file of the kit, beside the suites.

#![expect(clippy::expect_used, clippy::panic, reason = "these are the helpers of a test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use syn::{Attribute, Expr, Field, Fields, Item, Lit, Meta, TraitItem};

/// The sentences, each with its checks.
const TABLE: &str = include_str!("../../src/contracts/sentences.tsv");

/// The files of the ports, and the items in them that say what an adapter does.
const CONTRACTS: [(&str, &[&str]); 8] = [
    ("store", &["WorkspaceStore", "WorkspaceCommit", "CommitError", "StoreError"]),
    ("log_reader", &["LogReader", "SessionFilter"]),
    ("resource_reader", &["ResourceReader", "ResourceFilter", "ResourceChange"]),
    ("mail_store", &["MailStore"]),
    ("automation_reader", &["AutomationReader"]),
    ("task_reader", &["TaskReader", "TaskFilter"]),
    ("ownership", &["Ownership"]),
    ("provider", &["Provider"]),
];
/// The port of executors.
const EXECUTOR: (&str, &[&str]) = ("command_executor", &["CommandExecutor"]);

/// A sentence with the method, field or variant that it is about.
type PortSentence = (String, String);

/// The sentences of a documentation, without its headings and examples.
fn sentences(attributes: &[Attribute]) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    let mut is_code = false;
    for line in attributes.iter().filter_map(doc_line) {
        let line = line.trim();
        let is_fence = line.starts_with("```");
        is_code ^= is_fence;
        if is_fence || is_code || line.is_empty() || line.starts_with("# ") {
            paragraphs.push(String::new());
        } else if let Some(paragraph) = paragraphs.last_mut() {
            paragraph.push_str(if paragraph.is_empty() { "" } else { " " });
            paragraph.push_str(line);
        }
    }
    paragraphs.iter().flat_map(|paragraph| split(paragraph)).collect()
}

fn doc_line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    match &pair.value {
        Expr::Lit(literal) if pair.path.is_ident("doc") => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// Splits a paragraph at the ends of sentences and at semicolons.
fn split(paragraph: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, _) in paragraph.match_indices(' ') {
        let (before, after) = (&paragraph[start..at], &paragraph[at + 1..]);
        let begins = after.starts_with(|first: char| first.is_uppercase() || first == '[' || first == '`');
        if (before.ends_with(';') && !after.is_empty()) || (before.ends_with('.') && begins) {
            found.push(before[..before.len() - 1].to_owned());
            start = at + 1;
        }
    }
    found.push(paragraph[start..].trim_end_matches('.').to_owned());
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// The sentences of an item and of its parts.
fn of_item(item: &Item) -> Vec<PortSentence> {
    let (name, attributes, parts): (_, _, Vec<(String, &[Attribute])>) = match item {
        Item::Trait(port) => {
            let methods = port.items.iter().filter_map(|item| match item {
                TraitItem::Fn(method) => Some((method.sig.ident.to_string(), method.attrs.as_slice())),
                _ => None,
            });
            (port.ident.to_string(), &port.attrs, methods.collect())
        }
        Item::Struct(row) => {
            let fields: Vec<&Field> = match &row.fields {
                Fields::Named(fields) => fields.named.iter().collect(),
                Fields::Unnamed(_) | Fields::Unit => Vec::new(),
            };
            let named = fields.into_iter().filter_map(|field| {
                field.ident.as_ref().map(|name| (name.to_string(), field.attrs.as_slice()))
            });
            (row.ident.to_string(), &row.attrs, named.collect())
        }
        Item::Enum(choice) => {
            let variants =
                choice.variants.iter().map(|variant| (variant.ident.to_string(), variant.attrs.as_slice()));
            (choice.ident.to_string(), &choice.attrs, variants.collect())
        }
        _ => return Vec::new(),
    };
    let own = sentences(attributes).into_iter().map(|sentence| (name.clone(), sentence));
    let inner = parts.into_iter().flat_map(|(part, attributes)| {
        let place = format!("{name}.{part}");
        sentences(attributes).into_iter().map(move |sentence| (place.clone(), sentence))
    });
    own.chain(inner).collect()
}

/// The name of an item that may say what an adapter does.
fn name(item: &Item) -> Option<String> {
    match item {
        Item::Trait(port) => Some(port.ident.to_string()),
        Item::Struct(row) => Some(row.ident.to_string()),
        Item::Enum(choice) => Some(choice.ident.to_string()),
        _ => None,
    }
}

/// The sentences of the ports.
fn documented() -> Vec<PortSentence> {
    let ports = Path::new(env!("CARGO_MANIFEST_DIR")).join("../application/src/ports");
    let mut found = Vec::new();
    for (file, names) in CONTRACTS.iter().chain([&EXECUTOR]) {
        let text = fs::read_to_string(ports.join(format!("{file}.rs"))).expect("the source is there");
        let parsed = syn::parse_file(&text).expect("the source is Rust");
        for wanted in *names {
            let item = parsed.items.iter().find(|item| name(item).as_deref() == Some(*wanted));
            found.extend(of_item(item.unwrap_or_else(|| panic!("{file}.rs has no {wanted}"))));
        }
    }
    found
}

/// The names of all checks.
fn checks() -> BTreeSet<&'static str> {
    let stores = entracte_tests::store_suites!(contract_tables);
    let mut names: BTreeSet<&str> = stores.iter().map(|check| check.name).collect();
    names.extend(entracte_tests::durable_suite!(contract_names));
    names.extend(entracte_tests::provider_suite!(contract_names));
    names.extend(entracte_tests::wire_suite!(contract_names));
    names.extend(entracte_tests::executor_suite!(contract_names));
    names.extend(entracte_tests::outbox_suite!(contract_names));
    names.extend(entracte_tests::file_suite!(contract_names));
    names
}

/// Input: the documentation of the ports and the table; expected: the table has each sentence and no other, and for
/// each a check that exists or a reason.
#[test]
fn every_contract_sentence_has_a_check() {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split('\t').collect()).collect();
    let checks = checks();
    let mut wrong = Vec::new();
    let mut listed = BTreeSet::new();
    for row in rows {
        let [place, sentence, by] = row[..] else { panic!("a row has three columns: {row:?}") };
        listed.insert((place.to_owned(), sentence.to_owned()));
        let is_reason = by.strip_prefix("- ").is_some_and(|reason| !reason.trim().is_empty());
        let is_checked = !by.is_empty() && by.split(' ').all(|name| checks.contains(name));
        if !is_reason && !is_checked {
            wrong.push(format!("{place}: “{sentence}” has neither a reason nor a check of the suites: {by}"));
        }
    }
    let documented: BTreeSet<PortSentence> = documented().into_iter().collect();
    let told = |(place, sentence): &PortSentence, what: &str| format!("{place}: “{sentence}” {what}");
    wrong.extend(documented.difference(&listed).map(|new| told(new, "has no row in sentences.tsv")));
    wrong.extend(listed.difference(&documented).map(|old| told(old, "is said by no port any more")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What makes a sentence: its end, or a semicolon; no example, no heading.
#[test]
fn sentences_are_split_at_their_ends() {
    assert_eq!(
        split("One row, e.g. this; `None` if there is none. Reads only."),
        ["One row, e.g. this", "`None` if there is none", "Reads only"]
    );
    assert_eq!(split(""), Vec::<String>::new());
    let port = r#"
        /// A port.
        ///
        /// ```
        /// let example = "It is none. Not a sentence.";
        /// ```
        ///
        /// # Errors
        /// Never.
        pub trait Port {
            /// Reads it.
            fn read(&self);
        }
    "#;
    let item: Item = syn::parse_str(port).expect("it is an item");
    let expected = [("Port", "A port"), ("Port", "Never"), ("Port.read", "Reads it")];
    let expected = expected.map(|(place, sentence)| (place.to_owned(), sentence.to_owned()));
    assert_eq!(of_item(&item), expected);
}
