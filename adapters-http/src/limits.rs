//! How much of what anybody may send. Each limit has a name, a default, and an answer that says how to stay below it.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};

use entracte_domain::time::Millis;

/// Every limit of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpServerLimits {
    /// Bytes of a body. 1 MiB.
    pub body: usize,
    /// Bytes of the file of a session that is imported. 64 MiB.
    pub import: usize,
    /// How deep JSON may be nested. 64.
    pub depth: usize,
    /// How long the head of a request may take. 10 s.
    pub head_timeout: Millis,
    /// How long the body of a request may take. 30 s.
    pub body_timeout: Millis,
    /// Requests of one token in a minute. 600.
    pub requests: u32,
    /// Wrong tokens and wrong links of one address in [`HttpServerLimits::login_window`]. 20.
    pub failed_logins: u32,
    /// How long they count. 10 minutes.
    pub login_window: Millis,
    /// Callbacks of one address in a minute; each counts before it is looked at. 600.
    pub callbacks: u32,
    /// Connections at once; more wait. 512.
    pub connections: usize,
    /// Connections of one address at once; more are refused. 0 = no limit. Proxies that are trusted are not counted. 256.
    pub connections_per_address: usize,
    /// Connections of one address at once on which the head of a request is not whole yet; more are refused. 0 = no limit. 64.
    pub heads_per_address: usize,
    /// How long a login link counts. 10 minutes.
    pub link_lasts: Millis,
    /// How long an invitation to a token counts. 7 days.
    pub invitation_lasts: Millis,
    /// How long a login of a browser counts. 30 days.
    pub login_lasts: Millis,
    /// How long requests that run may go on when the server ends. 15 s.
    pub grace: Millis,
    /// How long `/readyz` takes at most, whatever the database does. 2 s.
    pub ready_timeout: Millis,
    /// Streams of one workspace at once; 0 = no limit. 32.
    pub streams: usize,
    /// Streams of one token at once; 0 = no limit. 8.
    pub streams_per_token: usize,
    /// How long a stream lasts before it has to be asked for again. 1 h.
    pub stream_lasts: Millis,
    /// How long a stream is silent before it says that it lives. 15 s.
    pub stream_beat: Millis,
    /// How often a stream looks whether its token still counts; a body that took as long is asked too. Half a second.
    pub stream_look: Millis,
    /// The least between two frames of words: what comes meanwhile is one frame. 10 ms.
    pub stream_pace: Millis,
    /// How long a connection may take no byte of what is written to it. 30 s.
    pub stall_timeout: Millis,
    /// How long a ticket for a stream counts. 60 s.
    pub ticket_lasts: Millis,
    /// How long a request waits for what becomes of an action that it asks for by hand. 20 s.
    pub action_wait: Millis,
    /// How long somebody counts as present after a stream was opened or a heartbeat came. 5 minutes.
    pub presence_lasts: Millis,
}

impl Default for HttpServerLimits {
    fn default() -> Self {
        Self {
            body: 1024 * 1024,
            import: 64 * 1024 * 1024,
            depth: 64,
            head_timeout: Millis::seconds(10),
            body_timeout: Millis::seconds(30),
            requests: 600,
            failed_logins: 20,
            login_window: Millis::minutes(10),
            callbacks: 600,
            connections: 512,
            connections_per_address: 256,
            heads_per_address: 64,
            link_lasts: Millis::minutes(10),
            invitation_lasts: Millis::hours(24 * 7),
            login_lasts: Millis::hours(24 * 30),
            grace: Millis::seconds(15),
            ready_timeout: Millis::seconds(2),
            streams: 32,
            streams_per_token: 8,
            stream_lasts: Millis::hours(1),
            stream_beat: Millis::seconds(15),
            stream_look: Millis(500),
            stream_pace: Millis(10),
            stall_timeout: Millis::seconds(30),
            ticket_lasts: Millis::seconds(60),
            action_wait: Millis::seconds(20),
            presence_lasts: Millis::minutes(5),
        }
    }
}

/// Keys that a meter remembers before it forgets those that have been quiet.
const KEYS_MAX: usize = 4096;

/// What an address counts as: of v6, whoever has one has all of its network, and would never meet a limit.
pub(crate) fn network_of_address(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(own) => match own.to_ipv4_mapped() {
            Some(inner) => IpAddr::V4(inner),
            None => IpAddr::V6(Ipv6Addr::from(u128::from(own) & NETWORK)),
        },
    }
}

/// The half of a v6 address that a network is given.
const NETWORK: u128 = u128::MAX << 64;

