//! Images and PDFs of earlier rounds leave the prompt before anything else; the text beside each keeps its name and
//! digest.

use std::sync::Arc;

use entracte_domain::session::ModelSelection;

use super::Projection;
use super::closed_turn::{ClosedTurn, WHOLE_TURNS, begin_from, reply_from_last};
use crate::ports::{FileTokenFormula, PromptTurn, UserTurnPart};

impl Projection {
    /// The model, if the conversation has files and how this model counts them is not known yet.
    pub fn voice_of_uncounted_files(&self) -> Option<&ModelSelection> {
        self.voice.as_ref().filter(|_| self.has_files && !self.meter.knows_files())
    }

    /// Counts files by this formula until the model changes.
    pub fn count_files_by(&mut self, formula: FileTokenFormula) {
        self.meter.count_files_by(formula);
    }

    /// The sequence of the first reply after the files that leave the prompt, so that the next request has at most `most`
    /// tokens: those of the last two turns stay if that is enough, else those of the last one. `None` if no file can leave,
    /// or if that is not enough.
    pub fn select_file_cut(&self, most: u64) -> Option<u64> {
        // A generation begins, so nothing of the request is counted yet.
        let mut meter = self.meter;
        meter.forget();
        let size = meter.size(&self.closed).tokens;
        self.file_cuts().find_map(|(earlier, since)| {
            let files = meter.file_tokens(earlier);
            (files > 0 && size.saturating_sub(files) <= most).then_some(since)
        })
    }

    /// The sequence of the first reply after the files that leave the prompt, so that those of the next request have at most
    /// `most` bytes: those of the last two turns stay if that is enough. If nothing is, all leave that can. `None` if the
    /// files have so few bytes, or if none can leave.
    pub fn select_file_bytes_cut(&self, most: u64) -> Option<u64> {
        let all = self.meter.file_bytes(&self.closed);
        if all <= most {
            return None;
        }
        let bytes = |(earlier, since)| (self.meter.file_bytes(earlier), since);
        let mut cuts = self.file_cuts().map(bytes).filter(|(bytes, _)| *bytes > 0);
        let enough = cuts.clone().find(|(bytes, _)| all.saturating_sub(*bytes) <= most);
        enough.or_else(|| cuts.next_back()).map(|(_, since)| since)
    }

    /// The turns whose files may leave the prompt, each with the sequence of the reply after them: those before the last two
    /// turns, then those before the last one.
    fn file_cuts(&self) -> impl DoubleEndedIterator<Item = (&[ClosedTurn], u64)> + Clone {
        [WHOLE_TURNS, 1].into_iter().filter_map(move |whole| {
            let begin = reply_from_last(&self.closed, whole)?;
            Some((self.closed.get(..begin)?, self.closed.get(begin)?.since))
        })
    }

    /// Takes the files before the first reply since this sequence out of the prompt.
    pub(super) fn drop_files_before(&mut self, from: u64) {
        let begin = begin_from(&self.closed, from);
        for closed in self.closed.iter_mut().take(begin).filter(|closed| closed.has_files()) {
            closed.turn = Arc::new(without_files(&closed.turn));
        }
    }
}

/// A turn without its files, which its texts name.
pub(super) fn without_files(turn: &PromptTurn) -> PromptTurn {
    let PromptTurn::User(parts) = turn else { return turn.clone() };
    let text_alone = |part: &UserTurnPart| match part {
        UserTurnPart::File(_) => None,
        UserTurnPart::Result { provider_call_id, name, content, is_error, files: _ } => {
            Some(UserTurnPart::Result {
                provider_call_id: provider_call_id.clone(),
                name: name.clone(),
                content: content.clone(),
                is_error: *is_error,
                files: Vec::new(),
            })
        }
        UserTurnPart::Text(_) | UserTurnPart::System(_) => Some(part.clone()),
    };
    PromptTurn::User(parts.iter().filter_map(text_alone).collect())
}
