//! Errors for people: the fault, the rejected value and the next command to run; and the exit codes.

use entracte_adapters_db::{BackupError, DatabaseCopyError, LocationError, OpenError};
use entracte_application::codec::CodecError;
use entracte_application::ports::{MailPostError, OwnershipError, ProviderFailure, StoreError, StoreOutage};
pub(crate) use entracte_application::terminal_text::error_chain as chain;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::UseCaseError;

use crate::user_text::{UserText, message};

/// The exit code of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CliExitCode {
    /// Success.
    Done = 0,
    /// A failure without a more specific code.
    Failure = 1,
    /// The command line or the configuration is wrong.
    Usage = 2,
    /// The session waits for a person.
    Waiting = 3,
    /// Not allowed.
    NotAllowed = 4,
    /// The named entity does not exist.
    NotFound = 5,
    /// Another request was faster, or the request does not apply.
    Conflict = 6,
    /// A limit was reached.
    Limit = 7,
    /// A time-out.
    TimedOut = 8,
    /// The outcome of an action is unknown.
    Unknown = 9,
    /// The process lost a resource and could not regain it; a restart may succeed (`EX_TEMPFAIL`).
    TryAgain = 75,
    /// Interrupted by a person.
    Interrupted = 130,
}

impl CliExitCode {
    /// The code's name in JSON errors.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            CliExitCode::Done => "done",
            CliExitCode::Failure => "failure",
            CliExitCode::Usage => "usage",
            CliExitCode::Waiting => "waiting",
            CliExitCode::NotAllowed => "not_allowed",
            CliExitCode::NotFound => "not_found",
            CliExitCode::Conflict => "conflict",
            CliExitCode::Limit => "limit_reached",
            CliExitCode::TimedOut => "timed_out",
            CliExitCode::Unknown => "outcome_unknown",
            CliExitCode::TryAgain => "try_again",
            CliExitCode::Interrupted => "interrupted",
        }
    }
}

/// Why a command failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CliError {
    /// The exit code.
    pub(crate) exit: CliExitCode,
    /// The fault, with the rejected value; in English until it is localized.
    pub(crate) message: String,
    /// The localized label before the message.
    pub(crate) label: Option<String>,
    /// The message's source, for localizing it.
    source: Box<UserText>,
    /// The next command to run.
    pub(crate) next: String,
    /// Whether to print nothing, because the reader of the output has gone.
    pub(crate) quiet: bool,
    /// The database outage behind the error, localized once the workspace's language is known.
    pub(crate) outage: Option<Box<DatabaseOutageImpact>>,
}

/// The operation that a database outage prevented.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DatabaseOutageImpact {
    /// A read.
    Look(StoreOutage),
    /// A request; if the connection was lost during the commit, it may have been recorded.
    Request(StoreOutage),
}

impl DatabaseOutageImpact {
    fn from_use_case_error(error: &UseCaseError) -> Option<Self> {
        match error {
            UseCaseError::Store(StoreError::Unavailable(outage)) => Some(Self::Look(outage.clone())),
            UseCaseError::Post(MailPostError::Store(StoreError::Unavailable(outage))) => {
                Some(Self::Request(outage.clone()))
            }
            _ => None,
        }
    }

    fn words(&self, texts: &LocalizedTexts) -> String {
        let unusable =
            |outage: &StoreOutage| say!(texts, "store-unavailable", outage = outage.describe(texts));
        match self {
            Self::Look(outage) => unusable(outage),
            Self::Request(outage) if outage.kind.may_have_committed() => {
                say!(texts, "post-uncertain", why = unusable(outage))
            }
            Self::Request(outage) => say!(texts, "post-unavailable", why = unusable(outage)),
        }
    }
}

impl CliError {
    /// An error with this exit code. A command after the last `: ` of the message becomes the next command.
    pub(crate) fn new(exit: CliExitCode, message: impl Into<UserText>) -> Self {
        let source = message.into();
        let (message, next) = split_next_command(source.to_string());
        let next = next.unwrap_or_else(|| usual_next(exit).to_owned());
        Self { exit, message, label: None, source: Box::new(source), next, quiet: false, outage: None }
    }

