//! Encoding of mail and its answers.

use super::{CodecError, format_version, v1};
use crate::mail::{Mail, MailAnswer};

/// Encodes a mail item.
///
/// # Errors
/// [`CodecError::Unstorable`] when a value violates an invariant of its type.
pub fn encode_mail(mail: &Mail) -> Result<Vec<u8>, CodecError> {
    format_version::write("mail", &v1::MailV1::from(mail))
}

/// Decodes a mail item.
///
/// # Errors
/// [`CodecError::UnknownVersion`] when a newer Entracte wrote it, [`CodecError::Malformed`] when the bytes are
/// damaged, or name no session for a request to a session. A session that the request does not need is ignored.
pub fn decode_mail(bytes: &[u8]) -> Result<Mail, CodecError> {
    let shape: v1::MailV1 = format_version::read_shape("mail", bytes)?;
    Mail::try_from(shape).map_err(|error| CodecError::Malformed { what: "mail", detail: error.to_string() })
}

/// Encodes an answer.
///
/// # Errors
/// [`CodecError::Unstorable`] when a value violates an invariant of its type.
pub fn encode_mail_answer(answer: &MailAnswer) -> Result<Vec<u8>, CodecError> {
    format_version::write("answer to mail", &v1::MailAnswerV1::from(answer))
}

/// Decodes an answer.
///
/// # Errors
/// [`CodecError::UnknownVersion`] when a newer Entracte wrote it, [`CodecError::Malformed`] when the bytes are
/// damaged.
pub fn decode_mail_answer(bytes: &[u8]) -> Result<MailAnswer, CodecError> {
    format_version::read::<v1::MailAnswerV1, _>("answer to mail", bytes)
}
