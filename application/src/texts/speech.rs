//! Gives the sentences of the machine their words.

use entracte_domain::message::{Body, Message, SystemMessage};
use entracte_domain::session::Appended;
use entracte_domain::speech::{Part, Sentence, SentenceValue, Speech};

use super::{TextValue, Texts};

impl Texts {
    /// What is said, in this language.
    pub fn speak(&self, speech: &Speech) -> String {
        match speech.as_words() {
            Some(words) => words.to_owned(),
            None => speech.parts().map(|part| self.speak_part(part)).collect(),
        }
    }

    /// Gives the messages that a transition appended their final words.
    pub fn word_appended(&self, appended: &mut [Appended]) {
        for entry in appended {
            match entry {
                Appended::Message(message) => self.word(message),
                Appended::Note(_) => {}
            }
        }
    }

    /// Gives a message its final words: what was said once is not said in other words later.
    pub fn word(&self, message: &mut Message) {
        match &mut message.body {
            Body::Text(text) => self.word_speech(text),
            Body::System(SystemMessage { kind: _, results, summary, formatted_data }) => {
                // The parts stay apart: the first says how many results there are.
                *summary = Speech::of_parts(summary.parts().map(|part| Part::Words(self.speak_part(part))));
                results.iter_mut().for_each(|result| self.word_speech(&mut result.content));
                formatted_data.iter_mut().for_each(|data| self.word_speech(data));
            }
            Body::Rich(_) | Body::Ai(_) | Body::Execution(_) => {}
        }
    }

    fn word_speech(&self, speech: &mut Speech) {
        if speech.as_words().is_none() {
            *speech = Speech::words(self.speak(speech));
        }
    }

    fn speak_part(&self, part: &Part) -> String {
        match part {
            Part::Words(words) => words.clone(),
            Part::Sentence(sentence) => self.speak_sentence(sentence),
        }
    }

    fn speak_sentence(&self, sentence: &Sentence) -> String {
        let values: Vec<(&str, TextValue<'_>)> =
            sentence.values.iter().map(|(name, value)| (name.as_ref(), self.value(value))).collect();
        self.say(&sentence.key, &values)
    }

    fn value<'a>(&self, value: &'a SentenceValue) -> TextValue<'a> {
        match value {
            SentenceValue::Number(number) => TextValue::from(*number),
            SentenceValue::Speech(speech) => match speech.as_words() {
                Some(words) => TextValue::from(words),
                None => TextValue::from(self.speak(speech)),
            },
        }
    }
}
