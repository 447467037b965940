//! Places the texts of a turn beside its call results. Pure.
//!
//! Text right after results teaches models to answer nothing, and some servers refuse a `user` message there. So
//! Entracte's own notes are appended to the last result, inside marks that level 1 explains and that no tool output can
//! forge. A person's text follows the results; for servers that refuse that, it is appended to the last result too,
//! marked as a person's words.

use std::borrow::Cow;

use entracte_application::ports::{FileContents, UserTurnPart};
use entracte_application::prompt::words_of_a_person;

use crate::encoder_settings::EncoderSettings;
use crate::encoder_version::EncoderVersion;
use crate::prompt_files::{SentFile, sent_file};
use crate::text::is_blank;

/// The texts of a user turn by position.
#[derive(Debug, Default)]
pub(crate) struct TurnTexts<'a> {
    /// Texts appended to the last result.
    in_result: Vec<Cow<'a, str>>,
    /// Texts and files after the results.
    pub(crate) after: Vec<TurnContent<'a>>,
}

/// What stands after the results of a turn.
#[derive(Debug)]
pub(crate) enum TurnContent<'a> {
    /// A text.
    Text(&'a str),
    /// A file, behind the text that names it.
    File(SentFile<'a>),
}

/// Chooses the position of each text and file of a turn.
pub(crate) fn place_turn_texts<'a>(
    parts: &'a [UserTurnPart],
    files: &FileContents,
    settings: &EncoderSettings,
) -> TurnTexts<'a> {
    let has_results = parts.iter().any(|part| matches!(part, UserTurnPart::Result { .. }));
    let folds = has_results && settings.writing >= EncoderVersion::V2;
    let mut texts = TurnTexts::default();
    for part in parts {
        match part {
            UserTurnPart::Text(words) | UserTurnPart::System(words) if is_blank(words) => {}
            UserTurnPart::Result { .. } => {}
            // Where nothing may follow the results, the text that names it is all.
            UserTurnPart::File(_) if has_results && !settings.profile.user_after_tool => {}
            UserTurnPart::File(file) => {
                texts.after.extend(sent_file(file, files, settings).map(TurnContent::File));
            }
            UserTurnPart::Text(words) if folds && !settings.profile.user_after_tool => {
                texts.in_result.push(words_of_a_person(words).into());
            }
            // Notes that came after a person's text stay after it: a turn may grow.
            UserTurnPart::System(words) if folds && texts.after.is_empty() => {
                texts.in_result.push(words.as_str().into());
            }
            UserTurnPart::Text(words) | UserTurnPart::System(words) => {
                texts.after.push(TurnContent::Text(words));
            }
        }
    }
    texts
}

impl<'a> TurnTexts<'a> {
    /// The content of the last result, followed by the appended texts.
    pub(crate) fn append_to_result(&self, content: Cow<'a, str>) -> Cow<'a, str> {
        if self.in_result.is_empty() {
            return content;
        }
        let own = (!is_blank(&content)).then_some(&*content);
        let all: Vec<&str> = own.into_iter().chain(self.in_result.iter().map(AsRef::as_ref)).collect();
        all.join("\n\n").into()
    }
}
