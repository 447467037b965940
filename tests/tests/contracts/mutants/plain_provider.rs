//! A minimal wire for the kit's tests, and its faults: each [`ProviderFault`] breaks it in one place. It uses only the
//! public `entracte_adapters_providers::wire`.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use entracte_adapters_providers::wire::{
    ClientTimeouts, SseDecoder, SseFrameFault, TimedClient, TimedClientError, TimedResponse,
    failure_class_of_status, retry_after,
};
use entracte_application::json_value::to_serde;
use entracte_application::ports::{
    CommandRequestPolicy, ContextWindow, ModelReply, ModelRequest, NativeCall, OutputShape, PromptTurn,
    Provider, ProviderDescription, ProviderFailure, ReplyEnd, ReplySink, UserTurnPart, WireRequest,
};
use entracte_application::schema::SchemaDocument;
use entracte_application::system::sha256;
use entracte_domain::message::ProviderTurn;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Timestamp;
use entracte_domain::usage::Usage;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// A fault of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProviderFault {
    SendsAnotherBody,
    NamesNoModel,
    PutsItsKeyIntoTheBody,
    DeclaresNoSchemas,
    LeavesOutWhatIsAnswered,
    TurnsResultsRound,
    WritesItsTurnsAnew,
    SendsTurnsOfOthers,
    LeavesOutTheShape,
    ShowsTheFirstWordOnly,
    ShowsAllAtTheEnd,
    TakesPiecesForEvents,
    KeepsTheFirstCall,
    TakesTheLimitForTheEnd,
    TakesARefusalForAnAnswer,
    CountsNoTokens,
    GivesNoSignOfLife,
    WritesJsonAnew,
    TakesACutForTheEnd,
    TakesAnythingForAnAnswer,
    TakesNoConnectionForLost,
    TakesNoAnswerForUnreachable,
    TakesSilenceForTheEnd,
    KnowsOneClass,
    ForgetsWhenToComeBack,
    AsksAgain,
    FollowsRedirects,
    GoesOnUnheard,
    ShowsItsKey,
    ReadsWithoutEnd,
    ForgetsHowItBegan,
    WritesOldEncodingsAnew,
    LeavesOutNotes,
    LeavesOutLaterBlocks,
    LeavesOutWordsBesideCalls,
    KeepsTheLastTurns,
    IgnoresTheOutputLimit,
    LetsCallsBeMade,
    TakesFailuresForResults,
    RequiresNothing,
    LeavesOutValues,
    TakesNumbersForFloats,
    TakesAnErrorForTheEnd,
    BlocksTheRuntime,
    AsksForItsWindow,
    ChecksNothing,
    NeverAnswers,
}

use ProviderFault as Fault;
use entracte_tests::contracts::wire::requests::plain_request;
use entracte_tests::cryptography::crypto;

/// Drops what is said.
struct UnheardReplySink;

impl ReplySink for UnheardReplySink {
    fn text(&self, _: &str) {}
}

/// The provider.
#[derive(Clone)]
pub(crate) struct PlainProvider {
    pub(crate) address: String,
    pub(crate) key: String,
    /// A configuration setting that is part of every body.
    pub(crate) tone: String,
    pub(crate) fault: Option<Fault>,
}

/// Maximum number of bytes of one event.
pub(crate) const EVENT_MAX_BYTES: usize = 1 << 20;
const DIALECT: &str = "plain/1";

impl PlainProvider {
    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    fn failure(&self, class: FailureClass, words: &str) -> ProviderFailure {
        let class = if self.has(Fault::KnowsOneClass) { FailureClass::Lost } else { class };
        let words =
            if self.has(Fault::ShowsItsKey) { words.to_owned() } else { words.replace(&self.key, "***") };
        ProviderFailure { class, message: format!("plain: {words}"), retry_after: None, usage: None }
    }

