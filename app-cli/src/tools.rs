//! The commands of this process: the workspace's own data, HTTP tools, MCP servers.

use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_adapters_commands::egress::{Egress, EgressSettings};
use entracte_adapters_commands::mcp::login::Logins;
use entracte_adapters_commands::mcp::{McpSurroundings, PinFile};
use entracte_adapters_commands::secret::PersonSecretFiles;
use entracte_adapters_commands::{HttpTools, McpExecutor, ResourcesExecutor};
use entracte_application::commands::{Catalog, ResultsExecutor};
use entracte_application::ports::{CommandExecutor, LogReader, PersonSecrets, ResourceReader};
use entracte_application::settings::Bounds;

use crate::config::Settings;
use crate::error::{CliError, Exit, chain};
use crate::secrets::secrets;

/// The file of accepted MCP tools, in the data folder.
pub(crate) const PINS: &str = "mcp-tools.json";

/// The folder of the logins at MCP servers, in the data folder.
const LOGINS: &str = "mcp-logins";

/// Where logins at MCP servers are kept.
pub(crate) fn logins(settings: &Settings) -> Logins {
    Logins::new(settings.data.join(LOGINS))
}

/// The folder of the secrets that people bring, in the data folder.
const PERSON_SECRETS: &str = "person-secrets";

/// Where the secrets that people bring are kept.
pub(crate) fn person_secrets(settings: &Settings) -> Arc<dyn PersonSecrets> {
    Arc::new(PersonSecretFiles::new(settings.data.join(PERSON_SECRETS)))
}

/// Every executor, made once.
pub(crate) struct Tools {
    own: Vec<Arc<dyn CommandExecutor>>,
    /// The MCP servers.
    pub(crate) mcp: Arc<McpExecutor>,
    bounds: Bounds,
}

impl Tools {
    /// The executors of a configuration. No server is started: the commands of one that was met are on file.
    pub(crate) fn new(
        settings: &Settings,
        rows: Arc<dyn ResourceReader>,
        log: Arc<dyn LogReader>,
    ) -> Result<Self, CliError> {
        let results = ResultsExecutor::new(log, settings.runtime.result_max_chars);
        let own: Vec<Arc<dyn CommandExecutor>> =
            vec![Arc::new(ResourcesExecutor::new(rows)), Arc::new(results), Arc::new(http(settings)?)];
        let reserved = own.iter().flat_map(|executor| executor.commands());
        let reserved = reserved.flat_map(|spec| [spec.name, spec.word]).collect::<Vec<_>>();
        let mcp = Arc::new(servers(settings, reserved)?);
        Ok(Self { own, mcp, bounds: settings.runtime.bounds })
    }

    /// Starts the servers that were never met: until then it is not known which commands they have. Gives the
    /// catalog that has them; none when there was nobody to meet.
    pub(crate) async fn meet(&self) -> Result<Option<Arc<Catalog>>, CliError> {
        if self.mcp.unmet().is_empty() {
            return Ok(None);
        }
        for server in self.mcp.connect_unmet().await {
            tracing::warn!(%server, "an MCP server cannot be used; its tools are missing");
        }
        self.catalog().map(Some)
    }

    /// All commands.
    pub(crate) fn catalog(&self) -> Result<Arc<Catalog>, CliError> {
        let mut executors = self.own.clone();
        executors.push(self.mcp.clone());
        let catalog = Catalog::within(&executors, &self.bounds)
            .map_err(|error| CliError::new(Exit::Failure, error.to_string()))?;
        Ok(Arc::new(catalog))
    }
}

fn http(settings: &Settings) -> Result<HttpTools, CliError> {
    let outside = &settings.tools;
    let egress = Egress::new(EgressSettings { allowed: outside.allow.clone(), ..EgressSettings::default() });
    HttpTools::new(outside.http.clone(), Arc::new(egress), secrets())
        .map(|tools| tools.with_people(person_secrets(settings)))
        .map_err(|fault| CliError::new(Exit::Usage, fault.to_string()))
}

fn servers(settings: &Settings, reserved: Vec<String>) -> Result<McpExecutor, CliError> {
    let failure = |error: &dyn std::error::Error| CliError::new(Exit::Failure, chain(error));
    let pins = PinFile::open(settings.data.join(PINS)).map_err(|error| failure(&error))?;
    let entries: BTreeMap<_, _> = settings.tools.mcp.iter().cloned().collect();
    let (variables, bounds) = (settings.variables.clone(), settings.runtime.bounds);
    let surroundings = McpSurroundings { secrets: secrets(), variables, logins: logins(settings), bounds };
    McpExecutor::new(entries, pins, surroundings, reserved)
        .map_err(|error| CliError::new(Exit::Usage, error.to_string()))
}
