//! The configuration entry `[mcp.NAME]` of one MCP server.
//!
//! Data only, with a JSON Schema for editors. [`McpServerConfig::check`] finds faults that the types cannot, naming
//! the entry, the key, the value and the fix. It contains references to secrets, never secrets.

mod check;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use entracte_application::system::{START_FOLDER, sha256};
use entracte_application::texts::{LocalizedMessage, saying};
use entracte_domain::id::Digest;
use entracte_domain::time::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wildmatch::WildMatch;

use crate::egress::AllowedHost;
pub use crate::secret::{SecretPlace, SecretText};
use crate::tool_approvers::ToolApprovers;

/// An entry `[mcp.NAME]`: either a program (`command`), or an address (`url`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct McpServerConfig {
    /// The program that is started; it speaks the protocol over its standard streams. A name without a slash is looked
    /// for in `env.PATH`, or else in the `PATH` of this process; a relative path counts from the folder it works in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The arguments of the program. Every user of this machine can read them, so they must not contain secrets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Its environment: a text, or where a secret is kept.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, SecretText>,
    /// The variables of this process that it gets too; `["PATH"]` unless said, `[]` for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inherit: Option<Vec<String>>,
    /// The folder it works in, where relative arguments and launchers such as `npx` look; a relative one counts from the
    /// folder of the file with this entry. Unless said, the server has a folder of its own, `mcp/NAME` in the data folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The folder of the file with this entry, where a relative `command` is found if there is no `cwd`; `None` for an
    /// entry of no file, which counts from `/`.
    #[serde(skip)]
    pub file_folder: Option<String>,
    /// The address of a server that speaks streamable HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Headers of every request to it: a text, or where a secret is kept.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, SecretText>,
    /// How `entracte mcp login` logs in to it, where it wants that; nothing need be said for most servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oauth: Option<McpLoginConfig>,
    /// How the connection begins; `auto` unless set.
    pub handshake: HandshakeMode,
    /// Longest wait until the server is ready and has said what tools it has; 10 unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_timeout_seconds: Option<u64>,
    /// Longest wait at the first start of a program that may have to download its server first (npx, uvx, docker); 120
    /// unless it or `start_timeout_seconds` is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_start_timeout_seconds: Option<u64>,
    /// Longest wait for a tool; the workspace's own time-out for commands unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_timeout_seconds: Option<u64>,
    /// How long a tool that the server makes a long task of may take; 86400 unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_deadline_seconds: Option<u64>,
    /// Shortest wait between two starts of a server that fails; 1 unless said. It doubles each time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart_min_seconds: Option<u64>,
    /// Longest wait between two starts; 60 unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart_max_seconds: Option<u64>,
    /// Longest wait before an action that surely did nothing is sent once more, under the same approval; 10 unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resend_max_seconds: Option<u64>,
    /// Longest result that is kept, in bytes; the rest is cut off. 1048576 unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_max_bytes: Option<usize>,
    /// Largest message of the server that is read, in bytes; 16777216 unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_max_bytes: Option<usize>,
    /// Largest declaration of a tool that is kept, in bytes: all of it goes into every prompt. 65536 unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declaration_max_bytes: Option<usize>,
    /// The most tools of the server; 500 unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools_max: Option<usize>,
    /// The only tools that exist; all of the server's unless said. `*` stands for any characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    /// Tools that do not exist. `*` stands for any characters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
    /// Settings of tools, which override what the server says about them: by name, or by a pattern such as `list_*`. Of the
    /// entries that match a tool the longest counts, for each key that it has; a tool's own name counts before all.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, McpToolConfig>,
}

/// The table `[mcp.NAME.oauth]`: what a login needs beyond what the server itself says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct McpLoginConfig {
    /// The client as which to log in, where the authorization server lets nobody register by themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// The authorization server, as it calls itself: `https://login.example`. No other is logged in to, and only it is given
    /// the secret of the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// Where the secret of that client is kept, if it has one. It needs `issuer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<SecretPlace>,
    /// The scopes that are asked for; those that the server names unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// The port of this machine to which the browser returns; any free one unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_port: Option<u16>,
    /// Hosts that a login calls although they are not public. The server's own host need not be here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<AllowedHost>,
    /// Longest wait for each answer of an authorization server; 30 unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
    /// Largest answer of an authorization server that is read, in bytes; 1048576 unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_max_bytes: Option<usize>,
}