    fn broken(&self, broken: TimedClientError) -> ProviderFailure {
        let class = match broken.class {
            FailureClass::Unreachable if self.has(Fault::TakesNoConnectionForLost) => FailureClass::Lost,
            FailureClass::Lost if self.has(Fault::TakesNoAnswerForUnreachable) => FailureClass::Unreachable,
            class => class,
        };
        self.failure(class, &broken.words)
    }

    /// The tone and version with which a request is written.
    fn frozen(&self, request: &ModelRequest) -> Result<(String, u64), ProviderFailure> {
        if request.encoding.is_empty() || self.has(Fault::ForgetsHowItBegan) {
            return Ok((self.tone.clone(), 2));
        }
        let frozen: Value = serde_json::from_str(&request.encoding).unwrap_or_default();
        match (frozen["tone"].as_str(), frozen["v"].as_u64()) {
            (Some(tone), Some(1)) if self.has(Fault::WritesOldEncodingsAnew) => Ok((tone.to_owned(), 2)),
            (Some(tone), Some(version @ 1..=2)) => Ok((tone.to_owned(), version)),
            _ => Err(self.failure(FailureClass::Misconfigured, "this is none of its encodings")),
        }
    }

    fn parts(&self, parts: &[UserTurnPart]) -> Vec<Value> {
        let mut written: Vec<Value> = parts
            .iter()
            .map(|part| match part {
                UserTurnPart::System(_) if self.has(Fault::LeavesOutNotes) => Value::Null,
                UserTurnPart::Text(text) | UserTurnPart::System(text) => json!({ "said": text }),
                UserTurnPart::Result { content, .. } if self.has(Fault::LeavesOutWhatIsAnswered) => {
                    json!({ "result": content })
                }
                // Like some servers, it pairs results with calls by the tool's name.
                UserTurnPart::Result { name, content, is_error: true, .. }
                    if !self.has(Fault::TakesFailuresForResults) =>
                {
                    json!({ "result": content, "of": name, "failed": true })
                }
                UserTurnPart::Result { name, content, .. } => json!({ "result": content, "of": name }),
                UserTurnPart::File(_) => Value::Null,
            })
            .collect();
        if self.has(Fault::TurnsResultsRound) {
            written.reverse();
        }
        written
    }

    fn turn(&self, turn: &PromptTurn) -> String {
        match turn {
            PromptTurn::User(parts) => json!({ "user": self.parts(parts) }).to_string(),
            PromptTurn::Assistant(said) => {
                let raw = said.raw.as_ref();
                let goes_back = |raw: &&ProviderTurn| {
                    (raw.dialect == DIALECT || self.has(Fault::SendsTurnsOfOthers))
                        && !self.has(Fault::WritesItsTurnsAnew)
                };
                if let Some(raw) = raw.filter(goes_back) {
                    return format!("{{\"model\":{}}}", raw.bytes);
                }
                let call = |call: &NativeCall| json!({ "call": { "id": call.provider_call_id, "name": call.name, "with": call.arguments } });
                let is_silent = self.has(Fault::LeavesOutWordsBesideCalls) && !said.calls.is_empty();
                let words = (!is_silent).then(|| json!({ "say": said.text }));
                let all: Vec<Value> = words.into_iter().chain(said.calls.iter().map(call)).collect();
                json!({ "model": all }).to_string()
            }
        }
    }

    /// The schema of a tool as it is declared.
    fn schema(&self, schema: &SchemaDocument) -> Value {
        let mut schema = to_serde(schema);
        match self.fault {
            Some(Fault::DeclaresNoSchemas) => schema = Value::Null,
            Some(Fault::RequiresNothing) => schema["required"] = json!([]),
            Some(Fault::LeavesOutValues) => {
                let properties = schema["properties"].as_object_mut().into_iter().flatten();
                properties.for_each(|(_, property)| property["enum"] = Value::Null);
            }
            _ => {}
        }
        schema
    }

