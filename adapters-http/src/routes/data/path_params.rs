//! The parameters in the paths of the routes of zones, tools and entries.

use serde::Deserialize;
use utoipa::IntoParams;

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ZonePath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The zone.
    pub(crate) z: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ToolPath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The tool.
    pub(crate) tool: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct DataEntryPath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The tool.
    pub(crate) tool: String,
    /// The entry.
    pub(crate) e: String,
}
