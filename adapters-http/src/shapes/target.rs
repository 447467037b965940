//! Shapes of notification targets and their notifications.

use std::borrow::Cow;

use entracte_application::notify::{
    NotificationKind, QuietHours, TargetPreferences, format_secret_reference, parse_secret_reference,
};
use entracte_application::ports::{DeliveryChannel, DeliveryOutcome, OutboxRow};
use entracte_application::texts::{Language, LocalizedMessage, saying};
use entracte_application::use_cases::NotificationTargetView;
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use super::iso;

/// Where notifications go.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TargetShape {
    /// `tgt_…`.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Whose it is: the author of decisions that its links make.
    pub person: String,
    /// `webhook`, `ntfy`, `command` or `push` (a browser).
    pub way: Cow<'static, str>,
    /// The origin of its address, or its program; of a browser, its push service. Only the local user sees the whole address, which may contain a secret.
    pub place: String,
    /// Where its secret is kept: `env:NAME`.
    pub secret: Option<String>,
    /// What it is told of; empty: everything.
    pub kinds: Vec<Cow<'static, str>>,
    /// When it is not told, on the clock of the workspace: `22:00-07:00`.
    pub quiet_hours: Option<String>,
    /// What comes up in such a stretch is told together; 0: each at once.
    pub gather_seconds: i64,
    /// Nobody but its person reads it.
    pub private: bool,
    /// With argument values.
    pub full: bool,
    /// With links that decide.
    pub links: bool,
    /// The language of its messages; null: that of the workspace.
    #[serde(default)]
    pub language: Option<Cow<'static, str>>,
    /// Why it is told nothing more; null while it is.
    pub disabled: Option<String>,
    /// Why nothing is sent to it although nobody switched it off: its secret may not go to its host, or its host is not
    /// allowed. Null where it fits.
    pub off: Option<String>,
    /// When it was added.
    pub created_at: String,
}

impl TargetShape {
    /// The shape of a target with as much of its address as the reader may see, and the reason if it is off because it
    /// does not fit this server.
    pub fn new(view: &NotificationTargetView, detail: AddressDetail, off: Option<String>) -> Self {
        let (target, row) = (&view.target, &view.row);
        Self {
            id: target.id.clone(),
            name: target.name.clone(),
            person: target.person.clone(),
            way: target.way.word().into(),
            place: place(&target.way, detail),
            secret: target.way.references().first().map(|place| format_secret_reference(place)),
            kinds: target.wants.kinds.iter().map(|kind| kind.word().into()).collect(),
            quiet_hours: target.wants.quiet.map(QuietHours::to_text),
            gather_seconds: target.wants.gather.0 / 1000,
            private: target.wants.is_private,
            full: target.wants.is_full,
            links: target.wants.has_links,
            language: target.wants.language.map(|language| language.word().into()),
            disabled: row.disabled.clone(),
            off,
            created_at: iso(row.created_at),
        }
    }
}

/// How much of the address of a target is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressDetail {
    /// Its origin; the rest may be a secret.
    Origin,
    /// All of it.
    Whole,
}

fn place(way: &DeliveryChannel, detail: AddressDetail) -> String {
    match way {
        DeliveryChannel::Webhook { url, .. } | DeliveryChannel::Ntfy { url, .. }
            if detail == AddressDetail::Whole || parse_secret_reference(url).is_some() =>
        {
            url.clone()
        }
        DeliveryChannel::Webhook { url, .. } | DeliveryChannel::Ntfy { url, .. } => {
            url.parse::<Url>().map(|url| url.origin().ascii_serialization()).unwrap_or_default()
        }
        DeliveryChannel::Command { program, .. } => program.clone(),
        // Whoever has the rest could send there, so not even the local user sees it.
        DeliveryChannel::Push { endpoint, .. } => {
            endpoint.parse::<Url>().map(|url| url.origin().ascii_serialization()).unwrap_or_default()
        }
    }
}

/// What a target is told; what is left out is as it is without it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WantsShape {
    /// `approval.requested`, `approval.waits`, `question.asked`, `outcome.unknown`, `call.failed`, `run.ended`, `task.ended`,
    /// `occurrence.missed`, `rule.expiring`; empty: everything.
    pub kinds: Option<Vec<String>>,
    /// `22:00-07:00`, on the clock of the workspace; empty: never quiet.
    pub quiet_hours: Option<String>,
    /// What comes up in such a stretch is told together; 0: each at once.
    pub gather_seconds: Option<u32>,
    /// Nobody but its person reads it. Needs the scopes read and approve.
    pub private: Option<bool>,
    /// With argument values; only for one that is private. Needs the scopes read and approve.
    pub full: Option<bool>,
    /// With links that decide. Needs the scopes read and approve.
    pub links: Option<bool>,
    /// The language of its messages: `en` or `fr`; empty: that of the workspace. A new target has that of the request unless
    /// given.
    // A server of an earlier version, which knows no language, takes what names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// An invalid field, and the error.
