//! Registry of open streams.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use entracte_application::ports::{AccessStore, Clock};
use entracte_application::texts::{LocalizedMessage, saying};
use entracte_domain::id::{Digest, WorkspaceKey};
use entracte_domain::time::Millis;

use crate::limits::HttpServerLimits;
use crate::problem::{Problem, ProblemCode};

/// Open streams. In memory only: no action and no stored state depends on it.
#[derive(Debug, Default)]
pub(crate) struct StreamRegistry(Mutex<StreamRegistryState>);

#[derive(Debug, Default)]
struct StreamRegistryState {
    workspaces: HashMap<WorkspaceKey, usize>,
    tokens: HashMap<String, TokenStreams>,
    /// The stream that each ticket opened last, by its number.
    tickets: HashMap<Digest, u64>,
    /// The number of the latest stream.
    latest: u64,
}

/// Streams of one token.
#[derive(Debug, Default)]
struct TokenStreams {
    streams: usize,
    /// Time and result of the last token check.
    looked: Option<(Millis, bool)>,
}

/// The permit of one stream, released on drop.
#[derive(Debug)]
pub(crate) struct StreamPermit {
    audience: Arc<StreamRegistry>,
    workspace: WorkspaceKey,
    token: String,
    /// The ticket that opened it, and its number.
    ticket: Option<(Digest, u64)>,
}

/// What opens a stream: a token, or a ticket in place of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamCredential<'a> {
    /// The id of the token.
    pub(crate) token: &'a str,
    /// The hash of the ticket, if one was sent.
    pub(crate) ticket: Option<&'a Digest>,
}

impl StreamRegistry {
    /// Acquires a permit for a stream. A ticket opens one stream at a time: an earlier one of it ends, and does not count.
    pub(crate) fn acquire_permit(
        self: &Arc<Self>,
        workspace: &WorkspaceKey,
        StreamCredential { token, ticket }: StreamCredential<'_>,
        limits: &HttpServerLimits,
    ) -> Result<StreamPermit, Problem> {
        let mut rows = self.lock();
        let replaced = usize::from(ticket.is_some_and(|ticket| rows.tickets.contains_key(ticket)));
        let here = rows.workspaces.get(workspace).copied().unwrap_or_default().saturating_sub(replaced);
        let own = rows.tokens.get(token).map_or(0, |reader| reader.streams).saturating_sub(replaced);
        let is_full = |open: usize, most: usize| most > 0 && open >= most;
        if is_full(here, limits.streams) {
            return Err(too_many_streams_problem(saying!("refusal-streams-workspace", open = here)));
        }
        if is_full(own, limits.streams_per_token) {
            return Err(too_many_streams_problem(saying!("refusal-streams-token", open = own)));
        }
        *rows.workspaces.entry(workspace.clone()).or_default() += 1;
        rows.tokens.entry(token.to_owned()).or_default().streams += 1;
        rows.latest += 1;
        let number = rows.latest;
        let ticket = ticket.map(|ticket| (ticket.clone(), number));
        rows.tickets.extend(ticket.clone());
        let (workspace, token) = (workspace.clone(), token.to_owned());
        Ok(StreamPermit { audience: self.clone(), workspace, token, ticket })
    }

    fn lock(&self) -> MutexGuard<'_, StreamRegistryState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cached_token_validity(&self, token: &str, now: Millis, look: Millis) -> Option<bool> {
        let looked = self.lock().tokens.get(token).and_then(|reader| reader.looked);
        looked.filter(|(at, _)| now.0.saturating_sub(at.0) < look.0).map(|(_, counts)| counts)
    }
}

impl StreamPermit {
    /// Whether the ticket of this stream opened another one since.
    pub(crate) fn is_replaced(&self) -> bool {
        let Some((ticket, number)) = &self.ticket else { return false };
        self.audience.lock().tickets.get(ticket).is_some_and(|latest| latest > number)
    }

