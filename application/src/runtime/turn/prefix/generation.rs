//! Builds the prefix of a new prompt generation from the current settings, instructions and data.

use std::sync::{Arc, OnceLock};

use entracte_domain::command::FIND_COMMANDS;
use entracte_domain::id::Digest;
use entracte_domain::session::{AlwaysSendSection, Dialect};

use crate::agents::{AgentDeclaration, command_name_of_agent};
use crate::command_naming::CommandNaming;
use crate::commands::ResultsExecutor;
use crate::context::TokenEstimator;
use crate::ports::{CommandSpec, ContentBlob, ContextWindow, DataSection};
use crate::prompt::{
    CommandRoom, CommandSelection, PromptFacts, PromptPrefix, PromptStyle, common_chunks, description_bytes,
    instructions_block, role_chunk, select_commands,
};
use crate::protocol::envelope::schema_of;
use crate::protocol::tools::declarations_of;
use crate::rule_book::apply_agent_limits;
use crate::runtime::context_budget::{ContextBudget, PrefixBytes};
use crate::runtime::data_sections;
use crate::runtime::prefix_cache::PrefixAudience;
use crate::runtime::prompt_parts::{CommonPromptParts, PromptParts, PromptPartsKey};
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::lookups::read_window;
use crate::runtime::turn::prefix::instructions::read_instructions;
use crate::runtime::turn::questions::{ProviderEncodingQuestion, ToolLimitQuestion};
use crate::schema::SchemaDocument;
use crate::system::sha256;
use crate::texts::LocalizedTexts;

/// The prefix of a generation that begins now, cached with this turn.
pub(crate) fn begin_generation(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    audience: &PrefixAudience,
    sections: &[DataSection],
) -> Result<(Digest, Vec<AlwaysSendSection>), TurnStop> {
    let prefix = current_prefix(turn, draft, audience, sections)?;
    let bytes = prefix.encode();
    let digest = sha256(&bytes);
    if !draft.blobs.iter().any(|blob| blob.digest == digest) {
        draft.blobs.push(ContentBlob { digest: digest.clone(), bytes });
    }
    draft.aside.prefixes.insert(digest.clone(), Arc::new(prefix));
    Ok((digest, data_sections::section_hashes(sections)))
}

/// The prefix that a generation beginning now would have.
pub(crate) fn current_prefix(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    audience: &PrefixAudience,
    sections: &[DataSection],
) -> Result<PromptPrefix, TurnStop> {
    let settings = turn.memory.settings;
    // Only the commands of servers depend on it.
    let window = match turn.memory.catalog.find(FIND_COMMANDS) {
        Some(_) => read_window(turn, &audience.voice)?,
        None => None,
    };
    let known = draft.aside.prefixes.base(audience, settings, window);
    let base = match known.or_else(|| turn.memory.prefixes.base(audience, settings, window)) {
        Some(base) => base,
        None => {
            let base = Arc::new(build_prefix(turn, audience, window)?);
            draft.aside.prefixes.keep_base(audience, settings.clone(), window, base.clone());
            base
        }
    };
    let mut prefix = PromptPrefix::clone(&base);
    let instructions = read_instructions(turn, draft, &audience.scopes)?;
    let declared = find_agent(turn, audience);
    let told = declared.map(|agent| agent.instructions.text(LocalizedTexts::for_language(settings.language)));
    if let Some((block, parts)) = instructions_block(&instructions, told.as_deref(), settings.language) {
        prefix.blocks.push(block);
        prefix.instructions = parts;
    }
    prefix.blocks.extend(data_sections::render_block(
        sections,
        turn.memory.catalog.resource_model(),
        CommandNaming::from_dialect(audience.voice.dialect),
        settings.language,
    ));
    Ok(prefix)
}

/// The current declaration of the agent; `None` if it is no longer declared.
fn find_agent(turn: &TurnContext<'_>, audience: &PrefixAudience) -> Option<Arc<AgentDeclaration>> {
    let command = command_name_of_agent(audience.agent.as_deref()?);
    turn.memory.catalog.find(&command)?.spec.agent.clone()
}

/// Builds the prefix without instructions and data. Where the commands of servers do not fit in `window`, they are found
/// on demand.
fn build_prefix(
    turn: &TurnContext<'_>,
    audience: &PrefixAudience,
    window: Option<ContextWindow>,
) -> Result<PromptPrefix, TurnStop> {
    let (memory, settings) = (turn.memory, turn.memory.settings);
    let PrefixAudience { kind, voice, restriction: _, mode, policy, scopes: _, agent: _ } = audience;
    let rules = memory.rules.rules_for_provider(*kind, *policy, &voice.provider);
    let agent = find_agent(turn, audience);
    let limits = agent.as_ref().map(|agent| agent.limits.to_domain_limits());
    let rules = &limits.map_or_else(|| rules.clone(), |limits| apply_agent_limits(rules, limits));
    // An unavailable provider fails the first call, with a message that names the setting.
    let encoding = turn.ask(ProviderEncodingQuestion(voice.provider.clone()))?.clone().unwrap_or_default();
    let result = agent.as_deref().and_then(|agent| agent.result_schema.as_ref()).map(SchemaDocument::from);
    let facts = PromptFacts {
        kind: *kind,
        dialect: voice.dialect,
        rules,
        mode: mode.unwrap_or(rules.mode),
        result: result.as_ref(),
        catalog: &[],
        listing: None,
        types: &[],
        workspace: memory.key.as_str(),
        zone: &settings.zone,
        language: settings.language,
        importance: settings.prompt_importance,
        grades: &settings.prompt_chunks,
    };
    let all = common_parts(turn, audience, &facts);
    let prefix = assemble_prefix(turn, &facts, &encoding, &all.parts);
    match select_fitting(turn, audience, &facts, window, &all, &prefix)? {
        Some(selection) => {
            let parts = describe_commands(turn, audience, &facts, &selection);
            Ok(assemble_prefix(turn, &facts, &encoding, &parts))
        }
        None => Ok(prefix),
    }
}

