//! The address of a client, as trusted proxies report it: `X-Forwarded-For` and `Forwarded` (RFC 7239).

use std::net::{IpAddr, Ipv6Addr};

use http::HeaderMap;
use ipnet::IpNet;

/// The client's address: that of the connection, unless a trusted proxy reports another one. Only the end of a list was
/// written by trusted hops, so it is read backwards while the hops are trusted. A hop without an address hides the
/// clients behind it: they count as one, at the address of the proxy that reported it. If the two headers differ, the
/// proxy's address is used too, because a proxy that writes one of them may forward the other unchanged.
pub(crate) fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let peer = peer.to_canonical();
    if !is_trusted(peer, trusted) {
        return peer;
    }
    let told = [hops(headers, "x-forwarded-for", listed), hops(headers, "forwarded", forwarded)];
    let mut clients = told.iter().filter(|hops| !hops.is_empty()).map(|hops| behind(peer, hops, trusted));
    let Some(client) = clients.next() else { return peer };
    if clients.all(|other| other == client) { client } else { peer }
}

fn is_trusted(address: IpAddr, trusted: &[IpNet]) -> bool {
    trusted.iter().any(|net| net.contains(&address))
}

/// The last address reported by a trusted hop.
fn behind(peer: IpAddr, hops: &[Option<IpAddr>], trusted: &[IpNet]) -> IpAddr {
    let mut client = peer;
    for hop in hops.iter().rev() {
        let Some(address) = hop.filter(|_| is_trusted(client, trusted)) else { break };
        client = address;
    }
    client
}

/// The hops of all lines of a header, in order. An unreadable hop has no address.
fn hops(headers: &HeaderMap, name: &str, read: fn(&str) -> Option<IpAddr>) -> Vec<Option<IpAddr>> {
    let lines = headers.get_all(name).iter().map(|line| String::from_utf8_lossy(line.as_bytes()));
    lines.flat_map(|line| parts(&line, ',').into_iter().map(|hop| read(&hop)).collect::<Vec<_>>()).collect()
}

/// Splits a text at unquoted separators; empty parts are left out.
fn parts(text: &str, separator: char) -> Vec<String> {
    let (mut all, mut part) = (Vec::new(), String::new());
    let (mut is_quoted, mut is_escaped) = (false, false);
    for letter in text.chars() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ if letter == separator && !is_quoted => {
                all.push(std::mem::take(&mut part));
                continue;
            }
            _ => {}
        }
        part.push(letter);
    }
    all.push(part);
    all.retain(|part| !part.trim().is_empty());
    all
}

/// Parses a hop of `X-Forwarded-For`.
fn listed(hop: &str) -> Option<IpAddr> {
    node(unquoted(hop.trim()))
}

/// Parses a hop of `Forwarded`: its `for` parameter.
fn forwarded(hop: &str) -> Option<IpAddr> {
    let pairs = parts(hop, ';');
    let mut named = pairs
        .iter()
        .filter_map(|pair| pair.split_once('='))
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case("for"));
    let (_, value) = named.next()?;
    // Two of them in one hop are ambiguous.
    if named.next().is_some() { None } else { node(unquoted(value.trim())) }
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}

/// The address of a node, with or without its port and zone; `None` for `unknown`, a name or an invalid text.
fn node(text: &str) -> Option<IpAddr> {
    if let Some(rest) = text.strip_prefix('[') {
        let (address, port) = rest.split_once(']')?;
        return is_port_or_nothing(port).then(|| v6(address)).flatten();
    }
    if let Ok(address) = text.parse::<IpAddr>() {
        return Some(address.to_canonical());
    }
    match text.split_once(':') {
        // More than one colon and no brackets: IPv6 without a port, perhaps with a zone.
        Some((_, rest)) if rest.contains(':') => v6(text),
        Some((address, port)) if is_port(port) => Some(IpAddr::V4(address.parse().ok()?)),
        Some(_) | None => None,
    }
}

/// Parses an IPv6 address without its zone, which names the local interface.
fn v6(text: &str) -> Option<IpAddr> {
    let address = text.split_once('%').map_or(text, |(address, _)| address);
    address.parse::<Ipv6Addr>().ok().map(|address| IpAddr::V6(address).to_canonical())
}

fn is_port_or_nothing(text: &str) -> bool {
    text.is_empty() || text.strip_prefix(':').is_some_and(is_port)
}

