//! The server of Entracte: what its use cases do, as REST under `/v1`, and who may ask for it.
//!
//! A request passes, in this order: [`guard`] (does it name us, and does it come from a page of ours), the limits of the
//! connection ([`serve`]), [`access`] (whose token is it, what may it, and is the workspace of the path its own),
//! [`body`] (is it JSON, measured and of the right shape), and then one route, which calls one use case and shapes what
//! it gives ([`shapes`]). What is refused is a [`problem`]. Lists come in pages ([`page`]); what is changed or decided
//! names what was read ([`etag`]), and what is asked under a key is done once ([`once`]).

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
