//! Help and errors of the command line in the person's language. English is in the doc comments of `args`; other
//! languages are texts of the catalogue under keys derived from the command line: `help-session-list`,
//! `help-session-list--open`, `help-value--overlap--skip`. Pure.

mod groups;
#[cfg(test)]
mod phrases;
#[cfg(test)]
mod tests;
mod usage_error;

use std::ffi::OsString;

use clap::builder::PossibleValue;
use clap::{Arg, Command, CommandFactory, FromArgMatches};
use entracte_application::texts::{LocalizedTexts, say};

use crate::args::Cli;

pub(crate) use usage_error::fault;

/// The most columns of the help, as in `args`.
const WIDTH_MAX: usize = 100;

/// Parses the command line; help and errors use these texts, and this many columns of a terminal.
pub(crate) fn parse(
    texts: &LocalizedTexts,
    width: Option<usize>,
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<Cli, clap::Error> {
    let usage = if is_in_doc_comments(texts) {
        "{usage-heading}".to_owned()
    } else {
        texts.render("help-usage", &[])
    };
    let width = width.map_or(WIDTH_MAX, |width| width.min(WIDTH_MAX));
    let mut command = groups::with_groups(command(texts), texts, width, &usage);
    let mut matches = command.try_get_matches_from_mut(arguments)?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// The command line with its help in this language.
pub(crate) fn command(texts: &LocalizedTexts) -> Command {
    let mut command = Cli::command();
    if is_in_doc_comments(texts) {
        return command;
    }
    // Only then are the arguments and commands added by clap present.
    command.build();
    translated(command, texts, ROOT)
}

/// The next command after a wrong command line: the help of the command that it names.
pub(crate) fn next(arguments: impl IntoIterator<Item = OsString>) -> String {
    let root = Cli::command();
    let (mut named, mut path) = (&root, vec![root.get_name()]);
    let mut arguments = arguments.into_iter().skip(1);
    while let Some(argument) = arguments.next() {
        let word = argument.to_string_lossy();
        if let Some(option) = word.strip_prefix("--") {
            let mut known = named.get_arguments().chain(root.get_arguments());
            let known = known.find(|known| known.get_long() == Some(option));
            if known.is_some_and(|known| known.get_action().takes_values()) {
                // The value of an option is not a command.
                arguments.next();
            }
            continue;
        }
        let Some(inner) = named.find_subcommand(&*word) else { break };
        path.push(inner.get_name());
        named = inner;
    }
    format!("{} --help", path.join(" "))
}

/// Whether the help is in this language already.
fn is_in_doc_comments(texts: &LocalizedTexts) -> bool {
    !texts.has("help-usage")
}

/// The requested help or version as printed.
pub(crate) fn shown(asked: &clap::Error, texts: &LocalizedTexts) -> String {
    let text = asked.render().to_string();
    if is_in_doc_comments(texts) { text } else { spaced(&text) }
}

/// Adds a space before the colon of headings, as some languages require; clap has none.
fn spaced(help: &str) -> String {
    let line = |line: &str| match line.strip_suffix(':') {
        Some(heading) if !heading.starts_with(' ') && !heading.ends_with('\u{a0}') => {
            format!("{heading}\u{a0}:")
        }
        Some(_) | None => line.to_owned(),
    };
    help.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// The prefix of the keys.
const ROOT: &str = "help";

/// The help command of clap, whose subcommands repeat its siblings.
const HELP: &str = "help";

fn translated(command: Command, texts: &LocalizedTexts, path: &str) -> Command {
    described(command, texts, path)
        .subcommand_help_heading(texts.render("help-commands", &[]))
        .subcommand_value_name(texts.render("help-command-name", &[]))
        .help_template(template(texts))
        .mut_args(|argument| translated_argument(argument, texts, path))
        .mut_subcommands(|inner| {
            let path = path_of(path, inner.get_name());
            translated(inner, texts, &path)
        })
}

/// clap's template with the localized word for “Usage”.
fn template(texts: &LocalizedTexts) -> String {
    let usage = texts.render("help-usage", &[]);
    format!("{{before-help}}{{about-with-newline}}\n{usage} {{usage}}\n\n{{all-args}}{{after-help}}")
}

/// The key path of a subcommand.
fn path_of(path: &str, name: &str) -> String {
    if name == HELP { path.to_owned() } else { format!("{path}-{name}") }
}

/// The key of a command's description.
fn about_key(name: &str, path: &str) -> String {
    match (name, path) {
        (HELP, _) => "help-help".to_owned(),
        (_, ROOT) => "help-entracte".to_owned(),
        _ => path.to_owned(),
    }
}

fn described(mut command: Command, texts: &LocalizedTexts, path: &str) -> Command {
    let key = about_key(command.get_name(), path);
    let Some(about) = text(texts, &key) else { return command };
    if command.get_long_about().is_some()
        && let Some(more) = text(texts, &format!("{key}-long"))
    {
        command = command.long_about(format!("{about}\n\n{more}"));
    }
    if command.get_after_help().is_some()
        && let Some(after) = text(texts, &format!("{path}-after"))
    {
        // The program may be built without the demo.
        let demo = command.find_subcommand("demo").and_then(|_| text(texts, &format!("{path}-after-demo")));
        command = command.after_help(joined([Some(after), demo], "\n"));
    }
    command.about(about)
}

fn translated_argument(argument: Arg, texts: &LocalizedTexts, path: &str) -> Arg {
    let keys = argument_keys(&argument, path);
    let own = |more: &str| keys.iter().find_map(|key| text(texts, &format!("{key}{more}")));
    let has_more = argument.get_long_help().is_some();
    let heading = argument.get_help_heading().map(heading_key);
    let heading = heading.and_then(|key| text(texts, &key));
    let is_help = argument.get_id() == HELP;
    let short = if is_help && has_more { own("-more") } else { own("") };
    let Some(short) = short else { return argument };
    let long = match has_more {
        true if is_help => own("-less"),
        true => own("-long").map(|more| format!("{short}\n\n{more}")),
        false => None,
    };
    let values = shown_values(&argument);
    let (default, listed) = (default_note(&argument, texts), listed_values(&values, texts));
    let described = described_values(&argument, &values, texts);
    let help = joined([Some(short.clone()), default.clone(), listed], " ");
    // A long text also exists if the values are explained.
    let long = match (long, described) {
        (None, None) => None,
        (long, described) => {
            Some(joined([Some(joined([long.or(Some(short)), default], " ")), described], "\n\n"))
        }
    };
    let names = value_names(&argument, texts);
    let mut argument = argument.help(help).hide_default_value(true).hide_possible_values(true);
    if let Some(names) = names {
        argument = argument.value_names(names);
    }
    if let Some(long) = long {
        argument = argument.long_help(long);
    }
    match heading {
        Some(heading) => argument.help_heading(heading),
        None => argument,
    }
}

/// The placeholders of an argument's values: `<FILE>`, `<KEY=VALUE>`. A word without a text is unchanged.
fn value_names(argument: &Arg, texts: &LocalizedTexts) -> Option<Vec<String>> {
    if !argument.get_action().takes_values() {
        return None;
    }
    let word = |word: &str| {
        let key = format!("help-name-{}", word.to_lowercase().replace('_', "-"));
        text(texts, &key).unwrap_or_else(|| word.to_owned())
    };
    let name = |name: &str| {
        let words = name.split_inclusive(['=', ' ']).map(|part| match part.strip_suffix(['=', ' ']) {
            Some(first) => format!("{}{}", word(first), &part[first.len()..]),
            None => word(part),
        });
        words.collect::<String>()
    };
    Some(argument.get_value_names()?.iter().map(|given| name(given.as_str())).collect())
}

/// The keys of an argument: its own, then the shared one.
fn argument_keys(argument: &Arg, path: &str) -> [String; 2] {
    let id = id_of(argument);
    [format!("{path}--{id}"), format!("help-arg--{id}")]
}

fn id_of(argument: &Arg) -> String {
    argument.get_id().as_str().replace('_', "-")
}

fn heading_key(heading: &str) -> String {
    format!("help-heading-{}", heading.to_lowercase().replace(' ', "-"))
}

fn value_key(argument: &Arg, value: &PossibleValue) -> String {
    format!("help-value--{}--{}", id_of(argument), value.get_name())
}

/// The values that an argument's help lists.
fn shown_values(argument: &Arg) -> Vec<PossibleValue> {
    if argument.is_hide_possible_values_set() || !argument.get_action().takes_values() {
        return Vec::new();
    }
    argument.get_possible_values().into_iter().filter(|value| !value.is_hide_set()).collect()
}

fn default_note(argument: &Arg, texts: &LocalizedTexts) -> Option<String> {
    let defaults = argument.get_default_values();
    if argument.is_hide_default_value_set() || !argument.get_action().takes_values() || defaults.is_empty() {
        return None;
    }
    let defaults: Vec<String> = defaults.iter().map(|value| value.to_string_lossy().into_owned()).collect();
    Some(say!(texts, "help-note-default", value = defaults.join(", ")))
}

fn listed_values(values: &[PossibleValue], texts: &LocalizedTexts) -> Option<String> {
    let names: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
    (!names.is_empty()).then(|| say!(texts, "help-note-values", values = names.join(", ")))
}

/// A line for each value, if values are explained.
fn described_values(argument: &Arg, values: &[PossibleValue], texts: &LocalizedTexts) -> Option<String> {
    values.iter().find(|value| value.get_help().is_some())?;
    let line = |value: &PossibleValue| {
        let name = value.get_name();
        text(texts, &value_key(argument, value))
            .map_or_else(|| format!("- {name}"), |says| format!("- {name}\u{a0}: {says}"))
    };
    let lines: Vec<String> = values.iter().map(line).collect();
    Some(format!("{}\n{}", texts.render("help-note-values-long", &[]), lines.join("\n")))
}

fn joined<const N: usize>(parts: [Option<String>; N], between: &str) -> String {
    parts.into_iter().flatten().collect::<Vec<_>>().join(between)
}

fn text(texts: &LocalizedTexts, key: &str) -> Option<String> {
    texts.has(key).then(|| texts.render(key, &[]))
}
