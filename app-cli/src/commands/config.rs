//! `config`: the settings in force.

use serde_json::json;

use crate::args::ConfigCommand;
use crate::config::{Shown, shown, unknown_variables};
use crate::desk::Desk;
use crate::error::{CliError, Exit};
use crate::render::colour::paint;

/// Runs `config …`.
pub(crate) fn run(desk: &Desk, command: &ConfigCommand) -> Result<Exit, CliError> {
    let ConfigCommand::Show { origin } = command;
    let settings = shown(&desk.settings);
    let unknown = unknown_variables(&desk.environment.variables, &desk.settings.key_variables());
    if desk.out.json {
        let names: Vec<&str> = unknown.iter().map(|variable| variable.name.as_str()).collect();
        let object =
            json!({ "schema": "entracte.config/1", "settings": settings, "unknown_variables": names });
        desk.out.object(&object)?;
        return Ok(Exit::Done);
    }
    for variable in &unknown {
        desk.out.say(&format!("nothing reads the variable {variable}"));
    }
    let written = |line: &Shown| format!("{} = {}", line.key, line.value);
    let width = settings.iter().map(|line| written(line).chars().count()).filter(|width| *width < 60).max();
    let width = width.unwrap_or_default();
    for line in &settings {
        let text = written(line);
        if *origin {
            let from = paint(&format!("# {}", line.origin), "2", desk.out.style.colour);
            desk.out.data(&format!("{text:<width$}  {from}"))?;
        } else {
            desk.out.data(&text)?;
        }
    }
    Ok(Exit::Done)
}
