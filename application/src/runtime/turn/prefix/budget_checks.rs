//! Checks that the configuration leaves room: the always-sent prefix and a single message each have a share of
//! the budget ([adr 59](../../../../docs/adr/0059-nothing-is-sent-beyond-the-budget.md)).

use entracte_domain::message::{Segment, UserMessage};
use entracte_domain::plan::PlanMode;
use entracte_domain::session::{SessionFacts, SessionKind};

use crate::context::TokenEstimator;
use crate::mail::MailRefusal;
use crate::ports::CommandSpec;
use crate::prompt::{ON_DEMAND, PromptPrefix, ServerCommands, commands_by_server, description_bytes};
use crate::runtime::context_budget::ContextBudget;
use crate::runtime::prefix_cache::{PrefixAudience, voice_of};
use crate::runtime::turn::context::TurnContext;
use crate::runtime::turn::draft::{TurnDraft, texts};
use crate::runtime::turn::lookups::read_window;
use crate::runtime::turn::prefix::data_changes::current_sections;
use crate::runtime::turn::prefix::generation::current_prefix;
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::settings::Language;
use crate::texts::{say, saying};

/// Messages below this number of tokens are not measured: a model with a smaller window cannot work at all, and
/// its first call fails with that reason.
const MESSAGE_FROM: u64 = 500;

/// Refuses a prefix for this audience that leaves too little of the budget. A guessed window refuses nothing.
pub(crate) fn check_prefix_size(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    audience: &PrefixAudience,
) -> Result<(), RequestNotApplied> {
    let sections = current_sections(turn, draft)?;
    let prefix = current_prefix(turn, draft, audience, &sections)?;
    check_built_prefix(turn, draft, audience, &prefix)
}

/// The same check for a prefix that is already built.
fn check_built_prefix(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    audience: &PrefixAudience,
    prefix: &PromptPrefix,
) -> Result<(), RequestNotApplied> {
    let Some(window) = read_window(turn, &audience.voice)? else { return Ok(()) };
    let rules =
        turn.memory.rules.rules_for_provider(audience.kind, audience.policy, &audience.voice.provider);
    let budget = ContextBudget::from_rules(rules, window, TokenEstimator::GUESS.tokens(prefix.bytes()));
    let Some(heavy) = budget.prefix_overrun(prefix, TokenEstimator::GUESS) else { return Ok(()) };
    let (texts, model) = (texts(draft), audience.voice.model.as_str());
    let (says, fix) = (heavy.describe(texts), heavy.describe_fix(texts));
    let is_on_demand = prefix.parts.iter().any(|part| part.name == ON_DEMAND);
    let servers = describe_servers(turn, audience, texts.language()).filter(|_| !is_on_demand);
    let fix = match servers {
        None => fix,
        Some((largest, servers)) => {
            say!(texts, "overweight-servers", fix = fix, servers = servers, largest = largest)
        }
    };
    Err(MailRefusal::Invalid(saying!("overweight-refused", says = says, model = model, fix = fix)).into())
}

/// The largest MCP server of a session by the descriptions of its commands, and the largest ones with their estimated
/// tokens; `None` without servers.
fn describe_servers(
    turn: &TurnContext<'_>,
    audience: &PrefixAudience,
    language: Language,
) -> Option<(String, String)> {
    let mode = audience.mode.unwrap_or(PlanMode::Free);
    let offered = turn.memory.catalog.offered_commands(&audience.restriction, mode);
    let weigh = |spec: &CommandSpec| description_bytes(spec, audience.voice.dialect, language);
    let servers = commands_by_server(offered.map(|known| &known.spec), weigh);
    let describe = |known: &ServerCommands<'_, usize>| {
        format!("{} {}", known.server, ContextBudget::least_tokens(known.size))
    };
    let listed = servers.iter().take(SERVERS_SHOWN_MAX).map(describe).collect::<Vec<_>>().join(", ");
    servers.first().map(|largest| (largest.server.to_owned(), listed))
}

/// Maximum servers named in a refusal.
const SERVERS_SHOWN_MAX: usize = 5;

/// Refuses a message that the session's model cannot read: one larger than half of the budget.
pub(crate) fn check_message_size(
    turn: &TurnContext<'_>,
    facts: &SessionFacts,
    message: &UserMessage,
) -> Result<(), RequestNotApplied> {
    let length = message.segments.iter().map(|segment| match segment {
        Segment::Text(text) => text.len(),
        Segment::Enrichment(enrichment) => enrichment.summary.len(),
        Segment::File(file) => file.line().len(),
    });
    let length = length.sum();
    if TokenEstimator::GUESS.tokens(length) < MESSAGE_FROM {
        return Ok(());
    }
    let voice = voice_of(facts);
    let Some(window) = read_window(turn, &voice)? else { return Ok(()) };
    // The runs of a template read its messages.
    let kind = if facts.kind == SessionKind::Seed { SessionKind::Automation } else { facts.kind };
    let rules = turn.memory.rules.rules_for_provider(kind, facts.policy, &voice.provider);
    let excess = ContextBudget::from_rules(rules, window, 0).message_excess(length);
    let Some((tokens, most)) = excess else { return Ok(()) };
    let (tokens, most, window) = (tokens.to_string(), most.to_string(), window.tokens.to_string());
    let says = saying!("request-message-large", tokens = tokens, most = most, window = window);
    Err(MailRefusal::Invalid(says).into())
}
