//! Errors for people: what was wrong, with which value, and the command to paste next; and the exit codes.

use entracte_adapters_db::{BackupError, CopyError, OpenError, OwnershipError};
use entracte_application::ports::{Outage, PostError, ProviderFailure, StoreError};
use entracte_application::texts::{Texts, say};
use entracte_application::use_cases::UseCaseError;

/// How the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done = 0,
    /// Failure.
    Failure = 1,
    /// The command line or the configuration is wrong.
    Usage = 2,
    /// A person is waited for.
    Waiting = 3,
    /// Not allowed.
    NotAllowed = 4,
    /// What was named does not exist.
    NotFound = 5,
    /// Somebody was faster, or it does not apply.
    Conflict = 6,
    /// A limit was reached.
    Limit = 7,
    /// It took too long.
    TimedOut = 8,
    /// An action's outcome is not known.
    Unknown = 9,
    /// Interrupted.
    Interrupted = 130,
}

impl Exit {
    /// The word in JSON errors.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Exit::Done => "done",
            Exit::Failure => "failure",
            Exit::Usage => "usage",
            Exit::Waiting => "waiting",
            Exit::NotAllowed => "not_allowed",
            Exit::NotFound => "not_found",
            Exit::Conflict => "conflict",
            Exit::Limit => "limit_reached",
            Exit::TimedOut => "timed_out",
            Exit::Unknown => "outcome_unknown",
            Exit::Interrupted => "interrupted",
        }
    }
}

/// Why a command did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CliError {
    /// How the process ends.
    pub(crate) exit: Exit,
    /// What was wrong, with which value.
    pub(crate) message: String,
    /// The command to paste next.
    pub(crate) next: String,
    /// Whoever read the output has gone; nothing is said.
    pub(crate) quiet: bool,
    /// The database that could not be used; said in the language of the workspace where that is known.
    pub(crate) outage: Option<Hindered>,
}

/// What a database that cannot be used hindered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hindered {
    /// A look.
    Look(Outage),
    /// A request; nothing of it was done.
    Request(Outage),
}

impl Hindered {
    fn of(error: &UseCaseError) -> Option<Self> {
        match error {
            UseCaseError::Store(StoreError::Unavailable(outage)) => Some(Self::Look(outage.clone())),
            UseCaseError::Post(PostError::Store(StoreError::Unavailable(outage))) => {
                Some(Self::Request(outage.clone()))
            }
            _ => None,
        }
    }

    fn words(&self, texts: &Texts) -> String {
        let unusable = |outage: &Outage| say!(texts, "store-unavailable", outage = outage.words(texts));
        match self {
            Self::Look(outage) => unusable(outage),
            Self::Request(outage) => say!(texts, "post-unavailable", why = unusable(outage)),
        }
    }
}

impl CliError {
    /// An error that ends with this exit code. A command after the last `: ` of the message is what to paste.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        let message = message.into();
        let next = match message.rsplit_once(": entracte ") {
            Some((_, rest)) if !rest.contains('\n') => Some(format!("entracte {rest}")),
            Some(_) | None => None,
        };
        match next {
            Some(next) => {
                let message = message[..message.len() - next.len()].trim_end().to_owned();
                Self { exit, message, next, quiet: false, outage: None }
            }
            None => Self { exit, message, next: usual_next(exit).to_owned(), quiet: false, outage: None },
        }
    }

    /// An error with exactly this command to paste next.
    pub(crate) fn with_next(exit: Exit, message: impl Into<String>, next: impl Into<String>) -> Self {
        Self { exit, message: message.into(), next: next.into(), quiet: false, outage: None }
    }

    /// What was wrong, without the words that lead to the command.
    pub(crate) fn bare_message(&self) -> &str {
        match self.message.rsplit_once("; ") {
            Some((bare, lead)) if lead.ends_with(':') => bare,
            Some(_) | None => &self.message,
        }
    }

    /// The same with this command to paste next, where the message names none.
    pub(crate) fn or_next(mut self, next: impl Into<String>) -> Self {
        if self.next == usual_next(self.exit) {
            self.next = next.into();
        }
        self
    }

    /// The same in this language, where the language of the house is known to it.
    pub(crate) fn spoken(mut self, texts: &Texts) -> Self {
        if let Some(outage) = &self.outage {
            self.message = outage.words(texts);
        }
        self
    }

    /// A database that could not be used: what it said, and the command that looks at everything it stands on.
    fn hindered(mut self, outage: Option<Hindered>) -> Self {
        if outage.is_some() {
            "entracte doctor".clone_into(&mut self.next);
        }
        self.outage = outage;
        self
    }

    /// Whoever read the output has gone.
    pub(crate) fn closed_pipe() -> Self {
        Self { exit: Exit::Done, message: String::new(), next: String::new(), quiet: true, outage: None }
    }
}