    fn written(&self, request: &ModelRequest) -> Result<String, ProviderFailure> {
        let (tone, version) = self.frozen(request)?;
        let tools = request.tools.iter().map(|tool| {
            let schema = self.schema(&tool.schema);
            json!({ "tool": tool.name, "does": tool.description, "takes": schema })
        });
        let shape = match &request.output {
            OutputShape::Json { schema, .. } if !self.has(Fault::LeavesOutTheShape) => to_serde(schema),
            OutputShape::Json { .. } | OutputShape::Text => Value::Null,
        };
        let blocks = if self.has(Fault::LeavesOutLaterBlocks) { 1 } else { request.system.len() };
        let system: Vec<&str> = request.system.iter().take(blocks).map(|block| &**block).collect();
        let mut head = json!({ "tone": tone, "system": system, "tools": tools.collect::<Vec<_>>(),
            "shape": shape });
        if version == 1 {
            head["version"] = json!(1);
        }
        if let Some(most) = request.output_tokens.filter(|_| !self.has(Fault::IgnoresTheOutputLimit)) {
            head["most"] = json!(most);
        }
        let is_closing = request.commands == CommandRequestPolicy::None && !request.tools.is_empty();
        if is_closing && !self.has(Fault::LetsCallsBeMade) {
            head["may_call"] = json!(false);
        }
        if self.has(Fault::PutsItsKeyIntoTheBody) {
            head["key"] = json!(self.key);
        }
        let former =
            if self.has(Fault::KeepsTheLastTurns) { request.turns.len().saturating_sub(3) } else { 0 };
        let turns: Vec<String> = request.turns.iter().skip(former).map(|turn| self.turn(turn)).collect();
        let head = head.to_string();
        Ok(format!("{},\"turns\":[{}]}}", &head[..head.len() - 1], turns.join(",")))
    }

    async fn sent(&self, request: &ModelRequest) -> Result<TimedResponse, ProviderFailure> {
        let WireRequest { target, mut body, .. } = self.wire(request)?;
        if self.has(Fault::SendsAnotherBody) {
            body.push(b' ');
        }
        let client = TimedClient::new(&self.address, ClientTimeouts::default(), crypto())
            .map_err(|broken| self.broken(broken))?;
        let key = format!("Bearer {}", self.key);
        let headers = [("content-type", "application/json"), ("authorization", key.as_str())];
        let url = format!("{}{target}", self.address);
        let mut answer = client.post(&url, &headers, body.clone()).await;
        if self.has(Fault::AsksAgain) && !answer.as_ref().is_ok_and(|answer| answer.status() == 200) {
            answer = client.post(&url, &headers, body.clone()).await;
        }
        let mut answer = answer.map_err(|broken| self.broken(broken))?;
        if let Some(elsewhere) = answer.header("location").map(str::to_owned)
            && self.has(Fault::FollowsRedirects)
        {
            answer = client.post(&elsewhere, &headers, body).await.map_err(|broken| self.broken(broken))?;
        }
        Ok(answer)
    }

    async fn refused(&self, mut answer: TimedResponse) -> ProviderFailure {
        let retry_after = retry_after(answer.headers(), Timestamp(0));
        let class = failure_class_of_status(answer.status());
        let words = answer.body_start(4096).await;
        let failure = self.failure(class, &String::from_utf8_lossy(&words));
        let forgets = self.has(Fault::ForgetsWhenToComeBack);
        ProviderFailure { retry_after: retry_after.filter(|_| !forgets), ..failure }
    }

