//! The listener: accepts connections, passes each request through its checks, and shuts down in order.
//!
//! It has its own accept loop, because the shutdown has two parts. First the work behind the server completes:
//! meanwhile every request is still answered, and requests for new work get the problem `shutting-down`. Then the
//! listener closes, and running requests complete. Both together take at most
//! [`HttpServerLimits::grace`](crate::limits::HttpServerLimits::grace), plus a moment for the answers.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, MatchedPath, State};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use entracte_application::texts::{Language, LocalizedTexts, ReaderLanguage, saying};
use entracte_domain::time::Millis;
use futures_util::FutureExt;
use http::{Extensions, HeaderName, HeaderValue, Request, StatusCode, Uri, header};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::{TokioIo, TokioTimer};
use ipnet::IpNet;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

use crate::address_limiter::{AddressLimiter, AddressPermit};
use crate::authentication::{AdmittedWorkspace, ClientAddress, is_safe_method};
use crate::client_address::client_address;
use crate::compression;
use crate::connection::{ConnectionPermit, WriteTimeoutStream};
use crate::console;
use crate::disclosure::{self, RouteDisclosures};
use crate::embedding_origin::{self, EmbeddingOrigin};
use crate::idempotency;
use crate::openapi;
use crate::origin_guard::{self, OriginHeaders, OriginRefusal, RequestOrigin};
use crate::problem::{MEDIA_TYPE, Problem, ProblemCode};
use crate::problem_page::PageRequest;
use crate::reader_language::reader_of;
use crate::request_heads::{HeadStream, HeadTracker};
use crate::routes;
use crate::server_state::ServerState;
use crate::static_pages::{self, DATA_POLICY, POLICY};

/// Delay before the next attempt to accept a connection, after a failure for lack of resources.
const BREATHER: Duration = Duration::from_millis(100);

/// Route label of requests that no route matches.
const NO_ROUTE: &str = "none";

/// Reason for closing a connection whose client reads nothing.
const SLOW: &str = "slow";

/// Address of clients that the server of a host names none of.
const UNKNOWN_PEER: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// Time that running requests get at shutdown, however long the work behind the server took.
const LAST_ANSWERS: Millis = Millis::seconds(1);

/// Listener and transport settings of the server.
pub struct ServerListener {
    /// Accepts connections.
    pub listener: TcpListener,
    /// Certificate and key; `None` means plain HTTP.
    pub tls: Option<Arc<rustls::ServerConfig>>,
    /// Proxies whose report of a client's address is trusted.
    pub trusted_proxies: Vec<IpNet>,
}

/// The HTTP server.
pub struct HttpServer {
    state: Arc<ServerState>,
    router: Router,
    /// Limits the connections of each address.
    connections: Arc<AddressLimiter>,
    /// Limits the connections of each address with an incomplete request head.
    heads: Arc<AddressLimiter>,
    /// Whether connections close after their current request.
    closes: watch::Sender<bool>,
}

impl HttpServer {
    /// A server for this state.
    pub fn new(state: Arc<ServerState>) -> Self {
        let routes = routes::router();
        let shown = Arc::new(RouteDisclosures::from_document(&openapi::build_openapi()));
        let routes =
            routes.route_layer(axum::middleware::from_fn_with_state(state.clone(), notify_list_changes));
        let routes =
            routes.route_layer(axum::middleware::from_fn_with_state(state.clone(), localize_problems));
        let routes = routes.route_layer(axum::middleware::from_fn(idempotency::apply_idempotency));
        let routes =
            routes.route_layer(axum::middleware::from_fn_with_state(shown, disclosure::limit_disclosure));
        let routes = routes.merge(static_pages::all()).merge(console::all());
        let compresses = axum::middleware::from_fn_with_state(state.clone(), compression::compress_answer);
        let router = routes.layer(compresses).layer(axum::middleware::from_fn(name_route));
        let router = router.with_state(state.clone());
        let limits = &state.terms.limits;
        let connections = AddressLimiter::new(limits.connections_per_address);
        let heads = AddressLimiter::new(limits.heads_per_address);
        Self { state, router, connections, heads, closes: watch::Sender::new(false) }
    }

