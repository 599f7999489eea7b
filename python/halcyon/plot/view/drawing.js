// Draws cells, land, coast and graticule by regl on a WebGL2 context.
const GRID = 15; // [degrees] between the lines of the graticule
const VERTEX = `
precision highp float;
attribute vec3 point;  // on the unit sphere
attribute vec3 corner; // longitude, latitude [degrees], longitude of the middle of the shape
attribute vec4 fill;
uniform vec2 half_;    // half size of the pane [pixels]
uniform vec4 paint;    // colour of all shapes, if its alpha is above 0
uniform mat3 turn;     // to axes right, up and towards the viewer
uniform vec3 camera;   // longitude, latitude [degrees], pixels per degree
uniform float globe, stretch, copy;
varying vec4 colour;
varying float inside;
void main() {
  vec2 place;
  float depth = 0.0;
  if (globe > 0.5) {
    vec3 at = turn * point;
    place = at.xy * camera.z * 57.29577951308232;
    inside = at.z;
    if (at.z < -0.4) depth = 2.0; // clipped
  } else {
    float x = corner.x - camera.x, turns = floor((corner.z - camera.x + 180.0) / 360.0);
    x -= 360.0 * (turns + copy * sign(corner.z - camera.x - 360.0 * turns));
    place = vec2(x * stretch, corner.y - camera.y) * camera.z;
    inside = 180.0 - abs(x);
    if (abs(x) > 800.0) depth = 2.0;
  }
  colour = paint.a > 0.0 ? paint : fill;
  gl_Position = vec4(place / half_, depth, 1);
}`;
const FRAGMENT = `
precision mediump float;
varying vec4 colour;
varying float inside;
void main() {
  if (inside < 0.0 || colour.a == 0.0) discard;
  gl_FragColor = vec4(colour.rgb * colour.a, colour.a);
}`;
const DISC = { // the globe, or the map of the whole world
  vert: "precision highp float; attribute vec2 corner; varying vec2 at; uniform vec2 half_; void main() { at = corner * half_; gl_Position = vec4(corner, 0, 1); }",
  frag: `precision highp float; varying vec2 at; uniform vec4 paint; uniform vec2 extent; uniform float globe, shift;
    void main() {
      if (globe > 0.5 ? length(at) > extent.x : abs(at.x) > extent.x || abs(at.y - shift) > extent.y) discard;
      gl_FragColor = paint;
    }`,
};

