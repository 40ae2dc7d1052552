//! Answers that the writer keeps: nearly every operation reads the same few rows, which seldom
//! change.

use std::{
    any::Any,
    cell::{Cell, RefCell},
    collections::HashMap,
    sync::Arc,
};

use rusqlite::types::{ToSqlOutput, ValueRef};

use super::tables::Table;

/// How many answers are kept at the most.
const MOST: usize = 4096;

/// Answers by their statement and its values, until one of the tables that they may be read from is
/// changed, or a change is undone.
#[derive(Debug, Default)]
pub struct Kept {
    answers: RefCell<HashMap<Key, Arc<dyn Any + Send + Sync>>>,
    /// What [`Kept::due`] knows, by agent
    due: RefCell<HashMap<i64, Option<i64>>>,
    /// The last number that each of [`Table::NUMBERED`] has given
    last: Cell<Option<[i64; 3]>>,
    /// Whether numbers were given in this transaction
    has_given: Cell<bool>,
}

impl Kept {
    /// What kept answers are read from. Counters that each message moves are in columns that no kept
    /// row has.
    const FROM: [Table; 3] = [Table::Workflows, Table::Agents, Table::Groups];

    /// A table has changed.
    pub fn changed(&self, table: Table) {
        if Self::FROM.contains(&table) {
            self.answers.borrow_mut().clear();
        }
        if table.numbered().is_some() {
            self.last.set(None);
            self.has_given.set(true);
        }
    }

    /// Forgets all answers and numbers.
    pub fn forget(&self) {
        self.answers.borrow_mut().clear();
        self.due.borrow_mut().clear();
        self.last.set(None);
    }

    /// The first waking mail of an agent that is due, if that is known: until a delivery to the agent
    /// changes, and only where no time plays a part.
    #[expect(clippy::option_option, reason = "not known, or known to have none")]
    pub fn due(&self, agent: i64) -> Option<Option<i64>> {
        self.due.borrow().get(&agent).copied()
    }

    /// This was read.
    pub fn set_due(&self, agent: i64, first: Option<i64>) {
        self.due.borrow_mut().insert(agent, first);
    }

    /// A delivery to an agent has changed.
    pub fn delivered(&self, agent: i64) {
        self.due.borrow_mut().remove(&agent);
    }

    /// The last numbers, if they are known.
    pub fn last(&self) -> Option<[i64; 3]> {
        self.last.get()
    }

    /// These were read.
    pub fn set_last(&self, last: [i64; 3]) {
        self.last.set(Some(last));
    }

    /// A table has given a number.
    pub fn gave(&self, table: Table, number: i64) {
        let Some(at) = table.numbered() else { return };
        self.has_given.set(true);
        self.last.set(self.last.get().map(|mut last| {
            last[at] = number;
            last
        }));
    }

    /// Whether numbers were given in this transaction.
    pub fn has_given(&self) -> bool {
        self.has_given.get()
    }

    /// The transaction is over.
    pub fn over(&self) {
        self.has_given.set(false);
    }

    /// The answer, if it is kept.
    pub fn get<T: Send + Sync + 'static>(&self, key: &Key) -> Option<Arc<T>> {
        self.answers.borrow().get(key)?.clone().downcast().ok()
    }

    /// Keeps an answer.
    pub fn put<T: Send + Sync + 'static>(&self, key: Key, answer: Arc<T>) {
        let mut answers = self.answers.borrow_mut();
        if answers.len() >= MOST {
            answers.clear();
        }
        answers.insert(key, answer);
    }
}

/// What is asked: a statement, by its place in the program, and its values.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Key {
    statement: (usize, usize),
    values: Vec<u8>,
}

impl Key {
    /// A statement without values yet.
    pub fn of(sql: &'static str) -> Self {
        Self { statement: (sql.as_ptr().addr(), sql.len()), values: Vec::with_capacity(32) }
    }

    /// Adds the next value: its kind and its length go before it, so that no two lists are alike.
    pub fn add(&mut self, value: &ToSqlOutput<'_>) {
        let value = match value {
            ToSqlOutput::Borrowed(value) => *value,
            ToSqlOutput::Owned(value) => ValueRef::from(value),
            _ => ValueRef::Null,
        };
        let (kind, bytes): (u8, &[u8]) = match value {
            ValueRef::Null => (0, &[]),
            ValueRef::Integer(number) => (1, &number.to_ne_bytes()),
            ValueRef::Real(number) => (2, &number.to_ne_bytes()),
            ValueRef::Text(text) => (3, text),
            ValueRef::Blob(bytes) => (4, bytes),
        };
        self.values.push(kind);
        self.values.extend(bytes.len().to_ne_bytes());
        self.values.extend(bytes);
    }
}
