//! Files that the entries of a turn name.

use std::collections::BTreeMap;

use entracte_domain::id::{Digest, SessionId};
use entracte_domain::session::Input;

use crate::journal::{JournalEntry, brought_files};
use crate::ports::FileUseRow;

/// The rows of the files that entries name, and of their forms for models, each once per session: under the name and by the
/// author that came first.
pub(crate) fn named_files<'a>(entries: impl IntoIterator<Item = &'a JournalEntry>) -> Vec<FileUseRow> {
    let mut rows: BTreeMap<(SessionId, Digest), FileUseRow> = BTreeMap::new();
    for entry in entries {
        let in_message = !matches!(entry.input, Input::CallFinished { .. });
        let brought = brought_files(&entry.input).into_iter();
        let stored =
            brought.flat_map(|(author, file)| file.stored().map(move |stored| (author, file, stored)));
        for (author, file, (digest, _)) in stored {
            let place = (entry.session.clone(), digest.clone());
            let row = rows.entry(place).or_insert_with(|| FileUseRow {
                session: entry.session.clone(),
                digest: digest.clone(),
                name: file.name.clone(),
                in_message,
                author: author.to_owned(),
                at: entry.at,
            });
            row.in_message |= in_message;
        }
    }
    rows.into_values().collect()
}

#[cfg(test)]
mod tests {
    use entracte_domain::call::CallOutcome;
    use entracte_domain::file::{FileReference, ModelForm, PixelDimensions};
    use entracte_domain::id::CallId;
    use entracte_domain::message::{Segment, UserMessage};
    use entracte_domain::session::UserMessageSent;
    use entracte_domain::time::Timestamp;

    use super::*;

    fn file(digest: &str, name: &str) -> FileReference {
        FileReference {
            digest: Digest::new(digest),
            media_type: "image/png".into(),
            name: name.into(),
            bytes: 3,
            dimensions: None,
            pages: None,
            model_form: None,
        }
    }

    fn entry(sequence: u64, input: Input) -> JournalEntry {
        JournalEntry {
            seq: sequence,
            session: SessionId::new("ses_a"),
            sequence,
            at: Timestamp(7),
            rules: Digest::new("r1"),
            input,
            appended: Vec::new(),
        }
    }

    fn sent(files: Vec<FileReference>) -> Input {
        Input::UserMessageSent(UserMessageSent {
            author: "ann".into(),
            message: UserMessage { segments: files.into_iter().map(Segment::File).collect() },
            client_key: None,
            enrichments: Vec::new(),
            title: None,
            asks: true,
            instead_of: Vec::new(),
        })
    }

    #[test]
    fn file_is_noted_once_by_its_first_author() {
        let outcome = CallOutcome::Succeeded {
            content: "shot".into(),
            files: vec![file("d1", "again.png"), file("d2", "shot.png")],
            digest: Digest::new("c1"),
        };
        let call = CallId::new("cal_a_2_0");
        let finished = Input::CallFinished { call: call.clone(), attempt: 1, outcome };
        let rows = named_files(&[entry(1, sent(vec![file("d1", "chart.png")])), entry(2, finished)]);
        let told: Vec<_> =
            rows.iter().map(|row| (row.digest.as_str(), &*row.name, &*row.author, row.in_message)).collect();
        assert_eq!(told, [("d1", "chart.png", "ann", true), ("d2", "shot.png", call.as_str(), false)]);
    }

    /// Input: an image with a form for models; expected: the session names both, so that they are kept and deleted together.
    #[test]
    fn form_is_noted_with_its_image() {
        let form = ModelForm {
            digest: Digest::new("d2"),
            media_type: "image/jpeg".into(),
            bytes: 2,
            dimensions: PixelDimensions { width: 2, height: 1 },
            is_first_frame: false,
        };
        let scan = FileReference { model_form: Some(form), ..file("d1", "scan.png") };
        let rows = named_files(&[entry(1, sent(vec![scan]))]);
        let told: Vec<_> = rows.iter().map(|row| (row.digest.as_str(), &*row.name, row.in_message)).collect();
        assert_eq!(told, [("d1", "scan.png", true), ("d2", "scan.png", true)]);
    }

    #[test]
    fn entry_without_files_notes_nothing() {
        assert_eq!(named_files(&[entry(1, sent(Vec::new())), entry(2, Input::TimeReached)]), []);
    }
}
