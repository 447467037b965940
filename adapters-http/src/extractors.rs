//! Request extractors: validate bodies and query strings before handlers see them.

use std::sync::Arc;

use axum::body::HttpBody as _;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use entracte_application::files::shown_name;
use entracte_application::terminal_text::one_line;
use entracte_application::texts::saying;
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use http_body_util::BodyExt;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::authentication::RequestTokenId;
use crate::file_bodies::FileBodyPermit;
use crate::idempotency::IdempotentRequest;
use crate::limits::{json_depth, json_syntax_bytes};
use crate::multipart::{BodyFile, is_multipart, split_files};
use crate::problem::{Problem, ProblemCode};
use crate::server_state::ServerState;

/// A complete JSON body within the size limit.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Arc<ServerState>> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &Arc<ServerState>) -> Result<Self, Problem> {
        read_json(request, state, state.terms.limits.body).await.map(Self)
    }
}

/// A complete JSON body within the size limit, which may have a secret in it: a refusal repeats nothing of it, whatever
/// field the secret was put into.
#[derive(Debug)]
pub struct SecretJsonBody<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Arc<ServerState>> for SecretJsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &Arc<ServerState>) -> Result<Self, Problem> {
        let read = read_json(request, state, state.terms.limits.body).await;
        read.map(Self).map_err(|problem| match problem.code() {
            ProblemCode::Invalid => {
                let text = saying!("refusal-body-secret");
                Problem::new(ProblemCode::Invalid, text)
            }
            _ => problem,
        })
    }
}

/// A complete body within the size limit, byte for byte, because it is signed.
#[derive(Debug)]
pub struct RawBody(pub Bytes);

impl FromRequest<Arc<ServerState>> for RawBody {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &Arc<ServerState>) -> Result<Self, Problem> {
        read_limited(request, state, state.terms.limits.body).await.map(Self)
    }
}

/// A complete body that is a file of a conversation, or several as parts of `multipart/form-data`, within the size limits,
/// and its place among large bodies.
#[derive(Debug)]
pub struct ConversationFilesBody(pub(crate) Vec<BodyFile>, pub(crate) FileBodyPermit);

impl FromRequest<Arc<ServerState>> for ConversationFilesBody {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &Arc<ServerState>) -> Result<Self, Problem> {
        let content_type = request.headers().get(header::CONTENT_TYPE).and_then(|line| line.to_str().ok());
        match content_type.filter(|line| is_multipart(line)).map(str::to_owned) {
            Some(content_type) => read_parts(request, state, &content_type).await,
            None => read_file(request, state).await,
        }
    }
}

/// Reads a body that is one file, named in the query.
async fn read_file(request: Request, state: &Arc<ServerState>) -> Result<ConversationFilesBody, Problem> {
    let most = state.terms.runtime.files.max_bytes;
    let most_bytes = usize::try_from(most).unwrap_or(usize::MAX);
    let (request, permit) = acquire_place(request, state, most_bytes).await?;
    let query = request.uri().query().unwrap_or_default().as_bytes();
    let name = url::form_urlencoded::parse(query).find(|(key, _)| key == "name");
    let name = name.map_or_else(String::new, |(_, name)| one_line(&name));
    let bytes = read_limited(request, state, most_bytes).await.map_err(|problem| match problem.code() {
        ProblemCode::TooLarge => {
            let text = saying!("file-larger", name = shown_name(&name), most = most);
            Problem::new(ProblemCode::TooLarge, text)
        }
        _ => problem,
    })?;
    Ok(ConversationFilesBody(vec![BodyFile { name: None, bytes }], permit))
}

/// Reads a body whose parts are files: one of the largest size fits beside a body of the usual size.
async fn read_parts(
    request: Request,
    state: &Arc<ServerState>,
    content_type: &str,
) -> Result<ConversationFilesBody, Problem> {
    let limits = &state.terms.runtime.files;
    let file = limits.max_bytes;
    let most = usize::try_from(file).unwrap_or(usize::MAX).saturating_add(state.terms.limits.body);
    let (request, permit) = acquire_place(request, state, most).await?;
    let bytes = read_limited(request, state, most).await.map_err(|problem| match problem.code() {
        ProblemCode::TooLarge => {
            let text = saying!("refusal-body-parts", most = most, file = file);
            Problem::new(ProblemCode::TooLarge, text)
        }
        _ => problem,
    })?;
    let files = split_files(content_type, &bytes, limits.per_message);
    let files = files.map_err(|error| Problem::new(ProblemCode::Malformed, error.message()))?;
    Ok(ConversationFilesBody(files, permit))
}

