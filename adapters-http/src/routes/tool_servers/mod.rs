//! Routes of the tools of MCP servers.

pub(crate) mod decide;
pub(crate) mod get;
pub(crate) mod list;

use entracte_application::ports::ExternalServerTools;
use entracte_application::terminal_text::one_line;
use entracte_application::texts::saying;

use crate::problem::{Problem, ProblemCode};
use crate::routes::admin::refused;
use crate::server_state::ServerState;

/// The server with this name.
fn tool_server(state: &ServerState, name: &str) -> Result<ExternalServerTools, Problem> {
    let servers = state.ports.operator.external_servers().map_err(refused)?;
    servers.into_iter().find(|known| known.server == name).ok_or_else(|| {
        Problem::new(ProblemCode::NotFound, saying!("refusal-no-tool-server", server = one_line(name)))
    })
}
