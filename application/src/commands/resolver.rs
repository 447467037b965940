//! Gathers what the levels of the validation say of an action: workspace, zone, tool, session, the model, the
//! catalog. The rule itself is the domain's ([`entracte_domain::validation::reasons`]).

use std::sync::Arc;

use entracte_domain::command::CommandKind;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::validation::{Flagged, Flags, Reason, reasons};

use super::CatalogEntry;
use crate::json;
use crate::ports::{CallRequest, Description, ResourceReader, StoreError};
use crate::settings::WorkspaceSettings;

/// What asks for approval, beside zone and tool.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    /// The workspace's settings.
    pub settings: &'a WorkspaceSettings,
    /// The session asks for all its actions.
    pub session: bool,
    /// The model asked for it.
    pub ai_request: bool,
}

/// Why this call needs approval; empty for queries, which never do.
///
/// # Errors
/// When the rows of its zone or tool cannot be read.
pub async fn resolve(
    known: &CatalogEntry,
    request: CallRequest,
    asking: Asking<'_>,
    rows: &Arc<dyn ResourceReader>,
) -> Result<Vec<Reason>, StoreError> {
    match known.spec.kind {
        CommandKind::Query => Ok(Vec::new()),
        CommandKind::Action => {
            let workspace = request.workspace.clone();
            let target = known.executor.target(request, rows.clone()).await?;
            let flags = Flags {
                app: asking.settings.require_validation,
                zone: first_asking(rows, &workspace, "zone", &target.zones).await?,
                tool: first_asking(rows, &workspace, "tool", &target.tools).await?,
                session: asking.session,
                ai_request: asking.ai_request,
                destructive: known.spec.destructive,
                egress: known.spec.egress,
                command_four_eyes: known.spec.four_eyes,
                workspace_four_eyes: asking.settings.four_eyes,
            };
            Ok(reasons(&flags))
        }
    }
}

/// An action in words, for the person who is asked.
///
/// # Errors
/// When the rows it touches cannot be read.
pub async fn describe(
    known: &CatalogEntry,
    request: CallRequest,
    rows: &Arc<dyn ResourceReader>,
) -> Result<Description, StoreError> {
    known.executor.describe(request, rows.clone()).await
}

/// The first of these resources whose own flag asks for approval.
async fn first_asking(
    rows: &Arc<dyn ResourceReader>,
    workspace: &WorkspaceKey,
    kind: &str,
    ids: &[String],
) -> Result<Option<Flagged>, StoreError> {
    for id in ids {
        if let Some(row) = rows.resource(workspace, kind, id).await?
            && asks(&row.body)
        {
            return Ok(Some(Flagged { id: id.clone(), name: row.name }));
        }
    }
    Ok(None)
}

fn asks(body: &str) -> bool {
    json::parse(body)
        .ok()
        .and_then(|body| body.get("require_validation").and_then(|flag| flag.as_bool()))
        .unwrap_or(false)
}
