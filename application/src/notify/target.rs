//! Notification targets and their preferences.

use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;

use super::NotificationKind;
use crate::ports::{DeliveryChannel, DeliveryChannelOwner, SecretReference, is_target_variable};
use crate::texts::Language;

/// The maximum length of a target's name, in characters.
const NAME_MAX: usize = 60;
/// The maximum length of an address, path or argument, in characters.
const TEXT_MAX: usize = 2_000;
/// The maximum number of arguments of a program.
const ARGUMENTS_MAX: usize = 50;
/// The maximum interval for gathering notifications.
const GATHER_MAX: Millis = Millis::hours(24);
/// Minutes of a day.
const DAY: u16 = 24 * 60;

/// A destination of notifications.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationTarget {
    /// `tgt_…`.
    pub id: String,
    /// The workspace the target belongs to.
    pub workspace: WorkspaceKey,
    /// Its name, unique in the workspace.
    pub name: String,
    /// The person it belongs to, author of the decisions made with its links.
    pub person: String,
    /// The channel it is reached by.
    pub way: DeliveryChannel,
    /// The preferences of the target.
    pub wants: TargetPreferences,
    /// Whether it was added on the command line of the server's machine: it may then refer to secrets that no
    /// configuration declares.
    pub is_operators: bool,
}

/// The kinds of items a target gets, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetPreferences {
    /// Only these kinds; empty = all.
    pub kinds: Vec<NotificationKind>,
    /// The hours without notifications.
    pub quiet: Option<QuietHours>,
    /// The interval for gathering: its notifications are sent together at its end; 0 = each immediately.
    pub gather: Millis,
    /// Whether only its person can read it.
    pub is_private: bool,
    /// Whether messages contain card contents, including argument values. Only for private targets.
    pub is_full: bool,
    /// Whether messages contain a link for deciding on the card.
    pub has_links: bool,
    /// The language of its messages; `None` uses that of the workspace.
    pub language: Option<Language>,
}

/// A daily span on the clock of the workspace, in minutes since midnight. It may cross midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietHours {
    /// The first minute, inclusive.
    pub from: u16,
    /// The end, exclusive.
    pub until: u16,
}

impl QuietHours {
    /// Parses `22:00-07:00`; `None` for any other form.
    pub fn parse(text: &str) -> Option<Self> {
        let (from, until) = text.trim().split_once('-')?;
        let (from, until) = (minutes(from)?, minutes(until)?);
        (from != until).then_some(Self { from, until })
    }

    /// Formats as `22:00-07:00`.
    pub fn to_text(self) -> String {
        let clock = |minutes: u16| format!("{:02}:{:02}", minutes / 60, minutes % 60);
        format!("{}-{}", clock(self.from), clock(self.until))
    }

    /// Whether a minute of the day is within the span.
    pub fn contains_minute(self, minute: u16) -> bool {
        if self.from < self.until {
            (self.from..self.until).contains(&minute)
        } else {
            minute >= self.from || minute < self.until
        }
    }
}

fn minutes(clock: &str) -> Option<u16> {
    let (hour, minute) = clock.trim().split_once(':')?;
    let digits = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    let (hour, minute): (u16, u16) =
        (digits(hour) && digits(minute)).then(|| Some((hour.parse().ok()?, minute.parse().ok()?)))??;
    (hour < 24 && minute < 60).then_some(hour * 60 + minute).filter(|at| *at < DAY)
}

/// Why a target is invalid: a key of the text catalogue, and a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetFault {
    /// The key of the text.
    pub key: &'static str,
    /// The invalid value.
    pub given: String,
}