    /// An error with this exact next command.
    pub(crate) fn with_next(
        exit: CliExitCode,
        message: impl Into<UserText>,
        next: impl Into<String>,
    ) -> Self {
        let source = message.into();
        let (message, next) = (source.to_string(), next.into());
        Self { exit, message, label: None, source: Box::new(source), next, quiet: false, outage: None }
    }

    /// The error with another exit code.
    pub(crate) fn with_exit(self, exit: CliExitCode) -> Self {
        Self { exit, ..self }
    }

    /// The error with another next command.
    pub(crate) fn replace_next(self, next: impl Into<String>) -> Self {
        Self { next: next.into(), ..self }
    }

    /// The error as a text, for use within other texts.
    pub(crate) fn to_text(&self) -> UserText {
        match split_next_command(self.source.to_string()) {
            // The command is shown separately.
            (text, Some(_)) => text.into(),
            (_, None) => (*self.source).clone(),
        }
    }

    /// The message without the words that introduce the command.
    pub(crate) fn bare_message(&self) -> &str {
        match self.message.rsplit_once("; ") {
            Some((bare, lead)) if lead.ends_with(':') => bare.trim_end(),
            Some(_) | None => self.message.trim_end_matches(':').trim_end(),
        }
    }

    /// The error with this next command, unless the message contains one.
    pub(crate) fn or_next(mut self, next: impl Into<String>) -> Self {
        if self.next == usual_next(self.exit) {
            self.next = next.into();
        }
        self
    }

    /// The error with another next command.
    pub(crate) fn replacing_next(self, next: String) -> Self {
        Self { next, ..self }
    }

    /// Marks the error as already being in this language.
    pub(crate) fn mark_localized(self, texts: &LocalizedTexts) -> Self {
        Self { label: Some(say!(texts, "error-label")), ..self }
    }

    /// The error in this language.
    pub(crate) fn localized(mut self, texts: &LocalizedTexts) -> Self {
        self = self.mark_localized(texts);
        if let Some(outage) = &self.outage {
            self.message = outage.words(texts);
            return self;
        }
        let (_, english) = split_next_command(self.source.to_string());
        let (message, next) = split_next_command(self.source.localize(texts));
        self.message = message;
        if english.is_some_and(|english| english == self.next) {
            self.next = next.unwrap_or(self.next);
        }
        self
    }

    /// The error in this language, unless it is localized already.
    pub(crate) fn localized_if_unset(self, texts: &LocalizedTexts) -> Self {
        if self.label.is_some() { self } else { self.localized(texts) }
    }

    /// Adds the database outage behind the error, with the command that diagnoses it.
    fn with_outage(mut self, outage: Option<Box<DatabaseOutageImpact>>) -> Self {
        if outage.is_some() {
            "entracte doctor".clone_into(&mut self.next);
        }
        self.outage = outage;
        self
    }

    /// The reader of the output has closed its end.
    pub(crate) fn closed_pipe() -> Self {
        Self { quiet: true, ..Self::with_next(CliExitCode::Done, "", "") }
    }
}

/// Splits a text into its message and the command at its end.
fn split_next_command(text: String) -> (String, Option<String>) {
    let next = match text.rsplit_once(": entracte ") {
        Some((_, rest)) if !rest.contains('\n') => Some(format!("entracte {rest}")),
        Some(_) | None => None,
    };
    match next {
        Some(next) => (text[..text.len() - next.len()].trim_end().to_owned(), Some(next)),
        None => (text, None),
    }
}

