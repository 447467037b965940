//! User messages: is the key known, is it too long, what do its enrichments ask for.

use entracte_domain::command::CommandKind;
use entracte_domain::enrichment::Reference;
use entracte_domain::id::{MessageId, SessionId};
use entracte_domain::message::{Enrichment, Segment, UserMessage};
use entracte_domain::session::{Input, Lookup, RequestedCall, SessionFacts, SessionKind, UserMessageSent};
use entracte_domain::time::Timestamp;

use super::{refused, texts};
use crate::calendar::{Calendar, CalendarError};
use crate::commands::enrich::{commands_of, config, read_reference, settled};
use crate::commands::{Asked, SchemaFault, Setting};
use crate::mail::MailAnswer;
use crate::runtime::draft::Draft;
use crate::runtime::title::title;
use crate::runtime::turn::{Stop, Turn};
use crate::texts::{Texts, say};

impl Turn<'_> {
    pub(super) fn message_input(
        &self,
        draft: &Draft,
        session: &SessionId,
        author: &str,
        message: &UserMessage,
        client_key: Option<&str>,
    ) -> Result<Result<Input, MailAnswer>, Stop> {
        if let Some(key) = client_key
            && let Some(message) = self.message_by_key(draft, session, key)?
        {
            return Ok(Err(MailAnswer::taken(Some(message), session)));
        }
        let Some(drafted) = draft.sessions.get(session) else { return Err(Stop::gone(session)) };
        let (message, asked) = match self.enriched(draft, &drafted.facts, message)? {
            Ok(enriched) => enriched,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if let Some(refusal) = self.message_fault(&message, texts(draft)) {
            return Ok(Err(refusal));
        }
        if let Some(refusal) = self.message_excess(draft, &drafted.facts, &message)? {
            return Ok(Err(refusal));
        }
        let has_no_name = drafted.facts.kind == SessionKind::Chat && drafted.facts.name.is_empty();
        let title = has_no_name.then(|| title(&message)).flatten();
        Ok(Ok(Input::UserMessageSent(UserMessageSent {
            author: author.to_owned(),
            message,
            client_key: client_key.map(str::to_owned),
            enrichments: self.look_up_enrichments(draft, &drafted.facts, asked)?,
            title,
            asks: true,
        })))
    }

    /// The message with its enrichments as they count from now on, their periods as instants and their sentences
    /// with the names of today, and what they ask for, each once.
    pub(in crate::runtime) fn enriched(
        &self,
        draft: &Draft,
        facts: &SessionFacts,
        message: &UserMessage,
    ) -> Result<Result<(UserMessage, Vec<Asked>), MailAnswer>, Stop> {
        let locale = self.memory.settings.locale();
        let (texts, calendar) = (Texts::of(locale.language), Calendar::of(&locale));
        if let Some(refusal) = self.too_many_enrichments(message, texts) {
            return Ok(Err(refusal));
        }
        let mut segments = Vec::with_capacity(message.segments.len());
        let mut asked: Vec<Asked> = Vec::new();
        let mut number = 0;
        for segment in &message.segments {
            let Segment::Enrichment(enrichment) = segment else {
                segments.push(segment.clone());
                continue;
            };
            number += 1;
            let meant = read_reference(enrichment, &calendar, texts)
                .and_then(|meant| in_force(meant, facts, &calendar, draft.now, texts));
            let meant = match meant {
                Ok(meant) => meant,
                Err(faults) => return Ok(Err(enrichment_refusal(number, &faults, texts))),
            };
            for command in commands_of(&meant, &calendar) {
                if asked.iter().all(|earlier| earlier.command != command) {
                    let listed_as = Some(CommandKind::Query);
                    asked.push(Asked { provider_call_id: None, command, listed_as, wishes_approval: false });
                }
            }
            let summary = self.sentence(&locale, &meant)?;
            let config = config(&meant, &calendar);
            segments.push(Segment::Enrichment(Enrichment { kind: meant.kind(), config, summary }));
        }
        Ok(Ok((UserMessage { segments }, asked)))
    }

    /// What the catalog says of the queries. A message begins an exchange, so nothing that was read before it
    /// answers them.
    pub(in crate::runtime) fn look_up_enrichments(
        &self,
        draft: &Draft,
        facts: &SessionFacts,
        asked: Vec<Asked>,
    ) -> Result<Vec<RequestedCall>, Stop> {
        let setting = Setting {
            facts,
            settings: self.memory.settings,
            rules: &draft.body.rules,
            asked_by: &facts.asked_by,
            acts_as: facts.asked_by.acts_as.as_deref(),
            last_action_at: draft.body.last_action_at,
            ai_request: false,
            now: draft.now,
        };
        let mut requested = self.look_up(setting, asked)?;
        for call in &mut requested {
            if let Lookup::Known { twin, .. } = &mut call.lookup {
                *twin = None;
            }
        }
        Ok(requested)
    }

    /// The message that was sent with this key before.
    fn message_by_key(
        &self,
        draft: &Draft,
        session: &SessionId,
        key: &str,
    ) -> Result<Option<MessageId>, Stop> {
        let drafted =
            draft.log.iter().find(|row| row.session == *session && row.client_key.as_deref() == Some(key));
        let sequence = match drafted {
            Some(row) => Some(row.sequence),
            None => self.keyed(session, key)?,
        };
        Ok(sequence.map(|sequence| session.message(sequence, 0)))
    }

    fn too_many_enrichments(&self, message: &UserMessage, texts: &Texts) -> Option<MailAnswer> {
        let most = self.memory.runtime.message_max_enrichments;
        let count = message.segments.iter().filter(|segment| matches!(segment, Segment::Enrichment(_)));
        let count = count.count();
        (most > 0 && count > most)
            .then(|| refused("invalid", &say!(texts, "enrichment-too-many", count = count, most = most)))
    }

    fn message_fault(&self, message: &UserMessage, texts: &Texts) -> Option<MailAnswer> {
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
            return Some(refused("invalid", &say!(texts, "request-message-empty")));
        }
        (length > most).then(|| {
            let text = say!(texts, "request-message-long", length = length, most = most);
            refused("invalid", &text)
        })
    }
}

/// With its period as instants, counted from the occurrence of a run, else from now. A seed is the template of
/// runs: its periods stay as they are written, and each run counts them anew.
fn in_force(
    meant: Reference,
    facts: &SessionFacts,
    calendar: &Calendar,
    now: Timestamp,
    texts: &Texts,
) -> Result<Reference, Vec<SchemaFault>> {
    match facts.kind {
        SessionKind::Seed => Ok(meant),
        SessionKind::Chat | SessionKind::Automation | SessionKind::Agent => {
            let fault = |fault: CalendarError| {
                vec![SchemaFault { path: "/period".to_owned(), text: fault.say(texts) }]
            };
            settled(meant, calendar, facts.reference(now)).map_err(fault)
        }
    }
}

fn enrichment_refusal(number: usize, faults: &[SchemaFault], texts: &Texts) -> MailAnswer {
    let faults = faults.iter().map(SchemaFault::sentence).collect::<Vec<_>>().join("; ");
    refused("invalid", &say!(texts, "enrichment-fault", number = number, faults = faults))
}
