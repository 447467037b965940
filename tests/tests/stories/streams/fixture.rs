//! A streaming model, processes on one store, and a client that keeps its cursor.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use entracte_application::journal::JournalEntry;
use entracte_application::ports::{
    CommandExecutor, ModelCallLimits, ModelReply, ModelRequest, Provider, ProviderDescription,
    ProviderFailure, ReplyEnd, ReplySink,
};
use entracte_application::rule_book::RuleBook;
use entracte_application::stream::{
    Cursor, CursorFrame, ReplyChannel, StreamFrame, StreamReadStart, SupersessionReason,
};
use entracte_application::system::sha256;
use entracte_application::use_cases::{EventReader, ReadEvents};
use entracte_domain::id::SessionId;
use entracte_domain::session::Input;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::usage::Usage;
use entracte_tests::contracts::StoreFixture;
use entracte_tests::fakes::memory_store::MemoryStore;
use entracte_tests::runtime_fixture::{
    FakeModel, RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock, services,
};

/// The reaction of a model to a call.
#[derive(Clone, Debug)]
pub(crate) enum StreamingModelStep {
    /// Streams these pieces and completes.
    All(Vec<String>),
    /// Streams these pieces and then stalls.
    Stalls(Vec<String>),
    /// Streams these pieces and then fails.
    Fails(Vec<String>, FailureClass),
}

/// An envelope with this text, in pieces of `cut` characters.
pub(crate) fn envelope(text: &str, cut: usize) -> Vec<String> {
    let whole: Vec<char> = serde_json::json!({ "pre_text": text }).to_string().chars().collect();
    whole.chunks(cut.max(1)).map(|piece| piece.iter().collect()).collect()
}

/// A model that streams pieces with a short pause between them.
#[derive(Default)]
pub(crate) struct StreamingFakeModel {
    will: Mutex<VecDeque<StreamingModelStep>>,
    quiet: FakeModel,
}

impl StreamingFakeModel {
    pub(crate) fn push_steps(&self, says: impl IntoIterator<Item = StreamingModelStep>) {
        self.will.lock().unwrap().extend(says);
    }
}

/// The pause between two pieces.
pub(crate) const PIECE: Duration = Duration::from_millis(10);

async fn speak(pieces: &[String], sink: &dyn ReplySink) {
    for piece in pieces {
        sink.text(piece);
        tokio::time::sleep(PIECE).await;
    }
}

#[async_trait]
impl Provider for StreamingFakeModel {
    fn info(&self) -> ProviderDescription {
        self.quiet.info()
    }

    fn encoding(&self) -> Arc<str> {
        self.quiet.encoding()
    }

    fn limits(&self, model: &str) -> ModelCallLimits {
        self.quiet.limits(model)
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        self.quiet.body(request)
    }

    async fn call(&self, _: ModelRequest, sink: Arc<dyn ReplySink>) -> Result<ModelReply, ProviderFailure> {
        let says = self.will.lock().unwrap().pop_front();
        match says.unwrap_or_else(|| StreamingModelStep::All(envelope("Nothing more to say.", 5))) {
            StreamingModelStep::All(pieces) => {
                sink.thinking_text("I think.");
                speak(&pieces, &*sink).await;
                Ok(ModelReply {
                    text: pieces.concat(),
                    calls: Vec::new(),
                    end: ReplyEnd::Done,
                    usage: Some(Usage { input: 10, output: 5, ..Usage::default() }),
                    model: None,
                    raw: None,
                    request_id: None,
                    body_digest: None,
                })
            }
            StreamingModelStep::Stalls(pieces) => {
                speak(&pieces, &*sink).await;
                std::future::pending().await
            }
            StreamingModelStep::Fails(pieces, class) => {
                speak(&pieces, &*sink).await;
                let message = "the model failed".to_owned();
                Err(ProviderFailure { class, message, retry_after: None, usage: None })
            }
        }
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        self.quiet.check().await
    }
}

/// Processes on one store, with a streaming model.
pub(crate) struct StreamFixture {
    parts: ServicesFixtureParts,
    pub(crate) talker: Arc<StreamingFakeModel>,
}

impl StreamFixture {
    pub(crate) fn new() -> Self {
        Self::with_executors(Vec::new())
    }

    pub(crate) fn with_executors(executors: Vec<Arc<dyn CommandExecutor>>) -> Self {
        let memory = Arc::new(MemoryStore::new());
        let stores = StoreFixture {
            store: memory.clone(),
            log: memory.clone(),
            resources: memory.clone(),
            mail: memory.clone(),
            automations: memory.clone(),
            tasks: memory.clone(),
            ownership: memory.clone(),
            keep: Box::new(()),
        };
        let talker = Arc::new(StreamingFakeModel::default());
        let parts = ServicesFixtureParts {
            stores,
            provider: talker.clone(),
            executors,
            rules: RuleBook::default(),
            clock: Arc::new(TokioClock::default()),
            ids: Arc::new(SequentialIds::default()),
        };
        Self { parts, talker }
    }

