//! The names that tools have on the wire of a provider.

/// Our own tool by which a model asks a person.
pub const ASK_USER: &str = "ask_user";
/// Our own tool by which a model says that its work is done.
pub const COMPLETE: &str = "complete";
/// Our own tool by which a model shows its plan.
pub const PLAN: &str = "plan";

/// The names of our own tools on the wire; no command has one of them.
pub const OWN_TOOLS: [&str; 3] = [ASK_USER, COMPLETE, PLAN];

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
