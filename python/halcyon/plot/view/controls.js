// Controls, pointer, keyboard, the address, and the start.
const CLICK = 5; // [pixels] a press that moves less is a click
const STEP_MS = 130; // between two times while playing

// ---- what the controls show
function fill(select, options, value) { // options: [value, text]
  select.replaceChildren(...options.map(([key, text]) => new Option(text, key)));
  select.value = value;
  select.parentElement.hidden = options.length < 2;
}
function showControls() {
  const fields = shownRun().fields, unique = (list) => [...new Map(list).entries()];
  const ofVariable = fields.filter((field) => field.variable === state.variable);
  fill(element("variable"), unique(fields.map((field) => [field.variable, fieldText(field)])), state.variable);
  element("variable").parentElement.hidden = false;
  fill(element("level"), unique(ofVariable.filter((field) => field.level !== null).sort((a, b) => a.level - b.level).map((field) => [field.level, field.level_text])), state.level);
  fill(element("member"), unique(ofVariable.map((field) => [field.member ?? "", field.member ?? "statistics"])), state.member ?? "");
  fill(element("layout"), layouts().map(([key, text]) => [key, text(...names)]), state.layout);
  element("projection").value = camera.globe ? "globe" : "flat";
  fill(element("map"), [["", "default"], ...Object.keys(page.maps).map((name) => [name, name])], state.map ?? "");
  element("particles").checked = state.particles;
  element("particles").parentElement.hidden = !flowFields(shownRun());
  const [low, high] = colourRange(), field = fieldOf(shownRun());
  element("lowest").value = Number(low.toPrecision(6));
  element("highest").value = Number(high.toPrecision(6));
  const pen = element("bar").getContext("2d"), image = pen.createImageData(256, 1), colours = tableOf.get(colourMap());
  for (let i = 0; i < 256; i++) image.data.set([colours[3 * i], colours[3 * i + 1], colours[3 * i + 2], 255], 4 * i);
  pen.putImageData(image, 0, 0);
  element("ticks").replaceChildren(...[0, 0.25, 0.5, 0.75, 1].map((part) => {
    const tick = document.createElement("span");
    tick.textContent = shortText(low + part * (high - low));
    return tick;
  }));
  element("unit").textContent = [fieldText(field) + (field.units && ` [${field.units}]`), field.level_text, field.member && `member ${field.member}`].filter(Boolean).join(", ");
  element("unit").title = field.standard_name;
  element("headings").replaceChildren(...(runs.length < 2 ? [] : panes()).map((pane) => {
    const text = document.createElement("span");
    text.textContent = LAYOUTS[state.layout === "both" ? ["first", "second"][pane.run.index] : state.layout](...names);
    text.style.left = `${pane.x + 10}px`;
    return text;
  }));
  const bits = field.parts ? "" : `, values of ${field.bits} bits with errors up to ${shortText(Number(field.error.toPrecision(2)))}${field.units && ` ${field.units}`}`;
  const standard = field.standard_name ? ` (${field.standard_name})` : "";
  element("about").textContent = `${fieldText(field)}${standard}: ${shownRun().mesh.n.toLocaleString("en")} cells, ${times().length} times${bits}.`;
  showTime();
}
function showTime() {
  const list = times(), field = fieldOf(shownRun()), index = list.indexOf(state.time);
  element("time").max = list.length - 1;
  element("time").value = index;
  element("clock").hidden = list.length < 2;
  element("moment").textContent = field.times === 1 && list.length > 1 ? "all times" : timeText(state.time);
  element("time").setAttribute("aria-valuetext", timeText(state.time));
}
function speak(text) { element("spoken").textContent = text; }

