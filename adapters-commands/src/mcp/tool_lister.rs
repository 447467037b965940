//! Lists a server's tools, and compares them with the accepted ones.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::PaginatedRequestParams;
use rmcp::service::{Peer, ServiceError};

use super::config::McpServerConfig;
use super::error::{McpStartError, ToolListError};
use super::handler::ToolListSignals;
use super::http::{self, RequestFate};
use super::pins::{PinFile, PinKey};
use super::resources::McpResourceQuery;
use super::tool_offer::{self, ToolOfferList};

/// Lists and compares; concurrent callers wait for each other.
#[derive(Debug)]
pub(super) struct ToolLister {
    pub(super) key: PinKey,
    pub(super) peer: Peer<RoleClient>,
    pub(super) pins: Arc<PinFile>,
    pub(super) signals: Arc<ToolListSignals>,
    /// Whether the server declares the tools capability.
    pub(super) has_tools: bool,
    /// Whether the server declares the resources capability.
    pub(super) has_resources: bool,
    /// The longest wait for the list.
    pub(super) limit: Duration,
    /// The size limits of the list.
    pub(super) sizes: ToolListLimits,
    pub(super) turn: tokio::sync::Mutex<()>,
}

/// Size limits of a list of tools.
#[derive(Clone, Copy, Debug)]
pub(super) struct ToolListLimits {
    /// The most tools.
    tools_max: usize,
    /// The most bytes of a tool's declaration.
    declaration_max_bytes: usize,
}

impl ToolListLimits {
    /// The limits of a server's configuration.
    pub(super) fn from_config(config: &McpServerConfig) -> Self {
        Self { tools_max: config.tools_max(), declaration_max_bytes: config.declaration_max_bytes() }
    }
}

impl ToolLister {
    /// Compares if the list may have changed. A second caller waits until the first has compared.
    pub(super) async fn compare_if_stale(&self) -> Result<(), McpStartError> {
        let _turn = self.turn.lock().await;
        if !self.signals.take_stale() {
            return Ok(());
        }
        let mut again = ToolListRefreshGuard { signals: Some(&self.signals) };
        self.compare().await?;
        again.signals = None;
        Ok(())
    }

    /// Lists and compares now.
    pub(super) async fn compare(&self) -> Result<(), McpStartError> {
        let listed = tokio::time::timeout(self.limit, self.list()).await;
        let late = || McpStartError::List(ToolListError::Late { seconds: self.limit.as_secs() });
        let live = listed.unwrap_or_else(|_| Err(late()))?;
        let (pins, key) = (Arc::clone(&self.pins), self.key.clone());
        let written = tokio::task::spawn_blocking(move || pins.record(&key, &live)).await;
        Ok(written.map_err(|gone| McpStartError::List(ToolListError::Says(gone.to_string())))??)
    }

    /// The tools of the server and the queries of its resources.
    async fn list(&self) -> Result<ToolOfferList, McpStartError> {
        let mut tools = self.list_tools().await?;
        if self.has_resources {
            tools.add_missing(McpResourceQuery::ALL.map(McpResourceQuery::declaration));
        }
        Ok(tools)
    }

    /// Lists all pages. Of a declaration that is too large only the name and the reason are kept.
    async fn list_tools(&self) -> Result<ToolOfferList, McpStartError> {
        let ToolListLimits { tools_max, declaration_max_bytes } = self.sizes;
        let (mut tools, mut cursor) = (ToolOfferList::default(), None);
        if !self.has_tools {
            return Ok(tools);
        }
        for _ in 0..PAGES_MAX {
            let page = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
            let page =
                self.peer.list_tools(page).await.map_err(|error| McpStartError::List(list_error(&error)))?;
            for tool in page.tools {
                tools.add(tool_offer::offer(tool, declaration_max_bytes));
            }
            if tools.len() > tools_max {
                return Err(McpStartError::List(ToolListError::TooManyTools { most: tools_max }));
            }
            match page.next_cursor {
                Some(next) => cursor = Some(next),
                None => return Ok(tools),
            }
        }
        Err(McpStartError::List(ToolListError::TooManyPages))
    }
}

/// Marks the list as stale when the comparison is dropped before it ends.
struct ToolListRefreshGuard<'a> {
    signals: Option<&'a ToolListSignals>,
}

impl Drop for ToolListRefreshGuard<'_> {
    fn drop(&mut self) {
        if let Some(signals) = self.signals {
            signals.mark_stale();
        }
    }
}

fn list_error(error: &ServiceError) -> ToolListError {
    match error {
        ServiceError::McpError(error) => {
            ToolListError::Answered { code: error.code.0, message: error.message.to_string() }
        }
        ServiceError::TransportSend(error) => {
            let (cause, text) = (error.error.as_ref(), http::transport_error_text(error.error.as_ref()));
            match http::request_fate(cause) {
                RequestFate::SessionLost => ToolListError::SessionLost(text),
                _ => ToolListError::Says(text),
            }
        }
        other => ToolListError::Says(other.to_string()),
    }
}

/// The most pages of a list, because a cursor may lead back to its own page.
pub(super) const PAGES_MAX: usize = 100;