/// The parts of a prompt that describes all commands, which another workspace may have built.
fn common_parts(
    turn: &TurnContext<'_>,
    audience: &PrefixAudience,
    facts: &PromptFacts<'_>,
) -> Arc<CommonPromptParts> {
    let (memory, restriction) = (turn.memory, &audience.restriction);
    let key = PromptPartsKey {
        kind: facts.kind,
        dialect: facts.dialect,
        rules: facts.rules.clone(),
        mode: facts.mode,
        restriction: restriction.clone(),
        agent: audience.agent.clone(),
        zone: facts.zone.to_owned(),
        language: facts.language,
        importance: facts.importance,
        grades: facts.grades.clone(),
    };
    memory.prompt_parts.get_or_build(memory.catalog, key, || {
        let offered = memory.catalog.offered_commands(restriction, facts.mode);
        let described = offered.map(|known| known.spec.clone()).collect();
        let all = CommandSelection { described, listing: None };
        let parts = describe_commands(turn, audience, facts, &all);
        CommonPromptParts { parts, commands: all.described, command_bytes: OnceLock::new() }
    })
}

/// What a prompt with these facts contains of the selected commands.
fn describe_commands(
    turn: &TurnContext<'_>,
    audience: &PrefixAudience,
    facts: &PromptFacts<'_>,
    CommandSelection { described, listing }: &CommandSelection,
) -> PromptParts {
    let (kind, result, language) = (facts.kind, facts.result, facts.language);
    let types = turn.memory.catalog.resource_types(&audience.restriction, language);
    let (tools, reply_schema) = match facts.dialect {
        Dialect::Envelope => (Vec::new(), Some(Arc::new(schema_of(kind, described, result)))),
        Dialect::Tools => (declarations_of(described, kind, result, language), None),
    };
    let facts = PromptFacts { catalog: described, listing: listing.as_ref(), types: &types, ..*facts };
    PromptParts {
        chunks: common_chunks(&facts),
        tools: tools.into(),
        reply_schema,
        read_on: read_on(described, CommandNaming::from_dialect(facts.dialect)),
    }
}

/// The prefix of this workspace with these parts.
fn assemble_prefix(
    turn: &TurnContext<'_>,
    facts: &PromptFacts<'_>,
    encoding: &Arc<str>,
    parts: &PromptParts,
) -> PromptPrefix {
    let role = role_chunk(facts);
    let (block, names) = PromptPrefix::join_chunks(role.iter().chain(&parts.chunks));
    PromptPrefix {
        blocks: vec![block],
        parts: names,
        instructions: Vec::new(),
        style: Some(PromptStyle {
            read_on: parts.read_on.clone(),
            naming: Some(CommandNaming::from_dialect(facts.dialect)),
            ..PromptStyle::from_settings(turn.memory.settings, turn.memory.runtime)
        }),
        encoding: encoding.clone(),
        tools: parts.tools.clone(),
        reply_schema: parts.reply_schema.clone(),
        output_tokens: (facts.rules.output_tokens > 0).then_some(facts.rules.output_tokens),
    }
}

/// The commands to describe where not all have room in `prefix`, which describes them; `None` if they have.
fn select_fitting(
    turn: &TurnContext<'_>,
    audience: &PrefixAudience,
    facts: &PromptFacts<'_>,
    window: Option<ContextWindow>,
    all: &CommonPromptParts,
    prefix: &PromptPrefix,
) -> Result<Option<CommandSelection>, TurnStop> {
    let find = turn.memory.catalog.find(FIND_COMMANDS);
    let (Some(window), Some(find)) = (window, find) else { return Ok(None) };
    let weigh = |spec: &CommandSpec| description_bytes(spec, facts.dialect, facts.language);
    let bytes = prefix.bytes();
    let budget = ContextBudget::from_rules(facts.rules, window, TokenEstimator::GUESS.tokens(bytes));
    let commands = *all.command_bytes.get_or_init(|| all.commands.iter().map(weigh).sum());
    let room = CommandRoom {
        bytes: budget.commands_room(PrefixBytes { whole: bytes, commands }),
        commands: most_commands(turn, &audience.voice.provider, prefix, all.commands.len())?,
    };
    if room.holds_all(all.commands.len()) {
        return Ok(None);
    }
    let naming = CommandNaming::from_dialect(facts.dialect);
    let selection = select_commands(all.commands.clone(), &find.spec, room, weigh, naming, facts.language);
    Ok(selection.listing.is_some().then_some(selection))
}

/// Most commands that may be described as tools, beside the tools of Entracte itself and the one that runs listed
/// commands; `None` if no limit is known.
fn most_commands(
    turn: &TurnContext<'_>,
    provider: &str,
    prefix: &PromptPrefix,
    commands: usize,
) -> Result<Option<usize>, TurnStop> {
    if prefix.tools.is_empty() {
        return Ok(None);
    }
    let own = prefix.tools.len().saturating_sub(commands).saturating_add(1);
    let most = *turn.ask(ToolLimitQuestion(provider.to_owned()))?;
    Ok(most.map(|most| most.saturating_sub(own)))
}

/// The model's name for the command that reads on in a result, if it has that command.
fn read_on(commands: &[CommandSpec], naming: CommandNaming) -> Option<String> {
    let command = commands.iter().find(|spec| spec.name == ResultsExecutor::NAME)?;
    Some(naming.format_call(&command.word, &command.name))
}
