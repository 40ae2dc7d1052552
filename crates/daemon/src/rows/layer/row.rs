//! Rows: one definition each, from which come the struct, its columns and how it is read.
//!
//! A table is a file `rows/<table>.rs`. [`row!`](crate::rows::row) makes what is read from it,
//! [`table!`](crate::rows::table) what is put into it, and [`statements!`](crate::rows::statements)
//! the functions that only run a statement. Every statement is a constant;
//! [`sql!`](crate::rows::sql) puts one together of other constants. Rows that belong to no struct
//! are read as tuples or single values.
//!
//! ```ignore
//! row! {
//!     /// A turn that is kept of a session.
//!     pub struct TurnRow from "session_turns" {
//!         n: i64,
//!         role: TurnRole,
//!         /// Bytes of what it says.
//!         bytes: i64 = "octet_length(content)",
//!     }
//! }
//!
//! table! {
//!     /// A turn that is added to a session.
//!     pub struct NewTurn<'a> into SessionTurns { session: i64, n: i64, role: TurnRole, content: &'a str }
//! }
//!
//! statements! {
//!     pub fn of_session(session: i64) -> all TurnRow =
//!         TurnRow::SELECT, " WHERE session = ?1 ORDER BY n";
//!
//!     pub fn remove(session: i64) -> change in SessionTurns =
//!         "DELETE FROM session_turns WHERE session = ?1";
//! }
//!
//! pub fn insert(db: Db<'_>, new: &NewTurn<'_>) -> Result<i64, OpError> {
//!     db.insert(new)
//! }
//! ```
//!
//! A column has the name of its field unless another one, or an expression, is given. What a type
//! is in a column is said in `column.rs` here, once for each type. A row that is a type of the
//! protocol already is read as that: `row! { pub const SELECT: Message from "messages" { seq } }`.

use rusqlite::{Row, Statement};

use super::{
    column::{Bind, Bound, Column},
    kept::Key,
    tables::Table,
};

/// What a row of an answer is read into, by position.
pub trait Read: Sized {
    /// Reads it.
    fn read(row: &Row<'_>) -> rusqlite::Result<Self>;
}

/// The columns of a row, from left to right.
pub struct Columns<'a> {
    row: &'a Row<'a>,
    at: usize,
}

impl<'a> Columns<'a> {
    /// From the first one on.
    pub fn of(row: &'a Row<'a>) -> Self {
        Self { row, at: 0 }
    }

    /// The next one.
    pub fn next<T: Column>(&mut self) -> rusqlite::Result<T> {
        let at = self.at;
        self.at += 1;
        T::read(self.row, at)
    }
}

impl<T: Column> Read for T {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        T::read(row, 0)
    }
}

/// What a statement is given for its parameters, in their order.
pub trait Values {
    /// Gives them.
    fn bind(&self, parameters: &mut Parameters<'_, '_>) -> rusqlite::Result<()>;
}

/// The parameters of a statement, from the first one on.
pub struct Parameters<'a, 's> {
    of: Given<'a, 's>,
    given: usize,
}

/// What values are given to.
enum Given<'a, 's> {
    Statement(&'a mut Statement<'s>),
    /// To know the statement by with them
    Key(&'a mut Key),
}

impl<'a, 's> Parameters<'a, 's> {
    /// Gives a statement all that it needs, and nothing else.
    pub fn give(statement: &'a mut Statement<'s>, values: impl Values) -> rusqlite::Result<()> {
        let wanted = statement.parameter_count();
        let mut parameters = Self { of: Given::Statement(statement), given: 0 };
        values.bind(&mut parameters)?;
        if parameters.given == wanted {
            return Ok(());
        }
        Err(rusqlite::Error::InvalidParameterCount(parameters.given, wanted))
    }

    /// What a statement is known by with these values.
    pub fn key(sql: &'static str, values: impl Values) -> rusqlite::Result<Key> {
        let mut key = Key::of(sql);
        values.bind(&mut Parameters { of: Given::Key(&mut key), given: 0 })?;
        Ok(key)
    }

    /// Gives the next one.
    pub fn next(&mut self, value: &impl Bind) -> rusqlite::Result<()> {
        self.given += 1;
        match &mut self.of {
            Given::Statement(statement) => {
                statement.raw_bind_parameter(self.given, Bound(value))?;
            }
            Given::Key(key) => key.add(&value.to_sql()?),
        }
        Ok(())
    }
}

impl<T: Values> Values for &T {
    fn bind(&self, parameters: &mut Parameters<'_, '_>) -> rusqlite::Result<()> {
        T::bind(self, parameters)
    }
}

impl Values for () {
    fn bind(&self, _: &mut Parameters<'_, '_>) -> rusqlite::Result<()> {
        Ok(())
    }
}

macro_rules! tuples {
    ($($kind:ident $value:ident),*) => {
        impl<$($kind: Bind),*> Values for ($($kind,)*) {
            fn bind(&self, parameters: &mut Parameters<'_, '_>) -> rusqlite::Result<()> {
                let ($($value,)*) = self;
                $(parameters.next($value)?;)*
                Ok(())
            }
        }

        impl<$($kind: Column),*> Read for ($($kind,)*) {
            fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
                let mut columns = Columns::of(row);
                Ok(($(columns.next::<$kind>()?,)*))
            }
        }
    };
}

