//! Shapes of people and tokens.

use std::borrow::Cow;

use entracte_application::ports::{AccessReach, Person, TokenRow};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::iso;

/// Somebody.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PersonShape {
    /// `per_…`.
    pub id: String,
    /// The author of what they do.
    pub name: String,
    /// Their workspace; null: all of them.
    pub workspace: Option<String>,
    /// When they were added.
    pub created_at: String,
    /// When all rights were taken from them; whoever is added under their name afterwards is somebody else.
    pub removed_at: Option<String>,
}

impl From<&Person> for PersonShape {
    fn from(person: &Person) -> Self {
        Self {
            id: person.id.clone(),
            name: person.name.clone(),
            workspace: workspace(&person.reach),
            created_at: iso(person.created_at),
            removed_at: person.removed_at.map(iso),
        }
    }
}

/// Somebody, and what they have.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OnePersonShape {
    /// Who.
    #[serde(flatten)]
    pub person: PersonShape,
    /// How many of their tokens nobody revoked.
    pub tokens: usize,
}

/// Somebody to be added.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPersonShape {
    /// The author of all that they will do.
    pub name: String,
}

fn workspace(reach: &AccessReach) -> Option<String> {
    match reach {
        AccessReach::Workspace(key) => Some(key.to_string()),
        AccessReach::Everywhere => None,
    }
}

/// A token, without its secret.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TokenShape {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Whose it is.
    pub person: PersonShape,
    /// Its workspace; null: all of them.
    pub workspace: Option<String>,
    /// `program`, `browser`, `link`: one that logs a browser in, once; or `invitation`: its person takes another one for it, once.
    pub kind: Cow<'static, str>,
    /// What it allows.
    pub scopes: Vec<Cow<'static, str>>,
    /// The one session that it is of, where it stands in a page of another site.
    pub session: Option<String>,
    /// The origins whose pages may send it.
    pub origins: Vec<String>,
    /// When it was made.
    pub created_at: String,
    /// From when on it counts no more.
    pub expires_at: Option<String>,
    /// When it was revoked.
    pub revoked_at: Option<String>,
    /// When it was used last, to the minute.
    pub last_used: Option<String>,
    /// Who made it for its person; they count as the author of what is done with it too. Null where it was made on the machine, or
    /// by its person.
    pub made_by: Option<String>,
}

impl TokenShape {
    /// The shape of a stored token.
    pub fn new(token: &TokenRow, person: &Person) -> Self {
        Self {
            id: token.id.clone(),
            name: token.name.clone(),
            person: person.into(),
            workspace: workspace(&token.reach),
            kind: token.kind.word().into(),
            scopes: token.scopes.iter().map(|scope| scope.word().into()).collect(),
            session: token.embedded.as_ref().map(|embedded| embedded.session.to_string()),
            origins: token.embedded.as_ref().map(|embedded| embedded.origins.clone()).unwrap_or_default(),
            created_at: iso(token.created_at),
            expires_at: token.expires_at.map(iso),
            revoked_at: token.revoked_at.map(iso),
            last_used: token.last_used.map(iso),
            made_by: token.made_by.clone(),
        }
    }
}

/// A token that was made.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct MadeTokenShape {
    /// As it is kept.
    #[serde(flatten)]
    pub token: TokenShape,
    /// `entr_…`. It is shown this once: null in an answer that is given again.
    pub secret: Option<String>,
}

/// A token to be made.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTokenShape {
    /// Whose: the author of all that is done with it.
    pub person: String,
    /// What it is called.
    pub name: String,
    /// `read`, `chat`, `approve`, `admin`.
    pub scopes: Vec<String>,
    /// From when on it counts no more, as RFC 3339; none: never.
    pub expires_at: Option<String>,
    /// The one session that it is of, for pages of other sites; it has the scopes `read` and `chat` at most.
    pub session: Option<String>,
    /// The origins whose pages may send it: `https://shop.example`. They need a session.
    #[serde(default)]
    pub origins: Vec<String>,
    /// It is for every workspace: made on the machine of the server alone.
    #[serde(default)]
    pub everywhere: bool,
}

/// Who asks.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct MeShape {
    /// The token of the request.
    pub token: TokenShape,
}

/// A login.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LoginShape {
    /// What stands after `#` in the link that `serve` printed.
    pub secret: String,
}

/// A browser that is logged in, by the cookie that comes with this answer and the proof in it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LoggedInShape {
    /// To be sent as `Entracte-Proof` with every request.
    pub proof: String,
    /// When the login ends.
    pub expires_at: Option<String>,
}

/// A person is invited to a token.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewInvitationShape {
    /// Who: somebody of the workspace.
    pub person: String,
    /// What the token will be called.
    pub name: String,
    /// What it will allow: `read`, `chat`, `approve`, `admin`.
    pub scopes: Vec<String>,
}

/// An invitation that was made.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct InvitationShape {
    /// As it is kept.
    #[serde(flatten)]
    pub invitation: TokenShape,
    /// `entr_…`, for its person alone. It is shown this once.
    pub code: String,
}

/// An invitation that its person takes.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptanceShape {
    /// The code of the invitation.
    pub code: String,
    /// From when on the token counts no more, as RFC 3339; none: never.
    pub expires_at: Option<String>,
}
