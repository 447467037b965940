//! The `tools` dialect: commands as native tools of the provider, and three tools of our own by which a model asks,
//! completes and plans.

mod native;
mod own;
#[cfg(test)]
mod tests;

pub use native::{Reading, declarations, read};
pub use own::OWN_TOOLS;

/// The most characters that every provider takes in a tool's name.
const NAME_MAX: usize = 64;

/// The name of a command on the wire, `^[a-zA-Z0-9_-]{1,64}$`: declarations, calls that come back and the
/// conversation that is sent again all use it. `tool_data.list` is `tool_data_list`.
pub fn tool_name(command: &str) -> String {
    let fits = |character: char| character.is_ascii_alphanumeric() || character == '_' || character == '-';
    let name: String = command
        .chars()
        .take(NAME_MAX)
        .map(|character| if fits(character) { character } else { '_' })
        .collect();
    if name.is_empty() { "_".to_owned() } else { name }
}
