//! Name resolution, as a trait that tests replace.

use std::io;
use std::net::IpAddr;

use async_trait::async_trait;

/// Resolves host names; called once for each hop.
#[async_trait]
pub trait NameResolver: Send + Sync {
    /// The addresses of `name`, which is not an IP address itself.
    ///
    /// # Errors
    ///
    /// When the name cannot be resolved.
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The resolver of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

#[async_trait]
impl NameResolver for SystemResolver {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        // The port is irrelevant, but the function requires one.
        let found = tokio::net::lookup_host((name, 0)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }
}
