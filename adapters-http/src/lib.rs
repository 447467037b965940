//! The server of Entracte: what its use cases do, as REST under `/v1`, and who may ask for it.
//!
//! A request passes, in this order: [`guard`] (does it name us, and does it come from a page of ours), the limits of the
//! connection ([`serve`]), [`access`] (whose token is it, what may it, and is the workspace of the path its own),
//! [`body`] (is it JSON, measured and of the right shape), and then one route, which calls one use case and shapes what
//! it gives ([`shapes`]). What is refused is a [`problem`]. Lists come in pages ([`page`]); what is changed or decided
//! names what was read ([`etag`]), and what is asked under a key is done once ([`once`]).

pub mod access;
mod agui;
mod audience;
pub mod body;
mod client_address;
mod connection;
mod console;
mod disclosure;
pub mod document;
mod embed;
pub mod etag;
pub mod guard;
mod heads;
pub mod house;
pub mod limits;
pub mod observe;
pub mod once;
pub mod page;
mod pages;
mod per_address;
pub mod problem;
pub mod relay;
mod routes;
pub mod serve;
pub mod shapes;
mod stream;
pub mod tls;
