"use strict";
// Names and texts come from contacts: everything is set as text, never as markup. What is shown is changed in place, so
// that focus, selection and what is unfolded stay.
const $ = id => document.getElementById(id);
const roles = { tbody: "rowgroup", tr: "row", th: "rowheader", td: "cell" };
let latest = null, heard = 0, isStale = false;

// MARK: Elements

function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  if (roles[name]) made.setAttribute("role", roles[name]);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made) made[key] = value; else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function drawn(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/// Sets the text of an element, and its class if one is given; what is the same stays untouched, and is not read out again.
function tell(place, text, kind) {
  if (place.textContent !== text) place.textContent = text;
  if (kind !== undefined && place.className !== kind) place.className = kind;
}

/// Makes the children of an element that have a key those of the items, in their order: makes what is new, updates the
/// rest in place, and moves only what has changed its place.
function arrange(parent, items, key, make, update) {
  const focused = document.activeElement, names = new Set(items.map(item => String(key(item)))), present = new Map();
  for (const child of [...parent.children]) {
    if (child.dataset.key === undefined) continue;
    if (names.has(child.dataset.key)) present.set(child.dataset.key, child); else child.remove();
  }
  let next = [...parent.children].find(one => one.dataset.key !== undefined) || null;
  for (const item of items) {
    const name = String(key(item));
    let child = present.get(name);
    if (!child) {
      child = make(item);
      child.dataset.key = name;
    }
    update(child, item);
    if (child === next) next = next.nextElementSibling; else parent.insertBefore(child, next);
  }
  // A move takes the focus away.
  if (focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
}

/// A body of a table with one row: a head and cells, which `update` fills.
function row(labels) {
  return element("tbody", {}, element("tr", {}, element("th", { scope: "row" }),
    ...labels.map(label => label ? element("td", { "data-label": label }) : element("td"))));
}

// MARK: Words

const two = number => String(number).padStart(2, "0");
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The one form of all times on the page: of the node's clock, in the zone of this browser, with the date unless it is today.
function when(moment) {
  const time = new Date(moment), now = new Date(latest ? latest.unixMilliseconds : Date.now());
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  if (time.toDateString() === now.toDateString()) return clock;
  const year = time.getFullYear() === now.getFullYear() ? "" : ` ${time.getFullYear()}`;
  return `${time.getDate()} ${months[time.getMonth()]}${year} ${clock}`;
}

/// A sentence of the node, with its times in the same form.
const local = text => text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, time => when(Date.parse(time)));
const sentence = text => local(text.charAt(0).toUpperCase() + text.slice(1)) + (/[.!?…]$/.test(text) ? "" : ".");
const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;
const percent = part => part > 0.999 ? "more than 99.9 %" : `${(100 * part).toPrecision(2)} %`;
const technologies = { lan: "Local network", bluetooth: "Bluetooth" };
const technology = id => technologies[id] || id;
const session = id => `session over ${id === "lan" ? "the local network" : technology(id)}`;
const ways = { session: "session", name: "name", tag: "tag", minor: "radio" };
// Near first. Each state has a sign and words, so that the page does not rely on colour alone.
const presences = {
  confirmed: { rank: 0, kind: "near", sign: "●", words: "here" },
  probable: { rank: 1, kind: "near", sign: "●", words: "probably here" },
  candidate: { rank: 2, kind: "maybe", sign: "◐", words: "perhaps here" },
  stale: { rank: 3, kind: "maybe", sign: "◌", words: "not heard lately" },
  gone: { rank: 4, kind: "away", sign: "○", words: "away" },
  unseen: { rank: 5, kind: "away", sign: "○", words: "not seen yet" },
};
const presence = contact => presences[contact.presence] || presences.unseen;
const isNear = contact => presence(contact).rank < 3;

function together(names) {
  const [one, several] = isStale ? ["was", "were"] : ["is", "are"];
  if (names.length > 3) return `${names.length} contacts ${several} near`;
  if (names.length < 2) return `${names[0] || "Nobody"} ${one} near`;
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)} ${several} near`;
}

// MARK: The state

const sorted = contacts => [...contacts].sort((one, other) =>
  presence(one).rank - presence(other).rank || one.contact.localeCompare(other.contact) || (one.id < other.id ? -1 : 1));

function show(state) {
  latest = state;
  heard = performance.now();
  refresh(false);
  const contacts = sorted(state.contacts);
  showHead(state, contacts);
  showContacts(contacts);
  showTimeline(state, contacts);
  showLinks(state.status);
  showLog(state);
  tell($("version"), `inkling ${state.version}, running since ${when(state.started)}. All times are of its clock, in this time zone.`);
}

function showHead(state, contacts) {
  const { status } = state, near = contacts.filter(isNear).map(one => one.contact);
  tell($("near"), together(near));
  document.title = isStale ? "Inkling: no answer" : `${near.length} near – Inkling`;
  const cause = status.silenceCause;
  if (status.visible) tell($("headline"), `✓ ${audience(status.visibility)}. New identifiers at ${when(status.visibleUntil)}.`, "verdict near");
  else if (cause && cause.cause === "invisible") tell($("headline"), "– Visible to nobody, as you chose.", "verdict away");
  else tell($("headline"), `${cause && cause.passes ? "~" : "✗"} Silent: ${local(status.silence || "")}.`, `verdict ${cause && cause.passes ? "maybe" : "wrong"}`);
  const remedies = cause && cause.cause !== "invisible" ? cause.remedies : [];
  $("remedies").hidden = !remedies.length;
  arrange($("remedies"), remedies, one => one.command, () => element("li", {}, element("span"), " ", element("code")), (item, one) => {
    tell(item.firstChild, `${one.purpose}:`);
    tell(item.lastChild, one.command);
  });
  const unread = contacts.reduce((sum, one) => sum + one.unread, 0);
  arrange($("tiles"), [
    { name: "near", number: near.length, words: "near", kind: near.length ? "near" : "away" },
    { name: "away", number: contacts.length - near.length, words: "away", kind: "away" },
    { name: "unread", number: unread, words: unread === 1 ? "unread message" : "unread messages", kind: "away" },
    { name: "strangers", number: state.strangers, words: state.strangers === 1 ? "stranger by radio" : "strangers by radio", kind: "away" },
    { name: "as of", number: when(state.unixMilliseconds), words: isStale ? "the last answer" : "now", kind: "away" },
  ], one => one.name, () => element("li", {}, element("b"), " ", element("span")), (item, one) => {
    tell(item.firstChild, String(one.number), one.kind);
    tell(item.lastChild, one.words);
  });
  showAudiences(status.visibility, contacts);
}

function audience(visibility) {
  switch (visibility.to) {
    case "audience": return `Visible to the audience ${visibility.audience}`;
    case "contact": return `Visible to ${visibility.contact} only`;
    case "nobody": return "Visible to nobody";
    default: return "Visible to all contacts";
  }
}

// MARK: Contacts

const panels = new Map();

function showContacts(contacts) {
  $("no-contacts").hidden = contacts.length > 0;
  $("contacts").hidden = !contacts.length;
  arrange($("contacts"), contacts, one => one.id, makeContact, (body, contact) => {
    const state = presence(contact), [head, presenceCell, since, by] = body.rows[0].cells;
    const [name, badge] = head.children, [words, why] = presenceCell.children;
    tell(name, contact.contact);
    tell(badge, contact.unread ? `${contact.unread} unread` : "");
    badge.hidden = !contact.unread;
    tell(words, `${state.sign} ${state.words}${contact.room ? ` in ${contact.room}` : ""}${contact.blocked ? ", blocked" : ""}`, state.kind);
    tell(why, local(contact.why));
    tell(since, contact.since ? when(Date.parse(contact.since)) : "");
    tell(by, contact.reachableOver.map(session)
      .concat(contact.by.filter(one => one !== "session" || !contact.reachableOver.length).map(one => ways[one] || one)).join(", "));
    body.dataset.kind = state.kind;
    if (panels.has(contact.id)) panels.get(contact.id).update(contact);
  });
  for (const id of panels.keys()) if (!contacts.some(one => one.id === id)) panels.delete(id);
}

function makeContact(contact) {
  const body = row(["", "since", "by"]), [head, presenceCell] = body.rows[0].cells;
  const name = element("button", { type: "button", className: "name", "aria-expanded": "false", "aria-controls": `panel-${contact.id}` });
  head.append(name, element("span", { className: "badge" }));
  presenceCell.append(element("span"), element("small"));
  const place = element("tr", { className: "panel", id: `panel-${contact.id}`, hidden: true }, element("td", { colSpan: 4 }));
  body.append(place);
  name.addEventListener("click", () => {
    const opens = place.hidden;
    place.hidden = !opens;
    name.setAttribute("aria-expanded", String(opens));
    if (opens && !panels.has(contact.id)) panels.set(contact.id, makePanel(contact.id, place.firstChild));
    if (opens) panels.get(contact.id).update(latest.contacts.find(one => one.id === contact.id));
  });
  return body;
}

/// The part that unfolds below a contact: its messages, a form to write one, a new name, and why it counts as near or not.
function makePanel(id, place) {
  const list = element("ol", { className: "messages", tabIndex: 0, "aria-label": "Messages, oldest first" });
  const empty = element("p", { className: "empty" }, "No messages yet.");
  const read = element("button", { type: "button", className: "read", hidden: true }, "Mark as read");
  const text = element("textarea", { id: `text-${id}`, rows: 2, required: true });
  const sent = element("output"), renamed = element("output");
  const writing = element("form", { className: "write" }, element("label", { htmlFor: text.id }, "New message"), text,
    element("p", { className: "row" }, element("button", {}, "Send"), read, sent));
  const name = element("input", { id: `name-${id}`, required: true, autocomplete: "off" });
  const naming = element("form", { className: "rename row" }, element("label", { htmlFor: name.id }, "Your name for it"), name,
    element("button", {}, "Rename"), renamed);
  const facts = element("dl");
  place.append(element("div", { className: "columns" },
    element("div", {}, element("h3", {}, "Messages"), empty, list, writing),
    element("div", {}, element("h3", {}, "Name"), naming, element("h3", {}, "Why"), facts)));
  const texts = new Map();
  let shown = "", messages = [], current = "", queued = null;

  async function load() {
    const all = [];
    for await (const { message } of facts_of({ do: "messages", contact: id })) all.push(message);
    messages = all.slice(-20);
    for (const one of messages) {
      // The node keeps no text that was delivered.
      if (texts.has(one.message) || one.state === "delivered") continue;
      for await (const { message } of facts_of({ do: "message", message: one.message })) texts.set(one.message, message.text || "");
    }
    empty.hidden = messages.length > 0;
    list.hidden = !messages.length;
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 8;
    arrange(list, messages, one => one.message, () => element("li", {}, element("small"), element("p")), (item, one) => {
      const states = { queued: "queued until the next meeting", delivered: "delivered", unread: "received, unread", read: "received" };
      tell(item.firstChild, `${when(1000 * (one.written || one.time))}, ${states[one.state] || one.state}`);
      tell(item.lastChild, texts.get(one.message) || "A text is not kept once it is delivered.", texts.has(one.message) ? "" : "quiet");
      item.className = one.state;
    });
    if (isAtEnd) list.scrollTop = list.scrollHeight;
    read.hidden = !messages.some(one => one.state === "unread");
    if (queued && messages.some(one => one.message === queued && one.state === "delivered")) {
      queued = null;
      tell(sent, "Delivered.");
    }
  }

  act(writing, "submit", sent, async () => {
    let delivered = false;
    for await (const fact of facts_of({ do: "send", contact: id, text: text.value })) {
      if (!fact.delivered) continue;
      delivered = fact.delivered.delivered;
      queued = delivered ? null : fact.delivered.message;
      texts.set(fact.delivered.message, text.value);
    }
    text.value = "";
    await load();
    return queued === null || delivered ? "Delivered." : "Queued until the next meeting.";
  });
  act(read, "click", sent, async () => {
    // The newest of each device: those before it count as read too.
    const newest = new Map(messages.filter(one => one.state === "unread").map(one => [one.device, one.message]));
    for (const message of newest.values()) for await (const _ of facts_of({ do: "acknowledge", message })) { /* none */ }
    // What is hidden cannot keep the focus.
    if (document.activeElement === read) text.focus();
    await load();
    return "Marked as read.";
  });
  act(naming, "submit", renamed, async () => {
    for await (const _ of facts_of({ do: "rename", contact: id, name: name.value })) { /* the next state has the name */ }
    return "Renamed.";
  });

  return {
    update(contact) {
      if (name.value === current) name.value = contact.contact;
      current = contact.contact;
      const lines = [
        ["State", contact.presence],
        ["By radio", contact.presence === "confirmed" ? "not needed: a handshake is proof"
          : contact.posterior === null ? "unknown" : `${percent(contact.posterior)} that it is near, ${percent(contact.prior)} before anything was heard`],
        ["Last heard", contact.lastHeard && when(Date.parse(contact.lastHeard))],
        ["Leaves", contact.leaves && `${when(Date.parse(contact.leaves))}, unless it is heard`],
        ["Clock", contact.clock], ["Handshake", contact.attempts], ["Missed", contact.missed],
        ["Grant", contact.recognisedUntil ? `recognisable until ${when(Date.parse(contact.recognisedUntil))}` : "none yet"],
      ].filter(line => line[1]).flatMap(([title, words]) => [{ tag: "dt", key: title, text: title }, { tag: "dd", key: `${title}:`, text: local(words) }]);
      arrange(facts, lines, one => one.key, one => element(one.tag), (place, one) => tell(place, one.text));
      // Texts are fetched when something has happened, and never come with the state.
      const sign = JSON.stringify([contact.unread, contact.presence, latest.log.length ? latest.log[0].number : 0]);
      if (sign === shown || isStale) return;
      shown = sign;
      load().catch(problem => tell(sent, sentence(problem.message)));
    },
  };
}

// MARK: Timeline, links, log

function showTimeline(state, contacts) {
  const now = state.unixMilliseconds, span = Math.min(86400000, Math.max(60000, now - state.started)), first = now - span;
  const at = time => 1000 * Math.min(1, Math.max(0, (time - first) / span));
  const moments = new Map();
  for (const one of state.timeline) moments.has(one.row) ? moments.get(one.row).push(one) : moments.set(one.row, [one]);
  const lanes = [...contacts.filter(one => moments.has(one.id)).map(one => ({ id: one.id, name: one.contact })),
    ...state.status.technologies.map(one => ({ id: one.technology, name: technology(one.technology) }))];
  // The height of a bar tells its kind, too.
  const kinds = { visible: ["shown", 4], confirmed: ["here", 12], probable: ["here", 12], candidate: ["perhaps", 6], stale: ["perhaps", 6] };
  arrange($("lanes"), lanes, one => one.id, () => {
    const lane = element("div", { className: "lane" }, element("span"));
    lane.append(drawn("svg", { viewBox: "0 0 1000 14", preserveAspectRatio: "none", role: "img" }));
    return lane;
  }, (lane, one) => {
    const [name, drawing] = lane.children, parts = [], told = [];
    tell(name, one.name);
    name.title = one.name;
    // The boundaries of epochs, every quarter of an hour, as long as they can be told apart.
    const step = 900000 * Math.max(1, Math.ceil(span / 900000 / 40));
    for (let time = Math.ceil(first / step) * step; time < now; time += step) {
      parts.push(drawn("line", { x1: at(time), x2: at(time), y1: 0, y2: 14, class: "epoch" }));
    }
    const changes = moments.get(one.id) || [];
    changes.forEach((moment, place) => {
      const next = changes[place + 1], end = next ? next.unixMilliseconds : now;
      if (!kinds[moment.state] || end <= first) return;
      const [kind, height] = kinds[moment.state], begin = at(moment.unixMilliseconds);
      parts.push(drawn("rect", { x: begin, y: (14 - height) / 2, width: Math.max(2, at(end) - begin), height, class: kind, "data-state": moment.state }));
      told.push(`${moment.state} from ${when(Math.max(first, moment.unixMilliseconds))} to ${next ? when(end) : "now"}`);
    });
    drawing.setAttribute("aria-label", `${one.name}: ${told.slice(-12).join(", ") || "nothing"}`);
    drawing.replaceChildren(...parts);
  });
  tell($("first"), when(first));
  tell($("last"), when(now));
}

function showLinks(status) {
  const heard = one => `${count(one.beacons, "beacon", "beacons")}, ${count(one.others, "other frame", "other frames")}`;
  const links = [
    ...status.technologies.map(one => ({ key: one.technology, name: technology(one.technology), isFine: !one.silence, words: one.silence ? "silent" : "visible",
      note: one.silence ? local(one.silence) : one.carriesLinks ? "others can connect" : "a beacon alone" })),
    ...status.antennas.map(one => ({ key: `antenna ${one.name}`, name: one.name + (one.room ? ` in ${one.room}` : ""), isFine: one.state === "listening",
      words: one.state, note: one.problem || heard(one) }))];
  arrange($("links"), links, one => one.key, () => row(["", ""]), (body, one) => {
    const [name, state, note] = body.rows[0].cells;
    tell(name, one.name);
    tell(state, `${one.isFine ? "✓" : "~"} ${one.words}`, one.isFine ? "near" : "maybe");
    tell(note, one.note);
  });
}

function showLog(state) {
  const log = state.log.slice(0, 100);
  $("scroll").hidden = !log.length;
  $("no-log").hidden = log.length > 0;
  tell($("no-log"), `Nothing has happened since ${when(state.started)}.`);
  arrange($("log"), log, one => one.number, () => row([""]), (body, one) => {
    const [time, what] = body.rows[0].cells;
    tell(time, when(one.unixMilliseconds));
    tell(what, sentence(one.what));
  });
}

/// Greys what is shown when the node has not said for a while that it is still so.
function refresh(stale) {
  if (stale === isStale) return;
  isStale = stale;
  document.body.classList.toggle("stale", stale);
  for (const button of $("main").querySelectorAll("button")) button.setAttribute("aria-disabled", String(stale));
  $("stale").hidden = !stale;
  $("headline").hidden = stale;
  tell($("stale"), stale ? `The node has not answered since ${when(latest.unixMilliseconds)}. What you see is from then; the page tries again.` : "");
  if (stale) showHead(latest, sorted(latest.contacts));
}

// MARK: Requests

const authorization = () => ({ Authorization: `Bearer ${sessionStorage.getItem("token")}` });

/// The lines of an answer, as they come.
async function* lines(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let rest = "";;) {
      const { done, value } = await reader.read();
      if (done) return;
      const whole = (rest + value).split("\n");
      rest = whole.pop();
      yield* whole.filter(line => line);
    }
  } finally { reader.cancel().catch(() => { /* It has failed already. */ }); }
}

/// Sends one request, as on the control socket, and yields what the node says until it is done.
async function* request(body, signal) {
  const answer = await fetch("/request", {
    method: "POST", headers: { ...authorization(), "Content-Type": "application/json" }, body: JSON.stringify(body), cache: "no-store", signal,
  });
  if (!answer.ok) throw new Error((await answer.text()).trim());
  for await (const line of lines(answer)) {
    const message = JSON.parse(line);
    if (message.done) return;
    if (message.failed) {
      const { what, remedy, command } = message.failed;
      throw new Error(`${sentence(what)}${remedy ? ` ${remedy}` : ""}${command ? `: inkling ${command}` : ""}`);
    }
    yield message;
  }
  throw new Error("the node has stopped");
}

async function* facts_of(body) {
  for await (const message of request(body)) if (message.fact) yield message.fact;
}

/// Lets an event of a form or a button do something, one at a time, and says beside it how that went.
function act(place, event, said, work) {
  let isBusy = false;
  place.addEventListener(event, async happened => {
    happened.preventDefault();
    if (isStale) return tell(said, "The node does not answer.");
    if (isBusy) return;
    isBusy = true;
    tell(said, "…");
    try { tell(said, await work() || ""); } catch (problem) { tell(said, sentence(problem.message)); }
    isBusy = false;
    renew();
  });
}

/// Fetches the state now, after something was done, instead of with the next change.
async function renew() {
  try {
    const answer = await fetch("/state", { headers: authorization(), cache: "no-store" });
    const state = answer.ok && await answer.json();
    if (state) show(state);
  } catch (problem) { /* The next state that comes by itself will do. */ }
}

// MARK: Visibility

let audiences = [], chosen = null;

function showAudiences(visibility, contacts) {
  const current = visibility.to === "audience" ? `named ${visibility.audience}` : visibility.to === "contact" ? `named ${visibility.id}` : visibility.to;
  const options = [{ value: "all", words: "all contacts" },
    ...audiences.map(one => ({ value: `named ${one}`, words: `audience ${one}` })),
    ...contacts.map(one => ({ value: `named ${one.id}`, words: `${one.contact} only` })), { value: "nobody", words: "nobody" }];
  if (!options.some(one => one.value === current)) options.push({ value: current, words: visibility.audience || visibility.contact || current });
  const select = $("audience"), isChanged = chosen !== null && select.value !== chosen;
  arrange(select, options, one => one.value, one => element("option", { value: one.value }), (option, one) => tell(option, one.words));
  // What a person is about to choose stays.
  if (!isChanged) select.value = current;
  chosen = current;
}

async function loadAudiences() {
  const names = [];
  // The audience around all others is the choice "all contacts".
  for await (const { audience } of facts_of({ do: "audiences" })) if (audience.within !== null) names.push(audience.audience);
  audiences = names;
}

act($("visible"), "submit", $("visible-said"), async () => {
  const value = $("audience").value, name = value.startsWith("named ") ? value.slice(6) : null;
  for await (const _ of facts_of(name === null ? { do: "visible", to: value } : { do: "visible", to: "named", name })) { /* the state has it */ }
  chosen = $("audience").value;
  return "Changed.";
});

// MARK: Invitation

let opened = null, asked = null;

async function invite() {
  const mine = opened = new AbortController();
  for (const id of ["invitation", "question", "warning"]) $(id).hidden = true;
  tell($("invited"), "Making an invitation …");
  tell($("copied"), "");
  tell($("close"), "Withdraw it and close");
  $("inviting").showModal();
  try {
    for await (const message of request({ do: "invite", minutes: 10 }, mine.signal)) {
      if (message.question) ask_about(message.question); else if (message.fact) showInvitation(message.fact);
    }
  } catch (problem) {
    if (mine.signal.aborted) return;
    tell($("invited"), sentence(problem.message));
  }
  hideInvitation();
  tell($("close"), "Close");
  $("close").focus();
  renew();
}

function showInvitation(fact) {
  const { invitation, port, warning, contact } = fact;
  if (invitation) {
    draw(invitation.modules);
    $("text").value = invitation.text;
    tell($("expires"), when(1000 * invitation.expires));
    $("invitation").hidden = false;
    tell($("invited"), "Waiting for the other person.");
  }
  if (invitation || port) tell($("port"), `Without multicast, the other person adds --at and this machine's address with port ${(invitation || port).port}.`);
  if (warning) {
    $("warning").hidden = false;
    tell($("warning"), sentence(warning.warning));
  }
  if (contact) {
    const ends = { waiting: "The other side has not said that it accepts; meet again with a new invitation.", "half-finished": "The next meeting completes the exchange." };
    tell($("invited"), `${contact.contact} is a contact now. ${ends[contact.standing] || ""}`.trim());
  }
}

