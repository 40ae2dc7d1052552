// One conversation: its messages, older ones as one scrolls, new ones as they come, and what its
// agents are doing.

import { ask, isFinal } from "/web/daemon.js";
import { mirror, onChange, groupKey, isLive } from "/web/mirror.js";
import { element, markdown, put, visible } from "/web/markdown.js";
import { liveRun, whatItDid } from "/web/run.js";
import { isOfOthers } from "/web/tree.js";

const PAGE = 100;
/// Older messages in a page, which is added within one frame.
const OLDER = 50;
/// Characters of a new message that a screen reader is told.
const SAID = 200;

/// Shows the conversation of a place; `said` has the beginning of a new message, for screen readers.
/// Gives what opens another, and what goes to its end.
export function showTalk(list, newest, said, place) {
  const talk = new Talk(list, newest, said, place);
  list.addEventListener("scroll", () => talk.scrolled());
  list.addEventListener("click", ({ target }) => talk.unfolds(target.closest("summary, button")));
  newest.addEventListener("click", () => {
    // The button is hidden then, and would lose the focus.
    list.focus();
    talk.toEnd();
  });
  document.addEventListener("visibilitychange", () => talk.noteRead());
  // It has another height, or is seen again after the History.
  new ResizeObserver(() => talk.sticks && talk.toEnd()).observe(list);
  onChange((kind, body) => talk.hear(kind, body));
  return { open: () => talk.open(), toEnd: () => talk.toEnd() };
}

class Talk {
  constructor(list, newest, said, place) {
    Object.assign(this, { list, newest, said, place, shown: new Map(), runs: new Map(), visit: 0, round: 0 });
  }

  async open() {
    this.visit += 1;
    for (const run of this.runs.values()) run.end();
    // What was unfolded below a message may be followed too.
    for (const made of this.list.querySelectorAll("details[open]")) made.open = false;
    this.shown.clear();
    this.first = Infinity;
    this.last = 0;
    this.runs.clear();
    this.list.replaceChildren();
    this.said.textContent = "";
    this.more = false;
    this.isLoading = false;
    /// After which message others may be missing; null when none are.
    this.behind = 0;
    this.read = 0;
    const page = await this.page(`limit=${PAGE}`);
    if (!page) return;
    this.behind = null;
    this.more = page.more_before;
    for (const message of page.messages) this.add(message);
    for (const run of mirror.runs.values()) this.showRun(run);
    this.toEnd();
  }

  /// A page of it; none if another conversation was opened meanwhile.
  async page(rest) {
    const { visit, place } = this;
    const where = `target=${encodeURIComponent(place.scope)}&group=${encodeURIComponent(place.group)}`;
    try {
      const page = await ask("GET", `/peek?${where}&${rest}`);
      return visit === this.visit ? page : null;
    } catch (error) {
      if (visit !== this.visit) return null;
      // Two members who have not spoken yet have no conversation.
      if (error.status === 404) return { messages: [], more_before: false };
      // A page that is shut out says so itself.
      const isBlank = this.shown.size === 0 && error.status !== 401;
      if (isBlank) this.list.replaceChildren(element("li", error.message));
      return null;
    }
  }

  hear(kind, body) {
    if (kind === "snapshot") this.catchUp();
    // Another workflow may have its name already.
    if (kind === "workflow.removed" && body.scope === this.place.scope) this.open();
    if (kind === "message.sent" && this.isOfIt(body.message)) {
      this.add(body.message);
      if (this.sticks) this.follow();
      else this.newest.hidden = false;
      this.say(body.message);
    }
    if (kind === "run.changed") this.showRun(body);
  }

  /// The list itself is not read out as it changes: live runs change it many times a second.
  say({ sender, content }) {
    if (sender !== "user") this.said.textContent = visible(`${sender}: ${content.slice(0, SAID)}`);
  }

  isOfIt(message) {
    return message.scope === this.place.scope && message.group === this.place.group;
  }

  /// After a break: what was said meanwhile. What is not read yet is opened anew, at its end.
  async catchUp() {
    if (this.visit === 0) return;
    if (this.behind === 0 || this.shown.size === 0) return this.open();
    const { visit } = this;
    const round = (this.round += 1);
    // New messages come meanwhile: they are no place to go on from.
    this.behind ??= this.last;
    while (this.behind !== null) {
      const page = await this.page(`after=msg_${this.behind - 1}&limit=${PAGE}`);
      if (visit !== this.visit || round !== this.round) return;
      // The next round begins there.
      if (!page) break;
      // If the page lacks the last message shown, this is another workflow or a restored database.
      if (!this.has(page.messages[0], this.behind)) return this.open();
      const { size } = this.shown;
      for (const message of page.messages) this.add(message);
      if (!this.sticks && this.shown.size > size) this.newest.hidden = false;
      this.behind = page.more ? page.messages.at(-1).seq : null;
    }
    for (const [id, run] of this.runs) if (!mirror.runs.has(id)) this.endRun(id, run);
    for (const run of mirror.runs.values()) this.showRun(run);
    if (this.sticks) this.toEnd();
  }

  add(message) {
    const { seq } = message;
    if (this.shown.has(seq)) return;
    const isNewest = seq > this.last;
    const made = this.made(message);
    const next = isNewest
      ? this.list.querySelector(".run")
      : this.shown.get(Math.min(...[...this.shown.keys()].filter((other) => other > seq)));
    if (next) next.before(made);
    else this.list.append(made);
  }

