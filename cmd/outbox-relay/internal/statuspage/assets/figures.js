const id = (name) => document.getElementById(name);
const body = document.body;

// Text goes into the page as text, never as markup: topics and ids come from a database.
const put = (node, text) => {
  if (node.textContent !== text) node.textContent = text;
};
const make = (tag, text, className) => {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
};

// Figures, written as the relay writes them.
const whole = new Intl.NumberFormat("en");
const number = (n) => whole.format(Math.round(n));
const rate = (n) => (n > 0 && n < 10 ? n.toFixed(1) : number(n));
const size = (n) => {
  let unit = "B";
  for (const next of ["kB", "MB", "GB", "TB"]) {
    if (n < 1024) break;
    n /= 1024;
    unit = next;
  }
  return (unit === "B" || n >= 100 || n % 1 === 0 ? n.toFixed(0) : n.toFixed(1)) + " " + unit;
};
const span = (ms) => {
  if (ms <= 0) return "0 ms";
  if (ms < 1) return "< 1 ms";
  if (ms < 1000) return ms.toFixed(0) + " ms";
  const s = ms / 1000;
  if (s < 10) return s.toFixed(1) + " s";
  if (s < 60) return Math.floor(s) + " s";
  if (s < 3600) return Math.floor(s / 60) + " min " + Math.floor(s % 60) + " s";
  if (s < 86400) return Math.floor(s / 3600) + " h " + Math.floor((s % 3600) / 60) + " min";
  return Math.floor(s / 86400) + " d " + Math.floor((s % 86400) / 3600) + " h";
};
const clock = (at) => new Date(at).toISOString().slice(11, 19); // UTC, as in the log
const moment = (at) => {
  const node = make("time", clock(at));
  node.dateTime = node.title = new Date(at).toISOString();
  return node;
};
