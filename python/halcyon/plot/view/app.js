// The state of the view, its controls, and what they change.
const runs = page.runs.map((about, i) => new Run(about, i));
const camera = new Camera(), stage = element("stage");
const state = { variable: "", level: null, member: null, time: 0, layout: "first", map: null, range: null, particles: false, selected: null };
let drawing, overlay, land = {}, drawnMesh = [], painted = "", dirty = true, timer = 0, frames = 0, shownTheme = "";

const LAYOUTS = { first: (a) => a, second: (_, b) => b, both: () => "side by side", difference: (a, b) => `${b} minus ${a}` };
// A difference needs the same cells in both runs.
const layouts = () => Object.entries(LAYOUTS).filter(([key]) => runs.length > 1 && (key !== "difference" || runs[0].mesh.hasCellsOf(runs[1].mesh)));
const names = runs.map((run, i) => (runs.length > 1 && runs[0].folder === runs[1].folder ? `${run.folder} (${i + 1})` : run.folder));
const keyOfState = () => keyOf(state);
const fieldOf = (run) => run.field(keyOfState());
const shownRun = () => runs[state.layout === "second" ? 1 : 0];
const times = () => shownRun().times;
const fieldText = (field) => field.long_name.charAt(0).toUpperCase() + field.long_name.slice(1);

// ---- panes: parts of the stage, each with a run or the difference of both
function panes() {
  const width = stage.clientWidth, height = stage.clientHeight;
  if (state.layout === "both") return runs.map((run, i) => ({ run, x: i * width / 2, y: 0, width: width / 2, height }));
  return [{ run: shownRun(), x: 0, y: 0, width, height, difference: state.layout === "difference" }];
}
function valueIn(pane, cell, time = state.time) {
  const value = (run) => { const field = fieldOf(run); return field ? run.value(field, run.recordAt(field, time), cell) : NaN; };
  if (!pane.difference) return value(pane.run);
  const change = value(runs[1]) - value(runs[0]);
  return fieldOf(runs[0])?.is_direction ? wrap(change) : change;
}
function paneAt(x) { return panes().find((pane) => x >= pane.x && x < pane.x + pane.width) ?? panes()[0]; }
function pointAt(x, y) {
  const pane = paneAt(x), point = camera.inverse(x - pane.x - pane.width / 2, y - pane.y - pane.height / 2);
  return { pane, point, cell: point ? pane.run.mesh.cellAt(...point) : -1 };
}

// ---- colours
function colourMap() {
  const field = fieldOf(shownRun());
  return state.map ?? (state.layout === "difference" ? "RdBu_r" : field.map);
}
const largest = new Map(); // by shown values: their largest size, where the page gives no range
function colourRange() {
  if (state.range) return state.range;
  const field = fieldOf(shownRun()), pane = panes()[0];
  if (!pane.difference && field.range) return field.range;
  const key = `${keyOfState()} ${state.layout}`;
  if (!largest.has(key)) {
    let most = 0;
    for (const time of times()) for (let cell = 0; cell < pane.run.mesh.n; cell++) most = Math.max(most, Math.abs(valueIn(pane, cell, time)) || 0);
    const unit = 10 ** Math.floor(Math.log10(most || 1));
    largest.set(key, unit * Math.ceil((most || 1) / unit * 2) / 2);
  }
  return [pane.difference ? -largest.get(key) : 0, largest.get(key)];
}
const tableOf = new Map(Object.entries(page.maps).map(([name, text]) => [name, Uint8Array.from(text.match(/../g), (hex) => parseInt(hex, 16))]));
function colourIndex(value, [low, high]) {
  const n = 256, part = (value - low) / (high - low || 1);
  return Math.max(0, Math.min(n - 1, Math.floor(part * n)));
}
function paintCells() {
  const key = [keyOfState(), state.time, state.layout, colourMap(), ...colourRange()].join(" ");
  if (key === painted) return;
  painted = key;
  const colours = tableOf.get(colourMap()), range = colourRange();
  for (const pane of panes()) {
    const { mesh } = pane.run, drawn = drawnMesh[pane.run.index];
    for (let cell = 0; cell < mesh.n; cell++) {
      const value = valueIn(pane, cell), c = 3 * colourIndex(value, range);
      const colour = Number.isFinite(value) ? (255 << 24 | colours[c + 2] << 16 | colours[c + 1] << 8 | colours[c]) >>> 0 : 0;
      drawn.colours.fill(colour, mesh.firstCorner[cell], mesh.firstCorner[cell + 1]);
    }
    drawing.paint(drawn);
  }
}
function css(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }
function rgba(name) { // of a style #rrggbb or #rrggbbaa
  const [r, g, b, a = 255] = css(name).slice(1).match(/../g).map((hex) => parseInt(hex, 16));
  return [r / 255, g / 255, b / 255, a / 255];
}

