//! Describes the fault of a command line.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use entracte_application::texts::{LocalizedTexts, say};

use super::is_in_doc_comments;

/// The fault, without clap's label and its pointer to the help.
pub(crate) fn fault(error: &clap::Error, texts: &LocalizedTexts) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // clap prints the help of the incomplete command, which names no fault.
        return format!("{}\n\n{}", say!(texts, "command-incomplete"), of_clap(error));
    }
    if is_in_doc_comments(texts) {
        return of_clap(error);
    }
    let Some(mut says) = spoken(error, texts) else { return of_clap(error) };
    let guesses = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue];
    // The most likely suggestion is the last one.
    let guess = guesses.into_iter().find_map(|kind| words(error, kind));
    if let Some(guess) = guess.as_deref().and_then(|all| all.rsplit(", ").next()) {
        says = format!("{says}\u{a0}; {}", say!(texts, "help-error-perhaps", guess = guess));
    }
    match words(error, ContextKind::Usage) {
        Some(usage) => {
            let usage = usage.trim_start_matches("Usage: ").trim_end();
            format!("{says}\n\n{} {usage}", texts.render("help-usage", &[]))
        }
        None => says,
    }
}

/// clap's own text.
fn of_clap(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.trim_start_matches("error: ").trim_end();
    text.replace("\n\nFor more information, try '--help'.", "")
}

fn spoken(error: &clap::Error, texts: &LocalizedTexts) -> Option<String> {
    let argument = words(error, ContextKind::InvalidArg);
    let given = words(error, ContextKind::InvalidValue);
    match error.kind() {
        ErrorKind::UnknownArgument => Some(say!(texts, "help-error-unknown-argument", given = argument?)),
        ErrorKind::InvalidSubcommand => {
            let given = words(error, ContextKind::InvalidSubcommand)?;
            Some(say!(texts, "help-error-unknown-command", given = given))
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => match given.filter(|given| !given.is_empty())
        {
            Some(given) => {
                let says = say!(texts, "help-error-value", given = given, argument = argument?);
                let values = words(error, ContextKind::ValidValue);
                let values =
                    values.map(|values| format!(" {}", say!(texts, "help-note-values", values = values)));
                Some(format!("{says}{}", values.unwrap_or_default()))
            }
            None => Some(say!(texts, "help-error-value-missing", argument = argument?)),
        },
        ErrorKind::MissingRequiredArgument => Some(say!(texts, "help-error-missing", arguments = argument?)),
        ErrorKind::MissingSubcommand => {
            let commands = words(error, ContextKind::ValidSubcommand)?;
            Some(say!(texts, "help-error-missing-command", commands = commands))
        }
        ErrorKind::ArgumentConflict => {
            let argument = argument?;
            Some(match words(error, ContextKind::PriorArg) {
                Some(other) if other != argument => {
                    say!(texts, "help-error-conflict", argument = argument, other = other)
                }
                _ => say!(texts, "help-error-twice", argument = argument),
            })
        }
        _ => None,
    }
}

/// clap's context value of a kind, as text.
fn words(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(all) => Some(all.join(", ")),
        ContextValue::StyledStr(text) => Some(text.to_string()),
        _ => None,
    }
}
