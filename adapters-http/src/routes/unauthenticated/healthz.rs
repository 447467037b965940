//! Liveness: responds if the process runs.

use crate::extractors::JsonResponse;
use crate::routes::unauthenticated::HealthShape;

/// Whether the process answers at all.
#[utoipa::path(
    get,
    path = "/healthz",
    operation_id = "healthz",
    tag = "server",
    responses((status = 200, body = HealthShape)),
    extensions(("x-scope" = json!(null)))
)]
pub(crate) async fn healthz() -> JsonResponse<HealthShape> {
    JsonResponse(HealthShape { status: "ok" })
}
