//! What stands in a turn beside the results of calls. Pure.
//!
//! Text right after results teaches models to answer nothing, and some servers refuse a `user` message there. So what
//! Entracte says beside results stands at the end of the last of them: in its own marks, which level 1 explains and
//! which nothing that a tool returns can forge. What a person says follows the results, but for servers that refuse
//! that; there it stands in the last result too, marked as a person's words.

use std::borrow::Cow;

use entracte_application::ports::UserTurnPart;
use entracte_application::prompt::words_of_a_person;

use crate::encoder_settings::EncoderSettings;
use crate::encoder_version::EncoderVersion;
use crate::text::is_blank;

/// The texts of a turn of the user.
#[derive(Debug, Default)]
pub(crate) struct TurnTexts<'a> {
    /// Those that stand at the end of the last result.
    in_result: Vec<Cow<'a, str>>,
    /// Those that follow.
    pub(crate) after: Vec<&'a str>,
}

/// Where the texts of a turn stand.
pub(crate) fn place_turn_texts<'a>(parts: &'a [UserTurnPart], settings: &EncoderSettings) -> TurnTexts<'a> {
    let has_results = parts.iter().any(|part| matches!(part, UserTurnPart::Result { .. }));
    let folds = has_results && settings.writing >= EncoderVersion::V2;
    let mut texts = TurnTexts::default();
    for part in parts {
        match part {
            UserTurnPart::Text(words) | UserTurnPart::System(words) if is_blank(words) => {}
            UserTurnPart::Result { .. } => {}
            UserTurnPart::Text(words) if folds && !settings.profile.user_after_tool => {
                texts.in_result.push(words_of_a_person(words).into());
            }
            // What came after a person's words stays after them: a turn may grow.
            UserTurnPart::System(words) if folds && texts.after.is_empty() => {
                texts.in_result.push(words.as_str().into());
            }
            UserTurnPart::Text(words) | UserTurnPart::System(words) => texts.after.push(words),
        }
    }
    texts
}

impl<'a> TurnTexts<'a> {
    /// What the last result holds: its own content, then these texts.
    pub(crate) fn append_to_result(&self, content: Cow<'a, str>) -> Cow<'a, str> {
        if self.in_result.is_empty() {
            return content;
        }
        let own = (!is_blank(&content)).then_some(&*content);
        let all: Vec<&str> = own.into_iter().chain(self.in_result.iter().map(AsRef::as_ref)).collect();
        all.join("\n\n").into()
    }
}
