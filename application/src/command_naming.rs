//! The names that commands and our own tools have for whoever reads: types in the envelope, native tools on the wire.

use std::borrow::Cow;

use entracte_domain::session::Dialect;

/// Our own tool by which a model asks a person.
pub const ASK_USER: &str = "ask_user";
/// Our own tool by which a model says that its work is done.
pub const COMPLETE: &str = "complete";
/// Our own tool by which a model shows its plan.
pub const PLAN: &str = "plan";

/// Our own tool, and field of the envelope, by which an agent ends its mission with its result.
pub const EXIT: &str = "EXIT_WITH_RESULT";
/// Our own tool, and field of the envelope, by which an agent asks who called it, or the user.
pub const ASK_PRINCIPAL: &str = "ASK_PRINCIPAL_AGENT";
/// Our own tool, and field of the envelope, by which a run ends with its report.
pub const TERMINATE: &str = "TERMINATE_TASK";

/// The names of our own tools on the wire; no command has one of them.
pub const OWN_TOOLS: [&str; 6] = [ASK_USER, COMPLETE, PLAN, EXIT, ASK_PRINCIPAL, TERMINATE];

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

/// A command of Entracte that texts point at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandPointer {
    /// Its type in the envelope: `ZONES`.
    pub word: &'static str,
    /// `resource.operation`: `zones.list`.
    pub name: &'static str,
}

impl CommandPointer {
    /// Lists the zones.
    pub const ZONES: Self = Self { word: "ZONES", name: "zones.list" };
    /// Lists the tools.
    pub const TOOLS: Self = Self { word: "TOOL_INSTANCES", name: "tools.list" };
    /// Lists the entries of a tool.
    pub const ENTRIES: Self = Self { word: "TOOL_DATA", name: "tool_data.get" };
    /// Shows schemas.
    pub const SCHEMA: Self = Self { word: "SCHEMA", name: "schemas.get" };
    /// Lists the shared texts.
    pub const SHARED_TEXTS: Self = Self { word: "SHARED_TEXTS", name: "shared_texts.list" };
    /// All of them. A text has the word as its place: `{ $ZONES }`.
    pub const ALL: [Self; 5] = [Self::ZONES, Self::TOOLS, Self::ENTRIES, Self::SCHEMA, Self::SHARED_TEXTS];
}

/// How the commands are called in what somebody reads. A model reads the names that it got: the types of the envelope,
/// or the names of its native tools.
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

    /// What a model of that dialect reads.
    pub const fn from_dialect(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Envelope => Self::Types,
            Dialect::Tools => Self::Tools,
        }
    }

    /// A command by its type, where there are types.
    pub fn format_call(self, word: &str, name: &str) -> String {
        match self {
            Self::Types => word.to_owned(),
            Self::Tools => tool_name(name),
        }
    }

    /// A command of which only the name is known.
    pub fn format_name(self, name: &str) -> Cow<'_, str> {
        match self {
            Self::Types => Cow::Borrowed(name),
            Self::Tools => Cow::Owned(tool_name(name)),
        }
    }

    /// A command that a text points at.
    pub fn format_pointer(self, pointer: CommandPointer) -> String {
        self.format_call(pointer.word, pointer.name)
    }
}