    async fn exchange(
        &self,
        request: ModelRequest,
        sink: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        let digest = sha256(&self.body(&request)?).to_string();
        let mut answer = self.sent(&request).await?;
        if answer.status() != 200 {
            return Err(self.refused(answer).await);
        }
        let most = if self.has(Fault::ReadsWithoutEnd) { usize::MAX } else { EVENT_MAX_BYTES };
        let mut decoder = SseDecoder::new(most);
        let mut heard = PlainReplyDecoder::default();
        while let Some(chunk) = self.next(&mut answer, &heard).await? {
            if !self.has(Fault::GivesNoSignOfLife) {
                sink.keep_alive();
            }
            if self.has(Fault::TakesPiecesForEvents) {
                decoder = SseDecoder::new(most);
            }
            let frames = decoder.push(&chunk).map_err(|fault| self.unreadable(fault))?;
            for frame in frames {
                heard.take(self, &frame.data, sink.as_ref())?;
            }
        }
        if self.has(Fault::ShowsAllAtTheEnd) {
            sink.text(&heard.text);
        }
        Ok(ModelReply { body_digest: Some(digest), ..heard.reply(self)? })
    }

    async fn next(
        &self,
        answer: &mut TimedResponse,
        heard: &PlainReplyDecoder,
    ) -> Result<Option<Vec<u8>>, ProviderFailure> {
        let next = answer.chunk();
        let next = if self.has(Fault::TakesSilenceForTheEnd) && !heard.events.is_empty() {
            tokio::time::timeout(Duration::from_secs(5), next).await.unwrap_or(Ok(None))
        } else {
            next.await
        };
        match next {
            Err(_) if self.has(Fault::TakesACutForTheEnd) => Ok(None),
            next => next.map_err(|broken| self.broken(broken)),
        }
    }

    fn unreadable(&self, fault: SseFrameFault) -> ProviderFailure {
        match fault {
            SseFrameFault::TooLarge { limit_bytes } => {
                self.failure(FailureClass::Misconfigured, &format!("an event has over {limit_bytes} bytes"))
            }
            SseFrameFault::NotText => self.failure(FailureClass::Lost, "an event is not text"),
        }
    }
}

/// The decoded parts of a response.
#[derive(Default)]
struct PlainReplyDecoder {
    text: String,
    calls: Vec<NativeCall>,
    usage: Option<Usage>,
    model: Option<String>,
    end: Option<String>,
    /// The raw events that go back to the server.
    events: Vec<String>,
}

impl PlainReplyDecoder {
    fn take(&mut self, of: &PlainProvider, data: &str, sink: &dyn ReplySink) -> Result<(), ProviderFailure> {
        let event: Value = match serde_json::from_str(data) {
            Ok(event) => event,
            Err(_) if of.has(Fault::TakesAnythingForAnAnswer) => return Ok(()),
            Err(_) => return Err(of.failure(FailureClass::Lost, &format!("this is not an event: {data}"))),
        };
        if let Some(words) = event["say"].as_str() {
            let shows = match of.fault {
                Some(Fault::ShowsTheFirstWordOnly) => self.text.is_empty(),
                Some(Fault::ShowsAllAtTheEnd) => false,
                _ => true,
            };
            if shows {
                sink.text(words);
            }
            self.text.push_str(words);
        } else if event["call"].is_object() {
            let text = |field: &str| event["call"][field].as_str().unwrap_or_default().to_owned();
            let (provider_call_id, name, mut arguments) = (text("id"), text("name"), text("with"));
            if of.has(Fault::TakesNumbersForFloats) {
                // The nearest floating-point number.
                arguments = arguments.replace("9007199254740993", "9007199254740992");
            }
            self.calls.push(NativeCall { provider_call_id, name, arguments });
        } else if event["error"].is_string() && of.has(Fault::TakesAnErrorForTheEnd) {
            self.end = Some("done".to_owned());
            return Ok(());
        } else if let Some(end) = event["end"].as_str() {
            let count = |kind: &str| event["tokens"][kind].as_u64().unwrap_or_default();
            let (input, cache_read, output) = (count("in"), count("cached"), count("out"));
            self.usage = Some(Usage { input, cache_read, output, ..Usage::default() });
            self.model = event["model"].as_str().map(str::to_owned);
            self.end = Some(end.to_owned());
            return Ok(());
        } else if event["signed"].is_null() && !of.has(Fault::TakesAnythingForAnAnswer) {
            return Err(of.failure(FailureClass::Lost, &format!("this is not an event: {data}")));
        }
        self.events.push(data.to_owned());
        Ok(())
    }

