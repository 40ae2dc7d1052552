// A run's transcript: what it says as it says it; thinking and tool calls folded.

import { stream, isFinal } from "/web/daemon.js";
import { mirror } from "/web/mirror.js";
import { element, markdown, put, visible } from "/web/markdown.js";

const FOLDED = {
  system: "system prompt",
  prompt: "prompt",
  thinking: "thinking",
  tool_call: "call",
  tool_result: "result",
};

/// The item of a live run, unfolded while it is followed.
export function liveRun(run, grown) {
  const name = run.agent.split("@")[0];
  const doing = element("small");
  const blocks = element("div");
  const fold = element("details", element("summary", element("strong", name), " ", doing), blocks);
  const item = element("li", fold);
  item.className = "run";
  const tell = (now) => (doing.textContent = visible(now.activity ?? now.state));
  tell(run);
  const shown = (isOn) => (fold.open = isOn);
  const { ask, end } = followRun(run.id, blocks, { grown, shown });
  fold.addEventListener("toggle", () => ask(fold.open));
  return { item, tell, end: () => (end(), item.remove()) };
}

/// What a run did, read when it is unfolded.
export function whatItDid(id) {
  const blocks = element("div");
  const made = element("details", element("summary", `what ${id} did`), blocks);
  let end = () => {};
  made.addEventListener("toggle", () => {
    end();
    if (made.open) end = followRun(id, blocks, { isWhole: true, isAsked: true }).end;
  });
  return made;
}

/// Places of live runs that are followed at once, in all windows together. A browser has six
/// connections to a daemon: without a free one, the answer that a run waits for would wait for the
/// run. Each place is a lock, which windows share.
const PLACES = ["run-0", "run-1"];
/// Those that are followed, the oldest first, and those that wait for a place.
const followed = [];
const waiting = [];
/// Ends the requests for a place, while there are any.
let wanted = null;

/// Asks for places as long as something waits and the page is seen.
function fill() {
  if (document.hidden || waiting.length === 0) {
    wanted?.abort();
    wanted = null;
  } else if (!navigator.locks) {
    // A browser without locks shares no places: this window has all of them.
    while (followed.length < PLACES.length && waiting.length > 0) start(waiting[0]);
  } else if (!wanted) {
    wanted = new AbortController();
    for (const place of PLACES) hold(place, { signal: wanted.signal });
  }
}

function start(one, place, free = () => {}) {
  waiting.splice(waiting.indexOf(one), 1);
  followed.push(Object.assign(one, { place, free }));
  one.begin();
}

/// Holds a place for what was asked for, or for the first that waits, until that leaves it.
function hold(place, options, asked) {
  let [one, free] = [null, null];
  const granted = () => {
    one = asked ?? waiting[0];
    // It may have left, or have got another place.
    if (document.hidden || options.signal?.aborted || !waiting.includes(one)) return null;
    if (!asked) {
      wanted.abort();
      wanted = null;
    }
    const left = new Promise((go) => (free = go));
    start(one, place, free);
    fill();
    return left;
  };
  navigator.locks.request(place, options, granted).catch(() => {
    if (free && one.free === free) lose(one);
  });
}

/// Has what was asked for take a free place, that of the oldest here, or one of another window.
async function take(one) {
  const { held } = await navigator.locks.query();
  const free = PLACES.find((place) => !held.some(({ name }) => name === place));
  if (waiting.includes(one)) hold(free ?? followed[0]?.place ?? PLACES[0], { steal: true }, one);
}

/// Has one wait for a place; what was asked for does not wait for others to end.
function join(one, isAsked) {
  if (!isAsked) waiting.push(one);
  else {
    if (!navigator.locks && followed.length === PLACES.length) lose(followed[0]);
    waiting.unshift(one);
    if (navigator.locks) take(one);
  }
  fill();
}

/// Folds one whose place another takes.
function lose(one) {
  one.shown(false);
  pause(one);
}

function pause(one) {
  leave(one);
  waiting.unshift(one);
}

function leave(one) {
  one.stop();
  one.free?.();
  one.free = null;
  for (const list of [followed, waiting]) if (list.includes(one)) list.splice(list.indexOf(one), 1);
  // Of several that leave at once, none takes another's place.
  queueMicrotask(fill);
}

document.addEventListener("visibilitychange", () => {
  // The newest first: so they wait in their order.
  if (document.hidden) for (const one of [...followed].reverse()) pause(one);
  fill();
});

/// Follows a transcript into an element, at most one drawing a frame; that of a live run while it
/// has a place, which `shown` is told. Gives `end`, and `ask`, which takes a place or gives it up.
export function followRun(id, into, { isWhole, isAsked, grown = () => {}, shown = () => {} }) {
  let stopped = new AbortController();
  const one = {
    shown,
    begin: async () => {
      stopped = new AbortController();
      shown(true);
      const { signal } = stopped;
      await read(id, into, { isWhole, grown, signal });
      if (!signal.aborted) leave(one);
    },
    stop: () => stopped.abort(),
  };
  const ask = (isOn) => {
    if (isOn === followed.includes(one)) return;
    leave(one);
    if (isOn) join(one, true);
  };
  if (mirror.runs.has(id)) join(one, isAsked);
  else one.begin();
  return { ask, end: () => leave(one) };
}

/// Reads a transcript to its end. If the connection breaks, it is read again from its beginning.
async function read(id, into, { isWhole, grown, signal }) {
  for (let wait = 1000; !signal.aborted; wait = Math.min(wait * 2, 15000)) {
    into.replaceChildren();
    const take = taker(into, isWhole, grown);
    try {
      return await stream(`/runs/${id}/output`, signal, (name, event) => {
        wait = 1000;
        if (!signal.aborted) take(name, event);
      });
    } catch (error) {
      if (signal.aborted) return;
      if (isFinal(error)) {
        into.append(element("p", error.message));
        return grown();
      }
      await new Promise((go) => setTimeout(go, wait));
    }
  }
}

/// Puts the events of a transcript into an element.
function taker(into, isWhole, grown) {
  const known = new Map();
  const changed = new Set();
  const draw = () => {
    // Taken first: where one cannot be drawn, the next change is drawn again.
    const all = [...changed];
    changed.clear();
    for (const block of all) block.draw();
    grown();
  };
  const due = (block) => {
    if (changed.size === 0) requestAnimationFrame(draw);
    changed.add(block);
  };
  return (name, event) => {
    if (name === "block" && !known.has(event.n)) {
      const block = new Block(event, isWhole);
      known.set(event.n, block);
      if (block.item) into.append(block.item);
    }
    if (name === "block" && event.kind === "tool_call" && event.state === "cut") {
      known.get(event.n).item.firstChild.append(", cut off");
    }
    if (name === "delta" && known.has(event.n)) {
      known.get(event.n).text += event.text;
      due(known.get(event.n));
    }
    if (name === "end" && event.error) into.append(element("p", event.error));
  };
}

class Block {
  constructor({ kind, name }, isWhole) {
    this.kind = kind;
    this.text = "";
    // What a live run was asked stands above it.
    if (!isWhole && (kind === "system" || kind === "prompt")) return;
    this.body = element(kind === "text" ? "div" : "pre");
    this.item = this.body;
    if (kind in FOLDED) {
      const title = name ? `${FOLDED[kind]}: ${name}` : FOLDED[kind];
      this.item = element("details", element("summary", title), this.body);
    }
    this.item.classList.add("block", kind);
  }

  draw() {
    if (!this.body) return;
    if (this.kind === "text") put(this.body, markdown(this.text));
    else this.body.textContent = visible(this.text);
  }
}