impl McpLoginConfig {
    pub(super) fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_seconds.unwrap_or(LOGIN_TIMEOUT_SECONDS))
    }

    pub(super) fn answer_max_bytes(&self) -> usize {
        self.answer_max_bytes.unwrap_or(LOGIN_ANSWER_MAX_BYTES)
    }
}

/// How the connection to a server begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HandshakeMode {
    /// `server/discover` first, then `initialize` for servers that do not know it.
    #[default]
    Auto,
    /// `server/discover` only: protocol 2026-07-28 and later.
    Discover,
    /// `initialize` only: protocol 2025-11-25 and earlier.
    Initialize,
}

/// An entry `[mcp.NAME.tools.TOOL]`: wins over the tool's own annotations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct McpToolConfig {
    /// Whether it exists; yes unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Whether it reads, or changes something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<McpToolKind>,
    /// What may be done when it is unknown whether it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<McpToolEffect>,
    /// Whether it needs approval: `true` always, `false` only when another level asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation: Option<bool>,
    /// It cannot be undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// It sends data out of the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub egress: Option<bool>,
    /// Somebody must approve it whose message is not in the exchange.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub four_eyes: Option<bool>,
    /// Who may approve it, as `role:NAME` and `person:NAME`; the roles are those of the workspace, whose own `approvers` count
    /// beside them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approvers: Option<Vec<String>>,
    /// How many different people must approve it, 1 to 20; 1 unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quorum: Option<u32>,
    /// How long after its request those of the workspace's `escalate_to` may approve it, too, as `4h`, or `never`; as the
    /// workspace says unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escalate_after: Option<String>,
    /// Longest wait for it; the server's `call_timeout_seconds` unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
}

/// Whether a tool reads or changes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum McpToolKind {
    /// Reads.
    Query,
    /// Changes something.
    Action,
}

/// What may be done when it is unknown whether a tool ran. There is no `probe`, because the protocol has no way to
/// ask whether a call happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum McpToolEffect {
    /// It runs again.
    Read,
    /// It runs again with the same arguments, soon.
    Idempotent,
    /// It never runs again by itself.
    Once,
}

/// A fault of an entry, with its fix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.saying())]
pub struct McpConfigError {
    /// The name of the entry.
    pub entry: String,
    /// The key of the entry.
    pub key: String,
    /// The fault, with the rejected value.
    pub problem: LocalizedMessage,
    /// The fix.
    pub fix: LocalizedMessage,
}

impl McpConfigError {
    /// The fault as a message to be rendered once the language is known.
    pub fn saying(&self) -> LocalizedMessage {
        let place = format!("mcp.{}.{}", self.entry, self.key);
        saying!("fault-entry", place = place, problem = self.problem.clone(), fix = self.fix.clone())
    }
}

