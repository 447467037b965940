//! Mail as it is stored.

use super::{CodecError, format_version, v1};
use crate::mail::{Mail, MailAnswer};

/// The bytes of a piece of mail.
///
/// # Errors
/// [`CodecError::Unstorable`] when a value in it breaks a promise of its type.
pub fn encode_mail(mail: &Mail) -> Result<Vec<u8>, CodecError> {
    format_version::write("mail", &v1::MailV1::from(mail))
}

/// The mail that these bytes are of.
///
/// # Errors
/// [`CodecError::UnknownVersion`] when a newer Entracte wrote it, [`CodecError::Malformed`] when the bytes are
/// damaged.
pub fn decode_mail(bytes: &[u8]) -> Result<Mail, CodecError> {
    format_version::read::<v1::MailV1, _>("mail", bytes)
}

/// The bytes of an answer.
///
/// # Errors
/// [`CodecError::Unstorable`] when a value in it breaks a promise of its type.
pub fn encode_mail_answer(answer: &MailAnswer) -> Result<Vec<u8>, CodecError> {
    format_version::write("answer to mail", &v1::MailAnswerV1::from(answer))
}

/// The answer that these bytes are of.
///
/// # Errors
/// [`CodecError::UnknownVersion`] when a newer Entracte wrote it, [`CodecError::Malformed`] when the bytes are
/// damaged.
pub fn decode_mail_answer(bytes: &[u8]) -> Result<MailAnswer, CodecError> {
    format_version::read::<v1::MailAnswerV1, _>("answer to mail", bytes)
}