/// Draws a QR code with its quiet zone of four modules.
function draw(modules) {
  const width = Math.round(Math.sqrt(modules.length));
  let path = "";
  for (let place = 0; place < modules.length; place++) {
    if (modules[place] === "1") path += `M${place % width + 4} ${Math.floor(place / width) + 4}h1v1h-1z`;
  }
  $("code").setAttribute("viewBox", `0 0 ${width + 8} ${width + 8}`);
  $("code").setAttribute("shape-rendering", "crispEdges");
  $("code").replaceChildren(drawn("path", { d: path, fill: "currentColor" }));
}

function ask_about(question) {
  asked = question.number;
  $("invitation").hidden = true;
  tell($("guest"), question.name);
  tell($("fingerprint"), question.fingerprint);
  $("known").hidden = !question.known;
  $("question").hidden = false;
  tell($("invited"), "");
  $("agree").focus();
}

/// Answers the question; the outcome comes from the request that has asked.
async function answer(agree) {
  const question = asked;
  asked = null;
  $("question").hidden = true;
  if (question === null) return;
  tell($("invited"), agree ? "Becoming contacts …" : "Declining …");
  try { for await (const _ of request({ do: "answer", question, agree })) { /* done */ } } catch (problem) { tell($("invited"), sentence(problem.message)); }
}

