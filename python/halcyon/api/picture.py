"""Pictures and animations, as a notebook shows them and a program writes them."""

from __future__ import annotations

import io
import shutil
import subprocess
from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from typing import IO

from halcyon.base import ConfigError, RunError
from halcyon.io.writing import writing
from halcyon.mesh.atomic_file import write_file

FRAMES_PER_S = 8.0


class Picture:
    """A picture, which a notebook shows; `save` writes it."""

    def __init__(self, png: bytes) -> None:
        self.png = png

    @classmethod
    def of(cls, draw: Callable[[IO[bytes]], None]) -> Picture:
        """The picture that `draw` writes as PNG."""
        buffer = io.BytesIO()
        draw(buffer)
        return cls(buffer.getvalue())

    def save(self, path: str | Path) -> Path:
        """Writes the picture as PNG. Raises ConfigError for another suffix, RunError if it cannot be
        written."""
        path = Path(path)
        if path.suffix.lower() != ".png":
            raise ConfigError(f"{path} must end in .png, the format of pictures. Give such a name.")
        with writing(path):
            write_file(path, lambda part: Path(part).write_bytes(self.png))
        return path

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"<picture of {len(self.png) / 1000:.0f} kB; picture.save('NAME.png') writes it>"


def animate(
    path: str | PathLike[str], pictures: Iterable[Picture], frames_per_s: float = FRAMES_PER_S
) -> Path:
    """Writes pictures as the frames of an animation: .gif by Pillow, .mp4 by the program ffmpeg.

    Raises ConfigError for another suffix, or for .mp4 without ffmpeg; RunError if it cannot be written."""
    path = Path(path)
    if path.suffix.lower() == ".mp4":
        _write_mp4(path, pictures, frames_per_s)
    elif path.suffix.lower() == ".gif":
        _write_gif(path, pictures, frames_per_s)
    else:
        raise ConfigError(f"{path} must end in .gif or .mp4. Give such a name.")
    return path


def _write_gif(path: Path, pictures: Iterable[Picture], frames_per_s: float) -> None:
    from PIL import Image

    images = [
        Image.open(io.BytesIO(each.png)).convert("P", palette=Image.Palette.ADAPTIVE) for each in pictures
    ]
    options = {
        "save_all": True,
        "append_images": images[1:],
        "duration": round(1000 / frames_per_s),
        "loop": 0,
    }
    with writing(path):
        write_file(path, lambda part: images[0].save(part, format="GIF", **options))


def _write_mp4(path: Path, pictures: Iterable[Picture], frames_per_s: float) -> None:
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        raise ConfigError(
            f"{path} needs the program ffmpeg, which is not installed. Install it (apt-get install ffmpeg),"
            f" or give {path.with_suffix('.gif')}."
        )
    even = "scale=trunc(iw/2)*2:trunc(ih/2)*2"  # as yuv420p needs
    command = [ffmpeg, "-loglevel", "error", "-y", "-f", "image2pipe", "-framerate", str(frames_per_s)]
    command += ["-i", "-", "-vf", even, "-pix_fmt", "yuv420p", "-f", "mp4"]

    def write(part: Path | str) -> None:
        frames = b"".join(each.png for each in pictures)
        done = subprocess.run([*command, str(part)], input=frames, capture_output=True)
        if done.returncode:
            text = done.stderr.decode(errors="replace").strip().splitlines()
            raise RunError(f"ffmpeg cannot write {path}: {text[-1] if text else 'no reason given'}")

    with writing(path):
        write_file(path, write)
