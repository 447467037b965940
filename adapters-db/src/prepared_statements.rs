//! Statements that a connection prepares once.

use std::marker::PhantomData;

use diesel::backend::Backend;
use diesel::expression::AppearsOnTable;
use diesel::prelude::*;
use diesel::query_builder::{AsChangeset, AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::BoolOrNullableBool;

/// A statement whose text is the same whatever its values are. Diesel prepares every UPDATE and every ON CONFLICT DO
/// UPDATE anew, because a changeset may leave columns out; ours never do. Preparing them costs more than running them,
/// and with a server a round trip each.
///
/// It must return rows: what is executed goes to the connection as a reference, and a reference asks the statement inside. Where
/// there is nothing to return, see [`PreparedUpdate`].
pub(crate) struct PreparedQuery<T>(pub(crate) T);

impl<T: Query> Query for PreparedQuery<T> {
    type SqlType = T::SqlType;
}

impl<T> QueryId for PreparedQuery<T> {
    type QueryId = ();

    // Known by its text.
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<DB: Backend, T: QueryFragment<DB>> QueryFragment<DB> for PreparedQuery<T> {
    fn walk_ast<'b>(&'b self, pass: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.0.walk_ast(pass)
    }

    fn is_safe_to_cache_prepared(&self, _backend: &DB) -> QueryResult<bool> {
        Ok(true)
    }
}

impl<T, Conn> RunQueryDsl<Conn> for PreparedQuery<T> {}

/// The same for what every commit runs, found by a type of its own and not by its text, which is then not written again.
pub(crate) struct NamedQuery<T, Name> {
    statement: PreparedQuery<T>,
    name: PhantomData<Name>,
}

impl<T, Name> NamedQuery<T, Name> {
    /// The one statement of that name.
    pub(crate) fn new(_: Name, statement: T) -> Self {
        Self { statement: PreparedQuery(statement), name: PhantomData }
    }
}

impl<T: Query, Name> Query for NamedQuery<T, Name> {
    type SqlType = T::SqlType;
}

impl<T, Name: 'static> QueryId for NamedQuery<T, Name> {
    type QueryId = Name;

    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<DB: Backend, T: QueryFragment<DB>, Name> QueryFragment<DB> for NamedQuery<T, Name> {
    fn walk_ast<'b>(&'b self, pass: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        #[cfg(test)]
        LOOKS.set(LOOKS.get() + 1);
        self.statement.walk_ast(pass)
    }

    fn is_safe_to_cache_prepared(&self, backend: &DB) -> QueryResult<bool> {
        self.statement.is_safe_to_cache_prepared(backend)
    }
}

impl<T, Name, Conn> RunQueryDsl<Conn> for NamedQuery<T, Name> {}

/// An UPDATE that is kept, also where it is executed: one whose changeset leaves no column out.
pub(crate) struct PreparedUpdate<From, Set, Stands> {
    table: From,
    set: Set,
    stands: Stands,
}

/// Puts `state` into the rows of the table for which `stands` is true.
pub(crate) fn update<T, V, W>(table: T, stands: W, state: V) -> PreparedUpdate<T::FromClause, V::Changeset, W>
where
    T: Table,
    V: AsChangeset<Target = T>,
    W: AppearsOnTable<T>,
    W::SqlType: BoolOrNullableBool,
{
    PreparedUpdate { table: table.from_clause(), set: state.as_changeset(), stands }
}

impl<DB, From, Set, Stands> QueryFragment<DB> for PreparedUpdate<From, Set, Stands>
where
    DB: Backend,
    From: QueryFragment<DB>,
    Set: QueryFragment<DB>,
    Stands: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("UPDATE ");
        self.table.walk_ast(out.reborrow())?;
        out.push_sql(" SET ");
        self.set.walk_ast(out.reborrow())?;
        out.push_sql(" WHERE ");
        self.stands.walk_ast(out)
    }
}

/// A statement without values, which is kept: as a text alone it would be prepared at every run.
pub(crate) struct StaticStatement(pub(crate) &'static str);

impl<DB: Backend> QueryFragment<DB> for StaticStatement {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql(self.0);
        Ok(())
    }
}

#[cfg(test)]
thread_local! {
    /// How often this thread looked into a statement with a name: so one is told from others.
    pub(crate) static LOOKS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}
