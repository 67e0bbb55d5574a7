"use strict";
// What the page does: sort tables, and read transcripts. Text goes in by textContent alone, nothing is ever parsed as
// markup, nothing is loaded, nothing is stored.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const LIST_STEP = 200; // items drawn at a time
  const TURN_STEP = 300; // turns drawn at a time
  const LONG_TEXT = 6000; // characters of a message shown before it is opened

  function make(tag, className, text) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  }

  function draw(parent, tag, attributes, text) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  }

  const number = (value) => value.toLocaleString("en", { maximumFractionDigits: 3 }).replace("-", "\u2212");
  const turnsIn = (transcript) => `${number(transcript.lines.length)} turn${transcript.lines.length === 1 ? "" : "s"}`;

  // ---- Tables ----

  function sortable(table) {
    const body = table.tBodies[0];
    for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
      const button = make("button", "", head.textContent);
      button.type = "button";
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        body.append(...[...body.rows].sort((a, b) => compare(a.cells[column], b.cells[column], down ? -1 : 1)));
      });
    }
  }

  function compare(a, b, way) {
    const [gone, other] = [a.textContent === "\u2013", b.textContent === "\u2013"];
    if (gone || other) return gone - other; // a missing value is last either way
    if (a.dataset.order !== undefined && b.dataset.order !== undefined) return way * (order(a) - order(b));
    return way * a.textContent.localeCompare(b.textContent, "en", { numeric: true });
  }

  function order(cell) {
    return Number(cell.dataset.order.replace("inf", "Infinity"));
  }

  // ---- The trajectory of a transcript's values ----

  function trajectory(host, transcript, axes, choose) {
    const names = Object.keys(axes);
    for (const line of transcript.lines) {
      for (const name of Object.keys(line.values)) if (!names.includes(name)) names.push(name);
    }
    const series = names
      .map((name) => ({ name, points: pointsOf(transcript, name) }))
      .filter((one) => one.points.length > 0);
    host.hidden = series.length === 0;
    if (host.hidden) return () => {};
    const last = transcript.lines.length - 1;
    const state = { turn: 0, rule: null, x: null };

    function paint() {
      const wide = Math.max(260, host.clientWidth || 600);
      const tall = window.matchMedia("(max-width: 44rem)").matches ? 46 : 58;
      const [left, right, gap] = [40, 12, 30];
      state.x = (turn) => left + (last === 0 ? 0.5 : turn / last) * (wide - left - right);
      const height = series.length * (tall + gap) + 12;
      const svg = document.createElementNS(SVG, "svg");
      svg.setAttribute("viewBox", `0 0 ${wide} ${height}`);
      svg.setAttribute("aria-hidden", "true");
      for (const [place, one] of series.entries()) {
        const top = place * (tall + gap) + gap - 10;
        const [low, high] = axes[one.name] ?? rangeOf(one.points);
        const y = (value) => top + tall - ((value - low) / (high - low || 1)) * tall;
        const group = draw(svg, "g", { class: `series-${place % 4}` });
        draw(group, "text", { x: left, y: top - 8, class: "name" }, one.name.replaceAll("_", " "));
        for (const tick of [low, (low + high) / 2, high]) {
          draw(group, "line", { x1: left, x2: wide - right, y1: y(tick), y2: y(tick), class: "grid" });
          draw(group, "text", { x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, number(tick));
        }
        const path = one.points.map(([turn, value], i) => `${i ? "L" : "M"}${state.x(turn)} ${y(value)}`).join("");
        draw(group, "path", { d: path, class: "line" });
        if (one.points.length > 150) continue;
        for (const [turn, value] of one.points) draw(group, "circle", { cx: state.x(turn), cy: y(value), r: 4, class: "point" });
      }
      const step = niceStep(last + 1, Math.floor(wide / 44));
      for (let turn = 0; turn <= last; turn += step) {
        draw(svg, "text", { x: state.x(turn), y: height - 4, "text-anchor": "middle" }, number(turn + 1));
      }
      draw(svg, "text", { x: 4, y: height - 4 }, "turn");
      state.rule = draw(svg, "line", { y1: gap - 10, y2: height - 16, class: "here" });
      host.replaceChildren(svg);
      show(state.turn);
    }

    function show(turn) {
      state.turn = turn;
      state.rule.setAttribute("x1", state.x(turn));
      state.rule.setAttribute("x2", state.x(turn));
      const line = transcript.lines[turn];
      const values = Object.entries(line.values).map(([name, value]) => `${name} ${number(value)}`);
      host.setAttribute("aria-valuenow", turn + 1);
      host.setAttribute("aria-valuetext", [`turn ${turn + 1}, ${line.speaker}`, ...values].join(", "));
    }

    host.setAttribute("aria-valuemin", 1);
    host.setAttribute("aria-valuemax", last + 1);
    host.onkeydown = (event) => {
      const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -last, End: last };
      if (!(event.key in steps)) return;
      event.preventDefault();
      choose(Math.min(last, Math.max(0, state.turn + steps[event.key])));
    };
    host.onclick = (event) => {
      const box = host.firstElementChild.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * host.firstElementChild.viewBox.baseVal.width;
      let nearest = 0;
      for (let turn = 1; turn <= last; turn += 1) {
        if (Math.abs(state.x(turn) - at) < Math.abs(state.x(nearest) - at)) nearest = turn;
      }
      choose(nearest);
    };
    host.repaint = paint;
    paint();
    return show;
  }

  function pointsOf(transcript, name) {
    const points = [];
    for (const [turn, line] of transcript.lines.entries()) if (name in line.values) points.push([turn, line.values[name]]);
    return points;
  }

  function rangeOf(points) {
    const values = points.map((point) => point[1]);
    return [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  }

  function niceStep(count, most) {
    for (let size = 1; ; size *= 10) {
      for (const step of [1, 2, 5]) if (count / (step * size) <= most) return step * size;
    }
  }

  // ---- The reader ----

  function reader(root) {
    const data = JSON.parse(root.querySelector(".reader-data").textContent);
    const all = data.transcripts;
    const state = { group: null, cell: null, query: "", found: [], drawn: 0, open: -1, turns: 0 };
    const searched = []; // each transcript's text in lower case, made when it is first searched

    const controls = make("div", "reader-controls");
    const group = make("select");
    const search = make("input");
    search.type = "search";
    search.autocomplete = "off";
    const status = make("p", "reader-status");
    status.setAttribute("role", "status");
    const searchable = data.withheld ? "Search titles" : "Search titles and texts";
    controls.append(labelled("Group", group, `${root.id}-group`), labelled(searchable, search, `${root.id}-search`), status);

    const body = make("div", "reader-body");
    const list = make("ul", "reader-list");
    list.setAttribute("aria-label", "Transcripts");
    const page = make("article", "reader-page");
    body.append(list, page);
    root.querySelector(".unscripted").remove();
    root.append(controls, body);

    const groups = new Map();
    for (const one of all) groups.set(one.group, (groups.get(one.group) ?? 0) + 1);
    group.append(option(`All (${number(all.length)})`, ""));
    const groupNames = [...groups.keys()];
    for (const [place, name] of groupNames.entries()) {
      group.append(option(`${name || "(no group)"} (${number(groups.get(name))})`, String(place)));
    }

    function filter() {
      const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
      state.found = [];
      for (const [place, one] of all.entries()) {
        if (state.group !== null && one.group !== state.group) continue;
        if (state.cell !== null && one.cell !== state.cell) continue;
        if (words.length && !words.every((word) => searchText(place).includes(word))) continue;
        state.found.push(place);
      }
      state.drawn = 0;
      list.replaceChildren();
      list.scrollTop = 0;
      drawList();
      report();
    }

    function searchText(place) {
      if (searched[place] === undefined) {
        const one = all[place];
        const parts = [one.title, one.group, ...one.facts.flat(), ...one.lines.map((line) => line.text)];
        searched[place] = parts.join("\n").toLowerCase();
      }
      return searched[place];
    }

    function drawList() {
      list.querySelector(".more")?.remove();
      const until = Math.min(state.drawn + LIST_STEP, state.found.length);
      const items = document.createDocumentFragment();
      for (; state.drawn < until; state.drawn += 1) items.append(item(state.found[state.drawn]));
      if (until < state.found.length) {
        const more = make("li", "more");
        const left = state.found.length - until;
        const button = make("button", "plain", `Show ${number(Math.min(LIST_STEP, left))} more of ${number(left)}`);
        button.type = "button";
        button.addEventListener("click", () => {
          const place = state.drawn;
          drawList();
          list.querySelectorAll(".item")[place].focus();
        });
        more.append(button);
        items.append(more);
      }
      list.append(items);
    }

    function item(place) {
      const one = all[place];
      const button = make("button", "item");
      button.type = "button";
      button.dataset.place = place;
      button.append(make("span", "item-title", one.title), make("span", "item-more", [turnsIn(one), one.group].filter(Boolean).join(" · ")));
      button.firstChild.dir = "auto";
      if (place === state.open) button.setAttribute("aria-current", "true");
      const line = make("li");
      line.append(button);
      return line;
    }

    function report() {
      const many = `${number(state.found.length)} of ${number(all.length)} listed`;
      status.replaceChildren(many);
      if (state.cell === null) return;
      status.append(`, from cell ${state.cell} of ${state.group}`);
      if (state.found.length === 0) status.append(" (this page holds none of that cell)");
      const clear = make("button", "plain clear", "Show all cells");
      clear.type = "button";
      clear.addEventListener("click", () => {
        forgetCell();
        filter();
        search.focus();
      });
      status.append(" ", clear);
    }

    function forgetCell() {
      state.cell = null;
      // The address must not go on saying that a cell is picked.
      if (location.hash.startsWith("#pick=")) history.replaceState(null, "", `#${root.id}`);
    }

    function open(place, byHand) {
      state.open = place;
      for (const button of list.querySelectorAll(".item[aria-current]")) button.removeAttribute("aria-current");
      list.querySelector(`.item[data-place="${place}"]`)?.setAttribute("aria-current", "true");
      body.classList.toggle("opened", byHand || body.classList.contains("opened"));
      drawPage(all[place]);
      if (byHand && window.matchMedia("(max-width: 44rem)").matches) page.scrollIntoView({ block: "start" });
    }

    function drawPage(one) {
      const head = make("header", "reader-head");
      const row = make("div", "reader-row");
      const title = make("h3", "", one.title);
      title.dir = "auto";
      row.append(title, steps());
      const facts = make("dl", "reader-facts");
      for (const [name, value] of [["Group", one.group], ["Cell", one.cell], ...one.facts]) {
        if (!value) continue;
        const pair = make("div");
        pair.append(make("dt", "", name), make("dd", "", value));
        facts.append(pair);
      }
      head.append(row, facts);
      const path = make("div", "trajectory");
      path.tabIndex = 0;
      path.setAttribute("role", "slider");
      path.setAttribute("aria-label", "Turn of the transcript");
      const turns = make("ol", "turns");
      turns.tabIndex = 0;
      turns.setAttribute("aria-label", "Turns");
      page.replaceChildren(head, path, turns);
      state.turns = 0;
      drawTurns(one, turns, TURN_STEP);
      const show = trajectory(path, one, data.axes, (turn) => {
        if (turn >= state.turns) drawTurns(one, turns, turn + 1 - state.turns);
        show(turn);
        for (const other of turns.querySelectorAll(".turn.current")) other.classList.remove("current");
        turns.children[turn].classList.add("current");
        turns.children[turn].scrollIntoView({ block: "nearest" });
      });
    }

    function steps() {
      const buttons = make("div", "reader-steps");
      const at = state.found.indexOf(state.open);
      for (const [name, place] of [["Previous", state.found[at - 1]], ["Next", state.found[at + 1]]]) {
        const button = make("button", "", name);
        button.type = "button";
        button.disabled = at < 0 || place === undefined;
        button.addEventListener("click", () => {
          open(place, true);
          const again = [...page.querySelectorAll(".reader-steps button")].find((other) => other.textContent === name);
          again.focus({ preventScroll: true });
        });
        buttons.append(button);
      }
      return buttons;
    }

    function drawTurns(one, turns, count) {
      turns.querySelector(".more")?.remove();
      const until = Math.min(state.turns + count, one.lines.length);
      const items = document.createDocumentFragment();
      for (; state.turns < until; state.turns += 1) items.append(turn(one.lines[state.turns], state.turns));
      if (until < one.lines.length) {
        const more = make("li", "more");
        const left = one.lines.length - until;
        const button = make("button", "plain", `Show ${number(Math.min(TURN_STEP, left))} more of ${number(left)} turns`);
        button.type = "button";
        button.addEventListener("click", () => drawTurns(one, turns, TURN_STEP));
        more.append(button);
        items.append(more);
      }
      turns.append(items);
    }

    function turn(line, place) {
      const speaker = line.speaker.toLowerCase();
      const known = speaker === "student" || speaker === "tutor" ? speaker : "other";
      const box = make("li", `turn ${known}`);
      const head = make("div", "turn-head");
      head.append(make("span", "turn-number", number(place + 1)), make("span", "turn-who", line.speaker));
      for (const [text, tone] of line.marks) {
        const mark = make("span", "mark", text);
        if (["good", "bad", "warning", "muted"].includes(tone)) mark.classList.add(tone);
        head.append(mark);
      }
      box.append(head, ...words(line.text));
      return box;
    }

    function words(text) {
      if (!text.trim()) return [make("p", "turn-text absent", data.withheld ? "words left out of this page" : "empty")];
      const shown = make("p", "turn-text", text.length > LONG_TEXT ? `${text.slice(0, LONG_TEXT)}\u2026` : text);
      shown.dir = "auto";
      if (text.length <= LONG_TEXT) return [shown];
      const button = make("button", "plain", `Show the whole message (${number(text.length)} characters)`);
      button.type = "button";
      button.addEventListener("click", () => {
        shown.textContent = text;
        button.remove();
      });
      return [shown, button];
    }

    group.addEventListener("change", () => {
      state.group = group.value === "" ? null : groupNames[Number(group.value)];
      forgetCell();
      filter();
    });
    let waiting = 0;
    search.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        state.query = search.value;
        filter();
      }, 120);
    });
    list.addEventListener("click", (event) => {
      const button = event.target.closest(".item");
      if (button) open(Number(button.dataset.place), true);
    });
    list.addEventListener("keydown", (event) => {
      const move = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
      if (move === undefined) return;
      const buttons = [...list.querySelectorAll("button")];
      const to = buttons.indexOf(document.activeElement) + move;
      event.preventDefault();
      buttons[Math.min(buttons.length - 1, Math.max(0, to))]?.focus();
    });
    new ResizeObserver(() => page.querySelector(".trajectory:not([hidden])")?.repaint?.()).observe(page);

    filter();
    open(0, false);

    return {
      holds: (name, cell) => all.some((one) => one.group === name && (cell === null || one.cell === cell)),
      count: (name, cell) => all.filter((one) => one.group === name && one.cell === cell).length,
      pick(name, cell) {
        state.group = name;
        state.cell = cell;
        state.query = search.value = "";
        group.value = groups.has(name) ? String(groupNames.indexOf(name)) : "";
        filter();
        if (state.found.length) open(state.found[0], true);
        root.scrollIntoView({ block: "start" });
        (list.querySelector(".item") ?? search).focus({ preventScroll: true });
      },
    };
  }

  function labelled(text, control, id) {
    const box = make("div", "field");
    const label = make("label", "", text);
    label.htmlFor = control.id = id;
    box.append(label, control);
    return box;
  }

  function option(text, value) {
    const choice = make("option", "", text);
    choice.value = value;
    return choice;
  }

  // ---- Cells of figures pick transcripts ----

  function picked(hash) {
    const match = /^#pick=([^/]*)\/([^/]*)$/.exec(hash);
    if (!match) return null;
    try {
      return [decodeURIComponent(match[1]), decodeURIComponent(match[2])];
    } catch {
      return null; // not an address that a figure wrote
    }
  }

  for (const table of document.querySelectorAll("table.sortable")) sortable(table);
  const readers = [...document.querySelectorAll(".reader")].filter((root) => root.querySelector(".reader-data")).map(reader);

  function follow(hash) {
    const cell = picked(hash);
    if (!cell || readers.length === 0) return;
    const [name, place] = cell;
    (readers.find((one) => one.holds(name, place)) ?? readers.find((one) => one.holds(name, null)) ?? readers[0]).pick(name, place);
  }

  for (const link of document.querySelectorAll('.paper a[href^="#pick="]')) {
    const cell = picked(link.getAttribute("href"));
    if (!cell) continue;
    const held = readers.reduce((sum, one) => sum + one.count(...cell), 0);
    const says = `${cell[0]}, cell ${cell[1]}: ${number(held)} to read`;
    link.setAttribute("aria-label", says);
    draw(link, "title", {}, says);
    // The same cell may be picked again after the list was changed: the address does not change then.
    link.addEventListener("click", () => {
      if (location.hash === link.getAttribute("href")) follow(location.hash);
    });
  }
  window.addEventListener("hashchange", () => follow(location.hash));
  follow(location.hash);
})();
