//! The `tools` dialect: names of commands as native tools.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_name_holds_what_every_provider_takes() {
        assert_eq!(tool_name("tool_data.batch_create"), "tool_data_batch_create");
        assert_eq!(tool_name("été 1"), "_t__1");
        assert_eq!(tool_name(""), "_");
        assert_eq!(tool_name(&"x".repeat(100)).len(), 64);
    }
}
