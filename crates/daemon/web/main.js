// The web chat: lets the tab in, and puts the parts together.

import { enter, isFinal, leave } from "/web/daemon.js";
import { follow } from "/web/mirror.js";
import { showTree } from "/web/tree.js";
import { showTalk } from "/web/talk.js";
import { showComposer } from "/web/composer.js";
import { showHistory } from "/web/history.js";
import { showNeeds } from "/web/needs.js";
import { element, nameMembersOf } from "/web/markdown.js";

const at = (id) => document.getElementById(id);
const place = { scope: "@global", group: "channel", agent: null };
const kept = sessionStorage.getItem("place");
if (kept) Object.assign(place, JSON.parse(kept));
const opened = [];

/// Goes to a conversation.
function go(to) {
  Object.assign(place, to);
  nameMembersOf(place.scope);
  sessionStorage.setItem("place", JSON.stringify(place));
  at("title").textContent = place.agent ? `${place.agent} ${place.scope}` : `${place.group} ${place.scope}`;
  document.title = `${at("title").textContent} – agent-worker`;
  fold(false);
  for (const open of opened) open();
}

const isOpen = () => document.body.classList.contains("tree");

/// Opens or closes the menu of a narrow window, which takes the focus and gives it back.
function fold(opens) {
  const tree = at("tree");
  const hasFocus = tree.contains(document.activeElement);
  document.body.classList.toggle("tree", opens);
  at("menu").setAttribute("aria-expanded", String(opens));
  if (opens) (tree.querySelector("[aria-current]") ?? tree.querySelector("button"))?.focus();
  else if (hasFocus) at("menu").focus();
}

/// Has the keyboard leave an open menu only by closing it: it covers what is behind.
function freeKeyboard() {
  document.addEventListener("keydown", ({ key }) => key === "Escape" && isOpen() && fold(false));
  document.addEventListener("focusin", ({ target }) => {
    if (isOpen() && target !== at("menu") && !at("tree").contains(target)) fold(false);
  });
}

/// Says how to get in.
function shutOut(why) {
  leave();
  fold(false);
  const command = element("code", "agent-worker web");
  at("talk").replaceChildren(element("li", `${why} This command prints a link: `, command));
  at("talk").hidden = false;
  for (const id of ["past", "history", "newest", "composer"]) at(id).hidden = true;
  at("past").replaceChildren();
  at("needs").replaceChildren();
  at("tree").replaceChildren();
  for (const id of ["said", "link"]) at(id).textContent = "";
}

// A link that is pasted over this page's own address loads nothing anew by itself.
addEventListener("hashchange", () => location.hash && location.reload());

async function begin() {
  const isIn = await enter().catch((error) => error);
  if (isIn !== true) {
    const again = isIn && !isFinal(isIn) ? " Reload this page to try again." : "";
    shutOut(isIn ? `${isIn.message}.${again}` : "A link lets this page in.");
    return;
  }
  at("menu").addEventListener("click", () => fold(!isOpen()));
  freeKeyboard();
  showTree(at("tree"), place, go);
  showNeeds(at("needs"));
  const talk = showTalk(at("talk"), at("newest"), at("said"), place);
  opened.push(talk.open);
  opened.push(showComposer(at("composer"), place, talk.toEnd));
  const others = [at("talk"), at("composer")];
  opened.push(showHistory({ button: at("history"), list: at("past"), others, place }));
  go({});
  await follow((text) => {
    // A screen reader reads again what is set again.
    if (at("link").textContent !== text) at("link").textContent = text;
  });
  shutOut("The daemon does not know this page any more.");
}

begin();
