//! Registry of open streams and present people.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use entracte_application::ports::{AccessStore, Clock};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;

use crate::limits::HttpServerLimits;
use crate::problem::{Problem, ProblemCode};

/// Open streams and present people. In memory only: no action and no stored state depends on it.
#[derive(Debug, Default)]
pub(crate) struct StreamRegistry(Mutex<StreamRegistryState>);

#[derive(Debug, Default)]
struct StreamRegistryState {
    workspaces: HashMap<WorkspaceKey, usize>,
    tokens: HashMap<String, TokenStreams>,
    /// Time until which a person is present in a workspace.
    present: HashMap<(WorkspaceKey, String), Millis>,
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
}

impl StreamRegistry {
    /// Acquires a permit for a stream.
    pub(crate) fn acquire_permit(
        self: &Arc<Self>,
        workspace: &WorkspaceKey,
        token: &str,
        limits: &HttpServerLimits,
    ) -> Result<StreamPermit, Problem> {
        let mut rows = self.lock();
        let here = rows.workspaces.get(workspace).copied().unwrap_or_default();
        let own = rows.tokens.get(token).map_or(0, |reader| reader.streams);
        let is_full = |open: usize, most: usize| most > 0 && open >= most;
        if is_full(here, limits.streams) {
            return Err(too_many_streams_problem("this workspace", here));
        }
        if is_full(own, limits.streams_per_token) {
            return Err(too_many_streams_problem("this token", own));
        }
        *rows.workspaces.entry(workspace.clone()).or_default() += 1;
        rows.tokens.entry(token.to_owned()).or_default().streams += 1;
        Ok(StreamPermit { audience: self.clone(), workspace: workspace.clone(), token: token.to_owned() })
    }

    /// Marks a person as present for the time `lasts`.
    pub(crate) fn record_presence(&self, workspace: &WorkspaceKey, person: &str, now: Millis, lasts: Millis) {
        let mut rows = self.lock();
        rows.present.retain(|_, until| *until > now);
        let until = Millis(now.0.saturating_add(lasts.0));
        rows.present.insert((workspace.clone(), person.to_owned()), until);
    }

    /// Whether any person is present in a workspace.
    pub(crate) fn has_present_person(&self, workspace: &WorkspaceKey, now: Millis) -> bool {
        self.lock().present.iter().any(|((of, _), until)| of == workspace && *until > now)
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
    }
}

fn too_many_streams_problem(whose: &str, open: usize) -> Problem {
    let text = format!("{whose} has {open} streams open; close one, or read all sessions on one stream");
    Problem::new(ProblemCode::TooManyStreams, text).with_retry_after(5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permit_is_released_when_stream_ends() {
        let (audience, home) = (Arc::new(StreamRegistry::default()), WorkspaceKey::new("ann:home"));
        let limits = HttpServerLimits { streams: 2, streams_per_token: 1, ..HttpServerLimits::default() };
        let first = audience.acquire_permit(&home, "t1", &limits).unwrap();
        assert_eq!(
            audience.acquire_permit(&home, "t1", &limits).unwrap_err().code(),
            ProblemCode::TooManyStreams
        );
        let _second = audience.acquire_permit(&home, "t2", &limits).unwrap();
        assert!(audience.acquire_permit(&home, "t3", &limits).is_err(), "the workspace is full");
        assert!(audience.acquire_permit(&WorkspaceKey::new("eve:other"), "t3", &limits).is_ok());
        drop(first);
        assert!(audience.acquire_permit(&home, "t1", &limits).is_ok());
    }

    #[test]
    fn presence_expires() {
        let (audience, home) = (StreamRegistry::default(), WorkspaceKey::new("ann:home"));
        audience.record_presence(&home, "ann", Millis(10), Millis(5));
        assert!(audience.has_present_person(&home, Millis(14)));
        assert!(!audience.has_present_person(&home, Millis(15)));
        assert!(!audience.has_present_person(&WorkspaceKey::new("eve:other"), Millis(14)));
    }
}
