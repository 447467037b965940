//! Enrichments of messages: their periods as instants, their sentences, and the queries they stand for.

use entracte_domain::command::CommandKind;
use entracte_domain::message::{Enrichment, Segment, UserMessage};
use entracte_domain::session::{CallLookup, RequestedCall, SessionFacts, SessionKind};
use entracte_domain::time::Timestamp;

use crate::calendar::Calendar;
use crate::commands::CommandInvocation;
use crate::mail::MailRefusal;
use crate::ports::SchemaFault;
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::lookups::{look_up_calls, lookup_context};
use crate::runtime::turn::questions::EnrichmentSentenceQuestion;
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::texts::{LocalizedTexts, saying};

/// The message with resolved enrichments (periods as instants, sentences with current names), and their distinct
/// commands.
pub(crate) fn resolve_enrichments(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    facts: &SessionFacts,
    message: &UserMessage,
) -> Result<(UserMessage, Vec<CommandInvocation>), RequestNotApplied> {
    let locale = turn.memory.settings.locale();
    let (texts, calendar) = (LocalizedTexts::for_language(locale.language), Calendar::from_locale(&locale));
    check_enrichments(turn, message)?;
    let mut segments = Vec::with_capacity(message.segments.len());
    let mut asked: Vec<CommandInvocation> = Vec::new();
    let mut number = 0;
    for segment in &message.segments {
        let Segment::Enrichment(enrichment) = segment else {
            segments.push(segment.clone());
            continue;
        };
        number += 1;
        let model = turn.memory.catalog.resource_model();
        let model = model.ok_or_else(|| MailRefusal::Invalid(saying!("enrichment-none")))?;
        let resolved = model
            .resolve_enrichment(enrichment, period_origin(facts, draft.now), &calendar, texts)
            .map_err(|faults| enrichment_refusal(number, &faults))?;
        for command in resolved.queries {
            if asked.iter().all(|earlier| earlier.command != command) {
                let listed_as = Some(CommandKind::Query);
                asked.push(CommandInvocation {
                    provider_call_id: None,
                    command,
                    listed_as,
                    wishes_approval: false,
                });
            }
        }
        let summary = turn
            .ask(EnrichmentSentenceQuestion {
                locale: locale.clone(),
                enrichment: resolved.enrichment.clone(),
            })?
            .clone();
        segments.push(Segment::Enrichment(Enrichment { summary, ..resolved.enrichment }));
    }
    Ok((UserMessage { segments }, asked))
}

/// Resolves the queries against the catalog. A message begins an exchange, so nothing read before it answers
/// them.
pub(crate) fn look_up_enrichments(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    facts: &SessionFacts,
    asked: Vec<CommandInvocation>,
) -> Result<Vec<RequestedCall>, TurnStop> {
    let mut requested = look_up_calls(turn, lookup_context(draft, facts, turn.memory.settings), asked)?;
    for call in &mut requested {
        if let CallLookup::Known { twin, .. } = &mut call.lookup {
            *twin = None;
        }
    }
    Ok(requested)
}

fn check_enrichments(turn: &TurnContext<'_>, message: &UserMessage) -> Result<(), MailRefusal> {
    let most = turn.memory.runtime.message_max_enrichments;
    let count = message.segments.iter().filter(|segment| matches!(segment, Segment::Enrichment(_)));
    let count = count.count();
    match most > 0 && count > most {
        true => Err(MailRefusal::Invalid(saying!("enrichment-too-many", count = count, most = most))),
        false => Ok(()),
    }
}

/// The instant that periods count from: the occurrence of a run, otherwise now. A seed is the template of runs: its
/// periods stay relative, and each run resolves them.
fn period_origin(facts: &SessionFacts, now: Timestamp) -> Option<Timestamp> {
    match facts.kind {
        SessionKind::Seed => None,
        SessionKind::Chat | SessionKind::Automation | SessionKind::Agent => Some(facts.period_reference(now)),
    }
}

fn enrichment_refusal(number: usize, faults: &[SchemaFault]) -> MailRefusal {
    let faults = faults.iter().map(SchemaFault::sentence).collect::<Vec<_>>().join("; ");
    MailRefusal::Invalid(saying!("enrichment-fault", number = number, faults = faults))
}