// ---- changes
async function show(variable, level, member) {
  const fields = shownRun().fields.filter((field) => field.variable === variable);
  const chosen = fields.find((field) => field.level === level && field.member === member) ?? fields.find((field) => field.member === member) ?? fields[0] ?? shownRun().fields[0];
  Object.assign(state, { variable: chosen.variable, level: chosen.level, member: chosen.member });
  const needed = (run) => [fieldOf(run), ...(state.particles ? [flowFields(run)] : [])].filter(Boolean);
  await Promise.all(runs.flatMap((run) => needed(run).map((field) => run.codes(field.from ?? field))));
  refresh();
}
function refresh() {
  showControls();
  showSelection();
  changed();
}
const nearestTime = (time) => times().reduce((best, each) => (Math.abs(each - time) < Math.abs(best - time) ? each : best));
function goTo(time) {
  state.time = nearestTime(time);
  showTime();
  showSelection();
  changed();
}
function step(by, around = false) {
  const list = times(), index = list.indexOf(state.time) + by;
  goTo(list[around ? (index + list.length) % list.length : Math.max(0, Math.min(list.length - 1, index))]);
}
function play(on) {
  clearInterval(timer);
  timer = on ? setInterval(() => step(1, true), STEP_MS) : 0;
  element("play").textContent = on ? "Pause" : "Play";
  element("play").setAttribute("aria-pressed", String(on));
}
function setLayout(layout) {
  state.layout = layout;
  state.time = nearestTime(state.time);
  overlay.forget();
  return show(state.variable, state.level, state.member).then(() => goTo(state.time));
}
function setRange(range) { state.range = range; refresh(); }
function setGlobe(globe) {
  camera.globe = globe;
  overlay.forget();
  refresh();
}
function zoom(factor, x = 0, y = 0) { // about a point of a pane [pixels from its middle]
  const point = camera.inverse(x, y);
  camera.scale = Math.max(0.2, Math.min(4000, camera.scale * factor));
  const moved = point && camera.project(...point);
  if (moved) camera.drag(moved[0], moved[1], x, y);
  overlay.forget();
  changed();
}
function home() {
  const [west, south, east, north] = page.runs[0].box, pane = panes()[0], isGlobal = east - west >= 360;
  camera.lat = isGlobal ? 0 : (south + north) / 2;
  camera.lon = wrap((west + east) / 2);
  camera.stretch = Math.cos(camera.lat * RADIANS);
  const widest = camera.globe ? (south * north < 0 ? 1 : Math.cos(Math.min(Math.abs(south), Math.abs(north)) * RADIANS)) : camera.stretch;
  const flat = Math.min(pane.height / (north - south), pane.width / ((east - west) * widest));
  const globe = 2 * Math.min(pane.width, pane.height) * RADIANS / 4; // the globe's diameter is the pane's
  camera.scale = 0.94 * (camera.globe ? (isGlobal ? globe : Math.max(flat, globe)) : flat);
  overlay.forget();
  changed();
}