class Drawing {
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", { antialias: false, alpha: true, premultipliedAlpha: true });
    if (!gl) throw new Error("This page needs WebGL2, which the browser does not offer.");
    // regl asks for an extension of WebGL 1 that is a part of WebGL2.
    const extension = gl.getExtension.bind(gl);
    gl.getExtension = (name) => (name.toLowerCase() === "oes_element_index_uint" ? {} : extension(name));
    this.canvas = canvas;
    this.regl = createREGL({ gl, extensions: ["oes_element_index_uint"] });
    const { regl } = this, prop = (name) => regl.prop(name);
    const pane = { viewport: prop("box"), scissor: { enable: true, box: prop("box") }, depth: { enable: false } };
    this.shapes = regl({
      ...pane,
      vert: VERTEX, frag: FRAGMENT,
      attributes: { point: prop("points"), corner: prop("corners"), fill: prop("fill") },
      elements: prop("elements"),
      uniforms: Object.fromEntries(["paint", "turn", "camera", "globe", "stretch", "copy"].map((name) => [name, prop(name)]).concat([["half_", prop("half")]])),
      blend: { enable: true, func: { src: "one", dst: "one minus src alpha" } },
    });
    this.disc = regl({
      ...pane, ...DISC,
      attributes: { corner: [[-1, -1], [1, -1], [1, 1], [-1, 1]] },
      elements: [[0, 1, 2], [0, 2, 3]],
      uniforms: { half_: prop("half"), paint: prop("paint"), extent: prop("extent"), globe: prop("globe"), shift: prop("shift") },
    });
    this.graticule = this.lines(graticuleLines());
  }
  // corners: (vertex) longitude, latitude, longitude of the middle of the shape.
  buffers(corners, indices, primitive) {
    const { regl } = this, points = new Float32Array(corners.length);
    for (let i = 0; i < corners.length; i += 3) points.set(pointOf(corners[i], corners[i + 1]), i);
    return { points: regl.buffer(points), corners: regl.buffer(corners), fill: { constant: [0, 0, 0, 0] },
      elements: regl.elements({ primitive, data: indices, type: "uint32" }) };
  }
  lines(polylines) {
    const vertices = [], indices = [];
    for (const line of polylines) {
      for (let i = 1; i < line.length; i++) {
        const n = vertices.length / 3, [[a, b], [c, d]] = [line[i - 1], line[i]];
        vertices.push(a, b, a, c, d, a);
        indices.push(n, n + 1);
      }
    }
    return this.buffers(new Float32Array(vertices), new Uint32Array(indices), "lines");
  }
  triangles(points) { // (triangle, corner) pairs of longitude and latitude
    const vertices = new Float32Array(points.length * 3);
    points.forEach(([lon, lat], i) => vertices.set([lon, lat, points[i - i % 3][0]], 3 * i));
    return this.buffers(vertices, Uint32Array.from(points, (_, i) => i), "triangles");
  }
  mesh(mesh) {
    const drawn = this.buffers(mesh.corners, mesh.indices, "triangles"), n = mesh.corners.length / 3;
    const buffer = this.regl.buffer({ usage: "dynamic", type: "uint8", length: 4 * n });
    return { ...drawn, colours: new Uint32Array(n), buffer, fill: { buffer, size: 4, normalized: true, type: "uint8" } };
  }
  paint(drawn) { // after a change of `drawn.colours`: (vertex) red, green, blue and alpha in bytes from the lowest
    drawn.buffer.subdata(new Uint8Array(drawn.colours.buffer));
  }
  clear(colour) { this.regl.clear({ color: colour }); }
  // Draws a pane. box: x, y, width, height [pixels of the canvas], from the bottom left; colours: of sea, land, coast and graticule.
  pane(box, camera, layers, colours) {
    this.regl.poll();
    const half = [box.width / 2, box.height / 2], ratio = this.canvas.width / this.canvas.clientWidth;
    const shared = { box, half, turn: camera.turn(), globe: camera.globe ? 1 : 0, stretch: camera.stretch, camera: [camera.lon, camera.lat, camera.scale * ratio] };
    const extent = camera.globe ? [camera.radius * ratio, 0] : [180 * camera.scale * ratio * camera.stretch, 90 * camera.scale * ratio];
    this.disc({ ...shared, extent, shift: -camera.lat * camera.scale * ratio, paint: colours.sea });
    // The opposite margin of a flat map has the other part of a shape that crosses it.
    const copies = camera.globe || half[0] < 170 * camera.scale * ratio * camera.stretch ? [0] : [0, 1];
    const draw = (drawn, paint) => drawn && copies.forEach((copy) => this.shapes({ ...shared, ...drawn, paint, copy }));
    draw(layers.land, colours.land);
    draw(layers.cells, [0, 0, 0, 0]);
    draw(this.graticule, colours.graticule);
    draw(layers.coast, colours.coast);
  }
}
function graticuleLines() {
  const lines = [], range = (from, to, step) => Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => from + i * step);
  for (let lon = -180; lon < 180; lon += GRID) lines.push(range(-90 + GRID, 90 - GRID, 3).map((lat) => [lon, lat]));
  for (let lat = -90 + GRID; lat < 90; lat += GRID) lines.push(range(-180, 180, 3).map((lon) => [lon, lat]));
  return lines;
}
async function landShapes(drawing) {
  if (!page.land) return {};
  const [lines, lengths, triangles] = await Promise.all(["lines", "lengths", "triangles"].map((name) => integersOf(page.land[name])));
  const points = (packed) => Array.from({ length: packed.length / 2 }, (_, i) => [packed[i] * page.land.step, packed[packed.length / 2 + i] * page.land.step]);
  const all = points(lines), polylines = [];
  let first = 0;
  for (const length of lengths) { polylines.push(all.slice(first, first + length)); first += length; }
  return { land: drawing.triangles(points(triangles)), coast: drawing.lines(polylines) };
}