    /// Serves until `end` completes. Then no new work starts; `rest` is the work behind the server, and is polled until
    /// it completes. After that, running requests complete.
    pub async fn run(
        self,
        front: ServerListener,
        end: impl Future<Output = ()>,
        rest: impl Future<Output = ()>,
    ) {
        let room = u32::try_from(self.state.terms.limits.connections.max(1)).unwrap_or(u32::MAX);
        let connections = Arc::new(Semaphore::new(room as usize));
        let (state, server) = (self.state.clone(), Arc::new(self));
        let (clock, grace) = (state.ports.clock.clone(), state.terms.limits.grace);
        server.accept_connections(&front, &connections, end).await;
        state.begin_shutdown();
        let begun = clock.monotonic();
        server.accept_connections(&front, &connections, rest).await;
        drop(front.listener);
        server.closes.send_replace(true);
        let passed = clock.monotonic().0.saturating_sub(begun.0);
        let left = Millis(grace.0.saturating_sub(passed)).max(LAST_ANSWERS);
        tokio::select! {
            _all_ended = connections.acquire_many(room) => {}
            () = clock.sleep(left) => tracing::warn!("requests that still ran were cut"),
        }
    }

    /// Accepts connections until `end` completes.
    async fn accept_connections(
        self: &Arc<Self>,
        front: &ServerListener,
        connections: &Arc<Semaphore>,
        end: impl Future<Output = ()>,
    ) {
        let mut end = std::pin::pin!(end);
        loop {
            let permit = tokio::select! {
                biased;
                () = &mut end => return,
                permit = connections.clone().acquire_owned() => permit,
            };
            let Ok(permit) = permit else { return };
            let accepted = tokio::select! {
                biased;
                () = &mut end => return,
                accepted = front.listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => self.clone().handle_connection(front, stream, peer, permit),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be taken");
                    tokio::time::sleep(BREATHER).await;
                }
            }
        }
    }

    fn handle_connection(
        self: Arc<Self>,
        front: &ServerListener,
        stream: TcpStream,
        peer: SocketAddr,
        permit: OwnedSemaphorePermit,
    ) {
        let tls = front.tls.clone().map(TlsAcceptor::from);
        let (place, heads) = match self.acquire_address_permits(front, peer.ip()) {
            Ok(places) => places,
            Err(limit) => {
                self.state.ports.meters.record_refused_connection(limit.word);
                tracing::debug!(peer = %peer.ip(), limit = limit.word, "a connection was refused");
                if tls.is_none() {
                    tokio::spawn(send_refusal(stream, limit));
                }
                return;
            }
        };
        let trusted = Arc::new(front.trusted_proxies.clone());
        let limit = Duration::from_millis(self.state.terms.limits.head_timeout.0.max(1).unsigned_abs());
        tokio::spawn(async move {
            let stall = Duration::from_millis(self.state.terms.limits.stall_timeout.0.max(1).unsigned_abs());
            let meters = self.state.ports.meters.clone();
            let stream = WriteTimeoutStream::new(stream, stall, move || meters.record_stream_end(SLOW));
            let open = ConnectionPermit::new(permit, place);
            let visit = ConnectionHandler { server: self, peer: peer.ip(), trusted, limit, open, heads };
            match tls {
                None => visit.serve(stream).await,
                Some(tls) => match tokio::time::timeout(limit, tls.accept(stream)).await {
                    Ok(Ok(stream)) => visit.serve(stream).await,
                    Ok(Err(error)) => tracing::debug!(%error, "no TLS was agreed on"),
                    Err(_) => tracing::debug!("no TLS was agreed on in time"),
                },
            }
        });
    }

    /// Acquires the address permits of a connection. Trusted proxies are not limited, because many clients are behind
    /// one.
    fn acquire_address_permits(
        &self,
        front: &ServerListener,
        peer: IpAddr,
    ) -> Result<(Option<AddressPermit>, HeadTracker), ExceededAddressLimit> {
        if front.trusted_proxies.iter().any(|net| net.contains(&peer.to_canonical())) {
            return Ok((None, HeadTracker::uncounted()));
        }
        let limits = &self.state.terms.limits;
        let over = |word, setting, most| ExceededAddressLimit { word, setting, most };
        let place = self.connections.try_acquire(peer).ok_or_else(|| {
            over("connections", "server.connections_per_address", limits.connections_per_address)
        })?;
        let heads = HeadTracker::start_head(&self.heads, peer)
            .ok_or_else(|| over("heads", "server.heads_per_address", limits.heads_per_address))?;
        Ok((Some(place), heads))
    }

    /// The routes for the server of a host, which merges them into its router: every path is under the base path of the
    /// configuration, and beside it nothing is taken. Connections, TLS, their limits and the shutdown are the host's
    /// ([`ServerState::begin_shutdown`] refuses new work before); all else is checked as [`HttpServer::run`] does.
    ///
    /// The client of a request is the address in its `ConnectInfo<SocketAddr>`, or whom a trusted proxy reports. Without
    /// it all clients count as one, so a limit of one address is a limit of all.
    pub fn into_router(self, trusted_proxies: Vec<IpNet>) -> Router {
        let base = self.state.terms.base_path.clone();
        let (server, trusted) = (Arc::new(self), Arc::new(trusted_proxies));
        let all = any(move |request: Request<Body>| {
            let (server, trusted) = (server.clone(), trusted.clone());
            async move { server.handle_mounted(request, &trusted).await }
        });
        let below = Router::new()
            .route(&format!("{base}/"), all.clone())
            .route(&format!("{base}/{{*path}}"), all.clone());
        if base.is_empty() { below } else { below.route(&base, all) }
    }

    /// Handles a request that the server of a host has taken.
    async fn handle_mounted(&self, request: Request<Body>, trusted: &[IpNet]) -> Response {
        let (mut parts, body) = request.into_parts();
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        let client = client_address(peer.unwrap_or(UNKNOWN_PEER), &parts.headers, trusted);
        // What the routes and layers of the host have read of the request is not what ours read of it.
        let upgrade = parts.extensions.remove::<OnUpgrade>();
        parts.extensions = Extensions::new();
        if let Some(upgrade) = upgrade {
            parts.extensions.insert(upgrade);
        }
        self.handle_request(Request::from_parts(parts, body), client, None).await
    }

    /// Handles one request; `open` holds its connection, unless that is the host's.
    async fn handle_request(
        &self,
        request: Request<Body>,
        client: IpAddr,
        open: Option<ConnectionPermit>,
    ) -> Response {
        let begun = self.state.ports.clock.monotonic();
        let id = format!("req_{}", self.state.ports.ids.key());
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let page = PageRequest::read(&method, request.headers(), &self.state.terms.base_path);
        let reader = reader_of(request.headers());
        let done = AssertUnwindSafe(self.check_and_route(request, client, open)).catch_unwind().await;
        let response = done.unwrap_or_else(|_| {
            tracing::error!(request = id, %method, path, "a request panicked");
            Problem::from_status(StatusCode::INTERNAL_SERVER_ERROR).into_response()
        });
        let route = response.extensions().get::<MatchedPath>().cloned();
        let elsewhere = response.extensions().get::<EmbeddingOrigin>().cloned();
        let mut response = finalize_response(response, &id, page.as_ref(), reader);
        if let Some(EmbeddingOrigin(origin)) = elsewhere {
            embedding_origin::add_cors_headers(&mut response, &origin);
        }
        let took = Millis(self.state.ports.clock.monotonic().0.saturating_sub(begun.0));
        let route = route.as_ref().map_or(NO_ROUTE, MatchedPath::as_str);
        self.state.ports.meters.record_request(route, response.status().as_u16(), took);
        tracing::debug!(request = id, %method, path, status = response.status().as_u16(), "answered");
        response
    }

    async fn check_and_route(
        &self,
        request: Request<Body>,
        client: IpAddr,
        open: Option<ConnectionPermit>,
    ) -> Response {
        let path = request.uri().path().strip_prefix(self.state.terms.base_path.as_str());
        // The base path without its slash is what people type.
        let path = path.map(|path| if path.is_empty() { "/" } else { path });
        let path = path.filter(|path| path.starts_with('/')).map(str::to_owned);
        let is_page = path.as_deref().is_some_and(static_pages::is_page);
        let authority = request.uri().authority().map(|authority| authority.as_str().to_owned());
        let heard = origin_guard::read_origin_headers(
            request.method(),
            authority.as_deref(),
            request.headers(),
            is_page,
        );
        let heard = OriginHeaders { takes_widget: path.as_deref() == Some(console::WIDGET), ..heard };
        let elsewhere = match origin_guard::check_origin(&self.state.terms.ours, &heard) {
            Ok(RequestOrigin::Here) => None,
            Ok(RequestOrigin::Elsewhere(origin)) => Some(origin),
            Err(refusal) => return origin_problem(refusal).into_response(),
        };
        let Some(origin) = elsewhere else { return self.route(request, path, client, open).await };
        let (method, headers) = (request.method(), request.headers());
        let named = path.as_deref().unwrap_or_default();
        let mut response = match embedding_origin::check_embedding_origin(
            &self.state,
            &origin,
            method,
            named,
            headers,
        )
        .await
        {
            Err(problem) => return problem.into_response(),
            Ok(Some(response)) => response,
            Ok(None) => self.route(request, path, client, open).await,
        };
        response.extensions_mut().insert(EmbeddingOrigin(origin));
        response
    }

    /// Passes a request to its route.
    async fn route(
        &self,
        mut request: Request<Body>,
        path: Option<String>,
        client: IpAddr,
        open: Option<ConnectionPermit>,
    ) -> Response {
        if self.state.is_shutting_down() && !is_safe_method(request.method()) {
            let text = saying!("refusal-ending");
            return Problem::new(ProblemCode::ShuttingDown, text).with_retry_after(5).into_response();
        }
        let Some(path) = path else {
            return Problem::from_status(StatusCode::NOT_FOUND).into_response();
        };
        if let Err(problem) = strip_base_path(&mut request, &path) {
            return problem.into_response();
        }
        request.extensions_mut().insert(ClientAddress(client));
        if let Some(open) = open {
            request.extensions_mut().insert(open);
        }
        let answered = self.router.clone().oneshot(request).await;
        answered.unwrap_or_else(|never| match never {})
    }
}

