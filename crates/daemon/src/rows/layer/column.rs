//! What values are in a column.

use std::str::FromStr;

use agent_worker_protocol::{
    id::{Id, Kind},
    time::Timestamp,
};
use rusqlite::{
    Row, ToSql,
    types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef},
};
use serde::{Serialize, de::DeserializeOwned};

/// A value that a column can be given.
pub trait Bind {
    /// As SQLite takes it.
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>>;
}

/// A value that a column has.
pub trait Column: Bind + Sized {
    /// Reads it from what SQLite has there.
    fn from_sql(value: ValueRef<'_>) -> FromSqlResult<Self>;

    /// Reads the column at a place of a row.
    fn read(row: &Row<'_>, at: usize) -> rusqlite::Result<Self> {
        row.get::<_, Found<Self>>(at).map(|found| found.0)
    }
}

/// A value on its way to SQLite.
pub struct Bound<'a, T>(pub &'a T);

impl<T: Bind> ToSql for Bound<'_, T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

/// A value on its way from SQLite.
struct Found<T>(T);

impl<T: Column> FromSql for Found<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        T::from_sql(value).map(Self)
    }
}

impl<T: Bind + ?Sized> Bind for &T {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        T::to_sql(self)
    }
}

impl<T: Bind> Bind for Option<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.as_ref().map_or(Ok(ToSqlOutput::Borrowed(ValueRef::Null)), T::to_sql)
    }
}

impl<T: Column> Column for Option<T> {
    fn from_sql(value: ValueRef<'_>) -> FromSqlResult<Self> {
        if value == ValueRef::Null { Ok(None) } else { T::from_sql(value).map(Some) }
    }
}

/// Types with one way into a column and back. Each way is told with the same name for the value.
macro_rules! columns {
    ($value:ident => $bound:expr, $found:expr; $($kind:ty),* $(,)?) => {$(
        impl $crate::rows::layer::column::Bind for $kind {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                let $value = self;
                $bound
            }
        }

        impl $crate::rows::layer::column::Column for $kind {
            fn from_sql(
                $value: rusqlite::types::ValueRef<'_>,
            ) -> rusqlite::types::FromSqlResult<Self> {
                $found
            }
        }
    )*};
}

pub(crate) use columns;

// What SQLite's own library knows.
columns!(value => ToSql::to_sql(value), FromSql::column_result(value);
    bool, i32, u32, i64, f64, String, Vec<u8>, [u8; 8], [u8; 32]);

columns!(value => Ok(value.0.into()), value.as_i64().map(Self); Timestamp);

impl Bind for str {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        ToSql::to_sql(self)
    }
}

impl Bind for [u8] {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        ToSql::to_sql(self)
    }
}

impl<K: Kind> Bind for Id<K> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.number().into())
    }
}

impl<K: Kind> Column for Id<K> {
    fn from_sql(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_i64().map(Self::new)
    }
}

/// Reads a text as its type does.
pub fn parsed<T: FromStr<Err: std::fmt::Display>>(value: ValueRef<'_>) -> FromSqlResult<T> {
    let text = value.as_str()?;
    text.parse().map_err(|error: T::Err| FromSqlError::Other(format!("`{text}`: {error}").into()))
}

/// A value as JSON.
pub fn json(value: &impl Serialize) -> rusqlite::Result<ToSqlOutput<'static>> {
    let text = serde_json::to_string(value);
    text.map(Into::into).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

/// A value that stands as JSON.
pub fn of_json<T: DeserializeOwned>(value: ValueRef<'_>) -> FromSqlResult<T> {
    serde_json::from_str(value.as_str()?).map_err(FromSqlError::other)
}
