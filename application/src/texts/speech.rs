//! Gives the sentences of the machine their words.

use std::borrow::Cow;

use entracte_domain::message::{Body, Message, SystemMessage};
use entracte_domain::session::Appended;
use entracte_domain::speech::{Part, Sentence, SentenceValue, Speech};

use super::{TextValue, Texts};
use crate::names::Naming;

/// The place of a sentence that holds the name of a command.
const COMMAND: &str = "command";

/// Sentences about a field of the envelope, and what is said where our own tool takes its place.
const OF_FIELDS: [(&str, &str); 2] = [
    ("machine-completed-ignored-in-chat", "prompt-tool-complete-ignored-in-chat"),
    ("machine-completed-ignored-beside-commands", "prompt-tool-complete-ignored-beside-commands"),
];

impl Texts {
    /// What is said, in this language.
    pub fn speak(&self, speech: &Speech) -> String {
        self.speak_to(Naming::Types, speech)
    }

    /// What is said, in this language, to a reader who calls the commands like this.
    pub fn speak_to(&self, naming: Naming, speech: &Speech) -> String {
        match speech.as_words() {
            Some(words) => words.to_owned(),
            None => speech.parts().map(|part| self.speak_part(naming, part)).collect(),
        }
    }

    /// Gives the messages that a transition appended their final words.
    pub fn word_appended(&self, naming: Naming, appended: &mut [Appended]) {
        for entry in appended {
            match entry {
                Appended::Message(message) => self.word(naming, message),
                Appended::Note(_) => {}
            }
        }
    }

    /// Gives a message its final words: what was said once is not said in other words later.
    pub fn word(&self, naming: Naming, message: &mut Message) {
        match &mut message.body {
            Body::Text(text) => self.word_speech(naming, text),
            Body::System(SystemMessage { kind: _, results, summary, formatted_data }) => {
                // The parts stay apart: the first says how many results there are.
                let words = |part: &Part| Part::Words(self.speak_part(naming, part));
                *summary = Speech::of_parts(summary.parts().map(words));
                results.iter_mut().for_each(|result| self.word_speech(naming, &mut result.content));
                formatted_data.iter_mut().for_each(|data| self.word_speech(naming, data));
            }
            Body::Rich(_) | Body::Ai(_) | Body::Execution(_) => {}
        }
    }

    fn word_speech(&self, naming: Naming, speech: &mut Speech) {
        if speech.as_words().is_none() {
            *speech = Speech::words(self.speak_to(naming, speech));
        }
    }

    fn speak_part(&self, naming: Naming, part: &Part) -> String {
        match part {
            Part::Words(words) => words.clone(),
            Part::Sentence(sentence) => self.speak_sentence(naming, sentence),
        }
    }

    fn speak_sentence(&self, naming: Naming, sentence: &Sentence) -> String {
        let places = sentence.values.iter();
        let values: Vec<(&str, TextValue<'_>)> =
            places.map(|(name, value)| (name.as_ref(), self.value(naming, name, value))).collect();
        self.say(key_of(naming, &sentence.key), &values)
    }

    fn value<'a>(&self, naming: Naming, place: &str, value: &'a SentenceValue) -> TextValue<'a> {
        match value {
            SentenceValue::Number(number) => TextValue::from(*number),
            SentenceValue::Speech(speech) => match speech.as_words() {
                Some(words) if place == COMMAND => TextValue::Text(naming.name(words)),
                Some(words) => TextValue::from(words),
                None => TextValue::Text(Cow::Owned(self.speak_to(naming, speech))),
            },
        }
    }
}

/// The key of what is said.
fn key_of(naming: Naming, key: &str) -> &str {
    match naming {
        Naming::Types => key,
        Naming::Tools => OF_FIELDS.iter().find(|(field, _)| *field == key).map_or(key, |(_, tool)| tool),
    }
}