    /// A running process; dropping it crashes it.
    pub(crate) async fn life(&self) -> RuntimeFixture {
        RuntimeFixture::start_runtime(services(&self.parts)).await
    }
}

/// A reader of a session in this process, from a cursor on.
pub(crate) async fn reader(
    life: &RuntimeFixture,
    session: Option<&SessionId>,
    start: StreamReadStart,
) -> EventReader {
    let services = &life.services;
    let read = ReadEvents::new(
        services.store.clone(),
        services.log.clone(),
        life.live.clone(),
        services.clock.clone(),
    );
    read.open(&life.workspace, session, start, None).await.unwrap()
}

/// The frames that a client got of a session, over all its readers.
#[derive(Debug, Default)]
pub(crate) struct StreamTestReader {
    pub(crate) cursor: Cursor,
    pub(crate) edges: Vec<CursorFrame>,
}

impl StreamTestReader {
    /// Applies one frame.
    pub(crate) fn apply_frame(&mut self, told: CursorFrame) {
        let Some(at) = told.at else { return };
        self.cursor = at;
        if !matches!(told.frame, StreamFrame::Hello { .. }) {
            self.edges.push(told);
        }
    }

    /// Reads until no frame is left.
    pub(crate) async fn read_all(&mut self, reader: &mut EventReader) {
        loop {
            let told = reader.read_available(true).await.unwrap();
            if told.is_empty() {
                return;
            }
            told.into_iter().for_each(|told| self.apply_frame(told));
        }
    }

    /// Numbers of the received entries.
    pub(crate) fn entries(&self) -> Vec<u64> {
        let seq = |told: &CursorFrame| match &told.frame {
            StreamFrame::Entry(entry) => Some(entry.seq),
            _ => None,
        };
        self.edges.iter().filter_map(seq).collect()
    }

    /// Each attempt as it was received: its text, and how it ended.
    pub(crate) fn attempts(&self) -> BTreeMap<u64, (String, Option<Result<(), SupersessionReason>>)> {
        let mut all: BTreeMap<u64, (String, Option<Result<(), SupersessionReason>>)> = BTreeMap::new();
        for told in &self.edges {
            match &told.frame {
                StreamFrame::StreamStart { attempt, .. } => {
                    assert!(all.insert(*attempt, Default::default()).is_none(), "{attempt} began twice");
                }
                StreamFrame::StreamChunk { attempt, channel, offset, text } => {
                    let (said, ended) = all.get_mut(attempt).unwrap();
                    assert_eq!(*ended, None, "{attempt} has ended");
                    if *channel == ReplyChannel::Text {
                        assert_eq!(*offset, said.len() as u64, "a gap or a repeat in {attempt}");
                        said.push_str(text);
                    }
                }
                StreamFrame::StreamComplete { attempt, bytes, digest, .. } => {
                    let (said, ended) = all.get_mut(attempt).unwrap();
                    assert_eq!(ended.replace(Ok(())), None, "{attempt} ended twice");
                    assert_eq!((*bytes, digest), (said.len() as u64, &sha256(said.as_bytes())));
                }
                StreamFrame::StreamSuperseded { attempt, reason } => {
                    let (_, ended) = all.get_mut(attempt).unwrap();
                    assert_eq!(ended.replace(Err(*reason)), None, "{attempt} ended twice");
                }
                StreamFrame::Entry(_) => {}
                other => panic!("{other:?}"),
            }
        }
        all
    }

    /// Fails unless the received frames match the stored entries: each entry once and in order, the words of every
    /// attempt without gap or repeat, and stored text equal to the received text.
    pub(crate) fn verify(&self, stored: &[JournalEntry]) {
        assert_eq!(self.entries(), stored.iter().map(|entry| entry.seq).collect::<Vec<_>>());
        let attempts = self.attempts();
        let told: Vec<&String> =
            attempts.values().filter(|(_, ended)| *ended == Some(Ok(()))).map(|(said, _)| said).collect();
        assert_eq!(told, texts(stored));
        assert!(attempts.values().all(|(_, ended)| ended.is_some()), "{attempts:?}");
    }
}

/// The stored texts of the model.
fn texts(stored: &[JournalEntry]) -> Vec<&String> {
    stored
        .iter()
        .filter_map(|entry| match &entry.input {
            Input::AiResponseReceived(response) if response.faults.is_empty() => {
                Some(&response.message.pre_text)
            }
            Input::RoundInterrupted { reply, .. } => reply.as_ref().map(|reply| &reply.text),
            _ => None,
        })
        .collect()
}