impl NotificationTarget {
    /// Checks the target itself. Whether its address may be called is checked elsewhere.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self) -> Result<(), TargetFault> {
        let fault = |key, given: &str| Err(TargetFault { key, given: given.to_owned() });
        let chars = self.name.chars().count();
        let is_name = self.name.trim() == self.name && (1..=NAME_MAX).contains(&chars);
        if !is_name || self.name.chars().any(char::is_control) || self.name.starts_with("tgt_") {
            return fault("notify-fault-name", &self.name);
        }
        if let Some(key) = self.way_fault() {
            return fault(key.0, &key.1);
        }
        // A browser is its person's, who is logged in where a press leads.
        let is_push = matches!(self.way, DeliveryChannel::Push { .. });
        if is_push && (!self.wants.is_private || self.wants.has_links) {
            return fault("notify-fault-push", "");
        }
        if self.wants.is_full && !self.wants.is_private {
            return fault("notify-fault-full", "");
        }
        if self.wants.gather.0 < 0 || self.wants.gather > GATHER_MAX {
            return fault("notify-fault-gather", &format!("{} s", self.wants.gather.0 / 1000));
        }
        Ok(())
    }

    fn way_fault(&self) -> Option<(&'static str, String)> {
        let is_long = |text: &str| text.chars().count() > TEXT_MAX;
        match &self.way {
            DeliveryChannel::Webhook { url, .. } | DeliveryChannel::Ntfy { url, .. } if is_long(url) => {
                Some(("notify-fault-long", url.chars().take(40).collect()))
            }
            DeliveryChannel::Push { endpoint, key, auth }
                if [endpoint, key, auth].iter().any(|text| is_long(text)) =>
            {
                Some(("notify-fault-long", endpoint.chars().take(40).collect()))
            }
            DeliveryChannel::Webhook { .. } | DeliveryChannel::Ntfy { .. } | DeliveryChannel::Push { .. } => {
                None
            }
            DeliveryChannel::Command { program, .. } if !program.starts_with('/') => {
                Some(("notify-fault-program", program.clone()))
            }
            DeliveryChannel::Command { program, arguments } => {
                let too_long = is_long(program) || arguments.iter().any(|argument| is_long(argument));
                let too_many = arguments.len() > ARGUMENTS_MAX;
                (too_long || too_many).then(|| ("notify-fault-long", program.chars().take(40).collect()))
            }
        }
    }

    /// The owner of its delivery channel.
    pub fn owner(&self) -> DeliveryChannelOwner {
        let (workspace, person) = (self.workspace.clone(), self.person.clone());
        DeliveryChannelOwner { workspace, person, is_operators: self.is_operators }
    }

    /// Whether it wants items of this kind. A test is always sent.
    pub fn wants(&self, kind: NotificationKind) -> bool {
        kind == NotificationKind::Test || self.wants.kinds.is_empty() || self.wants.kinds.contains(&kind)
    }
}

/// Whether a channel refers to something that cannot be configured over HTTP: a program, a file, or a variable not
/// reserved for targets. A target with such a channel was added on the command line, also if its row does not say so.
pub fn is_of_command_line(way: &DeliveryChannel) -> bool {
    let is_elsewhere = |place: &SecretReference| match place {
        SecretReference::Environment(name) => !is_target_variable(name),
        SecretReference::File(_) | SecretReference::Command(_) => true,
    };
    match way {
        DeliveryChannel::Webhook { url, .. } | DeliveryChannel::Ntfy { url, .. } => {
            parse_secret_reference(url).as_ref().is_some_and(is_elsewhere)
                || way.references().into_iter().any(is_elsewhere)
        }
        DeliveryChannel::Command { .. } => true,
        DeliveryChannel::Push { .. } => false,
    }
}

/// Parses a secret reference as a person writes it: `env:NAME`, `file:/PATH`; `None` for any other form.
pub fn parse_secret_reference(text: &str) -> Option<SecretReference> {
    match text.split_once(':')? {
        ("env", name) if !name.is_empty() => Some(SecretReference::Environment(name.to_owned())),
        ("file", path) if path.starts_with('/') => Some(SecretReference::File(path.to_owned())),
        _ => None,
    }
}

/// Formats a secret reference as a person writes it.
pub fn format_secret_reference(place: &SecretReference) -> String {
    place.words()
}
