//! A server's list of tools, and its comparison with what was accepted.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::PaginatedRequestParams;
use rmcp::service::{Peer, ServiceError};

use super::declaration::Declaration;
use super::error::StartError;
use super::handler::Signals;
use super::pins::PinFile;

/// Lists and compares, one at a time.
#[derive(Debug)]
pub(super) struct Lister {
    pub(super) server: String,
    pub(super) peer: Peer<RoleClient>,
    pub(super) pins: Arc<PinFile>,
    pub(super) signals: Arc<Signals>,
    /// The server says that it has tools at all.
    pub(super) has_tools: bool,
    /// Longest wait for the list.
    pub(super) limit: Duration,
    pub(super) turn: tokio::sync::Mutex<()>,
}

impl Lister {
    /// Compares if the list changed since. A second asker waits until the first has compared.
    pub(super) async fn fresh(&self) -> Result<(), StartError> {
        let _turn = self.turn.lock().await;
        if !self.signals.take() {
            return Ok(());
        }
        let mut again = Again { signals: Some(&self.signals) };
        self.compare().await?;
        again.signals = None;
        Ok(())
    }

    /// Compares now.
    pub(super) async fn compare(&self) -> Result<(), StartError> {
        let listed = tokio::time::timeout(self.limit, self.list()).await;
        let late = || StartError::List(format!("no answer within {} s", self.limit.as_secs()));
        let live = listed.unwrap_or_else(|_| Err(late()))?;
        let (pins, server) = (Arc::clone(&self.pins), self.server.clone());
        let written = tokio::task::spawn_blocking(move || pins.record(&server, &live)).await;
        Ok(written.map_err(|gone| StartError::List(gone.to_string()))??)
    }

    async fn list(&self) -> Result<Vec<Declaration>, StartError> {
        let (mut tools, mut cursor) = (Vec::new(), None);
        if !self.has_tools {
            return Ok(tools);
        }
        for _ in 0..PAGES_MAX {
            let page = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
            let page = self.peer.list_tools(page).await.map_err(|error| StartError::List(says(&error)))?;
            tools.extend(page.tools.into_iter().map(Declaration::from));
            if tools.len() > TOOLS_MAX {
                return Err(StartError::List(format!("it has more than {TOOLS_MAX} tools")));
            }
            match page.next_cursor {
                Some(next) => cursor = Some(next),
                None => return Ok(tools),
            }
        }
        Err(StartError::List(format!("it has more than {PAGES_MAX} pages")))
    }
}

/// Says, when the comparison is given up, that the list must still be looked at.
struct Again<'a> {
    signals: Option<&'a Signals>,
}

impl Drop for Again<'_> {
    fn drop(&mut self) {
        if let Some(signals) = self.signals {
            signals.keep();
        }
    }
}

fn says(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => {
            format!("it answers with the error {}: {}", error.code.0, error.message)
        }
        ServiceError::TransportSend(error) => super::http::says(error.error.as_ref()),
        other => other.to_string(),
    }
}

/// The most tools of one server.
pub(super) const TOOLS_MAX: usize = 500;
/// The most pages of its list: a page may lead to itself.
const PAGES_MAX: usize = 100;
