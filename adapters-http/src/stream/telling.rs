use std::sync::Arc;

use entracte_application::stream::{Frame, Start};
use entracte_application::use_cases::{EventReader, ReadEvents, UseCaseError};
use entracte_domain::id::SessionId;
use entracte_domain::time::Millis;
use http::HeaderMap;

use super::Line;
use crate::access::Caller;
use crate::audience::Seat;
use crate::house::House;
use crate::problem::{Code, Problem};

/// How soon a stream that ended is to be asked for again, in milliseconds: at once, or after the next process has begun.
const RETRY_AT_ONCE: u64 = 100;
const RETRY_LATER: u64 = 2_000;

/// How often a process that is not the owner looks at the log.
const LOOK_BESIDE: Millis = Millis(250);

/// What a stream is asked for with.
#[derive(Debug, Default)]
pub(crate) struct Opened {
    /// The session; none: all of the workspace.
    pub(crate) session: Option<SessionId>,
    /// The cursor of the address.
    pub(crate) after: Option<String>,
    /// The timeline that it was told under.
    pub(crate) timeline: Option<String>,
}

/// One stream: what it says next, until it ends.
pub(crate) struct Telling {
    house: Arc<House>,
    caller: Caller,
    seat: Seat,
    reader: EventReader,
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
pub(crate) async fn open(
    house: &Arc<House>,
    caller: Caller,
    headers: &HeaderMap,
    opened: Opened,
) -> Result<Telling, Problem> {
    let last = headers.get("last-event-id").map(|last| last.to_str().unwrap_or("?"));
    let start = match last.filter(|last| !last.is_empty()).or(opened.after.as_deref()) {
        Some(text) => text.parse().map_err(|why: entracte_application::stream::BadCursor| {
            Problem::new(Code::CursorInvalid, why.to_string())
        })?,
        None => Start::Now,
    };
    let limits = &house.terms.limits;
    let seat = house.audience.sit(caller.workspace(), &caller.visitor().token().id, limits)?;
    let ports = &house.ports;
    let read =
        ReadEvents::new(ports.store.clone(), ports.log.clone(), ports.live.clone(), ports.clock.clone());
    let (session, timeline) = (opened.session.as_ref(), opened.timeline.as_deref());
    let reader = read.open(caller.workspace(), session, start, timeline).await?;
    let now = ports.clock.monotonic();
    house.audience.note(caller.workspace(), &caller.visitor().person().id, now, limits.presence_lasts);
    Ok(Telling {
        owned: (ports.owns)(),
        house: house.clone(),
        caller,
        seat,
        reader,
        began: now,
        said: now,
        paces: false,
        is_over: false,
    })
}

impl Telling {
    /// What is said next; none when the stream has ended.
    pub(crate) async fn next(&mut self) -> Option<Vec<Line>> {
        if self.is_over {
            return None;
        }
        if std::mem::take(&mut self.paces) {
            self.house.ports.clock.sleep(self.house.terms.limits.stream_pace).await;
        }
        loop {
            if let Some(goodbye) = self.goodbye().await {
                self.is_over = true;
                return Some(vec![goodbye]);
            }
            let now = self.now();
            let hears = self.house.audience.is_anybody_in(self.caller.workspace(), now);
            match self.reader.next(hears).await {
                Ok(told) if told.is_empty() => {}
                Ok(told) => {
                    self.said = now;
                    self.paces = told.iter().any(|told| matches!(told.frame, Frame::StreamChunk { .. }));
                    return Some(told.iter().map(Line::of).collect());
                }
                Err(error) => {
                    self.is_over = true;
                    return Some(vec![ended(&error)]);
                }
            }
            if now.0.saturating_sub(self.said.0) >= self.house.terms.limits.stream_beat.0 {
                self.said = now;
                self.reader.look_again();
                return Some(vec![Line::beat()]);
            }
            self.wait().await;
        }
    }

    /// The same, for who must be able to do something else meanwhile: what was begun is not broken off.
    pub(crate) async fn into_next(mut self) -> (Option<Vec<Line>>, Self) {
        (self.next().await, self)
    }

    /// Waits until there may be something to say.
    async fn wait(&mut self) {
        let (clock, limits) = (self.house.ports.clock.clone(), &self.house.terms.limits);
        let look = if self.owned { limits.stream_look } else { limits.stream_look.min(LOOK_BESIDE) };
        tokio::select! {
            () = self.reader.heard() => {}
            () = self.house.ended() => {}
            () = clock.sleep(look) => {
                if !self.owned {
                    self.reader.look_again();
                }
            }
        }
    }

    /// Why it ends now.
    async fn goodbye(&self) -> Option<Line> {
        let (house, ports) = (&self.house, &self.house.ports);
        let limits = &house.terms.limits;
        if house.ends() {
            return Some(Line::goodbye("shutdown", RETRY_LATER));
        }
        if self.owned && !(ports.owns)() {
            return Some(Line::goodbye("takeover", RETRY_LATER));
        }
        if self.now().0.saturating_sub(self.began.0) >= limits.stream_lasts.0 {
            return Some(Line::goodbye("age", RETRY_AT_ONCE));
        }
        let counts = self.seat.counts(&*ports.access, &*ports.clock, limits.stream_look).await;
        (!counts).then(|| Line::goodbye("revoked", RETRY_LATER))
    }

    fn now(&self) -> Millis {
        self.house.ports.clock.monotonic()
    }
}

/// The last word of a stream that cannot go on: it is asked for again, and answered as things are then.
fn ended(error: &UseCaseError) -> Line {
    match error {
        UseCaseError::NotFound(_) => Line::goodbye("gone", RETRY_LATER),
        UseCaseError::Conflict(_)
        | UseCaseError::Invalid(_)
        | UseCaseError::NotApplicable(_)
        | UseCaseError::FourEyes(_)
        | UseCaseError::KeyReused(_)
        | UseCaseError::Post(_)
        | UseCaseError::Store(_)
        | UseCaseError::Codec(_) => {
            tracing::warn!(%error, "a stream cannot go on");
            Line::goodbye("shutdown", RETRY_LATER)
        }
    }
}
