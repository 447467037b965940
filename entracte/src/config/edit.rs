//! Edits the text of a configuration file, and preserves everything else: comments, order, blank lines. Pure.

use serde_json::{Map, Value as Json};
use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::entry_values::{json_of_table, put, settle};
use crate::user_text::message;
use crate::user_text::{ConfigFault, SourceLocation};

/// Where the entries of one kind stand in a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntryTable {
    /// The keys of what holds them; empty: the file itself.
    path: &'static [&'static str],
    /// Whether they are a list of tables, each with a `name`; otherwise the name is the key of each.
    is_list: bool,
}

impl EntryTable {
    /// `[providers.NAME]`.
    pub(crate) const PROVIDERS: Self = Self { path: &["providers"], is_list: false };
    /// `[mcp.NAME]`.
    pub(crate) const MCP_SERVERS: Self = Self { path: &["mcp"], is_list: false };
    /// `[agents.NAME]`.
    pub(crate) const AGENTS: Self = Self { path: &["agents"], is_list: false };
    /// `[[tools.http.tool]]`.
    pub(crate) const HTTP_TOOLS: Self = Self { path: &["tools", "http", "tool"], is_list: true };
    /// The tables of the file, of which each is an entry.
    pub(crate) const TABLES: Self = Self { path: &[], is_list: false };
}

/// The key of the name of an entry in a list.
const NAME: &str = "name";

/// A change of an entry.
#[derive(Clone, Debug)]
pub(crate) enum ConfigEntryChange {
    /// Adds an entry with these keys in this order.
    Add(Vec<(String, Value)>),
    /// Sets and removes keys.
    Edit {
        /// The keys to set, with their new values.
        set: Vec<(String, Value)>,
        /// The keys to remove.
        unset: Vec<String>,
    },
    /// Adds the entry, or changes it, so that it says exactly this.
    Put(Map<String, Json>),
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
    pub(crate) fn has(&self, at: EntryTable, name: &str) -> bool {
        self.entry(at, name).is_some()
    }

    /// All that the file says of the entry: its text, and its values with those of the tables below it.
    pub(crate) fn entry_text(&self, at: EntryTable, name: &str) -> Option<String> {
        let text = match at.is_list {
            true => self.listed(at)?.iter().find(|table| is_named(table, name))?.to_string(),
            false => self.holder(at)?.get(name)?.to_string(),
        };
        Some(format!("{text}{}", self.settings(at, name)?))
    }

    /// The keys of the entry.
    pub(crate) fn keys(&self, at: EntryTable, name: &str) -> Vec<String> {
        let entry = self.entry(at, name);
        entry.map(|entry| entry.iter().map(|(key, _)| key.to_owned()).collect()).unwrap_or_default()
    }

    /// The settings of the entry, as the file says them.
    pub(crate) fn settings(&self, at: EntryTable, name: &str) -> Option<Json> {
        let mut settings = json_of_table(self.entry(at, name)?);
        if let Some(members) = settings.as_object_mut().filter(|_| at.is_list) {
            members.remove(NAME);
        }
        Some(settings)
    }

    /// The names of the entries, in the order of the file.
    pub(crate) fn names(&self, at: EntryTable) -> Vec<String> {
        let listed = self.listed(at).into_iter().flat_map(ArrayOfTables::iter);
        let listed = listed.filter_map(|table| Some(table.get(NAME)?.as_str()?.to_owned()));
        let keyed = self.holder(at).filter(|_| !at.is_list).into_iter().flat_map(|holder| holder.iter());
        let keyed = keyed.filter(|(_, item)| item.is_table_like()).map(|(key, _)| key.to_owned());
        listed.chain(keyed).collect()
    }

    /// Applies the change to the entry `name`.
    pub(crate) fn change(
        &mut self,
        at: EntryTable,
        name: &str,
        change: ConfigEntryChange,
    ) -> Result<(), ConfigFault> {
        match change {
            ConfigEntryChange::Add(keys) => self.add(at, name, keys),
            ConfigEntryChange::Edit { set, unset } => self.edit(at, name, set, &unset),
            ConfigEntryChange::Put(settings) => self.put(at, name, &settings),
            ConfigEntryChange::Remove => self.remove(at, name),
        }
    }

