//! The bill of a session, end to end: a model behind the strict server of each kind, which keeps its invoice.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use entracte_adapters_providers::answer_decoding;
use entracte_adapters_providers::config::ProviderConfig;
use entracte_adapters_providers::registry::ConfigProviderRegistry;
use entracte_application::ports::{
    CallCeiling, CallSize, CostFilter, CostSumBy, MockClock, MockSecretStore, ModelReply, ModelRequest,
    Provider, ProviderDescription, ProviderFailure, ProviderRegistry as _, ReplySink, ReservationSums,
};
use entracte_application::system::sha256;
use entracte_application::use_cases::{CompactSession, NewChat, RequestDigestCheck, StartChat};
use entracte_domain::dollars::Dollars;
use entracte_domain::id::SessionId;
use entracte_domain::session::{Dialect, SummaryMethod};
use entracte_domain::usage::{Cost, Usage};
use entracte_tests::cryptography::crypto;
use entracte_tests::runtime_fixture::RuntimeFixture;
use entracte_tests::strict::{FakeProviderServer, StrictApi, StrictApiPeer, StrictReplyPart};
use serde_json::{Value, json};

use super::budget::methods;
use super::fixture::{PromptFixture, set};
use super::recording_model::NamedProviderRegistry;
use super::token_spending_model::{MODEL, asks_for_summary};

/// Dollars for a million tokens: read anew, from the cache, into the cache, written.
const PRICES: &str =
    "[prices]\ninput = \"3\"\ncache_read = \"0.3\"\ncache_write = \"3.75\"\noutput = \"15.000003\"";

/// What the server billed.
#[derive(Clone, Copy, Debug, Default)]
struct ProviderInvoice {
    calls: u64,
    summaries: u64,
    tokens: Usage,
    cost: Dollars,
}

/// The tokens of one call, as the server counts them.
struct BilledTokens {
    input: u64,
    cache_read: u64,
    cache_write: u64,
    /// Written as reasoning.
    reasoning: u64,
    /// Written as words.
    words: u64,
}

impl BilledTokens {
    /// Those of the call with this number, less than it reserves; only Claude tells what goes into the cache.
    fn of_call(number: u64, api: StrictApi) -> Self {
        let cache_write = if api == StrictApi::Messages { 50 + number } else { 0 };
        Self { input: 300 + number, cache_read: 70 * number, cache_write, reasoning: 100 + number, words: 31 }
    }

    /// As the API tells them.
    fn told(&self, api: StrictApi) -> Value {
        let Self { input, cache_read, cache_write, reasoning, words } = self;
        let (all_input, output) = (input + cache_read, reasoning + words);
        match api {
            StrictApi::Messages => json!({
                "input_tokens": input, "cache_read_input_tokens": cache_read,
                "cache_creation_input_tokens": cache_write, "output_tokens": output,
            }),
            StrictApi::Responses => json!({
                "input_tokens": all_input, "input_tokens_details": {"cached_tokens": cache_read},
                "output_tokens": output, "output_tokens_details": {"reasoning_tokens": reasoning},
                "total_tokens": all_input + output,
            }),
            StrictApi::Chat => json!({
                "prompt_tokens": all_input, "prompt_tokens_details": {"cached_tokens": cache_read},
                "completion_tokens": output, "completion_tokens_details": {"reasoning_tokens": reasoning},
                "total_tokens": all_input + output,
            }),
        }
    }
}

/// A model of an entry with prices, whose server keeps its invoice. It requests one query first, and then only talks.
struct InvoicedModel {
    real: Arc<dyn Provider>,
    entry: ProviderConfig,
    server: FakeProviderServer,
    invoice: Mutex<ProviderInvoice>,
}

impl InvoicedModel {
    fn new(server: FakeProviderServer) -> Self {
        let entry = format!(
            "kind = \"{}\"\nmodel = \"{MODEL}\"\nbase_url = \"http://127.0.0.1:9\"\nmax_output_tokens = 2000\n{PRICES}",
            server.kind
        );
        let entry = ProviderConfig::from_toml("x", &entry).unwrap();
        let registry = ConfigProviderRegistry::new(
            [("x".to_owned(), entry.clone())].into(),
            Arc::new(MockSecretStore::new()),
            Arc::new(MockClock::new()),
            crypto(),
        );
        Self { real: registry.provider("x").unwrap(), entry, server, invoice: Mutex::default() }
    }

    fn invoice(&self) -> ProviderInvoice {
        *self.invoice.lock().unwrap()
    }

    /// Bills a call, and returns its tokens.
    fn bill(&self, is_summary: bool) -> BilledTokens {
        let mut invoice = self.invoice.lock().unwrap();
        invoice.calls += 1;
        invoice.summaries += u64::from(is_summary);
        let billed = BilledTokens::of_call(invoice.calls, self.server.api);
        let output = billed.reasoning + billed.words;
        let tokens = Usage {
            input: billed.input,
            cache_read: billed.cache_read,
            cache_write: billed.cache_write,
            output,
            ..Usage::default()
        };
        invoice.tokens.add(tokens);
        let parts = [
            ("0.000003", billed.input),
            ("0.0000003", billed.cache_read),
            ("0.00000375", billed.cache_write),
            ("0.000015000003", output),
        ];
        for (price, tokens) in parts {
            let price: Dollars = price.parse().unwrap();
            invoice.cost = invoice.cost.plus(price.times(tokens));
        }
        billed
    }
}

