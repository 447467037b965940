//! `config`: shows the effective settings.

use entracte_application::texts::{LocalizedTexts, say};
use serde_json::json;

use super::trust::left_out_object;
use crate::args::ConfigCommand;
use crate::colour::paint;
use crate::command_context::CommandContext;
use crate::config::{EffectiveSetting, ProjectConfig, effective_settings, unknown_variables};
use crate::error::{CliError, CliExitCode};
use crate::render::text::one_line;
use crate::user_text::message;

/// Runs `config …`.
pub(crate) fn run(context: &CommandContext, command: &ConfigCommand) -> Result<CliExitCode, CliError> {
    let ConfigCommand::Show { origin } = command;
    let settings = effective_settings(&context.settings);
    let left_out = context.settings.project.as_ref().map(ProjectConfig::left_out).unwrap_or_default();
    let unknown = unknown_variables(&context.environment.variables, &context.settings.key_variables());
    if context.out.json {
        let names: Vec<&str> = unknown.iter().map(|variable| variable.name.as_str()).collect();
        let object = json!({ "schema": "entracte.config/1", "settings": settings, "unknown_variables": names, "left_out": left_out.iter().map(left_out_object).collect::<Vec<_>>() });
        context.out.write_json_line(&object)?;
        return Ok(CliExitCode::Done);
    }
    for variable in &unknown {
        let texts = context.environment.texts();
        context
            .out
            .write_notice(&message!("config-variable-unused", variable = variable.says()).localize(texts));
    }
    let written = |line: &EffectiveSetting| format!("{} = {}", line.key, line.value);
    let width = settings.iter().map(|line| written(line).chars().count()).filter(|width| *width < 60).max();
    let width = width.unwrap_or_default();
    for line in &settings {
        let text = written(line);
        if *origin {
            let from = format!("# {}", line.origin_in(context.environment.texts()));
            let from = paint(&from, "2", context.out.style.colour);
            context.out.write_data_line(&format!("{text:<width$}  {from}"))?;
        } else {
            context.out.write_data_line(&text)?;
        }
    }
    if *origin {
        let texts = LocalizedTexts::for_language(context.environment.language());
        for one in left_out {
            let setting = format!("{} = {}", one.key, one.value);
            let says = one_line(&format!("# {}", say!(texts, "trust-shown-left-out", setting = setting)));
            context.out.write_data_line(&paint(&says, "2", context.out.style.colour))?;
        }
    }
    Ok(CliExitCode::Done)
}
