//! Clients of the API: one trait with two transports, the routes of this process and a server over HTTP.
//!
//! | module | what it is |
//! |---|---|
//! | `api_path` | Paths of the API with their queries, percent-encoded. |
//! | `event_stream` | A stream of the API: frames with their cursors. |
//! | `server_address` | The address of a server, to which a token may be sent. |
//! | `in_process` | The routes of this process, called without a connection. |
//! | `over_http` | A server, over HTTP. |

pub mod api_path;
pub mod event_stream;
pub mod in_process;
pub mod over_http;
pub mod server_address;

use async_trait::async_trait;
use bytes::Bytes;
use http::Method;

use self::event_stream::ApiEventStream;
use crate::problem::Problem;

/// A request to the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiRequest {
    /// The method.
    pub method: Method,
    /// The path and the query, without a base path: `/v1/workspaces/local:main/rules?all=true`.
    pub target: String,
    /// The body; `None` if there is none.
    pub body: Option<Bytes>,
    /// The content type of the body.
    pub content_type: &'static str,
    /// The tag of the version that was read, for a change that names it.
    pub if_match: Option<String>,
    /// The key of a POST that may be sent again after a lost connection; drawn anew for each request.
    pub idempotency_key: Option<String>,
}

impl ApiRequest {
    /// A request without a body.
    pub fn new(method: Method, target: impl Into<String>) -> Self {
        Self {
            method,
            target: target.into(),
            body: None,
            content_type: "application/json",
            if_match: None,
            idempotency_key: None,
        }
    }

    /// Adds the JSON of a body.
    #[must_use]
    pub fn with_body(self, body: impl Into<Bytes>) -> Self {
        Self { body: Some(body.into()), ..self }
    }

    /// Adds the bytes of a file as the body.
    #[must_use]
    pub fn with_file(self, bytes: impl Into<Bytes>) -> Self {
        Self { body: Some(bytes.into()), content_type: "application/octet-stream", ..self }
    }

    /// Adds the tag of the version that was read.
    #[must_use]
    pub fn with_if_match(self, tag: impl Into<String>) -> Self {
        Self { if_match: Some(tag.into()), ..self }
    }

    /// Adds a key under which the request is done once, however often it is sent.
    #[must_use]
    pub fn with_idempotency_key(self, key: impl Into<String>) -> Self {
        Self { idempotency_key: Some(key.into()), ..self }
    }
}

/// An answer of the API with a status of 2xx.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiAnswer {
    /// The status.
    pub status: u16,
    /// The tag of the version that the answer shows; `None` if the resource has none.
    pub etag: Option<String>,
    /// The body; empty if there is none.
    pub body: Bytes,
}

/// Why a request got no answer of 2xx.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApiFault {
    /// The API refused it, with the reason.
    #[error("{}", .0.detail())]
    Refused(Problem),
    /// The server was not reached; nothing was done.
    #[error("{server} cannot be reached: {why}")]
    Unreachable {
        /// The address of the server.
        server: String,
        /// Why.
        why: String,
    },
    /// The connection was lost before the answer came; the request may have been done.
    #[error("the answer of {server} was lost: {why}")]
    Lost {
        /// The address of the server.
        server: String,
        /// Why.
        why: String,
    },
    /// The server sends requests elsewhere, where no token is sent.
    #[error("{server} answers that it is now {place}")]
    Redirected {
        /// The address of the server.
        server: String,
        /// Where it sends requests.
        place: String,
    },
    /// What answers there is no server of Entracte, or a program between it and this one.
    #[error("{server} answered {status}, which is not an answer of Entracte")]
    NotEntracte {
        /// The address of the server.
        server: String,
        /// The status of the answer.
        status: u16,
    },
    /// The stream is none that this program can read.
    #[error("the stream of {server} cannot be read: {why}")]
    Unreadable {
        /// The address of the server.
        server: String,
        /// Why.
        why: String,
    },
    /// The answer is larger than `most` bytes.
    #[error("the answer of {server} has more than {most} bytes")]
    TooLarge {
        /// The address of the server.
        server: String,
        /// The most bytes of an answer.
        most: usize,
    },
}

/// Calls the API.
#[async_trait]
pub trait ApiTransport: Send + Sync {
    /// Sends a request, and returns the whole answer.
    ///
    /// # Errors
    /// Every answer but one of 2xx is a fault, and so is none.
    async fn call(&self, request: ApiRequest) -> Result<ApiAnswer, ApiFault>;

    /// Opens a stream of server-sent events.
    ///
    /// # Errors
    /// Every answer but one of 2xx is a fault, and so is none.
    async fn stream(&self, request: ApiRequest) -> Result<ApiEventStream, ApiFault>;
}
