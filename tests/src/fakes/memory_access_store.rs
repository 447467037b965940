//! People and tokens in memory.

use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use entracte_application::ports::{
    AccessReach, AccessStore, MemoryReceiptTable, Person, ReceiptRow, STREAM_TICKETS_MAX, StoreError,
    StoreOutage, StreamTicketRow, TokenKind, TokenRow,
};
use entracte_domain::id::{Digest, WorkspaceKey};
use entracte_domain::time::Timestamp;

/// People and tokens, in the order of insertion.
#[derive(Debug, Default)]
pub struct MemoryAccessStore {
    rows: Mutex<(Vec<Person>, Vec<TokenRow>)>,
    receipts: Mutex<MemoryReceiptTable>,
    tickets: Mutex<Vec<StreamTicketRow>>,
}

impl MemoryAccessStore {
    fn rows(&self) -> MutexGuard<'_, (Vec<Person>, Vec<TokenRow>)> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn with_person(people: &[Person], token: &TokenRow) -> Option<(TokenRow, Person)> {
    let person = people.iter().find(|person| person.id == token.person)?;
    Some((token.clone(), person.clone()))
}

#[async_trait]
impl AccessStore for MemoryAccessStore {
    async fn add_person(&self, person: Person) -> Result<Person, StoreError> {
        let mut rows = self.rows();
        let names = (2..).map(|number| format!("{} ({number})", person.name));
        for name in std::iter::once(person.name.clone()).chain(names) {
            let mut here = rows.0.iter().filter(|known| known.reach == person.reach);
            match here.find(|known| known.name == name) {
                Some(known) if known.removed_at.is_none() => return Ok(known.clone()),
                Some(_) => {}
                None => {
                    let added = Person { name, ..person };
                    rows.0.push(added.clone());
                    return Ok(added);
                }
            }
        }
        Err(StoreError::Unavailable(StoreOutage::from("no name is left")))
    }

    async fn remove_person(&self, id: &str, at: Timestamp) -> Result<(), StoreError> {
        let mut rows = self.rows();
        for person in rows.0.iter_mut().filter(|person| person.id == id) {
            person.removed_at.get_or_insert(at);
        }
        Ok(())
    }

    async fn people(&self, reach: &AccessReach) -> Result<Vec<Person>, StoreError> {
        let mut people: Vec<Person> =
            self.rows().0.iter().filter(|person| person.reach == *reach).cloned().collect();
        people.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(people)
    }

    async fn add_token(&self, token: TokenRow) -> Result<(), StoreError> {
        let mut rows = self.rows();
        if with_person(&rows.0, &token).is_none() {
            return Err(StoreError::Unavailable(StoreOutage::from("no such person")));
        }
        if rows.1.iter().all(|known| known.id != token.id) {
            if token.kind == TokenKind::Relay {
                let is_over = |at: Timestamp| at <= token.created_at;
                rows.1
                    .retain(|known| known.kind != TokenKind::Relay || !known.expires_at.is_some_and(is_over));
            }
            rows.1.push(token);
        }
        Ok(())
    }

    async fn add_token_once(
        &self,
        token: TokenRow,
        workspace: WorkspaceKey,
        receipt: ReceiptRow,
        before: Timestamp,
    ) -> Result<Option<ReceiptRow>, StoreError> {
        if with_person(&self.rows().0, &token).is_none() {
            return Err(StoreError::Unavailable(StoreOutage::from("no such person")));
        }
        {
            let mut receipts = self.receipts.lock().unwrap_or_else(PoisonError::into_inner);
            let key = receipt.key.clone();
            if receipts.insert_receipt(&workspace, receipt, before).is_err() {
                return Ok(receipts.find_receipts(&workspace, &[key]).pop());
            }
        }
        self.add_token(token).await.map(|()| None)
    }

    async fn token(&self, id: &str) -> Result<Option<(TokenRow, Person)>, StoreError> {
        let rows = self.rows();
        let found = rows.1.iter().find(|token| token.id == id);
        Ok(found.and_then(|token| with_person(&rows.0, token)))
    }

    async fn tokens(&self, reach: &AccessReach) -> Result<Vec<(TokenRow, Person)>, StoreError> {
        let rows = self.rows();
        let here = rows.1.iter().filter(|token| *reach == AccessReach::Everywhere || token.reach == *reach);
        let mut tokens: Vec<_> = here.filter_map(|token| with_person(&rows.0, token)).collect();
        tokens.sort_by_key(|(token, _)| std::cmp::Reverse(token.created_at));
        Ok(tokens)
    }

    async fn revoke(&self, reach: &AccessReach, id: &str, at: Timestamp) -> Result<bool, StoreError> {
        let mut rows = self.rows();
        let mut here =
            rows.1.iter_mut().filter(|token| *reach == AccessReach::Everywhere || token.reach == *reach);
        let Some(token) = here.find(|token| token.id == id) else { return Ok(false) };
        token.revoked_at.get_or_insert(at);
        Ok(true)
    }

    async fn replace_token(&self, id: &str, token: TokenRow) -> Result<bool, StoreError> {
        let mut rows = self.rows();
        if with_person(&rows.0, &token).is_none() {
            return Err(StoreError::Unavailable(StoreOutage::from("no such person")));
        }
        let open = rows.1.iter_mut().find(|known| known.id == id && known.revoked_at.is_none());
        let Some(spent) = open else { return Ok(false) };
        spent.revoked_at = Some(token.created_at);
        rows.1.push(token);
        Ok(true)
    }

    async fn record_token_use(&self, id: &str, at: Timestamp) -> Result<(), StoreError> {
        if let Some(token) = self.rows().1.iter_mut().find(|token| token.id == id) {
            token.last_used = Some(at);
        }
        Ok(())
    }

    async fn add_stream_ticket(&self, ticket: StreamTicketRow) -> Result<(), StoreError> {
        if self.rows().1.iter().all(|token| token.id != ticket.token) {
            return Err(StoreError::Unavailable(StoreOutage::from("no such token")));
        }
        let mut tickets = self.tickets.lock().unwrap_or_else(PoisonError::into_inner);
        tickets.retain(|known| known.expires_at > ticket.created_at);
        let own = tickets.iter().filter(|known| known.token == ticket.token).count();
        if own >= STREAM_TICKETS_MAX
            && let Some(oldest) = tickets.iter().position(|known| known.token == ticket.token)
        {
            tickets.remove(oldest);
        }
        tickets.push(ticket);
        Ok(())
    }

    async fn stream_ticket(&self, hash: &Digest) -> Result<Option<StreamTicketRow>, StoreError> {
        let tickets = self.tickets.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(tickets.iter().find(|ticket| ticket.hash == *hash).cloned())
    }
}
