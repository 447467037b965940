//! The commands of the program's own help, in groups: those that most people use first. Pure.

use clap::Command;
use entracte_application::texts::LocalizedTexts;

/// The groups in order: the key of the heading, and the commands. Every command that help shows is in one of them.
const GROUPS: [(&str, &[&str]); 7] = [
    (
        "help-group-most-used",
        &[
            "chat",
            "inbox",
            "approve",
            "reject",
            "answer",
            "session",
            "automation",
            "provider",
            "serve",
            "doctor",
        ],
    ),
    ("help-group-start", &["init", "demo", "help"]),
    ("help-group-work", &["settle", "rule", "task", "agent", "command", "cost"]),
    ("help-group-data", &["zone", "tool", "entry", "text", "knowledge"]),
    ("help-group-tools", &["mcp", "secret"]),
    ("help-group-server", &["service", "login", "logout", "token", "notify"]),
    ("help-group-care", &["workspace", "retention", "config", "trust", "db", "logs", "completions", "man"]),
];

/// The program with its commands in groups in place of one list.
pub(super) fn with_groups(
    mut command: Command,
    texts: &LocalizedTexts,
    width: usize,
    usage: &str,
) -> Command {
    // Only then is the help command of clap present.
    command.build();
    let groups = groups_text(&command, texts, width);
    let name = command.get_subcommand_value_name().unwrap_or("COMMAND").to_owned();
    command.mut_subcommands(|inner| inner.hide(true)).help_template(format!(
        "{{before-help}}{{about-with-newline}}\n{usage} {{usage}} <{name}>\n\n{groups}{{all-args}}{{after-help}}"
    ))
}

/// All groups, each with its heading and a line for each command.
fn groups_text(program: &Command, texts: &LocalizedTexts, width: usize) -> String {
    let names = GROUPS.iter().flat_map(|(_, names)| names.iter());
    let column = names.map(|name| name.len()).max().unwrap_or_default() + 4;
    let layout = ColumnLayout { column, width };
    let mut text = String::new();
    for (heading, names) in GROUPS {
        text.push_str(&format!("{}:\n", texts.render(heading, &[])));
        for command in names.iter().filter_map(|name| program.find_subcommand(name)) {
            text.push_str(&command_lines(command, layout));
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

/// Where the descriptions of commands stand.
#[derive(Clone, Copy)]
struct ColumnLayout {
    /// The column where each begins.
    column: usize,
    /// The columns of the screen.
    width: usize,
}

/// A command with its description, which goes on below itself.
fn command_lines(command: &Command, ColumnLayout { column, width }: ColumnLayout) -> String {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let indent = " ".repeat(column);
    let name = format!("  {:<rest$}", command.get_name(), rest = column.saturating_sub(2));
    let options =
        textwrap::Options::new(width.max(column + 20)).initial_indent(&name).subsequent_indent(&indent);
    textwrap::fill(&about, options)
}

#[cfg(feature = "resources")]
#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::*;

    /// Input: the commands of the program that are not hidden; expected: each is in exactly one group, the ten most used
    /// first.
    #[test]
    fn every_command_is_in_one_group() {
        let mut program = crate::args::Cli::command();
        program.build();
        let shown = program.get_subcommands().filter(|command| !command.is_hide_set());
        let shown: BTreeSet<&str> = shown.map(Command::get_name).collect();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        assert_eq!(grouped.iter().copied().collect::<BTreeSet<&str>>(), shown);
        assert_eq!(grouped.len(), shown.len(), "none is in two groups");
        assert_eq!(GROUPS[0].1.len(), 10);
    }
}
