//! Receives the callbacks of long tasks. They need no token: the signature over the bytes of the body authenticates
//! them.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use entracte_application::ports::SignedMessage;
use entracte_application::task_report::ReportFault;
use entracte_application::texts::{Language, LocalizedTexts, saying};
use entracte_application::use_cases::{CallbackError, ReceiveTaskCallback};
use entracte_domain::id::TaskId;
use entracte_domain::task::TaskUpdateVerdict;
use http::{HeaderMap, StatusCode, header};

use crate::authentication::ClientAddress;
use crate::extractors::{JsonResponse, PathParams, RawBody};
use crate::problem::{Problem, ProblemCode};
use crate::reader_language::language_of;
use crate::routes::path_params::CallbackPath;
use crate::server_state::ServerState;
use crate::shapes::task::{CallbackShape, HeardShape};

/// Takes in a report of a long task from its service, signed as Standard Webhooks, however often it comes.
///
/// A message under an id that was taken in before changes nothing and is answered as it was. All that is not proved is
/// answered with the same bytes.
#[utoipa::path(
    post,
    path = "/v1/callbacks/{task}",
    operation_id = "take_callback",
    tag = "callbacks",
    params(
        CallbackPath,
        ("webhook-id" = String, Header, description = "The same whenever the message is sent again."),
        ("webhook-timestamp" = String, Header, description = "Seconds since 1970; at most five minutes from now."),
        ("webhook-signature" = String, Header, description = "`v1,` and base64 of the HMAC-SHA256 of `id.timestamp.body`; several apart by spaces."),
    ),
    request_body = CallbackShape,
    responses(
        (status = 200, description = "It was known before, or changes nothing.", body = HeardShape),
        (status = 202, description = "It was recorded.", body = HeardShape),
    ),
    extensions(("x-scope" = json!(null)))
)]
pub(crate) async fn receive_callback(
    State(state): State<Arc<ServerState>>,
    Extension(client): Extension<ClientAddress>,
    PathParams(path): PathParams<CallbackPath>,
    headers: HeaderMap,
    RawBody(body): RawBody,
) -> Result<Response, Problem> {
    state.count_callback(client.0)?;
    let task = TaskId::new(path.task);
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let message = SignedMessage {
        id: text("webhook-id").to_owned(),
        timestamp: text("webhook-timestamp").to_owned(),
        signature: text("webhook-signature").to_owned(),
        body: body.to_vec(),
    };
    let take = ReceiveTaskCallback::new(state.callback_ports());
    let taken = take.run(&task, message).await;
    state.ports.meters.record_callback(verdict_label(&taken));
    match taken {
        Ok(verdict) => Ok(verdict_response(&task, verdict)),
        Err(CallbackError::Forged) => {
            tracing::warn!(client = %client.0, "a callback was not proved");
            Ok(forged_callback_response(language_of(&headers)))
        }
        Err(CallbackError::Unread(ReportFault::Field { path, says })) => {
            Err(Problem::invalid_field(path, says))
        }
        Err(CallbackError::Unread(fault)) => Err(Problem::new(ProblemCode::Invalid, fault.message())),
        Err(CallbackError::Refused(error)) => Err(error.into()),
    }
}

/// The metric label of a callback.
fn verdict_label(taken: &Result<TaskUpdateVerdict, CallbackError>) -> &'static str {
    match taken {
        Ok(verdict) => verdict.word(),
        Err(CallbackError::Forged) => "forged",
        Err(CallbackError::Unread(_)) => "unread",
        Err(CallbackError::Refused(_)) => "refused",
    }
}

fn verdict_response(task: &TaskId, verdict: TaskUpdateVerdict) -> Response {
    let status = match verdict {
        TaskUpdateVerdict::Early
        | TaskUpdateVerdict::Normal
        | TaskUpdateVerdict::Progress
        | TaskUpdateVerdict::Late => StatusCode::ACCEPTED,
        TaskUpdateVerdict::Duplicate | TaskUpdateVerdict::Past => StatusCode::OK,
        TaskUpdateVerdict::Contradictory => StatusCode::CONFLICT,
    };
    if status == StatusCode::CONFLICT {
        let text = saying!("refusal-callback-ended");
        return Problem::new(ProblemCode::Conflict, text).into_response();
    }
    (status, JsonResponse(HeardShape { task_id: task.to_string(), verdict: verdict.word() })).into_response()
}

/// The same bytes for every callback that cannot be verified, so that the response does not reveal which tasks exist.
/// It does not even contain the request id. Only the language that the sender asks for makes a difference.
fn forged_callback_response(language: Language) -> Response {
    let problem = Problem::new(ProblemCode::Unauthorized, saying!("refusal-callback-forged"));
    let problem = problem.localize(LocalizedTexts::for_language(language));
    let mut response = problem.into_http_response("");
    // A token would not help.
    response.headers_mut().remove(header::WWW_AUTHENTICATE);
    response
}
