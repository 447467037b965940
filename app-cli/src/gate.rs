//! Which commands a session may ask for, as it is written on the command line.

use entracte_domain::gate::{CommandPattern, Gate};

use crate::error::{CliError, Exit};

/// The word for no command at all.
const NONE: &str = "none";

/// The gate that `--commands` names.
pub(crate) fn gate(patterns: &[String]) -> Result<Gate, CliError> {
    if patterns == [NONE] {
        return Ok(Gate::Only(Vec::new()));
    }
    Gate::parse(patterns.iter().map(|pattern| pattern.trim())).map_err(|fault| {
        let text = format!(
            "--commands has “{}”, which names no command; write names as zones.list, files.* for all of a \
             resource or server, * for every command, none for none",
            fault.given
        );
        CliError::new(Exit::Usage, text).or_next("entracte command list")
    })
}

/// The patterns; none for every command.
pub(crate) fn patterns(gate: &Gate) -> Option<Vec<String>> {
    match gate {
        Gate::Open => None,
        Gate::Only(patterns) => Some(patterns.iter().map(CommandPattern::to_string).collect()),
    }
}

/// The same in words; none for every command.
pub(crate) fn words(gate: &Gate) -> Option<String> {
    let patterns = patterns(gate)?;
    Some(if patterns.is_empty() { NONE.to_owned() } else { patterns.join(", ") })
}
