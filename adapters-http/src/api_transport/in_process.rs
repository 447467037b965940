//! The routes of this process, called without a connection, as the local user.

use std::convert::Infallible;
use std::sync::Arc;

use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use axum::response::Response;
use entracte_application::texts::ReaderLanguage;
use futures_util::TryStreamExt;
use http::{HeaderValue, Request, StatusCode, header};
use http_body_util::BodyExt;
use tower::ServiceExt;

use super::event_stream::ApiEventStream;
use super::{ApiAnswer, ApiFault, ApiRequest, ApiTransport};
use crate::authentication::{LocalRequest, TokenPrincipal};
use crate::idempotency;
use crate::problem::Problem;
use crate::routes;
use crate::server_state::ServerState;

/// The API of this process. Only this process can call it, so a request passes no check of its host, its origin or its
/// token, and no limit of connections.
pub struct InProcessTransport {
    router: Router,
    principal: TokenPrincipal,
    reader: ReaderLanguage,
}

impl InProcessTransport {
    /// The API over this state, for the local user with this name.
    pub fn new(state: Arc<ServerState>, author: &str) -> Self {
        let routes = routes::router().route_layer(axum::middleware::from_fn(idempotency::apply_idempotency));
        let (principal, reader) = (TokenPrincipal::local(author), ReaderLanguage::OF_WORKSPACE);
        Self { router: routes.with_state(state), principal, reader }
    }

    /// Asks for answers in the language of this reader.
    #[must_use]
    pub fn for_reader(self, reader: ReaderLanguage) -> Self {
        Self { reader, ..self }
    }

    async fn route(&self, request: ApiRequest) -> Result<Response, ApiFault> {
        let answered = self.router.clone().oneshot(self.to_http(request)?).await;
        let response = answered.unwrap_or_else(|never: Infallible| match never {});
        // A refusal stays a value: its text is rendered by the reader, in their language.
        if let Some(problem) = response.extensions().get::<Problem>() {
            return Err(ApiFault::Refused(problem.clone()));
        }
        match response.status() {
            status if status.is_success() => Ok(response),
            status => Err(ApiFault::Refused(Problem::from_status(status))),
        }
    }

    fn to_http(&self, request: ApiRequest) -> Result<Request<Body>, ApiFault> {
        let malformed = || ApiFault::Refused(Problem::from_status(StatusCode::BAD_REQUEST));
        let mut built = Request::builder().method(request.method).uri(request.target);
        if let Some(language) = self.reader.requested() {
            built = built.header(header::ACCEPT_LANGUAGE, language.word());
        }
        if let Some(tag) = request.if_match {
            built = built.header(header::IF_MATCH, tag);
        }
        if let Some(key) = request.idempotency_key {
            built = built.header(idempotency::KEY, key);
        }
        let body = match request.body {
            Some(body) => {
                let kind = HeaderValue::from_static(request.content_type);
                built = built.header(header::CONTENT_TYPE, kind);
                Body::from(body)
            }
            None => Body::empty(),
        };
        built.extension(LocalRequest(self.principal.clone())).body(body).map_err(|_| malformed())
    }
}

#[async_trait]
impl ApiTransport for InProcessTransport {
    async fn call(&self, request: ApiRequest) -> Result<ApiAnswer, ApiFault> {
        let (parts, body) = self.route(request).await?.into_parts();
        let internal = |_| ApiFault::Refused(Problem::from_status(StatusCode::INTERNAL_SERVER_ERROR));
        let body = body.collect().await.map_err(internal)?.to_bytes();
        let etag = parts.headers.get(header::ETAG).and_then(|tag| tag.to_str().ok()).map(str::to_owned);
        Ok(ApiAnswer { status: parts.status.as_u16(), etag, body })
    }

    async fn stream(&self, request: ApiRequest) -> Result<ApiEventStream, ApiFault> {
        let body = self.route(request).await?.into_body();
        let internal = |_| ApiFault::Refused(Problem::from_status(StatusCode::INTERNAL_SERVER_ERROR));
        Ok(ApiEventStream::new(
            Box::pin(TryStreamExt::map_err(body.into_data_stream(), internal)),
            String::new(),
        ))
    }
}
