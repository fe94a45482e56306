// The state in words.
const icon = document.querySelector("link[rel=icon]");
const colors = { good: "#2a9d63", wait: "#d9982b", bad: "#d64533" };
const optional = (node, text) => {
  put(node, text || "");
  node.hidden = !text;
};
const say = (w) => {
  if (body.dataset.tone !== w.tone || icon.href.length < 20) {
    body.dataset.tone = w.tone;
    icon.href = "data:image/svg+xml," + encodeURIComponent(
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6" fill="${colors[w.tone]}"/></svg>`);
  }
  put(id("title"), w.title); // read aloud when it changes
  put(id("detail"), w.detail);
  optional(id("advice"), w.advice);
  optional(id("reason"), w.reason);
  document.title = w.title + " outbox-relay, slot " + body.dataset.slot;
};
