//! What a wire of one's own needs and need not write again: server-sent events, the client that waits no longer than it
//! should, when to come back, which ids of calls and which schemas a server takes.
//!
//! All of it is pure but [`TimedClient`]. How a request is written and an answer is read is the wire's own.
//!
//! ```
//! use entracte_adapters_providers::wire::{Decoder, Rule, fits};
//!
//! let mut decoder = Decoder::new(1 << 20);
//! let frames = decoder.push(b"event: word\ndata: At nine.\n\ndata: [DO").unwrap();
//! assert_eq!((frames.len(), frames[0].data.as_str()), (1, "At nine."));
//!
//! let open = serde_json::json!({ "type": "object", "properties": { "at": { "type": "string" } } });
//! assert!(!fits(&open, Rule::Closed), "a server that enforces schemas refuses this one");
//! ```

pub use crate::call_id_format::{CallIdFormat, have_valid_ids, is_id};
pub use crate::retry_after::retry_after;
pub use crate::schema_fit::{SchemaRule, fits, without_draft};
pub use crate::sse::{SseDecoder, SseFrame, SseFrameFault};
pub use crate::timed_client::{
    ClientTimeouts, TimedClient, TimedClientError, TimedResponse, failure_class_of_status,
};
pub use reqwest::header::HeaderMap;
