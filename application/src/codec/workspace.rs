//! The body of a workspace's row.

use std::collections::BTreeMap;

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::spending::{RaisedSpendingLine, SpendingAmount, SpendingScope};
use entracte_domain::time::Timestamp;
use entracte_domain::validation::StandingApprovalRule;
use serde::{Deserialize, Serialize};

use super::format_version::{self, FormatVersion1};
use super::{CodecError, v1};
use crate::ports::{StoreError, WorkspaceStore};
use crate::retention::RetentionHold;
use crate::settings::WorkspaceSettings;

/// The settings, and the state that placement and the command pipeline keep per workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkspaceBody {
    /// The settings as set in the workspace.
    pub settings: WorkspaceSettings,
    /// When an action was last committed: cached query results from before are invalid.
    pub last_action_at: Option<Timestamp>,
    /// The standing approval rules.
    pub rules: Vec<StandingApprovalRule>,
    /// What people hold against the retention policy, each scope once.
    pub holds: Vec<RetentionHold>,
    /// How many calls of a command people approved in a row without a change, by the name of the command.
    pub approved: BTreeMap<String, u32>,
    /// The soft lines of caps that people raised, each scope and subject once.
    pub raised_lines: Vec<RaisedSpendingLine>,
}

/// The most commands whose approvals are counted, because the counts are stored in the workspace's row.
const COUNTED_COMMANDS_MAX: usize = 200;

#[derive(Serialize, Deserialize)]
struct StoredWorkspaceBody {
    v: FormatVersion1,
    #[serde(default)]
    settings: WorkspaceSettings,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    acted: Option<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rules: Vec<v1::AlwaysRuleV1>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    holds: Vec<v1::RetentionHoldV1>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    approved: BTreeMap<String, u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    raised: Vec<v1::RaisedSpendingLineV1>,
}

impl WorkspaceBody {
    /// Encodes the body.
    ///
    /// # Errors
    /// [`CodecError::Unstorable`]; no body is known to cause it.
    pub fn encode(&self) -> Result<Vec<u8>, CodecError> {
        let acted = self.last_action_at.map(|at| at.0);
        let rules = self.rules.iter().map(Into::into).collect();
        let holds = self.holds.iter().map(Into::into).collect();
        let raised = self.raised_lines.iter().map(Into::into).collect();
        format_version::write(
            "workspace",
            &StoredWorkspaceBody {
                v: FormatVersion1,
                settings: self.settings.clone(),
                acted,
                rules,
                holds,
                approved: self.approved.clone(),
                raised,
            },
        )
    }

