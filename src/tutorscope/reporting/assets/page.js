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

  function turnsIn(transcript) {
    if (transcript.counted) return transcript.counted;
    const [here, beside] = [transcript.lines.length, transcript.beside?.lines.length];
    if (beside !== undefined) return `${number(here)} and ${number(beside)} turns`;
    return `${number(here)} turn${here === 1 ? "" : "s"}`;
  }

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

  // ---- What stands at which height ----

  // A transcript's turns are its rows. Of two side by side, parts of the same name begin in one row.
  function laidOut(transcript) {
    const sides = [transcript, transcript.beside].filter(Boolean).map((side) => ({ ...side, rows: [], boxes: [] }));
    const runs = sides.map((side) => runsOf(side.lines));
    const at = sides.map(() => 0);
    let height = 0;
    while (sides.some((side, which) => at[which] < runs[which].length)) {
      const next = sides.map((side, which) => runs[which][at[which]]);
      const going = sides.map((side, which) => goes(which, next, runs, at));
      let tallest = 0;
      for (const [which, side] of sides.entries()) {
        if (!going[which]) continue;
        for (let turn = next[which].from; turn < next[which].to; turn += 1) side.rows[turn] = height + turn - next[which].from;
        tallest = Math.max(tallest, next[which].to - next[which].from);
        at[which] += 1;
      }
      height += tallest;
    }
    return { sides, height };
  }

  // The left one waits for a part that the right one has further on, the right one for all that the left one has alone.
  function goes(which, next, runs, at) {
    const [left, right] = next;
    if (!left || !right || left.part === right.part) return Boolean(next[which]);
    const leftWaits = runs[1].slice(at[1]).some((run) => run.part === left.part);
    return which === 0 ? !leftWaits : leftWaits;
  }

  function runsOf(lines) {
    const runs = [];
    for (const [turn, line] of lines.entries()) {
      if (turn === 0 || line.part !== lines[turn - 1].part) runs.push({ part: line.part, from: turn });
      runs.at(-1).to = turn + 1;
    }
    return runs;
  }

  // ---- The trajectory of values ----

  function trajectory(host, laid, axes, choose) {
    const names = Object.keys(axes);
    const lines = laid.sides.flatMap((side) => side.lines);
    for (const line of lines) {
      for (const name of Object.keys(line.values)) if (!names.includes(name)) names.push(name);
    }
    const series = names
      .map((name) => ({ name, sides: laid.sides.map((side) => pointsOf(side, name)) }))
      .filter((one) => one.sides.some((points) => points.length > 0));
    host.hidden = series.length === 0;
    if (host.hidden) return () => {};
    const last = laid.height - 1;
    const state = { row: 0, rule: null, x: null };

    function paint() {
      const wide = Math.max(260, host.clientWidth || 600);
      const tall = window.matchMedia("(max-width: 44rem)").matches ? 46 : 58;
      const [left, right, gap] = [40, 12, 30];
      state.x = (row) => left + (last === 0 ? 0.5 : row / last) * (wide - left - right);
      const height = series.length * (tall + gap) + 12;
      const svg = document.createElementNS(SVG, "svg");
      svg.setAttribute("viewBox", `0 0 ${wide} ${height}`);
      svg.setAttribute("aria-hidden", "true");
      for (const [place, one] of series.entries()) {
        const top = place * (tall + gap) + gap - 10;
        const [low, high] = axes[one.name] ?? rangeOf(one.sides.flat());
        const y = (value) => top + tall - ((value - low) / (high - low || 1)) * tall;
        const group = draw(svg, "g", { class: `series-${place % 4}` });
        draw(group, "text", { x: left, y: top - 8, class: "name" }, one.name.replaceAll("_", " "));
        for (const tick of [low, (low + high) / 2, high]) {
          draw(group, "line", { x1: left, x2: wide - right, y1: y(tick), y2: y(tick), class: "grid" });
          draw(group, "text", { x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, number(tick));
        }
        for (const [which, points] of one.sides.entries()) {
          const side = draw(group, "g", { class: `side-${which}` });
          const path = points.map(([row, value], i) => `${i ? "L" : "M"}${state.x(row)} ${y(value)}`).join("");
          draw(side, "path", { d: path, class: "line" });
          if (points.length > 150) continue;
          // A ring leaves the point of the same value inside it to be seen.
          const r = which === 0 ? 4 : 5.5;
          for (const [row, value] of points) draw(side, "circle", { cx: state.x(row), cy: y(value), r, class: "point" });
        }
      }
      const step = niceStep(last + 1, Math.floor(wide / 44));
      for (let row = 0; row <= last; row += step) {
        draw(svg, "text", { x: state.x(row), y: height - 4, "text-anchor": "middle" }, number(row + 1));
      }
      draw(svg, "text", { x: 4, y: height - 4 }, "turn");
      state.rule = draw(svg, "line", { y1: gap - 10, y2: height - 16, class: "here" });
      host.replaceChildren(svg);
      show(state.row);
    }

    function show(row) {
      state.row = row;
      state.rule.setAttribute("x1", state.x(row));
      state.rule.setAttribute("x2", state.x(row));
      host.setAttribute("aria-valuenow", row + 1);
      host.setAttribute("aria-valuetext", `turn ${row + 1}, ${laid.sides.map((side) => said(side, row)).filter(Boolean).join("; ")}`);
    }

    function said(side, row) {
      const line = side.lines[side.rows.indexOf(row)];
      if (!line) return "";
      const values = Object.entries(line.values).map(([name, value]) => `${name} ${number(value)}`);
      const words = [line.speaker, ...values].join(", ");
      return laid.sides.length > 1 ? `${side.side}: ${words}` : words;
    }

    host.setAttribute("aria-valuemin", 1);
    host.setAttribute("aria-valuemax", last + 1);
    host.onkeydown = (event) => {
      const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -last, End: last };
      if (!(event.key in steps)) return;
      event.preventDefault();
      choose(Math.min(last, Math.max(0, state.row + steps[event.key])));
    };
    host.onclick = (event) => {
      const box = host.firstElementChild.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * host.firstElementChild.viewBox.baseVal.width;
      let nearest = 0;
      for (let row = 1; row <= last; row += 1) {
        if (Math.abs(state.x(row) - at) < Math.abs(state.x(nearest) - at)) nearest = row;
      }
      choose(nearest);
    };
    host.repaint = paint;
    paint();
    return show;
  }

  function pointsOf(side, name) {
    const points = [];
    for (const [turn, line] of side.lines.entries()) if (name in line.values) points.push([side.rows[turn], line.values[name]]);
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
    const state = { group: null, cell: null, query: "", found: [], drawn: 0, open: -1 };
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
    // One that stands for itself is read like a figure: there is nothing to choose from.
    root.classList.toggle("solo", data.total === 1 && all.length === 1 && !all[0].cell);
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
        const parts = [one.title, one.group];
        for (const side of [one, one.beside].filter(Boolean)) {
          parts.push(side.side ?? "", ...side.facts.flat(), ...side.lines.map((line) => line.text));
        }
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
      const laid = laidOut(one);
      const paired = laid.sides.length > 1;
      const head = make("header", "reader-head");
      const row = make("div", "reader-row");
      const title = make("h3", "", one.title);
      title.dir = "auto";
      row.append(title, steps());
      head.append(row, factsOf([["Group", one.group], ["Cell", one.cell], ...(paired ? [] : one.facts)]));
      const path = make("div", "trajectory");
      path.tabIndex = 0;
      path.setAttribute("role", "slider");
      path.setAttribute("aria-label", "Turn of the transcript");
      const above = make("div", "reader-path");
      above.append(path);
      const turns = paired ? make("div", "sides") : make("ol", "turns");
      turns.tabIndex = 0;
      turns.setAttribute("aria-label", "Turns");
      if (paired) {
        turns.setAttribute("role", "region");
        above.append(keyOf(laid));
        for (const side of laid.sides) turns.append(sideOf(side, laid.height));
      } else {
        laid.sides[0].list = turns;
      }
      page.classList.toggle("paired", paired);
      body.classList.toggle("paired", paired);
      page.replaceChildren(head, above, turns);
      laid.drawn = 0;
      drawTurns(laid, TURN_STEP);
      const show = trajectory(path, laid, data.axes, (row) => {
        if (row >= laid.drawn) drawTurns(laid, row + 1 - laid.drawn);
        show(row);
        for (const other of turns.querySelectorAll(".turn.current")) other.classList.remove("current");
        const chosen = laid.sides.map((side) => side.boxes[side.rows.indexOf(row)]).filter(Boolean);
        for (const box of chosen) box.classList.add("current");
        chosen[0]?.scrollIntoView({ block: "nearest" });
      });
    }

    function factsOf(pairs) {
      const facts = make("dl", "reader-facts");
      for (const [name, value] of pairs) {
        if (!value) continue;
        const pair = make("div");
        pair.append(make("dt", "", name), make("dd", "", value));
        facts.append(pair);
      }
      return facts;
    }

    // Which is which: the head of each column, and how its line is drawn in the trajectory.
    function keyOf(laid) {
      const key = make("div", "sides-key");
      key.setAttribute("aria-hidden", "true"); // each side says its own name
      for (const [which, side] of laid.sides.entries()) {
        const name = make("span", "", side.side);
        name.dir = "auto";
        const box = make("span", `side-${which}`);
        box.append(make("span", "swatch"), name);
        key.append(box);
      }
      return key;
    }

    function sideOf(side, height) {
      const box = make("section", "side");
      box.setAttribute("aria-label", side.side);
      // Only a wide screen makes a grid of it: both sides share its rows, the first for their heads.
      box.style.gridRow = `1 / span ${height + 2}`;
      const head = make("header", "side-head");
      const name = make("h4", "", side.side);
      name.dir = "auto";
      head.append(name, factsOf(side.facts));
      side.list = make("ol", "turns");
      side.list.style.gridRow = `2 / span ${height + 1}`;
      box.append(head, side.list);
      return box;
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

    function drawTurns(laid, count) {
      const until = Math.min(laid.drawn + count, laid.height);
      for (const side of laid.sides) {
        side.list.querySelector(".more")?.remove();
        const items = document.createDocumentFragment();
        for (let at = side.boxes.length; at < side.lines.length && side.rows[at] < until; at += 1) {
          side.boxes[at] = turn(side.lines[at], side.rows[at], side.lines[at - 1]?.part);
          items.append(side.boxes[at]);
        }
        const left = side.lines.length - side.boxes.length;
        if (left) {
          const more = make("li", "more");
          more.style.gridRow = until + 1;
          const button = make("button", "plain", `Show ${number(Math.min(TURN_STEP, left))} more of ${number(left)} turns`);
          button.type = "button";
          button.addEventListener("click", () => drawTurns(laid, TURN_STEP));
          more.append(button);
          items.append(more);
        }
        side.list.append(items);
      }
      laid.drawn = until;
    }

    function turn(line, row, partBefore) {
      const speaker = line.speaker.toLowerCase();
      const known = speaker === "student" || speaker === "tutor" ? speaker : "other";
      const box = make("li", `turn ${known}`);
      box.style.gridRow = row + 1;
      const head = make("div", "turn-head");
      head.append(make("span", "turn-number", number(row + 1)), make("span", "turn-who", line.speaker));
      for (const [text, tone] of line.marks) {
        const mark = make("span", "mark", text);
        if (["good", "bad", "warning", "muted"].includes(tone)) mark.classList.add(tone);
        head.append(mark);
      }
      if (line.part && line.part !== partBefore) box.append(make("h5", "turn-part", line.part));
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