tuples!(A a);
tuples!(A a, B b);
tuples!(A a, B b, C c);
tuples!(A a, B b, C c, D d);
tuples!(A a, B b, C c, D d, E e);
tuples!(A a, B b, C c, D d, E e, F f);
tuples!(A a, B b, C c, D d, E e, F f, G g);
tuples!(A a, B b, C c, D d, E e, F f, G g, H h);
tuples!(A a, B b, C c, D d, E e, F f, G g, H h, I i);
tuples!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j);
tuples!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k);
tuples!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k, L l);
tuples!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k, L l, M m);
tuples!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k, L l, M m, N n);

/// What is put into a table.
pub trait New: Values {
    /// The table.
    const TABLE: Table;
    /// The statement, to which an `ON CONFLICT` may be added.
    const INSERT: &'static str;
}

/// What is read from a table: `SELECT`, [`Read`], and the struct unless it is there already.
macro_rules! row {
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident from $from:literal {
            $($(#[$doc:meta])* $field:ident: $kind:ty $(= $column:expr)?),+ $(,)?
        }
    ) => {
        $(#[$about])*
        $vis struct $name {
            $($(#[$doc])* pub $field: $kind,)+
        }

        impl $name {
            /// Its columns and where they are, to which conditions and an order are added.
            pub const SELECT: &'static str =
                $crate::rows::row!(@select $from, $($field $(= $column)?),+);
        }

        $crate::rows::row!(@read $name $($field)+);
    };
    (
        $(#[$about:meta])*
        $vis:vis const $select:ident: $name:ident from $from:literal {
            $($field:ident $(= $column:expr)?),+ $(,)?
        }
    ) => {
        $(#[$about])*
        $vis const $select: &str = $crate::rows::row!(@select $from, $($field $(= $column)?),+);

        $crate::rows::row!(@read $name $($field)+);
    };
    (@select $from:literal, $field0:ident $(= $column0:expr)?
        $(, $field:ident $(= $column:expr)?)*) => {
        $crate::rows::sql!(
            "SELECT ", $crate::rows::row!(@column $field0 $($column0)?),
            $(", ", $crate::rows::row!(@column $field $($column)?),)*
            " FROM ", $from
        )
    };
    (@read $name:ident $($field:ident)+) => {
        impl $crate::rows::layer::row::Read for $name {
            fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
                let mut columns = $crate::rows::layer::row::Columns::of(row);
                Ok(Self { $($field: columns.next()?),+ })
            }
        }
    };
    (@column $field:ident) => { stringify!($field) };
    (@column $field:ident $column:expr) => { $column };
}

/// What is put into a table: the struct, `INSERT`, and its values.
macro_rules! table {
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident $(<$life:lifetime>)? into $table:ident {
            $(#[$doc0:meta])* $field0:ident: $kind0:ty $(= $column0:literal)?
            $(, $(#[$doc:meta])* $field:ident: $kind:ty $(= $column:literal)?)* $(,)?
        }
    ) => {
        $(#[$about])*
        $vis struct $name $(<$life>)? {
            $(#[$doc0])* pub $field0: $kind0,
            $($(#[$doc])* pub $field: $kind,)*
        }

        impl $(<$life>)? $crate::rows::layer::row::New for $name $(<$life>)? {
            const TABLE: $crate::rows::Table = $crate::rows::Table::$table;
            const INSERT: &'static str = $crate::rows::sql!(
                "INSERT INTO ", $crate::rows::Table::$table.name(),
                concat!(
                    " (", $crate::rows::row!(@column $field0 $($column0)?),
                    $(", ", $crate::rows::row!(@column $field $($column)?),)*
                    ") VALUES (?", $($crate::rows::table!(@value $field),)* ")"
                )
            );
        }

        impl $(<$life>)? $crate::rows::layer::row::Values for $name $(<$life>)? {
            fn bind(
                &self,
                parameters: &mut $crate::rows::layer::row::Parameters<'_, '_>,
            ) -> rusqlite::Result<()> {
                parameters.next(&self.$field0)?;
                $(parameters.next(&self.$field)?;)*
                Ok(())
            }
        }
    };
    (@value $field:ident) => { ", ?" };
}

/// A statement put together of constants.
macro_rules! sql {
    ($($part:expr),+ $(,)?) => {{
        const PARTS: &[&str] = &[$($part),+];
        const BYTES: [u8; $crate::rows::layer::row::length(PARTS)] = $crate::rows::layer::row::joined(PARTS);
        const TEXT: &str = match std::str::from_utf8(&BYTES) {
            Ok(text) => text,
            Err(_) => unreachable!(),
        };
        TEXT
    }};
}

/// How long texts are together.
pub const fn length(parts: &[&str]) -> usize {
    let (mut length, mut part) = (0, 0);
    while part < parts.len() {
        length += parts[part].len();
        part += 1;
    }
    length
}

/// Texts one after another.
pub const fn joined<const LENGTH: usize>(parts: &[&str]) -> [u8; LENGTH] {
    let (mut bytes, mut end, mut part) = ([0; LENGTH], 0, 0);
    while part < parts.len() {
        let (from, mut at) = (parts[part].as_bytes(), 0);
        while at < from.len() {
            bytes[end] = from[at];
            (at, end) = (at + 1, end + 1);
        }
        part += 1;
    }
    bytes
}

pub(crate) use {row, sql, table};
