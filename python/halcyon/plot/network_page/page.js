"use strict";
// The data that loads.py and page.py write. Each simulation has discs (groups of switches) and lines (groups of links).
// lines.busy[line][bin], lines.wait[line][bin]: loads in each time bin; the last column is for the whole run.
// peak, mean: of all links; lines.peak: the busiest link of a line.
const page = JSON.parse(document.getElementById("data").textContent);
const element = (id) => document.getElementById(id);
const canvas = element("network"), timeChart = element("time-chart");
const BUSY = 1e-4, WAIT = 1e-9; // units of the busy fractions and of the waits [s] in the data
const IDLE = "#dfe2e7", SELECTED = "#2a9d6f"; // colours of idle links and of the selected line

let current = null; // the simulation that is shown
let bin = 0, wholeRun = true; // the time bin that is shown; with wholeRun, loads of the whole run are shown
let selected = -1; // index of the selected line
let hovered = null; // { line } or { disc } under the mouse
let timer = 0; // repeats showBin while the time is played; 0: stopped
let view = { sx: 1, sy: 1, x: 0, y: 0 }; // scale and position of the drawing [pixels]

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
const format = (metric, value) => (metric === "wait" ? seconds(value) : percent(value));

// ---- values
const metric = () => element("metric").value;
const unit = (name) => (name === "wait" ? WAIT : BUSY);
const column = () => (wholeRun ? current.bin_from.length : bin);
const valueOf = (name, line) => current.lines[name][line][column()] * unit(name);
function largest(name) {
  const bins = current.bin_from.length;
  let most = 0;
  for (const row of current.lines[name]) for (let i = 0; i < bins; i++) most = Math.max(most, row[i]);
  return most * unit(name);
}
function colour(value) {
  if (!(value > 0)) return IDLE;
  const fraction = Math.min(value / current.scale[metric()], 1);
  return page.colours[Math.min(Math.floor(fraction * page.colours.length), page.colours.length - 1)];
}

// ---- lines: curves that bow to the right, so that both directions are visible
function curve(line) {
  const { x, y } = current.discs;
  const a = current.lines.from[line], b = current.lines.to[line];
  const dx = x[b] - x[a], dy = y[b] - y[a];
  const bow = current.bow[current.lines.kind[line]];
  return [x[a], y[a], (x[a] + x[b]) / 2 - dy * bow, (y[a] + y[b]) / 2 + dx * bow, x[b], y[b]];
}
// Computes the curves and the colour scales of a simulation when it is first shown.
function prepare(simulation) {
  if (simulation.curves) return;
  current = simulation;
  const n = current.lines.from.length;
  element("metric").options[1].hidden = !current.lines.peak;
  current.lines.peak = current.lines.peak || current.lines.busy;
  current.drawn = [...Array(n).keys()].filter((i) => current.lines.from[i] !== current.lines.to[i]);
  current.curves = [...Array(n).keys()].map(curve);
  current.scale = {};
  for (const name of ["busy", "peak", "wait"]) current.scale[name] = largest(name) || unit(name);
}
function boundingBox() {
  const { x, y } = current.discs;
  const sides = [Infinity, Infinity, -Infinity, -Infinity]; // left, top, right, bottom
  const include = (px, py) => {
    sides[0] = Math.min(sides[0], px); sides[1] = Math.min(sides[1], py);
    sides[2] = Math.max(sides[2], px); sides[3] = Math.max(sides[3], py);
  };
  x.forEach((px, i) => include(px, y[i]));
  for (const i of current.drawn) {
    const [ax, ay, cx, cy, bx, by] = current.curves[i];
    include((ax + 2 * cx + bx) / 4, (ay + 2 * cy + by) / 4);
  }
  return sides;
}
function fit() {
  const [left, top, right, bottom] = boundingBox();
  const margin = 50, w = canvas.clientWidth - 2 * margin, h = canvas.clientHeight - 2.4 * margin;
  const sx = w / Math.max(right - left, 1e-9), sy = h / Math.max(bottom - top, 1e-9);
  const scale = Math.min(sx, sy);
  view = current.stretches ? { sx, sy } : { sx: scale, sy: scale };
  view.x = canvas.clientWidth / 2 - (view.sx * (left + right)) / 2;
  view.y = canvas.clientHeight / 2 - 0.2 * margin - (view.sy * (top + bottom)) / 2;
}
const onScreen = (x, y) => [view.x + view.sx * x, view.y + view.sy * y];