#[async_trait]
impl Provider for InvoicedModel {
    fn info(&self) -> ProviderDescription {
        ProviderDescription { context_tokens: Some(200_000), ..self.real.info() }
    }

    fn encoding(&self) -> Arc<str> {
        self.real.encoding()
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        self.real.body(request)
    }

    fn call_ceiling(&self, size: &CallSize) -> CallCeiling {
        self.real.call_ceiling(size)
    }

    async fn call(
        &self,
        request: ModelRequest,
        _: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        let body = self.real.body(&request)?;
        if let Err(refusal) = self.server.check(&body) {
            panic!("{}: {refusal:?}\n{}", self.server.kind, String::from_utf8_lossy(&body));
        }
        let (is_summary, is_first) = (asks_for_summary(&request), self.invoice().calls == 0);
        let says = |text: &str| StrictReplyPart::Says(text.to_owned());
        let said = if is_summary {
            vec![says(r#"{"add":[{"kind":"fact","text":"Nothing of note so far."}]}"#)]
        } else if is_first {
            let (id, name) = ("call_1".to_owned(), "outside_look".to_owned());
            vec![says("I look."), StrictReplyPart::Calls { id, name, arguments: "{}".to_owned() }]
        } else {
            vec![says("That is all.")]
        };
        let answer = StrictApiPeer::new(self.server.api).answer(&said);
        let mut answer: Value = serde_json::from_slice(&answer).unwrap();
        answer["usage"] = self.bill(is_summary).told(self.server.api);
        let reply = answer_decoding::decode_whole_answer(&self.entry, answer.to_string().as_bytes())?;
        Ok(ModelReply { body_digest: Some(sha256(&body).to_string()), ..reply })
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        Ok("bills".into())
    }
}

/// Starts a chat below a cap.
async fn capped_chat(life: &RuntimeFixture) -> SessionId {
    set(life, &[("budget.tree", "100 USD")]).await;
    let chat = NewChat { model: MODEL.into(), dialect: Dialect::Tools, ..NewChat::new("bill", "fake") };
    let start = StartChat::new(life.mail_sender.clone(), life.services.ids.clone());
    start.run(&life.workspace, chat).await.unwrap().session
}

/// Input: a capped chat that the next process takes up; expected: each call is the one that its log tells, byte for byte.
#[tokio::test(start_paused = true)]
async fn capped_chat_goes_on_in_next_process() {
    let claude = FakeProviderServer::ALL.into_iter().find(|server| server.kind == "claude").unwrap();
    let model = Arc::new(InvoicedModel::new(claude));
    let scene = PromptFixture::new();
    let providers = || NamedProviderRegistry::single_provider("fake", model.clone());
    let life = scene.life_with(providers()).await;
    let session = capped_chat(&life).await;
    life.send_and_wait(&session, "Look once.").await;
    drop(life);
    let life = scene.life_with(providers()).await;
    for text in ["And now?", "And then?"] {
        life.send_and_wait(&session, text).await;
    }
    let rebuilt = scene.rebuild_all_calls(&session, providers()).await;
    assert_eq!((rebuilt.len(), model.invoice().calls), (4, 4));
    for call in &rebuilt {
        assert!(matches!(call.digests(), Some(RequestDigestCheck::Match(_))));
    }
    life.verify(&session).await;
}

/// Input: a capped chat with a query, a summary and two messages, behind the strict server of every kind, which bills
/// cached, reasoning and other tokens; expected: what is spent is its invoice, by kind of token and to the last digit,
/// and nothing stays reserved.
#[tokio::test(start_paused = true)]
async fn bill_equals_invoice_on_every_wire() {
    for server in FakeProviderServer::ALL.into_iter().filter(|server| server.tools) {
        let kind = server.kind;
        let model = Arc::new(InvoicedModel::new(server));
        let mut scene = PromptFixture::new();
        scene.change_rules(|rules| rules.context_tokens = 80_000);
        let life = scene.life_with(NamedProviderRegistry::single_provider("fake", model.clone())).await;
        let session = capped_chat(&life).await;
        life.send_and_wait(&session, "Look once.").await;
        let after = life.follow().last_entry_number(&life.workspace, &session).await.unwrap();
        let compact = CompactSession::new(life.mail_sender.clone());
        compact.run(&life.workspace, &session, "ann".into()).await.unwrap();
        life.follow().run_until_idle(&life.workspace, &session, after).await.unwrap();
        life.send_and_wait(&session, "And now?").await;

        let ProviderInvoice { calls, summaries, tokens, cost } = model.invoice();
        assert_eq!((calls, summaries), (4, 1), "{kind}");
        assert_eq!(methods(&life, &session).await, [SummaryMethod::Patch], "{kind}");
        let everything = CostFilter::new(life.workspace.clone(), CostSumBy::Everything, 1);
        let sum = life.services.log.cost_sums(&everything).await.unwrap().sums.remove(0);
        let kinds = |usage: Usage| [usage.input, usage.cache_read, usage.cache_write, usage.output];
        assert_eq!(kinds(sum.usage), kinds(tokens), "{kind}");
        assert_eq!(sum.usage.known_cost(), Cost::Exactly(cost), "{kind}");
        assert_eq!(sum.reservations, ReservationSums::default(), "{kind}");
        life.verify(&session).await;
    }
}