    /// Whether the token is still valid. All streams of a token share one check per `look`.
    pub(crate) async fn is_token_valid(
        &self,
        access: &dyn AccessStore,
        clock: &dyn Clock,
        look: Millis,
    ) -> bool {
        let now = clock.monotonic();
        if let Some(known) = self.audience.cached_token_validity(&self.token, now, look) {
            return known;
        }
        let counts = match access.token(&self.token).await {
            Ok(Some((token, _))) => {
                let is_over = token.expires_at.is_some_and(|at| at <= clock.now());
                token.revoked_at.is_none() && !is_over
            }
            Ok(None) => false,
            // After a failed check the token counts as valid until the next one.
            Err(error) => {
                tracing::warn!(%error, "it is not known whether the token of a stream still counts");
                true
            }
        };
        if let Some(reader) = self.audience.lock().tokens.get_mut(&self.token) {
            reader.looked = Some((now, counts));
        }
        counts
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut rows = self.audience.lock();
        if let Some(open) = rows.workspaces.get_mut(&self.workspace) {
            *open = open.saturating_sub(1);
        }
        rows.workspaces.retain(|_, open| *open > 0);
        if let Some(reader) = rows.tokens.get_mut(&self.token) {
            reader.streams = reader.streams.saturating_sub(1);
        }
        rows.tokens.retain(|_, reader| reader.streams > 0);
        if let Some((ticket, number)) = &self.ticket
            && rows.tickets.get(ticket) == Some(number)
        {
            rows.tickets.remove(ticket);
        }
    }
}

fn too_many_streams_problem(text: LocalizedMessage) -> Problem {
    Problem::new(ProblemCode::TooManyStreams, text).with_retry_after(5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permit_is_released_when_stream_ends() {
        let (audience, home) = (Arc::new(StreamRegistry::default()), WorkspaceKey::new("ann:home"));
        let limits = HttpServerLimits { streams: 2, streams_per_token: 1, ..HttpServerLimits::default() };
        let of = |token| StreamCredential { token, ticket: None };
        let first = audience.acquire_permit(&home, of("t1"), &limits).unwrap();
        assert_eq!(
            audience.acquire_permit(&home, of("t1"), &limits).unwrap_err().code(),
            ProblemCode::TooManyStreams
        );
        let _second = audience.acquire_permit(&home, of("t2"), &limits).unwrap();
        assert!(audience.acquire_permit(&home, of("t3"), &limits).is_err(), "the workspace is full");
        assert!(audience.acquire_permit(&WorkspaceKey::new("eve:other"), of("t3"), &limits).is_ok());
        drop(first);
        assert!(audience.acquire_permit(&home, of("t1"), &limits).is_ok());
    }

    #[test]
    fn ticket_opens_one_stream_at_a_time() {
        let (audience, home) = (Arc::new(StreamRegistry::default()), WorkspaceKey::new("ann:home"));
        let limits = HttpServerLimits { streams: 1, streams_per_token: 1, ..HttpServerLimits::default() };
        let ticket = Digest::new("hash");
        let by_ticket = StreamCredential { token: "t1", ticket: Some(&ticket) };
        let first = audience.acquire_permit(&home, by_ticket, &limits).unwrap();
        assert!(!first.is_replaced());
        let second = audience.acquire_permit(&home, by_ticket, &limits).expect("the first one ends");
        assert!(first.is_replaced() && !second.is_replaced());
        drop(first);
        assert!(!second.is_replaced(), "the end of the first one is not the second one's");
        let third = audience.acquire_permit(&home, by_ticket, &limits).unwrap();
        drop(third);
        assert!(!second.is_replaced(), "one that came to nothing replaces nothing");
        drop(second);
        let second = audience.acquire_permit(&home, by_ticket, &limits).unwrap();
        let by_token = StreamCredential { token: "t1", ticket: None };
        assert!(audience.acquire_permit(&home, by_token, &limits).is_err(), "the token has its one stream");
        drop(second);
        assert!(audience.lock().tickets.is_empty());
    }
}
