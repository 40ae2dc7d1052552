//! How operations are implemented, and what is known of one whose type is not named.

use std::fmt;

use agent_worker_protocol::{Access, Op, Route};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{
    Map, Value,
    value::{RawValue, to_raw_value},
};

use crate::{
    context::Cx,
    error::{OpError, Result},
    plain,
};

/// How an operation of the protocol is done.
pub trait Run: Op {
    /// Whether it reads the search index, whose words follow what is stored.
    const READS_INDEX: bool = false;

    /// Whether a long one is done in steps
    const HAS_STEPS: bool = false;

    /// Does a first part that is bounded, in a transaction of its own, so that other writes need not
    /// wait for the whole; false if the rest is short enough for one.
    fn step(&self, _: &mut Cx<'_>) -> Result<bool> {
        Ok(false)
    }

    /// Does it, in the caller's transaction.
    fn run(&self, cx: &mut Cx<'_>) -> Result<Self::Output>;
}

/// An operation as surfaces offer it: what its type says, as a value. Code that is compiled once
/// works with these; only what reads, does and describes a request is compiled for each type.
#[derive(Debug, Clone, Copy)]
pub struct Signature {
    /// See [`Op::NAME`]
    pub name: &'static str,
    /// See [`Op::ROUTE`]
    pub route: Option<Route>,
    /// See [`Op::ACCESS`]
    pub access: Access,
    /// See [`Op::TOOL`]
    pub is_tool: bool,
    /// See [`Op::IDEMPOTENT`]
    pub is_idempotent: bool,
    /// See [`Op::TAKES_TEXT`]
    pub takes_text: bool,
    /// See [`Op::ETAG`]
    pub etag: Option<&'static str>,
    /// See [`Op::IF_MATCH`]
    pub if_match: Option<&'static str>,
    /// Describes its request and its answer
    pub schemas: Schemas,
}

impl Signature {
    /// What the type says.
    pub const fn of<O: Op>() -> Self {
        Self {
            name: O::NAME,
            route: O::ROUTE,
            access: O::ACCESS,
            is_tool: O::TOOL,
            is_idempotent: O::IDEMPOTENT,
            takes_text: O::TAKES_TEXT,
            etag: O::ETAG,
            if_match: O::IF_MATCH,
            schemas: Schemas::of::<O, O::Output>(),
        }
    }

    /// Whether it has its arguments in a body, if HTTP has it.
    pub fn has_body(&self) -> bool {
        self.route.is_none_or(|route| route.method.has_body())
    }
}

/// Makes the JSON schemas of a request and its answer.
#[derive(Debug, Clone, Copy)]
pub struct Schemas {
    /// The request's, whole
    pub request: fn() -> Value,
    /// The request's, as a part of a document
    pub body: fn(&mut SchemaGenerator) -> Schema,
    /// The answer's, as a part of a document
    pub answer: fn(&mut SchemaGenerator) -> Schema,
}

impl Schemas {
    /// Those of these types.
    pub const fn of<Q: JsonSchema, A: JsonSchema>() -> Self {
        Self {
            request: || schemars::schema_for!(Q).to_value(),
            body: SchemaGenerator::subschema_for::<Q>,
            answer: SchemaGenerator::subschema_for::<A>,
        }
    }
}

/// A request, or why its fields make none.
pub type Read = Result<Box<dyn Asked>, Misfit>;

/// An operation that is done in one transaction.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    /// What its type says
    pub signature: Signature,
    /// See [`Run::READS_INDEX`]
    pub reads_index: bool,
    /// See [`Run::HAS_STEPS`]
    pub has_steps: bool,
    /// See [`Op::FRESH`]
    pub is_fresh: bool,
    /// Makes a request of its fields
    pub read: fn(Map<String, Value>) -> Read,
}

impl Operation {
    /// The operation of this type.
    pub const fn of<O: Run>() -> Self {
        Self {
            signature: Signature::of::<O>(),
            reads_index: O::READS_INDEX,
            has_steps: O::HAS_STEPS,
            is_fresh: O::FRESH,
            read: |fields| Ok(Box::new(read::<O>(fields)?)),
        }
    }
}

/// A request for an operation whose type is not named.
pub trait Asked: Send + Sync {
    /// The request as JSON.
    fn text(&self) -> Result<Box<RawValue>>;

    /// See [`Run::step`]
    fn step(&self, cx: &mut Cx<'_>) -> Result<bool>;

    /// Does it, and gives its answer as JSON.
    fn answer(&self, cx: &mut Cx<'_>) -> Result<Box<RawValue>>;
}

impl<O: Run> Asked for O {
    fn text(&self) -> Result<Box<RawValue>> {
        to_raw_value(self).map_err(|error| OpError::Broken(format!("a request: {error}")))
    }

    fn step(&self, cx: &mut Cx<'_>) -> Result<bool> {
        Run::step(self, cx)
    }

    fn answer(&self, cx: &mut Cx<'_>) -> Result<Box<RawValue>> {
        told(&self.run(cx)?)
    }
}

/// An answer as JSON.
pub fn told(answer: &impl Serialize) -> Result<Box<RawValue>> {
    to_raw_value(answer).map_err(|error| OpError::Broken(format!("an answer: {error}")))
}

/// Fields that make no request.
#[derive(Debug)]
pub struct Misfit {
    /// The path of the field, if it is one field's fault
    pub path: Option<String>,
    /// What is wrong
    pub why: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            // Then the reason names the field.
            Some(path) if self.why.starts_with(&format!("unknown field `{path}`")) => {
                f.write_str(&self.why)
            }
            Some(path) => write!(f, "`{path}`: {}", self.why),
            None => f.write_str(&self.why),
        }
    }
}

/// Makes a request of its fields.
pub fn read<T: DeserializeOwned>(fields: Map<String, Value>) -> Result<T, Misfit> {
    serde_path_to_error::deserialize(Value::Object(fields)).map_err(|error| {
        let path = Some(error.path().to_string()).filter(|path| path != ".");
        Misfit { path, why: plain::numbers(&error.inner().to_string()) }
    })
}
