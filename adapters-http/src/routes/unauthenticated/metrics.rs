//! Serves the metrics for a monitoring system.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use entracte_application::ports::{AccessReach, SessionFilter};
use http::{HeaderMap, header};

use crate::authentication::{Read, TokenAccess};
use crate::observability::{ExpositionFormat, census_registry};
use crate::problem::Problem;
use crate::server_state::ServerState;

/// The numbers that a monitoring system reads: OpenMetrics for who asks for it with `Accept`, else the text format of
/// Prometheus. A token of one workspace gets how that one stands; what the process did is told to tokens of every workspace
/// only.
#[utoipa::path(
    get,
    path = "/metrics",
    operation_id = "metrics",
    tag = "server",
    responses(
        (status = 200, content((String = "text/plain"), (String = "application/openmetrics-text")))
    ),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn metrics(
    State(state): State<Arc<ServerState>>,
    TokenAccess(visitor, _): TokenAccess<Read>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let workspace = match visitor.reach() {
        AccessReach::Everywhere => None,
        AccessReach::Workspace(workspace) => Some(workspace.clone()),
    };
    let meters = workspace.is_none().then(|| state.ports.meters.clone());
    let of = SessionFilter { workspace, ..SessionFilter::default() };
    let census = state.ports.log.session_statistics(&of).await?;
    let standing = census_registry(&census, state.ports.clock.now());
    let text = crate::observability::encode_metrics(meters.as_deref(), &standing);
    let format = ExpositionFormat::from_headers(&headers);
    let headers = [(header::CONTENT_TYPE, format.media_type()), (header::VARY, "Accept")];
    Ok((headers, format.write(text)).into_response())
}