    fn reply(self, of: &PlainProvider) -> Result<ModelReply, ProviderFailure> {
        let lax = of.has(Fault::TakesACutForTheEnd)
            || of.has(Fault::TakesAnythingForAnAnswer)
            || of.has(Fault::TakesSilenceForTheEnd);
        let end = match self.end.as_deref() {
            Some("limit") if of.has(Fault::TakesTheLimitForTheEnd) => ReplyEnd::Done,
            Some("limit") => ReplyEnd::OutputLimit { limit: None },
            Some("refused") if !of.has(Fault::TakesARefusalForAnAnswer) => {
                return Err(of.failure(FailureClass::Refused, &self.text));
            }
            Some(_) => ReplyEnd::Done,
            None if lax => ReplyEnd::Done,
            None => return Err(of.failure(FailureClass::Lost, "the answer was cut")),
        };
        let text = match serde_json::from_str::<Value>(&self.text) {
            Ok(json) if of.has(Fault::WritesJsonAnew) => json.to_string(),
            Ok(_) | Err(_) => self.text,
        };
        let calls = if of.has(Fault::KeepsTheFirstCall) { 1 } else { usize::MAX };
        let raw = self.events.into_iter().filter_map(|event| RawValue::from_string(event).ok());
        let raw = serde_json::to_string(&raw.collect::<Vec<_>>()).unwrap_or_default();
        Ok(ModelReply {
            text,
            calls: self.calls.into_iter().take(calls).collect(),
            end,
            usage: self.usage.filter(|_| !of.has(Fault::CountsNoTokens)),
            model: self.model,
            raw: Some(ProviderTurn { dialect: DIALECT.to_owned(), bytes: raw }),
            request_id: None,
            body_digest: None,
        })
    }
}

#[async_trait]
impl Provider for PlainProvider {
    fn info(&self) -> ProviderDescription {
        ProviderDescription {
            name: "plain".into(),
            kind: "plain".into(),
            display_name: "Plain".into(),
            default_model: "plain-1".into(),
            base_url: Some(self.address.clone()),
            context_tokens: None,
            max_output_tokens: None,
        }
    }

    fn encoding(&self) -> Arc<str> {
        json!({ "v": 2, "tone": self.tone }).to_string().into()
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        self.written(request).map(String::into_bytes)
    }

    fn wire(&self, request: &ModelRequest) -> Result<WireRequest, ProviderFailure> {
        // The model is only in the address, as with some servers.
        let model = if request.model.is_empty() { "plain-1" } else { &request.model };
        let target = if self.has(Fault::NamesNoModel) { "/speak".into() } else { format!("/speak/{model}") };
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Ok(WireRequest { target, headers, body: self.body(request)? })
    }

    async fn call(
        &self,
        request: ModelRequest,
        sink: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        match self.fault {
            Some(Fault::NeverAnswers) => std::future::pending().await,
            Some(Fault::BlocksTheRuntime) => std::thread::sleep(Duration::from_millis(50)),
            _ => {}
        }
        if self.has(Fault::GoesOnUnheard) {
            let provider = self.clone();
            let work = tokio::spawn(async move { provider.exchange(request, sink).await });
            return work.await.expect("the exchange does not panic");
        }
        self.exchange(request, sink).await
    }

    fn window(&self, _: &str) -> ContextWindow {
        if self.has(Fault::AsksForItsWindow) {
            // Dropped at once: the connection alone is one too many.
            drop(std::net::TcpStream::connect(self.address.trim_start_matches("http://")));
        }
        ContextWindow::GUESS
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        if !self.has(Fault::ChecksNothing) {
            self.exchange(plain_request("ping"), Arc::new(UnheardReplySink)).await?;
        }
        Ok("plain: it is there".into())
    }
}
