// An agent's whole history: what it was told, thought, did and said in all its runs, in one scroll.

import { ask } from "/web/daemon.js";
import { onChange, isLive } from "/web/mirror.js";
import { element } from "/web/markdown.js";
import { followRun } from "/web/run.js";

const PAGE = 20;

/// Shows the history of the agent of a place while its button is pressed. Gives what opens another.
export function showHistory({ button, list, others, place }) {
  const past = new History(list, place);
  const press = (isOn) => {
    button.setAttribute("aria-pressed", String(isOn));
    list.hidden = !isOn;
    for (const other of others) other.hidden = isOn;
    if (isOn) past.open();
    else past.close();
  };
  button.addEventListener("click", () => press(list.hidden));
  list.addEventListener("scroll", () => past.scrolled());
  onChange((kind, body) => past.hear(kind, body));
  return () => {
    button.hidden = !place.agent;
    press(false);
  };
}

class History {
  constructor(list, place) {
    Object.assign(this, { list, place, shown: new Map(), visit: 0 });
    // Only what comes into view is read: an agent may have thousands of runs.
    this.seen = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) target.read();
    }, { root: list, rootMargin: "600px" });
  }

  async open() {
    this.close();
    this.more = true;
    this.sticks = true;
    this.isBehind = false;
    await this.older();
    this.toEnd();
  }

  close() {
    this.visit += 1;
    this.more = false;
    this.isLoading = false;
    this.seen.disconnect();
    for (const end of this.shown.values()) end();
    this.shown.clear();
    this.list.replaceChildren();
  }

  /// Puts the runs before those that are shown above them.
  async older() {
    if (!this.more || this.isLoading) return;
    this.isLoading = true;
    const { visit, place } = this;
    const first = this.list.firstChild?.id;
    const target = encodeURIComponent(`${place.agent}${place.scope}`);
    const before = first ? `&before=${first.slice(5)}` : "";
    const path = `/runs?target=${target}&limit=${PAGE}${before}`;
    const page = await ask("GET", path).catch(({ message }) => ({ failed: [element("li", message)] }));
    if (visit !== this.visit) return;
    this.isLoading = false;
    if (this.shown.size === 0) this.list.replaceChildren(...(page.failed ?? []));
    if (page.failed) return;
    this.more = page.more;
    this.list.scrollTop ||= 1;
    // One may have begun meanwhile.
    for (const run of page.runs) if (!this.shown.has(run.id)) this.list.prepend(this.item(run));
    if (this.list.childElementCount === 0) this.list.append(element("li", "No runs yet."));
  }

  hear(kind, body) {
    const { agent, scope } = this.place;
    if (this.list.hidden) return;
    const isRemoved = kind === "workflow.removed" && body.scope === scope;
    // During a break runs may have begun and ended. Who reads further up is not moved.
    if (isRemoved || (kind === "snapshot" && this.sticks)) this.open();
    else if (kind === "snapshot") this.isBehind = true;
    if (kind !== "run.changed") return;
    if (body.scope !== scope || body.agent.split("@")[0] !== agent) return;
    const state = document.getElementById(`past-${body.id}`)?.querySelector(".state");
    if (state) state.textContent = body.state;
    if (!isLive(body) || this.shown.has(body.id)) return;
    if (this.shown.size === 0) this.list.replaceChildren();
    this.list.append(this.item(body));
    if (this.sticks) this.toEnd();
  }

  item(run) {
    const when = new Date(run.started_at).toLocaleString();
    const state = element("span", run.state);
    state.className = "state";
    const head = element("header", element("strong", run.id), ` ${run.kind} `, state, " ", element("time", when));
    const blocks = element("div");
    const item = element("li", head, blocks);
    item.id = `past-${run.id}`;
    // It has room for what is not read yet: a list without height would be read as a whole.
    item.className = "run unread";
    this.shown.set(run.id, () => {});
    item.read = () => {
      this.seen.unobserve(item);
      const grown = () => {
        item.classList.remove("unread");
        if (this.sticks) this.toEnd();
      };
      this.shown.set(run.id, followRun(run.id, blocks, { isWhole: true, isAsked: true, grown }).end);
    };
    this.seen.observe(item);
    return item;
  }

  scrolled() {
    this.sticks = this.isAtEnd();
    if (this.sticks && this.isBehind) this.open();
    if (!this.sticks && this.list.scrollTop < 600) this.older();
  }

  isAtEnd() {
    return this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight < 80;
  }

  toEnd() {
    this.list.scrollTop = this.list.scrollHeight;
  }
}