// ---- the address keeps the view
let remembering = 0;
function rememberSoon() {
  clearTimeout(remembering);
  remembering = setTimeout(() => {
    const size = Math.min(stage.clientWidth, stage.clientHeight) / camera.scale;
    const found = { v: keyOfState(), t: new Date(state.time * 1000).toISOString().slice(0, 19), p: camera.globe ? "globe" : "flat",
      c: [camera.lon.toFixed(3), camera.lat.toFixed(3), size.toPrecision(4)].join(",") };
    if (runs.length > 1) found.l = state.layout;
    if (state.map) found.m = state.map;
    if (state.range) found.r = state.range.join(",");
    if (state.particles) found.d = "1";
    if (shownTheme) found.theme = shownTheme;
    if (state.selected) found.s = state.selected.station ? `station:${state.selected.station.name}` : `cell:${state.selected.run}:${state.selected.cell}`;
    history.replaceState(null, "", `#${new URLSearchParams(found)}`);
  }, 250);
}
async function recall() {
  const given = new URLSearchParams(location.hash.slice(1)), numbers = (name) => (given.get(name) ?? "").split(",").map(Number);
  const known = (text) => runs.flatMap((run) => run.fields).find((each) => keyOf(each) === text);
  if (layouts().some(([key]) => key === given.get("l"))) state.layout = given.get("l");
  if (given.get("m") in page.maps) state.map = given.get("m");
  const range = numbers("r");
  if (range.length === 2 && range[1] > range[0]) state.range = range;
  state.particles = given.get("d") === "1";
  const time = Date.parse(`${given.get("t")}Z`) / 1000;
  state.time = times()[0];
  if (Number.isFinite(time)) state.time = nearestTime(time);
  if (given.has("p")) camera.globe = given.get("p") !== "flat";
  const [kind, ...rest] = (given.get("s") ?? "").split(":"), station = runs[0].stations.find((each) => each.name === rest.join(":"));
  const [run, cell] = rest.map(Number);
  if (kind === "station" && station) state.selected = { station };
  if (kind === "cell" && runs[run] && cell >= 0 && cell < runs[run].mesh.n) state.selected = { run, cell };
  element("panel").hidden = !state.selected;
  setTheme(given.get("theme") ?? "");
  const field = known(given.get("v")) ?? runs[0].fields[0];
  await show(field.variable, field.level, field.member);
  resize(); // the texts are filled in: the stage has its size
  home();
  const [lon, lat, size] = numbers("c");
  if (size > 0 && Math.abs(lat) <= 90 && Number.isFinite(lon)) Object.assign(camera, { lon: wrap(lon), lat, scale: Math.min(stage.clientWidth, stage.clientHeight) / size });
  changed();
}
function setTheme(name) {
  shownTheme = name;
  const dark = name ? name === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  overlay.forget();
  changed();
}

