use super::Stop;
use crate::mail::MailRefusal;

/// Why a request is not taken in.
pub(super) enum Untaken {
    /// It is refused; the turn goes on without it.
    Refused(MailRefusal),
    /// The whole turn stops.
    Stop(Stop),
}

impl From<MailRefusal> for Untaken {
    fn from(refusal: MailRefusal) -> Self {
        Self::Refused(refusal)
    }
}

impl<Why: Into<Stop>> From<Why> for Untaken {
    fn from(why: Why) -> Self {
        Self::Stop(why.into())
    }
}
