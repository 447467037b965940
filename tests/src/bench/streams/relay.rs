//! A minimal relay of server-sent events: each stream is a task that calls the model and forwards its text. No token,
//! no log, no cursor.

use std::convert::Infallible;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::sync::watch;

use super::super::child::ParentCommandReader;
use super::super::worker_protocol::{BenchWorkerConfig, BenchWorkerReport};
use super::super::{child, process};

/// State that all streams share.
#[derive(Clone)]
struct ReferenceRelayState {
    model: String,
    client: reqwest::Client,
    /// The message that all streams wait for.
    asked: watch::Sender<bool>,
}

/// Serves; reports its port first, then its resource usage on each request.
pub async fn live(orders: &BenchWorkerConfig, mut words: ParentCommandReader) {
    let _there_is_one = rustls::crypto::ring::default_provider().install_default();
    let state = ReferenceRelayState {
        model: orders.model.clone(),
        client: reqwest::Client::new(),
        asked: watch::Sender::new(false),
    };
    let app = Router::new().route("/s/{number}", get(stream)).route("/ask", post(ask)).with_state(state);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port of this machine");
    let port = listener.local_addr().expect("its address").port();
    tokio::spawn(async move { axum::serve(listener, app).await });
    child::answer(&BenchWorkerReport { value: f64::from(port), ..child::report(None) });
    while words.next().await.is_some() {
        child::answer(&BenchWorkerReport {
            value: f64::from(port),
            resident_kb: process::resident_kb(),
            ..child::report(None)
        });
    }
}

async fn ask(State(state): State<ReferenceRelayState>) {
    state.asked.send_replace(true);
}

async fn stream(State(state): State<ReferenceRelayState>, Path(_): Path<usize>) -> Response {
    let (said, heard) = tokio::sync::mpsc::channel::<Bytes>(64);
    tokio::spawn(async move {
        if said.send(Bytes::from_static(b": hello\n\n")).await.is_err() {
            return;
        }
        if state.asked.subscribe().wait_for(|asked| *asked).await.is_err() {
            return;
        }
        let request = state.client.post(format!("http://{}/v1/chat/completions", state.model)).body("{}");
        let Ok(mut answer) = request.send().await else { return };
        let mut text = String::new();
        while let Ok(Some(bytes)) = answer.chunk().await {
            text.push_str(&String::from_utf8_lossy(&bytes));
            while let Some((event, rest)) = text.split_once("\n\n") {
                let piece = event.strip_prefix("data: ").and_then(|data| {
                    let data: serde_json::Value = serde_json::from_str(data).ok()?;
                    Some(data["choices"][0]["delta"]["content"].as_str()?.to_owned())
                });
                let line = piece.map(|piece| format!("data: {}\n\n", serde_json::json!({ "text": piece })));
                text = rest.to_owned();
                if let Some(line) = line
                    && said.send(Bytes::from(line)).await.is_err()
                {
                    return;
                }
            }
        }
    });
    let told = futures_util::stream::unfold(heard, |mut heard| async move {
        let line = heard.recv().await?;
        Some((Ok::<Bytes, Infallible>(line), heard))
    });
    ([("content-type", "text/event-stream")], Body::from_stream(told)).into_response()
}
