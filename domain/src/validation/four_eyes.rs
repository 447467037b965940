//! Four eyes: nobody whose words are in an exchange approves what is done for it.

use super::{ApprovalReason, ExchangePrincipal, ValidationLevel, share_identity};

crate::words! {
    /// Why a person's yes does not count under four eyes.
    pub enum FourEyesObjection {
        /// Words of the person are in the exchange.
        Asked = "asked",
        /// The person would change the arguments, and nobody else would have seen what runs.
        Wrote = "wrote",
        /// Nobody knows whose words are in the exchange.
        Unknown = "unknown",
    }
}

/// Whether these reasons ask for somebody else's yes.
pub fn is_four_eyes(reasons: &[ApprovalReason]) -> bool {
    reasons.iter().any(|reason| reason.level == ValidationLevel::FourEyes)
}

/// Why this person's yes does not count; none when it does. Whoever made a token counts as its person too, here and among
/// those who asked. `edits`: the person changes the arguments.
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

    /// Input: who asked, who approves, and whether with other arguments; expected: what speaks against it.
    #[test]
    fn nobody_whose_words_are_in_the_exchange_may_approve() {
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
