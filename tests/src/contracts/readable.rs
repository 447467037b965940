//! Debug output of rows in readable form: bodies as text instead of lists of numbers.

/// Replaces every list of bytes that `Debug` printed, on one line or on many, by its text.
///
/// ```
/// use entracte_tests::contracts::readable::readable;
///
/// assert_eq!(readable(&format!("{:?}", (1, b"hi\n".to_vec()))), r#"(1, "hi\n")"#);
/// assert_eq!(readable("[1, 2] and [300]"), r#""\u{1}\u{2}" and [300]"#);
/// ```
pub fn readable(shown: &str) -> String {
    let mut text = String::with_capacity(shown.len());
    let mut rest = shown;
    while let Some((before, after)) = rest.split_once('[') {
        text.push_str(before);
        let list = after.split_once(']').and_then(|(list, after)| Some((bytes(list)?, after)));
        match list {
            Some((bytes, after)) => {
                text.push_str(&format!("{:?}", String::from_utf8_lossy(&bytes)));
                rest = after;
            }
            None => {
                text.push('[');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text
}

/// The bytes of a list that contains nothing but bytes.
fn bytes(list: &str) -> Option<Vec<u8>> {
    let numbers: Vec<&str> = list.split(',').map(str::trim).filter(|number| !number.is_empty()).collect();
    (!numbers.is_empty()).then_some(())?;
    numbers.into_iter().map(|number| number.parse().ok()).collect()
}
