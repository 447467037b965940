//! The frames of a session, over as many connections as it takes.

use std::collections::VecDeque;

use entracte_adapters_http::api_transport::event_stream::{ApiEvent, ApiEventStream};
use entracte_adapters_http::api_transport::{ApiFault, ApiRequest};
use entracte_adapters_http::shapes::frame::FrameShape;
use entracte_adapters_http::shapes::turn::TurnShape;
use entracte_application::ports::Clock;
use entracte_application::system::SystemClock;
use entracte_domain::time::Millis;
use http::Method;

use super::stream_faults::{RETRY_MOST, ServerOutage, stream_ended};
use crate::api_client::{ApiClient, read_journal};
use crate::error::CliError;

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
    /// The number of the last entry that was received.
    received: u64,
    /// Whether the frames that follow have a gap before them, which the journal fills.
    has_gap: bool,
    /// Whether something was received since the turn was read.
    is_news: bool,
    /// The wait that the server asked for before the next connection.
    pause: Millis,
    /// Since the stream was lost.
    stream_outage: ServerOutage,
    /// Since the turn could not be read.
    turn_outage: ServerOutage,
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
            received: last,
            has_gap: false,
            is_news: true,
            pause: Millis(0),
            stream_outage: ServerOutage::default(),
            turn_outage: ServerOutage::default(),
        }
    }

    /// The session.
    pub(crate) fn session(&self) -> &str {
        &self.session
    }

    /// The turn is read at the next step, whatever was received.
    pub(crate) fn expect_news(&mut self) {
        self.is_news = true;
    }

    /// Takes the next step: reads the turn since an entry if something was received since it was read last, else waits for
    /// frames. It may be dropped while it waits: no frame is lost or repeated, but an attempt to connect begins anew.
    ///
    /// # Errors
    /// If the server refuses, or is away for too long.
    pub(crate) async fn step(&mut self, after: u64) -> Result<Option<TurnShape>, CliError> {
        if !self.is_news {
            return self.receive().await.map(|()| None);
        }
        self.turn_outage.wait().await;
        let path = self.api.path(&["sessions", &self.session, "turn"]).with("after", &after.to_string());
        match self.api.answer(ApiRequest::new(Method::GET, path.target())).await {
            Ok(answer) => {
                (self.is_news, self.turn_outage) = (false, ServerOutage::default());
                self.api.parse(&answer).map(Some)
            }
            Err(fault) => {
                self.turn_outage.endure(self.api, fault)?;
                Ok(None)
            }
        }
    }

    /// Waits for the next frames.
    async fn receive(&mut self) -> Result<(), CliError> {
        if self.has_gap {
            return self.fill_gap().await;
        }
        let Some(open) = &mut self.open else { return self.connect().await };
        match open.next().await {
            Ok(Some(event)) => {
                self.take_event(event);
                Ok(())
            }
            Ok(None) => self.lose(stream_ended(self.api)),
            Err(fault) => self.lose(fault),
        }
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

    async fn connect(&mut self) -> Result<(), CliError> {
        SystemClock.sleep(self.pause).await;
        self.stream_outage.wait().await;
        let path = self.api.path(&["sessions", &self.session, "stream"]);
        let path = path.with("after", &self.cursor).with("stored", "true");
        match self.api.stream(&path.with_some("timeline", self.timeline.as_deref())).await {
            Ok(open) => {
                (self.open, self.pause) = (Some(open), Millis(0));
                Ok(())
            }
            Err(fault) => self.lose(fault),
        }
    }

    fn take_event(&mut self, ApiEvent { cursor, frame }: ApiEvent) {
        // Only an answer that has come shows that the server is there.
        self.stream_outage = ServerOutage::default();
        // Words alone leave the turn as it is.
        self.is_news |= !matches!(frame, FrameShape::StreamChunk { .. });
        if let Some(cursor) = cursor {
            self.cursor = cursor;
        }
        match frame {
            FrameShape::Hello { timeline, .. } => self.timeline = Some(timeline),
            FrameShape::Goodbye { retry_ms, .. } => {
                self.open = None;
                self.pause = Millis(i64::try_from(retry_ms).unwrap_or(RETRY_MOST.0));
            }
            FrameShape::Resync { reason } => {
                self.has_gap = true;
                // The numbers begin anew in another database.
                if reason != "pruned" {
                    self.received = 0;
                }
            }
            FrameShape::Entry { seq, .. } if seq <= self.received => {}
            frame => self.take_frame(frame),
        }
    }

    fn take_frame(&mut self, frame: FrameShape) {
        if let FrameShape::Entry { seq, .. } = &frame {
            self.received = *seq;
        }
        self.ready.push_back(frame);
    }

    /// Reads the entries between the last one and those of the stream, which could not go on from its cursor.
    async fn fill_gap(&mut self) -> Result<(), CliError> {
        for entry in read_journal(self.api, &self.session, self.last).await? {
            self.take_frame(FrameShape::with_stored_entry(&entry.decode()?));
        }
        (self.has_gap, self.is_news) = (false, true);
        Ok(())
    }

    /// Goes on without a connection, which is opened again.
    fn lose(&mut self, fault: ApiFault) -> Result<(), CliError> {
        self.open = None;
        self.stream_outage.endure(self.api, fault)
    }
}
