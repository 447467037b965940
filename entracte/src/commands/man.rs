//! `man`: the manual pages, generated from the command line.

use std::path::Path;

use clap::Command;
use clap_mangen::Man;
use entracte_application::texts::{LocalizedTexts, say};

use crate::error::{CliError, CliExitCode};
use crate::help;
use crate::output::TerminalOutput;

/// Prints the page of the program, or writes those of all commands.
pub(crate) fn run(
    out: &TerminalOutput,
    texts: &LocalizedTexts,
    to: Option<&Path>,
) -> Result<CliExitCode, CliError> {
    let mut command = help::command(texts);
    command.build();
    let Some(folder) = to else {
        out.write_bytes(
            &page(&command, texts).map_err(|error| CliError::new(CliExitCode::Failure, error.to_string()))?,
        )?;
        return Ok(CliExitCode::Done);
    };
    let failed = |path: &Path, error: std::io::Error| {
        CliError::new(CliExitCode::Failure, format!("{}: {error}", path.display()))
    };
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    for (name, command) in pages(&command, "entracte") {
        let path = folder.join(format!("{name}.1"));
        let page = page(&command, texts).and_then(|page| std::fs::write(&path, page));
        page.map_err(|error| failed(&path, error))?;
        out.write_data_line(&path.display().to_string())?;
    }
    Ok(CliExitCode::Done)
}

/// A command and all its subcommands, each with the name of its page.
fn pages(command: &Command, name: &str) -> Vec<(String, Command)> {
    // The command's own page name: `session list` has the page entracte-session-list.
    let own = command.clone().name(name.to_owned()).display_name(name.to_owned());
    let inner = command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help");
    let inner = inner.flat_map(|inner| pages(inner, &format!("{name}-{}", inner.get_name())));
    std::iter::once((name.to_owned(), own)).chain(inner).collect()
}

/// The headings that clap writes, and their localized texts.
fn headings(texts: &LocalizedTexts) -> [(&'static str, String); 7] {
    [
        ("NAME", say!(texts, "man-name")),
        ("SYNOPSIS", say!(texts, "man-synopsis")),
        ("DESCRIPTION", say!(texts, "man-description")),
        ("OPTIONS", say!(texts, "man-options")),
        ("SUBCOMMANDS", say!(texts, "man-subcommands")),
        ("EXTRA", say!(texts, "man-extra")),
        ("VERSION", say!(texts, "man-version")),
    ]
}

fn page(command: &Command, texts: &LocalizedTexts) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    let page = String::from_utf8_lossy(&page).into_owned();
    let headings = headings(texts);
    let translated = page.lines().map(|line| {
        let heading =
            line.strip_prefix(".SH ").and_then(|title| headings.iter().find(|(word, _)| *word == title));
        heading.map_or_else(|| line.to_owned(), |(_, text)| format!(".SH {text}"))
    });
    Ok((translated.collect::<Vec<_>>().join("\n") + "\n").into_bytes())
}

#[cfg(test)]
mod tests {
    use entracte_application::settings::Language;

    use super::*;

    #[test]
    fn every_command_has_a_page_in_both_languages() {
        for (language, name) in [(Language::En, ".SH NAME"), (Language::Fr, ".SH NOM")] {
            let texts = LocalizedTexts::for_language(language);
            let mut command = help::command(texts);
            command.build();
            let pages = pages(&command, "entracte");
            assert!(pages.iter().any(|(name, _)| name == "entracte-session-list"));
            assert!(!pages.iter().any(|(name, _)| name.contains("help") || name.contains("demo-child")));
            for (page_name, command) in &pages {
                let page = String::from_utf8(page(command, texts).unwrap()).unwrap();
                let second = page.lines().skip_while(|line| *line != name).nth(1);
                let begin = page_name.replace('-', "\\-");
                assert!(second.is_some_and(|line| line.starts_with(&begin)), "{page_name}:\n{page}");
            }
        }
    }
}
