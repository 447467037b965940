use async_trait::async_trait;

/// Tells when a provider that could not be reached may be reached again. Sessions wait for that in their rows, and try
/// again by themselves now and then; whoever knows better spares them the wait.
///
/// ```
/// use entracte_application::ports::Connectivity;
///
/// /// A machine whose network is never away for long.
/// struct Wired;
///
/// #[async_trait::async_trait]
/// impl Connectivity for Wired {
///     async fn back(&self, _provider: &str) {}
/// }
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait ConnectivityWatcher: Send + Sync {
    /// Returns once the provider of this name may be reached again; never where nobody can tell. Dropped when it was
    /// reached meanwhile.
    async fn wait_until_reachable(&self, provider: &str);
}
