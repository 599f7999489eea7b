"""A headless Chromium that opens a page, driven over the DevTools protocol through a pipe."""

import base64
import io
import json
import os
import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

DRAWN = "document.getElementById('stage')?.dataset.frames > 0"
NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    *("--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--hide-scrollbars", "--no-first-run", "--disable-background-networking", "--disable-extensions"),
    *("--disable-component-update", "--mute-audio", "--disable-dev-shm-usage", "--remote-debugging-pipe"),
)


def executable() -> str | None:
    """The path of Chromium, or None if it is not installed."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A process of Chromium with one page.

    errors: texts of errors and warnings of the console and of exceptions; requests: addresses that the page
    has requested."""

    def __init__(self, width: int = 1000, height: int = 700) -> None:
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._id, self.errors, self.requests = 0, [], []
        read_end, self._out = os.pipe()
        self._in, write_end = os.pipe()

        def connect() -> None:  # Chromium reads commands from descriptor 3, and writes to 4
            kept = os.dup(read_end), os.dup(write_end)
            os.dup2(kept[0], 3)
            os.dup2(kept[1], 4)

        command = [executable(), *_FLAGS, f"--user-data-dir={self._profile.name}", "about:blank"]
        self._process = subprocess.Popen(
            command, preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(read_end)
        os.close(write_end)
        self._buffer, self._session = b"", None
        target = next(
            each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page"
        )
        attached = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self._process.terminate()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)
        self._profile.cleanup()

    def call(self, method: str, **parameters):
        """The result of a method of the protocol."""
        self._id += 1
        message = {"id": self._id, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data) :]
        while True:
            answer = self._receive()
            if answer.get("id") == self._id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._note(answer)

    def _receive(self) -> dict:
        while b"\0" not in self._buffer:
            part = os.read(self._in, 1 << 20)
            if not part:
                raise RuntimeError(f"Chromium has ended with code {self._process.wait()}")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def _note(self, event: dict) -> None:
        method, details = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(str(details["exceptionDetails"].get("exception", details).get("description")))
        elif method == "Runtime.consoleAPICalled" and details["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(each.get("value")) for each in details["args"]))
        elif method == "Log.entryAdded" and details["entry"]["level"] in ("error", "warning"):
            self.errors.append(details["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(details["request"]["url"])

    def open(self, path: Path, address: str = "", *, ready: str = DRAWN) -> None:
        """Opens a file with this part of the address after #, and waits until `ready`, by default for the
        first picture of a page of a run."""
        self.call("Page.navigate", url="about:blank")
        self.requests.clear()
        self.call("Page.navigate", url=path.absolute().as_uri() + (f"#{address}" if address else ""))
        self.wait_for(ready)

    def evaluate(self, script: str):
        """The value of an expression of JavaScript; promises are awaited."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description"))
        return answer["result"].get("value")

    def wait_for(self, condition: str, seconds: float = 120.0) -> None:
        """Waits until an expression is true. Raises RuntimeError after this time, with the errors so far."""
        end = time.monotonic() + seconds
        while not self.evaluate(condition):
            if time.monotonic() > end:
                raise RuntimeError(f"{condition} has not become true; errors: {self.errors}")
            time.sleep(0.05)

    def _processes(self) -> dict[int, float]:
        """CPU time [s] of each process of the browser so far, by its id."""
        statistics = {}
        for path in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):  # it has ended
                values = path.read_text().rpartition(")")[2].split()
                statistics[int(path.parent.name)] = int(values[1]), int(values[11]) + int(values[12])
        family = {self._process.pid}
        while children := {pid for pid, (parent, _) in statistics.items() if parent in family} - family:
            family |= children
        return {pid: statistics[pid][1] / os.sysconf("SC_CLK_TCK") for pid in family if pid in statistics}

    def cpu_seconds(self) -> float:
        """CPU time of the processes of the browser so far."""
        return sum(self._processes().values())

    def precede_others(self) -> None:
        """Gives the browser the cores before all other programs; needs root."""
        for pid in self._processes():
            for thread in Path(f"/proc/{pid}/task").iterdir():
                with suppress(OSError):
                    os.sched_setscheduler(int(thread.name), os.SCHED_RR, os.sched_param(1))

    def screenshot(self) -> np.ndarray:
        """The colours of the window, uint8 (row from the top, column, 3)."""
        from PIL import Image

        data = base64.b64decode(self.call("Page.captureScreenshot")["data"])
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))

    def click(self, x: float, y: float) -> None:
        """Presses and releases the mouse at a point [pixels]."""
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def move(self, x: float, y: float) -> None:
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def press(self, key: str) -> None:
        """Presses a key, by its name or its character."""
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
