//! Building blocks for custom wire adapters: server-sent events, a client with timeouts, retry delays, and the call ids
//! and schemas that servers accept.
//!
//! All of it is pure except [`TimedClient`]. The encoding of requests and decoding of answers is up to the wire
//! adapter.
//!
//! ```
//! use entracte_adapters_providers::wire::{SchemaRule, SseDecoder, fits};
//!
//! let mut decoder = SseDecoder::new(1 << 20);
//! let frames = decoder.push(b"event: word\ndata: At nine.\n\ndata: [DO").unwrap();
//! assert_eq!((frames.len(), frames[0].data.as_str()), (1, "At nine."));
//!
//! let open = r#"{"type":"object","properties":{"at":{"type":"string"}}}"#;
//! let open = entracte_application::schema::SchemaDocument::parse(open).unwrap();
//! assert!(!fits(&open, SchemaRule::Closed), "a server that enforces schemas refuses this one");
//! ```

pub use crate::call_id_format::{CallIdFormat, have_valid_ids, is_id};
pub use crate::retry_after::retry_after;
pub use crate::schema_fit::{SchemaRule, fits, without_draft};
pub use crate::sse::{SseDecoder, SseFrame, SseFrameFault};
pub use crate::timed_client::{
    ClientTimeouts, TimedClient, TimedClientError, TimedResponse, failure_class_of_status,
};
pub use reqwest::header::HeaderMap;
