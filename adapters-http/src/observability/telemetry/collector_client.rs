//! HTTP client for telemetry. The exporters batch on their own threads without a runtime, so requests run on ours.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use entracte_application::own_hosts::is_loopback_host;
use http::{Request, Response};
use opentelemetry_http::{HttpClient, HttpError};
use rustls::crypto::CryptoProvider;
use tokio::runtime::Handle;
use url::Url;

use crate::tls;

/// Most bytes that are read of an answer, which at most lists rejected data.
const ANSWER_MAX: usize = 65_536;

/// Sends telemetry to one collector.
#[derive(Debug)]
pub(super) struct CollectorClient {
    client: reqwest::Client,
    runtime: Handle,
}

impl CollectorClient {
    /// A client for this address, with a timeout per request. Must be created inside a runtime.
    pub(super) fn new(
        endpoint: &Url,
        timeout: Duration,
        crypto: Arc<CryptoProvider>,
    ) -> Result<Self, String> {
        let tls = tls::client_config(crypto, endpoint.scheme()).map_err(|fault| fault.to_string())?;
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .user_agent(concat!("entracte/", env!("CARGO_PKG_VERSION")))
            // A redirect would receive headers with keys.
            .redirect(reqwest::redirect::Policy::none())
            .timeout(timeout);
        if endpoint.host_str().is_some_and(is_loopback_host) {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| error.to_string())?;
        Ok(Self { client, runtime: Handle::current() })
    }
}

#[async_trait]
impl HttpClient for CollectorClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        self.runtime.spawn(async move { send_once(&client, request).await }).await?
    }
}

async fn send_once(client: &reqwest::Client, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
    let mut answer = client.execute(request.try_into()?).await?;
    let mut body = BytesMut::new();
    while let Some(chunk) = answer.chunk().await? {
        if body.len() + chunk.len() > ANSWER_MAX {
            return Err(format!("the collector answers with more than {ANSWER_MAX} bytes").into());
        }
        body.extend_from_slice(&chunk);
    }
    let mut response = Response::builder().status(answer.status());
    if let Some(headers) = response.headers_mut() {
        headers.clone_from(answer.headers());
    }
    Ok(response.body(body.freeze())?)
}
