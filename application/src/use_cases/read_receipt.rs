use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;

use super::{UseCaseError, settings_of};
use crate::codec::decode_mail_answer;
use crate::mail::{MailAnswer, Receipt};
use crate::ports::{Clock, WorkspaceStore};
use crate::texts::{LocalizedTexts, saying};

use_case! {
    /// Finds the receipt of an idempotency key. It is checked first: a request that was executed gets its original
    /// answer, also if it would be refused by now.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut store = MockWorkspaceStore::new();
    /// store.expect_receipts().returning(|_, _| Ok(vec![]));
    /// let read = ReadReceipt::new(Arc::new(store), Arc::new(SystemClock), Millis::hours(24));
    /// let receipt = Receipt { person: "per_ann".into(), key: "k1".into(), fingerprint: Digest::new("f1") };
    /// assert_eq!(read.run(&samples::workspace(), &receipt).await?, None);
    /// # Ok(()) });
    /// ```
    pub struct ReadReceipt reads (store: dyn WorkspaceStore, clock: dyn Clock) with (
        /// How long a receipt is valid.
        kept: Millis
    )
}

impl ReadReceipt {
    /// The original answer; `None` if no request was executed under the key.
    ///
    /// # Errors
    /// [`UseCaseError::KeyReused`] when the key was used for another request; when the database cannot be read.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        receipt: &Receipt,
    ) -> Result<Option<MailAnswer>, UseCaseError> {
        let before = self.clock.now().plus(Millis(-self.kept.0));
        let rows = self.store.receipts(workspace, &[receipt.key()]).await?;
        let Some(row) = rows.into_iter().find(|row| row.created_at >= before) else { return Ok(None) };
        if row.fingerprint == receipt.fingerprint {
            return Ok(Some(decode_mail_answer(&row.answer)?));
        }
        let texts = LocalizedTexts::for_language(settings_of(&*self.store, workspace).await?.language);
        Err(UseCaseError::KeyReused(
            saying!("request-key-reused", key = &receipt.key).into_refusal_text(texts),
        ))
    }
}
