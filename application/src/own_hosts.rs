//! Hosts of addresses that are this machine itself.

use std::net::IpAddr;

/// Whether a host, as it stands in an address, is the loopback of this machine: an IP address of it, in brackets or not,
/// or a name that no resolver may lead elsewhere (`localhost` and the names below it, RFC 6761).
pub fn is_loopback_host(host: &str) -> bool {
    ip_address(host).map_or_else(|| is_loopback_name(host), |address| address.is_loopback())
}

/// Whether no other machine can open an address with this host: it is the loopback, or stands for all addresses of this
/// machine (`0.0.0.0`).
pub fn is_host_of_this_machine(host: &str) -> bool {
    is_loopback_host(host) || ip_address(host).is_some_and(|address| address.is_unspecified())
}

fn ip_address(host: &str) -> Option<IpAddr> {
    let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    bare.parse::<IpAddr>().ok().map(|address| address.to_canonical())
}

fn is_loopback_name(host: &str) -> bool {
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_hosts_are_known() {
        let here = [
            "localhost",
            "LocalHost",
            "localhost.",
            "a.localhost",
            "127.0.0.1",
            "127.1.2.3",
            "::1",
            "[::1]",
            "[::ffff:127.0.0.1]",
        ];
        for host in here {
            assert!(is_loopback_host(host) && is_host_of_this_machine(host), "{host}");
        }
        for host in ["0.0.0.0", "[::]"] {
            assert_eq!((is_loopback_host(host), is_host_of_this_machine(host)), (false, true), "{host}");
        }
        for host in ["", "localhost.example", "notlocalhost", "10.0.0.1", "[fd00::1]", "127.0.0.1.example"] {
            assert!(!is_loopback_host(host) && !is_host_of_this_machine(host), "{host}");
        }
    }
}
