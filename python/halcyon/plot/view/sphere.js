// Geometry: the polygons of a mesh as triangles, the cell at a point, and the projections.
const RADIANS = Math.PI / 180;
const pointOf = (lon, lat) => { // on the unit sphere
  const l = lon * RADIANS, p = lat * RADIANS;
  return [Math.cos(p) * Math.cos(l), Math.cos(p) * Math.sin(l), Math.sin(p)];
};
const wrap = (lon) => ((lon + 180) % 360 + 360) % 360 - 180; // into -180..180

// Corners (longitude, latitude [degrees], longitude of the middle of their cell) and triangles of polygons. The
// corners of cell i are from firstCorner[i] to firstCorner[i + 1], its triangles from firstTriangle[i].
class Mesh {
  constructor(lon, lat, counts, nodes, step) {
    this.n = counts.length;
    this.middle = new Float64Array(2 * this.n);
    this.firstCorner = new Uint32Array(this.n + 1);
    this.firstTriangle = new Uint32Array(this.n + 1);
    const corners = [], indices = [];
    for (let cell = 0, node = 0; cell < this.n; node += counts[cell++]) {
      const own = Array.from({ length: counts[cell] }, (_, k) => [lon[nodes[node + k]] * step, lat[nodes[node + k]] * step]);
      const [x, y, z] = own.map((at) => pointOf(...at)).reduce((sum, point) => sum.map((v, i) => v + point[i]));
      const middle = Math.atan2(y, x) / RADIANS;
      this.middle[2 * cell] = middle;
      this.middle[2 * cell + 1] = Math.atan2(z, Math.hypot(x, y)) / RADIANS;
      const first = corners.length / 3, turn = own.reduce((sum, [l], k) => sum + wrap(own[(k + 1) % own.length][0] - l), 0);
      if (Math.abs(turn) > 180) addAroundPole(corners, indices, own, middle, z > 0 ? 90 : -90);
      else {
        for (const [l, p] of own) corners.push(middle + wrap(l - middle), p, middle);
        for (let k = 1; k < own.length - 1; k++) indices.push(first, first + k, first + k + 1);
      }
      this.firstCorner[cell + 1] = corners.length / 3;
      this.firstTriangle[cell + 1] = indices.length / 3;
    }
    this.corners = new Float32Array(corners);
    this.indices = new Uint32Array(indices);
    this.bins = this.binned();
  }
  // Lists of cells whose bounding box meets each box of a grid in longitude and latitude.
  binned() {
    const columns = Math.max(4, Math.min(720, Math.round(Math.sqrt(2 * this.n)))), rows = columns >> 1;
    const visit = (found) => {
      for (let cell = 0; cell < this.n; cell++) {
        let w = Infinity, e = -Infinity, s = Infinity, n = -Infinity;
        for (let i = 3 * this.firstTriangle[cell]; i < 3 * this.firstTriangle[cell + 1]; i++) {
          const at = 3 * this.indices[i], lon = this.corners[at], lat = this.corners[at + 1];
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
    const V = this.corners;
    for (let i = 3 * this.firstTriangle[cell]; i < 3 * this.firstTriangle[cell + 1]; i += 3) {
      const a = 3 * this.indices[i], b = 3 * this.indices[i + 1], c = 3 * this.indices[i + 2];
      for (const turn of [-360, 0, 360]) {
        const x = wrap(lon) + turn, side = (p, q) => (V[q] - V[p]) * (lat - V[p + 1]) - (V[q + 1] - V[p + 1]) * (x - V[p]);
        const first = side(a, b), second = side(b, c), third = side(c, a);
        if ((first >= 0 && second >= 0 && third >= 0) || (first <= 0 && second <= 0 && third <= 0)) return true;
      }
    }
    return false;
  }
  hasCellsOf({ corners }) {
    return corners.length === this.corners.length && this.corners.every((value, i) => Math.abs(wrap(value - corners[i])) < 1e-2);
  }
  middleOf(cell) { return [this.middle[2 * cell], this.middle[2 * cell + 1]]; }
}

// A cell around a pole: on the flat map a strip up to the parallel of the pole, once per turn of 360 degrees that a
// map may show; on the globe a fan.
function addAroundPole(corners, indices, own, middle, pole) {
  for (const turn of [-360, 0, 360]) {
    const first = corners.length / 3;
    let lon = own[0][0] + turn;
    own.concat([own[0]]).forEach(([l, p], k) => {
      lon += wrap(l - lon);
      corners.push(lon, p, middle, lon, pole, middle);
      const at = first + 2 * k;
      if (k < own.length) indices.push(at, at + 2, at + 3, at, at + 3, at + 1);
    });
  }
}

// A camera: the point in the middle of a pane, the scale [pixels per degree there], globe or flat map.
class Camera {
  constructor() { Object.assign(this, { lon: 0, lat: 0, scale: 4, globe: true, stretch: 1 }); }
  turn() { // matrix (column by column) to axes right, up and towards the viewer
    const [x, y, z] = pointOf(this.lon, this.lat), l = this.lon * RADIANS;
    const east = [-Math.sin(l), Math.cos(l), 0], p = Math.cos(this.lat * RADIANS), north = [-z * Math.cos(l), -z * Math.sin(l), p];
    return [0, 1, 2].flatMap((i) => [east[i], north[i], [x, y, z][i]]);
  }
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
