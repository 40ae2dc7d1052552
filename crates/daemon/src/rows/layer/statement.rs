//! Functions that run one statement.

/// Functions that run one statement each: what it is given, what comes of it, and its text, in parts
/// as [`sql!`](crate::rows::sql) takes them.
///
/// A function takes the tables first, as `db`, and gives a `Result`. Its arguments are the
/// parameters of the statement, in their order; those of a method begin with `self.id`.
///
/// | what comes of it | |
/// | --- | --- |
/// | `all Row` | every row of the answer |
/// | `one Row` | the one row of an answer that always has one |
/// | `maybe Row` | the first row, if there is one |
/// | `known Row` | the same, kept from an earlier time (`Db::known`) |
/// | `exists` | whether the answer has a row |
/// | `change in Table` | nothing: rows of the table are changed |
/// | `changed in Table` | whether any row was changed |
/// | `count` | nothing: columns are changed that no kept answer has (`Db::count`) |
macro_rules! statements {
    ($(
        $(#[$about:meta])*
        $vis:vis fn $name:ident($(&$me:ident $(,)?)? $($value:ident: $kind:ty),*)
            -> $how:ident $(in $table:ident)? $($row:ty)? = $($part:expr),+;
    )+) => {$(
        $(#[$about])*
        $vis fn $name(
            $(&$me,)?
            db: $crate::rows::Db<'_>,
            $($value: $kind),*
        ) -> Result<$crate::rows::statements!(@gives $how $($row)?), $crate::error::OpError> {
            const SQL: &str = $crate::rows::sql!($($part),+);
            let values = ($($me.id,)? $($value,)*);
            $crate::rows::statements!(@run $how db SQL values $($table)?)
        }
    )+};
    (@gives all $row:ty) => { Vec<$row> };
    (@gives one $row:ty) => { $row };
    (@gives maybe $row:ty) => { Option<$row> };
    (@gives known $row:ty) => { Option<$row> };
    (@gives exists) => { bool };
    (@gives changed) => { bool };
    (@gives change) => { () };
    (@gives count) => { () };
    (@run changed $db:ident $sql:ident $values:ident $table:ident) => {
        Ok($db.change($crate::rows::Table::$table, $sql, $values)? > 0)
    };
    (@run change $db:ident $sql:ident $values:ident $table:ident) => {
        $db.change($crate::rows::Table::$table, $sql, $values).map(drop)
    };
    (@run $how:ident $db:ident $sql:ident $values:ident) => { $db.$how($sql, $values) };
}

pub(crate) use statements;
