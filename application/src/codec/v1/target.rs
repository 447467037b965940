//! A notification target.

use entracte_domain::time::Millis;
use serde::{Deserialize, Serialize};

use super::is_default;
use super::shape::{ShapeV1, shape};
use crate::codec::format_version::FormatVersion1;
use crate::notify::{self, NotificationKind, QuietHours, TargetPreferences, is_of_command_line};
use crate::ports::{self, SecretProgramSpec, SecretReference, TargetRow};
use crate::texts::Language;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TargetV1 {
    v: FormatVersion1,
    person: String,
    way: WayV1,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    kinds: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    quiet: Option<(u16, u16)>,
    #[serde(default, skip_serializing_if = "is_default")]
    gather_ms: i64,
    #[serde(default, skip_serializing_if = "is_default")]
    private: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    full: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    links: bool,
    /// Absent for a target of earlier versions, and for one in the language of its workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    /// Omitted by v0.1 to v0.3; the channel may then imply it.
    #[serde(default, skip_serializing_if = "is_default")]
    operator: bool,
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum WayV1 = ports::DeliveryChannel {
        Webhook { url: String, secret: PlaceV1 },
        Ntfy {
            url: String,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            token: Option<PlaceV1>,
        },
        Command {
            program: String,
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            arguments: Vec<String>,
        },
        Push { endpoint: String, key: String, auth: String },
    }
}

shape! {
    /// The reference to a secret, never the secret.
    #[serde(rename_all = "snake_case")]
    enum PlaceV1 = SecretReference {
        #[serde(rename = "env")]
        Environment(name: String),
        File(path: String),
        Command(program: ProgramV1),
    }
}

/// A program that prints a secret: its line only, as before it could have a folder, or both.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum ProgramV1 {
    Line(Vec<String>),
    Within { line: Vec<String>, folder: String },
}

impl ShapeV1<SecretProgramSpec> for ProgramV1 {
    fn of(program: &SecretProgramSpec) -> Self {
        let line = program.line.clone();
        match program.folder.clone() {
            None => Self::Line(line),
            Some(folder) => Self::Within { line, folder },
        }
    }

    fn domain(self) -> SecretProgramSpec {
        match self {
            Self::Line(line) => SecretProgramSpec { line, folder: None },
            Self::Within { line, folder } => SecretProgramSpec { line, folder: Some(folder) },
        }
    }
}

impl From<&notify::NotificationTarget> for TargetV1 {
    fn from(target: &notify::NotificationTarget) -> Self {
        let notify::NotificationTarget { id: _, workspace: _, name: _, person, way, wants, is_operators } =
            target;
        let TargetPreferences { kinds, quiet, gather, is_private, is_full, has_links, language } = wants;
        Self {
            v: FormatVersion1,
            person: person.clone(),
            way: way.into(),
            kinds: kinds.iter().map(|kind| kind.word().to_owned()).collect(),
            quiet: quiet.map(|quiet| (quiet.from, quiet.until)),
            gather_ms: gather.0,
            private: *is_private,
            full: *is_full,
            links: *has_links,
            language: language.map(|language| language.word().to_owned()),
            operator: *is_operators,
        }
    }
}

impl TargetV1 {
    /// Combines the body with the values of the row's columns. An unknown kind of a later version is an error: without
    /// it, the target would be notified of every kind.
    pub(crate) fn into_target(self, row: &TargetRow) -> Result<notify::NotificationTarget, String> {
        let kind =
            |word: &String| NotificationKind::from_word(word).ok_or_else(|| format!("{word} is no kind"));
        let kinds = self.kinds.iter().map(kind).collect::<Result<_, _>>()?;
        let way: ports::DeliveryChannel = self.way.into();
        Ok(notify::NotificationTarget {
            id: row.id.clone(),
            workspace: row.workspace.clone(),
            name: row.name.clone(),
            person: self.person,
            is_operators: self.operator || is_of_command_line(&way),
            way,
            wants: TargetPreferences {
                kinds,
                quiet: self.quiet.map(|(from, until)| QuietHours { from, until }),
                gather: Millis(self.gather_ms),
                is_private: self.private,
                is_full: self.full,
                has_links: self.links,
                // A language of a later version counts as none.
                language: self.language.as_deref().and_then(Language::from_word),
            },
        })
    }
}
