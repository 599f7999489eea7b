"use strict";
const page = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const canvas = at("network"), course = at("course");
const BUSY = 1e-4, WAIT = 1e-9; // units of the numbers
const IDLE = "#dfe2e7", CHOSEN = "#2a9d6f";

let now = null; // the simulation shown
let bin = 0, whole = true, chosen = -1, hovered = null, timer = 0;
let view = { sx: 1, sy: 1, x: 0, y: 0 };

// ---- formats of numbers
function seconds(value) {
  if (value === 0) return "0 s";
  const [unit, name] = [[1, "s"], [1e-3, "ms"], [1e-6, "\u00b5s"], [1e-9, "ns"]].find(([u]) => value >= u) || [1e-9, "ns"];
  return `${Number((value / unit).toPrecision(3))} ${name}`;
}
function bytes(value) {
  const power = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), 6);
  return `${Number((value / 1000 ** power).toPrecision(3))} ${["B", "kB", "MB", "GB", "TB", "PB", "EB"][power]}`;
}
const percent = (value) => `${Number((100 * value).toPrecision(3))} %`;
const shown = (metric, value) => (metric === "wait" ? seconds(value) : percent(value));

// ---- values
const metric = () => at("metric").value;
const unit = (name) => (name === "wait" ? WAIT : BUSY);
const column = () => (whole ? now.bin_from.length : bin);
const valueOf = (name, line) => now.lines[name][line][column()] * unit(name);
function largest(name) {
  const bins = now.bin_from.length;
  let most = 0;
  for (const row of now.lines[name]) for (let i = 0; i < bins; i++) most = Math.max(most, row[i]);
  return most * unit(name);
}
function colour(value) {
  if (!(value > 0)) return IDLE;
  const place = Math.min(value / now.scale[metric()], 1);
  return page.colours[Math.min(Math.floor(place * page.colours.length), page.colours.length - 1)];
}

// ---- lines: curves that bow to the right, so that both directions are visible
function curve(line) {
  const { x, y } = now.discs;
  const a = now.lines.from[line], b = now.lines.to[line];
  const dx = x[b] - x[a], dy = y[b] - y[a];
  const bow = now.bow[now.lines.kind[line]];
  return [x[a], y[a], (x[a] + x[b]) / 2 - dy * bow, (y[a] + y[b]) / 2 + dx * bow, x[b], y[b]];
}
function prepare(simulation) {
  if (simulation.curves) return;
  now = simulation;
  const n = now.lines.from.length;
  at("metric").options[1].hidden = !now.lines.peak;
  now.lines.peak = now.lines.peak || now.lines.busy;
  now.drawn = [...Array(n).keys()].filter((i) => now.lines.from[i] !== now.lines.to[i]);
  now.curves = [...Array(n).keys()].map(curve);
  now.scale = {};
  for (const name of ["busy", "peak", "wait"]) now.scale[name] = largest(name) || unit(name);
}
function box() {
  const { x, y } = now.discs;
  const ends = [Infinity, Infinity, -Infinity, -Infinity];
  const take = (px, py) => {
    ends[0] = Math.min(ends[0], px); ends[1] = Math.min(ends[1], py);
    ends[2] = Math.max(ends[2], px); ends[3] = Math.max(ends[3], py);
  };
  x.forEach((px, i) => take(px, y[i]));
  for (const i of now.drawn) {
    const [ax, ay, cx, cy, bx, by] = now.curves[i];
    take((ax + 2 * cx + bx) / 4, (ay + 2 * cy + by) / 4);
  }
  return ends;
}
function fit() {
  const [left, top, right, bottom] = box();
  const margin = 50, w = canvas.clientWidth - 2 * margin, h = canvas.clientHeight - 2.4 * margin;
  const sx = w / Math.max(right - left, 1e-9), sy = h / Math.max(bottom - top, 1e-9);
  const scale = Math.min(sx, sy);
  view = now.stretches ? { sx, sy } : { sx: scale, sy: scale };
  view.x = canvas.clientWidth / 2 - (view.sx * (left + right)) / 2;
  view.y = canvas.clientHeight / 2 - 0.2 * margin - (view.sy * (top + bottom)) / 2;
}
const onScreen = (x, y) => [view.x + view.sx * x, view.y + view.sy * y];

