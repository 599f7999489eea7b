// Geometry: the polygons of a mesh as triangles, the cell at a point, and the projections.
const RADIANS = Math.PI / 180;
const wrap = (lon) => ((lon + 180) % 360 + 360) % 360 - 180; // into -180..180

// Vertices (lon, lat [degrees], longitude of the middle of their cell, index of the cell) and triangles of
// polygons. Longitudes are within 180 degrees of the middle.
class Mesh {
  constructor(lon, lat, counts, nodes, step) {
    this.n = counts.length;
    this.middle = new Float64Array(2 * this.n);
    let nVertices = 0, nTriangles = 0;
    for (const count of counts) { nVertices += count; nTriangles += count - 2; }
    const poles = [], vertices = new Float32Array(4 * nVertices);
    let indices = new Uint32Array(3 * nTriangles);
    let node = 0, v = 0, t = 0;
    this.firstTriangle = new Uint32Array(this.n + 1);
    for (let cell = 0; cell < this.n; cell++) {
      const count = counts[cell], first = v;
      let x = 0, y = 0, z = 0, turns = 0;
      for (let k = 0; k < count; k++) {
        const l = lon[nodes[node + k]] * step * RADIANS, p = lat[nodes[node + k]] * step * RADIANS;
        const next = lon[nodes[node + (k + 1) % count]] * step;
        turns += wrap(next - l / RADIANS);
        x += Math.cos(p) * Math.cos(l);
        y += Math.cos(p) * Math.sin(l);
        z += Math.sin(p);
      }
      const middle = Math.atan2(y, x) / RADIANS;
      this.middle[2 * cell] = middle;
      this.middle[2 * cell + 1] = Math.atan2(z, Math.hypot(x, y)) / RADIANS;
      const around = Math.abs(turns) > 180;
      let previous = middle;
      for (let k = 0; k < count; k++, v++) {
        const l = lon[nodes[node + k]] * step;
        previous = (around && k ? previous : middle) + wrap(l - (around && k ? previous : middle));
        vertices.set([previous, lat[nodes[node + k]] * step, middle, cell], 4 * v);
      }
      this.firstTriangle[cell] = t;
      if (around) poles.push({ cell, first, count, north: z > 0, turn: Math.sign(turns) * 360 });
      for (let k = 1; k < count - 1; k++, t++) indices.set([first, first + k, first + k + 1], 3 * t);
      node += count;
    }
    this.firstTriangle[this.n] = t;
    this.vertices = vertices;
    this.indices = indices;
    for (const pole of poles) this.extendToPole(pole);
    this.bins = this.binned();
  }
  // On the flat map a cell around a pole is a strip up to the pole's parallel.
  extendToPole({ cell, first, count, north, turn }) {
    const corners = [], limit = north ? 90 : -90, middle = this.vertices[4 * first + 2];
    for (let k = 0; k <= count; k++) {
      const at = 4 * (first + k % count);
      corners.push([this.vertices[at] + (k === count ? turn : 0), this.vertices[at + 1]]);
    }
    const start = this.vertices.length / 4, added = [], triangles = [];
    corners.forEach(([lon, lat], k) => {
      added.push(lon, lat, middle, cell, lon, limit, middle, cell);
      if (k < count) triangles.push(start + 2 * k, start + 2 * k + 2, start + 2 * k + 3, start + 2 * k, start + 2 * k + 3, start + 2 * k + 1);
    });
    const from = 3 * this.firstTriangle[cell], to = 3 * this.firstTriangle[cell + 1];
    this.vertices = Float32Array.from([...this.vertices, ...added]);
    this.indices = Uint32Array.from([...this.indices.subarray(0, from), ...triangles, ...this.indices.subarray(to)]);
    const grown = (triangles.length - (to - from)) / 3;
    for (let c = cell + 1; c <= this.n; c++) this.firstTriangle[c] += grown;
  }
  // Lists of cells whose bounding box meets each box of a grid in longitude and latitude.
  binned() {
    const columns = Math.max(4, Math.min(720, Math.round(Math.sqrt(2 * this.n)))), rows = columns >> 1;
    const visit = (found) => {
      for (let cell = 0; cell < this.n; cell++) {
        let w = Infinity, e = -Infinity, s = Infinity, n = -Infinity;
        for (let i = 3 * this.firstTriangle[cell]; i < 3 * this.firstTriangle[cell + 1]; i++) {
          const at = 4 * this.indices[i], lon = this.vertices[at], lat = this.vertices[at + 1];
          w = Math.min(w, lon); e = Math.max(e, lon); s = Math.min(s, lat); n = Math.max(n, lat);
        }
        const first = Math.floor((w + 180) / 360 * columns), last = Math.min(Math.floor((e + 180) / 360 * columns), first + columns - 1);
        for (let row = rowOf(s); row <= rowOf(n); row++) {
          for (let column = first; column <= last; column++) found(row * columns + (column % columns + columns) % columns, cell);
        }
      }
    };
    const rowOf = (lat) => Math.max(0, Math.min(rows - 1, Math.floor((lat + 90) / 180 * rows)));
    const starts = new Uint32Array(rows * columns + 1);
    visit((bin) => { starts[bin + 1]++; });
    for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
    const cells = new Uint32Array(starts[starts.length - 1]), filled = starts.slice();
    visit((bin, cell) => { cells[filled[bin]++] = cell; });
    return { columns, rowOf, starts, cells };
  }
  // The cell at a point [degrees], or -1.
  cellAt(lon, lat) {
    const { columns, rowOf, starts, cells } = this.bins;
    const column = Math.min(columns - 1, Math.floor((wrap(lon) + 180) / 360 * columns));
    const bin = rowOf(lat) * columns + column;
    for (let i = starts[bin]; i < starts[bin + 1]; i++) if (this.contains(cells[i], lon, lat)) return cells[i];
    return -1;
  }
  contains(cell, lon, lat) {
    const V = this.vertices;
    for (let i = 3 * this.firstTriangle[cell]; i < 3 * this.firstTriangle[cell + 1]; i += 3) {
      const a = 4 * this.indices[i], b = 4 * this.indices[i + 1], c = 4 * this.indices[i + 2];
      for (const turn of [-360, 0, 360]) {
        const x = wrap(lon) + turn, side = (p, q) => (V[q] - V[p]) * (lat - V[p + 1]) - (V[q + 1] - V[p + 1]) * (x - V[p]);
        const first = side(a, b), second = side(b, c), third = side(c, a);
        if ((first >= 0 && second >= 0 && third >= 0) || (first <= 0 && second <= 0 && third <= 0)) return true;
      }
    }
    return false;
  }
  middleOf(cell) { return [this.middle[2 * cell], this.middle[2 * cell + 1]]; }
}

