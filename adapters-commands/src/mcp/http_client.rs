//! The HTTP client of the transport: every refusal of a server is the answer to the request that caused it.
//!
//! The client of the protocol library passes an error without an id on as if it belonged to no request, so the caller
//! waits for its time limit; and it drops the status, which tells a refused call from one of unknown outcome.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::StreamExt as _;
use reqwest::header::{
    ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE,
};
use reqwest::{Response, StatusCode};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_LAST_EVENT_ID, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};

use super::event_size::EventSizeLimit;
use super::exact_numbers::{ToolPayloads, unmark_text, with_marked_numbers, with_plain_numbers};

/// Sends the messages of one connection.
#[derive(Clone, Debug)]
pub(super) struct McpHttpClient {
    pub(super) client: reqwest::Client,
    /// The most bytes of an answer, and of one event of a stream.
    pub(super) message_max_bytes: usize,
    /// Whether the server began a session.
    pub(super) has_session: Arc<AtomicBool>,
}

/// Why a request over HTTP failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum McpHttpError {
    /// No complete answer came.
    #[error("{0}")]
    Client(#[from] reqwest::Error),
    /// The server answered with a status that is no success.
    #[error("{0}")]
    Refused(HttpRefusal),
}

/// An answer with a status that is no success.
#[derive(Debug)]
pub(super) struct HttpRefusal {
    pub(super) status: u16,
    /// The error text of the server; empty if it sent none.
    pub(super) says: String,
    /// The address of the request, without its query.
    pub(super) address: String,
    /// The address to which the server redirects.
    pub(super) target: Option<String>,
    /// The header `Retry-After`.
    pub(super) retry_after: Option<String>,
    /// Whether the request belonged to a session.
    pub(super) has_session: bool,
}

impl std::fmt::Display for HttpRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HTTP {}", self.status)?;
        if let Some(target) = &self.target {
            write!(f, " → {target}")?;
        }
        if !self.says.is_empty() {
            write!(f, ": {}", self.says)?;
        }
        write!(f, " ({})", self.address)
    }
}

type HttpResult<T> = Result<T, StreamableHttpError<McpHttpError>>;

/// The message of a POST, as far as its answer depends on it.
struct PostedMessage {
    /// The id of a request; `None` for a message that gets no answer.
    request: Option<RequestId>,
    is_discovery: bool,
    has_session: bool,
}

impl PostedMessage {
    fn new(message: &ClientJsonRpcMessage, has_session: bool) -> Self {
        let (request, is_discovery) = match message {
            JsonRpcMessage::Request(request) => {
                let is_discovery = matches!(request.request, ClientRequest::DiscoverRequest(_));
                (Some(request.id.clone()), is_discovery)
            }
            _ => (None, false),
        };
        Self { request, is_discovery, has_session }
    }

    /// Gives an error its request's id: a server that cannot read or place a request answers without one.
    fn correlate(&self, message: ServerJsonRpcMessage) -> ServerJsonRpcMessage {
        match (message, &self.request) {
            (JsonRpcMessage::Error(error), Some(id)) => {
                ServerJsonRpcMessage::error(error.error, Some(id.clone()))
            }
            (message, _) => message,
        }
    }
}

