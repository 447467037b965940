//! What stands before the shape in the compact form: the version, a byte that says which parts follow, and these parts.
//!
//! One part there is: hashes that recur from row to row (rules, versions of commands), so that a store can keep each of
//! them once ([`extract_recurring_hashes`], [`insert_recurring_hashes`]). The other bits are room for what will come: the id of the key that a
//! payload is encrypted with, the hash that chains an entry to the one before.

/// Hashes that recur: how many, then they.
const RECURRING: u8 = 0b1;

/// The bytes of a hash.
const HASH: usize = 32;

/// A shape with what stands before it.
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

/// The hashes, and the shape, of what follows a version; or why there are none.
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

/// The hashes at the head of a body that recur from row to row, and the body without them; none where there are none.
///
/// A store may keep a body in this way, and each hash once. What it gives back is as it was ([`insert_recurring_hashes`]).
pub fn extract_recurring_hashes(body: &[u8]) -> Option<(&[[u8; 32]], Vec<u8>)> {
    let (hashes, shape) = split_recurring_hashes(body)?;
    Some((hashes, prepend_header(*body.first()?, &[], shape)))
}

/// The hashes that [`extract_recurring_hashes`] takes out; nothing is copied.
pub fn recurring_hashes(body: &[u8]) -> &[[u8; 32]] {
    split_recurring_hashes(body).map_or(&[], |(hashes, _)| hashes)
}

/// Hashes and shape of a body that has hashes.
fn split_recurring_hashes(body: &[u8]) -> Option<(&[[u8; HASH]], &[u8])> {
    let [..b'{', rest @ ..] = body else { return None };
    let [RECURRING, ..] = rest else { return None };
    split_header(rest).ok()
}

/// The body from which these hashes were taken.
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
    fn what_is_taken_out_is_put_back() {
        let body = prepend_header(2, &[[7; 32], [9; 32]], &[0xa0]);
        assert_eq!(body.len(), 3 + 64 + 1);
        let (hashes, rest) = extract_recurring_hashes(&body).unwrap();
        assert_eq!((hashes, rest.as_slice()), (&[[7; 32], [9; 32]][..], &[2, 0, 0xa0][..]));
        assert_eq!(insert_recurring_hashes(&rest, hashes), body);
    }

    #[test]
    fn nothing_is_taken_out_of_what_has_no_such_hashes() {
        for body in [&b"{}"[..], b"", &[2], &[2, 0, 0xa0], &[2, 1], &[2, 1, 1, 5], &[2, 3, 0]] {
            assert_eq!(extract_recurring_hashes(body), None, "{body:x?}");
        }
    }
}
