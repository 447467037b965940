use std::sync::Arc;

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
use crate::stream_registry::StreamPermit;

/// How soon a stream that ended is to be asked for again, in milliseconds: at once, or after the next process has begun.
const RETRY_AT_ONCE: u64 = 100;
const RETRY_LATER: u64 = 2_000;

/// How often a process that is not the owner looks at the log.
const LOOK_BESIDE: Millis = Millis(250);

/// What a stream is asked for with.
#[derive(Debug, Default)]
pub(crate) struct StreamParams {
    /// The session; none: all of the workspace.
    pub(crate) session: Option<SessionId>,
    /// The cursor of the address.
    pub(crate) after: Option<String>,
    /// The timeline that it was told under.
    pub(crate) timeline: Option<String>,
}

/// What a stream says next.
pub(crate) enum StreamSignal {
    /// What was told.
    Told(Vec<CursorFrame>),
    /// That these lists are other ones.
    Changed(Vec<&'static str>),
    /// That it lives.
    Beat,
    /// That it ends, why, and after how many milliseconds it can be asked for again.
    Goodbye(&'static str, u64),
}

/// One stream: what it says next, until it ends.
pub(crate) struct LogStream {
    house: Arc<ServerState>,
    caller: WorkspacePrincipal,
    seat: StreamPermit,
    reader: EventReader,
    /// The lists that no log tells of, as they were; none in the stream of one session.
    lists: Option<ListDigests>,
    /// When they were looked at last.
    looked: Millis,
    /// Somebody may have changed one through this server.
    touched: watch::Receiver<u64>,
    is_touched: bool,
    /// This process owned the database when the stream was opened.
    owned: bool,
    began: Millis,
    /// When something was said last.
    said: Millis,
    /// Words were just said: more of them wait a moment, to be one frame.
    paces: bool,
    is_over: bool,
}

/// Opens a stream for a caller. The last event of a browser wins over the address, which it repeats unchanged.
pub(crate) async fn open_stream(
    house: &Arc<ServerState>,
    caller: WorkspacePrincipal,
    headers: &HeaderMap,
    opened: StreamParams,
) -> Result<LogStream, Problem> {
    let last = headers.get("last-event-id").map(|last| last.to_str().unwrap_or("?"));
    let start = match last.filter(|last| !last.is_empty()).or(opened.after.as_deref()) {
        Some(text) => text.parse().map_err(|why: entracte_application::stream::CursorParseError| {
            Problem::new(ProblemCode::CursorInvalid, why.to_string())
        })?,
        None => StreamReadStart::Now,
    };
    let seat = acquire_stream_permit(house, &caller)?;
    let (session, timeline) = (opened.session.as_ref(), opened.timeline.as_deref());
    LogStream::begin(house, caller, seat, (session, start, timeline)).await
}

/// Takes the place of a stream of this caller.
pub(crate) fn acquire_stream_permit(
    house: &ServerState,
    caller: &WorkspacePrincipal,
) -> Result<StreamPermit, Problem> {
    house.audience.acquire_permit(caller.workspace(), &caller.principal().token().id, &house.terms.limits)
}

impl LogStream {
    /// Begins to read in a place that was taken: a session or all of the workspace, from where, and the timeline that the
    /// cursor was told under.
    pub(crate) async fn begin(
        house: &Arc<ServerState>,
        caller: WorkspacePrincipal,
        seat: StreamPermit,
        (session, start, timeline): (Option<&SessionId>, StreamReadStart, Option<&str>),
    ) -> Result<Self, Problem> {
        let (ports, limits) = (&house.ports, &house.terms.limits);
        let (live, clock) = (ports.live.clone(), ports.clock.clone());
        let read = ReadEvents::new(ports.store.clone(), ports.log.clone(), live, clock);
        let reader = read.open(caller.workspace(), session, start, timeline).await?;
        // Heard before they are read: what comes in between is looked at again.
        let touched = house.subscribe_list_changes();
        let lists = match session {
            Some(_) => None,
            None => ListDigests::read(house, &caller).await,
        };
        let now = ports.clock.monotonic();
        house.audience.record_presence(
            caller.workspace(),
            &caller.principal().person().id,
            now,
            limits.presence_lasts,
        );
        Ok(Self {
            owned: (ports.owns)(),
            house: house.clone(),
            caller,
            seat,
            reader,
            lists,
            looked: now,
            touched,
            is_touched: false,
            began: now,
            said: now,
            paces: false,
            is_over: false,
        })
    }

    /// What there is to be told now, without waiting.
    pub(crate) async fn read_available(&mut self) -> Result<Vec<CursorFrame>, UseCaseError> {
        self.reader.invalidate();
        self.reader.read_available(true).await
    }

    /// What is said next; none when the stream has ended.
    pub(crate) async fn next_signal(&mut self) -> Option<StreamSignal> {
        if self.is_over {
            return None;
        }
        if std::mem::take(&mut self.paces) {
            self.house.ports.clock.sleep(self.house.terms.limits.stream_pace).await;
        }
        loop {
            if let Some((reason, retry_ms)) = self.end_reason().await {
                return Some(self.end_stream(reason, retry_ms));
            }
            let now = self.now();
            let hears = self.house.audience.has_present_person(self.caller.workspace(), now);
            match self.reader.read_available(hears).await {
                Ok(told) if told.is_empty() => {}
                Ok(told) => {
                    self.said = now;
                    self.paces =
                        told.iter().any(|told| matches!(told.frame, StreamFrame::StreamChunk { .. }));
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
            if now.0.saturating_sub(self.said.0) >= self.house.terms.limits.stream_beat.0 {
                self.said = now;
                self.reader.invalidate();
                return Some(StreamSignal::Beat);
            }
            self.wait().await;
        }
    }

    /// Its last word.
    fn end_stream(&mut self, reason: &'static str, retry_ms: u64) -> StreamSignal {
        self.is_over = true;
        self.house.ports.meters.record_stream_end(reason);
        StreamSignal::Goodbye(reason, retry_ms)
    }

    /// Which lists are other ones than before. What is changed through this server is looked for at once, and what another
    /// process changes as often as the stream says that it lives.
    async fn poll_changed_lists(&mut self, now: Millis) -> Option<Vec<&'static str>> {
        let is_late = now.0.saturating_sub(self.looked.0) >= self.house.terms.limits.stream_beat.0;
        self.lists.as_ref()?;
        if !std::mem::take(&mut self.is_touched) && !is_late {
            return None;
        }
        self.looked = now;
        let lists = ListDigests::read(&self.house, &self.caller).await?;
        let kinds = lists.kinds_changed_since(self.lists.as_ref()?);
        self.lists = Some(lists);
        (!kinds.is_empty()).then_some(kinds)
    }

    /// The same, for who must be able to do something else meanwhile: what was begun is not broken off.
    pub(crate) async fn into_next(mut self) -> (Option<StreamSignal>, Self) {
        (self.next_signal().await, self)
    }

    /// Waits until there may be something to say.
    async fn wait(&mut self) {
        let (clock, limits) = (self.house.ports.clock.clone(), &self.house.terms.limits);
        let look = if self.owned { limits.stream_look } else { limits.stream_look.min(LOOK_BESIDE) };
        tokio::select! {
            () = self.reader.wait_for_change() => {}
            () = self.house.wait_for_shutdown() => {}
            Ok(()) = self.touched.changed(), if self.lists.is_some() => self.is_touched = true,
            () = clock.sleep(look) => {
                if !self.owned {
                    self.reader.invalidate();
                }
            }
        }
    }

    /// Why it ends now.
    async fn end_reason(&self) -> Option<(&'static str, u64)> {
        let (house, ports) = (&self.house, &self.house.ports);
        let limits = &house.terms.limits;
        if house.is_shutting_down() {
            return Some(("shutdown", RETRY_LATER));
        }
        if self.owned && !(ports.owns)() {
            return Some(("takeover", RETRY_LATER));
        }
        if self.now().0.saturating_sub(self.began.0) >= limits.stream_lasts.0 {
            return Some(("age", RETRY_AT_ONCE));
        }
        let counts = self.seat.is_token_valid(&*ports.access, &*ports.clock, limits.stream_look).await;
        (!counts).then_some(("revoked", RETRY_LATER))
    }

    fn now(&self) -> Millis {
        self.house.ports.clock.monotonic()
    }
}

/// The last word of a stream that cannot go on: it is asked for again, and answered as things are then.
pub(crate) fn end_reason_of_error(error: &UseCaseError) -> (&'static str, u64) {
    match error {
        UseCaseError::NotFound(_) => ("gone", RETRY_LATER),
        // Whatever else it is, also of kinds that come later: the stream is asked for again.
        _ => {
            tracing::warn!(%error, "a stream cannot go on");
            ("shutdown", RETRY_LATER)
        }
    }
}
