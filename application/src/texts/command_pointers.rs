//! The commands that texts of the catalogue refer to.

use crate::command_naming::CommandPointer;

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
    /// All pointers. A text refers to one by its word: `{ $ZONES }`.
    pub const ALL: [Self; 5] = [Self::ZONES, Self::TOOLS, Self::ENTRIES, Self::SCHEMA, Self::SHARED_TEXTS];
}
