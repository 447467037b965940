//! The configured external tools: `[tools.http]` with its `[[tools.http.tool]]`, `[[tools.tasks.task]]`, and
//! `[mcp.NAME]`.

use entracte_adapters_commands::egress::AllowedHost;
use entracte_adapters_commands::http::HttpToolConfig;
use entracte_adapters_commands::mcp::McpServerConfig;
use entracte_adapters_commands::tasks::TaskConfig;
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeString, DeValue, ValueDeserializer};

use super::file::ConfigFileReader;
use super::key_span::item;
use super::toml_messages::of_table;
use crate::user_text::{ConfigFault, SourceLocation, message};

/// The external tools of one source, or of all sources.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ExternalToolsConfig {
    /// Private hosts that HTTP tools and tasks may call.
    pub(crate) allow: Vec<AllowedHost>,
    /// HTTP tools.
    pub(crate) http: Vec<HttpToolConfig>,
    /// Long tasks.
    pub(crate) tasks: Vec<TaskConfig>,
    /// MCP servers, by name.
    pub(crate) mcp: Vec<(String, McpServerConfig)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolsTable {
    #[serde(default)]
    http: HttpToolsTable,
    #[serde(default)]
    tasks: TasksTable,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct HttpToolsTable {
    #[serde(default)]
    allow: Vec<AllowedHost>,
    #[serde(default)]
    tool: Vec<Spanned<HttpToolConfig>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct TasksTable {
    #[serde(default)]
    task: Vec<Spanned<TaskConfig>>,
}

impl ExternalToolsConfig {
    /// Adds the tools of another source; existing ones win.
    pub(crate) fn join(&mut self, other: ExternalToolsConfig) {
        for host in other.allow {
            if !self.allow.contains(&host) {
                self.allow.push(host);
            }
        }
        for tool in other.http {
            if self.http.iter().all(|known| known.name != tool.name) {
                self.http.push(tool);
            }
        }
        for task in other.tasks {
            if self.tasks.iter().all(|known| known.name != task.name) {
                self.tasks.push(task);
            }
        }
        for (name, server) in other.mcp {
            if self.mcp.iter().all(|(known, _)| *known != name) {
                self.mcp.push((name, server));
            }
        }
    }
}

impl ConfigFileReader<'_> {
    /// Reads the table `tools`.
    pub(super) fn tools(
        &self,
        key: &Spanned<DeString<'_>>,
        value: Spanned<DeValue<'_>>,
    ) -> Result<ExternalToolsConfig, ConfigFault> {
        let place = self.place(key.span());
        let tools = ToolsTable::deserialize(ValueDeserializer::from(value.clone()))
            .map_err(|error| self.wrong("tools", &error, &place))?;
        // The position of a key in a list item.
        let stands = |names: [&str; 2], index: usize, key: &str, otherwise: &SourceLocation| {
            let entry = item(&value, &names, index);
            entry.map_or_else(|| otherwise.clone(), |entry| self.place_of(entry, key, otherwise))
        };
        let mut http = Vec::new();
        for (index, tool) in tools.http.tool.into_iter().enumerate() {
            let place = self.place(tool.span());
            let mut tool = tool.into_inner();
            self.folder.settle_tool(&mut tool);
            let stands = |key: &str| stands(["http", "tool"], index, key, &place);
            tool.check().map_err(|fault| ConfigFault::new(fault.saying()).at(stands(&fault.key)))?;
            http.push(tool);
        }
        let mut tasks = Vec::new();
        for (index, task) in tools.tasks.task.into_iter().enumerate() {
            let place = self.place(task.span());
            let mut task = task.into_inner();
            self.folder.settle_task(&mut task);
            let stands = |key: &str| stands(["tasks", "task"], index, key, &place);
            task.check().map_err(|fault| ConfigFault::new(fault.saying()).at(stands(&fault.key)))?;
            tasks.push(task);
        }
        Ok(ExternalToolsConfig { allow: tools.http.allow, http, tasks, mcp: Vec::new() })
    }

    /// Reads the table `mcp`.
    pub(super) fn mcp(
        &self,
        key: &Spanned<DeString<'_>>,
        value: Spanned<DeValue<'_>>,
    ) -> Result<ExternalToolsConfig, ConfigFault> {
        let DeValue::Table(entries) = value.into_inner() else {
            let fault = ConfigFault::new(message!("config-tables", setting = "mcp"));
            return Err(fault.at(self.place(key.span())));
        };
        let mut mcp = Vec::new();
        for (name, value) in entries {
            let (place, entry) = (self.place(name.span()), name.get_ref().to_string());
            let mut config = McpServerConfig::deserialize(ValueDeserializer::from(value.clone()))
                .map_err(|error| self.wrong(&format!("mcp.{entry}"), &error, &place))?;
            self.folder.settle_server(&mut config);
            config.check(&entry).map_err(|error| {
                ConfigFault::new(error.saying()).at(self.place_of(&value, &error.key, &place))
            })?;
            mcp.push((entry, config));
        }
        Ok(ExternalToolsConfig { mcp, ..ExternalToolsConfig::default() })
    }

    /// Converts a serde error: it names the unknown field or word first, then the allowed ones.
    pub(super) fn wrong(&self, entry: &str, error: &toml::de::Error, place: &SourceLocation) -> ConfigFault {
        let mut named = error.message().split('`').skip(1).step_by(2).map(str::to_owned);
        let given = named.next().unwrap_or_default();
        let place = error.span().map_or_else(|| place.clone(), |span| self.place(span));
        ConfigFault::new(of_table(entry, error.message())).at(place).allowing(&given, named.collect())
    }
}
