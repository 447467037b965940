//! The frames of a session, over as many connections as it takes.

use std::collections::VecDeque;

use entracte_adapters_http::api_transport::event_stream::{ApiEvent, ApiEventStream};
use entracte_adapters_http::api_transport::{ApiFault, ApiRequest};
use entracte_adapters_http::problem::ProblemCode;
use entracte_adapters_http::shapes::frame::FrameShape;
use entracte_adapters_http::shapes::turn::TurnShape;
use entracte_application::ports::Clock;
use entracte_application::system::SystemClock;
use entracte_domain::time::Millis;
use http::Method;

use crate::api_client::ApiClient;
use crate::error::CliError;

/// The wait before a lost stream is opened again; it doubles with each failure, up to the second one.
const RETRY_FIRST: Millis = Millis(100);
const RETRY_MOST: Millis = Millis::seconds(5);

/// The frames of a session, each once and in order: a lost connection is opened again at the cursor of the last frame.
pub(crate) struct SessionStream<'a> {
    api: &'a ApiClient<'a>,
    session: String,
    open: Option<ApiEventStream>,
    /// The cursor after the last frame.
    cursor: String,
    timeline: Option<String>,
    /// Received frames that were not taken yet.
    ready: VecDeque<FrameShape>,
    /// The number of the last entry that was taken.
    pub(crate) last: u64,
    /// Whether something was received since the turn was read.
    is_news: bool,
    /// The wait before the next connection.
    retry: Millis,
    /// Since when there is no connection; `None` while there is one.
    away_since: Option<Millis>,
}

impl<'a> SessionStream<'a> {
    /// Begins after this entry.
    pub(crate) fn starting_after(api: &'a ApiClient<'a>, session: &str, last: u64) -> Self {
        Self {
            api,
            session: session.to_owned(),
            open: None,
            cursor: last.to_string(),
            timeline: None,
            ready: VecDeque::new(),
            last,
            is_news: true,
            retry: Millis(0),
            away_since: None,
        }
    }

    /// The session.
    pub(crate) fn session(&self) -> &str {
        &self.session
    }

    /// Waits for the next frames. It may be dropped while it waits: no frame is lost or repeated.
    ///
    /// # Errors
    /// If the server refuses, or is away for too long.
    pub(crate) async fn receive(&mut self) -> Result<(), CliError> {
        let Some(open) = &mut self.open else { return self.connect().await };
        match open.next().await {
            Ok(Some(event)) => self.take_event(event),
            Ok(None) => self.disconnect(),
            Err(fault) => return self.endure(fault),
        }
        Ok(())
    }

    /// Received frames that were not taken yet.
    pub(crate) fn received(&self) -> impl Iterator<Item = &FrameShape> {
        self.ready.iter()
    }

    /// Takes the oldest received frame.
    pub(crate) fn pop(&mut self) -> Option<FrameShape> {
        let frame = self.ready.pop_front()?;
        if let FrameShape::Entry { seq, .. } = &frame {
            self.last = *seq;
        }
        Some(frame)
    }

    /// The turn since an entry, if something was received since it was read last.
    ///
    /// # Errors
    /// If the server refuses, or is away for too long.
    pub(crate) async fn turn_of_news(&mut self, after: u64) -> Result<Option<TurnShape>, CliError> {
        if !self.is_news {
            return Ok(None);
        }
        let path = self.api.path(&["sessions", &self.session, "turn"]).with("after", &after.to_string());
        match self.api.answer(ApiRequest::new(Method::GET, path.target())).await {
            Ok(answer) => {
                self.is_news = false;
                self.api.parse(&answer).map(Some)
            }
            Err(fault) => self.endure(fault).map(|()| None),
        }
    }

    async fn connect(&mut self) -> Result<(), CliError> {
        SystemClock.sleep(self.retry).await;
        let path = self.api.path(&["sessions", &self.session, "stream"]);
        let path = path.with("after", &self.cursor).with("stored", "true");
        match self.api.stream(&path.with_some("timeline", self.timeline.as_deref())).await {
            Ok(open) => {
                self.open = Some(open);
                Ok(())
            }
            Err(fault) => self.endure(fault),
        }
    }

    fn take_event(&mut self, ApiEvent { cursor, frame }: ApiEvent) {
        // Only an answer that has come shows that the server is there.
        (self.retry, self.away_since, self.is_news) = (Millis(0), None, true);
        if let Some(cursor) = cursor {
            self.cursor = cursor;
        }
        match frame {
            FrameShape::Hello { timeline, .. } => self.timeline = Some(timeline),
            FrameShape::Goodbye { retry_ms, .. } => {
                self.open = None;
                self.retry = Millis(i64::try_from(retry_ms).unwrap_or(RETRY_MOST.0));
            }
            frame => self.ready.push_back(frame),
        }
    }

    fn disconnect(&mut self) {
        let now = SystemClock.monotonic();
        (self.open, self.away_since) = (None, self.away_since.or(Some(now)));
        self.retry = Millis((self.retry.0 * 2).clamp(RETRY_FIRST.0, RETRY_MOST.0));
    }

    /// Goes on after a fault that may pass, for as long as a server may be away.
    fn endure(&mut self, fault: ApiFault) -> Result<(), CliError> {
        let passes = match &fault {
            ApiFault::Unreachable { .. } | ApiFault::Lost { .. } | ApiFault::NotEntracte { .. } => true,
            ApiFault::Refused(problem) => matches!(
                problem.code(),
                ProblemCode::ShuttingDown
                    | ProblemCode::DatabaseUnavailable
                    | ProblemCode::RateLimited
                    | ProblemCode::TooManyStreams
            ),
            _ => false,
        };
        self.disconnect();
        let away = self.away_since.map_or(0, |since| SystemClock.monotonic().0.saturating_sub(since.0));
        if passes && away < self.api.reconnect_for().0 {
            tracing::debug!(session = %self.session, %fault, "the stream is opened again");
            return Ok(());
        }
        Err(self.api.error(fault))
    }
}