/// A complete JSON body with a file in base64, within the size limit of documents.
#[derive(Debug)]
pub struct FileUploadBody<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Arc<ServerState>> for FileUploadBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &Arc<ServerState>) -> Result<Self, Problem> {
        let most = base64_length(state.terms.knowledge.document_bytes).saturating_add(FILE_AROUND_BYTES);
        read_json(request, state, most).await.map(Self)
    }
}

/// The characters that base64 needs for so many bytes: four for three.
fn base64_length(bytes: u64) -> usize {
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    (bytes / 3).saturating_add(1).saturating_mul(4)
}

/// A complete JSON body whose messages may have files in base64: one of the largest size fits beside a body of the usual
/// size. A large one has a place among large bodies.
#[derive(Debug)]
pub struct MessageFilesBody<T>(pub T, pub(crate) FileBodyPermit);

impl<T: DeserializeOwned> FromRequest<Arc<ServerState>> for MessageFilesBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &Arc<ServerState>) -> Result<Self, Problem> {
        let file = state.terms.runtime.files.max_bytes;
        let most = base64_length(file).saturating_add(state.terms.limits.body);
        let (request, permit) = acquire_place(request, state, most).await?;
        let read = read_json(request, state, most).await;
        read.map(|read| Self(read, permit)).map_err(|problem| match problem.code() {
            ProblemCode::TooLarge => {
                let text = saying!("refusal-body-files", most = most, file = file);
                Problem::new(ProblemCode::TooLarge, text)
            }
            _ => problem,
        })
    }
}

/// A place for a body that may bring files. If there is none, what a client that is not answered before it is done would
/// send is read and discarded, up to twice as much as such a body may have.
async fn acquire_place(
    request: Request,
    state: &Arc<ServerState>,
    most: usize,
) -> Result<(Request, FileBodyPermit), Problem> {
    if let Some(permit) = state.file_bodies.try_acquire(request.body().size_hint().upper()) {
        return Ok((request, permit));
    }
    tokio::select! {
        () = discard_body(request.into_body(), most.saturating_mul(2)) => {}
        () = state.ports.clock.sleep(state.terms.limits.body_timeout) => {}
    }
    let text = saying!("refusal-file-bodies", most = state.terms.limits.file_bodies);
    Err(Problem::new(ProblemCode::RateLimited, text).with_retry_after(1))
}

/// Reads a body without keeping it, up to so many bytes.
async fn discard_body(mut body: axum::body::Body, most: usize) {
    let mut came = 0_usize;
    while came <= most {
        let Some(Ok(frame)) = body.frame().await else { return };
        came = came.saturating_add(frame.data_ref().map_or(0, Bytes::len));
    }
}

/// Most bytes of the body around a file (16 KiB).
const FILE_AROUND_BYTES: usize = 16 << 10;

async fn read_json<T: DeserializeOwned>(
    request: Request,
    state: &Arc<ServerState>,
    most_bytes: usize,
) -> Result<T, Problem> {
    if !is_json(&request) {
        let text = saying!("refusal-not-json");
        return Err(Problem::new(ProblemCode::MediaType, text));
    }
    let once = request.extensions().get::<Arc<IdempotentRequest>>().cloned();
    let bytes = read_limited(request, state, most_bytes).await?;
    let most = state.terms.limits.depth;
    if json_depth(&bytes, most) > most {
        let text = saying!("refusal-json-depth", most = most);
        return Err(Problem::new(ProblemCode::Malformed, text));
    }
    // A body with files is larger than others for the sake of their base64 alone: many small values take much more memory
    // than their bytes.
    let most = state.terms.limits.body;
    if bytes.len() > most && json_syntax_bytes(&bytes) > most {
        let text = saying!("refusal-json-syntax", most = most);
        return Err(Problem::new(ProblemCode::Malformed, text));
    }
    if let Some(once) = once {
        once.record_body(&bytes);
    }
    parse_json(&bytes)
}

/// A complete session file within its size limit; it is parsed by the import. A large one has a place among large bodies.
#[derive(Debug)]
pub struct SessionFileBody(pub Bytes, pub(crate) FileBodyPermit);

