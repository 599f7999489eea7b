// Unpacks the data of the page; packing.py packs them.
const page = JSON.parse(document.getElementById("document").textContent);
const element = (id) => document.getElementById(id);

const DIGIT = new Uint8Array(128);
[...page.alphabet].forEach((c, i) => { DIGIT[c.charCodeAt(0)] = i; });

// The bytes of a block: base 85, then deflate.
async function bytesOf(block) {
  const text = element(`block-${block}`).textContent, n = Math.ceil(text.length / 5);
  const bytes = new Uint8Array(4 * n);
  for (let i = 0, c = 0; i < n; i++) {
    let word = 0;
    for (let k = 0; k < 5; k++, c++) word = word * 85 + (c < text.length ? DIGIT[text.charCodeAt(c)] : 84);
    bytes[4 * i] = word >>> 24;
    bytes[4 * i + 1] = word >>> 16;
    bytes[4 * i + 2] = word >>> 8;
    bytes[4 * i + 3] = word;
  }
  const deflated = bytes.subarray(0, 4 * n - (5 * n - text.length));
  const inflated = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(inflated).arrayBuffer());
}
async function integersOf(block) {
  const bytes = await bytesOf(block), n = bytes.length / 4, values = new Int32Array(n);
  for (let i = 0, sum = 0; i < n; i++) {
    const z = bytes[i] | bytes[n + i] << 8 | bytes[2 * n + i] << 16 | bytes[3 * n + i] << 24;
    sum = sum + ((z >>> 1) ^ -(z & 1)) | 0;
    values[i] = sum;
  }
  return values;
}

// The codes (time, cell) of a packed field; 0 is missing.
async function codesOf(packed, nRecords) {
  const bytes = await bytesOf(packed.block), wide = packed.bits > 8, n = wide ? bytes.length / 2 : bytes.length;
  const codes = wide ? new Uint16Array(n) : new Uint8Array(n), row = n / nRecords;
  for (let i = 0; i < n; i++) codes[i] = (wide ? bytes[i] | bytes[n + i] << 8 : bytes[i]) + (i >= row ? codes[i - row] : 0);
  return codes;
}

// A run with its cells. `value(field, record, cell)` is NaN where missing.
class Run {
  constructor(about, index) {
    Object.assign(this, about);
    this.index = index;
    this.addSpeeds();
    this.byKey = new Map(this.fields.map((field) => [keyOf(field), field]));
    this.record = new Map(this.times.map((time, i) => [time, i]));
    this.hasCodes = new Map();
  }
  async load() {
    const [lon, lat, counts, nodes] = await Promise.all(["lon", "lat", "counts", "nodes"].map((name) => integersOf(this.cells[name])));
    this.mesh = new Mesh(lon, lat, counts, nodes, this.cells.step);
  }
  // The speed of each vector whose eastward and northward components are fields.
  addSpeeds() {
    for (const east of this.fields.filter((field) => field.variable.startsWith("eastward_"))) {
      const stem = east.variable.slice("eastward_".length);
      if (/_(mean|spread|p\d.*|above_.*)$/.test(stem)) continue; // statistics have no speed
      const north = this.fields.find((field) => keyOf(field) === keyOf({ ...east, variable: `northward_${stem}` }));
      if (!north) continue;
      const standard = east.standard_name === "eastward_wind" ? "wind_speed" : "";
      this.fields.push({ ...east, variable: `${stem}_speed`, long_name: `speed of ${stem.replace(/_/g, " ")}`, standard_name: standard,
        parts: [east, north], map: "YlGnBu", range: null, error: Math.hypot(east.error, north.error) });
    }
  }
  field(key) { return this.byKey.get(key); }
  async codes(field) {
    if (field.parts) return Promise.all(field.parts.map((part) => this.codes(part)));
    if (!this.hasCodes.has(field)) this.hasCodes.set(field, codesOf(field, field.times));
    field.codes = await this.hasCodes.get(field);
    return field.codes;
  }
  // The record of a field at a time, -1 if it has none; a field without times has one record.
  recordAt(field, time) {
    return field.times === 1 ? 0 : this.record.get(time) ?? -1;
  }
  value(field, record, cell) {
    if (field.parts) return Math.hypot(this.value(field.parts[0], record, cell), this.value(field.parts[1], record, cell));
    const code = field.codes === undefined || record < 0 ? 0 : field.codes[record * this.mesh.n + cell];
    return code ? field.lowest + field.step * (code - 1) : NaN;
  }
  series(field, cell) {
    return this.times.map((_, i) => this.value(field, field.times === 1 ? 0 : i, cell));
  }
}
const keyOf = (field) => `${field.variable}${field.level === null ? "" : `@${field.level}`}${field.member === null ? "" : `#${field.member}`}`;

// ---- texts
const DAYS = { timeZone: "UTC", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const timeText = (time) => `${new Intl.DateTimeFormat("en-GB", DAYS).format(new Date(time * 1000))} UTC`;
const positionText = ([lon, lat]) => {
  const l = wrap(lon);
  return `${Math.abs(l).toFixed(2)}\u00b0${l < 0 ? "W" : "E"} ${Math.abs(lat).toFixed(2)}\u00b0${lat < 0 ? "S" : "N"}`;
};
// A number for an axis or a control.
const shortText = (value) => String(value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6) ? value.toExponential(2).replace(/\.?0+e/, "e") : Number(value.toPrecision(4)));
// A number with the digits that its error allows.
function numberText(value, error) {
  if (!Number.isFinite(value)) return "missing";
  if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6)) return value.toExponential(3);
  return error ? value.toFixed(Math.max(0, Math.ceil(-Math.log10(error)))) : String(Number(value.toPrecision(5)));
}
