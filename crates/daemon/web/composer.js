// What the person writes: with names completed, drafts kept, and nothing lost that was not sent.

import { ask, inWords, Unanswered } from "/web/daemon.js";
import { readOwn } from "/web/feed.js";
import { groupKey, mirror, onChange } from "/web/mirror.js";
import { element } from "/web/markdown.js";
import { isOfOthers } from "/web/tree.js";

/// Characters of the longest line of a draft up to which each line has its own direction: for a
/// line of a million a browser takes a second more at each change.
const DIRECTED = 50000;

/// Makes the form work for a place. Calls `sent` once the daemon has what was written for it. Gives
/// what opens another.
export function showComposer(form, place, sent) {
  const [names, text, button, told] = ["names", "text", "send", "told"].map((id) => form.querySelector(`#${id}`));
  const draft = () => `draft ${place.scope} ${place.group}`;
  const choices = new Choices(names, text, place);
  /// Where the key of a draft is that may have arrived without an answer: sending it again then
  /// does nothing, also after a reload.
  const keyOf = (where) => `key of ${where}`;
  /// Texts on their way that are still the beginning of their draft.
  const begun = new Map();
  const { placeholder } = text;
  /// What is told of a daemon that did not answer, until it does again.
  let unanswered = null;

  const grow = () => {
    const isLong = (line) => line.length > DIRECTED;
    const hasLong = isLong(text.value) && text.value.split("\n").some(isLong);
    text.style.unicodeBidi = hasLong ? "normal" : "";
    text.style.height = "auto";
    const border = text.offsetHeight - text.clientHeight;
    text.style.height = `${text.scrollHeight + border}px`;
  };
  /// The daemon refuses what the user sends to a conversation of others.
  const admit = () => {
    const known = mirror.groups.get(groupKey(place.scope, place.group));
    const isShut = known !== undefined && isOfOthers(known);
    text.disabled = isShut;
    button.disabled = isShut;
    const open = place.agent ? `Message to ${place.agent}` : placeholder;
    text.placeholder = isShut ? "Only its members write here" : open;
  };
  const send = async () => {
    const message = text.value;
    if (message.trim() === "") return;
    const { scope, group, agent } = place;
    const where = draft();
    if (begun.has(where)) {
      // Its beginning would be sent twice: what was written behind it stays.
      told.textContent = "Still sending …";
      return;
    }
    const isHere = () => draft() === where;
    const key = sessionStorage.getItem(keyOf(where)) ?? newKey();
    sessionStorage.setItem(keyOf(where), key);
    begun.set(where, message);
    const to = agent ? [agent] : group === "channel" ? [] : [group];
    told.textContent = "";
    try {
      const answer = await ask("POST", `/send?target=${encodeURIComponent(scope)}`, { message, to }, key);
      readOwn();
      if (sessionStorage.getItem(keyOf(where)) === key) sessionStorage.removeItem(keyOf(where));
      // What was written behind it meanwhile is another message.
      if (begun.get(where) === message) {
        begun.delete(where);
        sessionStorage.setItem(where, (sessionStorage.getItem(where) ?? "").slice(message.length));
      }
      // Another conversation may have been opened meanwhile.
      if (!isHere()) return;
      told.textContent = whatBecame(answer, mirror.workflows.get(scope));
      text.value = sessionStorage.getItem(where);
      grow();
      sent();
    } catch (error) {
      if (begun.get(where) === message) begun.delete(where);
      const what = isHere() ? "Not sent" : `Not sent to ${group} ${scope}`;
      told.textContent = `${what}: ${inWords(error)}`;
      if (error instanceof Unanswered && isHere()) unanswered = told.textContent;
    }
  };
  onChange((kind) => {
    if (kind === "snapshot" && told.textContent === unanswered) told.textContent = "";
    if (kind === "snapshot" || kind === "group.changed") admit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    choices.hide();
    send();
  });
  text.addEventListener("input", () => {
    sessionStorage.removeItem(keyOf(draft()));
    sessionStorage.setItem(draft(), text.value);
    if (!text.value.startsWith(begun.get(draft()))) begun.delete(draft());
    grow();
    choices.show();
  });
  text.addEventListener("keydown", (event) => {
    // The Enter that confirms a word of an input method: Safari says so by the number alone.
    if (event.isComposing || event.keyCode === 229 || choices.takes(event)) return;
    // A phone has no Shift-Enter for a new line: there the button sends.
    const isSending = event.key === "Enter" && !event.shiftKey;
    if (isSending && !matchMedia("(pointer: coarse)").matches) {
      event.preventDefault();
      // A key that is held down may have answered a question before.
      if (!event.repeat) send();
    }
  });
  text.addEventListener("click", () => choices.isOfCaret() || choices.hide());
  return () => {
    text.value = sessionStorage.getItem(draft()) ?? "";
    told.textContent = "";
    choices.hide();
    admit();
    grow();
    // An answer that is typed to a question keeps the focus.
    const isElsewhere = document.activeElement?.closest("#needs");
    if (!isElsewhere && matchMedia("(min-width: 40rem)").matches) text.focus();
  };
}

