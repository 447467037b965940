//! `zone …`, `tool …`, `entry …`: a person's own data.

use clap::Subcommand;

use super::YesNo;

/// `zone …`
#[derive(Debug, Subcommand)]
pub(crate) enum ZoneCommand {
    /// List the zones
    List {
        /// Only zones with this text in their name
        #[arg(long, value_name = "TEXT")]
        search: Option<String>,
    },
    /// Show a zone and its tools
    Show {
        /// Name or id of the zone
        zone: String,
    },
    /// Add a zone
    Add {
        /// Name of the new zone
        name: String,
        /// What it is for
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        description: Option<String>,
        /// Whether every action on what is in it needs approval
        #[arg(long, value_name = "yes|no", hide_possible_values = true)]
        require_approval: Option<YesNo>,
    },
    /// Change a zone's name, description or approval requirement
    Edit {
        /// Name or id of the zone
        zone: String,
        /// Its new name
        #[arg(long)]
        name: Option<String>,
        /// What it is for; an empty text removes it
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        description: Option<String>,
        /// Whether every action on what is in it needs approval
        #[arg(long, value_name = "yes|no", hide_possible_values = true)]
        require_approval: Option<YesNo>,
    },
    /// Remove a zone with its tools and their entries; needs approval
    Remove {
        /// Name or id of the zone
        zone: String,
    },
}

/// `tool …`
#[derive(Debug, Subcommand)]
pub(crate) enum ToolCliCommand {
    /// List the tools
    List {
        /// Only tools of this zone, by its name or id
        #[arg(long)]
        zone: Option<String>,
        /// Only tools with this text in their name
        #[arg(long, value_name = "TEXT")]
        search: Option<String>,
    },
    /// Show a tool and its configuration
    Show {
        /// Name or id of the tool
        tool: String,
    },
    /// Add a tool to a zone
    Add {
        /// Name or id of the zone
        zone: String,
        /// Tool type: tracking, journal, list or notes
        #[arg(value_name = "TYPE")]
        tool_type: String,
        /// Name of the new tool
        name: String,
        #[command(flatten)]
        more: ToolFields,
    },
    /// Change a tool's name, configuration or flags
    Edit {
        /// Name or id of the tool
        tool: String,
        /// Its new name
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        more: ToolFields,
    },
    /// Remove a tool with its entries; needs approval
    Remove {
        /// Name or id of the tool
        tool: String,
    },
}

/// What may be set of a tool.
#[derive(Debug, clap::Args)]
pub(crate) struct ToolFields {
    /// Its configuration: a JSON object; when you edit, only the settings to change
    #[arg(long = "set", value_name = "JSON")]
    pub(crate) tool_settings: Option<String>,
    /// Whether every action on it needs approval
    #[arg(long, value_name = "yes|no", hide_possible_values = true)]
    pub(crate) require_approval: Option<YesNo>,
    /// Whether the model gets its data in every session without asking
    #[arg(long, value_name = "yes|no", hide_possible_values = true)]
    pub(crate) always_send: Option<YesNo>,
}

/// `entry …`
#[derive(Debug, Subcommand)]
pub(crate) enum EntryCommand {
    /// List a tool's entries, the latest last
    List {
        /// Name or id of the tool
        tool: String,
        /// Show at most this many
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
        limit: Option<u32>,
    },
    /// Add an entry to a tool
    Add {
        /// Name or id of the tool
        tool: String,
        /// Its data: a JSON object
        #[arg(value_name = "JSON")]
        entry_data: String,
        #[command(flatten)]
        more: EntryFields,
    },
    /// Change an entry
    Edit {
        /// The entry, ent_…
        entry: String,
        /// The fields of its data to change: a JSON object; null clears one
        #[arg(long = "set", value_name = "JSON")]
        entry_data: Option<String>,
        #[command(flatten)]
        more: EntryFields,
    },
    /// Remove entries; needs approval
    Remove {
        /// The entries, ent_…
        #[arg(required = true, value_name = "ENTRY")]
        entries: Vec<String>,
    },
}

/// What may be set of an entry.
#[derive(Debug, clap::Args)]
pub(crate) struct EntryFields {
    /// When it was, like 2026-11-20T08:30:00Z
    #[arg(long = "when", value_name = "INSTANT")]
    pub(crate) when: Option<String>,
    /// Name of the entry
    #[arg(long = "name")]
    pub(crate) entry_name: Option<String>,
}
