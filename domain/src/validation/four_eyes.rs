//! Four eyes: a person whose words are in an exchange may not approve work done for it.

use super::{ApprovalReason, ExchangePrincipal, ValidationLevel, share_identity};

crate::words! {
    /// Why a person's approval does not count under four eyes.
    pub enum FourEyesObjection {
        /// Words of the person are in the exchange.
        Asked = "asked",
        /// The person edits the arguments, so no second person would have seen the executed call.
        Wrote = "wrote",
        /// The authors of the exchange are unknown.
        Unknown = "unknown",
    }
}

/// Whether these reasons require the approval of another person.
pub fn is_four_eyes(reasons: &[ApprovalReason]) -> bool {
    reasons.iter().any(|reason| reason.level == ValidationLevel::FourEyes)
}

/// Why this person's approval does not count; `None` if it does. The creator of a token counts as its person, here and
/// among the requesters. `edits`: whether the person edits the arguments.
pub fn four_eyes_objection(
    reasons: &[ApprovalReason],
    asked_by: &ExchangePrincipal,
    person: &str,
    edits: bool,
) -> Option<FourEyesObjection> {
    if !is_four_eyes(reasons) {
        None
    } else if !asked_by.is_known() {
        Some(FourEyesObjection::Unknown)
    } else if asked_by.people.iter().any(|asked| share_identity(asked, person)) {
        Some(FourEyesObjection::Asked)
    } else {
        edits.then_some(FourEyesObjection::Wrote)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::localizable_text::sentences;

    fn reasons(level: ValidationLevel) -> [ApprovalReason; 1] {
        [ApprovalReason { level, about: None, text: sentences::approval_four_eyes() }]
    }

    /// Input: requesters, approver, and whether the arguments are edited; expected: the objection.
    #[test]
    fn people_in_the_exchange_cannot_approve() {
        let ann = ExchangePrincipal::for_run(["ann"], None);
        let both = ExchangePrincipal::for_run(["ann", "bob"], None);
        let cases = [
            (&ann, "ann", false, Some(FourEyesObjection::Asked)),
            (&ann, "bob", false, None),
            (&ann, "bob", true, Some(FourEyesObjection::Wrote)),
            (&both, "ann", false, Some(FourEyesObjection::Asked)),
            (&both, "bob", false, Some(FourEyesObjection::Asked)),
            (&both, "eve", false, None),
            (&ann, "eve (by ann)", false, Some(FourEyesObjection::Asked)),
            (
                &ExchangePrincipal::for_run(["visitor (by ann)"], None),
                "ann",
                false,
                Some(FourEyesObjection::Asked),
            ),
            (&ExchangePrincipal::default(), "bob", false, Some(FourEyesObjection::Unknown)),
        ];
        for (asked, person, edits, expected) in cases {
            assert_eq!(
                four_eyes_objection(&reasons(ValidationLevel::FourEyes), asked, person, edits),
                expected,
                "{person}"
            );
            assert_eq!(
                four_eyes_objection(&reasons(ValidationLevel::App), asked, person, edits),
                None,
                "another reason"
            );
        }
    }
}
