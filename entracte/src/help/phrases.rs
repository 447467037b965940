//! Retired phrases of the help texts.

/// Phrases that were replaced by plainer ones. Whole phrases, because each was really in use.
pub(super) const RETIRED: [&str; 24] = [
    "Look at ",
    "Look after",
    "Look whether",
    "Be an MCP server",
    "steer them",
    "what became of",
    "carries it on",
    "carries the work on",
    "nobody knows",
    "in force",
    "give leave",
    "asks leave",
    "needs leave",
    " mend ",
    "Let it go on",
    "Agree that",
    "is no span",
    "AI outside",
    "of its own instead",
    "whichever way",
    "as often as you like",
    "shape of this version",
    "taken at its word",
    "demande congé",
];
