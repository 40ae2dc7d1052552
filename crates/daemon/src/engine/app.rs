//! The daemon's inside: the one door through which every operation goes.

use std::{
    collections::{HashMap, HashSet},
    hash::Hash,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, OnceLock},
};

use agent_worker_protocol::{Access, Scope, Target};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    context::{
        Credential, Cx, Operation, Run, Store, repeat,
        run::{Asked, Signature},
    },
    engine::{
        callers::Callers,
        home::{memories::Memories, tools_text::ToolLine},
        outputs::Outputs,
        place::Place,
        presence::Presence,
        process::spawner::Spawner,
    },
    error::OpError,
    fail_points::reach,
    keys::Keys,
    lock::lock,
    rows::{RunRow, browser, member_token, search::index},
    token,
};

/// Who holds a token that is not the operator's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holder {
    /// A browser that was let in: it acts as the person.
    Browser,
    /// A member outside.
    Member(Target),
    /// A run.
    Run,
}

/// The daemon's inside. Clones are the same.
#[derive(Clone)]
pub struct App {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    place: Arc<Place>,
    keys: Keys,
    operator_token: String,
    outputs: Outputs,
    presence: Presence,
    spawner: Spawner,
    /// Hashes of tokens that a run has or had: what the tables say of a token never changes
    tokens: Mutex<HashSet<[u8; 32]>>,
    callers: Callers,
    /// Homes in use, by path
    homes: Mutex<HashMap<PathBuf, Lock>>,
    /// Setups at work, by their workflow
    setups: Mutex<HashMap<Scope, Lock>>,
    tool_list: OnceLock<Vec<ToolLine>>,
    memories: Mutex<Memories>,
    base_url: OnceLock<String>,
    /// The daemon was told to end: nothing new is begun
    stopping: CancellationToken,
    /// Live runs are over or given up: streams and tools end
    closing: CancellationToken,
    /// Runs and setups at work
    tasks: TaskTracker,
}

/// Held while a home is used, or a setup is at work.
pub type Lock = Arc<tokio::sync::Mutex<()>>;

/// How many hashes of tokens are remembered.
const TOKENS_KEPT: usize = 4096;

impl App {
    /// Puts the daemon together around its store.
    pub fn new(store: Store, place: Arc<Place>, spawner: Spawner) -> Self {
        let keys = Keys::of(place.home());
        Self {
            inner: Arc::new(Inner {
                store,
                place,
                keys,
                operator_token: token::new_token(),
                outputs: Outputs::default(),
                presence: Presence::default(),
                spawner,
                tokens: Mutex::default(),
                callers: Callers::default(),
                homes: Mutex::default(),
                setups: Mutex::default(),
                tool_list: OnceLock::new(),
                memories: Mutex::default(),
                base_url: OnceLock::new(),
                stopping: CancellationToken::new(),
                closing: CancellationToken::new(),
                tasks: TaskTracker::new(),
            }),
        }
    }

    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    pub fn home(&self) -> &Path {
        self.inner.place.home()
    }

    /// The hold on the state directory.
    pub fn place(&self) -> &Place {
        &self.inner.place
    }

    pub fn keys(&self) -> &Keys {
        &self.inner.keys
    }

    /// The token of the person at this machine.
    pub fn operator_token(&self) -> &str {
        &self.inner.operator_token
    }

    /// The transcripts of live runs.
    pub fn outputs(&self) -> &Outputs {
        &self.inner.outputs
    }

    pub fn presence(&self) -> &Presence {
        &self.inner.presence
    }

    pub fn spawner(&self) -> &Spawner {
        &self.inner.spawner
    }

    /// Which live runs have listed their tools.
    pub fn callers(&self) -> &Callers {
        &self.inner.callers
    }

    /// The lock of a home: two must not change a file at once. A home that hangs delays no other.
    pub fn home_lock(&self, path: &Path) -> Lock {
        lock_of(&self.inner.homes, path.to_owned())
    }

    /// The lock of a workflow's setup: a step that was stopped takes its time to end.
    pub fn setup_lock(&self, scope: &Scope) -> Lock {
        lock_of(&self.inner.setups, scope.clone())
    }