  /// Whether a message is the shown one of this number.
  has(message, seq) {
    return message?.seq === seq && message.created_at === this.shown.get(seq)?.at;
  }

  /// Its item, which is put into the list.
  made(message) {
    const made = messageItem(message);
    made.at = message.created_at;
    this.shown.set(message.seq, made);
    this.first = Math.min(this.first, message.seq);
    this.last = Math.max(this.last, message.seq);
    return made;
  }

  async scrolled() {
    this.sticks = this.isAtEnd();
    this.newest.hidden ||= this.sticks;
    this.noteRead();
    if (this.list.scrollTop > 600 || !this.more || this.isLoading) return;
    this.isLoading = true;
    const { visit } = this;
    const page = await this.page(`before=msg_${this.first}&limit=${OLDER}`);
    if (visit === this.visit) this.isLoading = false;
    if (!page) return;
    this.more = page.more_before;
    const added = page.messages.filter(({ seq }) => !this.shown.has(seq));
    // Laid out as a whole when it comes into view: a list of thousands would be at each change.
    const older = element("li", element("ol", ...added.map((message) => this.made(message))));
    older.className = "older";
    // The browser keeps in its place what is seen, but not at the very top.
    this.list.scrollTop ||= 1;
    this.list.prepend(older);
  }

  /// What one unfolds to read it is not scrolled away by what comes behind it. A run at work is
  /// unfolded to see it grow.
  unfolds(asked) {
    if (!asked || asked.matches(".run > details > summary")) return;
    this.sticks = false;
    // Folded again, it may leave the end in view.
    if (asked.parentElement.open) requestAnimationFrame(() => this.scrolled());
  }

  isAtEnd() {
    return this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight < 80;
  }

  /// Goes to the end, and stays there when something is added.
  toEnd() {
    this.sticks = true;
    this.list.scrollTop = this.list.scrollHeight;
    this.newest.hidden = true;
    this.noteRead();
  }

  /// Goes to the end once all is added that came at the same time: for each look at the height of
  /// the list, all of it is laid out.
  follow() {
    if (!this.isDue) queueMicrotask(() => {
      this.isDue = false;
      if (this.sticks) this.toEnd();
    });
    this.isDue = true;
  }

  /// Tells the daemon how far the person has read.
  async noteRead() {
    const { last } = this;
    if (document.hidden || this.list.hidden || this.behind !== null) return;
    if (last <= this.read || !this.isAtEnd()) return;
    const { scope, group } = this.place;
    const known = mirror.groups.get(groupKey(scope, group));
    if (known && isOfOthers(known)) return;
    this.read = last;
    const path = `/cursors/${encodeURIComponent(group)}?target=${encodeURIComponent(scope)}`;
    await ask("PUT", path, { until: `msg_${last}` }).catch((error) => {
      if (!isFinal(error)) this.read = 0;
    });
  }

  /// Shows a live run whose mail is of this conversation; removes a run that has ended.
  showRun(run) {
    const known = this.runs.get(run.id);
    if (!isLive(run)) {
      if (known) this.endRun(run.id, known);
      return;
    }
    if (known) return known.tell(run);
    const cause = run.cause && Number(run.cause.slice(4));
    if (run.scope !== this.place.scope || !this.shown.has(cause)) return;
    const made = liveRun(run, () => this.sticks && this.toEnd());
    this.runs.set(run.id, made);
    this.list.append(made.item);
    if (this.sticks) this.toEnd();
  }

  endRun(id, run) {
    run.end();
    this.runs.delete(id);
  }
}

/// Whether it is a run's note on a message that the run has answered before.
const isClosingNote = ({ kind, intent, reply_to, run }) =>
  kind === "message" && intent === "inform" && Boolean(reply_to && run);

/// The time of a message, with its day unless that is today.
function shortTime(when) {
  if (when.toDateString() === new Date().toDateString()) {
    return when.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  }
  return when.toLocaleString([], { dateStyle: "short", timeStyle: "short" });
}

function messageItem(message) {
  const when = new Date(message.created_at);
  const time = element("time", shortTime(when));
  time.dateTime = when.toISOString();
  time.title = when.toLocaleString();
  const body = element("div", markdown(message.content));
  body.className = "text";
  let said = element("div", body);
  if (message.resource) {
    body.lastElementChild?.append("…");
    said.append(wholeText(message, body));
  }
  if (isClosingNote(message)) said = element("details", element("summary", "closing note"), said);
  const made = element("li", element("header", element("strong", message.sender), " ", time), said);
  made.className = message.sender === "user" ? "mine" : message.kind;
  made.id = message.id;
  if (message.run) made.append(whatItDid(message.run));
  return made;
}

/// Shows the whole of a long text in place of its beginning.
function wholeText(message, body) {
  const button = element("button", "Show all");
  button.addEventListener("click", async () => {
    const path = `/resources/${message.resource}?target=${encodeURIComponent(message.scope)}`;
    try {
      const whole = await ask("GET", path);
      put(body, markdown(whole.content));
      button.remove();
    } catch (error) {
      button.textContent = `Show all (${error.message})`;
    }
  });
  return button;
}