/// Takes the invitation off the page: it is a secret.
function hideInvitation() {
  $("invitation").hidden = $("question").hidden = true;
  $("text").value = "";
  $("code").replaceChildren();
  asked = opened = null;
}

$("invite").addEventListener("click", () => isStale ? tell($("visible-said"), "The node does not answer.") : invite());
$("agree").addEventListener("click", () => answer(true));
$("decline").addEventListener("click", () => answer(false));
$("close").addEventListener("click", () => $("inviting").close());
$("inviting").addEventListener("close", () => {
  if (opened) opened.abort();
  hideInvitation();
});
$("copy").addEventListener("click", async () => {
  $("text").select();
  try {
    await navigator.clipboard.writeText($("text").value);
    tell($("copied"), "Copied.");
  } catch (problem) { tell($("copied"), "Selected: copy it by hand."); }
});

// MARK: Checkup

act($("check"), "click", $("checking"), async () => {
  tell($("checking"), "Listening for two seconds …");
  const answer = await fetch("/findings", { headers: authorization(), cache: "no-store" });
  if (!answer.ok) throw new Error((await answer.text()).trim());
  const verdicts = { ok: ["near", "✓ fine"], advice: ["maybe", "! advice"], fault: ["wrong", "✗ fault"], unknown: ["away", "? unknown"] };
  const findings = (await answer.json()).map((one, number) => ({ ...one, number }));
  arrange($("findings"), findings, one => one.number, () => row(["", ""]), (body, one) => {
    const [check, verdict, text] = body.rows[0].cells, [kind, words] = verdicts[one.verdict] || verdicts.unknown;
    tell(check, one.check);
    tell(verdict, words, kind);
    tell(text, one.text + one.remedies.map(way => ` → ${way.command || way.sentence || `${way.file}: ${way.line}`}`).join(""));
  });
  $("findings").hidden = false;
  return `Checked at ${when(latest.unixMilliseconds)}.`;
});