// ---- drawing
function context(of) {
  const ratio = window.devicePixelRatio || 1;
  const w = of.clientWidth, h = of.clientHeight;
  if (of.width !== Math.round(w * ratio) || of.height !== Math.round(h * ratio)) {
    of.width = Math.round(w * ratio);
    of.height = Math.round(h * ratio);
  }
  const pen = of.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, w, h);
  return pen;
}
function stroke(pen, line, style, width) {
  const [ax, ay, cx, cy, bx, by] = now.curves[line];
  pen.beginPath();
  pen.moveTo(...onScreen(ax, ay));
  pen.quadraticCurveTo(...onScreen(cx, cy), ...onScreen(bx, by));
  pen.strokeStyle = style;
  pen.lineWidth = width;
  pen.stroke();
}
function radius() {
  return Math.max(2.5, Math.min(9, 0.28 * Math.sqrt((canvas.clientWidth * canvas.clientHeight) / now.discs.x.length / 6)));
}
function draw() {
  const pen = context(canvas), name = metric();
  const crowd = Math.max(0.35, Math.min(1, 30 / Math.sqrt(now.drawn.length)));
  const order = now.drawn.map((i) => [valueOf(name, i), i]).sort((a, b) => a[0] - b[0]);
  for (const [value, i] of order) {
    const part = Math.min(value / now.scale[name], 1);
    stroke(pen, i, colour(value), value > 0 ? crowd * (1 + 3.2 * part) : 0.6);
  }
  if (chosen >= 0) stroke(pen, chosen, CHOSEN, 5);
  if (hovered && hovered.line !== undefined) stroke(pen, hovered.line, "#22262b", 3);
  const r = radius();
  now.discs.x.forEach((x, i) => {
    const [px, py] = onScreen(x, now.discs.y[i]);
    pen.beginPath();
    pen.arc(px, py, r, 0, 2 * Math.PI);
    const value = now.discs.busy[i][column()] * BUSY;
    pen.fillStyle = name === "wait" ? "#9aa2ad" : colour(value);
    pen.fill();
    pen.lineWidth = hovered && hovered.disc === i ? 2.5 : 0.8;
    pen.strokeStyle = hovered && hovered.disc === i ? "#22262b" : "#6b7280";
    pen.stroke();
  });
}
function drawCourse() {
  const pen = context(course), w = course.clientWidth, h = course.clientHeight, pad = 6;
  const bins = now.bin_from.length, ends = [...now.bin_from.slice(1), now.time];
  const top = Math.max(...now.peak.slice(0, bins), 1);
  const px = (t) => (t / now.time) * w, py = (v) => h - pad - (v / top) * (h - 2 * pad - 10);
  const path = (row, style) => {
    pen.beginPath();
    row.slice(0, bins).forEach((v, i) => {
      pen.lineTo(px(now.bin_from[i]), py(v));
      pen.lineTo(px(ends[i]), py(v));
    });
    pen.strokeStyle = style;
    pen.lineWidth = 1.6;
    pen.stroke();
  };
  if (!whole) {
    pen.fillStyle = "rgb(27 108 168 / 16%)";
    pen.fillRect(px(now.bin_from[bin]), 0, Math.max(px(ends[bin]) - px(now.bin_from[bin]), 2), h);
  }
  path(now.peak, "#a02a63");
  path(now.mean, "#1b6ca8");
  if (chosen >= 0) path(now.lines.busy[chosen], CHOSEN);
  pen.fillStyle = "#5b6472";
  pen.font = "11px system-ui, sans-serif";
  pen.fillText(`busy, up to ${percent(top * BUSY)}`, 5, 12);
  pen.textAlign = "right";
  pen.fillText(seconds(now.time), w - 5, 12);
  pen.textAlign = "left";
}