/// The address limit that a connection exceeded.
struct ExceededAddressLimit {
    word: &'static str,
    setting: &'static str,
    most: usize,
}

/// Sends the reason for refusing a connection, if it can be sent without a request.
async fn send_refusal(mut stream: TcpStream, limit: ExceededAddressLimit) {
    let ExceededAddressLimit { setting, most, .. } = limit;
    // No request says which language its reader asks for.
    let texts = LocalizedTexts::for_language(Language::default());
    let detail = saying!("refusal-address-full", most = most, setting = setting).render(texts);
    let body = serde_json::json!({
        "type": format!("urn:entracte:problem:{}", ProblemCode::RateLimited.word()),
        "title": ProblemCode::RateLimited.title(texts), "status": 429, "code": ProblemCode::RateLimited.word(), "detail": detail,
    });
    let body = body.to_string();
    let answer = format!(
        "HTTP/1.1 429 Too Many Requests\r\ncontent-type: {MEDIA_TYPE}\r\ncontent-length: {}\r\nretry-after: 1\r\n\
         connection: close\r\n\r\n{body}",
        body.len()
    );
    let told = async {
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await
    };
    // A client that does not read is not waited for.
    if let Ok(Err(error)) = tokio::time::timeout(BREATHER, told).await {
        tracing::debug!(%error, "a refused connection broke");
    }
}

