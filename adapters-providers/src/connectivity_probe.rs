//! Checks whether an unreachable provider is reachable again by opening a connection, without sending anything.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::ports::{Clock, ConnectivityWatcher, ProviderRegistry};
use entracte_domain::time::Millis;
use reqwest::Url;
use tokio::net::TcpStream;

/// Longest wait for a connection to open.
const OPENS_WITHIN: Millis = Millis::seconds(5);

/// Polls the addresses of providers until a connection opens.
pub struct ConnectivityProbe {
    providers: Arc<dyn ProviderRegistry>,
    clock: Arc<dyn Clock>,
    every: Millis,
}

impl ConnectivityProbe {
    /// A probe of these providers that polls once per interval `every`.
    pub fn new(providers: Arc<dyn ProviderRegistry>, clock: Arc<dyn Clock>, every: Millis) -> Self {
        Self { providers, clock, every }
    }

    /// Host and port of a provider; `None` for one without an address, such as a rehearsal.
    fn address(&self, provider: &str) -> Option<(String, u16)> {
        let address = self.providers.provider(provider).ok()?.info().base_url?;
        let url = Url::parse(&address).ok()?;
        let host = url.host_str()?.trim_matches(['[', ']']).to_owned();
        Some((host, url.port_or_known_default()?))
    }

    async fn can_connect(&self, host: &str, port: u16) -> bool {
        tokio::select! {
            opened = TcpStream::connect((host, port)) => opened.is_ok(),
            () = self.clock.sleep(OPENS_WITHIN) => false,
        }
    }
}

#[async_trait]
impl ConnectivityWatcher for ConnectivityProbe {
    async fn wait_until_reachable(&self, provider: &str) {
        let Some((host, port)) = self.address(provider) else { return std::future::pending().await };
        loop {
            self.clock.sleep(self.every.max(Millis(1))).await;
            if self.can_connect(&host, port).await {
                return;
            }
        }
    }
}
