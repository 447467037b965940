//! The reference: the least that any durable loop could do. It sends its history, one growing buffer, appends the
//! model's message before the tool runs and the tool's result before the next model call, and nothing else: no state,
//! no checks, no ledger, no approvals, no recovery. The HTTP client, the store, its group commit and the bytes of the
//! first prompt are those of the application.

use std::sync::Arc;

use entracte_adapters_db::Database;
use serde_json::Value;

use super::child::{ParentCommandReader, answer, report};
use super::raw_commits::RawLogAppender;
use super::services::open;
use super::worker_protocol::BenchWorkerConfig;

/// Serves, and executes the commands of the parent.
pub async fn live(orders: &BenchWorkerConfig, mut words: ParentCommandReader) {
    let database = open(orders);
    let client = Arc::new(client());
    let mut loops = Vec::new();
    for number in 0..orders.sessions {
        loops.push(ReferenceConversation::begin(orders, number, &client, &database).await);
    }
    let loops = Arc::new(tokio::sync::Mutex::new(loops));
    answer(&report(Some(&database)));
    while let Some(word) = words.next().await {
        if word == "go" {
            // Loops are stored back only when all of them are at rest.
            let loops = loops.clone();
            tokio::spawn(async move {
                let mut loops = loops.lock().await;
                let mut tasks = tokio::task::JoinSet::new();
                for mut one in loops.drain(..) {
                    tasks.spawn(async move {
                        one.turn().await;
                        one
                    });
                }
                loops.extend(tasks.join_all().await);
            });
        }
        answer(&report(Some(&database)));
    }
}

/// The HTTP client, built as the provider adapter builds it.
fn client() -> reqwest::Client {
    // Another part of the process may have installed a provider before; either one works.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().tls_certs_only([]).build().expect("a client")
}

/// One conversation.
struct ReferenceConversation {
    client: Arc<reqwest::Client>,
    url: String,
    journal: RawLogAppender,
    history: Vec<u8>,
}

impl ReferenceConversation {
    async fn begin(
        orders: &BenchWorkerConfig,
        number: usize,
        client: &Arc<reqwest::Client>,
        database: &Database,
    ) -> Self {
        let (model, prompt) = (orders.model_of(number), "x".repeat(orders.prompt_bytes));
        let system = format!(r#"{{"role":"system","content":"{prompt}"}}"#);
        let history = format!(r#"{{"model":"{model}","stream":true,"messages":[{system}"#).into_bytes();
        let url = format!("http://{}/v1/chat/completions", orders.model);
        Self { client: client.clone(), url, journal: RawLogAppender::begin(database, number).await, history }
    }

    async fn turn(&mut self) {
        self.append(r#"{"role":"user","content":"Do what is to be done, step by step."}"#.to_owned()).await;
        loop {
            let said = self.ask().await;
            let id = said["tool_calls"][0]["id"].as_str().map(str::to_owned);
            self.append(said.to_string()).await;
            let Some(id) = id else { return };
            self.append(format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"done"}}"#)).await;
        }
    }

    /// One step: durable first, then in the history.
    async fn append(&mut self, message: String) {
        self.history.push(b',');
        self.history.extend_from_slice(message.as_bytes());
        self.journal.append(message.into_bytes()).await;
    }

    /// Requests the next message of the model.
    async fn ask(&self) -> Value {
        let body = [self.history.as_slice(), b"]}"].concat();
        let request = self.client.post(&self.url).header("content-type", "application/json").body(body);
        let reply =
            request.send().await.expect("the model answers").bytes().await.expect("the reply comes whole");
        let reply = std::str::from_utf8(&reply).expect("the reply is text");
        let first = reply.lines().find_map(|line| line.strip_prefix("data: ")).expect("an event");
        let event: Value = serde_json::from_str(first).expect("the event is JSON");
        event["choices"][0]["delta"].clone()
    }
}
