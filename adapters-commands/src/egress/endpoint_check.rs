//! Vets addresses before a call: parses the URL, resolves its host once, and checks every address it has.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use entracte_application::own_hosts::is_loopback_host;
use url::{Host, Url};

use super::address::{self, AddressClass};
use super::allowed_host::{AllowedHost, plain_name};
use super::error::{EgressError, UrlProblem};
use super::resolver::NameResolver;

/// The most bytes of a URL.
pub(super) const URL_MAX_BYTES: usize = 8 << 10;

/// A URL that may be called, with the vetted addresses to connect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VettedEndpoint {
    /// The URL, normalized by the URL standard.
    pub url: Url,
    /// The vetted addresses of its host; at least one.
    pub addresses: Vec<IpAddr>,
}

/// Parses a URL. It must be http or https, without user name or password.
pub(crate) fn parse(text: &str) -> Result<Url, EgressError> {
    let wrong = |problem| Err(EgressError::Url { problem });
    if text.len() > URL_MAX_BYTES {
        return wrong(UrlProblem::TooLong { bytes: text.len() });
    }
    match Url::parse(text) {
        Err(fault) => wrong(UrlProblem::Unreadable(fault.to_string())),
        Ok(url) => parsed(url),
    }
}

/// Checks a parsed URL, such as the target of a redirect.
pub(super) fn parsed(url: Url) -> Result<Url, EgressError> {
    let wrong = |problem| Err(EgressError::Url { problem });
    if !matches!(url.scheme(), "http" | "https") {
        return wrong(UrlProblem::Scheme(url.scheme().to_owned()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return wrong(UrlProblem::User);
    }
    if url.host_str().is_none_or(|host| plain_name(host).is_empty()) {
        return wrong(UrlProblem::NoHost);
    }
    Ok(url)
}

/// Resolves the host of a URL once. Refuses it if any of its addresses is neither public nor allowed: a name with one
/// public and one private address is a way to smuggle the private one in.
pub(super) async fn resolve(
    url: Url,
    allowed: &[AllowedHost],
    resolver: &dyn NameResolver,
) -> Result<VettedEndpoint, EgressError> {
    let name = name_of(&url);
    let port = port_of(&url);
    if let Some(name) = name.as_deref().filter(|name| address::is_metadata_name(name))
        && !allowed.iter().any(|host| host.names(name, port))
    {
        return Err(refused(&url, None, AddressClass::Metadata));
    }
    let addresses = addresses(&url, name.as_deref(), resolver).await?;
    for address in &addresses {
        let Some(class) = address::class(*address) else { continue };
        if !allowed.iter().any(|host| host.allows(name.as_deref(), port, *address, class)) {
            return Err(refused(&url, Some(*address), class));
        }
    }
    Ok(VettedEndpoint { url, addresses })
}

async fn addresses(
    url: &Url,
    name: Option<&str>,
    resolver: &dyn NameResolver,
) -> Result<Vec<IpAddr>, EgressError> {
    let unresolved = |cause: Option<String>| EgressError::Unresolved { host: host_of(url), cause };
    let found = match (url.host(), name) {
        (Some(Host::Ipv4(address)), _) => vec![IpAddr::V4(address)],
        (Some(Host::Ipv6(address)), _) => vec![IpAddr::V6(address)],
        // Always this machine, whatever a resolver answers.
        (_, Some(name)) if is_loopback_host(name) => {
            vec![IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)]
        }
        (_, Some(_)) => {
            let whole = url.host_str().unwrap_or_default();
            resolver.addresses(whole).await.map_err(|fault| unresolved(Some(fault.to_string())))?
        }
        (_, None) => Vec::new(),
    };
    if found.is_empty() { Err(unresolved(None)) } else { Ok(found) }
}

fn refused(url: &Url, address: Option<IpAddr>, class: AddressClass) -> EgressError {
    EgressError::Refused { host: host_of(url), address, class }
}

/// The host name of a URL; `None` if its host is an IP address.
fn name_of(url: &Url) -> Option<String> {
    match url.host() {
        Some(Host::Domain(name)) => Some(plain_name(name).to_owned()),
        Some(Host::Ipv4(_) | Host::Ipv6(_)) | None => None,
    }
}

fn port_of(url: &Url) -> u16 {
    url.port_or_known_default().unwrap_or_default()
}

/// The host for display, with its port if the URL has one.
pub(crate) fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}