fn usual_next(exit: Exit) -> &'static str {
    match exit {
        Exit::Usage | Exit::Done => "entracte --help",
        Exit::Waiting | Exit::Unknown => "entracte inbox",
        Exit::NotAllowed => "entracte command list",
        Exit::NotFound | Exit::Conflict | Exit::Limit | Exit::TimedOut | Exit::Interrupted => {
            "entracte session list"
        }
        Exit::Failure => "entracte db check",
    }
}

impl From<UseCaseError> for CliError {
    fn from(error: UseCaseError) -> Self {
        let exit = match &error {
            UseCaseError::NotFound(_) => Exit::NotFound,
            UseCaseError::Conflict(_) | UseCaseError::NotApplicable(_) => Exit::Conflict,
            UseCaseError::Invalid(_) => Exit::Usage,
            UseCaseError::Post(PostError::NotTaken { .. }) => Exit::TimedOut,
            UseCaseError::Post(PostError::Unavailable(_) | PostError::Store(_))
            | UseCaseError::Store(_)
            | UseCaseError::Codec(_) => Exit::Failure,
        };
        Self::new(exit, chain(&error)).hindered(Hindered::of(&error))
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        UseCaseError::Store(error).into()
    }
}

impl From<OpenError> for CliError {
    fn from(error: OpenError) -> Self {
        let exit = match &error {
            OpenError::Unsupported { .. } | OpenError::NoFile { .. } | OpenError::UnclearUrl => Exit::Usage,
            OpenError::InUse(_) => Exit::Conflict,
            _ => Exit::Failure,
        };
        Self::new(exit, chain(&error)).or_next("entracte config show --origin")
    }
}

impl From<OwnershipError> for CliError {
    fn from(error: OwnershipError) -> Self {
        Self::new(Exit::Failure, chain(&error)).or_next("entracte config show --origin")
    }
}

impl From<BackupError> for CliError {
    fn from(error: BackupError) -> Self {
        let exit = match &error {
            BackupError::Exists { .. } => Exit::Conflict,
            _ => Exit::Failure,
        };
        Self::new(exit, chain(&error)).or_next("entracte db backup ANOTHER_FILE")
    }
}

impl From<CopyError> for CliError {
    fn from(error: CopyError) -> Self {
        let exit = match &error {
            CopyError::Same { .. } => Exit::Usage,
            CopyError::NotEmpty { .. } | CopyError::InUse(_) => Exit::Conflict,
            _ => Exit::Failure,
        };
        Self::new(exit, chain(&error)).or_next("entracte db copy FROM ANOTHER_PLACE")
    }
}

impl From<ProviderFailure> for CliError {
    fn from(failure: ProviderFailure) -> Self {
        Self::new(Exit::Failure, failure.message).or_next("entracte provider list")
    }
}

/// An error and its causes in one sentence.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_at_the_end_of_a_message_is_what_to_paste() {
        let error = CliError::new(Exit::NotFound, "there is no session x; list them: entracte session list");
        assert_eq!(error.message, "there is no session x; list them:");
        assert_eq!(error.next, "entracte session list");
        let plain = CliError::new(Exit::Failure, "the disk is full");
        assert_eq!((plain.message.as_str(), plain.next.as_str()), ("the disk is full", "entracte db check"));
        assert_eq!(plain.or_next("entracte inbox").next, "entracte inbox");
    }
}