// ---- pointer
const pressed = new Map(); // pointers that are down: their positions
let press = null;
const positionOf = (event) => { const box = stage.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
const fromMiddle = ([x, y]) => { const pane = paneAt(x); return [x - pane.x - pane.width / 2, y - pane.y - pane.height / 2]; };
function clickAt([x, y]) {
  const { pane, point, cell } = pointAt(x, y);
  const near = pane.run.stations.find((station) => {
    const at = camera.project(station.lon, station.lat), [px, py] = fromMiddle([x, y]);
    return at && Math.hypot(at[0] - px, at[1] - py) < 9;
  });
  if (near) select({ station: near });
  else select(point && cell >= 0 ? { run: pane.run.index, cell } : null);
}
function showPointer([x, y]) {
  const box = element("pointer"), { pane, point, cell } = pointAt(x, y);
  box.hidden = !point || cell < 0;
  if (box.hidden) return;
  const field = fieldOf(pane.run) ?? fieldOf(shownRun());
  box.textContent = `${numberText(valueIn(pane, cell), field.error)} ${field.units}\n${positionText(point)}`;
  box.style.left = `${Math.max(4, Math.min(x + 14, stage.clientWidth - box.offsetWidth - 6))}px`;
  box.style.top = `${Math.max(4, Math.min(y + 14, stage.clientHeight - box.offsetHeight - 6))}px`;
}
function listen() {
  const surface = element("overlay");
  surface.addEventListener("pointerdown", (event) => {
    surface.setPointerCapture(event.pointerId);
    pressed.set(event.pointerId, positionOf(event));
    press = pressed.size === 1 ? positionOf(event) : null;
  });
  surface.addEventListener("pointermove", (event) => {
    const now = positionOf(event), before = pressed.get(event.pointerId);
    if (!before) return showPointer(now);
    element("pointer").hidden = true;
    if (pressed.size === 1) {
      if (press && Math.hypot(now[0] - press[0], now[1] - press[1]) > CLICK) press = null;
      camera.drag(...fromMiddle(before), ...fromMiddle(now));
    } else {
      const other = [...pressed].find(([id]) => id !== event.pointerId)[1], apart = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]);
      zoom(apart(now) / Math.max(apart(before), 1), ...fromMiddle([(now[0] + other[0]) / 2, (now[1] + other[1]) / 2]));
    }
    pressed.set(event.pointerId, now);
    overlay.forget();
    changed();
  });
  const release = (event) => {
    pressed.delete(event.pointerId);
    if (event.type === "pointerup" && press) clickAt(positionOf(event));
    press = null;
  };
  surface.addEventListener("pointerup", release);
  surface.addEventListener("pointercancel", release);
  surface.addEventListener("pointerleave", () => { element("pointer").hidden = true; });
  surface.addEventListener("dblclick", (event) => zoom(2, ...fromMiddle(positionOf(event))));
  surface.addEventListener("wheel", (event) => { event.preventDefault(); zoom(2 ** (-event.deltaY / 300), ...fromMiddle(positionOf(event))); }, { passive: false });
  const middle = () => panes()[0], actions = {
    ArrowLeft: () => camera.drag(0, 0, 40, 0), ArrowRight: () => camera.drag(0, 0, -40, 0), ArrowUp: () => camera.drag(0, 0, 0, 40), ArrowDown: () => camera.drag(0, 0, 0, -40),
    "+": () => zoom(1.3), "=": () => zoom(1.3), "-": () => zoom(1 / 1.3), Home: home, g: () => setGlobe(!camera.globe), " ": () => play(!timer),
    ",": () => step(-1), ".": () => step(1), Escape: () => select(null),
    Enter: () => { clickAt([middle().x + middle().width / 2, middle().height / 2]); speak(`${element("chosen").textContent}. ${element("chosen-value").textContent}`); },
    v: () => { const list = [...new Set(shownRun().fields.map((field) => field.variable))]; show(list[(list.indexOf(state.variable) + 1) % list.length], state.level, state.member).then(() => speak(element("unit").textContent)); },
  };
  document.addEventListener("keydown", (event) => {
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey || (event.target !== surface && event.target !== document.body)) return;
    event.preventDefault();
    action();
    overlay.forget();
    changed();
    if (event.key === "," || event.key === ".") speak(timeText(state.time));
  });
  const on = (id, type, action) => element(id).addEventListener(type, action);
  on("controls", "submit", (event) => event.preventDefault());
  on("variable", "change", (event) => { state.range = null; show(event.target.value, state.level, state.member); });
  on("level", "change", (event) => show(state.variable, Number(event.target.value), state.member));
  on("member", "change", (event) => show(state.variable, state.level, event.target.value || null));
  on("layout", "change", (event) => setLayout(event.target.value));
  on("projection", "change", (event) => setGlobe(event.target.value === "globe"));
  on("map", "change", (event) => { state.map = event.target.value || null; refresh(); });
  for (const id of ["lowest", "highest"]) {
    on(id, "change", () => { const range = ["lowest", "highest"].map((each) => element(each).valueAsNumber); if (range[1] > range[0]) setRange(range); });
  }
  on("automatic", "click", () => setRange(null));
  on("particles", "change", (event) => { state.particles = event.target.checked; overlay.forget(); show(state.variable, state.level, state.member); });
  on("theme", "click", () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
  on("close", "click", () => { select(null); surface.focus(); });
  on("play", "click", () => play(!timer));
  on("time", "input", (event) => { play(false); goTo(times()[event.target.valueAsNumber]); });
  new ResizeObserver(() => { overlay.forget(); resize(); if (runs[0].mesh && state.variable) showControls(); }).observe(stage);
  window.addEventListener("hashchange", recall);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme(shownTheme));
}

async function start() {
  overlay = new Overlay(element("overlay"));
  element("overlay").setAttribute("aria-label", `Map of ${page.title}. Enter reads the value in the middle.`);
  element("notes").replaceChildren(...page.notes.map((text) => { const item = document.createElement("li"); item.textContent = text; return item; }));
  drawing = new Drawing(element("cells"));
  await Promise.all(runs.map((run) => run.load()));
  drawnMesh = runs.map((run) => drawing.mesh(run.mesh));
  resize();
  listen();
  land = await landShapes(drawing);
  await recall();
  requestAnimationFrame(frame);
}
start().catch((error) => {
  element("failure").hidden = false;
  element("failure").textContent = error.message;
  throw error;
});