    /// Memories of agents that were searched.
    pub fn memories(&self) -> MutexGuard<'_, Memories> {
        lock(&self.inner.memories)
    }

    /// The daemon's tools, in the order in which agents are shown them.
    pub fn tool_list(&self) -> &[ToolLine] {
        self.inner.tool_list.get().map_or(&[], Vec::as_slice)
    }

    /// Says which tools the daemon has.
    pub fn set_tool_list(&self, tools: Vec<ToolLine>) {
        drop(self.inner.tool_list.set(tools));
    }

    /// Cancelled when the daemon is told to end.
    pub fn stopping(&self) -> &CancellationToken {
        &self.inner.stopping
    }

    /// Cancelled when nothing is answered any more.
    pub fn closing(&self) -> &CancellationToken {
        &self.inner.closing
    }

    /// Runs and setups at work.
    pub fn tasks(&self) -> &TaskTracker {
        &self.inner.tasks
    }

    /// Where the daemon is reached, once it is bound.
    pub fn base_url(&self) -> &str {
        self.inner.base_url.get().map_or("", String::as_str)
    }

    /// Says where the daemon is reached.
    pub fn set_base_url(&self, url: String) {
        drop(self.inner.base_url.set(url));
    }

    /// Who shows, or has shown, the token of this hash: a browser, a member outside, or a run.
    pub async fn knows_token(&self, hash: [u8; 32]) -> Result<Option<Holder>, OpError> {
        if lock(&self.inner.tokens).contains(&hash) {
            return Ok(Some(Holder::Run));
        }
        // Neither is remembered: it can be revoked.
        let revocable = move |cx: &mut Cx<'_>| {
            if browser::is_known(cx.db, &hash)? {
                return Ok(Some(Holder::Browser));
            }
            let member = member_token::holder(cx.db, &hash)?;
            Ok(member.map(|member| Holder::Member(member.target())))
        };
        let holder = self.store().read(Credential::Daemon, revocable).await?;
        if holder.is_some() {
            return Ok(holder);
        }
        let look = move |cx: &mut Cx<'_>| RunRow::has_token(cx.db, &hash);
        let known = self.store().read(Credential::Daemon, look).await?;
        if known {
            let mut tokens = lock(&self.inner.tokens);
            if tokens.len() >= TOKENS_KEPT {
                tokens.clear();
            }
            tokens.insert(hash);
        }
        Ok(known.then_some(Holder::Run))
    }

    /// Whether something was stored whose words are not in the search index yet.
    pub async fn is_index_behind(&self) -> Result<bool, OpError> {
        self.store().read(Credential::Daemon, |cx| index::is_behind(cx.db)).await
    }

    /// Does an operation. With a key, a repeat of the same request gets the stored answer, unless
    /// the operation is [fresh](agent_worker_protocol::Op::FRESH).
    pub async fn call<O: Run>(
        &self,
        credential: Credential,
        key: Option<String>,
        op: O,
    ) -> Result<O::Output, OpError> {
        let key = key.filter(|_| !O::FRESH);
        let kept = kept(key, O::ACCESS, || repeat::request_hash(O::NAME, &op))?;
        self.perform(credential, O::READS_INDEX, O::ACCESS, kept, move |cx| op.run(cx)).await
    }

    /// Does an operation whose type is not named, as [`Self::call`] does; the answer is JSON.
    pub async fn answer(
        &self,
        op: &Operation,
        credential: Credential,
        key: Option<String>,
        asked: Box<dyn Asked>,
    ) -> Result<Box<RawValue>, OpError> {
        let Signature { name, access, .. } = op.signature;
        let key = key.filter(|_| !op.is_fresh);
        let kept = kept(key, access, || repeat::request_hash(name, &asked.text()?))?;
        if !op.has_steps {
            let work = move |cx: &mut Cx<'_>| asked.answer(cx);
            return self.perform(credential, op.reads_index, access, kept, work).await;
        }
        let asked: Arc<dyn Asked> = asked.into();
        while self.step(credential.clone(), kept.clone(), Arc::clone(&asked)).await? {}
        self.perform(credential, op.reads_index, access, kept, move |cx| asked.answer(cx)).await
    }

    /// Does a part of a long operation, unless it was answered before; false once the rest is short.
    async fn step(
        &self,
        credential: Credential,
        kept: Option<(String, [u8; 32])>,
        asked: Arc<dyn Asked>,
    ) -> Result<bool, OpError> {
        let work = move |cx: &mut Cx<'_>| match &kept {
            Some((key, request)) if cx.stored_answer(key, request)?.is_some() => Ok(false),
            _ => asked.step(cx),
        };
        self.store().write(credential, work).await
    }

    /// Does a piece of work, a write once for its key and the hash of its request.
    async fn perform<T: Serialize + DeserializeOwned + Send + 'static>(
        &self,
        credential: Credential,
        reads_index: bool,
        access: Access,
        kept: Option<(String, [u8; 32])>,
        mut work: impl FnMut(&mut Cx<'_>) -> Result<T, OpError> + Send + 'static,
    ) -> Result<T, OpError> {
        match access {
            // What was acknowledged is found: the writer stores what the index lacks first.
            Access::Read if reads_index && self.is_index_behind().await? => {
                self.store().write(credential, work).await
            }
            Access::Read => self.store().read(credential, work).await,
            Access::Write => {
                let work = move |cx: &mut Cx<'_>| {
                    let answer = match &kept {
                        Some((key, request)) => repeat::once(cx, Some(key), request, &mut work)?,
                        None => work(cx)?,
                    };
                    reach("call.done");
                    Ok(answer)
                };
                let answer = self.store().write(credential, work).await;
                reach("call.committed");
                answer
            }
        }
    }
}

/// What the answer to a request is kept by: the key and the hash of a write that has a key.
fn kept(
    key: Option<String>,
    access: Access,
    hash: impl FnOnce() -> Result<[u8; 32], OpError>,
) -> Result<Option<(String, [u8; 32])>, OpError> {
    match key {
        Some(key) if access == Access::Write => Ok(Some((key, hash()?))),
        _ => Ok(None),
    }
}

/// The lock of a thing; locks that are not in use are forgotten.
fn lock_of<K: Eq + Hash>(locks: &Mutex<HashMap<K, Lock>>, key: K) -> Lock {
    let mut locks = lock(locks);
    locks.retain(|_, lock| Arc::strong_count(lock) > 1);
    locks.entry(key).or_default().clone()
}
