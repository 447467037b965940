//! User messages: checks key and length, and resolves enrichments.

use entracte_domain::command::CommandKind;
use entracte_domain::enrichment::EnrichmentReference;
use entracte_domain::id::{MessageId, SessionId};
use entracte_domain::message::{Enrichment, Segment, UserMessage};
use entracte_domain::session::{
    CallLookup, Input, RequestedCall, SessionFacts, SessionKind, UserMessageSent,
};
use entracte_domain::time::Timestamp;

use crate::calendar::{Calendar, CalendarError};
use crate::commands::enrichments::{commands_of, config, read_reference, resolve_period};
use crate::commands::{CommandInvocation, SchemaFault};
use crate::mail::{MailRefusal, ManualCallRequest, SendMessageRequest, SessionRequest};
use crate::runtime::title::title;
use crate::runtime::turn::{RequestNotApplied, TurnStop, WorkspaceTurn};
use crate::runtime::turn_draft::TurnDraft;
use crate::texts::{LocalizedTexts, saying};

impl WorkspaceTurn<'_> {
    pub(super) fn message_input(
        &self,
        draft: &TurnDraft,
        session: &SessionId,
        author: &str,
        message: &UserMessage,
        client_key: Option<&str>,
    ) -> Result<Input, RequestNotApplied> {
        let Some(drafted) = draft.sessions.get(session) else {
            return Err(TurnStop::missing_session(session).into());
        };
        let (message, asked) = self.resolve_enrichments(draft, &drafted.facts, message)?;
        self.check_message(&message)?;
        self.check_size(&drafted.facts, &message)?;
        let has_no_name = drafted.facts.kind == SessionKind::Chat && drafted.facts.name.is_empty();
        let title = has_no_name.then(|| title(&message)).flatten();
        Ok(Input::UserMessageSent(UserMessageSent {
            author: author.to_owned(),
            message,
            client_key: client_key.map(str::to_owned),
            enrichments: self.look_up_enrichments(draft, &drafted.facts, asked)?,
            title,
            asks: true,
        }))
    }

    /// The message with resolved enrichments (periods as instants, sentences with current names), and their distinct
    /// commands.
    pub(in crate::runtime::turn) fn resolve_enrichments(
        &self,
        draft: &TurnDraft,
        facts: &SessionFacts,
        message: &UserMessage,
    ) -> Result<(UserMessage, Vec<CommandInvocation>), RequestNotApplied> {
        let locale = self.memory.settings.locale();
        let (texts, calendar) =
            (LocalizedTexts::for_language(locale.language), Calendar::from_locale(&locale));
        self.check_enrichments(message)?;
        let mut segments = Vec::with_capacity(message.segments.len());
        let mut asked: Vec<CommandInvocation> = Vec::new();
        let mut number = 0;
        for segment in &message.segments {
            let Segment::Enrichment(enrichment) = segment else {
                segments.push(segment.clone());
                continue;
            };
            number += 1;
            let meant = read_reference(enrichment, &calendar, texts)
                .and_then(|meant| resolve_enrichment_period(meant, facts, &calendar, draft.now, texts))
                .map_err(|faults| enrichment_refusal(number, &faults))?;
            for command in commands_of(&meant, &calendar) {
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
            let summary = self.sentence(&locale, &meant)?;
            let config = config(&meant, &calendar);
            segments.push(Segment::Enrichment(Enrichment { kind: meant.kind(), config, summary }));
        }
        Ok((UserMessage { segments }, asked))
    }

    /// Resolves the queries against the catalog. A message begins an exchange, so nothing read before it answers
    /// them.
    pub(in crate::runtime) fn look_up_enrichments(
        &self,
        draft: &TurnDraft,
        facts: &SessionFacts,
        asked: Vec<CommandInvocation>,
    ) -> Result<Vec<RequestedCall>, TurnStop> {
        let mut requested =
            self.look_up_calls(Self::lookup_context(draft, facts, self.memory.settings), asked)?;
        for call in &mut requested {
            if let CallLookup::Known { twin, .. } = &mut call.lookup {
                *twin = None;
            }
        }
        Ok(requested)
    }

    /// The earlier message sent with the key of this request.
    pub(super) fn find_repeated_message(
        &self,
        draft: &TurnDraft,
        session: &SessionId,
        request: &SessionRequest,
    ) -> Result<Option<MessageId>, TurnStop> {
        match request {
            SessionRequest::SendMessage(SendMessageRequest { client_key: Some(key), .. })
            | SessionRequest::RequestCall(ManualCallRequest { client_key: Some(key), .. }) => {
                self.message_by_key(draft, session, key)
            }
            _ => Ok(None),
        }
    }

    /// The earlier message sent with this key.
    fn message_by_key(
        &self,
        draft: &TurnDraft,
        session: &SessionId,
        key: &str,
    ) -> Result<Option<MessageId>, TurnStop> {
        let drafted =
            draft.log.iter().find(|row| row.session == *session && row.client_key.as_deref() == Some(key));
        let sequence = match drafted {
            Some(row) => Some(row.sequence),
            None => self.message_sequence_by_key(session, key)?,
        };
        Ok(sequence.map(|sequence| session.message_id(sequence, 0)))
    }

    fn check_enrichments(&self, message: &UserMessage) -> Result<(), MailRefusal> {
        let most = self.memory.runtime.message_max_enrichments;
        let count = message.segments.iter().filter(|segment| matches!(segment, Segment::Enrichment(_)));
        let count = count.count();
        match most > 0 && count > most {
            true => Err(MailRefusal::Invalid(saying!("enrichment-too-many", count = count, most = most))),
            false => Ok(()),
        }
    }

    fn check_message(&self, message: &UserMessage) -> Result<(), MailRefusal> {
        let most = self.memory.runtime.message_max_chars;
        let length: usize = message
            .segments
            .iter()
            .map(|segment| match segment {
                Segment::Text(text) => text.chars().count(),
                Segment::Enrichment(enrichment) => enrichment.summary.chars().count(),
            })
            .sum();
        if message.linear_text().trim().is_empty() {
            return Err(MailRefusal::Invalid(saying!("request-message-empty")));
        }
        match length > most {
            true => Err(MailRefusal::Invalid(saying!("request-message-long", length = length, most = most))),
            false => Ok(()),
        }
    }
}

/// The enrichment with its period as instants, counted from the occurrence of a run, otherwise from now. A seed
/// is the template of runs: its periods stay relative, and each run resolves them.
fn resolve_enrichment_period(
    meant: EnrichmentReference,
    facts: &SessionFacts,
    calendar: &Calendar,
    now: Timestamp,
    texts: &LocalizedTexts,
) -> Result<EnrichmentReference, Vec<SchemaFault>> {
    match facts.kind {
        SessionKind::Seed => Ok(meant),
        SessionKind::Chat | SessionKind::Automation | SessionKind::Agent => {
            let fault = |fault: CalendarError| {
                vec![SchemaFault { path: "/period".to_owned(), text: fault.describe(texts) }]
            };
            resolve_period(meant, calendar, facts.period_reference(now)).map_err(fault)
        }
    }
}

fn enrichment_refusal(number: usize, faults: &[SchemaFault]) -> MailRefusal {
    let faults = faults.iter().map(SchemaFault::sentence).collect::<Vec<_>>().join("; ");
    MailRefusal::Invalid(saying!("enrichment-fault", number = number, faults = faults))
}
