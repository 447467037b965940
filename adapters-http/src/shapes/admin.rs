//! Shapes of the whole process, for its operator.

use entracte_application::ports::{
    DatabaseCheckReport, ExternalToolOffer, HealthCheckResult, OwnershipRecord, ProcessLogLine,
    ProcessSetting,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::iso;
use crate::etag::EntityTag;

/// What was looked at.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DoctorShape {
    /// In the order in which it was looked at.
    pub checks: Vec<CheckShape>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CheckShape {
    /// Its name, and what it is of.
    pub check: String,
    /// `ok`, `warn` or `fail`.
    pub grade: &'static str,
    /// What was found.
    pub says: String,
    /// What to do about it, on the command line.
    pub fix: Option<String>,
}

impl From<HealthCheckResult> for CheckShape {
    fn from(looked: HealthCheckResult) -> Self {
        Self { check: looked.check, grade: looked.grade, says: looked.says, fix: looked.fix }
    }
}

/// The latest lines of the log of the process.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ProcessLogShape {
    /// The lines, the oldest first.
    pub lines: Vec<ProcessLogLineShape>,
    /// The number of the latest line, whether it is among them or not: what to read on `after`.
    pub latest: u64,
    /// Lines are missing before the first one: they were too many, or are kept no longer.
    pub is_cut: bool,
}

/// A line of the log of the process.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ProcessLogLineShape {
    /// Counts the lines of the process, from 1.
    pub number: u64,
    /// When it was written.
    pub at: String,
    /// `error`, `warn`, `info`, `debug` or `trace`.
    pub level: String,
    /// The part of the program that wrote it.
    pub target: String,
    /// What it says.
    pub text: String,
}

impl From<&ProcessLogLine> for ProcessLogLineShape {
    fn from(line: &ProcessLogLine) -> Self {
        Self {
            number: line.number,
            at: iso(line.at),
            level: line.level.clone(),
            target: line.target.clone(),
            text: line.text.clone(),
        }
    }
}

/// Who owns the database.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OwnerShape {
    /// This process does.
    pub here: bool,
    /// Who took it last, who may be dead by now.
    pub holder: Option<HolderShape>,
}

/// A process that took the database.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct HolderShape {
    /// Counts the owners.
    pub epoch: u64,
    /// `serve`, `chat`, `watch` or `command`.
    pub kind: String,
    /// Its machine.
    pub host: Option<String>,
    /// Where it answers.
    pub url: Option<String>,
    /// Its number there.
    pub pid: Option<u32>,
    /// Since when.
    pub since: String,
    /// Who asked it to give way.
    pub wanted_by: Option<String>,
}

impl From<OwnershipRecord> for HolderShape {
    fn from(holder: OwnershipRecord) -> Self {
        Self {
            epoch: holder.epoch,
            kind: holder.kind.kind,
            host: holder.kind.host,
            url: holder.kind.url,
            pid: holder.pid,
            since: iso(holder.since),
            wanted_by: holder.wanted_by,
        }
    }
}

/// The settings of the process. Secrets are not among them, only where they are kept.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ConfigShape {
    /// Each with where it comes from.
    pub settings: Vec<InForceShape>,
    /// The entries of the configuration file that were changed since they were read, such as `mcp.files`: they count with the
    /// next change of an entry or a provider over HTTP, or from the next start.
    pub pending: Vec<String>,
}

/// A setting of the process.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct InForceShape {
    /// Its name.
    pub key: String,
    /// Its value, as it is written in a file.
    pub value: String,
    /// Where it comes from.
    pub origin: String,
}

impl From<ProcessSetting> for InForceShape {
    fn from(setting: ProcessSetting) -> Self {
        Self { key: setting.key, value: setting.value, origin: setting.origin }
    }
}

/// What is wrong with the database; nothing where both lists are empty.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DatabaseCheckShape {
    /// What it says of itself.
    pub faults: Vec<String>,
    /// Sessions whose log does not give what is stored.
    pub sessions: Vec<SessionFaultShape>,
}

/// A session whose log does not give what is stored.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SessionFaultShape {
    /// The id of the session.
    pub session: String,
    /// What is wrong.
    pub says: String,
}

impl From<DatabaseCheckReport> for DatabaseCheckShape {
    fn from(found: DatabaseCheckReport) -> Self {
        let session = |(session, says)| SessionFaultShape { session, says };
        Self { faults: found.faults, sessions: found.sessions.into_iter().map(session).collect() }
    }
}

/// A backup that was made.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BackupShape {
    /// Its file, in the folder of the setting `backup.folder`.
    pub file: String,
}

/// A tool from outside that somebody accepts, or not.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct OfferShape {
    /// The server that offers it.
    pub server: String,
    /// Its name there.
    pub tool: String,
    /// What is offered, or how it differs from what was accepted.
    pub says: String,
    /// Accepted, it needs no approval where it needs one now.
    pub loosens: bool,
    /// It is new or changed, and waits to be accepted.
    pub waits: bool,
    /// What an acceptance is bound to: the digest of what is offered. Its ETag; null where nothing waits.
    #[serde(default)]
    pub digest: Option<String>,
}

impl From<&ExternalToolOffer> for OfferShape {
    fn from(offer: &ExternalToolOffer) -> Self {
        Self {
            server: offer.server.clone(),
            tool: offer.tool.clone(),
            says: offer.says.clone(),
            loosens: offer.loosens,
            waits: offer.offered.is_some(),
            digest: offer.offered.as_ref().map(ToString::to_string),
        }
    }
}

impl OfferShape {
    /// The tag that an acceptance is bound to.
    pub fn tag(&self) -> Option<EntityTag> {
        self.digest.clone().map(EntityTag::new)
    }
}

/// That a tool is accepted.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptShape {
    /// Also where it will need no approval from now on.
    #[serde(default)]
    pub without_approval: bool,
}
