//! The entries of one layer, whether they count beside those of the others, and which of them changed. Pure.

use std::collections::{BTreeMap, BTreeSet};

use entracte_adapters_commands::http::HttpToolConfig;
use entracte_adapters_commands::mcp::McpServerConfig;
use entracte_adapters_commands::secret::DeclaredSecret;
use entracte_adapters_providers::config::ProviderConfig;
use entracte_application::agents::AgentDeclaration;
use entracte_application::ports::ConfigSection;
use entracte_domain::session::Dialect;

use super::layers::ConfigLayer;
use super::settings::AppSettings;

/// What the names of the settings of embeddings begin with.
const EMBEDDINGS: &str = "embeddings.";

impl ConfigLayer {
    /// Whether the layer has an entry of this name.
    pub(crate) fn has_entry(&self, section: ConfigSection, name: &str) -> bool {
        match section {
            ConfigSection::McpServers => self.tools.mcp.iter().any(|(known, _)| known == name),
            ConfigSection::Agents => self.agents.iter().any(|agent| agent.declared.name == name),
            ConfigSection::HttpTools => self.tools.http.iter().any(|tool| tool.name == name),
            ConfigSection::Embeddings => self.values.keys().any(|key| key.starts_with(EMBEDDINGS)),
        }
    }

    /// Whether both layers say the same of an entry of this name, or nothing.
    fn agrees_with(&self, other: &Self, section: ConfigSection, name: &str) -> bool {
        match section {
            ConfigSection::McpServers => {
                let server = |layer: &Self| layer.tools.mcp.iter().find(|(known, _)| known == name).cloned();
                server(self) == server(other)
            }
            ConfigSection::Agents => {
                let agent =
                    |layer: &Self| layer.agents.iter().find(|agent| agent.declared.name == name).cloned();
                agent(self) == agent(other)
            }
            ConfigSection::HttpTools => {
                let tool = |layer: &Self| layer.tools.http.iter().find(|tool| tool.name == name).cloned();
                tool(self) == tool(other)
            }
            ConfigSection::Embeddings => {
                let own = self.values.iter().filter(|(key, _)| key.starts_with(EMBEDDINGS));
                let mut own = own.map(|(key, (value, _))| (value, other.values.get(key)));
                own.all(|(value, known)| known.is_some_and(|(known, _)| known == value))
            }
        }
    }
}

impl AppSettings {
    /// Whether an entry of this layer counts in these settings. A layer above it may have another one of its name.
    pub(crate) fn uses_entry_of(&self, layer: &ConfigLayer, section: ConfigSection, name: &str) -> bool {
        layer.agrees_with(&self.set, section, name)
    }

    /// The names of the entries that later settings have otherwise, of those that are replaced while a process runs.
    pub(crate) fn changed_entries(&self, next: &Self) -> Vec<String> {
        let (before, after) = (&self.set, &next.set);
        let mut names = names_that_differ("providers", &providers_of(before), &providers_of(after));
        names.extend(names_that_differ("agents", &agents_of(before), &agents_of(after)));
        names.extend(names_that_differ("mcp", &servers_of(before), &servers_of(after)));
        names.extend(names_that_differ("tools.http.tool", &tools_of(before), &tools_of(after)));
        names.extend(names_that_differ("secrets", &secrets_of(before), &secrets_of(after)));
        if before.tools.allow != after.tools.allow {
            names.push("tools.http.allow".to_owned());
        }
        if self.default_provider != next.default_provider {
            names.push("default_provider".to_owned());
        }
        names
    }
}

/// The full names of the entries of a table that are not the same in both.
fn names_that_differ<'a, T: PartialEq>(
    table: &str,
    before: &BTreeMap<&'a str, T>,
    after: &BTreeMap<&'a str, T>,
) -> Vec<String> {
    let names: BTreeSet<&str> = before.keys().chain(after.keys()).copied().collect();
    let differ = names.into_iter().filter(|name| before.get(name) != after.get(name));
    differ.map(|name| format!("{table}.{name}")).collect()
}

