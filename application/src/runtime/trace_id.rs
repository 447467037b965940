//! The trace id of a round. It is derived, like every other id of a session, so a round resumed in another
//! process keeps it.

use entracte_domain::id::SessionId;

use crate::system::sha256;

/// Hex digits of a trace id, as in OpenTelemetry: 16 bytes.
const TRACE_LETTERS: usize = 32;

/// The trace id of a round.
pub(super) fn round_trace_id(session: &SessionId, round: u32) -> String {
    let digest = sha256(format!("round {session} {round}").as_bytes()).to_string();
    digest.chars().take(TRACE_LETTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::session;

    #[test]
    fn trace_id_is_stable_and_unique_per_round() {
        let id = round_trace_id(&session(), 1);
        assert_eq!(id, round_trace_id(&session(), 1));
        assert!(id.len() == 32 && id.chars().all(|letter| letter.is_ascii_hexdigit()), "{id}");
        assert_ne!(id, round_trace_id(&session(), 2));
        assert_ne!(id, round_trace_id(&SessionId::new("ses_other"), 1));
    }
}
