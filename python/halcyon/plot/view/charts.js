// Charts of the selection: series over time, and the spectrum of a station.
const SVG = "http://www.w3.org/2000/svg";
const SERIES_COLOURS = ["var(--accent)", "#d1495b"];
function node(name, attributes, parent, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent?.append(made);
  return made;
}
const finite = (values) => values.filter(Number.isFinite);

// A chart of series [{ name, times, values, dots }] with a line at `now`. Times in seconds.
function seriesChart(title, unit, series, now, isDirection, onTime) {
  const W = 360, H = 150, left = 46, right = 8, top = 8, bottom = 22;
  const times = series.flatMap((each) => each.times), all = finite(series.flatMap((each) => each.values));
  const t0 = Math.min(...times), t1 = Math.max(...times, t0 + 1);
  let low = Math.min(...all), high = Math.max(...all);
  if (isDirection) { low = 0; high = 360; } else if (low > 0 && low < high / 2) low = 0;
  if (!all.length) { low = 0; high = 1; }
  if (high === low) high += 1;
  if (!isDirection) { // limits at round numbers
    const unit = 10 ** Math.floor(Math.log10(high - low)) / 5;
    [low, high] = [Math.floor(low / unit) * unit, Math.ceil(high / unit) * unit];
  }
  const x = (t) => left + (t - t0) / (t1 - t0) * (W - left - right), y = (v) => H - bottom - (v - low) / (high - low) * (H - top - bottom);
  const svg = node("svg", { viewBox: `0 0 ${W} ${H}`, role: "img" });
  const extremes = all.length ? `from ${numberText(Math.min(...all))} to ${numberText(Math.max(...all))} ${unit}` : "no values";
  svg.setAttribute("aria-label", `${title}: ${extremes}`);
  for (const part of [0, 0.5, 1]) {
    const value = low + part * (high - low);
    node("line", { x1: left, x2: W - right, y1: y(value), y2: y(value), stroke: "var(--rule)" }, svg);
    node("text", { x: left - 5, y: y(value) + 4, "text-anchor": "end" }, svg, shortText(Number(value.toPrecision(3))));
    const date = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    node("text", { x: x(t0 + part * (t1 - t0)), y: H - 6, "text-anchor": ["start", "middle", "end"][2 * part] }, svg, date.format(new Date(1000 * (t0 + part * (t1 - t0)))));
  }
  series.forEach((each, k) => {
    const stroke = each.dots ? "var(--ink)" : SERIES_COLOURS[k % 2];
    let path = "", down = false;
    each.times.forEach((time, i) => {
      const value = each.values[i];
      if (!Number.isFinite(value)) { down = false; return; }
      if (each.dots || isDirection) node("circle", { cx: x(time), cy: y(value), r: 1.6, fill: stroke }, svg);
      else { path += `${down ? "L" : "M"}${x(time).toFixed(1)} ${y(value).toFixed(1)}`; down = true; }
    });
    if (path) node("path", { d: path, fill: "none", stroke, "stroke-width": 1.6 }, svg);
    if (series.length > 1) node("text", { x: left + 6, y: top + 10 + 13 * k, style: `fill: ${stroke}` }, svg, each.name);
  });
  if (now >= t0 && now <= t1) node("line", { x1: x(now), x2: x(now), y1: top, y2: H - bottom, stroke: "#c98a12", "stroke-width": 1.4 }, svg);
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    onTime(t0 + ((event.clientX - box.left) / box.width * W - left) / (W - left - right) * (t1 - t0));
  });
  return svg;
}

// A polar spectrum on a canvas. density(frequency, direction) [m2 s rad-1]; directions from which waves come, north up.
function spectrumChart(frequencies, directions, density, colours, highest = 0.45) {
  const size = 300, canvas = document.createElement("canvas"), pen = canvas.getContext("2d"), centre = size / 2, radius = size / 2 - 16;
  canvas.width = canvas.height = size;
  canvas.setAttribute("role", "img");
  let most = 1e-9, peak = [0, 0];
  frequencies.forEach((f, i) => directions.forEach((d, j) => { if (density(i, j) > most) { most = density(i, j); peak = [i, j]; } }));
  const ring = (i) => i === 0 ? frequencies[0] / Math.sqrt(frequencies[1] / frequencies[0]) : Math.sqrt(frequencies[i - 1] * (frequencies[i] ?? frequencies[i - 1] ** 2 / frequencies[i - 2]));
  const r = (f) => Math.min(f / highest, 1) * radius, half = 180 / directions.length;
  frequencies.forEach((f, i) => {
    if (ring(i) >= highest) return;
    directions.forEach((towards, j) => {
      const from = (towards + 180 - 90) * RADIANS, part = density(i, j) / most;
      pen.beginPath();
      pen.arc(centre, centre, r(ring(i + 1)), from - half * RADIANS, from + half * RADIANS);
      pen.arc(centre, centre, r(ring(i)), from + half * RADIANS, from - half * RADIANS, true);
      pen.fillStyle = pen.strokeStyle = colours(part);
      pen.fill();
      pen.stroke();
    });
  });
  pen.strokeStyle = pen.fillStyle = "#8e97a3";
  pen.font = "12px system-ui, sans-serif";
  pen.textAlign = "center";
  for (const f of [0.1, 0.2, 0.3, 0.4]) {
    pen.beginPath();
    pen.arc(centre, centre, r(f), 0, 2 * Math.PI);
    pen.stroke();
    pen.fillText(`${f}${f === 0.1 ? " Hz" : ""}`, centre + r(f) * 0.71, centre - r(f) * 0.71);
  }
  [["N", 0, -1], ["E", 1, 0], ["S", 0, 1], ["W", -1, 0]].forEach(([name, x, y]) => pen.fillText(name, centre + x * (radius + 9), centre + y * (radius + 9) + 4));
  const from = Math.round((directions[peak[1]] + 180) % 360);
  canvas.setAttribute("aria-label", `Wave spectrum: peak at ${frequencies[peak[0]].toFixed(3)} Hz from ${from} degrees, ${most.toPrecision(3)} m2 s rad-1`);
  return canvas;
}