// ---- texts
function describe() {
  const parts = [page.subtitle, now.workload.replace("_", " "), `${now.ranks.toLocaleString("en")} ranks`, now.topology,
    `${now.routing} routing`, `machine ${now.machine}`, `fidelity ${now.fidelity}`,
    `${bytes(now.bytes)} between nodes`, `${seconds(now.time)} in total`];
  at("about").textContent = parts.filter(Boolean).join(" \u00b7 ");
  const count = (n) => n.toLocaleString("en"), single = now.lines.links.every((n) => n === 1);
  const idle = now.idle ? ` ${count(now.idle)} idle links are omitted.` : "";
  at("drawn").textContent = `${count(now.switches)} switches, ${count(now.links)} links` + (single
    ? idle ? `; the links in use are drawn.${idle}` : ", each drawn"
    : ` as ${count(now.discs.x.length)} discs and ${count(now.drawn.length)} lines: a disc is ${now.disc_is}.${idle}`);
}
function legend() {
  const name = metric(), steps = page.colours.map((c, i) => `${c} ${(100 * i) / (page.colours.length - 1)}%`);
  at("bar").style.background = `linear-gradient(to right, ${steps.join(", ")})`;
  at("ticks").replaceChildren(...[0, 0.25, 0.5, 0.75, 1].map((part) => {
    const tick = document.createElement("span");
    tick.textContent = shown(name, part * now.scale[name]);
    return tick;
  }));
  at("unit").textContent = name === "wait" ? "wait" : "busy";
}
function moment() {
  const ends = [...now.bin_from.slice(1), now.time];
  const text = whole ? `0 to ${seconds(now.time)}` : `${seconds(now.bin_from[bin])} to ${seconds(ends[bin])}`;
  at("moment").textContent = text;
  at("time").setAttribute("aria-valuetext", text);
}
const nameOf = (disc) => now.discs.name[disc];
function rank() {
  const name = metric(), order = now.lines.from.map((_, i) => i);
  order.sort((a, b) => valueOf(name, b) - valueOf(name, a) || a - b);
  at("list").replaceChildren(...order.slice(0, Number(at("most").value)).map((i) => {
    const row = document.createElement("tr"), link = document.createElement("button");
    link.type = "button";
    link.textContent = nameOf(now.lines.from[i]);
    link.addEventListener("click", () => choose(i === chosen ? -1 : i));
    const inside = now.lines.from[i] === now.lines.to[i];
    const cells = [link, inside ? "inside" : nameOf(now.lines.to[i]), now.kinds[now.lines.kind[i]], shown(name, valueOf(name, i))];
    cells.forEach((content, c) => {
      const cell = row.insertCell();
      cell.append(content);
      if (c === 3) cell.className = "number";
    });
    row.className = i === chosen ? "chosen" : "";
    return row;
  }));
}
function row(table, name, value) {
  const line = table.insertRow();
  line.insertCell().textContent = name;
  line.insertCell().textContent = value;
}
function tip(x, y) {
  const box = at("tip");
  box.hidden = hovered === null;
  if (box.hidden) return;
  const head = document.createElement("b"), table = document.createElement("table");
  if (hovered.line !== undefined) {
    const i = hovered.line, count = now.lines.links[i];
    head.textContent = `${nameOf(now.lines.from[i])} \u2192 ${nameOf(now.lines.to[i])}`;
    row(table, "kind", now.kinds[now.lines.kind[i]] + (count > 1 ? `, ${count.toLocaleString("en")} links` : ""));
    row(table, "total bytes", bytes(now.lines.bytes[i]));
    row(table, count > 1 ? "busy, mean" : "busy", percent(valueOf("busy", i)));
    if (count > 1) row(table, "busiest", percent(valueOf("peak", i)));
    row(table, "longest wait", seconds(valueOf("wait", i)));
  } else {
    head.textContent = nameOf(hovered.disc);
    row(table, "links that leave, busy", percent(now.discs.busy[hovered.disc][column()] * BUSY));
    now.lines.from.forEach((from, i) => {
      if (from !== hovered.disc || now.lines.to[i] !== from) return;
      row(table, `inside, ${now.kinds[now.lines.kind[i]]}`,
        `${percent(valueOf("busy", i))} of ${now.lines.links[i].toLocaleString("en")} links`);
    });
  }
  box.replaceChildren(head, table);
  box.style.left = `${Math.max(4, Math.min(x + 14, canvas.clientWidth - box.offsetWidth - 6))}px`;
  box.style.top = `${Math.max(4, Math.min(y + 14, canvas.clientHeight - box.offsetHeight - 6))}px`;
}