// ---- jobs
const jobColour = (job) => page.job_colours[job % page.job_colours.length];
// Fills a disc with the shares of the jobs.
function fillByJob(pen, disc, px, py, r) {
  const held = current.held[disc], total = held.reduce((sum, [, ranks]) => sum + ranks, 0);
  let angle = -Math.PI / 2;
  for (const [job, ranks] of held) {
    const end = angle + (2 * Math.PI * ranks) / total;
    pen.beginPath();
    pen.moveTo(px, py);
    pen.arc(px, py, r, angle, end);
    pen.fillStyle = jobColour(job);
    pen.fill();
    angle = end;
  }
}
function rowsOf(table, rows) {
  element(table).replaceChildren(...rows.map((contents) => {
    const row = document.createElement("tr");
    for (const { text, number, dot, title } of contents) {
      const cell = row.insertCell();
      cell.textContent = text;
      if (number) cell.className = "number";
      if (title) cell.title = title;
      if (!dot) continue;
      const mark = document.createElement("span");
      mark.className = "dot";
      mark.style.background = dot;
      cell.prepend(mark);
    }
    return row;
  }));
}
function showJobs() {
  rowsOf("jobs", current.jobs.map((job, i) => [{ text: `${i + 1} ${job.name}`, dot: jobColour(i) },
    { text: job.ranks.toLocaleString("en"), number: true },
    { text: job.which, title: `${job.nodes} nodes` }, { text: seconds(job.end), number: true }]));
  element("rails").hidden = current.nics.length === 0;
  rowsOf("nics", current.nics.map((nic, i) => [{ text: `${i}` }, { text: bytes(nic.bytes), number: true },
    ...["busy", "peak"].map((name) => ({ text: nic[name] === undefined ? "" : percent(nic[name]), number: true }))]));
}