impl FromRequest<Arc<ServerState>> for SessionFileBody {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &Arc<ServerState>) -> Result<Self, Problem> {
        if !is_json(&request) {
            let text = saying!("refusal-not-export");
            return Err(Problem::new(ProblemCode::MediaType, text));
        }
        let once = request.extensions().get::<Arc<IdempotentRequest>>().cloned();
        let most = state.terms.limits.import;
        let (request, permit) = acquire_place(request, state, most).await?;
        let bytes = read_limited(request, state, most).await.map_err(|problem| match problem.code() {
            ProblemCode::TooLarge => {
                Problem::new(ProblemCode::TooLarge, saying!("refusal-import-large", most = most))
            }
            _ => problem,
        })?;
        if let Some(once) = once {
            once.record_body(&bytes);
        }
        Ok(Self(bytes, permit))
    }
}

fn is_json(request: &Request) -> bool {
    let line = request.headers().get(header::CONTENT_TYPE).and_then(|line| line.to_str().ok());
    let essence = line.and_then(|line| line.split(';').next()).unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

async fn read_limited(request: Request, state: &Arc<ServerState>, most: usize) -> Result<Bytes, Problem> {
    let limits = &state.terms.limits;
    let asker = request.extensions().get::<RequestTokenId>().cloned();
    let began = state.ports.clock.monotonic();
    let read = tokio::select! {
        biased;
        read = collect_limited(request.into_body(), most) => read,
        () = state.ports.clock.sleep(limits.body_timeout) => {
            let text = saying!("refusal-body-slow", seconds = (limits.body_timeout.0 / 1000).to_string());
            Err(Problem::new(ProblemCode::Malformed, text))
        }
    }?;
    // A slow request must not outlive its token, which may be revoked meanwhile.
    let took = state.ports.clock.monotonic().0.saturating_sub(began.0);
    if let Some(asker) = asker.filter(|_| took >= limits.stream_look.0) {
        asker.require_unrevoked(state).await?;
    }
    Ok(read)
}

/// Collects a complete body. If it is too large, as much again is read and discarded: a client that is still sending
/// when the connection closes never reads the refusal.
async fn collect_limited(mut body: axum::body::Body, most: usize) -> Result<Bytes, Problem> {
    let (mut bytes, mut came) = (BytesMut::new(), 0_usize);
    while came <= most.saturating_mul(2) {
        let Some(frame) = body.frame().await else { break };
        let cut = |_| Problem::new(ProblemCode::Malformed, saying!("refusal-body-cut"));
        let Ok(data) = frame.map_err(cut)?.into_data() else { continue };
        came = came.saturating_add(data.len());
        if came <= most {
            bytes.extend_from_slice(&data);
        }
    }
    match came <= most {
        true => Ok(bytes.freeze()),
        false => Err(Problem::new(ProblemCode::TooLarge, saying!("refusal-body-most", most = most))),
    }
}

/// Parses JSON. Text that is not JSON is malformed; JSON of another shape is invalid, and the problem names the field.
fn parse_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let parsed = serde_path_to_error::deserialize(&mut reader);
    let parsed = parsed.map_err(|error| {
        let (path, says) = (error.path().to_string(), error.inner().to_string());
        if error.inner().is_data() {
            Problem::invalid_field(&path, says)
        } else {
            Problem::new(ProblemCode::Malformed, says)
        }
    })?;
    reader.end().map_err(|error| Problem::new(ProblemCode::Malformed, error.to_string()))?;
    Ok(parsed)
}

/// The parsed query string.
#[derive(Debug)]
pub struct QueryParams<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<Arc<ServerState>> for QueryParams<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<ServerState>) -> Result<Self, Problem> {
        let read = axum::extract::Query::<T>::try_from_uri(&parts.uri);
        let read = read.map_err(|error| Problem::new(ProblemCode::Invalid, error.body_text()))?;
        Ok(Self(read.0))
    }
}

/// The parsed path parameters.
#[derive(Debug)]
pub struct PathParams<T>(pub T);

impl<T: DeserializeOwned + Send> FromRequestParts<Arc<ServerState>> for PathParams<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<ServerState>) -> Result<Self, Problem> {
        let read = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        let read = read.map_err(|error| Problem::new(ProblemCode::NotFound, error.body_text()))?;
        Ok(Self(read.0))
    }
}

/// A JSON answer.
#[derive(Debug)]
pub struct JsonResponse<T>(pub T);

impl<T: Serialize> IntoResponse for JsonResponse<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(text) => {
                let kind = HeaderValue::from_static("application/json");
                ([(header::CONTENT_TYPE, kind)], text).into_response()
            }
            Err(error) => {
                tracing::error!(%error, "an answer cannot be written");
                Problem::from_status(StatusCode::INTERNAL_SERVER_ERROR).into_response()
            }
        }
    }
}

/// The result of a route with a JSON answer.
pub type JsonResult<T> = Result<JsonResponse<T>, Problem>;
