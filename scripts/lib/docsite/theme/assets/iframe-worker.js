// SPDX-License-Identifier: Apache-2.0
// The search runs in a worker, which browsers refuse to pages opened from files. There a hidden
// frame does its work: same scripts, same messages.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      const inner = this.frame.contentWindow;
      window.addEventListener("message", event => {
        if (event.source === inner) {
          this.dispatchEvent(new MessageEvent("message", { data: event.data }));
        }
      });
      inner.document.open();
      inner.document.write("<!doctype html><title>search</title>");
      inner.document.close();
      inner.postMessage = data => window.dispatchEvent(
        new MessageEvent("message", { data, source: inner }));
      this.loaded = new Promise(resolve => {
        const script = inner.document.createElement("script");
        script.src = url;
        script.onload = resolve;
        inner.document.body.appendChild(script);
      });
    }
    postMessage(data) {
      this.loaded.then(() => this.frame.contentWindow.dispatchEvent(
        new this.frame.contentWindow.MessageEvent("message", { data })));
    }
    terminate() { this.frame.remove(); }
  };
}
