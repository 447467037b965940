//! Lists the models that a provider offers.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::ports::OfferedModel;
use serde::Serialize;
use utoipa::ToSchema;

use crate::authentication::{Read, TokenAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::pagination::LIMIT_MAX;
use crate::problem::{Problem, ProblemCode};
use crate::routes::path_params::ProviderPath;
use crate::routes::providers::find_provider;
use crate::server_state::ServerState;

/// The models that a provider says it has, asked now.
#[utoipa::path(
    get,
    path = "/v1/providers/{p}/models",
    operation_id = "list_models",
    tag = "providers",
    params(ProviderPath),
    responses((status = 200, body = ModelsShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_models(
    State(state): State<Arc<ServerState>>,
    TokenAccess(_visitor, _): TokenAccess<Read>,
    PathParams(path): PathParams<ProviderPath>,
) -> JsonResult<ModelsShape> {
    let found = find_provider(&state, &path.p)?.models(LIMIT_MAX as usize).await;
    let found = found.map_err(|failure| Problem::new(ProblemCode::NotApplicable, failure.message))?;
    let is_cut = found.as_ref().is_some_and(|list| list.is_cut);
    let models = found.map(|list| list.models.iter().map(OfferedShape::from).collect());
    Ok(JsonResponse(ModelsShape { models, is_cut }))
}

/// The models of a provider.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ModelsShape {
    /// At most 200, in the order of the server; null where it gives no list.
    models: Option<Vec<OfferedShape>>,
    /// There are more.
    is_cut: bool,
}

/// A model.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OfferedShape {
    /// What a request calls it.
    id: String,
    /// Name for people.
    name: Option<String>,
    /// Tokens that it reads and writes at once.
    context_tokens: Option<u64>,
    /// Most tokens of one answer.
    max_output_tokens: Option<u64>,
}

impl From<&OfferedModel> for OfferedShape {
    fn from(model: &OfferedModel) -> Self {
        Self {
            id: model.id.clone(),
            name: model.name.clone(),
            context_tokens: model.context_tokens,
            max_output_tokens: model.max_output_tokens,
        }
    }
}
