//! Limits how many permits each client address may hold at the same time.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::limits::network_of_address;

/// Counts the permits of each address.
#[derive(Debug)]
pub(crate) struct AddressLimiter {
    most: usize,
    held: Mutex<HashMap<IpAddr, usize>>,
}

/// Permit of one address, held until it is dropped.
#[derive(Debug)]
pub(crate) struct AddressPermit {
    of: Arc<AddressLimiter>,
    address: IpAddr,
}

impl AddressLimiter {
    /// A limiter with at most `most` permits per address; 0 = no limit.
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, held: Mutex::default() })
    }

    /// Acquires a permit for an address; `None` if the address is at its limit. An IPv6 network counts as one address.
    pub(crate) fn try_acquire(self: &Arc<Self>, address: IpAddr) -> Option<AddressPermit> {
        let address = network_of_address(address);
        let mut all = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let held = all.entry(address).or_default();
        if self.most > 0 && *held >= self.most {
            return None;
        }
        *held += 1;
        Some(AddressPermit { of: self.clone(), address })
    }
}

impl Drop for AddressPermit {
    fn drop(&mut self) {
        let mut all = self.of.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = all.get_mut(&self.address) {
            *held = held.saturating_sub(1);
            if *held == 0 {
                all.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_at_limit_gets_no_permit() {
        let all = AddressLimiter::new(2);
        let of = |text: &str| all.try_acquire(text.parse().unwrap());
        let first = of("192.0.2.1").unwrap();
        let _second = of("::ffff:192.0.2.1").unwrap();
        assert!(of("192.0.2.1").is_none(), "whichever socket it came by");
        assert!(of("192.0.2.2").is_some(), "each has its own");
        drop(first);
        assert!(of("192.0.2.1").is_some());
        let _one = of("2001:db8:1:2::1").unwrap();
        let _two = of("2001:db8:1:2::2").unwrap();
        assert!(of("2001:db8:1:2::3").is_none(), "a network of v6 is one");
    }

    #[test]
    fn addresses_without_permits_are_removed() {
        let all = AddressLimiter::new(0);
        let places: Vec<_> =
            (0..10).map(|_| all.try_acquire("192.0.2.1".parse().unwrap()).unwrap()).collect();
        drop(places);
        assert!(all.held.lock().unwrap().is_empty());
    }
}