    /// Sets the default provider.
    pub(crate) fn set_default(&mut self, name: &str) {
        put(self.document.as_table_mut(), "default_provider", Value::from(name));
    }

    /// What holds the entries.
    fn item(&self, at: EntryTable) -> Option<&Item> {
        at.path.iter().try_fold(self.document.as_item(), |item, key| item.get(key))
    }

    fn holder(&self, at: EntryTable) -> Option<&dyn TableLike> {
        self.item(at).and_then(Item::as_table_like)
    }

    fn listed(&self, at: EntryTable) -> Option<&ArrayOfTables> {
        self.item(at).filter(|_| at.is_list).and_then(Item::as_array_of_tables)
    }

    fn entry(&self, at: EntryTable, name: &str) -> Option<&dyn TableLike> {
        match at.is_list {
            true => {
                let table = self.listed(at)?.iter().find(|table| is_named(table, name))?;
                Some(table)
            }
            false => self.holder(at)?.get(name).and_then(Item::as_table_like),
        }
    }

    /// What these keys lead to, which is made where it is missing.
    fn table_mut(&mut self, keys: &[&str]) -> Result<&mut dyn TableLike, ConfigFault> {
        let mut table: &mut dyn TableLike = self.document.as_table_mut();
        for (at, key) in keys.iter().enumerate() {
            let mut empty = Table::new();
            empty.set_implicit(true);
            let item = table.entry(key).or_insert(Item::Table(empty));
            table = item.as_table_like_mut().ok_or_else(|| no_tables(&keys[..=at]))?;
        }
        Ok(table)
    }

    fn listed_mut(&mut self, at: EntryTable) -> Result<&mut ArrayOfTables, ConfigFault> {
        let Some((last, above)) = at.path.split_last() else { return Err(no_tables(at.path)) };
        let item = self.table_mut(above)?.entry(last).or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        item.as_array_of_tables_mut().ok_or_else(|| no_tables(at.path))
    }

    fn entry_mut(&mut self, at: EntryTable, name: &str) -> Result<&mut dyn TableLike, ConfigFault> {
        let missing = || {
            let setting = [at.path, &[name]].concat().join(".");
            ConfigFault::new(message!("config-table", setting = setting))
        };
        if at.is_list {
            let table = self.listed_mut(at)?.iter_mut().find(|table| is_named(table, name));
            let table = table.ok_or_else(missing)?;
            return Ok(table);
        }
        self.table_mut(at.path)?.get_mut(name).and_then(Item::as_table_like_mut).ok_or_else(missing)
    }

    fn add(&mut self, at: EntryTable, name: &str, keys: Vec<(String, Value)>) -> Result<(), ConfigFault> {
        let inline = self.item(at).is_some_and(Item::is_inline_table);
        let item = if inline {
            Item::Value(Value::InlineTable(keys.into_iter().collect::<InlineTable>()))
        } else {
            Item::Table(keys.into_iter().collect())
        };
        self.table_mut(at.path)?.insert(name, item);
        Ok(())
    }

    fn edit(
        &mut self,
        at: EntryTable,
        name: &str,
        set: Vec<(String, Value)>,
        unset: &[String],
    ) -> Result<(), ConfigFault> {
        let entry = self.entry_mut(at, name)?;
        for key in unset {
            entry.remove(key);
        }
        for (key, value) in set {
            put(entry, &key, value);
        }
        Ok(())
    }

    fn put(&mut self, at: EntryTable, name: &str, settings: &Map<String, Json>) -> Result<(), ConfigFault> {
        let mut wanted = settings.clone();
        if at.is_list {
            wanted.insert(NAME.to_owned(), name.into());
        }
        if self.has(at, name) {
            settle(self.entry_mut(at, name)?, &wanted);
            return Ok(());
        }
        let mut new = Table::new();
        if at.is_list {
            // It comes first.
            new.insert(NAME, Item::Value(name.into()));
        }
        settle(&mut new, &wanted);
        match at.is_list {
            true => self.listed_mut(at)?.push(new),
            false => {
                self.table_mut(at.path)?.insert(name, Item::Table(new));
            }
        }
        Ok(())
    }

