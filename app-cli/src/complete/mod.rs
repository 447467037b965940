//! What a shell completes beyond words of the command line: ids of what is stored. Pure: which kind of id stands at the
//! cursor, which candidates begin like it, and the script that asks.

mod script;

pub(crate) use script::script;

use std::ffi::{OsStr, OsString};

use clap::{Arg, Command};

/// What an id at the cursor is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompletionIdKind {
    /// A session.
    Session,
    /// An open approval.
    Approval,
    /// A call whose outcome nobody knows.
    Unsettled,
    /// An automation.
    Automation,
    /// A rule.
    Rule,
    /// A long task that has not ended.
    Task,
    /// A zone.
    Zone,
    /// A tool.
    Tool,
}

/// The kind of id that stands at the cursor, and how it begins; none where something else stands there. `words` are those of
/// the command line after the program's name; the cursor is in the last one.
pub(crate) fn completion_kind<'w>(
    command: &Command,
    words: &'w [String],
) -> Option<(CompletionIdKind, &'w str)> {
    let (last, before) = words.split_last()?;
    let (mut command, mut path) = (command, Vec::new());
    let (mut place, mut option) = (0, None);
    for word in before {
        if option.take().is_some() {
            continue;
        }
        if let Some(flag) = word.strip_prefix("--") {
            option = long(command, flag).filter(|arg| arg.get_action().takes_values());
        } else if word.starts_with('-') {
            continue;
        } else if let Some(inner) = command.find_subcommand(word).filter(|_| place == 0) {
            path.push(inner.get_name());
            command = inner;
        } else {
            place += 1;
        }
    }
    let argument = match option {
        Some(argument) => argument,
        None if last.starts_with('-') => return None,
        None => positional_at(command, place)?,
    };
    Some((kind_of(&path, argument.get_id().as_str())?, last))
}

fn long<'c>(command: &'c Command, flag: &str) -> Option<&'c Arg> {
    command.get_arguments().find(|argument| argument.get_long() == Some(flag))
}

/// The argument at a place; the last one may take many.
fn positional_at(command: &Command, place: usize) -> Option<&Arg> {
    let positionals: Vec<&Arg> = command.get_positionals().collect();
    let many = |arg: &&&Arg| arg.get_num_args().is_some_and(|range| range.max_values() > 1);
    positionals.get(place).or_else(|| positionals.last().filter(many)).copied()
}

fn kind_of(path: &[&str], argument: &str) -> Option<CompletionIdKind> {
    match (path, argument) {
        (["approve" | "reject"], "ids") => Some(CompletionIdKind::Approval),
        (["settle"], "call") => Some(CompletionIdKind::Unsettled),
        (["inbox", "seen"], "items") => Some(CompletionIdKind::Session),
        (["automation", ..] | ["workspace", "instructions", _], "automation") => {
            Some(CompletionIdKind::Automation)
        }
        (["rule", ..], "rule") => Some(CompletionIdKind::Rule),
        (["task", ..], "task") => Some(CompletionIdKind::Task),
        (["zone" | "tool", ..], "zone") => Some(CompletionIdKind::Zone),
        (["tool" | "entry", ..], "tool") => Some(CompletionIdKind::Tool),
        (_, "session") => Some(CompletionIdKind::Session),
        _ => None,
    }
}

/// A line for the shell. An id that is no plain word is none of ours: it is left out. Behind a tab stands what it is called, in
/// characters that no shell acts on.
pub(crate) fn line(id: &str, name: &str, is_described: bool) -> Option<String> {
    let is_plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if id.is_empty() || !is_plain(id) {
        return None;
    }
    let shown =
        |c: char| if c.is_alphanumeric() || matches!(c, ' ' | '.' | ',' | '…' | '’') { c } else { ' ' };
    let name: String = name.chars().map(shown).take(NAME_MAX_CHARS).collect();
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(if is_described && !name.is_empty() { format!("{id}\t{name}") } else { id.to_owned() })
}

/// The longest name beside an id.
const NAME_MAX_CHARS: usize = 60;

