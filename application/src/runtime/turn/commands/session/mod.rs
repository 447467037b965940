//! Requests to a session.

mod attachment;
mod change;
mod comment;
mod conversation;
mod copies;
mod decision;
mod lifecycle;
mod question;
mod settlement;
mod spending;