// ---- the disc or line under the mouse
function find(x, y) {
  const r = radius() + 2;
  for (let i = 0; i < now.discs.x.length; i++) {
    const [px, py] = onScreen(now.discs.x[i], now.discs.y[i]);
    if (Math.hypot(px - x, py - y) <= r) return { disc: i };
  }
  let best = 7, found = null;
  for (const i of now.drawn) {
    const [ax, ay, cx, cy, bx, by] = now.curves[i];
    let [px, py] = onScreen(ax, ay);
    for (let s = 1; s <= 16; s++) {
      const t = s / 16, u = 1 - t;
      const [qx, qy] = onScreen(u * u * ax + 2 * u * t * cx + t * t * bx, u * u * ay + 2 * u * t * cy + t * t * by);
      const dx = qx - px, dy = qy - py, length = dx * dx + dy * dy || 1e-9;
      const along = Math.max(0, Math.min(1, ((x - px) * dx + (y - py) * dy) / length));
      const away = Math.hypot(px + along * dx - x, py + along * dy - y);
      if (away < best) { best = away; found = { line: i }; }
      px = qx; py = qy;
    }
  }
  return found;
}

// ---- events
function refresh() {
  draw();
  drawCourse();
  moment();
  rank();
  at("picked").hidden = chosen < 0;
}
function choose(line) {
  chosen = line;
  refresh();
}
function moveTo(place) {
  bin = Math.max(0, Math.min(place, now.bin_from.length - 1));
  whole = false;
  at("all").checked = whole;
  at("time").value = bin;
  refresh();
}
function show(index) {
  prepare(page.simulations[index]);
  now = page.simulations[index];
  chosen = -1;
  hovered = null;
  bin = Math.min(bin, now.bin_from.length - 1);
  at("time").max = now.bin_from.length - 1;
  at("tip").hidden = true;
  describe();
  legend();
  fit();
  refresh();
}
function play(on) {
  clearInterval(timer);
  timer = 0;
  at("play").textContent = on ? "Pause" : "Play";
  at("play").setAttribute("aria-pressed", String(on));
  if (!on) return;
  if (whole || bin === now.bin_from.length - 1) moveTo(0);
  timer = setInterval(() => {
    if (bin + 1 >= now.bin_from.length) return play(false);
    moveTo(bin + 1);
  }, 200);
}
function resize() {
  fit();
  refresh();
}

page.simulations.forEach((simulation, i) => at("simulation").add(new Option(simulation.name || "the case", i)));
at("choice").hidden = page.simulations.length === 1;
at("simulation").addEventListener("change", (event) => { play(false); show(Number(event.target.value)); });
at("metric").addEventListener("change", () => { legend(); refresh(); });
at("most").addEventListener("change", rank);
at("time").addEventListener("input", (event) => { play(false); moveTo(Number(event.target.value)); });
at("all").addEventListener("change", (event) => { play(false); whole = event.target.checked; refresh(); });
at("play").addEventListener("click", () => play(!timer));
at("whole").addEventListener("click", resize);
course.addEventListener("click", (event) => {
  const t = (event.offsetX / course.clientWidth) * now.time;
  play(false);
  moveTo(now.bin_from.filter((from) => from <= t).length - 1);
});
window.addEventListener("resize", resize);
window.addEventListener("keydown", (event) => {
  if (/SELECT|INPUT|BUTTON/.test(event.target.tagName)) return;
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step) { play(false); moveTo(bin + step); event.preventDefault(); }
  if (event.key === " ") { play(!timer); event.preventDefault(); }
});

let grabbed = null, moved = false;
canvas.addEventListener("pointerdown", (event) => {
  grabbed = { x: event.offsetX - view.x, y: event.offsetY - view.y };
  moved = false;
  canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener("pointermove", (event) => {
  if (grabbed) {
    const x = event.offsetX - grabbed.x, y = event.offsetY - grabbed.y;
    moved = moved || Math.hypot(x - view.x, y - view.y) > 3;
    if (moved) { view.x = x; view.y = y; draw(); }
    return;
  }
  hovered = find(event.offsetX, event.offsetY);
  draw();
  tip(event.offsetX, event.offsetY);
});
canvas.addEventListener("pointerup", (event) => {
  if (!moved) {
    const found = find(event.offsetX, event.offsetY);
    choose(found && found.line !== undefined && found.line !== chosen ? found.line : -1);
  }
  grabbed = null;
});
canvas.addEventListener("pointerleave", () => { hovered = null; at("tip").hidden = true; draw(); });
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  const by = Math.exp(-event.deltaY * 0.0015);
  view.x = event.offsetX - (event.offsetX - view.x) * by;
  view.y = event.offsetY - (event.offsetY - view.y) * by;
  view.sx *= by;
  view.sy *= by;
  draw();
}, { passive: false });
at("all").checked = whole;
show(0);
