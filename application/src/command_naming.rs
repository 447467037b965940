//! The names of commands and control tools for their readers: types in the envelope, native tools on the wire.

use std::borrow::Cow;

use entracte_domain::session::Dialect;

/// The control tool by which a model asks the user.
pub const ASK_USER: &str = "ask_user";
/// The control tool by which a model reports completion.
pub const COMPLETE: &str = "complete";
/// The control tool by which a model shows its plan.
pub const PLAN: &str = "plan";

/// The control tool, and envelope field, by which an agent ends its mission with its result.
pub const EXIT: &str = "EXIT_WITH_RESULT";
/// The control tool, and envelope field, by which an agent asks its caller, or the user.
pub const ASK_PRINCIPAL: &str = "ASK_PRINCIPAL_AGENT";
/// The control tool, and envelope field, by which a run ends with its report.
pub const TERMINATE: &str = "TERMINATE_TASK";

/// The tool by which a model calls a command that its prompt does not describe.
pub const RUN_COMMAND: &str = "run_command";

/// The names of the control tools on the wire.
pub const OWN_TOOLS: [&str; 6] = [ASK_USER, COMPLETE, PLAN, EXIT, ASK_PRINCIPAL, TERMINATE];

/// The names on the wire that no command may have.
pub fn reserved_tool_names() -> impl Iterator<Item = &'static str> {
    OWN_TOOLS.into_iter().chain([RUN_COMMAND])
}

/// The maximum length of a tool name that every provider accepts.
const NAME_MAX: usize = 64;

/// The name of a command on the wire, `^[a-zA-Z0-9_-]{1,64}$`, used in declarations, received calls and the
/// conversation that is sent again. `tool_data.list` is `tool_data_list`.
pub fn tool_name(command: &str) -> String {
    #[cfg(test)]
    BUILT_NAMES.set(BUILT_NAMES.get() + 1);
    let fits = |character: char| character.is_ascii_alphanumeric() || character == '_' || character == '-';
    let name: String = command
        .chars()
        .take(NAME_MAX)
        .map(|character| if fits(character) { character } else { '_' })
        .collect();
    if name.is_empty() { "_".to_owned() } else { name }
}

#[cfg(test)]
thread_local! {
    /// How many names on the wire this thread has built.
    pub(crate) static BUILT_NAMES: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// A command of Entracte that texts refer to; the commands that the catalogue of texts names are among its constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandPointer {
    /// Its type in the envelope: `ZONES`.
    pub word: &'static str,
    /// `resource.operation`: `zones.list`.
    pub name: &'static str,
}

/// How a text names commands, matching the names its reader knows: the types of the envelope, or the names of native
/// tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CommandNaming {
    /// As in the envelope, and for people: `CREATE_ZONE`, or its name `zones.create`.
    #[default]
    Types,
    /// As native tools: `zones_create`.
    Tools,
}

impl CommandNaming {
    /// Every naming.
    pub const ALL: [Self; 2] = [Self::Types, Self::Tools];

    /// The naming for a model of that dialect.
    pub const fn from_dialect(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Envelope => Self::Types,
            Dialect::Tools => Self::Tools,
        }
    }

    /// Formats a command by its type, if the naming has types.
    pub fn format_call(self, word: &str, name: &str) -> String {
        match self {
            Self::Types => word.to_owned(),
            Self::Tools => tool_name(name),
        }
    }

    /// Formats a command of which only the name is known.
    pub fn format_name(self, name: &str) -> Cow<'_, str> {
        match self {
            Self::Types => Cow::Borrowed(name),
            Self::Tools => Cow::Owned(tool_name(name)),
        }
    }

    /// Formats a command that a text refers to.
    pub fn format_pointer(self, pointer: CommandPointer) -> String {
        self.format_call(pointer.word, pointer.name)
    }
}
