//! `trust`: shows the capabilities of a folder's entracte.toml, and records a person's trust in it, once per content.

use std::path::{Path, PathBuf};

use entracte_application::texts::{LocalizedTexts, say};
use serde_json::{Value, json};

use crate::args::{CliCommand, TrustArgs};
use crate::config::{
    LOCAL_FILE, ProjectConfig, ProjectConfigReview, RestrictedKey, TrustFault, TrustList, examine, names,
    project_config_path,
};
use crate::environment::ProcessEnvironment;
use crate::error::{CliError, CliExitCode};
use crate::line_reader::{LineInput, LineReader};
use crate::output::TerminalOutput;
use crate::render::listing::{heads_of, write_table};
use crate::render::text::{cut, one_line};
use crate::user_text::{UserText, message};

/// The most settings named in the summary.
const NAMES_MAX: usize = 8;

/// The most characters of a name in the summary.
const NAME_WIDTH: usize = 60;

/// Runs `trust`. It needs no settings, so that an invalid file can be handled too.
pub(crate) async fn run(
    out: &TerminalOutput,
    environment: &ProcessEnvironment,
    args: &TrustArgs,
) -> Result<CliExitCode, CliError> {
    let texts = LocalizedTexts::for_language(environment.language());
    if args.list {
        return list(out, environment, texts);
    }
    let path = file_of(args.dir.as_deref());
    if args.revoke {
        return revoke(out, environment, texts, &path);
    }
    let wrong = |fault: crate::config::ConfigFault| {
        CliError::new(CliExitCode::Usage, fault).or_next("entracte trust --help")
    };
    let Some(ProjectConfigReview { project, .. }) = examine(&path, environment).map_err(wrong)? else {
        let text = say!(texts, "trust-no-file", file = path.display().to_string());
        return Err(CliError::with_next(CliExitCode::NotFound, text, "entracte trust DIR"));
    };
    decide(out, environment, texts, &project, args).await
}

/// The file of a folder, or the named file itself.
fn file_of(dir: Option<&Path>) -> PathBuf {
    match dir {
        None => PathBuf::from(LOCAL_FILE),
        Some(dir) if dir.file_name().is_some_and(|name| name == LOCAL_FILE) && !dir.is_dir() => {
            dir.to_owned()
        }
        Some(dir) => dir.join(LOCAL_FILE),
    }
}

/// Shows the capabilities, and asks for a decision. The shown content is the trusted one: the file is not read again.
async fn decide(
    out: &TerminalOutput,
    environment: &ProcessEnvironment,
    texts: &LocalizedTexts,
    project: &ProjectConfig,
    args: &TrustArgs,
) -> Result<CliExitCode, CliError> {
    let file = project.place.display().to_string();
    if project.needs.is_empty() || (project.trusted && !out.json) {
        if out.json {
            return object(out, project, project.trusted).map(|()| CliExitCode::Done);
        }
        show(out, texts, project)?;
        let key = if project.needs.is_empty() { "trust-harmless" } else { "trust-already" };
        out.write_notice(&one_line(&say!(texts, key, file = &file)));
        return Ok(CliExitCode::Done);
    }
    if let Some(why) = &project.fault {
        return Err(unusable(why.clone()));
    }
    if !out.json {
        show(out, texts, project)?;
    }
    let yes = args.yes || project.trusted || confirm_trust(out, environment, texts, &file).await?;
    if yes && !project.trusted {
        let list = TrustList::for_environment(environment);
        list.add(&project.place, &project.digest).map_err(|fault| unusable(fault.words(texts)))?;
    }
    if out.json {
        object(out, project, yes)?;
    } else {
        let key = if yes { "trust-done" } else { "trust-declined" };
        out.write_notice(&one_line(&say!(texts, key, file = &file)));
    }
    Ok(if yes { CliExitCode::Done } else { CliExitCode::Waiting })
}

/// Whether the person at the terminal confirms. JSON mode only shows, and never asks.
async fn confirm_trust(
    out: &TerminalOutput,
    environment: &ProcessEnvironment,
    texts: &LocalizedTexts,
    file: &str,
) -> Result<bool, CliError> {
    if out.json {
        return Ok(false);
    }
    if !environment.stdin_terminal {
        let text = say!(texts, "trust-no-terminal", file = one_line(file));
        return Err(CliError::with_next(CliExitCode::Usage, text, "entracte trust --yes"));
    }
    match LineReader::new(true).read_message_line(&say!(texts, "trust-ask")).await? {
        LineInput::Line(text) => Ok(matches!(text.trim().to_lowercase().as_str(), "y" | "yes" | "o" | "oui")),
        LineInput::Interrupted | LineInput::End => Ok(false),
    }
}

fn show(out: &TerminalOutput, texts: &LocalizedTexts, project: &ProjectConfig) -> Result<(), CliError> {
    if project.needs.is_empty() {
        return Ok(());
    }
    let key = if project.trusted { "trust-head-trusted" } else { "trust-head" };
    out.write_data_line(&one_line(&say!(texts, key, file = project.place.display().to_string())))?;
    let words = |gets: &RestrictedKey| texts.render(&format!("trust-gets-{}", gets.gets.word()), &[]);
    let width = project.needs.iter().map(|gets| words(gets).chars().count()).max().unwrap_or_default();
    for gets in &project.needs {
        let line = one_line(&format!("{} = {}", gets.key, gets.value));
        out.write_data_line(&format!("  {:<width$}  {line}", words(gets)))?;
    }
    out.write_data_line(&say!(texts, "trust-beyond"))
}