/// Counts what somebody does against how much of it is allowed in a span. What was used comes back evenly.
#[derive(Debug)]
pub struct RateLimiter<Key> {
    most: u32,
    span: Millis,
    used: HashMap<Key, (f64, Millis)>,
}

impl<Key: Hash + Eq> RateLimiter<Key> {
    /// `most` in `span`; 0 = no limit.
    pub fn new(most: u32, span: Millis) -> Self {
        Self { most, span, used: HashMap::new() }
    }

    /// Counts one more at `now`, on the clock that only goes on.
    ///
    /// # Errors
    /// The seconds after which there is room again, when there is none; then nothing is counted.
    pub fn count(&mut self, key: Key, now: Millis) -> Result<(), u64> {
        if self.most == 0 {
            return Ok(());
        }
        if self.used.len() >= KEYS_MAX {
            let (most, span) = (self.most, self.span);
            self.used.retain(|_, used| remaining_usage(*used, now, most, span) > 0.0);
        }
        let (most, span) = (self.most, self.span);
        let used = self.used.entry(key).or_insert((0.0, now));
        let counted = remaining_usage(*used, now, most, span);
        if counted + 1.0 > f64::from(most) {
            let over = counted + 1.0 - f64::from(most);
            let millis = over * span_millis(span) / f64::from(most);
            return Err(((millis / 1000.0).ceil() as u64).max(1));
        }
        *used = (counted + 1.0, now);
        Ok(())
    }
}

fn span_millis(span: Millis) -> f64 {
    f64::from(u32::try_from(span.0.max(1)).unwrap_or(u32::MAX))
}

/// What is still counted of what was used.
fn remaining_usage((used, at): (f64, Millis), now: Millis, most: u32, span: Millis) -> f64 {
    let gone = f64::from(u32::try_from(now.0.saturating_sub(at.0).max(0)).unwrap_or(u32::MAX));
    (used - gone * f64::from(most) / span_millis(span)).max(0.0)
}

/// How deep JSON is nested, as far as `most` + 1. Text that is no JSON is read by the parser that comes next.
pub fn json_depth(json: &[u8], most: usize) -> usize {
    let (mut depth, mut deepest, mut in_text, mut is_escaped) = (0_usize, 0_usize, false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_text => is_escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => {
                depth += 1;
                deepest = deepest.max(depth);
                if deepest > most {
                    return deepest;
                }
            }
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_comes_back_evenly() {
        let mut meter = RateLimiter::new(60, Millis::minutes(1));
        for _ in 0..60 {
            assert_eq!(meter.count("ann", Millis(0)), Ok(()));
        }
        assert_eq!(meter.count("ann", Millis(0)), Err(1));
        assert_eq!(meter.count("bea", Millis(0)), Ok(()), "each has their own");
        assert_eq!(meter.count("ann", Millis(999)), Err(1));
        assert_eq!(meter.count("ann", Millis(1000)), Ok(()));
        assert_eq!(meter.count("ann", Millis(1000)), Err(1));
    }

    #[test]
    fn zero_is_no_limit() {
        let mut meter = RateLimiter::new(0, Millis::minutes(1));
        assert!((0..10_000).all(|_| meter.count("ann", Millis(0)).is_ok()));
    }

    #[test]
    fn a_meter_forgets_those_that_were_quiet() {
        let mut meter = RateLimiter::new(1, Millis::seconds(1));
        for key in 0..KEYS_MAX {
            meter.count(key, Millis(0)).unwrap();
        }
        meter.count(KEYS_MAX, Millis(5000)).unwrap();
        assert_eq!(meter.used.len(), 1);
    }

    #[test]
    fn addresses_of_one_network_count_as_one() {
        let of = |text: &str| network_of_address(text.parse().unwrap()).to_string();
        assert_eq!(of("2001:db8:1:2:aaaa::1"), of("2001:db8:1:2:bbbb::7"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("192.0.2.7"), "192.0.2.7");
        assert_eq!(of("::ffff:192.0.2.7"), "192.0.2.7", "the same machine, whichever socket it came by");
    }

    #[test]
    fn depth_is_counted_outside_of_texts() {
        assert_eq!(json_depth(br#"{"a":[1,{"b":2}]}"#, 64), 3);
        assert_eq!(json_depth(br#"{"a":"[[[[\"[["}"#, 64), 1);
        assert_eq!(json_depth(b"12", 64), 0);
        let bomb = "[".repeat(100_000);
        assert_eq!(json_depth(bomb.as_bytes(), 64), 65);
    }
}
