//! The entries of a workspace on a server, as they are committed, over as many connections as it takes.

use entracte_adapters_http::api_transport::ApiFault;
use entracte_adapters_http::api_transport::event_stream::{ApiEvent, ApiEventStream};
use entracte_adapters_http::shapes::frame::FrameShape;
use entracte_application::journal::JournalEntry;
use entracte_application::ports::Clock;
use entracte_application::system::SystemClock;
use entracte_domain::time::Millis;

use super::stream_faults::{RETRY_MOST, ServerOutage, no_stored_entry, stream_ended};
use crate::api_client::ApiClient;
use crate::error::CliError;

/// The entries of a workspace, each once and in order: a lost connection is opened again at the cursor of the last frame.
pub(crate) struct WorkspaceStream<'a> {
    api: &'a ApiClient<'a>,
    open: Option<ApiEventStream>,
    /// The cursor after the last frame; `None` before the first one.
    cursor: Option<String>,
    timeline: Option<String>,
    /// The wait that the server asked for before the next connection.
    pause: Millis,
    outage: ServerOutage,
}

impl<'a> WorkspaceStream<'a> {
    /// Opens it for the entries that come from now on.
    ///
    /// # Errors
    /// If the server refuses, or is away for too long.
    pub(crate) async fn open(api: &'a ApiClient<'a>) -> Result<Self, CliError> {
        let (pause, outage) = (Millis(0), ServerOutage::default());
        let mut stream = Self { api, open: None, cursor: None, timeline: None, pause, outage };
        while stream.open.is_none() {
            stream.connect().await?;
        }
        Ok(stream)
    }

    /// Waits for the next entry. It may be dropped while it waits: no entry is lost or repeated.
    ///
    /// # Errors
    /// If the server refuses, or is away for too long.
    pub(crate) async fn next(&mut self) -> Result<JournalEntry, CliError> {
        loop {
            let Some(open) = &mut self.open else {
                self.connect().await?;
                continue;
            };
            match open.next().await {
                Ok(Some(event)) => {
                    if let Some(entry) = self.take_event(event)? {
                        return Ok(entry);
                    }
                }
                Ok(None) => self.lose(stream_ended(self.api))?,
                Err(fault) => self.lose(fault)?,
            }
        }
    }

    async fn connect(&mut self) -> Result<(), CliError> {
        SystemClock.sleep(self.pause).await;
        self.outage.wait().await;
        let path = self.api.path(&["events"]).with("stored", "true");
        let path = path.with_some("after", self.cursor.as_deref());
        match self.api.stream(&path.with_some("timeline", self.timeline.as_deref())).await {
            Ok(open) => {
                (self.open, self.pause) = (Some(open), Millis(0));
                Ok(())
            }
            Err(fault) => self.lose(fault),
        }
    }

    fn take_event(&mut self, ApiEvent { cursor, frame }: ApiEvent) -> Result<Option<JournalEntry>, CliError> {
        // Only an answer that has come shows that the server is there.
        self.outage = ServerOutage::default();
        if let Some(cursor) = cursor {
            self.cursor = Some(cursor);
        }
        match frame {
            FrameShape::Hello { timeline, .. } => self.timeline = Some(timeline),
            FrameShape::Goodbye { retry_ms, .. } => {
                self.open = None;
                self.pause = Millis(i64::try_from(retry_ms).unwrap_or(RETRY_MOST.0));
            }
            FrameShape::Entry { .. } => {
                return frame.stored_entry()?.ok_or_else(|| no_stored_entry(self.api)).map(Some);
            }
            // After a gap it goes on from the cursor of the frame.
            _ => {}
        }
        Ok(None)
    }

    /// Goes on without a connection, which is opened again.
    fn lose(&mut self, fault: ApiFault) -> Result<(), CliError> {
        self.open = None;
        self.outage.endure(self.api, fault)
    }
}
