use async_trait::async_trait;

/// Reports when an unreachable provider may be reachable again. Waiting sessions are stored in their rows and retry
/// periodically by themselves; a watcher that knows better shortens the wait.
///
/// ```
/// use entracte_application::ports::ConnectivityWatcher;
///
/// /// A machine whose network is never away for long.
/// struct Wired;
///
/// #[async_trait::async_trait]
/// impl ConnectivityWatcher for Wired {
///     async fn wait_until_reachable(&self, _provider: &str) {}
/// }
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait ConnectivityWatcher: Send + Sync {
    /// Returns once the provider of this name may be reachable again; never returns if that cannot be determined. The
    /// future is dropped if the provider is reached meanwhile.
    async fn wait_until_reachable(&self, provider: &str);
}
