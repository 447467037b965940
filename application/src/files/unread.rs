//! Which files of a conversation the model in use does not read: a person is told once in a session.

use entracte_domain::file::{FileKind, FileReference};
use entracte_domain::message::{Message, MessageBody};

use crate::ports::FileTokenFormula;
use crate::texts::{LocalizedMessage, saying};

/// Kinds of files that a model does not read; it gets a line that names each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnreadFileKinds {
    /// Images.
    pub images: bool,
    /// PDFs.
    pub pdf: bool,
}

impl UnreadFileKinds {
    /// The kinds that a model with this formula does not read.
    pub fn of_model(formula: FileTokenFormula) -> Self {
        Self { images: formula.image.is_none(), pdf: formula.pdf_page.is_none() }
    }

    /// Those of these kinds that are among files.
    fn among<'a>(self, files: impl Iterator<Item = &'a FileReference>) -> Self {
        files.fold(Self::default(), |found, file| match file.kind() {
            FileKind::Image => Self { images: self.images, ..found },
            FileKind::Pdf => Self { pdf: self.pdf, ..found },
            FileKind::Other => found,
        })
    }

    fn without(self, told: Self) -> Self {
        Self { images: self.images && !told.images, pdf: self.pdf && !told.pdf }
    }

    fn and(self, other: Self) -> Self {
        Self { images: self.images || other.images, pdf: self.pdf || other.pdf }
    }

    /// What a person is told; `None` for no kind.
    pub fn message(self) -> Option<LocalizedMessage> {
        match (self.images, self.pdf) {
            (true, true) => Some(saying!("file-unread-both")),
            (true, false) => Some(saying!("file-unread-images")),
            (false, true) => Some(saying!("file-unread-pdf")),
            (false, false) => None,
        }
    }
}

/// For each message of a session, in order from its first: the kinds of files that are told beside it. Each kind is told
/// beside the first message that brings a file of it, whether a person or a call brought that.
pub fn tell_unread_files<'a>(
    messages: impl IntoIterator<Item = &'a Message>,
    unread: UnreadFileKinds,
) -> Vec<UnreadFileKinds> {
    let mut told = UnreadFileKinds::default();
    let tell = |message| {
        let new = unread.among(files_of(message).into_iter()).without(told);
        told = told.and(new);
        new
    };
    messages.into_iter().map(tell).collect()
}

/// The files that a message brings.
fn files_of(message: &Message) -> Vec<&FileReference> {
    match &message.body {
        MessageBody::Rich(said) => said.files().collect(),
        MessageBody::System(system) => system.results.iter().flat_map(|result| &result.files).collect(),
        MessageBody::Text(_) | MessageBody::Ai(_) | MessageBody::Execution(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use entracte_domain::id::{Digest, MessageId};
    use entracte_domain::message::{Author, Segment, UserMessage};
    use entracte_domain::time::Timestamp;

    use super::*;

    fn message(media_types: &[&str]) -> Message {
        let file = |media_type: &&str| {
            Segment::File(FileReference {
                digest: Digest::new("d1"),
                media_type: (*media_type).to_owned(),
                name: "a".to_owned(),
                bytes: 1,
                dimensions: None,
                pages: None,
                model_form: None,
            })
        };
        Message {
            id: MessageId::new("msg_1"),
            at: Timestamp(0),
            author: Author::Person("ann".to_owned()),
            body: MessageBody::Rich(UserMessage { segments: media_types.iter().map(file).collect() }),
            exclude_from_prompt: false,
        }
    }

    /// Input: messages with a sound, an image, again an image with a PDF, and both again, for a model that reads neither and
    /// for one that reads images; expected: each kind that is not read is told beside the first message that brings it.
    #[test]
    fn each_unread_kind_is_told_once() {
        let sent = [
            message(&["audio/wav"]),
            message(&["image/png"]),
            message(&["image/gif", "application/pdf"]),
            message(&["image/png", "application/pdf"]),
        ];
        let kinds = |images, pdf| UnreadFileKinds { images, pdf };
        let none = kinds(false, false);
        let blind = UnreadFileKinds::of_model(FileTokenFormula { image: None, pdf_page: None });
        assert_eq!(tell_unread_files(&sent, blind), [none, kinds(true, false), kinds(false, true), none]);
        let sees =
            UnreadFileKinds::of_model(FileTokenFormula { pdf_page: None, ..FileTokenFormula::UNPUBLISHED });
        assert_eq!(tell_unread_files(&sent, sees), [none, none, kinds(false, true), none]);
        assert_eq!(tell_unread_files(&sent, none), [none; 4]);
        assert_eq!(none.message(), None);
    }

    #[test]
    fn both_kinds_of_one_message_are_told_together() {
        let blind = UnreadFileKinds { images: true, pdf: true };
        assert_eq!(tell_unread_files(&[message(&["image/png", "application/pdf"])], blind), [blind]);
        assert!(blind.message().is_some());
    }
}
