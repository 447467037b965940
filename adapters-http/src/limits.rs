//! Limits of requests and connections. Each has a name, a default, and a refusal that says how to stay below it.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};

use entracte_domain::time::Millis;

/// All limits of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpServerLimits {
    /// Most bytes of a body. 1 MiB.
    pub body: usize,
    /// Bodies of more than [`HttpServerLimits::body`], with files of conversations, at the same time; more are refused. 0 = no
    /// limit. 16.
    pub file_bodies: usize,
    /// Most bytes of an imported session file. 336 MiB, for 64 MiB and the usual most of the files of a session in base64.
    pub import: usize,
    /// Most nesting levels of JSON. 64.
    pub depth: usize,
    /// Longest time until the head of a request is complete. 10 s.
    pub head_timeout: Millis,
    /// Longest time until the body of a request is complete. 30 s.
    pub body_timeout: Millis,
    /// Requests of one token per minute. 600.
    pub requests: u32,
    /// Invalid tokens, links and codes of one address in [`HttpServerLimits::login_window`]; as many logins of terminals
    /// begin there. 20.
    pub failed_logins: u32,
    /// Time for which they count. 10 minutes.
    pub login_window: Millis,
    /// Logins of terminals that wait for a person at the same time; more are refused. 0 = terminals do not log in. 100.
    pub terminal_logins: usize,
    /// Time for which the login of a terminal waits for a person. 10 minutes.
    pub terminal_login_lasts: Millis,
    /// Time after which a terminal that waits asks again, in whole seconds. 2 s.
    pub terminal_login_poll: Millis,
    /// Callbacks of one address per minute, counted before they are verified. 600.
    pub callbacks: u32,
    /// Open connections; more wait. 512.
    pub connections: usize,
    /// Open connections of one address; more are refused. 0 = no limit. Trusted proxies are not limited. 256.
    pub connections_per_address: usize,
    /// Connections of one address with an incomplete request head; more are refused. 0 = no limit. 64.
    pub heads_per_address: usize,
    /// Least bytes of an answer that is compressed: smaller ones would not become smaller. 1 KiB.
    pub compressed_min: usize,
    /// Most bytes of an answer that is compressed; larger ones are sent as they are. 0 = nothing is compressed. 8 MiB.
    pub compressed_max: usize,
    /// Validity of a login link. 10 minutes.
    pub link_lasts: Millis,
    /// Validity of an invitation to a token. 7 days.
    pub invitation_lasts: Millis,
    /// Validity of a browser login. 30 days.
    pub login_lasts: Millis,
    /// Time for running requests to complete at shutdown. 15 s.
    pub grace: Millis,
    /// Longest time of `/readyz`, whatever the database does. 2 s.
    pub ready_timeout: Millis,
    /// Open streams of one workspace; 0 = no limit. 32.
    pub streams: usize,
    /// Open streams of one token; 0 = no limit. 8.
    pub streams_per_token: usize,
    /// Lifetime of a stream before the client must reconnect. 1 h.
    pub stream_lasts: Millis,
    /// Silence after which a stream sends a heartbeat. 15 s.
    pub stream_beat: Millis,
    /// Interval at which a stream checks its token; a body that took as long is checked too. Half a second.
    pub stream_look: Millis,
    /// Shortest interval between two text frames: text in between is merged. 10 ms.
    pub stream_pace: Millis,
    /// Longest time for which a connection may accept no byte. 30 s.
    pub stall_timeout: Millis,
    /// Validity of a stream ticket, which reopens its stream after a break. 10 min longer than a stream lasts: 1 h 10 min.
    pub ticket_lasts: Millis,
    /// Longest wait for the outcome of a manually requested action. 20 s.
    pub action_wait: Millis,
    /// Time for which a person counts as present; 0 = nobody does: streams then send the text of models once it is stored.
    /// Whoever reads a stream is present. 5 minutes.
    pub presence_lasts: Millis,
    /// Longest check of an entry of the configuration: as long as the first start of a program that downloads its MCP server,
    /// and an answer. 150 s.
    pub entry_check_timeout: Millis,
    /// How long a change of an entry waits for what goes on without it: the tools of a new MCP server, the logout at a removed
    /// one. 3 s.
    pub entry_wait: Millis,
}

