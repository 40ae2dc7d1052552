// Workflows with their conversations and agents, on the left.

import { ask } from "/web/daemon.js";
import { groupKey, mirror, onChange } from "/web/mirror.js";
import { element, visible } from "/web/markdown.js";

/// Draws the tree, and again after each change, at most once a frame.
export function showTree(nav, place, go) {
  let isDue = false;
  const draw = () => {
    // A button that is replaced while it is pressed gets no click.
    if (nav.matches(":active")) {
      requestAnimationFrame(draw);
      return;
    }
    isDue = false;
    // The rest of what is being written would go to another conversation.
    if (document.querySelector("#text").value === "") leaveRemoved();
    const focused = document.activeElement?.dataset?.key;
    nav.replaceChildren(...scopes().flatMap((scope) => part(scope, place, (to) => (go(to), due()))));
    if (focused) nav.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  };
  const due = () => {
    if (!isDue) requestAnimationFrame(draw);
    isDue = true;
  };
  const leaveRemoved = () => {
    if (place.scope !== "@global" && !scopes().includes(place.scope)) leave(place.scope);
    else if (place.agent && !isMember(place)) leaveAgent({ ...place });
  };
  /// Leaves a workflow that was removed. Many events may come between its end and the beginning of
  /// another of its name, as with --fresh: the daemon knows whether there is one.
  const leave = async (scope) => {
    const shown = await ask("GET", `/workflows/${encodeURIComponent(scope)}`).catch((error) => error);
    if (shown.status !== 404 || place.scope !== scope) return;
    go({ scope: "@global", group: "channel", agent: null });
    due();
  };
  /// Leaves an agent that was removed, for the channel of its workflow.
  const leaveAgent = async ({ scope, agent }) => {
    const target = encodeURIComponent(`${agent}${scope}`);
    const shown = await ask("GET", `/agents/${target}`).catch((error) => error);
    if (shown.status !== 404 || place.scope !== scope || place.agent !== agent) return;
    go({ scope, group: "channel", agent: null });
    due();
  };
  onChange((kind) => {
    if (kind === "snapshot" || /^(agent|workflow|group|message)\./.test(kind)) due();
  });
  nav.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const all = [...nav.querySelectorAll("button")];
    all[all.indexOf(document.activeElement) + step]?.focus();
    event.preventDefault();
  });
  return due;
}

const scopes = () => [...new Set([...mirror.agents.values()].map((agent) => agent.scope))].sort();

const isMember = ({ scope, agent }) =>
  [...mirror.agents.values()].some((one) => one.scope === scope && one.name === agent);

/// Whether a conversation has a line of its own. A direct one of the user is at the other's line, and
/// one of the daemon with an agent concerns no one else.
export const hasLine = ({ name }) =>
  !name.includes("+") || !name.split("+").some((member) => member === "user" || member === "system");

function part(scope, place, go) {
  const talks = [...mirror.groups.values()].filter((group) => group.scope === scope && hasLine(group));
  const agents = [...mirror.agents.values()].filter((agent) => agent.scope === scope && agent.kind !== "person");
  const list = element("ul");
  for (const group of talks) {
    const isHere = place.scope === scope && place.group === group.name;
    list.append(entry(scope, group.name, unread(group), "", isHere, () => go({ scope, group: group.name, agent: null })));
  }
  for (const [agent, depth] of hired(agents)) {
    const name = directName(agent.name);
    const group = mirror.groups.get(groupKey(scope, name));
    const isHere = place.scope === scope && place.group === name;
    const to = () => go({ scope, group: name, agent: agent.name });
    const made = entry(scope, agent.name, group ? unread(group) : 0, agent.state, isHere, to);
    if (agent.role) made.firstChild.title = visible(agent.role);
    made.dataset.depth = depth;
    list.append(made);
  }
  const workflow = mirror.workflows.get(scope);
  const state = workflow && scope !== "@global" ? workflow.state : "";
  const heading = element("h2", scope, " ", element("small", state));
  return [heading, list];
}

/// Agents by name, each hired one below its parent, with how deep.
function hired(agents) {
  const names = new Set(agents.map(({ name }) => name));
  const children = new Map();
  for (const agent of agents) {
    const parent = names.has(agent.parent) ? agent.parent : null;
    if (!children.has(parent)) children.set(parent, []);
    children.get(parent).push(agent);
  }
  const below = (parent, depth) => (children.get(parent) ?? [])
    .sort((one, other) => one.name.localeCompare(other.name))
    .flatMap((agent) => [[agent, depth], ...below(agent.name, depth + 1)]);
  return below(null, 0);
}

/// The conversation of the person with a member: both names, in order.
export const directName = (name) => [name, "user"].sort().join("+");

/// In a conversation of others the user has no read cursor. A channel has no list of members.
export const isOfOthers = ({ members }) => members.length > 0 && !members.includes("user");

const unread = (group) => (isOfOthers(group) ? 0 : Math.max(0, group.messages - group.read_messages));

function entry(scope, name, count, state, isHere, go) {
  const button = element("button", element("span", name));
  button.dataset.key = `${name} ${scope}`;
  if (isHere) button.setAttribute("aria-current", "page");
  if (state) button.append(element("small", state));
  if (count > 0) {
    const badge = element("b", String(count));
    badge.setAttribute("aria-label", `${count} unread`);
    button.append(badge);
  }
  button.dataset.state = state;
  button.addEventListener("click", go);
  return element("li", button);
}
