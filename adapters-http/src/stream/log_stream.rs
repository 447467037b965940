use std::any::Any;
use std::sync::Arc;

use entracte_application::ports::TokenKind;
use entracte_application::stream::{CursorFrame, StreamFrame, StreamReadStart};
use entracte_application::use_cases::{EventReader, ReadEvents, UseCaseError};
use entracte_domain::id::SessionId;
use entracte_domain::time::Millis;
use http::HeaderMap;
use tokio::sync::watch;

use super::list_digests::ListDigests;
use crate::authentication::WorkspacePrincipal;
use crate::problem::{Problem, ProblemCode};
use crate::server_state::ServerState;
use crate::stream_registry::{StreamCredential, StreamPermit};

/// Retry delays of an ended stream, in milliseconds: immediately, or after the next process has started.
const RETRY_AT_ONCE: u64 = 100;
const RETRY_LATER: u64 = 2_000;
/// Retry delay of a stream whose ticket opened another one: whoever has the other one goes on undisturbed for a while.
const RETRY_REPLACED: u64 = 60_000;

/// Poll interval of the log in a process that is not the owner.
const LOOK_BESIDE: Millis = Millis(250);

/// The parameters of a stream.
#[derive(Debug, Default)]
pub(crate) struct StreamParams {
    /// The session; `None` for the whole workspace.
    pub(crate) session: Option<SessionId>,
    /// The cursor in the URL.
    pub(crate) after: Option<String>,
    /// The timeline of the cursor.
    pub(crate) timeline: Option<String>,
    /// Whether entries have their stored form, too.
    pub(crate) stored: bool,
}

