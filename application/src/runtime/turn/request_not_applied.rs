use super::TurnStop;
use crate::mail::MailRefusal;

/// Why a request was not applied.
pub(super) enum RequestNotApplied {
    /// It is refused; the turn continues without it.
    Refused(MailRefusal),
    /// The whole turn stops.
    Stop(TurnStop),
}

impl From<MailRefusal> for RequestNotApplied {
    fn from(refusal: MailRefusal) -> Self {
        Self::Refused(refusal)
    }
}

impl<Why: Into<TurnStop>> From<Why> for RequestNotApplied {
    fn from(why: Why) -> Self {
        Self::Stop(why.into())
    }
}
