use std::sync::Arc;

use entracte_domain::automation::Automation;
use entracte_domain::id::{AutomationId, WorkspaceKey};

use crate::codec::{CodecError, decode_automation, decode_occurrence};
use crate::journal::Occurrence;
use crate::ports::{AutomationReader, AutomationRow, StoreError};
use crate::use_cases::UseCaseError;

/// An automation with the result of its latest occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomationView {
    /// The stored automation.
    pub automation: Automation,
    /// The latest decided occurrence; `None` if there is none.
    pub last: Option<Occurrence>,
}

/// An automation whose rows cannot be read. It does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedAutomation {
    /// Unique id of the automation.
    pub id: AutomationId,
    /// Display name.
    pub name: String,
    /// Why it cannot be read.
    pub why: String,
}

/// The automations of a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AutomationList {
    /// Automations that need attention first, then in creation order.
    pub views: Vec<AutomationView>,
    /// The unreadable ones, listed separately so that they do not hide the others.
    pub damaged: Vec<DamagedAutomation>,
}

use_case! {
    /// Lists automations, those that need attention first.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut automations = MockAutomationReader::new();
    /// automations.expect_automations().returning(|_| Ok(samples::automation_row().into_iter().collect()));
    /// automations.expect_occurrences().returning(|_, _, _, _| Ok(vec![]));
    /// let list = ListAutomations::new(Arc::new(automations)).run(&samples::workspace()).await?;
    /// let weekly = &list.views[0];
    /// assert_eq!((&weekly.automation.name, &weekly.last), (&"Weekly".to_owned(), &None));
    /// # Ok(()) });
    /// ```
    pub struct ListAutomations reads (automations: dyn AutomationReader)
}

impl ListAutomations {
    /// The automations of a workspace: those that need attention first, then in creation order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn run(&self, workspace: &WorkspaceKey) -> Result<AutomationList, UseCaseError> {
        let mut list = AutomationList::default();
        for row in self.automations.automations(workspace).await? {
            match self.view(&row).await? {
                Ok(view) => list.views.push(view),
                Err(fault) => {
                    let AutomationRow { id, name, .. } = row;
                    list.damaged.push(DamagedAutomation { id, name, why: fault.to_string() });
                }
            }
        }
        list.views.sort_by_key(|view| view.automation.attention.is_none());
        Ok(list)
    }

    async fn view(&self, row: &AutomationRow) -> Result<Result<AutomationView, CodecError>, StoreError> {
        let last = self.automations.occurrences(&row.workspace, &row.id, None, 1).await?;
        let view = || {
            let automation = decode_automation(row)?;
            let last = last.first().map(decode_occurrence).transpose()?;
            Ok(AutomationView { automation, last })
        };
        Ok(view())
    }
}
