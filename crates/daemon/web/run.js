// A run's transcript: what it says as it says it; thinking and tool calls folded.

import { stream, isFinal } from "/web/daemon.js";
import { element, markdown } from "/web/markdown.js";

const FOLDED = {
  system: "system prompt",
  prompt: "prompt",
  thinking: "thinking",
  tool_call: "call",
  tool_result: "result",
};

/// The item of a live run, followed until it is ended.
export function liveRun(run, grown) {
  const name = run.agent.split("@")[0];
  const doing = element("small");
  const blocks = element("div");
  const item = element("li", element("header", element("strong", name), " ", doing), blocks);
  item.className = "run";
  const tell = (now) => (doing.textContent = now.activity ?? now.state);
  tell(run);
  const end = followRun(run.id, blocks, false, grown);
  return { item, tell, end: () => (end(), item.remove()) };
}

/// What an ended run did, read when it is unfolded.
export function whatItDid(id) {
  const blocks = element("div");
  const made = element("details", element("summary", `what ${id} did`), blocks);
  made.addEventListener("toggle", () => {
    if (made.open && blocks.childElementCount === 0) followRun(id, blocks, true, () => {});
  });
  return made;
}

/// Follows a transcript into an element, at most one drawing a frame. Gives what ends it.
export function followRun(id, into, isWhole, grown) {
  const end = new AbortController();
  const known = new Map();
  const changed = new Set();
  const draw = () => {
    for (const block of changed) block.draw();
    changed.clear();
    grown();
  };
  const due = (block) => {
    if (changed.size === 0) requestAnimationFrame(draw);
    changed.add(block);
  };
  const take = (name, event) => {
    if (name === "block" && !known.has(event.n)) {
      const block = new Block(event, isWhole);
      known.set(event.n, block);
      if (block.item) into.append(block.item);
    }
    if (name === "delta" && known.has(event.n)) {
      known.get(event.n).text += event.text;
      due(known.get(event.n));
    }
    if (name === "end" && event.error) into.append(element("p", event.error));
  };
  const read = async () => {
    // The connection may break: the transcript is then read again from its beginning.
    for (let wait = 1000; !end.signal.aborted; wait = Math.min(wait * 2, 15000)) {
      known.clear();
      into.replaceChildren();
      try {
        return await stream(`/runs/${id}/output`, end.signal, (name, event) => {
          wait = 1000;
          take(name, event);
        });
      } catch (error) {
        if (end.signal.aborted) return;
        if (isFinal(error)) {
          into.append(element("p", error.message));
          return grown();
        }
        await new Promise((go) => setTimeout(go, wait));
      }
    }
  };
  read();
  return () => end.abort();
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
    if (this.kind === "text") this.body.replaceChildren(...markdown(this.text));
    else this.body.textContent = this.text;
  }
}