impl McpHttpClient {
    fn request(
        &self,
        builder: reqwest::RequestBuilder,
        session: Option<&str>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> reqwest::RequestBuilder {
        let mut builder = builder.header(ACCEPT, [EVENT_STREAM_MIME_TYPE, JSON_MIME_TYPE].join(", "));
        if let Some(session) = session {
            self.has_session.store(true, Ordering::SeqCst);
            builder = builder.header(HEADER_SESSION_ID, session);
        }
        if let Some(token) = token {
            builder = builder.bearer_auth(token);
        }
        builder.headers(headers.into_iter().collect())
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> HttpResult<Response> {
        let response = request.send().await.map_err(|error| StreamableHttpError::Client(error.into()))?;
        check_authorization(&response)?;
        Ok(response)
    }

    /// The answer to a POST that the server refused.
    async fn refused(
        &self,
        posted: &PostedMessage,
        response: Response,
    ) -> HttpResult<StreamableHttpPostResponse> {
        let (status, head) = (response.status(), RefusalHead::new(&response));
        let is_json = has_media_type(response.headers(), JSON_MIME_TYPE);
        let body = read_body(response, ERROR_MAX_BYTES).await.unwrap_or_default();
        let error = match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
            Ok(JsonRpcMessage::Error(error)) if is_json => Some((error.id, error.error)),
            _ => None,
        };
        let refusal = |says| {
            let refusal = head.refusal(posted.has_session, says);
            Err(StreamableHttpError::Client(McpHttpError::Refused(refusal)))
        };
        let answer = |error| {
            let message = ServerJsonRpcMessage::error(error, posted.request.clone());
            Ok(StreamableHttpPostResponse::Json(message, None))
        };
        match error {
            Some((id, error)) if is_answer(posted, status, id.as_ref(), &error) => answer(error),
            Some((_, error)) => refusal(error.message.into_owned()),
            // A server of the earlier protocols refuses the first message in any words; it gets the older handshake.
            None if posted.is_discovery && !posted.has_session && status.is_client_error() => {
                answer(ErrorData::invalid_request(format!("HTTP {}", status.as_u16()), None))
            }
            None if is_json => refusal(String::new()),
            None => refusal(plain_text(&body)),
        }
    }
}

/// Whether an error in the body of a refusal is the protocol's answer to the request. Within a session it may instead
/// mean that the server does not know the session: then only two codes say that it read the request.
fn is_answer(posted: &PostedMessage, status: StatusCode, id: Option<&RequestId>, error: &ErrorData) -> bool {
    if posted.request.is_none() || status == StatusCode::TOO_MANY_REQUESTS {
        return false;
    }
    let is_same = id.is_some() && id == posted.request.as_ref();
    if status.is_server_error() {
        return is_same;
    }
    let reads = [ErrorCode::INVALID_PARAMS, ErrorCode::METHOD_NOT_FOUND].contains(&error.code);
    !posted.has_session || (is_same && (reads || !is_session_status(status.as_u16())))
}

/// Whether a status may mean that the server does not know the session any more.
pub(super) fn is_session_status(status: u16) -> bool {
    matches!(status, 400 | 404 | 410)
}

/// The head of a refusal.
struct RefusalHead {
    status: u16,
    address: String,
    target: Option<String>,
    retry_after: Option<String>,
}

impl RefusalHead {
    fn new(response: &Response) -> Self {
        let header = |name: HeaderName| {
            let value = response.headers().get(name)?.to_str().ok()?;
            Some(value.chars().take(HEADER_MAX_CHARS).collect::<String>())
        };
        Self {
            status: response.status().as_u16(),
            address: shown_address(response.url()),
            target: header(LOCATION).filter(|_| response.status().is_redirection()),
            retry_after: header(RETRY_AFTER),
        }
    }

    fn refusal(&self, has_session: bool, says: String) -> HttpRefusal {
        HttpRefusal {
            status: self.status,
            says,
            address: self.address.clone(),
            target: self.target.clone(),
            retry_after: self.retry_after.clone(),
            has_session,
        }
    }
}

/// An address for display: its query may contain a secret.
pub(super) fn shown_address(url: &reqwest::Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path())
}

/// Fails if the server wants a login: with or without the header that says which.
fn check_authorization(response: &Response) -> HttpResult<()> {
    let challenge = response.headers().get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok());
    match (response.status(), challenge) {
        (StatusCode::UNAUTHORIZED, challenge) => Err(StreamableHttpError::AuthRequired(
            AuthRequiredError::new(challenge.unwrap_or(DEFAULT_CHALLENGE).to_owned()),
        )),
        (StatusCode::FORBIDDEN, Some(challenge)) => Err(StreamableHttpError::InsufficientScope(
            InsufficientScopeError::new(challenge.to_owned(), scope_of(challenge)),
        )),
        (_, _) => Ok(()),
    }
}

