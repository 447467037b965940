//! The entries of one layer, and whether they count beside those of the others. Pure.

use entracte_application::ports::ConfigSection;

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
}