// MARK: The connection

async function follow() {
  const answer = await fetch("/events", { headers: authorization(), cache: "no-store" });
  if (answer.status === 401) {
    ask("This is not the token of the node that runs now.");
    return false;
  }
  if (!answer.ok) throw new Error(await answer.text());
  loadAudiences().catch(() => { /* The list has the contacts all the same. */ });
  for await (const line of lines(answer)) {
    const state = line.startsWith("data: ") && JSON.parse(line.slice(6));
    if (!state) continue;
    $("ask").hidden = true;
    $("main").hidden = false;
    show(state);
  }
  return true;
}

function ask(why) {
  sessionStorage.removeItem("token");
  refresh(false);
  $("main").hidden = true;
  $("inviting").close();
  $("ask").hidden = false;
  tell($("near"), "Not connected");
  tell($("headline"), "", "verdict");
  tell($("refused"), why || "");
}

async function begin() {
  while (sessionStorage.getItem("token")) {
    try { if (!await follow()) return; } catch (problem) { if (!latest) tell($("headline"), "The node does not answer; trying again.", "verdict wrong"); }
    if (latest) refresh(true);
    await new Promise(done => setTimeout(done, 2000));
  }
}

// A node that hangs keeps its connections.
setInterval(() => { if (latest && performance.now() - heard > 12000 && !$("main").hidden) refresh(true); }, 1000);
$("ask").addEventListener("submit", event => {
  event.preventDefault();
  sessionStorage.setItem("token", $("token").value.trim());
  $("token").value = "";
  tell($("refused"), "");
  begin();
});
$("forget").addEventListener("click", () => {
  ask();
  location.reload();
});
if (sessionStorage.getItem("token")) begin(); else ask();