// ---- drawing
function clearedContext(target) {
  const ratio = window.devicePixelRatio || 1;
  const w = target.clientWidth, h = target.clientHeight;
  if (target.width !== Math.round(w * ratio) || target.height !== Math.round(h * ratio)) {
    target.width = Math.round(w * ratio);
    target.height = Math.round(h * ratio);
  }
  const pen = target.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, w, h);
  return pen;
}
function stroke(pen, line, style, width) {
  const [ax, ay, cx, cy, bx, by] = current.curves[line];
  pen.beginPath();
  pen.moveTo(...onScreen(ax, ay));
  pen.quadraticCurveTo(...onScreen(cx, cy), ...onScreen(bx, by));
  pen.strokeStyle = style;
  pen.lineWidth = width;
  pen.stroke();
}
function radius() {
  return Math.max(2.5, Math.min(9, 0.28 * Math.sqrt((canvas.clientWidth * canvas.clientHeight) / current.discs.x.length / 6)));
}
function draw() {
  const pen = clearedContext(canvas), name = metric();
  const thinness = Math.max(0.35, Math.min(1, 30 / Math.sqrt(current.drawn.length)));
  const order = current.drawn.map((i) => [valueOf(name, i), i]).sort((a, b) => a[0] - b[0]);
  for (const [value, i] of order) {
    const fraction = Math.min(value / current.scale[name], 1);
    stroke(pen, i, colour(value), value > 0 ? thinness * (1 + 3.2 * fraction) : 0.6);
  }
  if (selected >= 0) stroke(pen, selected, SELECTED, 5);
  if (hovered && hovered.line !== undefined) stroke(pen, hovered.line, "#22262b", 3);
  const r = radius();
  current.discs.x.forEach((x, i) => {
    const [px, py] = onScreen(x, current.discs.y[i]);
    pen.beginPath();
    pen.arc(px, py, r, 0, 2 * Math.PI);
    const value = current.discs.busy[i][column()] * BUSY;
    pen.fillStyle = element("by-job").checked ? IDLE : name === "wait" ? "#9aa2ad" : colour(value);
    pen.fill();
    if (element("by-job").checked) fillByJob(pen, i, px, py, r);
    pen.beginPath();
    pen.arc(px, py, r, 0, 2 * Math.PI);
    pen.lineWidth = hovered && hovered.disc === i ? 2.5 : 0.8;
    pen.strokeStyle = hovered && hovered.disc === i ? "#22262b" : "#6b7280";
    pen.stroke();
  });
}
function drawTimeChart() {
  const pen = clearedContext(timeChart), w = timeChart.clientWidth, h = timeChart.clientHeight, pad = 6;
  const bins = current.bin_from.length, ends = [...current.bin_from.slice(1), current.time];
  const top = Math.max(...current.peak.slice(0, bins), 1);
  const px = (t) => (t / current.time) * w, py = (v) => h - pad - (v / top) * (h - 2 * pad - 10);
  const path = (row, style) => {
    pen.beginPath();
    row.slice(0, bins).forEach((v, i) => {
      pen.lineTo(px(current.bin_from[i]), py(v));
      pen.lineTo(px(ends[i]), py(v));
    });
    pen.strokeStyle = style;
    pen.lineWidth = 1.6;
    pen.stroke();
  };
  if (!wholeRun) {
    pen.fillStyle = "rgb(27 108 168 / 16%)";
    pen.fillRect(px(current.bin_from[bin]), 0, Math.max(px(ends[bin]) - px(current.bin_from[bin]), 2), h);
  }
  path(current.peak, "#a02a63");
  path(current.mean, "#1b6ca8");
  if (selected >= 0) path(current.lines.busy[selected], SELECTED);
  pen.fillStyle = "#5b6472";
  pen.font = "11px system-ui, sans-serif";
  pen.fillText(`busy, up to ${percent(top * BUSY)}`, 5, 12);
  pen.textAlign = "right";
  pen.fillText(seconds(current.time), w - 5, 12);
  pen.textAlign = "left";
}

