//! The address by which others reach a server that listens at every address of its machine.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// The address to name in links: the one that the server listens at; where that is every address, the one by which this
/// machine reaches others, or the loopback if it reaches none.
pub(super) fn reachable_address(bound: SocketAddr) -> SocketAddr {
    if !bound.ip().is_unspecified() {
        return bound;
    }
    SocketAddr::new(outward_address(bound.is_ipv6()).unwrap_or(Ipv4Addr::LOCALHOST.into()), bound.port())
}

/// The address of the interface by which this machine reaches others. Nothing is sent: only a route is chosen.
fn outward_address(speaks_ipv6: bool) -> Option<IpAddr> {
    // Addresses for documentation, which belong to nobody.
    let v4 = route_to((Ipv4Addr::UNSPECIFIED, 0).into(), (Ipv4Addr::new(192, 0, 2, 1), 9).into());
    let v6 = || {
        let example = Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1);
        route_to((Ipv6Addr::UNSPECIFIED, 0).into(), (example, 9).into()).filter(|_| speaks_ipv6)
    };
    v4.or_else(v6)
}

fn route_to(from: SocketAddr, to: SocketAddr) -> Option<IpAddr> {
    let socket = UdpSocket::bind(from).ok()?;
    socket.connect(to).ok()?;
    socket.local_addr().ok().map(|address| address.ip()).filter(|address| !address.is_unspecified())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: a server at one address, and at all; expected: the first is named as it is, the second by one that a browser
    /// can open.
    #[test]
    fn links_name_an_address_that_can_be_opened() {
        let at = |address: &str| reachable_address(address.parse().unwrap());
        assert_eq!(at("127.0.0.1:8723").to_string(), "127.0.0.1:8723");
        for all in ["0.0.0.0:8723", "[::]:8723"] {
            assert!(!at(all).ip().is_unspecified() && at(all).port() == 8723, "{all}");
        }
    }
}
