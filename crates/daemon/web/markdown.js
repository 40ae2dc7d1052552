// Markdown as elements. Every text becomes a text node: nothing that is written can be markup, and
// only http and https can be a link.

import { mirror, onChange } from "/web/mirror.js";

/// A heading without the signs that may close it.
const unclosed = (heading) => heading.trimEnd().replace(/(?<=\s)#+$/, "").trimEnd();

const BLOCKS = [
  [/^(#{1,6})\s+(.*)$/, (found) => element(`h${Math.min(found[1].length + 2, 6)}`, inline(unclosed(found[2])))],
  [/^(?:-{3,}|\*{3,}|_{3,})\s*$/, () => element("hr")],
];

/// Control characters, and those that turn the direction of the text behind them.
const UNSEEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/// A text with a mark for each character that is not seen, and could have a text look like another.
export const visible = (text) => text.replace(UNSEEN, "\ufffd");

/// An element with these nodes and texts, and those in lists.
export function element(name, ...children) {
  const made = document.createElement(name);
  put(made, children.flat().map((child) => (typeof child === "string" ? visible(child) : child)));
  return made;
}

/// Replaces the nodes of an element. A call takes a limited number of them.
export function put(made, nodes) {
  made.replaceChildren();
  for (const node of nodes) made.append(node);
}

/// How deep quotes and lists are nested; what is deeper is text.
const DEEPEST = 20;

/// The elements of a text.
export function markdown(text, depth = 0) {
  const lines = new Lines(text);
  const made = [];
  while (lines.length > 0) {
    if (lines.first.trim() === "") lines.shift();
    else made.push(depth < DEEPEST ? block(lines, depth + 1) : paragraph(lines));
  }
  return made;
}

/// Lines that are taken one after another: an array moves all of its rest for each.
class Lines {
  constructor(text) {
    Object.assign(this, { all: text.split("\n"), at: 0 });
  }

  get length() {
    return this.all.length - this.at;
  }

  get first() {
    return this.all[this.at];
  }

  get second() {
    return this.all[this.at + 1];
  }

  /// Where the first line is that is not blank.
  get solid() {
    let at = this.at;
    while (this.all[at]?.trim() === "") at += 1;
    return at;
  }

  shift() {
    return this.all[this.at++];
  }
}

function block(lines, depth) {
  const fence = lines.first.match(/^\s*(```+|~~~+)/);
  if (fence) return code(lines, fence[1]);
  for (const [pattern, make] of BLOCKS) {
    const found = lines.first.match(pattern);
    if (found) {
      lines.shift();
      return make(found);
    }
  }
  if (/^\s*>/.test(lines.first)) {
    const quoted = takeWhile(lines, (line) => /^\s*>/.test(line)).map((line) => line.replace(/^\s*> ?/, ""));
    return element("blockquote", markdown(quoted.join("\n"), depth));
  }
  if (isItem(lines.first)) return list(lines, depth);
  if (isTable(lines.first, lines.second)) return table(lines);
  return paragraph(lines);
}

/// A paragraph, or the heading that a line of `=` below it makes of all its lines.
function paragraph(lines) {
  const goesOn = (line) => line.trim() !== "" && !isUnderline(line) && !begins(line, lines.second);
  const text = [lines.shift(), ...takeWhile(lines, goesOn)].join("\n");
  if (!isUnderline(lines.first)) return element("p", inline(text));
  lines.shift();
  return element("h3", inline(text.trim()));
}

const isRule = (line) => /^[\s:|-]+$/.test(line) && line.includes("-") && line.includes("|");
const isTable = (line, next = "") => line.includes("|") && isRule(next);
const isUnderline = (line = "") => /^ {0,3}=+\s*$/.test(line);
const ITEM = /^\s*(?:[-*+]|(\d{1,9})[.)])\s+/;
const isItem = (line) => ITEM.test(line);
/// An item with a box in place of the brackets of a task.
const boxed = (item) => item.replace(/^\[([ xX])\](?=\s)/, (_, sign) => (sign === " " ? "☐" : "☑"));
const markOf = (line) => line.match(ITEM)?.[0].trim().at(-1);
const indent = (line) => line.match(/^\s*/)[0].length;
/// The column that a line begins in, with a tab stop every four.
const column = (line) => [...line.match(/^\s*/)[0]].reduce((at, c) => (c === "\t" ? at - (at % 4) + 4 : at + 1), 0);
/// Whether a line, with the one behind it, is the first of a block other than a paragraph.
const begins = (line, next) =>
  /^\s*(```|~~~|>)/.test(line) || isItem(line) || BLOCKS.some(([is]) => is.test(line)) || isTable(line, next);

function takeWhile(lines, is) {
  const taken = [];
  while (lines.length > 0 && is(lines.first)) taken.push(lines.shift());
  return taken;
}

function code(lines, fence) {
  const first = lines.shift();
  const [opened, margin] = [column(first), first.match(/^\s*/)[0]];
  // Signs that stand four columns farther in, or have text behind them, are code.
  const closes = (line) => {
    const signs = line.trim();
    return signs.startsWith(fence) && signs === fence[0].repeat(signs.length) && column(line) < opened + 4;
  };
  const text = takeWhile(lines, (line) => !closes(line));
  lines.shift();
  // Each line loses at most the spaces and tabs that stand before the opening signs.
  const cut = (line) => {
    let at = 0;
    while (at < margin.length && line[at] === margin[at]) at += 1;
    return line.slice(at);
  };
  return element("pre", element("code", text.map(cut).join("\n")));
}

function list(lines, depth) {
  const outer = indent(lines.first);
  const [number, mark] = [lines.first.match(ITEM)[1], markOf(lines.first)];
  const made = element(number ? "ol" : "ul");
  if (number) made.start = Number(number);
  // Another mark begins another list.
  const goesOn = (line = "") => indent(line) >= outer && markOf(line) === mark;
  while (goesOn(lines.all[lines.solid])) {
    lines.at = lines.solid;
    const first = boxed(lines.shift().replace(ITEM, ""));
    const inner = behind(lines, outer).map((line) => line.slice(Math.min(indent(line), outer + 2)));
    const at = inner.findIndex((line, i) => line.trim() === "" || begins(line, inner[i + 1]));
    const words = [first, ...(at < 0 ? inner : inner.slice(0, at))].join("\n");
    const item = element("li", inline(words), at < 0 ? [] : markdown(inner.slice(at).join("\n"), depth));
    // Its mark stands where its text begins.
    item.dir = "auto";
    made.append(item);
  }
  return made;
}

/// The lines of an item behind its first; after a blank line those that are indented.
function behind(lines, outer) {
  const isOfItem = (line) => line.trim() !== "" && (indent(line) > outer || !begins(line, lines.second));
  const from = lines.at;
  for (;;) {
    takeWhile(lines, isOfItem);
    const next = lines.solid;
    if (next === lines.at || indent(lines.all[next] ?? "") <= outer) break;
    lines.at = next;
  }
  return lines.all.slice(from, lines.at);
}

function table(lines) {
  // A bar behind a backslash is text of its cell.
  const parts = (line) => line.trim().replace(/^\||(?<!\\)\|$/g, "").split(/(?<!\\)\|/);
  const cells = (line) => parts(line).map((cell) => cell.trim().replaceAll("\\|", "|"));
  const row = (line, name) => element("tr", cells(line).map((cell) => element(name, inline(cell))));
  const head = row(lines.shift(), "th");
  lines.shift();
  const rows = takeWhile(lines, (line) => line.includes("|")).map((line) => row(line, "td"));
  const made = element("div", element("table", element("thead", head), element("tbody", rows)));
  made.className = "wide";
  return made;
}

// Chinese punctuation ends a URL: no space need follow it.
// Underscores do not stand within a word, as those of `snake_case_names` do.
// Text between two marks has a maximum length: the search for a missing second mark ends there,
// not at the end of a long text.
const INLINE = /(?<!`)(`+)(?!`)(.{1,2000}?)(?<!`)\1(?!`)|\*\*(.{1,2000}?)(?<!\\)\*\*|(?<![\w*])\*(?!\s)(.{1,2000}?)(?<!\\)\*(?![\w*])|\[([^\]]{1,2000})\]\(((?![)\s])[^()\s]{0,2000}(?:\([^()\s]{0,500}\)[^()\s]{0,500}){0,5})(?:\s{1,20}"([^"]{0,2000})")?\)|(https?:\/\/[^\s<>"'、。，；：！？（）「」『』【】《》“”‘’]{0,2000}[^\s<>"'、。，；：！？（）「」『』【】《》“”‘’.,;:!?)\]])|(?<![\w@])@([\w][\w-]*)|(?<![\p{L}\p{N}_])(?:__(?![\s_])(.{1,2000}?)(?<![\s\\_])__|_(?![\s_])(.{1,2000}?)(?<![\s\\_])_)(?![\p{L}\p{N}_])|(?<!~)~~(?![\s~])(.{1,2000}?)(?<![\s\\~])~~(?!~)|\\([!-\/:-@\[-`\{-~])/gsu;

/// The nodes of a line of text.
export function inline(text) {
  const made = [];
  let at = 0;
  // Texts that follow each other become one text.
  const say = (words) => made.push(typeof made.at(-1) === "string" ? made.pop() + words : words);
  for (const found of text.matchAll(INLINE)) {
    say(text.slice(at, found.index));
    at = found.index + found[0].length;
    const [whole, , quoted, stars, star, label, target, title, bare, name, lines, line, struck, sign] = found;
    const [strong, weak] = [stars ?? lines, star ?? line];
    if (quoted !== undefined) made.push(element("code", unspaced(quoted)));
    else if (strong !== undefined) made.push(element("strong", inline(strong)));
    else if (weak !== undefined) made.push(element("em", inline(weak)));
    else if (struck !== undefined) made.push(element("del", inline(struck)));
    else if (sign !== undefined) say(sign);
    else if (label !== undefined) made.push(link(target, label, title) ?? whole);
    else if (bare !== undefined) {
      // A bracket that the URL opens belongs to it when it closes right behind.
      const url = text[at] === ")" && isOpen(bare) ? `${bare})` : bare;
      at = found.index + url.length;
      made.push(link(url, url));
    }
    else if (name !== undefined) made.push(mention(whole));
  }
  say(text.slice(at));
  return made.filter((part) => part !== "");
}

/// Code without the space on each side that separates a backtick of its own from the marks.
const unspaced = (code) =>
  code.trim() !== "" && code.startsWith(" ") && code.endsWith(" ") ? code.slice(1, -1) : code;

const isOpen = (url) => url.split("(").length > url.split(")").length;

function link(target, label, title = "") {
  if (!/^https?:\/\//i.test(target)) return null;
  const made = element("a", label);
  made.href = target;
  made.rel = "noopener noreferrer";
  made.target = "_blank";
  if (title) made.title = visible(title);
  return made;
}

function mention(name) {
  const made = element("span", name);
  made.className = "name";
  mark(made);
  return made;
}

let here = null;
let known = null;

/// Names are those of this workflow's members from here on.
export function nameMembersOf(scope) {
  here = scope;
  known = null;
}

/// Marks what names a member, in any case, as the daemon reads it.
function mark(made) {
  const members = () => [...mirror.agents.values()].filter(({ scope }) => scope === here);
  known ??= new Set(members().map(({ name }) => name)).add("all");
  const word = made.textContent.slice(1).toLowerCase();
  made.classList.toggle("mention", known.has(word) || known.has(word.replace(/[-_]+$/, "")));
}

onChange((kind) => {
  known = null;
  // Messages may be there before the members are known.
  if (kind === "snapshot") for (const made of document.querySelectorAll(".name")) mark(made);
});
