//! Locates the faulty key of an entry in its file. Pure.

use std::ops::Range;

use toml::Spanned;
use toml::de::DeValue;

/// The byte range of a key's value, such as `headers.Accept`; if the key is absent, of the innermost table above it.
/// `None` if no part of the key is written.
pub(super) fn find_key_span(entry: &Spanned<DeValue<'_>>, key: &str) -> Option<Range<usize>> {
    let DeValue::Table(table) = entry.get_ref() else { return None };
    let under = table.iter().filter_map(|(name, value)| Some((name, value, after(key, name.get_ref())?)));
    // A name may contain dots, and then begin with another name.
    let (name, value, rest) = under.max_by_key(|(name, _, _)| name.get_ref().len())?;
    if rest.is_empty() {
        return Some(value.span());
    }
    find_key_span(value, rest).or_else(|| Some(name.span()))
}

/// The rest of a key after a table's name, which may be quoted.
fn after<'a>(key: &'a str, name: &str) -> Option<&'a str> {
    let quoted = || key.strip_prefix('"')?.strip_prefix(name)?.strip_prefix('"');
    let rest = key.strip_prefix(name).or_else(quoted)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') }
}

/// An item of a list inside these nested tables.
pub(super) fn item<'v, 'i>(
    table: &'v Spanned<DeValue<'i>>,
    names: &[&str],
    index: usize,
) -> Option<&'v Spanned<DeValue<'i>>> {
    let mut value = table;
    for name in names {
        let DeValue::Table(inner) = value.get_ref() else { return None };
        value = inner.iter().find(|(key, _)| key.get_ref() == *name)?.1;
    }
    let DeValue::Array(items) = value.get_ref() else { return None };
    items.get(index)
}

#[cfg(test)]
mod tests {
    use toml::de::DeTable;

    use super::*;

    /// Input: a table, and keys as faults name them; expected: the text at their position.
    #[test]
    fn key_span_is_found() {
        let text = "[a]\nurl = \"no\"\nheaders = { Accept = \"x\" }\nmodels.\"m.1\".prices = 4\n\
                    [a.tools.t]\nkind = \"query\"\n[a.tools.\"t.u\"]\nkind = \"action\"\n[[a.list]]\nb = 7\n";
        let table = DeTable::parse(text).unwrap().into_inner();
        let a = table.iter().next().unwrap().1;
        let found = |key: &str| find_key_span(a, key).map(|span| &text[span]);
        assert_eq!(found("url"), Some("\"no\""));
        assert_eq!(found("headers.Accept"), Some("\"x\""));
        assert_eq!(found("models.\"m.1\".prices"), Some("4"));
        assert_eq!(found("tools.t.kind"), Some("\"query\""));
        assert_eq!(found("tools.t.u.kind"), Some("\"action\""), "the longer name");
        assert_eq!(found("headers.Cookie"), Some("headers"), "the table that lacks it");
        assert_eq!(found("model"), None);
        let second = item(a, &["list"], 0).and_then(|one| find_key_span(one, "b"));
        assert_eq!(second.map(|span| &text[span]), Some("7"));
        assert!(item(a, &["list"], 1).is_none() && item(a, &["none"], 0).is_none());
    }
}