/// Whether the text is a port number, or an obfuscated port (RFC 7239).
fn is_port(text: &str) -> bool {
    let is_hidden = text.strip_prefix('_').is_some_and(|name| !name.is_empty());
    is_hidden || text.parse::<u16>().is_ok()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    const LIST: &str = "x-forwarded-for";
    const FORWARDED: &str = "forwarded";

    fn seen(peer: &str, told: &[(&'static str, &str)]) -> String {
        let trusted: Vec<IpNet> = vec!["10.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()];
        let mut headers = HeaderMap::new();
        for (name, line) in told {
            headers.append(*name, HeaderValue::from_str(line).unwrap());
        }
        client_address(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn only_trusted_proxies_set_client_address() {
        assert_eq!(seen("192.0.2.1", &[(LIST, "198.51.100.7")]), "192.0.2.1");
        assert_eq!(seen("10.0.0.1", &[(LIST, "198.51.100.7")]), "198.51.100.7");
        assert_eq!(seen("::ffff:10.0.0.1", &[(LIST, "198.51.100.7")]), "198.51.100.7");
        assert_eq!(seen("10.0.0.1", &[(LIST, "1.2.3.4, 198.51.100.7, 10.0.0.2")]), "198.51.100.7");
        assert_eq!(seen("10.0.0.1", &[(LIST, "1.2.3.4"), (LIST, "198.51.100.7")]), "198.51.100.7");
        assert_eq!(seen("10.0.0.1", &[]), "10.0.0.1");
    }

    /// Input: forms of one hop; expected: its address, or the proxy's if the hop has none.
    #[test]
    fn nodes_are_read_with_ports_zones_and_brackets() {
        let proxy = "10.0.0.1";
        let cases = [
            ("198.51.100.7:4711", "198.51.100.7"),
            ("198.51.100.7:_hidden", "198.51.100.7"),
            ("2001:db8::7", "2001:db8::7"),
            ("[2001:db8::7]", "2001:db8::7"),
            ("[2001:db8::7]:443", "2001:db8::7"),
            ("fe80::7%eth0", "fe80::7"),
            ("[fe80::7%25eth0]:80", "fe80::7"),
            ("::ffff:198.51.100.7", "198.51.100.7"),
            ("[::ffff:198.51.100.7]:80", "198.51.100.7"),
            ("unknown", proxy),
            ("_gateway", proxy),
            ("198.51.100.7:port", proxy),
            ("198.51.100.7:99999", proxy),
            ("[2001:db8::7]443", proxy),
            ("[2001:db8::7", proxy),
            ("2001:db8::7]:443", proxy),
            ("client.example", proxy),
            ("198.51.100", proxy),
        ];
        for (node, expected) in cases {
            assert_eq!(seen(proxy, &[(LIST, node)]), expected, "{node}");
            assert_eq!(seen(proxy, &[(FORWARDED, &format!("for=\"{node}\""))]), expected, "for={node}");
        }
    }

    /// Input: a list begun by a client and continued by proxies; expected: never an address that the client wrote.
    #[test]
    fn unknown_hops_hide_earlier_hops() {
        let list = |text: &str| seen("10.0.0.1", &[(LIST, text)]);
        assert_eq!(list("6.6.6.6, unknown"), "10.0.0.1");
        assert_eq!(list("6.6.6.6, nonsense, 10.0.0.2"), "10.0.0.2");
        assert_eq!(list("6.6.6.6, 198.51.100.7:80, 10.0.0.2:81"), "198.51.100.7");
        assert_eq!(list("6.6.6.6, ,198.51.100.7"), "198.51.100.7");
        let forwarded = |text: &str| seen("10.0.0.1", &[(FORWARDED, text)]);
        assert_eq!(forwarded("for=6.6.6.6, for=198.51.100.7;proto=https;by=10.0.0.2"), "198.51.100.7");
        assert_eq!(forwarded("for=6.6.6.6, FOR=\"[2001:db8::7]:80\" ; host=\"a,b;c\""), "2001:db8::7");
        assert_eq!(forwarded("for=6.6.6.6, proto=https"), "10.0.0.1");
        assert_eq!(forwarded("for=6.6.6.6, for=1.1.1.1;for=2.2.2.2"), "10.0.0.1");
        assert_eq!(forwarded("for=6.6.6.6, for=\"_x\\\"y\""), "10.0.0.1");
    }

    /// Input: both headers; expected: the address that both report, or the proxy's.
    #[test]
    fn headers_that_differ_count_as_one_client() {
        let both = |list: &str, forwarded: &str| seen("10.0.0.1", &[(LIST, list), (FORWARDED, forwarded)]);
        assert_eq!(both("198.51.100.7", "for=198.51.100.7"), "198.51.100.7");
        assert_eq!(both("6.6.6.6", "for=198.51.100.7"), "10.0.0.1");
        assert_eq!(both("198.51.100.7", "for=6.6.6.6"), "10.0.0.1");
    }
}
