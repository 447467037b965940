//! Non-public hosts and networks that the settings allow by name.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use entracte_application::texts::saying;
use ipnet::IpNet;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use url::{Host, Url};

use super::address::{AddressClass, is_metadata_name};

/// One entry of `tools.http.allow`: a name, an address or a network (`10.0.0.0/8`), each with or without a port.
/// Without a port it allows every port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedHost {
    what: HostPattern,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum HostPattern {
    /// As the URL standard writes it, without a trailing dot.
    Name(String),
    Net(IpNet),
}

/// An entry that does not name a host; contains its text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", saying!("fault-allowed-host", given = .0.as_str()))]
pub struct AllowedHostError(pub String);

impl AllowedHost {
    /// Whether it allows a call to `address`, an address of class `class` that `name` resolved to.
    ///
    /// Instance metadata is allowed only by its own name or address: another name may point to it, and a network may
    /// contain it unnoticed.
    pub(super) fn allows(&self, name: Option<&str>, port: u16, address: IpAddr, class: AddressClass) -> bool {
        if self.port.is_some_and(|own| own != port) {
            return false;
        }
        let metadata = class == AddressClass::Metadata;
        match &self.what {
            HostPattern::Name(own) => name == Some(own) && (!metadata || is_metadata_name(own)),
            HostPattern::Net(net) => {
                net.contains(&address) && (!metadata || net.prefix_len() == net.max_prefix_len())
            }
        }
    }

    /// Whether it names the host of `url` as written, whatever that host resolves to.
    pub fn covers(&self, url: &Url) -> bool {
        if self.port.is_some_and(|own| url.port_or_known_default() != Some(own)) {
            return false;
        }
        match (&self.what, url.host()) {
            (HostPattern::Name(own), Some(Host::Domain(name))) => own == plain_name(name),
            (HostPattern::Net(net), Some(Host::Ipv4(address))) => net.contains(&IpAddr::from(address)),
            (HostPattern::Net(net), Some(Host::Ipv6(address))) => net.contains(&IpAddr::from(address)),
            (HostPattern::Name(_) | HostPattern::Net(_), _) => false,
        }
    }

    /// Whether it names `name` on `port`.
    pub(super) fn names(&self, name: &str, port: u16) -> bool {
        matches!(&self.what, HostPattern::Name(own) if own == name) && self.port.is_none_or(|own| own == port)
    }
}

impl FromStr for AllowedHost {
    type Err = AllowedHostError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || AllowedHostError(text.to_owned());
        if let Ok(net) = text.parse::<IpNet>() {
            return Ok(Self { what: HostPattern::Net(net.trunc()), port: None });
        }
        if let Ok(address) = text.parse::<IpAddr>() {
            return Ok(Self { what: HostPattern::Net(address.into()), port: None });
        }
        if text.contains(['/', '?', '#', '@', '\\', '*']) || text.contains(char::is_whitespace) {
            return Err(wrong());
        }
        let url = Url::parse(&format!("http://{text}")).map_err(|_| wrong())?;
        let explicit = text.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok());
        let port = explicit.and_then(|_| url.port_or_known_default());
        let what = match url.host().ok_or_else(wrong)? {
            Host::Domain(name) => HostPattern::Name(plain_name(name).to_owned()),
            Host::Ipv4(address) => HostPattern::Net(IpAddr::from(address).into()),
            Host::Ipv6(address) => HostPattern::Net(IpAddr::from(address).into()),
        };
        Ok(Self { what, port })
    }
}

impl fmt::Display for AllowedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            HostPattern::Name(name) => f.write_str(name)?,
            HostPattern::Net(net) if net.prefix_len() < net.max_prefix_len() => write!(f, "{net}")?,
            HostPattern::Net(net) if self.port.is_some() && net.addr().is_ipv6() => {
                write!(f, "[{}]", net.addr())?
            }
            HostPattern::Net(net) => write!(f, "{}", net.addr())?,
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

impl<'de> Deserialize<'de> for AllowedHost {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl Serialize for AllowedHost {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for AllowedHost {
    fn schema_name() -> Cow<'static, str> {
        "AllowedHost".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "A name or an address, each with or without a port, or a network: \
                            \"nas.home:8080\", \"192.168.1.5\", \"10.0.0.0/8\"",
        })
    }
}

/// `name` without its trailing dot.
pub(super) fn plain_name(name: &str) -> &str {
    name.strip_suffix('.').unwrap_or(name)
}
