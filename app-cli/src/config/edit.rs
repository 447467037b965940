//! Edits the text of a configuration file, and preserves everything else: comments, order, blank lines. Pure.

use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike, Value};

use crate::user_text::message;
use crate::user_text::{ConfigFault, SourceLocation};

/// A change of an entry `[providers.NAME]`.
#[derive(Clone, Debug)]
pub(crate) enum ProviderEntryChange {
    /// Adds an entry with these keys in this order.
    Add(Vec<(String, Value)>),
    /// Sets and removes keys.
    Edit {
        /// The keys to set, with their new values.
        set: Vec<(String, Value)>,
        /// The keys to remove.
        unset: Vec<String>,
    },
    /// Removes the entry.
    Remove,
}

/// The text of a file being edited.
pub(crate) struct ConfigEditor {
    document: DocumentMut,
}

impl ConfigEditor {
    /// Parses the text of a file; `shown` is its name in messages.
    pub(crate) fn read(shown: &str, text: &str) -> Result<Self, ConfigFault> {
        let document = text.parse::<DocumentMut>().map_err(|error| {
            let place = SourceLocation::new(shown, text, error.span().unwrap_or(0..0));
            ConfigFault::new(error.message().replace('\n', ", ")).at(place)
        })?;
        Ok(Self { document })
    }

    /// The edited text.
    pub(crate) fn text(&self) -> String {
        self.document.to_string()
    }

    /// Whether the file contains the entry.
    pub(crate) fn has(&self, name: &str) -> bool {
        let providers = self.document.get("providers").and_then(Item::as_table_like);
        providers.is_some_and(|providers| providers.contains_key(name))
    }

    /// The text of the entry.
    pub(crate) fn entry_text(&self, name: &str) -> Option<String> {
        let providers = self.document.get("providers").and_then(Item::as_table_like)?;
        providers.get(name).map(Item::to_string)
    }

    /// The keys of the entry.
    pub(crate) fn keys(&self, name: &str) -> Vec<String> {
        let providers = self.document.get("providers").and_then(Item::as_table_like);
        let entry = providers.and_then(|providers| providers.get(name)).and_then(Item::as_table_like);
        entry.map(|entry| entry.iter().map(|(key, _)| key.to_owned()).collect()).unwrap_or_default()
    }

    /// Applies the change to the entry `name`.
    pub(crate) fn change(&mut self, name: &str, change: ProviderEntryChange) -> Result<(), ConfigFault> {
        match change {
            ProviderEntryChange::Add(keys) => self.add(name, keys),
            ProviderEntryChange::Edit { set, unset } => self.edit(name, set, &unset),
            ProviderEntryChange::Remove => self.remove(name),
        }
    }

    /// Sets the default provider.
    pub(crate) fn set_default(&mut self, name: &str) {
        put(self.document.as_table_mut(), "default_provider", Value::from(name));
    }

    fn providers(&mut self) -> Result<&mut dyn TableLike, ConfigFault> {
        let mut empty = Table::new();
        empty.set_implicit(true);
        let providers = self.document.entry("providers").or_insert(Item::Table(empty));
        providers
            .as_table_like_mut()
            .ok_or_else(|| ConfigFault::new(message!("config-tables", setting = "providers")))
    }

    fn entry(&mut self, name: &str) -> Result<&mut dyn TableLike, ConfigFault> {
        let entry = self.providers()?.get_mut(name).and_then(Item::as_table_like_mut);
        entry.ok_or_else(|| ConfigFault::new(message!("config-table", setting = format!("providers.{name}"))))
    }

    fn add(&mut self, name: &str, keys: Vec<(String, Value)>) -> Result<(), ConfigFault> {
        let inline = self.document.get("providers").is_some_and(Item::is_inline_table);
        let item = if inline {
            Item::Value(Value::InlineTable(keys.into_iter().collect::<InlineTable>()))
        } else {
            Item::Table(keys.into_iter().collect())
        };
        self.providers()?.insert(name, item);
        Ok(())
    }

    fn edit(&mut self, name: &str, set: Vec<(String, Value)>, unset: &[String]) -> Result<(), ConfigFault> {
        let entry = self.entry(name)?;
        for key in unset {
            entry.remove(key);
        }
        for (key, value) in set {
            put(entry, &key, value);
        }
        Ok(())
    }

    fn remove(&mut self, name: &str) -> Result<(), ConfigFault> {
        let removed = self.providers()?.remove(name);
        if let Some(Item::Table(table)) = removed {
            let above = table.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
            // A comment followed by a blank line refers to more than the entry.
            if let Some((kept, _)) = above.rsplit_once("\n\n").filter(|(kept, _)| kept.contains('#')) {
                self.keep(&format!("{kept}\n\n"), table.position());
            }
        }
        Ok(())
    }