fn usual_next(exit: CliExitCode) -> &'static str {
    match exit {
        CliExitCode::Usage | CliExitCode::Done => "entracte --help",
        CliExitCode::Waiting | CliExitCode::Unknown => "entracte inbox",
        CliExitCode::NotAllowed => "entracte command list",
        CliExitCode::NotFound
        | CliExitCode::Conflict
        | CliExitCode::Limit
        | CliExitCode::TimedOut
        | CliExitCode::Interrupted => "entracte session list",
        CliExitCode::Failure => "entracte db check",
        CliExitCode::TryAgain => "entracte doctor",
    }
}

impl From<UseCaseError> for CliError {
    fn from(error: UseCaseError) -> Self {
        Self::from(&error)
    }
}

impl From<CodecError> for CliError {
    fn from(error: CodecError) -> Self {
        UseCaseError::from(error).into()
    }
}

impl From<&UseCaseError> for CliError {
    fn from(error: &UseCaseError) -> Self {
        match error {
            UseCaseError::NotFound(told) => Self::new(CliExitCode::NotFound, told.clone()),
            UseCaseError::Conflict(told) | UseCaseError::NotApplicable(told) => {
                Self::new(CliExitCode::Conflict, told.clone())
            }
            UseCaseError::ReadersBusy(told) => Self::new(CliExitCode::Limit, told.clone()),
            UseCaseError::Invalid(told) | UseCaseError::KeyReused(told) => {
                Self::new(CliExitCode::Usage, told.clone())
            }
            UseCaseError::NeedsApprove(told) | UseCaseError::NeedsConsent(told) => {
                Self::new(CliExitCode::NotAllowed, told.clone())
            }
            // Another person finds it there.
            UseCaseError::FourEyes(told) => {
                Self::with_next(CliExitCode::NotAllowed, told.clone(), "entracte inbox")
            }
            UseCaseError::Post(MailPostError::NotTaken { seconds }) => {
                Self::new(CliExitCode::TimedOut, message!("post-not-taken", seconds = seconds.to_string()))
            }
            UseCaseError::Post(MailPostError::NotOwner) => {
                Self::new(CliExitCode::Failure, message!("post-not-owner"))
            }
            UseCaseError::Post(MailPostError::Unavailable(why)) => {
                let why = UserText::from(why.clone());
                Self::new(CliExitCode::Failure, message!("post-uncertain", why = why))
            }
            UseCaseError::Store(StoreError::Inconsistent(why)) => {
                Self::new(CliExitCode::Failure, damaged(why.clone()))
            }
            UseCaseError::Post(MailPostError::Store(StoreError::Inconsistent(why))) => {
                let text = message!("post-unavailable", why = damaged(why.clone()));
                Self::new(CliExitCode::Failure, text)
            }
            // The enums may grow: unknown errors have no exit code of their own.
            other => Self::new(CliExitCode::Failure, chain(other))
                .with_outage(DatabaseOutageImpact::from_use_case_error(other).map(Box::new)),
        }
    }
}

/// The text for a row that cannot be read, or cannot be stored.
fn damaged(why: String) -> UserText {
    message!("store-damaged", why = why)
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        UseCaseError::Store(error).into()
    }
}

impl From<OpenError> for CliError {
    fn from(error: OpenError) -> Self {
        let (exit, next) = match &error {
            OpenError::Location(_) => (CliExitCode::Usage, "entracte config show --origin"),
            OpenError::InUse(_) => (CliExitCode::Conflict, "entracte db migrate"),
            _ => (CliExitCode::Failure, "entracte config show --origin"),
        };
        Self::new(exit, error.saying()).or_next(next)
    }
}

impl From<LocationError> for CliError {
    fn from(error: LocationError) -> Self {
        OpenError::from(error).into()
    }
}

impl From<OwnershipError> for CliError {
    fn from(error: OwnershipError) -> Self {
        match error {
            OwnershipError::Store(error) => error.into(),
            // Owned, lost, and future variants.
            owned => Self::new(CliExitCode::Failure, chain(&owned)).or_next("entracte config show --origin"),
        }
    }
}

