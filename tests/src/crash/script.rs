//! Model replies as scripts of the rehearsal provider.

/// The reply of a chat model that has nothing left to do.
pub(super) const LAST_WORDS: &str = "All is done.";

/// Repetitions that are enough for the model calls of any scenario.
pub(super) const MORE: usize = 40;

/// One reply.
pub(super) fn turn(envelope: &str) -> String {
    format!("[[turn]]\nenvelope = '''{envelope}'''\n\n")
}

/// These replies, followed by the last words.
pub(super) fn chat(turns: &[&str]) -> String {
    let last = format!(r#"{{"pre_text":"{LAST_WORDS}"}}"#);
    turns.iter().copied().chain(std::iter::repeat_n(last.as_str(), MORE)).map(turn).collect()
}
