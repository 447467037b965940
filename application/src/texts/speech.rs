//! Gives the sentences of the machine their words.

use std::borrow::Cow;

use entracte_domain::localizable_text::{
    LocalizableSentence, LocalizableText, LocalizableTextPart, SentenceValue,
};
use entracte_domain::message::{Message, MessageBody, SystemMessage};
use entracte_domain::session::LogAppend;

use super::{LocalizedTexts, TextValue};
use crate::command_naming::CommandNaming;

/// The place of a sentence that holds the name of a command.
const COMMAND: &str = "command";

/// Sentences about a field of the envelope, and what is said where our own tool takes its place.
const OF_FIELDS: [(&str, &str); 2] = [
    ("machine-completed-ignored-in-chat", "prompt-tool-complete-ignored-in-chat"),
    ("machine-completed-ignored-beside-commands", "prompt-tool-complete-ignored-beside-commands"),
];

impl LocalizedTexts {
    /// What is said, in this language.
    pub fn render_speech(&self, speech: &LocalizableText) -> String {
        self.render_speech_for(CommandNaming::Types, speech)
    }

    /// What is said, in this language, to a reader who calls the commands like this.
    pub fn render_speech_for(&self, naming: CommandNaming, speech: &LocalizableText) -> String {
        match speech.as_words() {
            Some(words) => words.to_owned(),
            None => speech.parts().map(|part| self.speak_part(naming, part)).collect(),
        }
    }

    /// Gives the messages that a transition appended their final words.
    pub fn render_appended_messages(&self, naming: CommandNaming, appended: &mut [LogAppend]) {
        for entry in appended {
            match entry {
                LogAppend::Message(message) => self.render_message(naming, message),
                LogAppend::Note(_) => {}
            }
        }
    }

    /// Gives a message its final words: what was said once is not said in other words later.
    pub fn render_message(&self, naming: CommandNaming, message: &mut Message) {
        match &mut message.body {
            MessageBody::Text(text) => self.word_speech(naming, text),
            MessageBody::System(SystemMessage { kind: _, results, summary, formatted_data }) => {
                // The parts stay apart: the first says how many results there are.
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

/// The key of what is said.
fn key_of(naming: CommandNaming, key: &str) -> &str {
    match naming {
        CommandNaming::Types => key,
        CommandNaming::Tools => {
            OF_FIELDS.iter().find(|(field, _)| *field == key).map_or(key, |(_, tool)| tool)
        }
    }
}