// ---- texts
function showDescription() {
  const parts = [page.subtitle, current.workload.replace("_", " "), `${current.ranks.toLocaleString("en")} ranks`, current.topology,
    `${current.routing} routing`, `machine ${current.machine}`, `fidelity ${current.fidelity}`,
    `${bytes(current.bytes)} between nodes`, `${seconds(current.time)} in total`];
  element("about").textContent = parts.filter(Boolean).join(" \u00b7 ");
  const count = (n) => n.toLocaleString("en"), single = current.lines.links.every((n) => n === 1);
  const idle = current.idle ? ` ${count(current.idle)} idle links are omitted.` : "";
  element("drawn").textContent = `${count(current.switches)} switches, ${count(current.links)} links` + (single
    ? idle ? `; the links in use are drawn.${idle}` : ", each drawn"
    : ` as ${count(current.discs.x.length)} discs and ${count(current.drawn.length)} lines: a disc is ${current.disc_is}.${idle}`);
}
function showLegend() {
  const name = metric(), steps = page.colours.map((c, i) => `${c} ${(100 * i) / (page.colours.length - 1)}%`);
  element("bar").style.background = `linear-gradient(to right, ${steps.join(", ")})`;
  element("ticks").replaceChildren(...[0, 0.25, 0.5, 0.75, 1].map((part) => {
    const tick = document.createElement("span");
    tick.textContent = format(name, part * current.scale[name]);
    return tick;
  }));
  element("unit").textContent = name === "wait" ? "wait" : "busy";
}
function showTime() {
  const ends = [...current.bin_from.slice(1), current.time];
  const text = wholeRun ? `0 to ${seconds(current.time)}` : `${seconds(current.bin_from[bin])} to ${seconds(ends[bin])}`;
  element("moment").textContent = text;
  element("time").setAttribute("aria-valuetext", text);
}
const nameOf = (disc) => current.discs.name[disc];
function listMostCongested() {
  const name = metric(), order = current.lines.from.map((_, i) => i);
  order.sort((a, b) => valueOf(name, b) - valueOf(name, a) || a - b);
  element("list").replaceChildren(...order.slice(0, Number(element("most").value)).map((i) => {
    const row = document.createElement("tr"), link = document.createElement("button");
    link.type = "button";
    link.textContent = nameOf(current.lines.from[i]);
    link.addEventListener("click", () => select(i === selected ? -1 : i));
    const inside = current.lines.from[i] === current.lines.to[i];
    const cells = [link, inside ? "inside" : nameOf(current.lines.to[i]), current.kinds[current.lines.kind[i]], format(name, valueOf(name, i))];
    cells.forEach((content, c) => {
      const cell = row.insertCell();
      cell.append(content);
      if (c === 3) cell.className = "number";
    });
    row.className = i === selected ? "chosen" : "";
    return row;
  }));
}
function addRow(table, name, value) {
  const line = table.insertRow();
  line.insertCell().textContent = name;
  line.insertCell().textContent = value;
}
function showTip(x, y) {
  const box = element("tip");
  box.hidden = hovered === null;
  if (box.hidden) return;
  const head = document.createElement("b"), table = document.createElement("table");
  if (hovered.line !== undefined) {
    const i = hovered.line, count = current.lines.links[i];
    head.textContent = `${nameOf(current.lines.from[i])} \u2192 ${nameOf(current.lines.to[i])}`;
    addRow(table, "kind", current.kinds[current.lines.kind[i]] + (count > 1 ? `, ${count.toLocaleString("en")} links` : ""));
    addRow(table, "total bytes", bytes(current.lines.bytes[i]));
    addRow(table, count > 1 ? "busy, mean" : "busy", percent(valueOf("busy", i)));
    if (count > 1) addRow(table, "busiest", percent(valueOf("peak", i)));
    addRow(table, "longest wait", seconds(valueOf("wait", i)));
  } else {
    head.textContent = nameOf(hovered.disc);
    addRow(table, "links that leave, busy", percent(current.discs.busy[hovered.disc][column()] * BUSY));
    for (const [job, ranks] of current.held[hovered.disc])
      addRow(table, `job ${job + 1} ${current.jobs[job].name}`, `${ranks.toLocaleString("en")} ranks`);
    current.lines.from.forEach((from, i) => {
      if (from !== hovered.disc || current.lines.to[i] !== from) return;
      addRow(table, `inside, ${current.kinds[current.lines.kind[i]]}`,
        `${percent(valueOf("busy", i))} of ${current.lines.links[i].toLocaleString("en")} links`);
    });
  }
  box.replaceChildren(head, table);
  box.style.left = `${Math.max(4, Math.min(x + 14, canvas.clientWidth - box.offsetWidth - 6))}px`;
  box.style.top = `${Math.max(4, Math.min(y + 14, canvas.clientHeight - box.offsetHeight - 6))}px`;
}

// ---- the disc or line under the mouse
function discOrLineAt(x, y) {
  const r = radius() + 2;
  for (let i = 0; i < current.discs.x.length; i++) {
    const [px, py] = onScreen(current.discs.x[i], current.discs.y[i]);
    if (Math.hypot(px - x, py - y) <= r) return { disc: i };
  }
  let nearest = 7, found = null; // lines are found within 7 pixels
  for (const i of current.drawn) {
    const [ax, ay, cx, cy, bx, by] = current.curves[i];
    let [px, py] = onScreen(ax, ay);
    for (let s = 1; s <= 16; s++) {
      const t = s / 16, u = 1 - t;
      const [qx, qy] = onScreen(u * u * ax + 2 * u * t * cx + t * t * bx, u * u * ay + 2 * u * t * cy + t * t * by);
      const dx = qx - px, dy = qy - py, length = dx * dx + dy * dy || 1e-9;
      const fraction = Math.max(0, Math.min(1, ((x - px) * dx + (y - py) * dy) / length));
      const distance = Math.hypot(px + fraction * dx - x, py + fraction * dy - y);
      if (distance < nearest) { nearest = distance; found = { line: i }; }
      px = qx; py = qy;
    }
  }
  return found;
}

