//! How telemetry is sent. It is batched on threads of its own, where no runtime is, so each request runs on ours.

use std::time::Duration;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use http::{Request, Response};
use opentelemetry_http::{HttpClient, HttpError};
use tokio::runtime::Handle;
use url::{Host, Url};

/// The most that is read of an answer, in bytes. It says at most what was not taken.
const ANSWER_MAX: usize = 65_536;

/// Sends to one collector.
#[derive(Debug)]
pub(super) struct CollectorClient {
    client: reqwest::Client,
    runtime: Handle,
}

impl CollectorClient {
    /// To this address; each request takes so long at most. Must be made where a runtime is.
    pub(super) fn new(endpoint: &Url, timeout: Duration) -> Result<Self, reqwest::Error> {
        // Another part of the process may have installed one before; either serves.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let is_here = match endpoint.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("entracte/", env!("CARGO_PKG_VERSION")))
            // Headers with a key would travel with it.
            .redirect(reqwest::redirect::Policy::none())
            .timeout(timeout);
        if is_here {
            builder = builder.no_proxy();
        }
        if endpoint.scheme() == "http" {
            // No certificate is ever checked, so none need be on this machine.
            builder = builder.tls_certs_only([]);
        }
        Ok(Self { client: builder.build()?, runtime: Handle::current() })
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