impl From<BackupError> for CliError {
    fn from(error: BackupError) -> Self {
        let (exit, next) = match &error {
            BackupError::Exists { .. } => (CliExitCode::Conflict, "entracte db backup ANOTHER_FILE"),
            BackupError::Io { .. } => (CliExitCode::Failure, "entracte db backup ANOTHER_FILE"),
            // Another file does not help if the database itself cannot be read.
            _ => (CliExitCode::Failure, "entracte doctor"),
        };
        Self::new(exit, error.saying()).or_next(next)
    }
}

impl From<DatabaseCopyError> for CliError {
    fn from(error: DatabaseCopyError) -> Self {
        let exit = match &error {
            DatabaseCopyError::Same { .. } => CliExitCode::Usage,
            DatabaseCopyError::NotEmpty { .. } | DatabaseCopyError::InUse(_) => CliExitCode::Conflict,
            _ => CliExitCode::Failure,
        };
        Self::new(exit, error.saying()).or_next("entracte db copy FROM ANOTHER_PLACE")
    }
}

impl From<ProviderFailure> for CliError {
    fn from(failure: ProviderFailure) -> Self {
        Self::new(CliExitCode::Failure, failure.message).or_next("entracte provider list")
    }
}

#[cfg(test)]
mod tests {
    use entracte_application::ports::StoreOutageKind;

    use super::*;

    #[test]
    fn command_at_message_end_becomes_next_command() {
        let error =
            CliError::new(CliExitCode::NotFound, "there is no session x; list them: entracte session list");
        assert_eq!(error.message, "there is no session x; list them:");
        assert_eq!(error.next, "entracte session list");
        let plain = CliError::new(CliExitCode::Failure, "the disk is full");
        assert_eq!((plain.message.as_str(), plain.next.as_str()), ("the disk is full", "entracte db check"));
        assert_eq!(plain.or_next("entracte inbox").next, "entracte inbox");
    }

    /// Input: an unreadable row, for a read and for a request; expected: a message in the reader's language that the
    /// database is damaged, naming the row as the database does.
    #[test]
    fn damaged_row_error_is_french() {
        let french = LocalizedTexts::for_language(entracte_application::settings::Language::Fr);
        let damaged = || StoreError::Inconsistent("sessions, row 7".to_owned());
        let looks = CliError::from(UseCaseError::Store(damaged())).localized(french);
        assert_eq!(looks.message, "la base de données est endommagée\u{a0}: sessions, row 7");
        assert_eq!(looks.next, "entracte db check");
        let asks = CliError::from(UseCaseError::Post(MailPostError::Store(damaged()))).localized(french);
        let expected =
            "la demande n’a pas pu être enregistrée\u{a0}: la base de données est endommagée\u{a0}: ";
        assert!(asks.message.starts_with(expected), "{}", asks.message);
    }

    /// Input: a database that could not be written, and one lost in the middle; expected: only the first message says
    /// that nothing was recorded.
    #[test]
    fn possibly_recorded_request_is_not_called_refused() {
        let texts = LocalizedTexts::for_language(entracte_application::settings::Language::En);
        let said = |kind: StoreOutageKind| {
            let lost = StoreError::Unavailable(StoreOutage::new(kind, "the server closed the connection"));
            CliError::from(UseCaseError::Post(MailPostError::Store(lost))).localized(texts).message
        };
        for kind in [
            StoreOutageKind::Full,
            StoreOutageKind::ReadOnly,
            StoreOutageKind::Locked,
            StoreOutageKind::Grants,
            StoreOutageKind::Standby,
        ] {
            assert!(said(kind).starts_with("the request could not be recorded: "), "{}", said(kind));
        }
        for kind in [StoreOutageKind::Disk, StoreOutageKind::Replaced, StoreOutageKind::Other] {
            assert!(
                said(kind).starts_with("it is not known whether the request was recorded: "),
                "{}",
                said(kind)
            );
            assert!(said(kind).ends_with("check before you try again"), "{}", said(kind));
        }
    }
}
