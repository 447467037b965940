//! Who says which addresses a name has.

use std::io;
use std::net::IpAddr;

use async_trait::async_trait;

/// Resolves names. Asked once for each hop.
#[async_trait]
pub trait NameResolver: Send + Sync {
    /// The addresses of `name`, which is not an address itself.
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The resolver of the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

#[async_trait]
impl NameResolver for SystemResolver {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        // The port is not looked at; the call wants one.
        let found = tokio::net::lookup_host((name, 0)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }
}
