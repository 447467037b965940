use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;

use super::{CreateToken, IssuedToken, NewToken, UseCaseError, expect_created_id};
use crate::codec::{decode_mail_answer, encode_mail_answer};
use crate::mail::{MailAnswer, Receipt};
use crate::ports::{Person, ReceiptRow, TokenRow};
use crate::texts::{LocalizedTexts, saying};

/// The result of an idempotent token creation.
#[derive(Debug)]
pub enum TokenCreationOutcome {
    /// The token was created now.
    Now(IssuedToken),
    /// The token was created by an earlier request; its secret cannot be shown again.
    Before(TokenRow, Person),
}

/// Creates a token of a workspace idempotently: it is committed with its receipt, so repeated requests under the same
/// key create it once.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # example(async {
/// let mut access = MockAccessStore::new();
/// access.expect_add_person().returning(Ok);
/// access.expect_add_token_once().returning(|_, _, _, _| Ok(None));
/// let create = CreateToken::new(Arc::new(access), Arc::new(SystemClock), Arc::new(RandomIdGenerator));
/// let new = NewToken {
///     person: "ann".into(),
///     reach: AccessReach::Workspace(samples::workspace()),
///     kind: TokenKind::Program,
///     name: "laptop".into(),
///     scopes: TokenScopes::new([TokenScope::Read]),
///     embedded: None,
///     expires_at: None,
///     made_by: None,
/// };
/// let receipt = Receipt { person: "per_ann".into(), key: "k1".into(), fingerprint: Digest::new("f1") };
/// let create = CreateTokenIdempotently::new(create, Millis::hours(24));
/// let made = create.run(&samples::workspace(), new, &receipt).await?;
/// assert!(matches!(made, TokenCreationOutcome::Now(_)));
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// If it is dropped during the write, token and receipt are both written or neither. A retry under the same key
/// returns the token without its secret, which is lost.
pub struct CreateTokenIdempotently {
    create: CreateToken,
    kept: Millis,
}

impl CreateTokenIdempotently {
    /// Wraps this use case; receipts are valid for `kept`.
    pub fn new(create: CreateToken, kept: Millis) -> Self {
        Self { create, kept }
    }

    /// Creates the token, or returns the one created under this key.
    ///
    /// # Errors
    /// Same as [`CreateToken::run`]; also when the key was used for another request, or the token was revoked and
    /// deleted.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        new: NewToken,
        receipt: &Receipt,
    ) -> Result<TokenCreationOutcome, UseCaseError> {
        let (access, now) = (&self.create.access, self.create.clock.now());
        let drawn = self.create.generate_token(new).await?;
        let row = ReceiptRow {
            key: receipt.key(),
            fingerprint: receipt.fingerprint.clone(),
            answer: encode_mail_answer(&MailAnswer::Made { id: drawn.token.id.clone() })?,
            created_at: now,
        };
        let before = now.plus(Millis(-self.kept.0));
        let known = access.add_token_once(drawn.token.clone(), workspace.clone(), row, before).await?;
        let Some(known) = known else { return Ok(TokenCreationOutcome::Now(drawn)) };
        let id = match known.fingerprint == receipt.fingerprint {
            true => expect_created_id(decode_mail_answer(&known.answer)?)?,
            false => None,
        };
        let found = match id {
            Some(id) => access.token(&id).await?,
            None => None,
        };
        let (token, person) = found.ok_or_else(|| {
            let texts = LocalizedTexts::for_language(crate::settings::Language::default());
            UseCaseError::KeyReused(
                saying!("request-key-reused", key = &receipt.key).into_refusal_text(texts),
            )
        })?;
        Ok(TokenCreationOutcome::Before(token, person))
    }
}