/// The next signal of a stream.
pub(crate) enum StreamSignal {
    /// Frames of the log.
    Told(Vec<CursorFrame>),
    /// These lists have changed.
    Changed(Vec<&'static str>),
    /// A heartbeat.
    Beat,
    /// The end of the stream: the reason, and the retry delay in milliseconds.
    Goodbye(&'static str, u64),
}

/// A subscription to the log of a session or workspace.
pub(crate) struct LogStream {
    state: Arc<ServerState>,
    caller: WorkspacePrincipal,
    seat: StreamPermit,
    reader: EventReader,
    /// Receives the live text of another server.
    _relay: Option<Arc<dyn Any + Send + Sync>>,
    /// The last digests of lists that no log covers; `None` in a session stream.
    lists: Option<ListDigests>,
    /// Time of the last digests.
    looked: Millis,
    /// Signals that a list may have changed through this server.
    touched: watch::Receiver<u64>,
    is_touched: bool,
    /// Whether this process owned the database when the stream was opened.
    owned: bool,
    began: Millis,
    /// When it last looked for what other processes committed.
    looked_beside: Millis,
    /// Time of the last signal.
    said: Millis,
    /// Whether text or a status was just sent: the next one waits a moment, to be merged into one frame.
    paces: bool,
    is_over: bool,
    /// Whether entries have their stored form, too.
    stored: bool,
}

/// Opens a stream for a caller. The browser's last event id overrides the cursor in the URL, which the browser repeats
/// unchanged.
pub(crate) async fn open_stream(
    state: &Arc<ServerState>,
    caller: WorkspacePrincipal,
    headers: &HeaderMap,
    opened: StreamParams,
) -> Result<LogStream, Problem> {
    let last = headers.get("last-event-id").map(|last| last.to_str().unwrap_or("?"));
    let start = match last.filter(|last| !last.is_empty()).or(opened.after.as_deref()) {
        Some(text) => text.parse().map_err(|why: entracte_application::stream::CursorParseError| {
            Problem::new(ProblemCode::CursorInvalid, why.message())
        })?,
        None => StreamReadStart::Now,
    };
    let seat = acquire_stream_permit(state, &caller)?;
    let (session, timeline) = (opened.session.as_ref(), opened.timeline.as_deref());
    // A visitor of an embedded chat sees the conversation, not what is stored of it.
    let stored = opened.stored && caller.principal().token().embedded.is_none();
    let stream = LogStream::begin(state, caller, seat, session, start, timeline).await?;
    Ok(LogStream { stored, ..stream })
}

/// Acquires a stream permit for this caller.
pub(crate) fn acquire_stream_permit(
    state: &ServerState,
    caller: &WorkspacePrincipal,
) -> Result<StreamPermit, Problem> {
    let principal = caller.principal();
    let credential = StreamCredential { token: &principal.token().id, ticket: principal.ticket() };
    state.audience.acquire_permit(caller.workspace(), credential, &state.terms.limits)
}

impl LogStream {
    /// Opens the stream with an acquired permit: for a session or the whole workspace, from a start position, with the
    /// timeline of the cursor.
    pub(crate) async fn begin(
        state: &Arc<ServerState>,
        caller: WorkspacePrincipal,
        seat: StreamPermit,
        session: Option<&SessionId>,
        start: StreamReadStart,
        timeline: Option<&str>,
    ) -> Result<Self, Problem> {
        let ports = &state.ports;
        let (live, clock) = (ports.live.clone(), ports.clock.clone());
        let read = ReadEvents::new(ports.store.clone(), ports.log.clone(), live, clock);
        let reader = read.open(caller.workspace(), session, start, timeline).await?;
        // Subscribed before the lists are read, so that a change in between is checked again.
        let touched = state.subscribe_list_changes();
        let lists = match session {
            Some(_) => None,
            None => ListDigests::read(state, &caller).await,
        };
        let now = ports.clock.monotonic();
        let relay = session.and_then(|session| start_relay(state, &caller, session));
        Ok(Self {
            // What other servers commit is looked for, as beside an owner.
            owned: (ports.owns)() && !ports.is_shared,
            state: state.clone(),
            caller,
            seat,
            reader,
            _relay: relay,
            lists,
            looked: now,
            touched,
            is_touched: false,
            began: now,
            looked_beside: now,
            said: now,
            paces: false,
            is_over: false,
            stored: false,
        })
    }

    /// Returns the frames available now, without waiting.
    pub(crate) async fn read_available(&mut self) -> Result<Vec<CursorFrame>, UseCaseError> {
        self.reader.invalidate();
        self.reader.read_available(true).await
    }

    /// Waits for the next signal; `None` after the end of the stream.
    pub(crate) async fn next_signal(&mut self) -> Option<StreamSignal> {
        if self.is_over {
            return None;
        }
        if std::mem::take(&mut self.paces) {
            self.state.ports.clock.sleep(self.state.terms.limits.stream_pace).await;
        }
        loop {
            if let Some((reason, retry_ms)) = self.find_end_reason().await {
                return Some(self.end_stream(reason, retry_ms));
            }
            let now = self.now();
            match self.reader.read_available(self.sends_unstored_text()).await {
                Ok(told) if told.is_empty() => {}
                Ok(mut told) => {
                    self.said = now;
                    self.paces = told.iter().any(|told| {
                        matches!(told.frame, StreamFrame::StreamChunk { .. } | StreamFrame::Session(_))
                    });
                    self.readable(&mut told);
                    return Some(StreamSignal::Told(told));
                }
                Err(error) => {
                    let (reason, retry_ms) = end_reason_of_error(&error);
                    return Some(self.end_stream(reason, retry_ms));
                }
            }
            if let Some(kinds) = self.poll_changed_lists(now).await {
                self.said = now;
                return Some(StreamSignal::Changed(kinds));
            }
            if now.0.saturating_sub(self.said.0) >= self.state.terms.limits.stream_beat.0 {
                self.said = now;
                self.reader.invalidate();
                return Some(StreamSignal::Beat);
            }
            self.wait().await;
        }
    }

    /// Whether model text is sent while it streams. A stream asks for more only after its client took what came before, so
    /// the person who reads it is present.
    fn sends_unstored_text(&self) -> bool {
        self.state.terms.limits.presence_lasts > Millis(0)
    }

    /// Leaves out what is not meant for the reader: a visitor of an embedded chat sees nothing of the agents below it.
    fn readable(&self, told: &mut [CursorFrame]) {
        if self.caller.principal().token().embedded.is_none() {
            return;
        }
        for told in told {
            if let StreamFrame::Session(level) = &mut told.frame {
                level.waiting.retain(|pending| pending.agents.is_empty());
            }
        }
    }

    /// Ends the stream with a last signal.
    fn end_stream(&mut self, reason: &'static str, retry_ms: u64) -> StreamSignal {
        self.is_over = true;
        self.state.ports.meters.record_stream_end(reason);
        StreamSignal::Goodbye(reason, retry_ms)
    }

    /// Returns the kinds of changed lists. Changes through this server are checked immediately, changes by another
    /// process at the heartbeat interval.
    async fn poll_changed_lists(&mut self, now: Millis) -> Option<Vec<&'static str>> {
        let is_late = now.0.saturating_sub(self.looked.0) >= self.state.terms.limits.stream_beat.0;
        self.lists.as_ref()?;
        if !std::mem::take(&mut self.is_touched) && !is_late {
            return None;
        }
        self.looked = now;
        let lists = ListDigests::read(&self.state, &self.caller).await?;
        let kinds = lists.kinds_changed_since(self.lists.as_ref()?);
        self.lists = Some(lists);
        (!kinds.is_empty()).then_some(kinds)
    }

    /// Whether entries have their stored form, too.
    pub(crate) const fn sends_stored(&self) -> bool {
        self.stored
    }

    /// The next signal with the stream itself, for a caller that selects over other futures: a started read is not
    /// cancelled.
    pub(crate) async fn into_next(mut self) -> (Option<StreamSignal>, Self) {
        (self.next_signal().await, self)
    }

    /// Waits until there may be something to send.
    async fn wait(&mut self) {
        let (clock, limits) = (self.state.ports.clock.clone(), &self.state.terms.limits);
        let look = if self.owned { limits.stream_look } else { limits.stream_look.min(LOOK_BESIDE) };
        // Since the last look, not from now on: words that another server relays may wake it all the time.
        let rest = Millis(self.looked_beside.0.saturating_add(look.0).saturating_sub(self.now().0).max(0));
        tokio::select! {
            () = self.reader.wait_for_change() => {}
            () = self.state.wait_for_shutdown() => {}
            Ok(()) = self.touched.changed(), if self.lists.is_some() => self.is_touched = true,
            () = clock.sleep(rest) => {
                self.looked_beside = self.now();
                if !self.owned {
                    self.reader.invalidate();
                }
            }
        }
    }

    /// The reason to end the stream now, if any.
    async fn find_end_reason(&self) -> Option<(&'static str, u64)> {
        let (state, ports) = (&self.state, &self.state.ports);
        let limits = &state.terms.limits;
        if state.is_shutting_down() {
            return Some(("shutdown", RETRY_LATER));
        }
        if self.owned && !(ports.owns)() {
            return Some(("takeover", RETRY_LATER));
        }
        if self.now().0.saturating_sub(self.began.0) >= limits.stream_lasts.0 {
            return Some(("age", RETRY_AT_ONCE));
        }
        if self.seat.is_replaced() {
            return Some(("replaced", RETRY_REPLACED));
        }
        // The local user has no token that could be revoked.
        if self.caller.principal().is_local() {
            return None;
        }
        let counts = self.seat.is_token_valid(&*ports.access, &*ports.clock, limits.stream_look).await;
        (!counts).then_some(("revoked", RETRY_LATER))
    }

    fn now(&self) -> Millis {
        self.state.ports.clock.monotonic()
    }
}

/// Receives the live text of a session from the server that has it, if there may be another one. A relay of another server
/// gets only what is streamed here.
fn start_relay(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    session: &SessionId,
) -> Option<Arc<dyn Any + Send + Sync>> {
    let relay = state.ports.relay.as_ref()?;
    let is_direct = caller.principal().token().kind != TokenKind::Relay;
    is_direct.then(|| relay(caller.workspace(), session))
}

/// The reason and retry delay of a stream that failed; a reconnect gets the answer that applies then.
pub(crate) fn end_reason_of_error(error: &UseCaseError) -> (&'static str, u64) {
    match error {
        UseCaseError::NotFound(_) => ("gone", RETRY_LATER),
        // Any other error, including future kinds: the client reconnects.
        _ => {
            tracing::warn!(%error, "a stream cannot go on");
            ("shutdown", RETRY_LATER)
        }
    }
}
