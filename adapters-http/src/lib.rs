//! The HTTP server of Entracte: its use cases as REST under `/v1`, with access control.
//!
//! A request passes, in this order: [`origin_guard`] (host names and origins), the limits of the connection
//! ([`server`]), [`authentication`] (token, scope, and access to the workspace of the path), [`extractors`] (size and
//! shape of the body), and then one route, which calls one use case and converts its result ([`shapes`]). A refusal is
//! a [`problem`]. Large answers to reads are compressed (`compression`). Lists come in pages ([`pagination`]); changes and decisions name the version that was read
//! ([`etag`]), and requests under an idempotency key run once ([`idempotency`]).
//!
//! # Modules, from the bottom
//!
//! Each imports from and calls only those above it: `layers_hold_in_every_crate` reads this table, and a new module gets its
//! row here.
//!
//! | module | what it is |
//! |---|---|
//! | `limits` | Limits of requests and connections. |
//! | `address_limiter` | Limits how many permits each client address may hold at the same time. |
//! | `client_address` | The address of a client, as trusted proxies report it: `X-Forwarded-For` and `Forwarded` (RFC 7239). |
//! | `tls` | TLS of the server and of clients, with the cryptography that the program passes in, and the check of the server's bind address. |
//! | `origin_guard` | Origin guard: checks the headers that browsers set, before everything else. |
//! | `problem` | Error responses: `application/problem+json`, with a machine-readable code. |
//! | `reader_language` | The language that a request asks for: its `Accept-Language`. |
//! | `problem_page` | Problems as pages, for people who open an address that a browser cannot show. |
//! | `idempotency` | Idempotency keys: a request under an `Idempotency-Key` runs once, however often it is sent. |
//! | `request_heads` | Limits incomplete request heads: while a head on a connection is incomplete, it holds a permit of its address. |
//! | `connection` | A connection's permits, and its timeout if it accepts no byte for too long, so that a client that stops reading holds nothing open. |
//! | `stream_registry` | Registry of open streams, and of who is present; in memory only. |
//! | `terminal_logins` | The open logins of terminals, which a person decides about in the console; in memory only. |
//! | `observability` | Metrics of this process and of the database; with the feature `opentelemetry` traces and metrics for a collector (adr 55). |
//! | `file_bodies` | Bounds how many bodies with files are in memory at the same time. |
//! | `multipart` | Splits a body of `multipart/form-data` into its files. |
//! | `server_state` | The shared state of all routes: ports, configuration, rate limiters and the shutdown signal. |
//! | `pagination` | Pagination by the key of the last item instead of a count, so that insertions neither repeat nor skip items. |
//! | `etag` | Entity tags: every change and decision sends back the tag of the version that was read. |
//! | `embedding_origin` | Embedded chat on pages of other sites: a token names one session and the origins whose pages may send it. |
//! | `disclosure` | Which answers contain workspace data, and the check that a token may read it. |
//! | `authentication` | Authentication and authorization: whose token, which scopes, which workspace (adr 43). |
//! | `extractors` | Request extractors: validate bodies and query strings before handlers see them. |
//! | `shapes` | Shapes: the DTOs of the HTTP API. They are separate from stored types, so that storage may change while the API does not: fields are added, none is renamed. |
//! | `stream` | Streams: subscriptions to the log over an open connection. |
//! | `agui` | AG-UI 1.0, a protocol of third-party chat clients: a session is one of their threads, and its events come from the same frames as every stream. |
//! | `event_lines` | Reads server-sent events line by line, whatever pieces their bytes come in. |
//! | `remote_stream_source` | Client of another process's session stream: receives live model text from a server that uses the same database. |
//! | `routes` | All routes: one verb per file, each with one use case. |
//! | `openapi` | The OpenAPI documents, generated from the routes: 3.1, which is committed, and 3.0, made of it. |
//! | `api_transport` | Clients of the API: one trait with two transports, the routes of this process and a server over HTTP. |
//! | `compression` | Compression of large answers to reads with Brotli or gzip; never of streams, of answers to changes, or of what names secrets. |
//! | `console` | The console: the pages where people decide, as files in the program. |
//! | `static_pages` | The page of the OpenAPI document, the page that links lead to, and the security policy of every page. |
//! | `server` | The listener: accepts connections, passes each request through its checks, and shuts down in order. |

// Embedders need to know what each failure means, and whether to retry.
#![warn(clippy::missing_errors_doc)]

mod address_limiter;
mod agui;
pub mod api_transport;
pub mod authentication;
mod client_address;
mod compression;
mod connection;
mod console;
mod disclosure;
mod embedding_origin;
pub mod etag;
mod event_lines;
pub mod extractors;
mod file_bodies;
pub mod idempotency;
pub mod limits;
mod multipart;
pub mod observability;
pub mod openapi;
pub mod origin_guard;
pub mod pagination;
pub mod problem;
mod problem_page;
mod reader_language;
pub mod remote_stream_source;
mod request_heads;
mod routes;
pub mod server;
pub mod server_state;
pub mod shapes;
mod static_pages;
mod stream;
mod stream_registry;
mod terminal_logins;
pub mod tls;
