//! Shapes of people's own secrets.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The names of somebody's secrets.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SecretNamesShape {
    /// The person who owns them.
    pub person: String,
    /// In order. The secrets themselves are never shown.
    pub names: Vec<String>,
}

/// A secret to be kept. It has no `Debug`: nothing shows it.
// Only a client serializes it, into its request.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSecretShape {
    /// One line.
    pub secret: String,
}