/// Adds the matched route to the response, because metrics are labelled by route, not by path.
async fn name_route(request: axum::extract::Request, next: axum::middleware::Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let mut response = next.run(request).await;
    if let Some(route) = route {
        response.extensions_mut().insert(route);
    }
    response
}

/// Notifies the streams after a successful change, by any route, of a list that no log covers.
async fn notify_list_changes(
    State(state): State<Arc<ServerState>>,
    request: axum::extract::Request,
    next: axum::middleware::Next,
) -> Response {
    let is_of_list = request.extensions().get::<MatchedPath>().is_some_and(|route| {
        route.as_str().split('/').any(|part| matches!(part, "people" | "tokens" | "targets" | "secrets"))
    });
    let changes = is_of_list && !is_safe_method(request.method());
    let response = next.run(request).await;
    if changes && response.status().is_success() {
        state.notify_lists_changed();
    }
    response
}

/// Renders problems in the language of the workspace, where the request asks for none. Whoever may not enter the workspace
/// is not told its language, nor that it is there.
async fn localize_problems(
    State(state): State<Arc<ServerState>>,
    mut request: axum::extract::Request,
    next: axum::middleware::Next,
) -> Response {
    let reader = reader_of(request.headers());
    if reader.requested().is_some() {
        return next.run(request).await;
    }
    let admitted = AdmittedWorkspace::default();
    request.extensions_mut().insert(admitted.clone());
    let mut response = next.run(request).await;
    let told = response.extensions().get::<Problem>().cloned();
    if let (Some(workspace), Some(problem)) = (admitted.key(), told) {
        // English if the settings cannot be read.
        let language = state.language_for(workspace, reader).await.unwrap_or_default();
        response.extensions_mut().insert(problem.localize(LocalizedTexts::for_language(language)));
    }
    response
}

