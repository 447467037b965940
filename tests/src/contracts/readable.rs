//! Rows as people read them: what is shown for debugging, with bodies as text and not as lists of numbers.

/// Replaces every list of bytes, as `Debug` writes it on one line or on many, by the text that it is.
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

/// The bytes of a list that has nothing else in it.
fn bytes(list: &str) -> Option<Vec<u8>> {
    let numbers: Vec<&str> = list.split(',').map(str::trim).filter(|number| !number.is_empty()).collect();
    (!numbers.is_empty()).then_some(())?;
    numbers.into_iter().map(|number| number.parse().ok()).collect()
}
