//! Four eyes: a person whose words are in an exchange may not approve work done for it.

use super::{ApprovalReason, ExchangePrincipal, ValidationLevel, share_identity};

crate::words! {
    /// Why a person's approval does not count: under four eyes, or because others must approve.
    pub enum ApproverObjection {
        /// Words of the person are in the exchange.
        Asked = "asked",
        /// The person edits the arguments, so no other person who must approve would have seen the executed call.
        Wrote = "wrote",
        /// The authors of the exchange are unknown.
        Unknown = "unknown",
        /// The person is none of those who may approve the call.
        Unlisted = "unlisted",
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
) -> Option<ApproverObjection> {
    if !is_four_eyes(reasons) {
        return None;
    }
    requester_objection(asked_by, person).or_else(|| edits.then_some(ApproverObjection::Wrote))
}

/// Why this person may not decide under four eyes about work that these people asked for; `None` if they may.
pub fn requester_objection(asked_by: &ExchangePrincipal, person: &str) -> Option<ApproverObjection> {
    if !asked_by.is_known() {
        return Some(ApproverObjection::Unknown);
    }
    let asked = asked_by.people.iter().any(|asked| share_identity(asked, person));
    asked.then_some(ApproverObjection::Asked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::localizable_text::sentences;

    fn reasons(level: ValidationLevel) -> [ApprovalReason; 1] {
        [ApprovalReason { level, about: None, text: sentences::approval_four_eyes(), approvers: None }]
    }

    /// Input: requesters, approver, and whether the arguments are edited; expected: the objection.
    #[test]
    fn people_in_the_exchange_cannot_approve() {
        let ann = ExchangePrincipal::for_run(["ann"], None);
        let both = ExchangePrincipal::for_run(["ann", "bob"], None);
        let cases = [
            (&ann, "ann", false, Some(ApproverObjection::Asked)),
            (&ann, "bob", false, None),
            (&ann, "bob", true, Some(ApproverObjection::Wrote)),
            (&both, "ann", false, Some(ApproverObjection::Asked)),
            (&both, "bob", false, Some(ApproverObjection::Asked)),
            (&both, "eve", false, None),
            (&ann, "eve (by ann)", false, Some(ApproverObjection::Asked)),
            (
                &ExchangePrincipal::for_run(["visitor (by ann)"], None),
                "ann",
                false,
                Some(ApproverObjection::Asked),
            ),
            (&ExchangePrincipal::default(), "bob", false, Some(ApproverObjection::Unknown)),
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
