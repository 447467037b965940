//! The dictionary of hashes that recur in row bodies (of rules, of command versions): each is stored once, and bodies
//! contain its number.
//!
//! The commit with the first use of a hash contains and stores it whole; later commits contain its number. Bodies are
//! restored byte for byte. Numbers are permanent, so cached entries stay valid.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use entracte_application::codec::{extract_recurring_hashes, insert_recurring_hashes, recurring_hashes};
use entracte_application::ports::WorkspaceCommit;

use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::queries::hashes::{self, HashBytes};

/// First byte of a body with encoded hashes; no original body begins with it.
const NUMBERED: u8 = 0xec;

/// The hashes known to this process, with their numbers.
#[derive(Debug, Default)]
pub(crate) struct HashDictionary(RwLock<HashDictionaryMaps>);

#[derive(Debug, Default)]
struct HashDictionaryMaps {
    numbers: HashMap<HashBytes, i64>,
    hashes: HashMap<i64, HashBytes>,
}

impl HashDictionary {
    /// Hashes of a commit without a known number, each once.
    pub(crate) fn missing_hashes(&self, commit: &WorkspaceCommit) -> Vec<HashBytes> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        of(commit).into_iter().filter(|hash| !known.numbers.contains_key(hash)).collect()
    }

    /// Adds committed numbers.
    pub(crate) fn insert_numbers(&self, found: &[(i64, HashBytes)]) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for (number, hash) in found {
            known.numbers.insert(*hash, *number);
            known.hashes.insert(*number, *hash);
        }
    }

    /// Replaces the hashes with known numbers in all bodies of a commit.
    pub(crate) fn encode_commit(&self, commit: &mut WorkspaceCommit) {
        for body in bodies_mut(commit) {
            if let Some(numbered) = self.encode_body(body) {
                *body = numbered;
            }
        }
    }

    /// The body with its hashes replaced by numbers; `None` if it has no hashes, or one without a number.
    fn encode_body(&self, body: &[u8]) -> Option<Vec<u8>> {
        let (hashes, rest) = extract_recurring_hashes(body)?;
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut numbered = vec![NUMBERED, u8::try_from(hashes.len()).ok()?];
        for hash in hashes {
            push_number(&mut numbered, known.numbers.get(hash)?.cast_unsigned());
        }
        numbered.extend_from_slice(&rest);
        Some(numbered)
    }

    /// Replaces the numbers in bodies by their hashes.
    pub(crate) fn decode_bodies<'a>(
        &self,
        conn: &mut DbConnection,
        bodies: impl IntoIterator<Item = &'a mut Vec<u8>>,
    ) -> Result<(), DbError> {
        for body in bodies {
            let Some((numbers, rest)) = parse_encoded_body(body)? else { continue };
            *body = insert_recurring_hashes(rest, &self.lookup_hashes(conn, &numbers)?);
        }
        Ok(())
    }

    fn lookup_hashes(&self, conn: &mut DbConnection, numbers: &[i64]) -> Result<Vec<HashBytes>, DbError> {
        let known = |number: &i64| {
            let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
            known.hashes.get(number).copied()
        };
        if let Some(hashes) = numbers.iter().map(known).collect() {
            return Ok(hashes);
        }
        self.insert_numbers(&hashes::list_by_numbers(conn, numbers)?);
        let missing = |number: &i64| {
            known(number)
                .ok_or_else(|| DbError::Damaged(format!("hashes, {number}: missing, and a body names it")))
        };
        numbers.iter().map(missing).collect()
    }
}

/// The recurring hashes that the bodies of a commit contain whole, each once.
pub(crate) fn of(commit: &WorkspaceCommit) -> Vec<HashBytes> {
    let mut found = Vec::new();
    for body in bodies(commit) {
        for hash in recurring_hashes(body) {
            if !found.contains(hash) {
                found.push(*hash);
            }
        }
    }
    found
}

fn bodies(commit: &WorkspaceCommit) -> impl Iterator<Item = &[u8]> {
    let log = commit.log.iter().map(|row| row.body.as_slice());
    let log = log.chain(commit.retention.rewritten.iter().map(|row| row.body.as_slice()));
    log.chain(commit.calls.iter().map(|row| row.body.as_slice()))
}

fn bodies_mut(commit: &mut WorkspaceCommit) -> impl Iterator<Item = &mut Vec<u8>> {
    let log = commit.log.iter_mut().map(|row| &mut row.body);
    let log = log.chain(commit.retention.rewritten.iter_mut().map(|row| &mut row.body));
    log.chain(commit.calls.iter_mut().map(|row| &mut row.body))
}

/// Appends a number as groups of 7 bits, the low ones first; all but the last have their high bit set.
fn push_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

/// The hash numbers of an encoded body, and the rest of the body.
type EncodedBodyParts<'a> = (Vec<i64>, &'a [u8]);

/// Splits an encoded body; `None` if the body is not encoded.
fn parse_encoded_body(body: &[u8]) -> Result<Option<EncodedBodyParts<'_>>, DbError> {
    let [NUMBERED, count, rest @ ..] = body else { return Ok(None) };
    let cut = || DbError::Damaged("the body of a row is cut short".to_owned());
    let (mut numbers, mut rest) = (Vec::with_capacity(usize::from(*count)), rest);
    for _ in 0..*count {
        let (mut number, mut shift) = (0_u64, 0);
        loop {
            let (byte, left) = rest.split_first().ok_or_else(cut)?;
            rest = left;
            number |= u64::from(byte & 0x7f).checked_shl(shift).ok_or_else(cut)?;
            if byte & 0x80 == 0 {
                break;
            }
            shift += 7;
        }
        numbers.push(number.cast_signed());
    }
    Ok(Some((numbers, rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_size_round_trip() {
        for numbers in [vec![1], vec![127, 128, 16_384, i64::MAX], vec![]] {
            let mut body = vec![NUMBERED, u8::try_from(numbers.len()).unwrap()];
            numbers.iter().for_each(|number: &i64| push_number(&mut body, number.cast_unsigned()));
            body.extend_from_slice(b"rest");
            assert_eq!(parse_encoded_body(&body).unwrap(), Some((numbers, &b"rest"[..])));
        }
    }

    #[test]
    fn a_body_without_numbers_stays_as_it_is() {
        for body in [&b"{}"[..], b"", &[2, 0], &[1]] {
            assert_eq!(parse_encoded_body(body).unwrap(), None, "{body:x?}");
        }
        for cut in [&[NUMBERED, 1][..], &[NUMBERED, 1, 0x80], &[NUMBERED, 2, 1]] {
            assert!(parse_encoded_body(cut).is_err(), "{cut:x?}");
        }
    }
}
