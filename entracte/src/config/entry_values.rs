//! The values of an entry as JSON: read from its text, and written so that the text of what stays the same stays. Pure.

use serde_json::{Map, Value as Json};
use toml_edit::{InlineTable, Item, Table, TableLike, Value};

/// The value of an item.
fn json_of(item: &Item) -> Json {
    match item {
        Item::None => Json::Null,
        Item::Value(value) => json_of_value(value),
        Item::Table(table) => json_of_table(table),
        Item::ArrayOfTables(tables) => Json::Array(tables.iter().map(|table| json_of_table(table)).collect()),
    }
}

/// The values of a table.
pub(super) fn json_of_table(table: &dyn TableLike) -> Json {
    Json::Object(table.iter().map(|(key, item)| (key.to_owned(), json_of(item))).collect())
}

fn json_of_value(value: &Value) -> Json {
    match value {
        Value::String(text) => text.value().as_str().into(),
        Value::Integer(number) => (*number.value()).into(),
        Value::Float(number) => (*number.value()).into(),
        Value::Boolean(flag) => (*flag.value()).into(),
        Value::Datetime(instant) => instant.value().to_string().into(),
        Value::Array(items) => Json::Array(items.iter().map(json_of_value).collect()),
        Value::InlineTable(table) => json_of_table(table),
    }
}

/// The value as a file has it; `None` for null, which no file can say. A member that is null is left out.
fn value_of(json: &Json) -> Option<Value> {
    Some(match json {
        Json::Null => return None,
        Json::Bool(flag) => Value::from(*flag),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => Value::from(whole),
            None => Value::from(number.as_f64()?),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::Array(items.iter().filter_map(value_of).collect()),
        Json::Object(members) => {
            let members = members.iter().filter_map(|(key, json)| Some((key.clone(), value_of(json)?)));
            Value::InlineTable(members.collect::<InlineTable>())
        }
    })
}

/// Makes the table of an entry say exactly this. The text and the comments of a value that stays the same stay; an object
/// that is new gets a table of its own below the entry's.
pub(super) fn settle(entry: &mut dyn TableLike, wanted: &Map<String, Json>) {
    settle_level(entry, wanted, true);
}

fn settle_level(table: &mut dyn TableLike, wanted: &Map<String, Json>, is_entry: bool) {
    let is_gone = |key: &String| wanted.get(key).is_none_or(Json::is_null);
    let gone: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).filter(is_gone).collect();
    for key in gone {
        table.remove(&key);
    }
    for (key, json) in wanted {
        if table.get(key).is_some_and(|item| json_of(item) == *json) {
            continue;
        }
        let inner = table.get_mut(key).and_then(Item::as_table_like_mut);
        match (inner, json) {
            (Some(inner), Json::Object(members)) => settle_level(inner, members, false),
            (None, Json::Object(members)) if is_entry => {
                let mut below = Table::new();
                settle_level(&mut below, members, false);
                if !below.is_empty() {
                    table.insert(key, Item::Table(below));
                }
            }
            (_, _) => {
                if let Some(value) = value_of(json) {
                    put(table, key, value);
                }
            }
        }
    }
}

/// Sets the value of a key, and preserves the comments around it.
pub(super) fn put(table: &mut dyn TableLike, key: &str, mut value: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => {
            table.insert(key, Item::Value(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toml_edit::DocumentMut;

    use super::*;

    fn settled(text: &str, wanted: &Json) -> String {
        let mut document: DocumentMut = text.parse().unwrap();
        settle(document.as_table_mut(), wanted.as_object().unwrap());
        document.to_string()
    }

    /// Input: an entry with comments, and the same values with one changed, one gone and one new; expected: everything else
    /// stays as it is written.
    #[test]
    fn unchanged_values_keep_their_text() {
        let text = "url = 'https://a.example/mcp' # ours\n# not these\ndeny = [ \"x\", \"y\" ]\ncall_timeout_seconds = 5\n\n\
            [headers]\n# of the team\nX-Team = \"a\"\n";
        let wanted = json!({
            "url": "https://a.example/mcp", "deny": ["x", "y"], "tools_max": 3, "headers": { "X-Team": "b" },
        });
        let expected = "url = 'https://a.example/mcp' # ours\n# not these\ndeny = [ \"x\", \"y\" ]\ntools_max = 3\n\n\
            [headers]\n# of the team\nX-Team = \"b\"\n";
        assert_eq!(settled(text, &wanted), expected);
    }

    /// Input: values of every type; expected: they are read as they were given, without what says nothing.
    #[test]
    fn values_are_read_as_written() {
        let wanted = json!({
            "text": "a \"b\"\nc", "whole": -3, "part": 1.5, "flag": true, "list": [1, "two", [false]],
            "object": { "a": { "b": 1 } }, "none": null, "empty": {},
        });
        let document: DocumentMut = settled("", &wanted).parse().unwrap();
        let read = json_of_table(document.as_table());
        let mut said = wanted;
        said.as_object_mut().unwrap().retain(|key, _| key != "none" && key != "empty");
        assert_eq!(read, said);
        assert!(document.to_string().contains("[object]\na = { b = 1 }\n"), "{document}");
    }
}
