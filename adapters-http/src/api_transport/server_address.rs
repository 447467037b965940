//! The address of a server, to which a token may be sent: https, or plain http on this machine.

use std::fmt;

use entracte_application::own_hosts::is_loopback_host;
use url::Url;

/// The address of a server: its origin and base path, without a slash at the end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServerAddress {
    text: String,
    is_loopback: bool,
}

/// Why a text is not the address of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServerAddressFault {
    /// It is not a URL of http or https with a host.
    #[error("it is not an address like https://agents.example.com")]
    NotUrl,
    /// It is plain http to another machine: a token would be readable on the way.
    #[error("a token goes over https only, unless the server is on this machine")]
    Plain,
    /// It has a name, a password, a query or a fragment.
    #[error("an address has no name, password, query or fragment")]
    Extra,
}

impl ServerAddress {
    /// Parses an address as a person writes it.
    ///
    /// # Errors
    /// If no token may be sent there.
    pub fn parse(text: &str) -> Result<Self, ServerAddressFault> {
        let url = Url::parse(text.trim()).map_err(|_| ServerAddressFault::NotUrl)?;
        let is_loopback = is_loopback_host(url.host_str().ok_or(ServerAddressFault::NotUrl)?);
        match url.scheme() {
            "https" => {}
            "http" if is_loopback => {}
            "http" => return Err(ServerAddressFault::Plain),
            _ => return Err(ServerAddressFault::NotUrl),
        }
        let has_login = !url.username().is_empty() || url.password().is_some();
        if has_login || url.query().is_some() || url.fragment().is_some() {
            return Err(ServerAddressFault::Extra);
        }
        Ok(Self { text: url.as_str().trim_end_matches('/').to_owned(), is_loopback })
    }

    /// The address, without a slash at the end.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// `https`, or `http` for a server of this machine.
    pub(crate) fn scheme(&self) -> &str {
        self.text.split_once(':').map_or("https", |(scheme, _)| scheme)
    }

    /// Whether the server is on this machine.
    pub fn is_this_machine(&self) -> bool {
        self.is_loopback
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: addresses as people write them; expected: one form for each server.
    #[test]
    fn address_has_one_form() {
        for (given, kept) in [
            ("https://Agents.Example.com/", "https://agents.example.com"),
            ("https://agents.example.com:443/team/", "https://agents.example.com/team"),
            (" http://127.0.0.1:7878 ", "http://127.0.0.1:7878"),
            ("http://[::1]:7878", "http://[::1]:7878"),
            ("http://localhost:7878/", "http://localhost:7878"),
        ] {
            assert_eq!(ServerAddress::parse(given).unwrap().as_str(), kept);
        }
    }

    /// Input: addresses that would show a token on the way, or that hide something; expected: the reason.
    #[test]
    fn unsafe_address_is_refused() {
        for (given, fault) in [
            ("http://agents.example.com", ServerAddressFault::Plain),
            ("http://10.0.0.7:7878", ServerAddressFault::Plain),
            ("http://localhost.example.com", ServerAddressFault::Plain),
            ("agents.example.com", ServerAddressFault::NotUrl),
            ("ftp://agents.example.com", ServerAddressFault::NotUrl),
            ("https://ann:secret@agents.example.com", ServerAddressFault::Extra),
            ("https://agents.example.com/?x=1", ServerAddressFault::Extra),
        ] {
            assert_eq!(ServerAddress::parse(given), Err(fault), "{given}");
        }
    }
}