impl Default for HttpServerLimits {
    fn default() -> Self {
        Self {
            body: 1024 * 1024,
            file_bodies: 16,
            import: 336 * 1024 * 1024,
            depth: 64,
            head_timeout: Millis::seconds(10),
            body_timeout: Millis::seconds(30),
            requests: 600,
            failed_logins: 20,
            login_window: Millis::minutes(10),
            terminal_logins: 100,
            terminal_login_lasts: Millis::minutes(10),
            terminal_login_poll: Millis::seconds(2),
            callbacks: 600,
            connections: 512,
            connections_per_address: 256,
            heads_per_address: 64,
            compressed_min: 1024,
            compressed_max: 8 * 1024 * 1024,
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
            ticket_lasts: Millis::minutes(70),
            action_wait: Millis::seconds(20),
            presence_lasts: Millis::minutes(5),
            entry_check_timeout: Millis::seconds(150),
            entry_wait: Millis::seconds(3),
        }
    }
}

/// Keys that a rate limiter stores before it drops those without recent events.
const KEYS_MAX: usize = 4096;

/// The address that a client is counted under: an IPv6 client controls its whole network, so the network counts.
pub(crate) fn network_of_address(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(own) => match own.to_ipv4_mapped() {
            Some(inner) => IpAddr::V4(inner),
            None => IpAddr::V6(Ipv6Addr::from(u128::from(own) & NETWORK)),
        },
    }
}

/// The network half of an IPv6 address.
const NETWORK: u128 = u128::MAX << 64;

/// Counts events per key against a maximum per time span. Used amounts are restored evenly over time.
#[derive(Debug)]
pub struct RateLimiter<Key> {
    most: u32,
    span: Millis,
    used: HashMap<Key, (f64, Millis)>,
}

impl<Key: Hash + Eq> RateLimiter<Key> {
    /// A limiter of `most` events in `span`; 0 = no limit.
    pub fn new(most: u32, span: Millis) -> Self {
        Self { most, span, used: HashMap::new() }
    }

    /// Counts one event at `now`, on the monotonic clock.
    ///
    /// # Errors
    /// The seconds until there is room again, if the limit is reached; the event is not counted then.
    pub fn count(&mut self, key: Key, now: Millis) -> Result<(), u64> {
        if self.most == 0 {
            return Ok(());
        }
        if self.used.len() >= KEYS_MAX {
            let (most, span) = (self.most, self.span);
            self.used.retain(|_, (used, at)| remaining_usage(*used, *at, now, most, span) > 0.0);
        }
        let (most, span) = (self.most, self.span);
        let (used, at) = self.used.entry(key).or_insert((0.0, now));
        let counted = remaining_usage(*used, *at, now, most, span);
        if counted + 1.0 > f64::from(most) {
            let over = counted + 1.0 - f64::from(most);
            let millis = over * span_millis(span) / f64::from(most);
            return Err(((millis / 1000.0).ceil() as u64).max(1));
        }
        (*used, *at) = (counted + 1.0, now);
        Ok(())
    }
}

fn span_millis(span: Millis) -> f64 {
    f64::from(u32::try_from(span.0.max(1)).unwrap_or(u32::MAX))
}

/// The part of the amount used at `at` that is not yet restored.
fn remaining_usage(used: f64, at: Millis, now: Millis, most: u32, span: Millis) -> f64 {
    let gone = f64::from(u32::try_from(now.0.saturating_sub(at.0).max(0)).unwrap_or(u32::MAX));
    (used - gone * f64::from(most) / span_millis(span)).max(0.0)
}

/// The nesting depth of JSON, at most `most` + 1. Other text is left to the JSON parser.
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

/// The bytes of JSON that are not inside of its strings. Each value has at least one, so they bound how much memory the
/// values take beside the strings. Other text is left to the JSON parser.
pub fn json_syntax_bytes(json: &[u8]) -> usize {
    let (mut bytes, mut in_text, mut is_escaped) = (0_usize, false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_text => is_escaped = true,
            b'"' => {
                in_text = !in_text;
                bytes += 1;
            }
            _ if in_text => {}
            _ => bytes += 1,
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_amount_is_restored_evenly() {
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
    fn limiter_drops_quiet_keys() {
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
    fn depth_ignores_brackets_in_strings() {
        assert_eq!(json_depth(br#"{"a":[1,{"b":2}]}"#, 64), 3);
        assert_eq!(json_depth(br#"{"a":"[[[[\"[["}"#, 64), 1);
        assert_eq!(json_depth(b"12", 64), 0);
        let bomb = "[".repeat(100_000);
        assert_eq!(json_depth(bomb.as_bytes(), 64), 65);
    }
    #[test]
    fn strings_are_no_syntax() {
        assert_eq!(json_syntax_bytes(br#"{"a":[1,"b\"]}"]}"#), 11);
        assert_eq!(json_syntax_bytes(b"[0,0,0]"), 7);
        assert_eq!(json_syntax_bytes(br#""AAAA""#), 2);
    }
}
