use std::sync::Arc;

use entracte_domain::automation::Automation;
use entracte_domain::id::{AutomationId, WorkspaceKey};

use crate::codec::decode_automation;
use crate::ports::{AutomationReader, AutomationRow, WorkspaceStore};
use crate::texts::saying;
use crate::use_cases::UseCaseError;
use crate::use_cases::settings::texts_of;

use_case! {
    /// Finds an automation by the name or id that a person typed.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut automations = MockAutomationReader::new();
    /// automations.expect_automations().returning(|_| Ok(samples::automation_row().into_iter().collect()));
    /// let find = FindAutomation::new(Arc::new(samples::store()), Arc::new(automations));
    /// // By its name, or by a unique beginning of its id.
    /// assert_eq!(find.run(&samples::workspace(), "Weekly").await?, samples::automation());
    /// assert_eq!(find.run(&samples::workspace(), "aut_w").await?, samples::automation());
    /// assert!(matches!(find.run(&samples::workspace(), "Daily").await, Err(UseCaseError::NotFound(_))));
    /// # Ok(()) });
    /// ```
    pub struct FindAutomation reads (store: dyn WorkspaceStore, automations: dyn AutomationReader)
}

impl FindAutomation {
    /// The automation of this workspace with this id, this name, or this id prefix (`aut_` may be omitted).
    ///
    /// # Errors
    /// When there is none, or more than one, or it cannot be read.
    pub async fn run(&self, workspace: &WorkspaceKey, named: &str) -> Result<Automation, UseCaseError> {
        let rows = self.automations.automations(workspace).await?;
        match pick(&rows, named).as_slice() {
            [row] => Ok(decode_automation(row)?),
            [] => {
                let texts = texts_of(&*self.store, workspace).await?;
                Err(UseCaseError::NotFound(
                    saying!("request-no-automation", automation = named).into_refusal_text(texts),
                ))
            }
            several => {
                let texts = texts_of(&*self.store, workspace).await?;
                let ids: Vec<&str> = several.iter().map(|row| row.id.as_str()).collect();
                let text = saying!("request-automation-several", automation = named, ids = ids.join(", "))
                    .into_refusal_text(texts);
                Err(UseCaseError::Invalid(text))
            }
        }
    }

    /// The id for a query of the history: of an existing automation, or of a deleted one that is given in full.
    ///
    /// # Errors
    /// When neither is known.
    pub async fn find_deleted(
        &self,
        workspace: &WorkspaceKey,
        named: &str,
    ) -> Result<AutomationId, UseCaseError> {
        match self.run(workspace, named).await {
            Ok(automation) => Ok(automation.id),
            Err(UseCaseError::NotFound(text)) => {
                let id = AutomationId::new(named);
                let rows = self.automations.occurrences(workspace, &id, None, 1).await?;
                if rows.is_empty() { Err(UseCaseError::NotFound(text)) } else { Ok(id) }
            }
            Err(error) => Err(error),
        }
    }
}

/// The rows that may be meant: the one with this id; otherwise those with this name; otherwise those with this id
/// prefix.
fn pick<'a>(rows: &'a [AutomationRow], named: &str) -> Vec<&'a AutomationRow> {
    let named = named.trim();
    let wanted = if named.starts_with("aut_") { named.to_owned() } else { format!("aut_{named}") };
    let all = |is_meant: &dyn Fn(&AutomationRow) -> bool| -> Vec<&'a AutomationRow> {
        rows.iter().filter(|row| is_meant(row)).collect()
    };
    let tries = [
        all(&|row| row.id.as_str() == wanted),
        all(&|row| !named.is_empty() && row.name == named),
        all(&|row| wanted != "aut_" && row.id.as_str().starts_with(&wanted)),
    ];
    tries.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}