pub(crate) type TargetFieldError = (&'static str, LocalizedMessage);

impl WantsShape {
    /// Merges the new preferences into the previous ones.
    pub(crate) fn merge_into(self, was: TargetPreferences) -> Result<TargetPreferences, TargetFieldError> {
        let kinds = self
            .kinds
            .map(|words| words.iter().map(|word| kind(word)).collect::<Result<Vec<_>, _>>())
            .transpose()?;
        let quiet = match self.quiet_hours.as_deref() {
            None => was.quiet,
            Some("") => None,
            Some(text) => Some(
                QuietHours::parse(text)
                    .ok_or_else(|| ("quiet_hours", saying!("notify-fault-quiet", given = text)))?,
            ),
        };
        let language = match self.language.as_deref() {
            None => was.language,
            Some("") => None,
            Some(word) => Some(
                Language::from_word(word)
                    .ok_or_else(|| ("language", saying!("notify-fault-language", given = word)))?,
            ),
        };
        let gather =
            self.gather_seconds.map(|seconds| entracte_domain::time::Millis::seconds(seconds.into()));
        Ok(TargetPreferences {
            kinds: kinds.unwrap_or(was.kinds),
            quiet,
            gather: gather.unwrap_or(was.gather),
            is_private: self.private.unwrap_or(was.is_private),
            is_full: self.full.unwrap_or(was.is_full),
            has_links: self.links.unwrap_or(was.has_links),
            language,
        })
    }
}

fn kind(word: &str) -> Result<NotificationKind, TargetFieldError> {
    let known = |kind: &NotificationKind| *kind != NotificationKind::Test;
    let found = NotificationKind::from_word(word).filter(known);
    found.ok_or_else(|| {
        let known: Vec<&str> =
            NotificationKind::ALL.into_iter().filter(known).map(NotificationKind::word).collect();
        ("kinds", saying!("notify-fault-kind", given = word, known = known.join(", ")))
    })
}

/// A target to be added.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTargetShape {
    /// What it is called.
    pub name: String,
    /// Address of a webhook, signed as Standard Webhooks says. Either this, `ntfy` or `push`. An address that is a secret itself is
    /// kept in a variable of the server: `env:ENTRACTE_NOTIFY_…`.
    pub webhook: Option<String>,
    /// Address of a topic of ntfy, or the variable that holds it.
    pub ntfy: Option<String>,
    /// The variable of the server that holds the key of the signature, or the access token of ntfy. It must begin with
    /// `ENTRACTE_NOTIFY_`, and the configuration must declare that it may go to this host: `[secrets.NAME]`.
    pub secret_env: Option<String>,
    /// The place of that secret, `env:NAME` or `file:/PATH`: on the machine of the server alone.
    pub secret: Option<String>,
    /// A program and its arguments, in place of an address: on the machine of the server alone.
    pub command: Option<Vec<String>>,
    /// A push subscription of a browser, made with the key of this server. Such a target is private; unless it is `full`, it is
    /// told how much waits and where, in no words.
    pub push: Option<NewPushShape>,
    /// What it is told; none: everything, at once.
    pub wants: Option<WantsShape>,
}

/// A push subscription, as a browser makes it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPushShape {
    /// Its address at the push service of the browser.
    pub endpoint: String,
    /// Its public key, in base64url.
    pub p256dh: String,
    /// The secret that the browser shares with this server, in base64url.
    pub auth: String,
}

/// The key with which browsers subscribe to push messages of this server.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PushKeyShape {
    /// The `applicationServerKey`, in base64url.
    pub key: String,
}

/// What is changed of a target; what is left out stays. Where it goes stays: remove it, and add another one.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetEditShape {
    /// What it is told.
    pub wants: Option<WantsShape>,
    /// Whether it is told anything.
    pub enabled: Option<bool>,
}

/// What came of trying a target.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TestedShape {
    /// It was accepted.
    pub taken: bool,
    /// Why not.
    pub why: Option<String>,
}

impl From<DeliveryOutcome> for TestedShape {
    fn from(delivery: DeliveryOutcome) -> Self {
        match delivery {
            DeliveryOutcome::Taken => Self { taken: true, why: None },
            DeliveryOutcome::Gone => Self { taken: false, why: Some("HTTP 410".to_owned()) },
            DeliveryOutcome::Refused(why) => Self { taken: false, why: Some(why) },
        }
    }
}

/// One thing that one target was told, or is to be.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct NotificationShape {
    /// `ntf_…`.
    pub id: String,
    /// The message that it went in: the `webhook-id`. Null before the first try.
    pub message: Option<String>,
    /// The target.
    pub target: String,
    /// What of.
    pub item: String,
    /// The type of its message.
    pub kind: String,
    /// The session it is about.
    pub session: Option<String>,
    /// `pending`, `sent`, `dead` (tried for as long as it is), `dropped` (settled before).
    pub state: Cow<'static, str>,
    /// How often it was tried.
    pub attempts: u32,
    /// When it was written down.
    pub created_at: String,
    /// When it was tried last.
    #[serde(default)]
    pub tried_at: Option<String>,
    /// When it is tried next, while it is pending.
    pub due_at: String,
    /// Why the last try failed.
    pub error: Option<String>,
}

impl From<&OutboxRow> for NotificationShape {
    fn from(row: &OutboxRow) -> Self {
        Self {
            id: row.id.clone(),
            message: row.message.clone(),
            target: row.target.clone(),
            item: row.item.clone(),
            kind: row.kind.clone(),
            session: row.session.as_ref().map(ToString::to_string),
            state: row.state.word().into(),
            attempts: row.attempts,
            created_at: iso(row.created_at),
            tried_at: row.tried_at.map(iso),
            due_at: iso(row.due_at),
            error: row.error.clone(),
        }
    }
}