function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/// What became of a message that does not reach all, in the words of the command line.
function whatBecame(sent, workflow) {
  const missed = sent.unresolved.map(({ name, nearest }) =>
    `@${name} not found${nearest ? `: did you mean @${nearest}?` : ""}`);
  const waits = sent.delivered_to.filter(({ state }) => !["woken", "stored", "inform"].includes(state))
    .map(({ name, state }) => `${name} (${whyItWaits(state, workflow)})`);
  return [...missed, ...waits].join(", ");
}

/// What a delivery in this state waits for, in its workflow, if that is known.
function whyItWaits(state, workflow) {
  if (state === "paused") return "waits: it is paused";
  if (state !== "stopped") return state;
  switch (workflow?.state) {
    case "created":
    case "setting_up": return "waits: its workflow is being set up";
    case "stopped": return "waits: its workflow is stopped";
  }
  return endedInSetup(workflow) ? "waits for the next start: its workflow has ended" : "waits: it is stopped";
}

/// Whether a workflow ended in its setup, as the command line finds it out.
function endedInSetup(workflow) {
  if (workflow?.state === "completed") return Boolean(workflow.outcome_reason);
  return workflow?.state === "failed" && (workflow.mode === "start" || workflow.used.runs === 0);
}

/// Names that fit what is written after an @.
class Choices {
  constructor(list, text, place) {
    Object.assign(this, { list, text, place, at: 0 });
  }

  /// What is written of a name, by the daemon's rules: `a@b` and `a/@b` begin none, `@a/@b` does.
  get begun() {
    const before = this.text.value.slice(0, this.text.selectionStart);
    return before.match(/(?<![A-Za-z0-9@.\\]|(?<!@[\w-]+)\/)@([\w-]*)$/)?.[1];
  }

  show() {
    const { begun } = this;
    const { scope, group, agent } = this.place;
    // In a group only its members are found. A channel has no list of them.
    const only = agent ? [] : (mirror.groups.get(groupKey(scope, group))?.members ?? []);
    const members = [...mirror.agents.values()]
      .filter((one) => one.scope === scope && one.kind !== "person")
      .map((one) => one.name)
      .filter((name) => only.length === 0 || only.includes(name));
    this.shownFor = begun;
    const start = begun?.toLowerCase();
    this.found = begun === undefined ? [] : [...members.sort(), "all"].filter((name) => name.startsWith(start));
    // A name that is written in full is chosen, also where it is not the first.
    this.at = Math.max(0, this.found.indexOf(start));
    this.draw();
  }

  draw() {
    this.list.hidden = this.found.length === 0;
    this.list.replaceChildren(...this.found.map((name, at) => {
      const item = element("li", `@${name}`);
      item.id = `name-${at}`;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", String(at === this.at));
      item.addEventListener("mousedown", (event) => {
        event.preventDefault();
        this.choose(name);
      });
      return item;
    }));
    const chosen = this.list.children[this.at];
    chosen?.scrollIntoView({ block: "nearest" });
    // A screen reader says which one is chosen.
    if (chosen) this.text.setAttribute("aria-activedescendant", chosen.id);
    else this.text.removeAttribute("aria-activedescendant");
  }

  hide() {
    this.found = [];
    this.draw();
  }

  /// Whether the caret is still where the list was made for.
  isOfCaret() {
    return this.begun !== undefined && this.begun === this.shownFor;
  }

  /// Whether a key is for the list.
  takes(event) {
    if (!this.found?.length) return false;
    // Behind a name that is written in full, Enter is for the message.
    const isWhole = event.key === "Enter" && this.begun?.toLowerCase() === this.found[this.at];
    if (isWhole || !this.isOfCaret()) {
      this.hide();
      return false;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      this.at = (this.at + step + this.found.length) % this.found.length;
      this.draw();
    } else if (event.key === "Tab" || event.key === "Enter") this.choose(this.found[this.at]);
    else if (event.key === "Escape") this.hide();
    else return false;
    event.preventDefault();
    return true;
  }

  choose(name) {
    const caret = this.text.selectionStart;
    const from = caret - this.begun.length;
    this.text.setRangeText(`${name} `, from, caret, "end");
    this.hide();
    this.text.dispatchEvent(new Event("input"));
    this.hide();
  }
}
