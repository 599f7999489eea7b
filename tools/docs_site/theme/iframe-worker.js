// Lets search run in pages that are opened as files, where browsers refuse to start a Worker: the worker's
// script runs in a hidden frame instead. Material's search recognizes such a frame by the name IFrameWorker.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      this.scope = frame.contentWindow;
      const send = (target, data) => setTimeout(() => target.dispatchEvent(new MessageEvent("message", { data })));
      this.scope.postMessage = (data) => send(this, data);
      const script = frame.contentDocument.createElement("script");
      script.src = url;
      this.ready = new Promise((resolve) => script.addEventListener("load", resolve));
      this.postMessage = (data) => this.ready.then(() => send(this.scope, data));
      frame.contentDocument.body.appendChild(script);
    }
  };
}