/// The providers without the lines of their entries, which move with any change above them.
fn providers_of(set: &ConfigLayer) -> BTreeMap<&str, (&ProviderConfig, &Dialect)> {
    set.providers.iter().map(|entry| (entry.name.as_str(), (&entry.config, &entry.dialect))).collect()
}

fn agents_of(set: &ConfigLayer) -> BTreeMap<&str, &AgentDeclaration> {
    set.agents.iter().map(|agent| (agent.declared.name.as_str(), &agent.declared)).collect()
}

fn servers_of(set: &ConfigLayer) -> BTreeMap<&str, &McpServerConfig> {
    set.tools.mcp.iter().map(|(name, server)| (name.as_str(), server)).collect()
}

fn tools_of(set: &ConfigLayer) -> BTreeMap<&str, &HttpToolConfig> {
    set.tools.http.iter().map(|tool| (tool.name.as_str(), tool)).collect()
}

fn secrets_of(set: &ConfigLayer) -> BTreeMap<&str, &DeclaredSecret> {
    set.secrets.iter().map(|(name, secret)| (name.as_str(), secret)).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::file::read;
    use super::super::layers::merge;
    use super::*;
    use crate::environment::ProcessEnvironment;

    /// Input: a file of the user below one of a folder that has other entries of the same names; expected: the entries of the
    /// user that the folder does not have count, and the others do not.
    #[test]
    fn entry_below_another_layer_does_not_count() {
        let file = |text: &str| read("x.toml", text, Path::new("")).unwrap();
        let user = file(
            "[mcp.a]\nurl = \"https://a.example\"\n[mcp.b]\nurl = \"https://b.example\"\n[agents.Clerk]\n\
             description = \"Keeps the books.\"\ninstructions = { role = \"You keep books.\" }\n\
             [providers.p]\nkind = \"claude\"\nmodel = \"m\"\n\
             [embeddings]\nprovider = \"p\"\nmodel = \"m\"\ndims = 8\n",
        );
        let folder = file("[mcp.a]\nurl = \"https://elsewhere.example\"\n[embeddings]\ndims = 16\n");
        let environment = ProcessEnvironment { data_dir: "/data".into(), ..ProcessEnvironment::default() };
        let settings = AppSettings::from_layers(merge([folder.clone(), user.clone()]), &environment).unwrap();
        let counts = |section, name| settings.uses_entry_of(&user, section, name);
        assert!(!counts(ConfigSection::McpServers, "a"));
        assert!(counts(ConfigSection::McpServers, "b"));
        assert!(counts(ConfigSection::Agents, "Clerk"));
        assert!(!counts(ConfigSection::Embeddings, "embeddings"));
        assert!(user.has_entry(ConfigSection::Agents, "Clerk"));
        assert!(!folder.has_entry(ConfigSection::Agents, "Clerk"));
        assert!(!folder.has_entry(ConfigSection::HttpTools, "a"));
    }

    /// Input: a file, and the same with another line above, an entry more, one less and one changed; expected: these three are
    /// named, and what only moved is not.
    #[test]
    fn moved_entries_are_not_changed_ones() {
        let settings = |text: &str| {
            let environment =
                ProcessEnvironment { data_dir: "/data".into(), ..ProcessEnvironment::default() };
            let layer = read("x.toml", text, Path::new("")).unwrap();
            AppSettings::from_layers(merge([layer]), &environment).unwrap()
        };
        let provider = "[providers.p]\nkind = \"claude\"\nmodel = \"m\"\n";
        let before = settings(&format!(
            "{provider}[mcp.a]\nurl = \"https://a.example\"\n[mcp.gone]\nurl = \"https://gone.example\"\n"
        ));
        let after = settings(&format!(
            "# mine\n{provider}[mcp.a]\nurl = \"https://b.example\"\n\
             [agents.Clerk]\ndescription = \"Keeps the books.\"\ninstructions = {{ role = \"You keep books.\" }}\n"
        ));
        let next = before.with_entries_of(after);
        assert_eq!(before.changed_entries(&next), ["agents.Clerk", "mcp.a", "mcp.gone"]);
        assert_eq!(next.changed_entries(&next), Vec::<String>::new());
    }
}
