//! Writes a provider's entry to the configuration.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use entracte_application::ports::ProviderEffect;
use entracte_application::texts::saying;
use http::{HeaderMap, StatusCode, header};

use crate::authentication::{Admin, OperatorAccess};
use crate::etag::{EntityTag, read_if_match};
use crate::extractors::{JsonBody, PathParams};
use crate::problem::{Problem, ProblemCode};
use crate::reader_language::language_of;
use crate::routes::admin::refused;
use crate::routes::path_params::ProviderPath;
use crate::routes::providers::require_entry_unchanged;
use crate::routes::response_with_etag;
use crate::server_state::ServerState;
use crate::shapes::workspace::{ProviderEditShape, WrittenProviderShape};

/// Writes the entry of a provider into the configuration file of the server, with exactly these settings. A new one needs
/// `If-None-Match: *`, one that is there its tag as `If-Match`. It counts from the next model call on, but for `fallback` and
/// `parallel_tool_calls`, which count from the next start of the server. Of a key only
/// the variable is named, whose name ends with `_API_KEY`; what would start a program or read a file is for the command line.
#[utoipa::path(
    put,
    path = "/v1/providers/{p}",
    operation_id = "put_provider",
    tag = "providers",
    params(ProviderPath, ("If-Match" = Option<String>, Header), ("If-None-Match" = Option<String>, Header)),
    request_body = ProviderEditShape,
    responses(
        (status = 200, body = WrittenProviderShape, headers(("ETag" = String))),
        (status = 201, body = WrittenProviderShape, headers(("ETag" = String)))
    ),
    extensions(("x-scope" = json!("admin")), ("x-reach" = json!("everywhere")))
)]
pub(crate) async fn put_provider(
    State(state): State<Arc<ServerState>>,
    OperatorAccess(_operator, _): OperatorAccess<Admin>,
    PathParams(path): PathParams<ProviderPath>,
    headers: HeaderMap,
    JsonBody(edit): JsonBody<ProviderEditShape>,
) -> Result<Response, Problem> {
    let operator = &state.ports.operator;
    let is_new = headers.get(header::IF_NONE_MATCH).is_some_and(|value| value == "*");
    let there = operator.provider_entry_digest(&path.p).map_err(refused)?;
    let read = match is_new {
        true if there.is_some() => {
            let text = saying!("refusal-provider-there");
            return Err(Problem::new(ProblemCode::Changed, text));
        }
        true => None,
        false => Some(require_entry_unchanged(&read_if_match(&headers)?, there.as_ref(), &path.p)?),
    };
    let (settings, language) = (&edit.settings, language_of(&headers));
    let effect =
        operator.put_provider(&path.p, settings, edit.default, read, language).await.map_err(refused)?;
    let now =
        operator.provider_entry_digest(&path.p).map_err(refused)?.map(|tag| EntityTag::new(tag.as_str()));
    let shape = WrittenProviderShape { name: path.p, counts: counts(effect) };
    Ok((if is_new { StatusCode::CREATED } else { StatusCode::OK }, response_with_etag(now, shape))
        .into_response())
}

const fn counts(effect: ProviderEffect) -> &'static str {
    match effect {
        ProviderEffect::AtOnce => "at once",
        ProviderEffect::PartlyAtNextStart => "partly from the next start",
    }
}
