//! Classifies IP addresses. An address that is not plainly public has a class, which is the reason to refuse it.
//!
//! The tables are those of the IANA registries of special-purpose addresses. An address that embeds a v4 address
//! (mapped, translated, tunnelled) has the class of the embedded one.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The class of an address that is not public, and so is not called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressClass {
    /// Loopback: this machine.
    Loopback,
    /// A private network, 10/8, 172.16/12 or 192.168/16.
    Private,
    /// Link-local: the same network link.
    LinkLocal,
    /// A private v6 network, fc00::/7.
    UniqueLocal,
    /// Carrier-grade NAT, 100.64/10.
    Shared,
    /// A multicast group.
    Multicast,
    /// The broadcast address of a link.
    Broadcast,
    /// The unspecified address, 0/8 or ::.
    Unspecified,
    /// Reserved for examples in documentation.
    Documentation,
    /// Reserved for network benchmarks.
    Benchmarking,
    /// The instance metadata of a cloud machine, credentials included.
    Metadata,
    /// Reserved or unassigned.
    Reserved,
}

/// The class of `address`; `None` for a public one.
pub(crate) fn class(address: IpAddr) -> Option<AddressClass> {
    match address {
        IpAddr::V4(address) => v4(address),
        IpAddr::V6(address) => v6(address),
    }
}

/// Whether `name` is a host name under which clouds serve instance metadata.
pub(super) fn is_metadata_name(name: &str) -> bool {
    METADATA_NAMES.contains(&name)
}

const METADATA_NAMES: [&str; 6] = [
    "metadata",
    "metadata.google.internal",
    "metadata.goog",
    "metadata.azure.internal",
    "metadata.tencentyun.com",
    "instance-data.ec2.internal",
];

/// AWS, Azure, Google and others; AWS tasks and pods; Alibaba; Azure's host; Oracle.
const METADATA_V4: [Ipv4Addr; 6] = [
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(169, 254, 170, 2),
    Ipv4Addr::new(169, 254, 170, 23),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(192, 0, 0, 192),
];

/// AWS, AWS pods, Google.
const METADATA_V6: [Ipv6Addr; 3] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
];

fn v4(address: Ipv4Addr) -> Option<AddressClass> {
    use AddressClass::{
        Benchmarking, Broadcast, Documentation, LinkLocal, Loopback, Metadata, Multicast, Private, Reserved,
        Shared, Unspecified,
    };
    if METADATA_V4.contains(&address) {
        return Some(Metadata);
    }
    match address.octets() {
        [255, 255, 255, 255] => Some(Broadcast),
        [0, ..] => Some(Unspecified),
        [127, ..] => Some(Loopback),
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Some(Private),
        [169, 254, ..] => Some(LinkLocal),
        [100, 64..=127, ..] => Some(Shared),
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => Some(Documentation),
        [198, 18..=19, ..] => Some(Benchmarking),
        // Protocol assignments, the former 6to4 relay, and unassigned ranges.
        [192, 0, 0, _] | [192, 88, 99, _] | [240..=255, ..] => Some(Reserved),
        [224..=239, ..] => Some(Multicast),
        _ => None,
    }
}

fn v6(address: Ipv6Addr) -> Option<AddressClass> {
    if METADATA_V6.contains(&address) {
        return Some(AddressClass::Metadata);
    }
    if address.is_loopback() {
        return Some(AddressClass::Loopback);
    }
    if address.is_unspecified() {
        return Some(AddressClass::Unspecified);
    }
    match address.segments() {
        // v4-compatible, v4-mapped, and translated (two prefixes).
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => v4(inner(high, low)),
        // 6to4.
        [0x2002, high, low, ..] => v4(inner(high, low)),
        // Teredo: its server, and its client with all bits inverted.
        [0x2001, 0, server_high, server_low, _, _, high, low] => {
            v4(inner(server_high, server_low)).or_else(|| v4(inner(!high, !low)))
        }
        // ISATAP: the v4 address is in the lower half, under any prefix.
        [first, .., 0 | 0x200, 0x5efe, high, low] => {
            v6_range(first, address).or_else(|| v4(inner(high, low)))
        }
        [first, ..] => v6_range(first, address),
    }
}

fn v6_range(first: u16, address: Ipv6Addr) -> Option<AddressClass> {
    let second = address.segments()[1];
    match first {
        0xff00..=0xffff => Some(AddressClass::Multicast),
        0xfe80..=0xfebf => Some(AddressClass::LinkLocal),
        0xfc00..=0xfdff => Some(AddressClass::UniqueLocal),
        // Formerly site-local.
        0xfec0..=0xfeff => Some(AddressClass::Private),
        0x2001 if second == 0xdb8 => Some(AddressClass::Documentation),
        0x3fff if second <= 0xfff => Some(AddressClass::Documentation),
        0x2001 if second == 2 && address.segments()[2] == 0 => Some(AddressClass::Benchmarking),
        // Protocol assignments of the IETF.
        0x2001 if second <= 0x1ff => Some(AddressClass::Reserved),
        0x2000..=0x3fff => None,
        // Only 2000::/3 is assigned.
        _ => Some(AddressClass::Reserved),
    }
}

fn inner(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from((u32::from(high) << 16) | u32::from(low))
}
