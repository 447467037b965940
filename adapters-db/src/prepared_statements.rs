//! Statements that a connection prepares once.

use std::marker::PhantomData;

use diesel::backend::Backend;
use diesel::expression::{
    AppearsOnTable, Expression, SelectableExpression, TypedExpressionType, ValidGrouping, is_aggregate,
};
use diesel::prelude::*;
use diesel::query_builder::{AsChangeset, AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::BoolOrNullableBool;

/// A statement whose text does not depend on its values. Diesel prepares every UPDATE and every ON CONFLICT DO UPDATE
/// anew, because a changeset may omit columns; those of this crate never do. Preparing costs more than running, and a
/// round trip each with a server.
///
/// It must return rows: `execute` passes a reference to the statement to the connection, and Diesel asks the inner
/// statement for its cache key. For statements without a result see [`PreparedUpdate`].
pub(crate) struct PreparedQuery<T>(pub(crate) T);

impl<T: Query> Query for PreparedQuery<T> {
    type SqlType = T::SqlType;
}

impl<T> QueryId for PreparedQuery<T> {
    type QueryId = ();

    // The statement is cached by its text.
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

/// A prepared statement of every commit, cached by a marker type instead of its text, which is then not rendered again.
pub(crate) struct NamedQuery<T, Name> {
    statement: PreparedQuery<T>,
    name: PhantomData<Name>,
}

impl<T, Name> NamedQuery<T, Name> {
    /// Wraps the only statement with this marker type.
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

/// An UPDATE that stays prepared even when executed without a result: its changeset omits no column.
pub(crate) struct PreparedUpdate<From, Set, Stands> {
    table: From,
    set: Set,
    stands: Stands,
}

/// Builds an UPDATE that sets `state` in the rows of the table that match `stands`.
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

/// A statement without values that stays prepared; a plain text would be prepared at every run.
pub(crate) struct StaticStatement(pub(crate) &'static str);

impl<DB: Backend> QueryFragment<DB> for StaticStatement {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql(self.0);
        Ok(())
    }
}

/// A part of a statement whose text never changes. Diesel prepares a statement with its own literals (`sql`) at every
/// run, because their text may change; one with these stays prepared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StaticSql<ST> {
    text: &'static str,
    sql_type: PhantomData<ST>,
}

/// A literal expression of this type.
pub(crate) const fn static_sql<ST>(text: &'static str) -> StaticSql<ST> {
    StaticSql { text, sql_type: PhantomData }
}

impl<ST: TypedExpressionType> Expression for StaticSql<ST> {
    type SqlType = ST;
}

impl<ST> QueryId for StaticSql<ST> {
    type QueryId = ();

    // The statement is cached by its text.
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<DB: Backend, ST> QueryFragment<DB> for StaticSql<ST> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql(self.text);
        Ok(())
    }
}

impl<ST, From> SelectableExpression<From> for StaticSql<ST> where Self: AppearsOnTable<From> {}

impl<ST: TypedExpressionType, From> AppearsOnTable<From> for StaticSql<ST> {}

impl<ST, Grouping> ValidGrouping<Grouping> for StaticSql<ST> {
    type IsAggregate = is_aggregate::Never;
}

/// Makes a type a query with rows of this SQL type. Its statement is cached by its text, which depends on its values.
macro_rules! query_cached_by_text {
    ($statement:ident => $row:ty) => {
        impl diesel::query_builder::QueryId for $statement {
            type QueryId = ();

            const HAS_STATIC_QUERY_ID: bool = false;
        }

        impl diesel::query_builder::Query for $statement {
            type SqlType = $row;
        }

        impl<Conn> diesel::RunQueryDsl<Conn> for $statement {}
    };
}

pub(crate) use query_cached_by_text;

#[cfg(test)]
thread_local! {
    /// Number of times this thread rendered a named statement, to distinguish it from others in tests.
    pub(crate) static LOOKS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}
