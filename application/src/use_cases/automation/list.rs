use std::sync::Arc;

use entracte_domain::automation::Automation;
use entracte_domain::id::WorkspaceKey;

use crate::codec::{Occurrence, decode_automation, decode_occurrence};
use crate::ports::AutomationReader;
use crate::use_cases::UseCaseError;

/// An automation with what became of its latest occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomationView {
    /// The automation.
    pub automation: Automation,
    /// The latest occurrence that was decided; none when none was.
    pub last: Option<Occurrence>,
}

/// Lists automations: those that a person has to look at first.
///
/// ```
/// # use std::sync::Arc;
/// # use entracte_application::samples;
/// # use entracte_application::use_cases::{ListAutomations, UseCaseError};
/// # use entracte_application::ports::MockAutomationReader;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), UseCaseError> {
/// let mut automations = MockAutomationReader::new();
/// automations.expect_automations().returning(|_| Ok(samples::automation_row().into_iter().collect()));
/// automations.expect_occurrences().returning(|_, _, _| Ok(vec![]));
/// let list = ListAutomations::new(Arc::new(automations)).run(&samples::workspace()).await?;
/// assert_eq!((&list[0].automation.name, &list[0].last), (&"Weekly".to_owned(), &None));
/// # Ok(())
/// # }
/// ```
pub struct ListAutomations {
    automations: Arc<dyn AutomationReader>,
}

impl ListAutomations {
    /// Over this reader.
    pub fn new(automations: Arc<dyn AutomationReader>) -> Self {
        Self { automations }
    }

    /// The automations of a workspace: those that need attention first, then in the order they were made.
    ///
    /// # Errors
    /// When one cannot be read.
    pub async fn run(&self, workspace: &WorkspaceKey) -> Result<Vec<AutomationView>, UseCaseError> {
        let mut views = Vec::new();
        for row in self.automations.automations(workspace).await? {
            let automation = decode_automation(&row)?;
            let last = self.automations.occurrences(&row.id, None, 1).await?;
            let last = last.first().map(decode_occurrence).transpose()?;
            views.push(AutomationView { automation, last });
        }
        views.sort_by_key(|view| view.automation.attention.is_none());
        Ok(views)
    }
}
