//! What models say, as scripts of the rehearsal.

/// What the model says in a chat when there is nothing left to do.
pub(super) const LAST_WORDS: &str = "All is done.";

/// Scripts go on for as many model calls as any story needs.
pub(super) const MORE: usize = 40;

/// One reply.
pub(super) fn turn(envelope: &str) -> String {
    format!("[[turn]]\nenvelope = '''{envelope}'''\n\n")
}

/// These replies, and then the last words.
pub(super) fn chat(turns: &[&str]) -> String {
    let last = format!(r#"{{"pre_text":"{LAST_WORDS}"}}"#);
    turns.iter().copied().chain(std::iter::repeat_n(last.as_str(), MORE)).map(turn).collect()
}
