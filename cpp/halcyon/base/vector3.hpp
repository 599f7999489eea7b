#pragma once

#include <cmath>

namespace halcyon {

/// A point or direction in space; points of a mesh lie on the unit sphere.
struct Vector3 {
  double x = 0, y = 0, z = 0;
};

inline Vector3 operator+(Vector3 a, Vector3 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vector3 operator-(Vector3 a, Vector3 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vector3 operator*(double s, Vector3 a) {
  return {s * a.x, s * a.y, s * a.z};
}
inline double dot(Vector3 a, Vector3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vector3 cross(Vector3 a, Vector3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm(Vector3 a) {
  return std::sqrt(dot(a, a));
}
inline Vector3 normalized(Vector3 a) {
  return (1 / norm(a)) * a;
}

}  // namespace halcyon
