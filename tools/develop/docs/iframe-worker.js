// A page that was opened from a disk (file://) may not start a worker, so that the search would be silent. This class takes the
// place of Worker there: it runs the script in a frame that is not shown. The theme's plugin `offline` would load such a script
// from the network; this one is ours, under the licence of the project (Apache 2.0).
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      // What the script calls: to its page, and to load other scripts. It waits for none, as a frame has no way to.
      inside.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      inside.importScripts = (...urls) =>
        Promise.all(urls.map((source) => this.load(inside, new URL(source, url).href)));
      this.inside = inside;
      this.ready = this.load(inside, new URL(url, location.href).href);
      this.frame = frame;
    }
    load(inside, source) {
      return new Promise((done, failed) => {
        const script = inside.document.createElement("script");
        script.src = source;
        script.onload = done;
        script.onerror = () => failed(new Error(`cannot load ${source}`));
        inside.document.head.append(script);
      });
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data })));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
