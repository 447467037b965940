//! Statements that a connection prepares once.

use std::marker::PhantomData;

use diesel::backend::Backend;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};

/// A statement whose text is the same whatever its values are. Diesel prepares every UPDATE and every ON CONFLICT DO
/// UPDATE anew, because a changeset may leave columns out; ours never do. Preparing them costs more than running them,
/// and with a server a round trip each.
pub(crate) struct Fixed<T>(pub(crate) T);

impl<T: Query> Query for Fixed<T> {
    type SqlType = T::SqlType;
}

impl<T> QueryId for Fixed<T> {
    type QueryId = ();

    // Known by its text.
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<DB: Backend, T: QueryFragment<DB>> QueryFragment<DB> for Fixed<T> {
    fn walk_ast<'b>(&'b self, pass: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.0.walk_ast(pass)
    }

    fn is_safe_to_cache_prepared(&self, _backend: &DB) -> QueryResult<bool> {
        Ok(true)
    }
}

impl<T, Conn> RunQueryDsl<Conn> for Fixed<T> {}

/// The same for what every commit runs, found by a type of its own and not by its text, which is then not written again.
pub(crate) struct Named<T, Name> {
    statement: Fixed<T>,
    name: PhantomData<Name>,
}

impl<T, Name> Named<T, Name> {
    /// The one statement of that name.
    pub(crate) fn new(_: Name, statement: T) -> Self {
        Self { statement: Fixed(statement), name: PhantomData }
    }
}

impl<T: Query, Name> Query for Named<T, Name> {
    type SqlType = T::SqlType;
}

impl<T, Name: 'static> QueryId for Named<T, Name> {
    type QueryId = Name;

    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<DB: Backend, T: QueryFragment<DB>, Name> QueryFragment<DB> for Named<T, Name> {
    fn walk_ast<'b>(&'b self, pass: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.statement.walk_ast(pass)
    }

    fn is_safe_to_cache_prepared(&self, backend: &DB) -> QueryResult<bool> {
        self.statement.is_safe_to_cache_prepared(backend)
    }
}

impl<T, Name, Conn> RunQueryDsl<Conn> for Named<T, Name> {}
