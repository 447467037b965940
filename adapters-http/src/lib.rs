//! The HTTP server of Entracte: its use cases as REST under `/v1`, with access control.
//!
//! A request passes, in this order: [`origin_guard`] (host names and origins), the limits of the connection
//! ([`server`]), [`authentication`] (token, scope, and access to the workspace of the path), [`extractors`] (size and
//! shape of the body), and then one route, which calls one use case and converts its result ([`shapes`]). A refusal is
//! a [`problem`]. Lists come in pages ([`pagination`]); changes and decisions name the version that was read
//! ([`etag`]), and requests under an idempotency key run once ([`idempotency`]).

mod address_limiter;
mod agui;
pub mod authentication;
mod client_address;
mod connection;
mod console;
mod disclosure;
mod embedding_origin;
pub mod etag;
pub mod extractors;
pub mod idempotency;
pub mod limits;
pub mod observability;
pub mod openapi;
pub mod origin_guard;
pub mod pagination;
pub mod problem;
mod problem_page;
pub mod remote_stream_source;
mod request_heads;
mod routes;
pub mod server;
pub mod server_state;
pub mod shapes;
mod static_pages;
mod stream;
mod stream_registry;
pub mod tls;
