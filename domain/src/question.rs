//! A structured question of the model to the user, and its answer.

use crate::localizable_text::{LocalizableText, sentences};

/// What the model may ask.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// One of several options.
    MultipleChoice {
        /// The question.
        question: String,
        /// Two options or more.
        options: Vec<String>,
        /// The user may answer something else.
        allow_other: bool,
    },
    /// Yes or no.
    Validation {
        /// What to say yes to.
        message: String,
    },
    /// Anything that is not empty.
    Open {
        /// The question.
        question: String,
    },
}

/// What is wrong with a question.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum QuestionFault {
    /// Nothing is asked.
    NothingAsked,
    /// An option says nothing; which one, from 1.
    EmptyOption(usize),
    /// Two options say the same, letter case aside; which ones, from 1.
    EqualOptions(usize, usize),
}

/// What is wrong with an answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AnswerFault {
    /// The answer is not one of the options.
    NotAnOption {
        /// The answer given.
        given: String,
        /// The options there are.
        options: Vec<String>,
    },
    /// Neither yes nor no.
    NotYesOrNo {
        /// The answer given.
        given: String,
    },
    /// Nothing was said.
    Empty,
}

impl Question {
    /// The text that is asked.
    pub fn text(&self) -> &str {
        match self {
            Question::MultipleChoice { question, .. } => question,
            Question::Validation { message } => message,
            Question::Open { question } => question,
        }
    }

    /// What is wrong with it: a person could not tell what is asked, or what an answer means.
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

    /// Reads an answer: the number of an option (from 1), its exact text, another text where that is allowed;
    /// yes or no for a validation. Gives the text that the model will read.
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
    fn a_question_and_its_options_say_something_and_options_differ() {
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
    fn an_answer_is_a_number_or_the_exact_option() {
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