/// The scope that a challenge names.
fn scope_of(challenge: &str) -> Option<String> {
    let (_, rest) = challenge.split_once("scope=\"")?;
    rest.split_once('"').map(|(scope, _)| scope.to_owned())
}

fn has_media_type(headers: &HeaderMap, media: &str) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(media.as_bytes()))
}

/// The words of a body that is no JSON; a page of HTML has none worth reading.
fn plain_text(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    if text.starts_with('<') { String::new() } else { text.to_owned() }
}

/// The body, at most `most` bytes of it.
async fn read_body(response: Response, most: usize) -> HttpResult<Vec<u8>> {
    let (mut body, mut chunks) = (Vec::new(), response.bytes_stream());
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| StreamableHttpError::Client(error.into()))?;
        if body.len().saturating_add(chunk.len()) > most {
            return Err(StreamableHttpError::ResponseBodyTooLarge { max_size: most });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn events(response: Response, most: usize) -> BoxedSseResponse {
    let mut limit = EventSizeLimit::new(most);
    let chunks = response.bytes_stream().map(move |chunk| {
        let chunk = chunk.map_err(std::io::Error::other)?;
        limit.check(&chunk)?;
        Ok::<_, std::io::Error>(chunk)
    });
    let marked = |mut event: Sse| {
        event.data = event.data.map(|data| with_marked_numbers(&data, ToolPayloads::OF_SERVER).into_owned());
        event
    };
    Box::pin(SseStream::from_bytes_stream(chunks).map(move |event| event.map(marked)))
}

/// The headers of a request, with plain numbers: the library repeats arguments in headers if the schema of their tool says
/// so, and encodes a marked text there.
fn plain_headers(headers: HashMap<HeaderName, HeaderValue>) -> HashMap<HeaderName, HeaderValue> {
    let plain = |(name, value): (HeaderName, HeaderValue)| {
        let is_argument = name.as_str().starts_with(ARGUMENT_HEADERS);
        let plain = if is_argument { plain_header(&value) } else { None };
        (name, plain.unwrap_or(value))
    };
    headers.into_iter().map(plain).collect()
}

/// The header of an argument that is a marked text; `None` if it is none.
fn plain_header(value: &HeaderValue) -> Option<HeaderValue> {
    let (start, end) = ENCODED_HEADER;
    let encoded = value.to_str().ok()?.strip_prefix(start)?.strip_suffix(end)?;
    let text = unmark_text(&String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?)?;
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
    let text = if is_plain { text } else { format!("{start}{}{end}", STANDARD.encode(text)) };
    HeaderValue::from_str(&text).ok()
}

/// Reads an answer that is no stream.
fn read_message(body: &[u8]) -> Result<ServerJsonRpcMessage, serde_json::Error> {
    match std::str::from_utf8(body) {
        Ok(text) => serde_json::from_str(&with_marked_numbers(text, ToolPayloads::OF_SERVER)),
        Err(_) => serde_json::from_slice(body),
    }
}

impl StreamableHttpClient for McpHttpClient {
    type Error = McpHttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> HttpResult<StreamableHttpPostResponse> {
        let posted = PostedMessage::new(&message, session_id.is_some());
        let body = serde_json::to_string(&message)?;
        let body = with_plain_numbers(&body, ToolPayloads::OF_CLIENT).into_owned();
        let builder = self.client.post(uri.as_ref()).header(CONTENT_TYPE, JSON_MIME_TYPE).body(body);
        let headers = plain_headers(custom_headers);
        let request = self.request(builder, session_id.as_deref(), auth_header, headers);
        let response = self.send(request).await?;
        let status = response.status();
        if !status.is_success() {
            return self.refused(&posted, response).await;
        }
        let session = response.headers().get(HEADER_SESSION_ID).and_then(|value| value.to_str().ok());
        let session = session.map(str::to_owned);
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if has_media_type(response.headers(), EVENT_STREAM_MIME_TYPE) {
            return Ok(StreamableHttpPostResponse::Sse(events(response, self.message_max_bytes), session));
        }
        if posted.request.is_none() {
            // A notification gets no answer, so it does not matter what a success contains.
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if !has_media_type(response.headers(), JSON_MIME_TYPE) {
            let media = response.headers().get(CONTENT_TYPE);
            let media = media.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
            return Err(StreamableHttpError::UnexpectedContentType(media));
        }
        let body = read_body(response, self.message_max_bytes).await?;
        let message = posted.correlate(read_message(&body)?);
        Ok(StreamableHttpPostResponse::Json(message, session))
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> HttpResult<()> {
        let builder = self.client.delete(uri.as_ref());
        let request = self.request(builder, Some(&session_id), auth_header, custom_headers);
        // A server that does not know the session, or cannot end one, has nothing to end.
        request.send().await.map_err(|error| StreamableHttpError::Client(error.into()))?;
        Ok(())
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> HttpResult<BoxedSseResponse> {
        let (mut builder, resumes) = (self.client.get(uri.as_ref()), last_event_id.is_some());
        if let Some(id) = last_event_id {
            builder = builder.header(HEADER_LAST_EVENT_ID, id);
        }
        let request = self.request(builder, session_id.as_deref(), auth_header, custom_headers);
        let response = self.send(request).await?;
        let is_stream = has_media_type(response.headers(), EVENT_STREAM_MIME_TYPE);
        match (response.status().is_success(), resumes) {
            (true, _) if is_stream => Ok(events(response, self.message_max_bytes)),
            (false, true) if response.status() != StatusCode::METHOD_NOT_ALLOWED => {
                let refusal = RefusalHead::new(&response).refusal(session_id.is_some(), String::new());
                Err(StreamableHttpError::Client(McpHttpError::Refused(refusal)))
            }
            // The stream of the server's own messages is optional. A server without one refuses it in many ways.
            (_, _) => Err(StreamableHttpError::ServerDoesNotSupportSse),
        }
    }
}

/// What the names of headers with arguments begin with.
const ARGUMENT_HEADERS: &str = "mcp-param-";
/// What an encoded header begins and ends with.
const ENCODED_HEADER: (&str, &str) = ("=?base64?", "?=");
/// The most bytes of the body of a refusal that are read.
const ERROR_MAX_BYTES: usize = 64 * 1024;
/// The most characters of a header that are kept.
const HEADER_MAX_CHARS: usize = 300;
/// The challenge of a server that asks for a login without saying which.
const DEFAULT_CHALLENGE: &str = "Bearer";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::exact_numbers::to_library_text;
    use super::*;

    /// Input: headers that the library made of arguments; expected: those of marked texts say what the texts mean.
    #[test]
    fn headers_of_arguments_have_plain_numbers() {
        let encode = |text: &str| format!("=?base64?{}?=", STANDARD.encode(text));
        let marked =
            with_marked_numbers(r#"{"arguments":[12345678901234567890123]}"#, ToolPayloads::OF_CLIENT);
        let marked: serde_json::Value = serde_json::from_str(&marked).unwrap();
        let number = encode(marked["arguments"][0].as_str().unwrap());
        let (like_marked, words) = ("\u{f1e5}#7", encode("né"));
        let sent = json!({
            "mcp-param-a": number, "mcp-param-b": encode(&to_library_text(like_marked)), "mcp-param-c": words,
            "mcp-param-d": "7", "x-mine": number,
        });
        let header = |(name, value): (&String, &serde_json::Value)| {
            (name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value.as_str().unwrap()).unwrap())
        };
        let plain = plain_headers(sent.as_object().unwrap().iter().map(header).collect());
        let said = |name: &str| plain.get(&name.parse::<HeaderName>().unwrap()).unwrap().to_str().unwrap();
        assert_eq!(said("mcp-param-a"), "12345678901234567890123");
        assert_eq!(said("mcp-param-b"), encode(like_marked));
        assert_eq!((said("mcp-param-c"), said("mcp-param-d"), said("x-mine")), (&*words, "7", &*number));
    }
}