impl McpServerConfig {
    /// Checks that the entry `[mcp.NAME]` can be used.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self, entry: &str) -> Result<(), McpConfigError> {
        check::McpConfigChecker { entry, config: self }.run()
    }

    /// Whether a connection of the other entry can go on for this one: they differ only in what is decided call by call.
    pub(super) fn connects_like(&self, other: &Self) -> bool {
        self.connection_settings() == other.connection_settings()
    }

    /// The entry without what is decided call by call.
    fn connection_settings(&self) -> Self {
        Self {
            call_timeout_seconds: None,
            task_deadline_seconds: None,
            resend_max_seconds: None,
            result_max_bytes: None,
            allow: None,
            deny: Vec::new(),
            tools: BTreeMap::new(),
            ..self.clone()
        }
    }

    /// Whether both entries lead to the same program or address, which gets the same from them.
    pub(super) fn leads_like(&self, other: &Self) -> bool {
        let folder = |config: &Self| config.command.as_ref().map(|_| config.folder());
        (&self.command, &self.args, &self.env, self.inherited(), folder(self))
            == (&other.command, &other.args, &other.env, other.inherited(), folder(other))
            && (&self.url, &self.headers) == (&other.url, &other.headers)
    }

    /// Identifies what the entry leads to: the origin of its address, or its program with its arguments and the folder where
    /// they are looked for.
    pub(super) fn destination(&self) -> Digest {
        let text = match &self.url {
            Some(url) => {
                let origin = reqwest::Url::parse(url).map(|url| url.origin().ascii_serialization());
                origin.unwrap_or_else(|_| url.clone())
            }
            None => {
                let is_path = |command: &String| command.contains('/') && Path::new(command).is_relative();
                let beside = self.file_folder.as_ref().filter(|_| self.command.as_ref().is_some_and(is_path));
                serde_json::json!([self.command, self.args, self.cwd.as_ref().or(beside)]).to_string()
            }
        };
        sha256(text.as_bytes())
    }

    /// The environment variables of this process that the server inherits. The default is `PATH` alone: launchers
    /// such as `npx` and `uvx` are scripts that find their interpreter by it, and it contains no secret. Without
    /// `HOME` a program finds its home folder in the user database.
    pub(super) fn inherited(&self) -> Vec<String> {
        self.inherit.clone().unwrap_or_else(|| vec!["PATH".to_owned()])
    }

    /// The folder in which a relative `command` is found.
    pub(super) fn folder(&self) -> PathBuf {
        let folder = self.cwd.as_deref().or(self.file_folder.as_deref());
        Path::new(START_FOLDER).join(folder.unwrap_or_default())
    }

    /// The first argument that is a relative path to something beside the file with this entry, although the server
    /// works elsewhere. Reads the file system.
    pub(super) fn misplaced_argument(&self) -> Option<(&str, &Path)> {
        if self.cwd.is_some() {
            return None;
        }
        let folder = Path::new(self.file_folder.as_deref()?);
        let is_beside = |argument: &&str| {
            // `--root=docs` has its path after the sign.
            let path = argument.split_once('=').map_or(*argument, |(_, value)| value);
            !path.is_empty()
                && !path.starts_with('-')
                && Path::new(path).is_relative()
                && folder.join(path).exists()
        };
        self.args.iter().map(String::as_str).find(is_beside).map(|argument| (argument, folder))
    }

    /// The settings of a tool, of its own entry and of all patterns that match its name.
    pub(super) fn tool(&self, tool: &str) -> McpToolConfig {
        let mut entries: Vec<(&String, &McpToolConfig)> =
            self.tools.iter().filter(|(pattern, _)| matches_tool(pattern, tool)).collect();
        entries.sort_by_key(|(pattern, _)| (pattern.as_str() != tool, Reverse(pattern.len())));
        entries.into_iter().fold(McpToolConfig::default(), |known, (_, entry)| known.or(entry))
    }

    /// The login settings of the server.
    pub(super) fn login(&self) -> McpLoginConfig {
        self.oauth.clone().unwrap_or_default()
    }

    /// The host, with the port if the address names one, that the calls of a server with an address go to.
    pub(super) fn remote_host(&self) -> Option<String> {
        let url = reqwest::Url::parse(self.url.as_deref()?).ok()?;
        let host = url.host_str()?;
        Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
    }

    /// Whether the configuration provides its authorization, so that a login has no use.
    pub(super) fn has_own_authorization(&self) -> bool {
        self.headers.keys().any(|name| name.eq_ignore_ascii_case("authorization"))
    }

    pub(super) fn start_timeout(&self) -> Duration {
        Duration::from_secs(self.start_timeout_seconds.unwrap_or(START_TIMEOUT_SECONDS))
    }

    /// The limit of a start, which may be the first one of this process.
    pub(super) fn start_limit(&self, is_first: bool) -> Duration {
        match (self.start_timeout_seconds, self.first_start_timeout_seconds) {
            (_, Some(seconds)) if is_first && self.may_download() => Duration::from_secs(seconds),
            (None, None) if is_first && self.may_download() => {
                Duration::from_secs(FIRST_START_TIMEOUT_SECONDS)
            }
            (_, _) => self.start_timeout(),
        }
    }

    /// Whether the program fetches its server where that is missing.
    fn may_download(&self) -> bool {
        let program = self.command.as_deref().map(Path::new).and_then(Path::file_name);
        program.and_then(|name| name.to_str()).is_some_and(|name| DOWNLOADERS.contains(&name))
    }

    pub(super) fn restart_min_seconds(&self) -> u64 {
        self.restart_min_seconds.unwrap_or(RESTART_MIN_SECONDS)
    }

    pub(super) fn restart_max_seconds(&self) -> u64 {
        self.restart_max_seconds.unwrap_or(RESTART_MAX_SECONDS)
    }

    pub(super) fn resend_max(&self) -> Duration {
        Duration::from_secs(self.resend_max_seconds.unwrap_or(RESEND_MAX_SECONDS))
    }

    pub(super) fn result_max_bytes(&self) -> usize {
        self.result_max_bytes.unwrap_or(RESULT_MAX_BYTES)
    }

    pub(super) fn task_deadline(&self) -> Millis {
        let seconds = self.task_deadline_seconds.unwrap_or(TASK_DEADLINE_SECONDS);
        Millis::seconds(i64::try_from(seconds).unwrap_or(i64::MAX / 1_000))
    }

    pub(super) fn message_max_bytes(&self) -> usize {
        self.message_max_bytes.unwrap_or(MESSAGE_MAX_BYTES)
    }

    pub(super) fn declaration_max_bytes(&self) -> usize {
        self.declaration_max_bytes.unwrap_or(DECLARATION_MAX_BYTES)
    }

    pub(super) fn tools_max(&self) -> usize {
        self.tools_max.unwrap_or(TOOLS_MAX)
    }

    /// Whether the tool is offered to sessions.
    pub(super) fn offers(&self, tool: &str) -> bool {
        let names_it = |names: &[String]| names.iter().any(|name| matches_tool(name, tool));
        let listed = self.allow.as_deref().is_none_or(names_it);
        listed && self.tool(tool).enabled.unwrap_or(true) && !names_it(&self.deny)
    }
}

