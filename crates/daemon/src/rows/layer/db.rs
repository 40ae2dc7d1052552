//! The tables as one transaction sees them: what reads and what writes goes through here.

use std::{cell::Cell, fmt::Debug, ops::ControlFlow, sync::Arc};

use rusqlite::{CachedStatement, Connection, Rows};

use super::{
    kept::Kept,
    row::{New, Parameters, Read, Values},
    tables::Table,
};
use crate::error::Result;

thread_local! {
    static STATEMENTS: Cell<u64> = const { Cell::new(0) };
}

/// The number of statements that this thread has run, for benches.
pub fn statements() -> u64 {
    STATEMENTS.get()
}

/// Runs a check that only debug builds make. Its statements do not count.
pub fn checking<T>(check: impl FnOnce() -> T) -> T {
    let counted = STATEMENTS.get();
    let checked = check();
    STATEMENTS.set(counted);
    checked
}

/// The tables in one transaction. Every statement is a constant, and is prepared once.
#[derive(Debug, Clone, Copy)]
pub struct Db<'a> {
    conn: &'a Connection,
    /// What the writer keeps; a reader keeps nothing
    kept: Option<&'a Kept>,
}

impl<'a> Db<'a> {
    /// The tables that a connection sees. An operation has them from its `Cx`.
    pub fn new(conn: &'a Connection) -> Self {
        Self { conn, kept: None }
    }

    /// The tables as the writer sees them.
    pub fn of_writer(conn: &'a Connection, kept: &'a Kept) -> Self {
        Self { conn, kept: Some(kept) }
    }

    /// Whether it cannot be changed.
    pub fn is_readonly(self) -> Result<bool> {
        Ok(self.conn.is_readonly("main")?)
    }

    /// Every row of the answer.
    pub fn all<R: Read>(self, sql: &'static str, values: impl Values) -> Result<Vec<R>> {
        let mut found = Vec::new();
        self.each(sql, values, |row| {
            found.push(row);
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }

    /// Gives rows of the answer away, one after another, until it is enough.
    pub fn each<R: Read>(
        self,
        sql: &'static str,
        values: impl Values,
        mut take: impl FnMut(R) -> ControlFlow<()>,
    ) -> Result<()> {
        let mut statement = self.bound(sql, values)?;
        let mut rows = statement.raw_query();
        while let Some(row) = read(&mut rows)? {
            if take(row).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The one row of an answer that always has one.
    pub fn one<R: Read>(self, sql: &'static str, values: impl Values) -> Result<R> {
        let found = self.maybe(sql, values)?;
        found.ok_or_else(|| rusqlite::Error::QueryReturnedNoRows.into())
    }

    /// The first row of the answer, if there is one.
    pub fn maybe<R: Read>(self, sql: &'static str, values: impl Values) -> Result<Option<R>> {
        read(&mut self.bound(sql, values)?.raw_query())
    }

    /// [`Db::maybe`] of rows from [`Kept::FROM`], kept from an earlier time.
    pub fn known<R>(self, sql: &'static str, values: impl Values) -> Result<Option<R>>
    where
        R: Read + Clone + Debug + PartialEq + Send + Sync + 'static,
    {
        let found = self.keep(sql, &values, || self.maybe::<R>(sql, &values))?;
        Ok(Option::clone(&found))
    }

    /// [`Db::all`] of rows from [`Kept::FROM`], kept from an earlier time.
    pub fn all_known<R>(self, sql: &'static str, values: impl Values) -> Result<Arc<Vec<R>>>
    where
        R: Read + Debug + PartialEq + Send + Sync + 'static,
    {
        self.keep(sql, &values, || self.all::<R>(sql, &values))
    }

    fn keep<T: Debug + PartialEq + Send + Sync + 'static>(
        self,
        sql: &'static str,
        values: impl Values,
        read: impl Fn() -> Result<T>,
    ) -> Result<Arc<T>> {
        let Some(kept) = self.kept else { return read().map(Arc::new) };
        let key = Parameters::key(sql, values)?;
        if let Some(known) = kept.get::<T>(&key) {
            if cfg!(debug_assertions) {
                assert_eq!(*known, checking(&read)?, "kept, and in the tables: {sql}");
            }
            return Ok(known);
        }
        let found = Arc::new(read()?);
        kept.put(key, found.clone());
        Ok(found)
    }

    /// Whether the answer has a row.
    pub fn exists(self, sql: &'static str, values: impl Values) -> Result<bool> {
        Ok(self.bound(sql, values)?.raw_query().next()?.is_some())
    }

    /// Changes a table, and tells how many rows of it were changed. This and [`Db::count`] alone
    /// write.
    pub fn change(self, table: Table, sql: &'static str, values: impl Values) -> Result<usize> {
        let changed = self.bound(sql, values)?.raw_execute();
        if let Some(kept) = self.kept
            && !matches!(changed, Ok(0))
        {
            kept.changed(table);
        }
        Ok(changed?)
    }

    /// Changes columns that no kept answer has: what is kept stays as it is.
    pub fn count(self, sql: &'static str, values: impl Values) -> Result<()> {
        self.bound(sql, values)?.raw_execute()?;
        Ok(())
    }

    /// Puts a row into its table, and gives its number.
    pub fn insert<N: New>(self, new: &N) -> Result<i64> {
        if N::TABLE.numbered().is_none() {
            self.change(N::TABLE, N::INSERT, new)?;
            return Ok(self.conn.last_insert_rowid());
        }
        self.count(N::INSERT, new)?;
        let number = self.conn.last_insert_rowid();
        if let Some(kept) = self.kept {
            kept.gave(N::TABLE, number);
        }
        Ok(number)
    }

    /// What the writer keeps; a reader keeps nothing.
    pub fn kept(self) -> Option<&'a Kept> {
        self.kept
    }

    fn bound(self, sql: &'static str, values: impl Values) -> Result<CachedStatement<'a>> {
        STATEMENTS.set(STATEMENTS.get() + 1);
        let mut statement = self.conn.prepare_cached(sql)?;
        Parameters::give(&mut statement, values)?;
        Ok(statement)
    }
}

fn read<R: Read>(rows: &mut Rows<'_>) -> Result<Option<R>> {
    Ok(rows.next()?.map(R::read).transpose()?)
}
