//! Shapes of the logins of terminals.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::iso;
use crate::terminal_logins::{TerminalLogin, TerminalLoginState};

/// Most characters of the name of a terminal.
pub const TERMINAL_NAME_MAX: usize = 80;

/// A terminal asks to be logged in.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTerminalLoginShape {
    /// What it calls itself, for the person who decides: `ann@laptop`. The token is called so too.
    pub name: String,
}

/// A login that waits for a person.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
pub struct OpenedTerminalLoginShape {
    /// Takes the token, once. It is for the terminal alone.
    pub secret: String,
    /// What the terminal and the page show, so that the person can compare: `WXZB-CDFG`.
    pub code: String,
    /// The path of the page on which a person decides, below the address of the server.
    pub page: String,
    /// When it expires.
    pub expires_at: String,
    /// After how many seconds the terminal asks again whether it was decided.
    pub poll_seconds: u64,
}

/// A terminal asks for its token.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TerminalClaimShape {
    /// The secret of the login.
    pub secret: String,
}

/// A terminal that is logged in.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
pub struct TerminalTokenShape {
    /// `entr_…`. It is shown this once.
    pub token: String,
    /// The person who owns the token; the author of every action with it.
    pub person: String,
    /// Its workspace; null: all of them.
    pub workspace: Option<String>,
    /// What it allows.
    pub scopes: Vec<Cow<'static, str>>,
    /// From when on it counts no more.
    pub expires_at: Option<String>,
}

/// A terminal that asks, as the person sees it who decides.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TerminalLoginShape {
    /// The code; it must be the one that the terminal shows.
    pub code: String,
    /// What the terminal calls itself; nobody checked it.
    pub name: String,
    /// The address that it asked from.
    pub address: String,
    /// When it asked.
    pub asked_at: String,
    /// When it expires.
    pub expires_at: String,
    /// `waiting`, `allowed` or `refused`.
    pub state: Cow<'static, str>,
}

impl From<&TerminalLogin> for TerminalLoginShape {
    fn from(login: &TerminalLogin) -> Self {
        let state = match login.state {
            TerminalLoginState::Waiting => "waiting",
            TerminalLoginState::Allowed(_) => "allowed",
            TerminalLoginState::Refused => "refused",
        };
        Self {
            code: login.code.clone(),
            name: login.request.name.clone(),
            address: login.request.address.to_string(),
            asked_at: iso(login.request.asked_at),
            expires_at: iso(login.request.expires_at),
            state: Cow::Borrowed(state),
        }
    }
}

/// What a person decides about a terminal.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TerminalDecisionShape {
    /// Whether it is logged in.
    pub allow: bool,
    /// What its token will allow, `read` among them: `read`, `chat`, `approve`, `admin`, `secret`.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// From when on its token counts no more, as RFC 3339; none: after the time of a browser login
    /// (`server.login_lasts`).
    #[serde(default)]
    pub expires_at: Option<String>,
}

/// A link for another browser is asked for.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewLoginLinkShape {
    /// The address of this server at which the page is open: `https://entracte.example`.
    pub origin: String,
}

/// A link that logs one browser in, once.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
pub struct LoginLinkShape {
    /// The link. Whoever opens it is logged in.
    pub link: String,
    /// The link as a QR code, an SVG document.
    pub svg: String,
    /// When it expires.
    pub expires_at: Option<String>,
}
