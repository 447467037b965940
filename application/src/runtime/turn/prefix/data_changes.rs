//! The notices to a session when the always-sent data has changed.

use std::sync::Arc;

use entracte_domain::id::SessionId;
use entracte_domain::session::{Input, RulesChange, SessionKind};

use crate::command_naming::CommandNaming;
use crate::ports::{DataSection, ResourceChange};
use crate::runtime::data_sections::{self, DataSectionCache};
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::questions::DataSectionsQuestion;

/// The always-sent data, with the changes of this turn.
pub(crate) fn current_sections(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
) -> Result<Arc<[DataSection]>, TurnStop> {
    // Rows change only in this turn's commit, so the sections read with the changes become the cached ones.
    let is_changing = !draft.resources.is_empty();
    let known = match is_changing {
        true => draft.sections.as_ref(),
        false => draft.aside.sections.as_ref().or(turn.memory.sections),
    };
    if let Some(known) = known
        && known.settings == *turn.memory.settings
    {
        return Ok(known.sections.clone());
    }
    let settings = turn.memory.settings.clone();
    let question =
        DataSectionsQuestion { settings: Box::new(settings.clone()), changes: draft.resources.clone() };
    let sections = turn.ask(question)?.clone();
    let known = Some(DataSectionCache { settings, sections: sections.clone() });
    if is_changing {
        draft.sections = known;
    } else {
        draft.aside.sections = known;
    }
    Ok(sections)
}

/// Adds row changes to the draft.
pub(crate) fn append_row_changes(
    _turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    changes: Vec<ResourceChange>,
) {
    if !changes.is_empty() {
        draft.resources.extend(changes);
        draft.sections = None;
    }
}

/// Appends a notice of the data changed since the session last received it; reads the sections itself.
pub(crate) fn append_data_changes_now(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
) -> Result<(), TurnStop> {
    let sections = current_sections(turn, draft)?;
    append_data_changes(turn, draft, session, &sections)
}

/// Appends a notice of the data changed since the session last received it.
pub(crate) fn append_data_changes(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    sections: &[DataSection],
) -> Result<(), TurnStop> {
    let Some(drafted) = draft.sessions.get(session) else { return Ok(()) };
    if drafted.phase.end_reason().is_some() || drafted.facts.kind == SessionKind::Seed {
        return Ok(());
    }
    let naming = CommandNaming::from_dialect(drafted.facts.dialect);
    let language = turn.memory.settings.language;
    let model = turn.memory.catalog.resource_model();
    let told = &drafted.facts.told;
    let Some(notice) = data_sections::render_changes(told, sections, model, naming, language) else {
        return Ok(());
    };
    let told = Some(data_sections::section_hashes(sections));
    let change = RulesChange { notice: Some(notice), told, ..RulesChange::default() };
    turn.apply_input(draft, session, Input::RulesChanged(Box::new(change)))
}
