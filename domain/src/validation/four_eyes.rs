//! Four eyes: nobody whose words are in an exchange approves what is done for it.

use super::{AskedBy, Level, Reason, share_identity};

crate::words! {
    /// Why a person's yes does not count under four eyes.
    pub enum Objection {
        /// Words of the person are in the exchange.
        Asked = "asked",
        /// The person would change the arguments, and nobody else would have seen what runs.
        Wrote = "wrote",
        /// Nobody knows whose words are in the exchange.
        Unknown = "unknown",
    }
}

/// Whether these reasons ask for somebody else's yes.
pub fn is_four_eyes(reasons: &[Reason]) -> bool {
    reasons.iter().any(|reason| reason.level == Level::FourEyes)
}

/// Why this person's yes does not count; none when it does. Whoever made a token counts as its person too, here and among
/// those who asked. `edits`: the person changes the arguments.
pub fn objection(reasons: &[Reason], asked_by: &AskedBy, person: &str, edits: bool) -> Option<Objection> {
    if !is_four_eyes(reasons) {
        None
    } else if !asked_by.is_known() {
        Some(Objection::Unknown)
    } else if asked_by.people.iter().any(|asked| share_identity(asked, person)) {
        Some(Objection::Asked)
    } else {
        edits.then_some(Objection::Wrote)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speech::sentences;

    fn reasons(level: Level) -> [Reason; 1] {
        [Reason { level, about: None, text: sentences::approval_four_eyes() }]
    }

    /// Input: who asked, who approves, and whether with other arguments; expected: what speaks against it.
    #[test]
    fn nobody_whose_words_are_in_the_exchange_may_approve() {
        let ann = AskedBy::run(["ann"], None);
        let both = AskedBy::run(["ann", "bob"], None);
        let cases = [
            (&ann, "ann", false, Some(Objection::Asked)),
            (&ann, "bob", false, None),
            (&ann, "bob", true, Some(Objection::Wrote)),
            (&both, "ann", false, Some(Objection::Asked)),
            (&both, "bob", false, Some(Objection::Asked)),
            (&both, "eve", false, None),
            (&ann, "eve (by ann)", false, Some(Objection::Asked)),
            (&AskedBy::run(["visitor (by ann)"], None), "ann", false, Some(Objection::Asked)),
            (&AskedBy::default(), "bob", false, Some(Objection::Unknown)),
        ];
        for (asked, person, edits, expected) in cases {
            assert_eq!(objection(&reasons(Level::FourEyes), asked, person, edits), expected, "{person}");
            assert_eq!(objection(&reasons(Level::App), asked, person, edits), None, "another reason");
        }
    }
}