// ---- frames
function frame() {
  requestAnimationFrame(frame);
  const moving = state.particles && flowFields(shownRun());
  if (!dirty && !moving) return;
  if (dirty) {
    dirty = false;
    drawCells();
    stage.dataset.frames = ++frames;
  }
  if (moving) overlay.step(panes(), camera, (pane) => pane.run.mesh, flow);
  overlay.clear();
  const colours = { ink: css("--ink"), paper: css("--paper"), accent: css("--accent") };
  for (const pane of panes()) {
    overlay.draw(pane, camera, { stations: pane.run.stations, tracks: pane.run.tracks, selected: selectedPoint(), time: state.time, ...colours });
  }
}
function drawCells() {
  paintCells();
  const ratio = element("cells").width / stage.clientWidth, height = element("cells").height;
  const colours = { sea: rgba("--sea"), land: rgba("--land"), coast: rgba("--coast"), graticule: rgba("--graticule") };
  drawing.clear(rgba("--paper"));
  for (const pane of panes()) {
    const box = { x: Math.round(pane.x * ratio), y: 0, width: Math.round(pane.width * ratio), height };
    drawing.pane(box, camera, { ...land, cells: drawnMesh[pane.run.index] }, colours);
  }
}
function changed() { dirty = true; rememberSoon(); }
function resize() {
  const ratio = Math.min(window.devicePixelRatio || 1, 2), canvas = element("cells");
  canvas.width = stage.clientWidth * ratio;
  canvas.height = stage.clientHeight * ratio;
  overlay.resize(stage.clientWidth, stage.clientHeight, ratio);
  dirty = true;
}

// ---- directions as particles: of waves, or along a vector field
function flowFields(run) {
  const at = (variable) => run.field(keyOf({ ...state, variable })) ?? run.field(keyOf({ variable, level: null, member: null }));
  const shown = fieldOf(run), waves = at("mean_direction") ?? at("mean_direction_mean");
  if (shown?.parts) return { parts: shown.parts };
  if (shown?.is_direction) return { from: shown };
  if (waves) return { from: waves };
  const [east, north] = [at("eastward_wind"), at("northward_wind")];
  return east && north ? { parts: [east, north] } : null;
}
function flow(pane, cell) {
  const found = flowFields(pane.run);
  if (!found) return null;
  const value = (field) => pane.run.value(field, pane.run.recordAt(field, state.time), cell);
  if (found.from) {
    const from = value(found.from);
    return Number.isFinite(from) ? [from + 180, 1.1] : null;
  }
  const [u, v] = found.parts.map(value), most = Math.max(...found.parts.flatMap((part) => part.range.map(Math.abs)));
  return Number.isFinite(u) ? [Math.atan2(u, v) / RADIANS, 3.5 * Math.hypot(u, v) / most] : null;
}

// ---- the selection
function selectedPoint() {
  if (!state.selected) return null;
  const { station, run, cell } = state.selected;
  return station ? [station.lon, station.lat] : runs[run].mesh.middleOf(cell);
}
function select(selected) {
  state.selected = selected;
  element("panel").hidden = !selected;
  showSelection();
  changed();
}
function showSelection() {
  if (!state.selected) return;
  const { station } = state.selected, point = selectedPoint(), field = fieldOf(shownRun());
  const series = runs.flatMap((run, i) => {
    const own = fieldOf(run), cell = state.selected.run === i ? state.selected.cell : run.mesh.cellAt(...point);
    const there = run.stations.find((each) => each.name === station?.name);
    const values = there?.series[field.variable] && field.member === null ? there.series[field.variable].map((v) => v ?? NaN) : own && cell >= 0 ? run.series(own, cell) : null;
    return values ? [{ name: names[i], times: run.times, values }] : [];
  });
  const measured = page.runs[0].buoys.filter((buoy) => buoy.station === station?.name && buoy.variable === field.variable);
  series.push(...measured.map((buoy) => ({ name: `buoy ${buoy.buoy}`, times: buoy.times, values: buoy.values, dots: true })));
  element("chosen").textContent = station ? station.name : `Cell ${state.selected.cell}`;
  const now = series[0]?.values[series[0].times.indexOf(state.time)];
  element("chosen-value").textContent = `${positionText(point)}: ${numberText(now ?? NaN, station ? 0 : field.error)} ${field.units} at ${timeText(state.time)}`;
  const heading = document.createElement("h3");
  heading.textContent = `${fieldText(field)}${field.level_text && `, ${field.level_text}`}${field.units && ` [${field.units}]`}`;
  const chart = series.length ? seriesChart(heading.textContent, field.units, series, state.time, field.is_direction, goTo) : "no values here";
  element("charts").replaceChildren(heading, chart);
  if (station) showSpectrum(station);
}
async function showSpectrum(station) {
  for (const run of runs) {
    const spectra = run.spectra, index = spectra ? spectra.stations.findIndex((each) => each.name === station.name) : -1;
    if (index < 0) continue;
    const packed = spectra.stations[index];
    packed.codes ??= await codesOf(packed, spectra.times.length);
    const record = spectra.times.indexOf(state.time), n = spectra.directions.length, size = spectra.frequencies.length * n;
    if (record < 0 || state.selected?.station !== station) continue;
    const density = (f, d) => { const code = packed.codes[record * size + f * n + d]; return code ? (packed.lowest + packed.step * (code - 1)) ** 2 : 0; };
    const table = tableOf.get("magma_r"), colours = (part) => { const c = 3 * Math.min(255, Math.floor(part * 256)); return `rgb(${table[c]} ${table[c + 1]} ${table[c + 2]})`; };
    const heading = document.createElement("h3");
    heading.textContent = `Spectrum, direction from which waves come${runs.length > 1 ? `, ${names[run.index]}` : ""}`;
    const id = `spectrum-${run.index}`, holder = document.createElement("div");
    holder.id = id;
    holder.append(heading, spectrumChart(spectra.frequencies, spectra.directions, density, colours));
    element(id)?.remove();
    element("charts").append(holder);
  }
}