/// Serves one connection.
struct ConnectionHandler {
    server: Arc<HttpServer>,
    peer: IpAddr,
    trusted: Arc<Vec<IpNet>>,
    limit: Duration,
    open: ConnectionPermit,
    heads: HeadTracker,
}

impl ConnectionHandler {
    async fn serve(self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let (server, peer, trusted, open) = (self.server, self.peer, self.trusted, self.open);
        let stream = HeadStream::new(stream, self.heads.clone());
        let heads = self.heads;
        let mut closes = server.closes.subscribe();
        let service = service_fn(move |request: Request<Incoming>| {
            let (server, trusted, open) = (server.clone(), trusted.clone(), open.clone());
            let heads = heads.clone();
            heads.complete_head();
            async move {
                let client = client_address(peer, request.headers(), &trusted);
                let response = server.handle_request(request.map(Body::new), client, Some(open)).await;
                // A connection that was upgraded to another protocol has no more heads.
                if response.status() != StatusCode::SWITCHING_PROTOCOLS {
                    heads.complete_request();
                }
                Ok::<_, Infallible>(response)
            }
        });
        let mut http = hyper::server::conn::http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(self.limit);
        let mut connection =
            std::pin::pin!(http.serve_connection(TokioIo::new(stream), service).with_upgrades());
        let done = tokio::select! {
            done = connection.as_mut() => done,
            // Until then a server that shuts down still answers, even new clients.
            () = async { drop(closes.wait_for(|closes| *closes).await) } => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = done {
            tracing::debug!(%error, "a connection broke");
        }
    }
}

/// Removes the base path from the request's path.
fn strip_base_path(request: &mut Request<Body>, path: &str) -> Result<(), Problem> {
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    let uri: Result<Uri, _> = format!("{path}{query}").parse();
    *request.uri_mut() =
        uri.map_err(|_| Problem::new(ProblemCode::Malformed, saying!("refusal-path-unreadable")))?;
    Ok(())
}

fn origin_problem(refusal: OriginRefusal) -> Problem {
    match refusal {
        OriginRefusal::Host => {
            let text = saying!("refusal-host");
            Problem::new(ProblemCode::HostRefused, text)
        }
        OriginRefusal::Origin => {
            let text = saying!("refusal-origin");
            Problem::new(ProblemCode::OriginRefused, text)
        }
    }
}

/// Adds the headers of every response, and writes the body of a problem, in the language that the reader asks for.
fn finalize_response(
    mut response: Response,
    id: &str,
    page: Option<&PageRequest>,
    reader: ReaderLanguage,
) -> Response {
    let is_problem = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == MEDIA_TYPE);
    let written = |problem: Problem| match (page, reader.requested()) {
        (Some(page), _) => page.render(problem, id),
        (None, Some(language)) => {
            problem.localize(LocalizedTexts::for_language(language)).into_http_response(id)
        }
        (None, None) => problem.into_http_response(id),
    };
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        response = written(problem);
    } else if response.status().as_u16() >= 400 && !is_problem {
        let allow = response.headers_mut().remove(header::ALLOW);
        response = written(Problem::from_status(response.status()));
        if let Some(allow) = allow {
            response.headers_mut().insert(header::ALLOW, allow);
        }
    }
    // Streams and console files set it themselves, and the widget sets its resource policy.
    let control = HeaderValue::from_static("no-store");
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(control);
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    // The many scripts and style sheets of a page need no policy: that of the page counts.
    if !console::is_page_part(headers) {
        let is_page =
            headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
        let policy = HeaderValue::from_static(if is_page { POLICY } else { DATA_POLICY });
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    let policy = HeaderName::from_static("cross-origin-resource-policy");
    headers.entry(policy).or_insert(HeaderValue::from_static("same-origin"));
    if let Ok(value) = HeaderValue::from_str(id) {
        headers.insert(HeaderName::from_static("x-request-id"), value);
    }
    response
}
