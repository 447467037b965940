//! The command-line form of a session's command restriction.

use entracte_domain::restriction::{CommandPattern, Restriction};

use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

/// The word that allows no command at all.
const NONE: &str = "none";

/// Parses the restriction of `--commands`.
pub(crate) fn restriction(patterns: &[String]) -> Result<Restriction, CliError> {
    if patterns == [NONE] {
        return Ok(Restriction::Only(Vec::new()));
    }
    Restriction::parse(patterns.iter().map(|pattern| pattern.trim())).map_err(|fault| {
        let text = message!("restriction-invalid", given = fault.given);
        CliError::new(CliExitCode::Usage, text).or_next("entracte command list")
    })
}

/// The patterns of `--commands` as the API takes them; an empty list allows no command.
pub(crate) fn api_patterns(patterns: &[String]) -> Result<Vec<String>, CliError> {
    restriction(patterns)?;
    Ok(if patterns == [NONE] { Vec::new() } else { patterns.to_vec() })
}

/// The patterns; `None` allows every command.
fn patterns(restriction: &Restriction) -> Option<Vec<String>> {
    match restriction {
        Restriction::Open => None,
        Restriction::Only(patterns) => Some(patterns.iter().map(CommandPattern::to_string).collect()),
    }
}

/// The restriction as a text; `None` allows every command.
pub(crate) fn words(restriction: &Restriction) -> Option<String> {
    pattern_words(patterns(restriction).as_deref())
}

/// The same, for the patterns of a session.
pub(crate) fn pattern_words(patterns: Option<&[String]>) -> Option<String> {
    let patterns = patterns?;
    Some(if patterns.is_empty() { NONE.to_owned() } else { patterns.join(", ") })
}
