//! Where notifications go, and what somebody wants to be told there.

use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;

use super::NotificationKind;
use crate::ports::{DeliveryChannel, DeliveryChannelOwner, SecretReference, is_target_variable};

/// The longest name of a target, in characters.
const NAME_MAX: usize = 60;
/// The longest address, path or argument, in characters.
const TEXT_MAX: usize = 2_000;
/// The most arguments of a program.
const ARGUMENTS_MAX: usize = 50;
/// What is told together waits for no longer.
const GATHER_MAX: Millis = Millis::hours(24);
/// Minutes of a day.
const DAY: u16 = 24 * 60;

/// Where notifications go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationTarget {
    /// `tgt_…`.
    pub id: String,
    /// Where it lives.
    pub workspace: WorkspaceKey,
    /// What it is called.
    pub name: String,
    /// Whose it is: the author of decisions that its links make.
    pub person: String,
    /// How it is reached.
    pub way: DeliveryChannel,
    /// What it is told.
    pub wants: TargetPreferences,
    /// It was added on the command line of the server's machine: it may name secrets that no configuration declares.
    pub is_operators: bool,
}

/// What a target is told, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetPreferences {
    /// Only of these kinds; empty: of all.
    pub kinds: Vec<NotificationKind>,
    /// When it is not told.
    pub quiet: Option<QuietHours>,
    /// What comes up in such a stretch is told together, at its end; 0: each at once.
    pub gather: Millis,
    /// Nobody but its person reads it.
    pub is_private: bool,
    /// With what a card shows, argument values too. Only for one that is private.
    pub is_full: bool,
    /// With a link that decides on the card.
    pub has_links: bool,
}

/// A stretch of each day, on the clock of the workspace, in minutes since midnight. It may reach over midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietHours {
    /// It begins here.
    pub from: u16,
    /// It ends before this.
    pub until: u16,
}

impl QuietHours {
    /// Of `22:00-07:00`; none where it is no such stretch.
    pub fn parse(text: &str) -> Option<Self> {
        let (from, until) = text.trim().split_once('-')?;
        let (from, until) = (minutes(from)?, minutes(until)?);
        (from != until).then_some(Self { from, until })
    }

    /// As it is written.
    pub fn to_text(self) -> String {
        let clock = |minutes: u16| format!("{:02}:{:02}", minutes / 60, minutes % 60);
        format!("{}-{}", clock(self.from), clock(self.until))
    }

    /// Whether a minute of the day is in it.
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

/// Why a target cannot be as it is asked for: a key of the catalogue of texts, and a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetFault {
    /// The key of its text.
    pub key: &'static str,
    /// The value that is wrong.
    pub given: String,
}

impl NotificationTarget {
    /// Whether it makes sense by itself. That its address may be called is asked elsewhere.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
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
            DeliveryChannel::Webhook { .. } | DeliveryChannel::Ntfy { .. } => None,
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

    /// Whose way it is.
    pub fn owner(&self) -> DeliveryChannelOwner {
        let (workspace, person) = (self.workspace.clone(), self.person.clone());
        DeliveryChannelOwner { workspace, person, is_operators: self.is_operators }
    }

    /// Whether it wants to be told this kind. What somebody tries is always told.
    pub fn wants(&self, kind: NotificationKind) -> bool {
        kind == NotificationKind::Test || self.wants.kinds.is_empty() || self.wants.kinds.contains(&kind)
    }
}

/// Whether a way names something that nobody can name over HTTP: a program, a file, or a variable that is not kept for
/// targets. A target with such a way was added on the command line, also where its row does not say so.
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
    }
}

/// Where a secret is kept, as a person writes it: `env:NAME`, `file:/PATH`; none where the text names no place.
pub fn parse_secret_reference(text: &str) -> Option<SecretReference> {
    match text.split_once(':')? {
        ("env", name) if !name.is_empty() => Some(SecretReference::Environment(name.to_owned())),
        ("file", path) if path.starts_with('/') => Some(SecretReference::File(path.to_owned())),
        _ => None,
    }
}

/// As a person writes it.
pub fn format_secret_reference(place: &SecretReference) -> String {
    place.words()
}
