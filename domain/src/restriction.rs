//! The commands of the catalog that a session may ask for.

use std::fmt;

/// The restriction of a session's catalog. It forbids a command that it does not admit to every author.
///
/// ```
/// use entracte_domain::restriction::Restriction;
///
/// let restriction = Restriction::parse(["zones.list", "files.*"]).unwrap();
/// assert!(restriction.allows_command("zones.list") && restriction.allows_command("files.read_file"));
/// assert!(!restriction.allows_command("zones.create") && !restriction.allows_command("files"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Restriction {
    /// Every command of the catalog.
    #[default]
    Open,
    /// Commands that match one of these patterns; no command if the list is empty.
    Only(Vec<CommandPattern>),
}

/// Matches one command, or all commands of a resource or server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CommandPattern {
    /// The command with this name: `zones.list`.
    Name(String),
    /// Every command whose name begins with this text and a dot: `files` for `files.*`.
    Under(String),
}

/// A text that is not a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternFault {
    /// The text that was given.
    pub given: String,
}

impl Restriction {
    /// The pattern that matches every command.
    pub const EVERY: &'static str = "*";

    /// Creates a restriction to these patterns; `*` among them admits every command.
    ///
    /// # Errors
    /// The first text that is not a pattern: empty, with a space, or with a `*` that is not its end `.*`.
    pub fn parse<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, PatternFault> {
        let mut only: Vec<CommandPattern> = Vec::new();
        let mut every = false;
        for text in patterns {
            every |= text == Self::EVERY;
            let pattern = CommandPattern::from_text(text);
            if text != Self::EVERY && !pattern.is_sound() {
                return Err(PatternFault { given: text.to_owned() });
            }
            if !only.contains(&pattern) {
                only.push(pattern);
            }
        }
        Ok(if every { Self::Open } else { Self::Only(only) })
    }

    /// Whether a session under this restriction may ask for the named command.
    pub fn allows_command(&self, command: &str) -> bool {
        match self {
            Restriction::Open => true,
            Restriction::Only(patterns) => patterns.iter().any(|pattern| pattern.matches_command(command)),
        }
    }

    /// The commands that both restrictions admit.
    ///
    /// ```
    /// use entracte_domain::restriction::Restriction;
    ///
    /// let of = |patterns: &[&str]| Restriction::parse(patterns.iter().copied()).unwrap();
    /// let parent = of(&["files.*", "zones.list"]);
    /// assert_eq!(parent.intersect(&of(&["*"])), parent);
    /// assert_eq!(parent.intersect(&of(&["files.read", "mail.*"])), of(&["files.read"]));
    /// ```
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        let (one, other) = match (self, other) {
            (Restriction::Open, both) | (both, Restriction::Open) => return both.clone(),
            (Restriction::Only(one), Restriction::Only(other)) => (one, other),
        };
        let mut both: Vec<CommandPattern> = Vec::new();
        for pattern in one.iter().flat_map(|one| other.iter().filter_map(|other| one.intersect(other))) {
            if !both.contains(pattern) {
                both.push(pattern.clone());
            }
        }
        Restriction::Only(both)
    }

    /// Whether the other restriction admits everything this one admits. Compared pattern by pattern: a union of several
    /// narrower patterns in the other is not considered.
    pub fn is_within(&self, wider: &Self) -> bool {
        match (self, wider) {
            (_, Restriction::Open) => true,
            (Restriction::Open, Restriction::Only(_)) => false,
            (Restriction::Only(patterns), Restriction::Only(wider)) => patterns
                .iter()
                .all(|pattern| wider.iter().any(|wider| pattern.intersect(wider) == Some(pattern))),
        }
    }
}

impl CommandPattern {
    /// The pattern that any text stands for.
    pub fn from_text(text: &str) -> Self {
        match text.strip_suffix(".*") {
            Some(resource) => CommandPattern::Under(resource.to_owned()),
            None => CommandPattern::Name(text.to_owned()),
        }
    }

    /// Whether the pattern matches the named command.
    pub fn matches_command(&self, command: &str) -> bool {
        match self {
            CommandPattern::Name(name) => name == command,
            CommandPattern::Under(resource) => {
                command.strip_prefix(resource.as_str()).is_some_and(|rest| rest.starts_with('.'))
            }
        }
    }

    /// The narrower pattern if it lies within the other; `None` if they have nothing in common.
    pub fn intersect<'a>(&'a self, other: &'a Self) -> Option<&'a Self> {
        if self.is_under(other) {
            Some(self)
        } else if other.is_under(self) {
            Some(other)
        } else {
            None
        }
    }

    /// Whether the other pattern matches everything this one matches.
    fn is_under(&self, wider: &Self) -> bool {
        match (self, wider) {
            (CommandPattern::Name(name), _) => wider.matches_command(name),
            (CommandPattern::Under(_), CommandPattern::Name(_)) => false,
            (CommandPattern::Under(resource), CommandPattern::Under(around)) => {
                resource == around || wider.matches_command(resource)
            }
        }
    }

    fn is_sound(&self) -> bool {
        let (CommandPattern::Name(text) | CommandPattern::Under(text)) = self;
        !text.is_empty() && !text.contains(|letter: char| letter.is_whitespace() || letter == '*')
    }
}

impl fmt::Display for CommandPattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandPattern::Name(name) => out.write_str(name),
            CommandPattern::Under(resource) => write!(out, "{resource}.*"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CommandPattern, PatternFault, Restriction};

    #[test]
    fn patterns_are_names_or_whole_resources() {
        let rows = [
            ("a.b", "a.b", true),
            ("a.b", "a.bc", false),
            ("a.b", "a", false),
            ("a.*", "a.b", true),
            ("a.*", "a.b.c", true),
            ("a.*", "a", false),
            ("a.*", "ab.c", false),
        ];
        for (pattern, command, expected) in rows {
            let restriction = Restriction::parse([pattern]).unwrap();
            assert_eq!(restriction.allows_command(command), expected, "{pattern} {command}");
            assert_eq!(CommandPattern::from_text(pattern).to_string(), pattern);
        }
    }

    #[test]
    fn every_command_none_and_faults() {
        assert_eq!(Restriction::parse(["a.b", "*"]), Ok(Restriction::Open));
        assert_eq!(Restriction::parse([]), Ok(Restriction::Only(Vec::new())));
        assert!(!Restriction::Only(Vec::new()).allows_command("a.b"));
        for given in ["", "a b", "a*", ".*", "*.*", "a.*.b"] {
            assert_eq!(Restriction::parse([given]), Err(PatternFault { given: given.into() }));
        }
    }
}