impl McpToolConfig {
    /// Who must approve it.
    pub(super) fn tool_approvers(&self) -> ToolApprovers<'_> {
        ToolApprovers {
            approvers: self.approvers.as_deref(),
            quorum: self.quorum,
            escalate_after: self.escalate_after.as_deref(),
        }
    }

    /// These settings, and where they are silent those of `other`.
    fn or(self, other: &Self) -> Self {
        Self {
            enabled: self.enabled.or(other.enabled),
            kind: self.kind.or(other.kind),
            effect: self.effect.or(other.effect),
            validation: self.validation.or(other.validation),
            destructive: self.destructive.or(other.destructive),
            egress: self.egress.or(other.egress),
            four_eyes: self.four_eyes.or(other.four_eyes),
            approvers: self.approvers.or_else(|| other.approvers.clone()),
            quorum: self.quorum.or(other.quorum),
            escalate_after: self.escalate_after.or_else(|| other.escalate_after.clone()),
            timeout_seconds: self.timeout_seconds.or(other.timeout_seconds),
        }
    }
}

/// Whether a name or pattern of the configuration means this tool.
pub(super) fn matches_tool(pattern: &str, tool: &str) -> bool {
    pattern == tool || (pattern.contains('*') && WildMatch::new(pattern).matches(tool))
}

/// Default time-out of a server's start, in seconds.
pub const START_TIMEOUT_SECONDS: u64 = 10;
/// Default time-out of the first start of a program that may download its server, in seconds.
pub const FIRST_START_TIMEOUT_SECONDS: u64 = 120;
/// The programs that may download a server before they start it.
const DOWNLOADERS: [&str; 9] = ["npx", "npm", "pnpm", "bunx", "yarn", "uvx", "pipx", "docker", "podman"];
/// Default minimum wait between two starts of a failing server, in seconds.
pub const RESTART_MIN_SECONDS: u64 = 1;
/// Default maximum wait between two starts of a failing server, in seconds.
pub const RESTART_MAX_SECONDS: u64 = 60;
/// Default longest wait before an action that was not carried out is sent once more, in seconds.
pub const RESEND_MAX_SECONDS: u64 = 10;
/// Default deadline of a tool call that its server runs as a long task, in seconds.
pub const TASK_DEADLINE_SECONDS: u64 = 24 * 60 * 60;
/// Default size limit of a result, in bytes.
pub const RESULT_MAX_BYTES: usize = 1024 * 1024;
/// Default time-out of each request to an authorization server, in seconds.
pub const LOGIN_TIMEOUT_SECONDS: u64 = 30;
/// Size limit of a response of an authorization server, in bytes.
pub const LOGIN_ANSWER_MAX_BYTES: usize = 1024 * 1024;
/// Size limit of a server's message, in bytes. A larger message is dropped, and its call times out.
pub const MESSAGE_MAX_BYTES: usize = 16 * 1024 * 1024;
/// Size limit of a tool declaration, in bytes.
pub const DECLARATION_MAX_BYTES: usize = 64 * 1024;
/// The most tools of one server.
pub const TOOLS_MAX: usize = 500;