fn object(out: &TerminalOutput, project: &ProjectConfig, trusted: bool) -> Result<(), CliError> {
    let gets: Vec<Value> = project.needs.iter().map(left_out_object).collect();
    out.write_json_line(&json!({
        "schema": "entracte.trust/1",
        "file": project.place.display().to_string(),
        "sha256": project.digest.as_str(),
        "trusted": trusted || project.needs.is_empty(),
        "gets": gets,
    }))
}

/// A key that needs trust, as JSON.
pub(super) fn left_out_object(one: &RestrictedKey) -> Value {
    json!({ "key": one.key, "gets": one.gets.word(), "value": one.value })
}

fn revoke(
    out: &TerminalOutput,
    environment: &ProcessEnvironment,
    texts: &LocalizedTexts,
    path: &Path,
) -> Result<CliExitCode, CliError> {
    let list = TrustList::for_environment(environment);
    let unusable = |fault: TrustFault| unusable(fault.words(texts));
    let place = project_config_path(path).map_err(|error| unusable(list.io(&error)))?;
    let was = list.remove(&place).map_err(unusable)?;
    let file = place.display().to_string();
    if out.json {
        out.write_json_line(
            &json!({ "schema": "entracte.trust_revoked/1", "file": file, "was_trusted": was }),
        )?;
    } else {
        let key = if was { "trust-revoked" } else { "trust-was-not" };
        out.write_notice(&one_line(&say!(texts, key, file = &file)));
    }
    Ok(if was { CliExitCode::Done } else { CliExitCode::NotFound })
}

fn list(
    out: &TerminalOutput,
    environment: &ProcessEnvironment,
    texts: &LocalizedTexts,
) -> Result<CliExitCode, CliError> {
    let trusted =
        TrustList::for_environment(environment).read().map_err(|fault| unusable(fault.words(texts)))?;
    let contents =
        trusted.files.iter().flat_map(|(file, contents)| contents.iter().map(move |content| (file, content)));
    if out.json {
        let object = |(file, content): (&String, &crate::config::TrustedContent)| json!({ "file": file, "sha256": content.sha256, "trusted_at": content.trusted_at });
        let files: Vec<Value> = contents.map(object).collect();
        out.write_json_line(&json!({ "schema": "entracte.trusted/1", "files": files }))?;
        return Ok(CliExitCode::Done);
    }
    let row = |(file, content): (&String, &crate::config::TrustedContent)| {
        vec![cut(&content.sha256, 13), content.trusted_at.clone(), file.clone()]
    };
    let rows: Vec<Vec<String>> = contents.map(row).collect();
    if rows.is_empty() {
        out.write_notice(&say!(texts, "trust-list-empty"));
    }
    write_table(out, &heads_of(texts, "trust-list", &["content", "since", "file"]), &rows)?;
    Ok(CliExitCode::Done)
}

fn unusable(why: String) -> CliError {
    CliError::new(CliExitCode::Failure, why).or_next("entracte trust --list")
}

/// Reports in one line the left-out settings of the folder's file, with every command; also with `--quiet`, because
/// it concerns safety.
pub(crate) fn warn_restricted_keys(
    out: &TerminalOutput,
    environment: &ProcessEnvironment,
    project: Option<&ProjectConfig>,
    command: &CliCommand,
) {
    let silent = match command {
        CliCommand::Trust(_) | CliCommand::Completions { .. } => true,
        #[cfg(feature = "resources")]
        CliCommand::Demo { .. } | CliCommand::DemoChild { .. } => true,
        _ => false,
    };
    if let Some(says) = left_out_text(environment, project).filter(|_| !silent) {
        out.write_warning(&says);
    }
}

/// What is said about the left-out settings of the folder's file; `None` if all are in force.
pub(crate) fn left_out_text(
    environment: &ProcessEnvironment,
    project: Option<&ProjectConfig>,
) -> Option<String> {
    let left_out = project.map(ProjectConfig::left_out).filter(|left_out| !left_out.is_empty())?;
    let texts = LocalizedTexts::for_language(environment.language());
    let keys = named(left_out).localize(texts);
    let says = match project.and_then(|project| project.fault.as_ref()) {
        None => say!(texts, "trust-left-out", keys = keys),
        Some(why) => say!(texts, "trust-left-out-unlisted", keys = keys, why = why),
    };
    Some(one_line(&says))
}

/// The left-out settings, shortened.
pub(super) fn named(left_out: &[RestrictedKey]) -> UserText {
    let names = names(left_out);
    let shown: Vec<String> =
        names.iter().take(NAMES_MAX).map(|name| cut(&one_line(name), NAME_WIDTH)).collect();
    let keys = shown.join(", ");
    match names.len().saturating_sub(NAMES_MAX) {
        0 => UserText::Plain(keys),
        more => message!("trust-keys-more", keys = keys, more = more),
    }
}
