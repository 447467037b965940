use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;

use super::{CreateToken, IssuedToken, NewToken, UseCaseError, expect_created_id};
use crate::codec::{decode_mail_answer, encode_mail_answer};
use crate::mail::{MailAnswer, Receipt};
use crate::ports::{Person, ReceiptRow, TokenRow};
use crate::texts::{LocalizedTexts, saying};

/// A token that was asked for under a key.
#[derive(Debug)]
pub enum TokenCreationOutcome {
    /// It was made now.
    Now(IssuedToken),
    /// It was made before; nobody can be shown its secret again.
    Before(TokenRow, Person),
}

/// Makes a token of a workspace once, however often it is asked for under the same key: it is committed with its receipt.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # example(async {
/// let mut access = MockAccessStore::new();
/// access.expect_add_person().returning(Ok);
/// access.expect_add_token_once().returning(|_, _, _| Ok(None));
/// let create = CreateToken::new(Arc::new(access), Arc::new(SystemClock), Arc::new(RandomIds));
/// let new = NewToken {
///     person: "ann".into(),
///     reach: Reach::Workspace(samples::workspace()),
///     kind: TokenKind::Program,
///     name: "laptop".into(),
///     scopes: Scopes::new([Scope::Read]),
///     embedded: None,
///     expires_at: None,
///     made_by: None,
/// };
/// let receipt = Receipt { person: "per_ann".into(), key: "k1".into(), fingerprint: Digest::new("f1") };
/// let made = CreateTokenOnce::new(create, Millis::hours(24)).run(&samples::workspace(), new, &receipt).await?;
/// assert!(matches!(made, MadeOnce::Now(_)));
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// Dropped while it writes, the token and its receipt are there or neither is. Asked again under the same key it
/// gives the token that was made, without its secret: that one is gone with the future.
pub struct CreateTokenIdempotently {
    create: CreateToken,
    kept: Millis,
}

impl CreateTokenIdempotently {
    /// Over this use case; it is remembered for so long.
    pub fn new(create: CreateToken, kept: Millis) -> Self {
        Self { create, kept }
    }

    /// Makes it, or gives the one that was made under this key.
    ///
    /// # Errors
    /// As [`CreateToken::run`]; when the key was used for another request, or the token was revoked and is gone.
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
        let known = access.add_token_once(drawn.token.clone(), (workspace.clone(), row), before).await?;
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
