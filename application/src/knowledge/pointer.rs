//! JSON pointers (RFC 6901), and the shorter paths of filters.

use entracte_domain::value::JsonValue;

/// The pointer of these keys.
pub(super) fn join_pointer(keys: &[String]) -> String {
    keys.iter().map(|key| format!("/{}", key.replace('~', "~0").replace('/', "~1"))).collect()
}

/// A field of a record, by its name, by `outer.inner`, or by a pointer.
pub(super) fn field<'a>(record: &'a JsonValue, path: &str) -> Option<&'a JsonValue> {
    if path.starts_with('/') {
        return record.pointer(path);
    }
    // A name may contain points.
    if let Some(value) = record.get(path) {
        return Some(value);
    }
    path.split('.').try_fold(record, |value, key| match value {
        JsonValue::List(items) => items.get(key.parse::<usize>().ok()?),
        other => other.get(key),
    })
}