    /// Decodes a body.
    ///
    /// # Errors
    /// When a newer Entracte wrote it, or it is damaged.
    pub fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        let stored: StoredWorkspaceBody = format_version::read_shape("workspace", bytes)?;
        Ok(Self {
            settings: stored.settings,
            last_action_at: stored.acted.map(Timestamp),
            rules: stored.rules.into_iter().map(Into::into).collect(),
            holds: stored.holds.into_iter().map(Into::into).collect(),
            approved: stored.approved,
            raised_lines: stored.raised.into_iter().map(Into::into).collect(),
        })
    }

    /// Counts a person's decision on a call of this command. An approval without a change continues the row of them; any
    /// other decision ends it.
    pub fn count_decision(&mut self, command: &str, is_unchanged_approval: bool) {
        if !is_unchanged_approval {
            self.approved.remove(command);
            return;
        }
        let count = self.approved.entry(command.to_owned()).or_default();
        *count = count.saturating_add(1);
        if self.approved.len() > COUNTED_COMMANDS_MAX {
            let others = self.approved.iter().filter(|(name, _)| name.as_str() != command);
            let least = others.min_by_key(|(_, count)| **count).map(|(name, _)| name.clone());
            if let Some(name) = least {
                self.approved.remove(&name);
            }
        }
    }

    /// The soft line of a cap that a person raised; zero if nobody did since the begin of its day or month.
    pub fn raised_line(&self, scope: SpendingScope, subject: &str, since: Timestamp) -> SpendingAmount {
        let raised =
            self.raised_lines.iter().find(|raised| raised.scope == scope && raised.subject == subject);
        raised.filter(|raised| raised.since == since).map_or(SpendingAmount::ZERO, |raised| raised.line)
    }

    /// Raises the soft line of a cap; a line that is higher already stays. Lines of the same scope from an earlier day or
    /// month are removed.
    pub fn raise_line(&mut self, raised: RaisedSpendingLine) {
        let RaisedSpendingLine { scope, subject, since, line } = raised;
        let before = self.raised_line(scope, &subject, since);
        let line =
            SpendingAmount { tokens: before.tokens.max(line.tokens), cost: before.cost.max(line.cost) };
        self.raised_lines
            .retain(|known| known.scope != scope || (known.since == since && known.subject != subject));
        self.raised_lines.push(RaisedSpendingLine { scope, subject, since, line });
    }

    /// Removes the soft lines of a session that is deleted; returns whether there were any.
    pub fn remove_raised_lines(&mut self, session: &SessionId) -> bool {
        let before = self.raised_lines.len();
        self.raised_lines.retain(|raised| match raised.scope {
            SpendingScope::Session | SpendingScope::Tree => raised.subject != session.as_str(),
            SpendingScope::AutomationDay
            | SpendingScope::PersonDay
            | SpendingScope::WorkspaceDay
            | SpendingScope::WorkspaceMonth => true,
        });
        self.raised_lines.len() != before
    }

    /// Loads the body of a workspace; a default body if it was never committed to.
    ///
    /// # Errors
    /// When its row cannot be read.
    pub async fn load(store: &dyn WorkspaceStore, key: &WorkspaceKey) -> Result<Self, StoreError> {
        Ok(Self::find(store, key).await?.unwrap_or_default())
    }

    /// Loads the body of a workspace; `None` if it was never committed to.
    ///
    /// # Errors
    /// When its row cannot be read.
    pub async fn find(store: &dyn WorkspaceStore, key: &WorkspaceKey) -> Result<Option<Self>, StoreError> {
        let Some(row) = store.workspace(key).await? else { return Ok(None) };
        let body = Self::decode(&row.body);
        let wrong = |fault| StoreError::Inconsistent(format!("workspaces.body of {key}: {fault}"));
        body.map(Some).map_err(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: decisions on two commands; expected: unchanged approvals count in a row, any other decision begins anew, and
    /// the counts are stored.
    #[test]
    fn unchanged_approvals_are_counted_in_a_row() {
        let mut body = WorkspaceBody::default();
        for is_unchanged in [true, true, false, true] {
            body.count_decision("zones.create", is_unchanged);
            body.count_decision("invoices.update", true);
        }
        assert_eq!(body.approved["zones.create"], 1);
        assert_eq!(body.approved["invoices.update"], 4);
        assert_eq!(WorkspaceBody::decode(&body.encode().unwrap()).unwrap(), body);
    }

    /// Input: lines that are raised, raised less, and raised for another day or session; expected: the highest of the same day
    /// counts, earlier days go, and what is left is stored until its session is deleted.
    #[test]
    fn raised_lines_last_for_their_day() {
        let cost = |cost: &str| SpendingAmount { tokens: 0, cost: cost.parse().unwrap() };
        let mut body = WorkspaceBody::default();
        let mut raise = |scope, subject: &str, since, line: &str| {
            let (subject, since) = (subject.to_owned(), Timestamp(since));
            body.raise_line(RaisedSpendingLine { scope, subject, since, line: cost(line) });
        };
        raise(SpendingScope::PersonDay, "ann", 1, "9");
        raise(SpendingScope::PersonDay, "ann", 2, "3");
        raise(SpendingScope::PersonDay, "ann", 2, "2");
        raise(SpendingScope::PersonDay, "ben", 2, "4");
        raise(SpendingScope::Session, "ses_a", 0, "5");
        raise(SpendingScope::Tree, "ses_b", 0, "6");
        let line =
            |body: &WorkspaceBody, scope, subject, since| body.raised_line(scope, subject, Timestamp(since));
        assert_eq!(line(&body, SpendingScope::PersonDay, "ann", 2), cost("3"));
        assert_eq!(line(&body, SpendingScope::PersonDay, "ann", 1), SpendingAmount::ZERO);
        assert_eq!(line(&body, SpendingScope::Tree, "ses_a", 0), SpendingAmount::ZERO);
        assert_eq!(body.raised_lines.len(), 4);
        assert_eq!(WorkspaceBody::decode(&body.encode().unwrap()).unwrap(), body);
        assert!(body.remove_raised_lines(&SessionId::new("ses_a")));
        assert!(!body.remove_raised_lines(&SessionId::new("ses_c")));
        assert_eq!(line(&body, SpendingScope::Session, "ses_a", 0), SpendingAmount::ZERO);
        assert_eq!(line(&body, SpendingScope::Tree, "ses_b", 0), cost("6"));
    }

    /// Input: more commands than are counted; expected: the one that was approved least often goes, and not the latest.
    #[test]
    fn counts_of_few_commands_are_stored() {
        let mut body = WorkspaceBody::default();
        for number in 0..COUNTED_COMMANDS_MAX {
            body.count_decision(&format!("tools.{number}"), true);
            body.count_decision(&format!("tools.{number}"), number != 7);
        }
        body.count_decision("tools.7", true);
        body.count_decision("tools.new", true);
        assert_eq!(body.approved.len(), COUNTED_COMMANDS_MAX);
        assert!(body.approved.contains_key("tools.new") && !body.approved.contains_key("tools.7"));
    }
}