// ---- events
function refresh() {
  draw();
  drawTimeChart();
  showTime();
  listMostCongested();
  element("picked").hidden = selected < 0;
}
function select(line) {
  selected = line;
  refresh();
}
function showBin(index) {
  bin = Math.max(0, Math.min(index, current.bin_from.length - 1));
  wholeRun = false;
  element("all").checked = wholeRun;
  element("time").value = bin;
  refresh();
}
function showSimulation(index) {
  prepare(page.simulations[index]);
  current = page.simulations[index];
  selected = -1;
  hovered = null;
  bin = Math.min(bin, current.bin_from.length - 1);
  element("time").max = current.bin_from.length - 1;
  element("tip").hidden = true;
  showDescription();
  showJobs();
  showLegend();
  fit();
  refresh();
}
function play(on) {
  clearInterval(timer);
  timer = 0;
  element("play").textContent = on ? "Pause" : "Play";
  element("play").setAttribute("aria-pressed", String(on));
  if (!on) return;
  if (wholeRun || bin === current.bin_from.length - 1) showBin(0);
  timer = setInterval(() => {
    if (bin + 1 >= current.bin_from.length) return play(false);
    showBin(bin + 1);
  }, 200);
}
function resize() {
  fit();
  refresh();
}

page.simulations.forEach((simulation, i) => element("simulation").add(new Option(simulation.name || "the case", i)));
element("choice").hidden = page.simulations.length === 1;
element("simulation").addEventListener("change", (event) => { play(false); showSimulation(Number(event.target.value)); });
element("metric").addEventListener("change", () => { showLegend(); refresh(); });
element("most").addEventListener("change", listMostCongested);
element("time").addEventListener("input", (event) => { play(false); showBin(Number(event.target.value)); });
element("all").addEventListener("change", (event) => { play(false); wholeRun = event.target.checked; refresh(); });
element("by-job").addEventListener("change", draw);
element("play").addEventListener("click", () => play(!timer));
element("fit").addEventListener("click", resize);
timeChart.addEventListener("click", (event) => {
  const t = (event.offsetX / timeChart.clientWidth) * current.time;
  play(false);
  showBin(current.bin_from.filter((from) => from <= t).length - 1);
});
window.addEventListener("resize", resize);
window.addEventListener("keydown", (event) => {
  if (/SELECT|INPUT|BUTTON/.test(event.target.tagName)) return;
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step) { play(false); showBin(bin + step); event.preventDefault(); }
  if (event.key === " ") { play(!timer); event.preventDefault(); }
});

let grabbed = null, hasMoved = false; // where the drawing is held, relative to its position
canvas.addEventListener("pointerdown", (event) => {
  grabbed = { x: event.offsetX - view.x, y: event.offsetY - view.y };
  hasMoved = false;
  canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener("pointermove", (event) => {
  if (grabbed) {
    const x = event.offsetX - grabbed.x, y = event.offsetY - grabbed.y;
    hasMoved = hasMoved || Math.hypot(x - view.x, y - view.y) > 3;
    if (hasMoved) { view.x = x; view.y = y; draw(); }
    return;
  }
  hovered = discOrLineAt(event.offsetX, event.offsetY);
  draw();
  showTip(event.offsetX, event.offsetY);
});
canvas.addEventListener("pointerup", (event) => {
  if (!hasMoved) {
    const found = discOrLineAt(event.offsetX, event.offsetY);
    select(found && found.line !== undefined && found.line !== selected ? found.line : -1);
  }
  grabbed = null;
});
canvas.addEventListener("pointerleave", () => { hovered = null; element("tip").hidden = true; draw(); });
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  const factor = Math.exp(-event.deltaY * 0.0015);
  view.x = event.offsetX - (event.offsetX - view.x) * factor;
  view.y = event.offsetY - (event.offsetY - view.y) * factor;
  view.sx *= factor;
  view.sy *= factor;
  draw();
}, { passive: false });
element("all").checked = wholeRun;
showSimulation(0);
