// Draws what lies over the cells: stations, tracks, the selection, and directions as moving particles.
const degreeText = (value, positive, negative) => `${Math.abs(value)}\u00b0${value > 0 ? positive : value < 0 ? negative : ""}`;
const N_PARTICLES = 1400, TRAIL_FADE = 0.9, LIFE = 90; // frames

class Overlay {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.trails = document.createElement("canvas");
    this.particles = [];
    this.labels = new Map();
  }
  resize(width, height, ratio) {
    this.ratio = ratio;
    for (const canvas of [this.canvas, this.trails]) { canvas.width = width * ratio; canvas.height = height * ratio; }
  }
  clear() {
    this.pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    if (this.particles.length) this.pen.drawImage(this.trails, 0, 0, this.trails.width / this.ratio, this.trails.height / this.ratio);
  }
  // pane: { x, y, width, height } [CSS pixels from the top left]; marks: stations, tracks, selected point, colours.
  draw(pane, camera, { stations, tracks, selected, time, ink, paper, accent }) {
    const { pen } = this, cx = pane.x + pane.width / 2, cy = pane.y + pane.height / 2;
    pen.save();
    pen.beginPath();
    pen.rect(pane.x, pane.y, pane.width, pane.height);
    pen.clip();
    this.degrees(pane, camera, ink);
    const at = (lon, lat) => { const p = camera.project(lon, lat); return p && [cx + p[0], cy + p[1]]; };
    for (const track of tracks) this.track(track, at, time, ink, paper);
    for (const station of stations) {
      const p = at(station.lon, station.lat);
      if (!p) continue;
      this.disc(p, 4.5, paper, ink);
      const label = this.label(station.name, ink, paper);
      pen.drawImage(label, p[0] + 6, p[1] - 9, label.width / this.ratio, label.height / this.ratio);
    }
    const p = selected && at(...selected);
    if (p) { this.disc(p, 8, "transparent", paper, 4); this.disc(p, 8, "transparent", accent, 2); }
    pen.restore();
  }
  // A name as a small picture: drawing text costs more than the cells in each frame.
  label(name, ink, paper) {
    const key = [name, ink, this.ratio].join("\n"), kept = this.labels.get(key);
    if (kept) return kept;
    const made = document.createElement("canvas"), pen = made.getContext("2d"), font = "12px system-ui, sans-serif";
    pen.font = font;
    made.width = (pen.measureText(name).width + 6) * this.ratio;
    made.height = 18 * this.ratio;
    pen.scale(this.ratio, this.ratio);
    Object.assign(pen, { font, lineWidth: 3, strokeStyle: paper, fillStyle: ink });
    pen.strokeText(name, 2, 13);
    pen.fillText(name, 2, 13);
    this.labels.set(key, made);
    return made;
  }
  // Degrees where lines of the graticule meet the top and the left of a flat map.
  degrees(pane, camera, ink) {
    const { pen } = this, span = GRID * camera.scale;
    if (camera.globe || span < 40) return;
    Object.assign(pen, { font: "11px system-ui, sans-serif", fillStyle: ink });
    for (let lon = -180; lon < 180; lon += GRID) {
      const [x] = camera.project(lon, camera.lat);
      if (Math.abs(x) < pane.width / 2 - 20) pen.fillText(degreeText(lon, "E", "W"), pane.x + pane.width / 2 + x + 3, pane.y + 12);
    }
    for (let lat = -90 + GRID; lat < 90; lat += GRID) {
      const [, y] = camera.project(camera.lon, lat);
      if (Math.abs(y) < pane.height / 2 - 20) pen.fillText(degreeText(lat, "N", "S"), pane.x + 3, pane.y + pane.height / 2 + y - 3);
    }
  }
  disc([x, y], radius, fill, stroke, width = 1.4) {
    const { pen } = this;
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.fillStyle = fill;
    pen.fill();
    pen.lineWidth = width;
    pen.strokeStyle = stroke;
    pen.stroke();
  }
  track(track, at, time, ink, paper) {
    const { pen } = this, line = (colour, width) => {
      pen.beginPath();
      let down = false;
      track.lon.forEach((lon, i) => {
        const p = at(lon, track.lat[i]);
        if (!p) { down = false; return; }
        down ? pen.lineTo(...p) : pen.moveTo(...p);
        down = true;
      });
      pen.lineWidth = width;
      pen.strokeStyle = colour;
      pen.stroke();
    };
    line(paper, 4);
    line(ink, 1.6);
    const i = track.times.findIndex((t) => t >= time);
    if (i < 0 || (i === 0 && track.times[0] > time)) return;
    const part = i ? (time - track.times[i - 1]) / (track.times[i] - track.times[i - 1]) : 0, before = Math.max(i - 1, 0);
    const now = at(track.lon[before] + part * wrap(track.lon[i] - track.lon[before]), track.lat[before] + part * (track.lat[i] - track.lat[before]));
    if (now) this.disc(now, 6, "#d1495b", paper, 2);
  }
  // Moves the particles of the panes by one frame. flow(pane, cell): direction towards [degrees] and pixels per frame, or null.
  step(panes, camera, meshOf, flow) {
    const pen = this.trails.getContext("2d"), { ratio } = this;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.globalCompositeOperation = "destination-in";
    pen.fillStyle = `rgb(0 0 0 / ${TRAIL_FADE})`;
    pen.fillRect(0, 0, this.trails.width, this.trails.height);
    pen.globalCompositeOperation = "source-over";
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const trails = new Path2D();
    panes.forEach((pane, k) => {
      const all = this.particles[k] ??= Array.from({ length: N_PARTICLES }, () => ({ age: Math.random() * LIFE }));
      const cx = pane.x + pane.width / 2, cy = pane.y + pane.height / 2, mesh = meshOf(pane);
      for (const particle of all) {
        if (particle.point === undefined || particle.age++ > LIFE) {
          particle.point = camera.inverse((Math.random() - 0.5) * pane.width, (Math.random() - 0.5) * pane.height);
          particle.age = Math.random() * LIFE * 0.5;
        }
        const from = particle.point && camera.project(...particle.point);
        const cell = from ? mesh.cellAt(...particle.point) : -1, move = cell < 0 ? null : flow(pane, cell);
        if (!move) { particle.point = undefined; continue; }
        const [lon, lat] = particle.point, d = move[1] / camera.scale, angle = move[0] * RADIANS;
        particle.point = [lon + d * Math.sin(angle) / Math.max(0.05, Math.cos(lat * RADIANS)), Math.max(-89.9, Math.min(89.9, lat + d * Math.cos(angle)))];
        const to = camera.project(...particle.point);
        if (!to || Math.hypot(to[0] - from[0], to[1] - from[1]) > 20) { particle.point = undefined; continue; }
        trails.moveTo(cx + from[0], cy + from[1]);
        trails.lineTo(cx + to[0], cy + to[1]);
      }
    });
    for (const [colour, width] of [["#ffffff", 3], ["#22262b", 1.4]]) {
      Object.assign(pen, { strokeStyle: colour, lineWidth: width });
      pen.stroke(trails);
    }
  }
  forget() {
    this.trails.getContext("2d").clearRect(0, 0, this.trails.width, this.trails.height);
    this.particles = [];
  }
}