// A camera: the point in the middle of a pane, the scale [pixels per degree there], globe or flat map.
class Camera {
  constructor() { Object.assign(this, { lon: 0, lat: 0, scale: 4, globe: true, stretch: 1 }); }
  get radius() { return this.scale / RADIANS; }
  // Pixels right of and below the middle of a pane; null on the far side.
  project(lon, lat) {
    if (!this.globe) return [wrap(lon - this.lon) * this.scale * this.stretch, (this.lat - lat) * this.scale];
    const l = (lon - this.lon) * RADIANS, p = lat * RADIANS, p0 = this.lat * RADIANS;
    if (Math.sin(p0) * Math.sin(p) + Math.cos(p0) * Math.cos(p) * Math.cos(l) < 0) return null;
    return [this.radius * Math.cos(p) * Math.sin(l),
      -this.radius * (Math.cos(p0) * Math.sin(p) - Math.sin(p0) * Math.cos(p) * Math.cos(l))];
  }
  // The point [degrees] at these pixels; null next to the globe or the map.
  inverse(x, y) {
    if (!this.globe) {
      const lat = this.lat - y / this.scale, dlon = x / this.scale / this.stretch;
      return Math.abs(lat) > 90 || Math.abs(dlon) > 180 ? null : [this.lon + dlon, lat];
    }
    const px = x / this.radius, py = -y / this.radius, rest = 1 - px * px - py * py;
    if (rest < 0) return null;
    const z = Math.sqrt(rest), p0 = this.lat * RADIANS;
    return [this.lon + Math.atan2(px, z * Math.cos(p0) - py * Math.sin(p0)) / RADIANS,
      Math.asin(Math.max(-1, Math.min(1, z * Math.sin(p0) + py * Math.cos(p0)))) / RADIANS];
  }
  // Moves the point under (x0, y0) to (x1, y1), without roll.
  drag(x0, y0, x1, y1) {
    const cos = this.globe ? Math.max(0.2, Math.cos(this.lat * RADIANS)) : this.stretch;
    this.lon = wrap(this.lon - (x1 - x0) / this.scale / cos);
    this.lat = Math.max(-90, Math.min(90, this.lat + (y1 - y0) / this.scale));
  }
}