    /// Inserts text before the table after this position, or at the end.
    fn keep(&mut self, text: &str, position: Option<isize>) {
        match next_table(self.document.as_table_mut(), position) {
            Some(table) => {
                let prefix = table.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
                let prefix = format!("{text}{}", prefix.trim_start_matches('\n'));
                table.decor_mut().set_prefix(prefix);
            }
            None => {
                let trailing = self.document.trailing().as_str().unwrap_or_default();
                let trailing = format!("{text}{trailing}");
                self.document.set_trailing(trailing);
            }
        }
    }
}

/// Sets the value of a key, and preserves the comments around it.
fn put(table: &mut dyn TableLike, key: &str, mut value: Value) {
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

/// The table whose header follows a position.
fn next_table(root: &mut Table, position: Option<isize>) -> Option<&mut Table> {
    let next = positions(root).into_iter().filter(|found| Some(*found) > position).min()?;
    at_position(root, next)
}

fn positions(table: &Table) -> Vec<isize> {
    let mut all = Vec::new();
    for inner in table.iter().filter_map(|(_, item)| item.as_table()) {
        all.extend(inner.position().filter(|_| !inner.is_implicit()));
        all.extend(positions(inner));
    }
    all
}

fn at_position(table: &mut Table, position: isize) -> Option<&mut Table> {
    for inner in table.iter_mut().filter_map(|(_, item)| item.as_table_mut()) {
        if !inner.is_implicit() && inner.position() == Some(position) {
            return Some(inner);
        }
        if let Some(found) = at_position(inner, position) {
            return Some(found);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# mine\nauthor = \"ann\" # me\n\n# house rules\n\n# the big one\n[providers.a]\nkind = \"claude\"   # fine\n\
        # dear\nmodel = \"m\" # big\n\n[providers.b]\nkind = \"groq\"\nmodel = \"n\"\n";

    fn changed(text: &str, name: &str, change: ProviderEntryChange) -> String {
        let mut edited = ConfigEditor::read("x.toml", text).unwrap();
        edited.change(name, change).unwrap();
        edited.text()
    }

    fn keys(all: &[(&str, &str)]) -> Vec<(String, Value)> {
        all.iter().map(|(key, value)| ((*key).to_owned(), Value::from(*value))).collect()
    }

    #[test]
    fn key_is_changed_in_place() {
        let change =
            ProviderEntryChange::Edit { set: keys(&[("model", "o"), ("effort", "low")]), unset: vec![] };
        let expected = FILE.replace("model = \"m\" # big\n", "model = \"o\" # big\neffort = \"low\"\n");
        assert_eq!(changed(FILE, "a", change), expected);
        let change = ProviderEntryChange::Edit { set: vec![], unset: vec!["model".to_owned()] };
        assert_eq!(changed(FILE, "b", change), FILE.replace("model = \"n\"\n", ""));
    }

    #[test]
    fn new_entry_follows_existing_entries() {
        let new = [("kind", "groq"), ("model", "x")];
        let added = "[providers.c]\nkind = \"groq\"\nmodel = \"x\"\n";
        assert_eq!(changed(FILE, "c", ProviderEntryChange::Add(keys(&new))), format!("{FILE}\n{added}"));
        assert_eq!(changed("", "c", ProviderEntryChange::Add(keys(&new))), added);
        assert_eq!(
            changed("author = \"ann\"", "c", ProviderEntryChange::Add(keys(&new))),
            format!("author = \"ann\"\n\n{added}")
        );
        let inline =
            changed("providers = { a = { kind = \"groq\" } }\n", "c", ProviderEntryChange::Add(keys(&new)));
        assert!(inline.contains("c = { kind = \"groq\", model = \"x\" }"), "{inline}");
    }

    #[test]
    fn removed_entry_takes_only_its_own_comment() {
        let expected = "# mine\nauthor = \"ann\" # me\n\n# house rules\n\n[providers.b]\nkind = \"groq\"\nmodel = \"n\"\n";
        assert_eq!(changed(FILE, "a", ProviderEntryChange::Remove), expected);
        let before_b = FILE.split("\n[providers.b]").next().unwrap();
        assert_eq!(changed(FILE, "b", ProviderEntryChange::Remove), before_b);
        let last = "[providers.a]\nkind = \"groq\"\n\n# house rules\n\n[providers.b]\nkind = \"groq\"\n";
        assert_eq!(
            changed(last, "b", ProviderEntryChange::Remove).trim_end(),
            "[providers.a]\nkind = \"groq\"\n\n# house rules"
        );
    }

    #[test]
    fn default_provider_is_written_before_tables() {
        let mut edited = ConfigEditor::read("x.toml", FILE).unwrap();
        edited.set_default("b");
        let expected = FILE.replace("\"ann\" # me\n", "\"ann\" # me\ndefault_provider = \"b\"\n");
        assert_eq!(edited.text(), expected);
    }
}