    fn remove(&mut self, at: EntryTable, name: &str) -> Result<(), ConfigFault> {
        let removed = match at.is_list {
            true => {
                let listed = self.listed_mut(at)?;
                let place = listed.iter().position(|table| is_named(table, name));
                place.map(|place| Item::Table(listed.remove(place)))
            }
            false => self.table_mut(at.path)?.remove(name),
        };
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

fn is_named(table: &Table, name: &str) -> bool {
    table.get(NAME).and_then(Item::as_str) == Some(name)
}

/// These keys lead to something else than tables.
fn no_tables(keys: &[&str]) -> ConfigFault {
    ConfigFault::new(message!("config-tables", setting = keys.join(".")))
}

/// The table whose header follows a position.
fn next_table(root: &mut Table, position: Option<isize>) -> Option<&mut Table> {
    let next = positions(root).into_iter().filter(|found| Some(*found) > position).min()?;
    at_position(root, next)
}

fn positions(table: &Table) -> Vec<isize> {
    let mut all = Vec::new();
    for inner in table.iter().flat_map(|(_, item)| tables_in(item)) {
        all.extend(inner.position().filter(|_| !inner.is_implicit()));
        all.extend(positions(inner));
    }
    all
}

/// The tables of an item: itself, or those of a list.
fn tables_in(item: &Item) -> Vec<&Table> {
    match item {
        Item::Table(table) => vec![table],
        Item::ArrayOfTables(tables) => tables.iter().collect(),
        Item::None | Item::Value(_) => Vec::new(),
    }
}

fn tables_in_mut(item: &mut Item) -> Vec<&mut Table> {
    match item {
        Item::Table(table) => vec![table],
        Item::ArrayOfTables(tables) => tables.iter_mut().collect(),
        Item::None | Item::Value(_) => Vec::new(),
    }
}

fn at_position(table: &mut Table, position: isize) -> Option<&mut Table> {
    for inner in table.iter_mut().flat_map(|(_, item)| tables_in_mut(item)) {
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
    use serde_json::json;

    use super::*;

    const FILE: &str = "# mine\nauthor = \"ann\" # me\n\n# house rules\n\n# the big one\n[providers.a]\nkind = \"claude\"   # fine\n\
        # dear\nmodel = \"m\" # big\n\n[providers.b]\nkind = \"groq\"\nmodel = \"n\"\n";

    fn changed(text: &str, name: &str, change: ConfigEntryChange) -> String {
        let mut edited = ConfigEditor::read("x.toml", text).unwrap();
        edited.change(EntryTable::PROVIDERS, name, change).unwrap();
        edited.text()
    }

    fn keys(all: &[(&str, &str)]) -> Vec<(String, Value)> {
        all.iter().map(|(key, value)| ((*key).to_owned(), Value::from(*value))).collect()
    }

    #[test]
    fn key_is_changed_in_place() {
        let change =
            ConfigEntryChange::Edit { set: keys(&[("model", "o"), ("effort", "low")]), unset: vec![] };
        let expected = FILE.replace("model = \"m\" # big\n", "model = \"o\" # big\neffort = \"low\"\n");
        assert_eq!(changed(FILE, "a", change), expected);
        let change = ConfigEntryChange::Edit { set: vec![], unset: vec!["model".to_owned()] };
        assert_eq!(changed(FILE, "b", change), FILE.replace("model = \"n\"\n", ""));
    }

    #[test]
    fn new_entry_follows_existing_entries() {
        let new = [("kind", "groq"), ("model", "x")];
        let added = "[providers.c]\nkind = \"groq\"\nmodel = \"x\"\n";
        assert_eq!(changed(FILE, "c", ConfigEntryChange::Add(keys(&new))), format!("{FILE}\n{added}"));
        assert_eq!(changed("", "c", ConfigEntryChange::Add(keys(&new))), added);
        assert_eq!(
            changed("author = \"ann\"", "c", ConfigEntryChange::Add(keys(&new))),
            format!("author = \"ann\"\n\n{added}")
        );
        let inline =
            changed("providers = { a = { kind = \"groq\" } }\n", "c", ConfigEntryChange::Add(keys(&new)));
        assert!(inline.contains("c = { kind = \"groq\", model = \"x\" }"), "{inline}");
    }

    #[test]
    fn removed_entry_takes_only_its_own_comment() {
        let expected = "# mine\nauthor = \"ann\" # me\n\n# house rules\n\n[providers.b]\nkind = \"groq\"\nmodel = \"n\"\n";
        assert_eq!(changed(FILE, "a", ConfigEntryChange::Remove), expected);
        let before_b = FILE.split("\n[providers.b]").next().unwrap();
        assert_eq!(changed(FILE, "b", ConfigEntryChange::Remove), before_b);
        let last = "[providers.a]\nkind = \"groq\"\n\n# house rules\n\n[providers.b]\nkind = \"groq\"\n";
        assert_eq!(
            changed(last, "b", ConfigEntryChange::Remove).trim_end(),
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

    fn put_in(at: EntryTable, text: &str, name: &str, settings: Json) -> String {
        let mut edited = ConfigEditor::read("x.toml", text).unwrap();
        let Json::Object(settings) = settings else { panic!("an object") };
        edited.change(at, name, ConfigEntryChange::Put(settings)).unwrap();
        edited.text()
    }

    /// Input: entries of each kind, new and changed; expected: a new one follows the others, and a changed one keeps what
    /// stays the same.
    #[test]
    fn entries_of_every_kind_are_put_and_removed() {
        let servers =
            "# mine\n[mcp.a]\nurl = \"https://a.example\" # ours\n\n[agents.b]\ndescription = \"B\"\n";
        let url = json!({ "url": "https://a.example", "deny": ["x"] });
        let expected = servers.replace("# ours\n", "# ours\ndeny = [\"x\"]\n");
        assert_eq!(put_in(EntryTable::MCP_SERVERS, servers, "a", url), expected);
        let agent = json!({ "description": "C", "instructions": { "role": "You help." } });
        let added = "\n[agents.c]\ndescription = \"C\"\n\n[agents.c.instructions]\nrole = \"You help.\"\n";
        assert_eq!(put_in(EntryTable::AGENTS, servers, "c", agent), format!("{servers}{added}"));

        let tools = "[[tools.http.tool]]\nname = \"a.b\"\nmethod = \"GET\" # reads\n\n# the last\n[[tools.http.tool]]\n\
            name = \"c.d\"\nmethod = \"GET\"\n";
        let put =
            put_in(EntryTable::HTTP_TOOLS, tools, "a.b", json!({ "method": "GET", "url": "https://h" }));
        assert_eq!(put, tools.replace("# reads\n", "# reads\nurl = \"https://h\"\n"));
        let added = put_in(EntryTable::HTTP_TOOLS, tools, "e.f", json!({ "method": "GET" }));
        assert_eq!(added, format!("{tools}\n[[tools.http.tool]]\nname = \"e.f\"\nmethod = \"GET\"\n"));

        let mut edited = ConfigEditor::read("x.toml", tools).unwrap();
        assert_eq!(edited.names(EntryTable::HTTP_TOOLS), ["a.b", "c.d"]);
        assert_eq!(edited.settings(EntryTable::HTTP_TOOLS, "c.d"), Some(json!({ "method": "GET" })));
        edited.change(EntryTable::HTTP_TOOLS, "a.b", ConfigEntryChange::Remove).unwrap();
        assert_eq!(edited.names(EntryTable::HTTP_TOOLS), ["c.d"]);
    }

    /// Input: a change of a table below the entry; expected: the text by which a change is noticed is another one.
    #[test]
    fn text_of_entry_contains_tables_below() {
        let text = |team: &str| {
            let text = format!("[mcp.a]\nurl = \"https://a\"\n[mcp.a.headers]\nX-Team = \"{team}\"\n");
            ConfigEditor::read("x.toml", &text).unwrap().entry_text(EntryTable::MCP_SERVERS, "a").unwrap()
        };
        assert_ne!(text("a"), text("b"));
    }
}
