//! An in-memory index of the commands of an exchange that are in the ledger: most replies request something new,
//! which the index shows without a query.

use std::collections::HashSet;

use entracte_domain::id::Digest;

use crate::ports::CallRow;

/// The commands of one session's exchange that are in the ledger, by the first bits of their hashes.
///
/// ```
/// use entracte_application::commands::ExchangeCommandIndex;
/// use entracte_application::system::sha256;
///
/// let (sent, never) = (sha256(b"send"), sha256(b"never"));
/// let mut before = ExchangeCommandIndex::default();
/// assert!(before.may_contain(4, &never), "nothing is known of this exchange");
/// before.record_commit(4, true, [&sent]);
/// assert!(before.may_contain(4, &sent));
/// assert!(!before.may_contain(4, &never));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExchangeCommandIndex {
    exchange: u64,
    /// Every command of the exchange is known, because all its commits were recorded.
    is_whole: bool,
    marks: HashSet<u64>,
}

impl ExchangeCommandIndex {
    /// Records a commit that left the session in this exchange and wrote calls of these commands in it. `begins`: the
    /// exchange began with it, so no earlier commit wrote any.
    pub fn record_commit<'a>(
        &mut self,
        exchange: u64,
        begins: bool,
        commands: impl IntoIterator<Item = &'a Digest>,
    ) {
        if self.exchange != exchange || begins {
            *self = Self { exchange, is_whole: begins, marks: HashSet::new() };
        }
        if !self.is_whole {
            return;
        }
        for command in commands {
            match mark(command) {
                Some(mark) => {
                    self.marks.insert(mark);
                }
                None => self.is_whole = false,
            }
        }
    }

    /// Whether the ledger may contain a call of this command in this exchange. `false` is certain.
    pub fn may_contain(&self, exchange: u64, command: &Digest) -> bool {
        let is_known = self.is_whole && self.exchange == exchange;
        !is_known || mark(command).is_none_or(|mark| self.marks.contains(&mark))
    }
}

/// The first 64 bits of a hash; `None` if it is not a hash.
fn mark(digest: &Digest) -> Option<u64> {
    u64::from_str_radix(digest.as_str().get(..16)?, 16).ok()
}

/// The commands of the calls of one exchange.
pub(crate) fn commands_of<'a>(
    exchange: u64,
    rows: impl Iterator<Item = &'a CallRow>,
) -> impl Iterator<Item = &'a Digest> {
    rows.filter(move |row| row.exchange == exchange).map(|row| &row.command_id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::sha256;

    #[test]
    fn partly_recorded_exchange_may_contain_any_command() {
        let (sent, never) = (sha256(b"send"), sha256(b"never"));
        let mut before = ExchangeCommandIndex::default();
        before.record_commit(4, false, [&sent]);
        assert!(before.may_contain(4, &never));
        // The next exchange is recorded from its beginning to its end.
        before.record_commit(9, true, []);
        assert!(!before.may_contain(9, &sent), "it is of the exchange before");
        before.record_commit(9, false, [&sent]);
        assert!(before.may_contain(9, &sent) && !before.may_contain(9, &never));
        assert!(before.may_contain(4, &never), "of another exchange nothing is known");
        assert!(before.may_contain(12, &never));
    }

    #[test]
    fn command_without_hash_makes_index_uncertain() {
        let mut before = ExchangeCommandIndex::default();
        before.record_commit(4, true, [&Digest::new("short")]);
        assert!(before.may_contain(4, &sha256(b"never")));
        assert!(before.may_contain(4, &Digest::new("short")));
    }
}