/// The program's own arguments, with the options of the completed command line that say where its data is.
pub(crate) fn with_places(arguments: Vec<OsString>) -> Vec<OsString> {
    let is_ours = arguments.get(1).is_some_and(|name| name == "complete");
    let Some(begin) = arguments.iter().position(|word| word == "--").filter(|_| is_ours) else {
        return arguments;
    };
    let places = ["--data", "--workspace", "--config"].map(OsStr::new);
    // The last word is being written.
    let words = arguments.get(begin + 1..arguments.len().saturating_sub(1)).unwrap_or_default();
    let mut found: Vec<OsString> = Vec::new();
    for pair in words.windows(2) {
        if places.contains(&pair[0].as_os_str()) {
            found.extend(pair.iter().cloned());
        }
    }
    let mut all = arguments;
    all.splice(1..1, found);
    all
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    /// Input: a line with the cursor at its end; expected: which ids stand there.
    #[test]
    fn the_place_of_the_cursor_says_which_ids_fit() {
        let command = crate::args::Cli::command();
        let cases = [
            ("session show ses_a", Some((CompletionIdKind::Session, "ses_a"))),
            ("session show ", Some((CompletionIdKind::Session, ""))),
            ("--quiet session --json journal --after 3 ses", Some((CompletionIdKind::Session, "ses"))),
            ("--data somewhere session stop ", Some((CompletionIdKind::Session, ""))),
            ("chat --session ", Some((CompletionIdKind::Session, ""))),
            ("approve apr_a_1_0 apr", Some((CompletionIdKind::Approval, "apr"))),
            ("approve --session ", Some((CompletionIdKind::Session, ""))),
            ("reject ", Some((CompletionIdKind::Approval, ""))),
            ("settle ", Some((CompletionIdKind::Unsettled, ""))),
            ("inbox seen ses_a ", Some((CompletionIdKind::Session, ""))),
            ("automation run ", Some((CompletionIdKind::Automation, ""))),
            ("rule revoke rul_", Some((CompletionIdKind::Rule, "rul_"))),
            ("rule add X --session ", Some((CompletionIdKind::Session, ""))),
            ("task cancel tsk_", Some((CompletionIdKind::Task, "tsk_"))),
            ("zone edit ", Some((CompletionIdKind::Zone, ""))),
            ("tool list --zone ", Some((CompletionIdKind::Zone, ""))),
            ("entry list ", Some((CompletionIdKind::Tool, ""))),
            ("automation create A --zone ", None),
            ("session show ses_a ", None),
            ("session ", None),
            ("session show --", None),
            ("settle cal_a_1_0 ", None),
            ("", None),
        ];
        for (line, expected) in cases {
            assert_eq!(completion_kind(&command, &words(line)), expected, "{line:?}");
        }
    }

    /// Input: ids and names, also such as would do harm in a shell; expected: lines that are words only.
    #[test]
    fn no_candidate_is_more_than_words() {
        assert_eq!(line("ses_a1", "Weights: $(rm -rf ~); `x`\n\\", true).unwrap(), "ses_a1\tWeights rm rf x");
        assert_eq!(line("ses_a1", "Poids d’été", true).unwrap(), "ses_a1\tPoids d’été");
        assert_eq!(line("ses_a1", "\u{1b}]0;x\u{7}", true).unwrap(), "ses_a1\t0 x");
        assert_eq!(line("ses_a1", "Name", false).unwrap(), "ses_a1");
        for wrong in ["", "ses_$(x)", "ses a", "ses_a\nb", "é"] {
            assert_eq!(line(wrong, "x", true), None, "{wrong:?}");
        }
    }

    /// Input: a command line that names its data; expected: they are looked for there.
    #[test]
    fn ids_are_those_of_the_named_place() {
        let own = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert_eq!(
            with_places(own("entracte complete -- --data there session show ")),
            own("entracte --data there complete -- --data there session show ")
        );
        assert_eq!(with_places(own("entracte complete -- --data th")), own("entracte complete -- --data th"));
        assert_eq!(with_places(own("entracte chat --message --")), own("entracte chat --message --"));
    }
}
