//! Shell completion of stored ids, beyond the words of the command line. Pure: finds the kind of id at the cursor and
//! the matching candidates, and builds the script that requests them.

mod script;

pub(crate) use script::script;

use std::ffi::{OsStr, OsString};

use clap::{Arg, Command};

/// The kind of id at the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompletionIdKind {
    /// A session's id.
    Session,
    /// An open approval's id.
    Approval,
    /// A call with unknown outcome.
    Unsettled,
    /// An automation's id.
    Automation,
    /// A rule's id.
    Rule,
    /// An unfinished long task.
    Task,
    /// A zone's id.
    #[cfg(feature = "resources")]
    Zone,
    /// A tool's id.
    #[cfg(feature = "resources")]
    Tool,
}

/// The kind of id at the cursor, and its typed prefix; `None` if no id is expected there. `words` are those of the
/// command line after the program's name; the cursor is in the last one.
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

/// The positional argument at an index; the last one may take many values.
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
        #[cfg(feature = "resources")]
        (["zone" | "tool", ..], "zone") => Some(CompletionIdKind::Zone),
        #[cfg(feature = "resources")]
        (["tool" | "entry", ..], "tool") => Some(CompletionIdKind::Tool),
        (_, "session") => Some(CompletionIdKind::Session),
        _ => None,
    }
}

/// A line for the shell. An id that is not a plain word is not one of Entracte's, and is left out. The name follows a
/// tab, without characters that a shell interprets.
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

/// The most characters of a name beside an id.
const NAME_MAX_CHARS: usize = 60;

/// The program's own arguments, plus the options of the completed command line that locate its data.
pub(crate) fn with_places(arguments: Vec<OsString>) -> Vec<OsString> {
    let is_ours = arguments.get(1).is_some_and(|name| name == "complete");
    let Some(begin) = arguments.iter().position(|word| word == "--").filter(|_| is_ours) else {
        return arguments;
    };
    let places = ["--data", "--workspace", "--config"].map(OsStr::new);
    // The last word is still being typed.
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

#[cfg(feature = "resources")]
#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    /// Input: a line with the cursor at its end; expected: the kind of ids to complete.
    #[test]
    fn cursor_position_determines_id_kind() {
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

    /// Input: ids and names, also with characters that a shell would interpret; expected: lines of plain words.
    #[test]
    fn candidates_are_plain_words() {
        assert_eq!(line("ses_a1", "Weights: $(rm -rf ~); `x`\n\\", true).unwrap(), "ses_a1\tWeights rm rf x");
        assert_eq!(line("ses_a1", "Poids d’été", true).unwrap(), "ses_a1\tPoids d’été");
        assert_eq!(line("ses_a1", "\u{1b}]0;x\u{7}", true).unwrap(), "ses_a1\t0 x");
        assert_eq!(line("ses_a1", "Name", false).unwrap(), "ses_a1");
        for wrong in ["", "ses_$(x)", "ses a", "ses_a\nb", "é"] {
            assert_eq!(line(wrong, "x", true), None, "{wrong:?}");
        }
    }

    /// Input: a command line that locates its data; expected: the ids come from there.
    #[test]
    fn ids_come_from_named_data_location() {
        let own = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert_eq!(
            with_places(own("entracte complete -- --data there session show ")),
            own("entracte --data there complete -- --data there session show ")
        );
        assert_eq!(with_places(own("entracte complete -- --data th")), own("entracte complete -- --data th"));
        assert_eq!(with_places(own("entracte chat --message --")), own("entracte chat --message --"));
    }
}
