//! Renders the localisable texts of the machine.

use std::borrow::Cow;

use entracte_domain::localizable_text::{
    LocalizableSentence, LocalizableText, LocalizableTextPart, SentenceValue,
};
use entracte_domain::message::{Message, MessageBody, SystemMessage};
use entracte_domain::session::LogAppend;

use super::{LocalizedTexts, TextValue};
use crate::command_naming::CommandNaming;

/// The placeholder for the name of a command.
const COMMAND: &str = "command";

/// Sentences about envelope fields, with the sentences that replace them for control tools.
const OF_FIELDS: [(&str, &str); 2] = [
    ("machine-completed-ignored-in-chat", "prompt-tool-complete-ignored-in-chat"),
    ("machine-completed-ignored-beside-commands", "prompt-tool-complete-ignored-beside-commands"),
];

impl LocalizedTexts {
    /// Renders the text in this language.
    pub fn render_speech(&self, speech: &LocalizableText) -> String {
        self.render_speech_for(CommandNaming::Types, speech)
    }

    /// Renders the text in this language, for a reader with this naming of commands.
    pub fn render_speech_for(&self, naming: CommandNaming, speech: &LocalizableText) -> String {
        match speech.as_words() {
            Some(words) => words.to_owned(),
            None => speech.parts().map(|part| self.speak_part(naming, part)).collect(),
        }
    }

    /// Renders the messages that a transition appended.
    pub fn render_appended_messages(&self, naming: CommandNaming, appended: &mut [LogAppend]) {
        for entry in appended {
            match entry {
                LogAppend::Message(message) => self.render_message(naming, message),
                LogAppend::Note(_) => {}
            }
        }
    }

    /// Renders a message once: later it is never worded differently.
    pub fn render_message(&self, naming: CommandNaming, message: &mut Message) {
        match &mut message.body {
            MessageBody::Text(text) => self.word_speech(naming, text),
            MessageBody::System(SystemMessage { kind: _, results, summary, formatted_data }) => {
                // The parts stay separate: the first one contains the number of results.
                let words =
                    |part: &LocalizableTextPart| LocalizableTextPart::Words(self.speak_part(naming, part));
                *summary = LocalizableText::from_parts(summary.parts().map(words));
                results.iter_mut().for_each(|result| self.word_speech(naming, &mut result.content));
                formatted_data.iter_mut().for_each(|data| self.word_speech(naming, data));
            }
            MessageBody::Rich(_) | MessageBody::Ai(_) | MessageBody::Execution(_) => {}
        }
    }

    fn word_speech(&self, naming: CommandNaming, speech: &mut LocalizableText) {
        if speech.as_words().is_none() {
            *speech = LocalizableText::from_words(self.render_speech_for(naming, speech));
        }
    }

    fn speak_part(&self, naming: CommandNaming, part: &LocalizableTextPart) -> String {
        match part {
            LocalizableTextPart::Words(words) => words.clone(),
            LocalizableTextPart::Sentence(sentence) => self.speak_sentence(naming, sentence),
        }
    }

    fn speak_sentence(&self, naming: CommandNaming, sentence: &LocalizableSentence) -> String {
        let places = sentence.values.iter();
        let values: Vec<(&str, TextValue<'_>)> =
            places.map(|(name, value)| (name.as_ref(), self.value(naming, name, value))).collect();
        self.render(key_of(naming, &sentence.key), &values)
    }

    fn value<'a>(&self, naming: CommandNaming, place: &str, value: &'a SentenceValue) -> TextValue<'a> {
        match value {
            SentenceValue::Number(number) => TextValue::from(*number),
            SentenceValue::Speech(speech) => match speech.as_words() {
                Some(words) if place == COMMAND => TextValue::Text(naming.format_name(words)),
                Some(words) => TextValue::from(words),
                None => TextValue::Text(Cow::Owned(self.render_speech_for(naming, speech))),
            },
        }
    }
}

/// The key of the text for this naming.
fn key_of(naming: CommandNaming, key: &str) -> &str {
    match naming {
        CommandNaming::Types => key,
        CommandNaming::Tools => {
            OF_FIELDS.iter().find(|(field, _)| *field == key).map_or(key, |(_, tool)| tool)
        }
    }
}
