use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use entracte_domain::id::{RoundAttempt, SessionId};
use entracte_domain::spending::{SpendingAmount, SpendingShare};

use super::{PAGE, QuestionReader, TurnQuestion};
use crate::ports::{CallCeiling, CallSize, CostFilter, CostSum, CostSumBy, CostSumKey};
use crate::prompt::{Projection, PromptStyle};
use crate::runtime::conversation::read_conversation;
use crate::runtime::error::TurnError;
use crate::runtime::prefix_cache::PrefixCache;
use crate::settings::WorkspaceSettings;

/// The first committed sum of a filter; `None` if there are no attempts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct CostSumQuestion(pub(in crate::runtime) CostFilter);

impl TurnQuestion for CostSumQuestion {
    type Answer = Option<CostSum>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Option<CostSum>, TurnError> {
        Ok(reader.services.log.cost_sums(&self.0).await?.sums.into_iter().next())
    }
}

/// What each command used of the attempts of a filter, by name. An answer that requested several is shared equally.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct SpendingSharesQuestion(pub(in crate::runtime) CostFilter);

impl TurnQuestion for SpendingSharesQuestion {
    type Answer = Vec<SpendingShare>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Vec<SpendingShare>, TurnError> {
        let mut filter = CostFilter { by: CostSumBy::CommandSet, limit: PAGE, ..self.0.clone() };
        let mut shares = BTreeMap::<String, SpendingAmount>::new();
        loop {
            let page = reader.services.log.cost_sums(&filter).await?;
            for (name, share) in page.sums.iter().flat_map(CostSum::command_shares) {
                let amount = shares.entry(name.to_owned()).or_default();
                *amount = amount.plus(SpendingAmount::from_usage(&share));
            }
            match page.next {
                Some(next) => filter.after = Some(next),
                None => break,
            }
        }
        Ok(shares.into_iter().map(|(command, amount)| SpendingShare { command, amount }).collect())
    }
}

/// The committed sum of one attempt; `None` if the session has no such attempt.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct AttemptSumQuestion {
    pub(in crate::runtime) session: SessionId,
    pub(in crate::runtime) number: RoundAttempt,
}

impl TurnQuestion for AttemptSumQuestion {
    type Answer = Option<CostSum>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Option<CostSum>, TurnError> {
        let wanted = CostSumKey::Attempt(self.session.clone(), self.number);
        let mut filter = CostFilter::new(reader.key.clone(), CostSumBy::Attempt, PAGE);
        filter.session = Some(self.session.clone());
        loop {
            let page = reader.services.log.cost_sums(&filter).await?;
            if let Some(found) = page.sums.into_iter().find(|sum| sum.key == wanted) {
                return Ok(Some(found));
            }
            match page.next {
                Some(next) => filter.after = Some(next),
                None => return Ok(None),
            }
        }
    }
}

/// The most that a call of a provider can use; `None` if the provider is unavailable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct CallCeilingQuestion {
    pub(in crate::runtime) provider: String,
    pub(in crate::runtime) size: CallSize,
}

impl TurnQuestion for CallCeilingQuestion {
    type Answer = Option<CallCeiling>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Option<CallCeiling>, TurnError> {
        let found = reader.services.providers.provider(&self.provider).ok();
        Ok(found.map(|found| found.call_ceiling(&self.size)))
    }
}

/// The committed conversation of a session that is not in memory; `None` if it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::runtime) struct ConversationQuestion {
    pub(in crate::runtime) session: SessionId,
    pub(in crate::runtime) settings: Box<WorkspaceSettings>,
}

/// A turn has few of these, which differ in their sessions.
impl Hash for ConversationQuestion {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.session.hash(state);
    }
}

impl TurnQuestion for ConversationQuestion {
    type Answer = Option<Projection>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Option<Projection>, TurnError> {
        let style = PromptStyle::from_settings(&self.settings, &reader.services.settings);
        let mut prefixes = PrefixCache::default();
        let read = read_conversation(reader.services, reader.key, &mut prefixes, &style, &self.session).await;
        match read {
            Ok(conversation) => Ok(Some(conversation)),
            Err(fault) if fault.is_damage() => Ok(None),
            Err(fault) => Err(fault),
        }
    }
}
