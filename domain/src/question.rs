//! Structured questions of the model to the user, and their answers.

use crate::localizable_text::{LocalizableText, sentences};

/// A question of the model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// One of several options.
    MultipleChoice {
        /// The question.
        question: String,
        /// At least two options.
        options: Vec<String>,
        /// True if the user may answer something else.
        allow_other: bool,
    },
    /// Yes or no.
    Validation {
        /// The statement to confirm.
        message: String,
    },
    /// Any non-empty text.
    Open {
        /// The question.
        question: String,
    },
}

/// Why a question is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum QuestionFault {
    /// The question is empty.
    NothingAsked,
    /// An option is empty; its number, from 1.
    EmptyOption(usize),
    /// Two options are equal, ignoring letter case; their numbers, from 1.
    EqualOptions(usize, usize),
}

/// Why an answer is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AnswerFault {
    /// The answer is not one of the options.
    NotAnOption {
        /// The answer that was given.
        given: String,
        /// The valid options.
        options: Vec<String>,
    },
    /// The answer is neither yes nor no.
    NotYesOrNo {
        /// The answer that was given.
        given: String,
    },
    /// The answer is empty.
    Empty,
}

impl Question {
    /// The text of the question.
    pub fn text(&self) -> &str {
        match self {
            Question::MultipleChoice { question, .. } => question,
            Question::Validation { message } => message,
            Question::Open { question } => question,
        }
    }

    /// The first fault that makes the question or its answers ambiguous, if any.
    pub fn find_fault(&self) -> Option<QuestionFault> {
        if self.text().trim().is_empty() {
            return Some(QuestionFault::NothingAsked);
        }
        let options: Vec<String> = match self {
            Question::MultipleChoice { options, .. } => {
                options.iter().map(|option| option.trim().to_lowercase()).collect()
            }
            Question::Validation { .. } | Question::Open { .. } => Vec::new(),
        };
        if let Some(empty) = options.iter().position(String::is_empty) {
            return Some(QuestionFault::EmptyOption(empty + 1));
        }
        options.iter().enumerate().find_map(|(second, option)| {
            let first = options.iter().take(second).position(|earlier| earlier == option)?;
            Some(QuestionFault::EqualOptions(first + 1, second + 1))
        })
    }

    /// Reads an answer: the number of an option (from 1), its exact text, or another text if allowed; yes or no for a
    /// validation. Returns the text that the model reads.
    ///
    /// # Errors
    ///
    /// [`AnswerFault`] if the answer is empty, none of the options where no other text is allowed, or neither yes nor no.
    pub fn read_answer(&self, given: &str) -> Result<LocalizableText, AnswerFault> {
        let given = given.trim();
        match self {
            Question::MultipleChoice { options, allow_other, .. } => {
                let by_number = given.parse::<usize>().ok().and_then(|n| options.get(n.wrapping_sub(1)));
                let by_text = options.iter().find(|option| option.as_str() == given);
                match (by_text.or(by_number), allow_other) {
                    (Some(option), _) => Ok(option.as_str().into()),
                    (None, true) if !given.is_empty() => Ok(given.into()),
                    (None, true | false) => {
                        Err(AnswerFault::NotAnOption { given: given.to_owned(), options: options.clone() })
                    }
                }
            }
            Question::Validation { .. } => match given.to_lowercase().as_str() {
                "y" | "yes" | "o" | "oui" | "true" => Ok(sentences::answer_yes()),
                "n" | "no" | "non" | "false" => Ok(sentences::answer_no()),
                _ => Err(AnswerFault::NotYesOrNo { given: given.to_owned() }),
            },
            Question::Open { .. } if given.is_empty() => Err(AnswerFault::Empty),
            Question::Open { .. } => Ok(given.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn question_needs_text_and_distinct_options() {
        let choice = |question: &str, options: &[&str]| Question::MultipleChoice {
            question: question.into(),
            options: options.iter().map(|option| (*option).to_owned()).collect(),
            allow_other: false,
        };
        let cases = [
            (choice("Which?", &["red", "blue"]), None),
            (choice(" \n", &["red", "blue"]), Some(QuestionFault::NothingAsked)),
            (Question::Validation { message: "\t".into() }, Some(QuestionFault::NothingAsked)),
            (choice("Which?", &["red", " "]), Some(QuestionFault::EmptyOption(2))),
            (choice("Which?", &["red", "blue", "Red "]), Some(QuestionFault::EqualOptions(1, 3))),
        ];
        for (question, expected) in cases {
            assert_eq!(question.find_fault(), expected, "{question:?}");
        }
    }

    #[test]
    fn answer_is_option_number_or_exact_text() {
        let ask = |allow_other| Question::MultipleChoice {
            question: "Which?".into(),
            options: vec!["red".into(), "2".into(), "blue".into()],
            allow_other,
        };
        assert_eq!(ask(false).read_answer(" red "), Ok("red".into()));
        assert_eq!(ask(false).read_answer("3"), Ok("blue".into()));
        assert_eq!(ask(false).read_answer("2"), Ok("2".into()), "an exact option wins over a number");
        assert!(ask(false).read_answer("0").is_err());
        assert!(ask(false).read_answer("green").is_err());
        assert_eq!(ask(true).read_answer("green"), Ok("green".into()));
        assert!(ask(true).read_answer("").is_err());
        let yes_no = Question::Validation { message: "Go?".into() };
        assert_eq!(yes_no.read_answer("Oui"), Ok(sentences::answer_yes()));
        assert!(yes_no.read_answer("maybe").is_err());
        let open = Question::Open { question: "Which folder?".into() };
        assert_eq!(open.read_answer(" Invoices "), Ok("Invoices".into()));
        assert_eq!(open.read_answer("  "), Err(AnswerFault::Empty));
    }
}
