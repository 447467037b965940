//! The header in front of the shape in the compact encoding: the version, a byte of flags for the parts present, and
//! these parts.
//!
//! The only part so far are hashes that recur in many rows (rules, command versions), so that a store can store each
//! of them once ([`extract_recurring_hashes`], [`insert_recurring_hashes`]). The other flags are reserved for the id
//! of an encryption key, and the hash that chains an entry to its predecessor.

/// The flag for recurring hashes: their number and the hashes follow.
const RECURRING: u8 = 0b1;

/// The size of a hash in bytes.
const HASH: usize = 32;

/// Prepends the header to an encoded shape.
pub(super) fn prepend_header(version: u8, recurring: &[[u8; HASH]], shape: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(3 + recurring.len() * HASH + shape.len());
    match u8::try_from(recurring.len()) {
        Ok(0) | Err(_) => bytes.extend_from_slice(&[version, 0]),
        Ok(count) => {
            bytes.extend_from_slice(&[version, RECURRING, count]);
            bytes.extend_from_slice(recurring.as_flattened());
        }
    }
    bytes.extend_from_slice(shape);
    bytes
}

/// Splits the bytes after the version into hashes and shape, or returns why it cannot.
pub(super) fn split_header(rest: &[u8]) -> Result<(&[[u8; HASH]], &[u8]), String> {
    match rest {
        [0, shape @ ..] => Ok((&[], shape)),
        [RECURRING, count, rest @ ..] => {
            let hashes = rest.split_at_checked(usize::from(*count) * HASH);
            let (hashes, shape) = hashes.ok_or_else(|| "it is cut short".to_owned())?;
            Ok((hashes.as_chunks().0, shape))
        }
        [parts, ..] if parts & !RECURRING != 0 => {
            Err(format!("it has parts ({parts:#04x}) that a newer Entracte knows"))
        }
        _ => Err("it is cut short".to_owned()),
    }
}

/// Splits the recurring hashes off a body; returns them and the body without them, `None` if the body has none.
///
/// A store may store such a body, and each hash once; [`insert_recurring_hashes`] restores the original body.
pub fn extract_recurring_hashes(body: &[u8]) -> Option<(&[[u8; 32]], Vec<u8>)> {
    let (hashes, shape) = split_recurring_hashes(body)?;
    Some((hashes, prepend_header(*body.first()?, &[], shape)))
}

/// The hashes that [`extract_recurring_hashes`] removes, without copying.
pub fn recurring_hashes(body: &[u8]) -> &[[u8; 32]] {
    split_recurring_hashes(body).map_or(&[], |(hashes, _)| hashes)
}

/// The hashes and the shape of a body with recurring hashes.
fn split_recurring_hashes(body: &[u8]) -> Option<(&[[u8; HASH]], &[u8])> {
    let (first, rest) = body.split_first()?;
    if *first >= b'{' {
        return None;
    }
    let [RECURRING, ..] = rest else { return None };
    split_header(rest).ok()
}

/// Restores the body from which these hashes were extracted.
pub fn insert_recurring_hashes(body: &[u8], hashes: &[[u8; 32]]) -> Vec<u8> {
    match body {
        [version, _, shape @ ..] => prepend_header(*version, hashes, shape),
        _ => body.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extracted_hashes_are_inserted_again() {
        let body = prepend_header(2, &[[7; 32], [9; 32]], &[0xa0]);
        assert_eq!(body.len(), 3 + 64 + 1);
        let (hashes, rest) = extract_recurring_hashes(&body).unwrap();
        assert_eq!((hashes, rest.as_slice()), (&[[7; 32], [9; 32]][..], &[2, 0, 0xa0][..]));
        assert_eq!(insert_recurring_hashes(&rest, hashes), body);
    }

    #[test]
    fn body_without_recurring_hashes_stays_unchanged() {
        for body in [&b"{}"[..], b"", &[2], &[2, 0, 0xa0], &[2, 1], &[2, 1, 1, 5], &[2, 3, 0]] {
            assert_eq!(extract_recurring_hashes(body), None, "{body:x?}");
        }
    }
}
