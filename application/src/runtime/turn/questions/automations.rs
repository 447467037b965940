use entracte_domain::automation::Trigger;
use entracte_domain::id::AutomationId;
use entracte_domain::time::Timestamp;

use super::{QuestionReader, TurnQuestion};
use crate::ports::AutomationRow;
use crate::runtime::error::TurnError;
use crate::texts::LocalizedMessage;

/// The next instant of a trigger, if there is one, or why it cannot be computed.
pub(in crate::runtime) type NextDueInstant = Result<Option<Timestamp>, LocalizedMessage>;

/// The automations, including unreadable ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct AutomationRowsQuestion;

impl TurnQuestion for AutomationRowsQuestion {
    type Answer = Vec<AutomationRow>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Vec<AutomationRow>, TurnError> {
        Ok(reader.services.automations.automations(reader.key).await?)
    }
}

/// Whether an occurrence was decided.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct OccurrenceDecidedQuestion {
    pub(in crate::runtime) automation: AutomationId,
    pub(in crate::runtime) at: Timestamp,
}

impl TurnQuestion for OccurrenceDecidedQuestion {
    type Answer = bool;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<bool, TurnError> {
        let Self { automation, at } = self;
        let after = Timestamp(at.0.saturating_add(1));
        let rows = reader.services.automations.occurrences(reader.key, automation, Some(after), 1).await?;
        Ok(rows.first().is_some_and(|row| row.at == *at))
    }
}

/// When a trigger is due next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct NextDueQuestion {
    pub(in crate::runtime) trigger: Trigger,
    /// Only instants after this one count.
    pub(in crate::runtime) after: Timestamp,
}

impl TurnQuestion for NextDueQuestion {
    type Answer = NextDueInstant;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<NextDueInstant, TurnError> {
        let next = reader.services.calculator.next(&self.trigger, self.after);
        Ok(next.map_err(|error| error.saying()))
    }
}

/// Whether an occurrence was decided, and when its trigger is due after it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct OccurrenceQuestion {
    pub(in crate::runtime) automation: AutomationId,
    pub(in crate::runtime) trigger: Trigger,
    pub(in crate::runtime) at: Timestamp,
}

/// The answer to an [`OccurrenceQuestion`].
#[derive(Clone, Debug)]
pub(in crate::runtime) struct OccurrenceStatus {
    pub(in crate::runtime) is_decided: bool,
    pub(in crate::runtime) next: NextDueInstant,
}

impl TurnQuestion for OccurrenceQuestion {
    type Answer = OccurrenceStatus;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<OccurrenceStatus, TurnError> {
        let Self { automation, trigger, at } = self.clone();
        let next = NextDueQuestion { trigger, after: at }.read(reader).await?;
        let is_decided = OccurrenceDecidedQuestion { automation, at }.read(reader).await?;
        Ok(OccurrenceStatus { is_decided, next })
    }
}
