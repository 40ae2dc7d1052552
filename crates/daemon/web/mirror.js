// What the daemon has: a snapshot, and every change after it.

import { ask, Refused } from "/web/daemon.js";
import { hear } from "/web/feed.js";

export const mirror = {
  workflows: new Map(),
  agents: new Map(),
  groups: new Map(),
  runs: new Map(),
  questions: new Map(),
  attention: new Map(),
};

const hearers = [];

/// Calls `hear(kind, body)` after each change; `snapshot` after all is read anew.
export function onChange(hear) {
  hearers.push(hear);
}

function tell(kind, body) {
  for (const hear of hearers) hear(kind, body);
}

export const groupKey = (scope, name) => `${scope} ${name}`;
export const isLive = (run) => ["starting", "running", "ending"].includes(run.state);

function byKey(map, list, key) {
  map.clear();
  for (const one of list) map.set(key(one), one);
}

function take(snapshot) {
  byKey(mirror.workflows, snapshot.workflows, (one) => one.scope);
  byKey(mirror.agents, snapshot.agents, (one) => one.target);
  byKey(mirror.groups, snapshot.groups, (one) => groupKey(one.scope, one.name));
  byKey(mirror.runs, snapshot.runs.filter(isLive), (one) => one.id);
  byKey(mirror.questions, snapshot.questions, (one) => one.id);
  mirror.attention.clear();
  for (const item of snapshot.attention) {
    mirror.attention.set(item.scope, [...(mirror.attention.get(item.scope) ?? []), item]);
  }
}

function apply(kind, body) {
  switch (kind) {
    case "workflow.changed": mirror.workflows.set(body.scope, body); break;
    case "workflow.removed": removeScope(body.scope); break;
    case "agent.changed": mirror.agents.set(body.target, body); break;
    case "agent.removed": mirror.agents.delete(body.target); break;
    case "message.sent": count(body.message); break;
    case "group.changed": mirror.groups.set(groupKey(body.scope, body.name), body); break;
    case "run.changed":
      if (isLive(body)) mirror.runs.set(body.id, body);
      else mirror.runs.delete(body.id);
      break;
    case "question.changed":
      if (body.answer === null && body.expired_because === null) mirror.questions.set(body.id, body);
      else mirror.questions.delete(body.id);
      break;
    case "attention.changed": mirror.attention.set(body.scope, body.items); break;
  }
}

/// A message alone changes nothing else of its conversation.
function count({ scope, group, seq }) {
  const known = mirror.groups.get(groupKey(scope, group));
  if (!known || seq <= known.last_seq) return;
  known.messages += 1;
  known.last_seq = seq;
}

function removeScope(scope) {
  for (const map of Object.values(mirror)) {
    for (const [key, one] of map) if (key === scope || one.scope === scope) map.delete(key);
  }
}

/// ms between two requests of a hidden page, which ask only whether it is still let in.
const LOOK = 60000;

/// Waits until the page is hidden or seen, or for a time in ms.
function turned(time) {
  return new Promise((go) => {
    const end = () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", end);
      go();
    };
    const timer = setTimeout(end, time);
    document.addEventListener("visibilitychange", end);
  });
}

/// The version of the daemon whose page this is.
let version = null;

/// How far the daemon's clock is ahead of this machine's, in ms: it may run on another.
let ahead = 0;

/// The time by the daemon's clock, in ms.
export const now = () => Date.now() + ahead;

/// Follows for ever. `link(text)` says how it stands; it returns only when the token is refused.
export async function follow(link) {
  let wait = 250;
  for (;;) {
    try {
      // A page that is not looked at keeps no connection from others.
      while (document.hidden) {
        await turned(LOOK);
        if (document.hidden) await ask("GET", "/questions?limit=1");
      }
      const snapshot = await ask("GET", "/snapshot");
      take(snapshot);
      tell("snapshot");
      // The state was read, but the stream may still be refused: then the delay goes on growing.
      const opened = (hello) => {
        version ??= hello.version;
        if (hello.now) ahead = hello.now - Date.now();
        link(version === hello.version ? "" : "The daemon was updated: reload this page.");
        wait = 250;
      };
      await hear({ epoch: snapshot.epoch, seq: snapshot.seq }, opened, (kind, body) => {
        apply(kind, body);
        tell(kind, body);
      });
    } catch (error) {
      if (error instanceof Refused && error.status === 401) return;
    }
    if (document.hidden) continue;
    link("reconnecting …");
    await new Promise((go) => setTimeout(go, wait));
    wait = Math.min(wait * 2, 5000);
  }
}
