use super::{QuestionReader, TurnAnswers, TurnQuestion};
use crate::mail::ReceiptKey;
use crate::ports::ReceiptRow;
use crate::runtime::error::TurnError;

/// The receipt of this idempotency key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct ReceiptQuestion(pub(in crate::runtime) ReceiptKey);

impl TurnQuestion for ReceiptQuestion {
    type Answer = Option<ReceiptRow>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Option<ReceiptRow>, TurnError> {
        let rows = reader.services.store.receipts(reader.key, std::slice::from_ref(&self.0)).await?;
        Ok(rows.into_iter().find(|row| row.key == self.0))
    }
}

/// The receipts of these idempotency keys, read in one query. Each is stored under its own [`ReceiptQuestion`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct ReceiptsQuestion(pub(in crate::runtime) Vec<ReceiptKey>);

impl TurnQuestion for ReceiptsQuestion {
    type Answer = Vec<ReceiptRow>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Vec<ReceiptRow>, TurnError> {
        Ok(reader.services.store.receipts(reader.key, &self.0).await?)
    }

    fn store(self, rows: Vec<ReceiptRow>, answers: &mut TurnAnswers) {
        for key in self.0 {
            let row = rows.iter().find(|row| row.key == key).cloned();
            answers.put(ReceiptQuestion(key), row);
        }
    }
}
