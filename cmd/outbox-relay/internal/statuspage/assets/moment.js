// A moment to look at, by pointer or by arrow keys; null is now.
const slider = id("charts");
let chosen = null;
const nearest = (at) => past.reduce((best, p) => (Math.abs(p.at - at) < Math.abs(best.at - at) ? p : best), past[0]);
const write = (chart, p) => (p[chart.key] < 0 ? "unknown" : chart.write(p[chart.key]));
const point = () => {
  if (!past.length) return;
  const end = past[past.length - 1].at;
  const p = chosen === null ? past[past.length - 1] : nearest(end + chosen * 1000);
  for (const c of charts) {
    put(c.value, chosen === null ? "" : write(c, p));
    const x = place(p.at, end).toFixed(1);
    c.cursor.setAttribute("d", chosen === null ? "" : `M${x} 0V100`);
  }
  put(id("moment"), chosen === null ? "" : clock(p.at) + (p.ready ? "" : ", not ready"));
  slider.setAttribute("aria-valuenow", Math.round((p.at - end) / 1000));
  slider.setAttribute("aria-valuetext", `${chosen === null ? "now" : clock(p.at)}: lag ${write(charts[0], p)}, ` +
    `${write(charts[1], p)} events a second, ${write(charts[2], p)} of WAL kept${p.ready ? "" : ", not ready"}`);
};
const choose = (seconds) => {
  chosen = seconds === null || seconds >= 0 ? null : Math.max(-minutes * 60, seconds);
  point();
};
slider.addEventListener("pointermove", (e) => {
  const box = charts[0].line.ownerSVGElement.getBoundingClientRect();
  choose(((e.clientX - box.right) / box.width) * minutes * 60);
});
slider.addEventListener("pointerleave", () => choose(null));
slider.addEventListener("blur", () => choose(null));
slider.addEventListener("keydown", (e) => {
  const by = { ArrowLeft: -5, ArrowRight: 5, ArrowDown: -5, ArrowUp: 5, PageDown: -60, PageUp: 60 }[e.key];
  if (by) choose((chosen || 0) + by);
  else if (e.key === "Home") choose(-minutes * 60);
  else if (e.key === "End" || e.key === "Escape") choose(null);
  else return;
  e.preventDefault();
});

// The same as a table, a minute a line.
const tabulate = () => {
  const rows = new Map();
  for (const p of past) {
    const minute = Math.floor(p.at / 60000) * 60000;
    const row = rows.get(minute) || { lag: -1, events: 0, retained: -1, ready: true };
    row.lag = Math.max(row.lag, p.lag);
    row.retained = Math.max(row.retained, p.retained);
    row.events += p.events;
    row.ready = row.ready && p.ready;
    rows.set(minute, row);
  }
  const lines = [...rows].reverse().map(([minute, r]) => {
    const tr = make("tr");
    tr.append(make("th", clock(minute).slice(0, 5)), make("td", r.lag < 0 ? "unknown" : span(r.lag), "n"), make("td", number(r.events), "n"),
      make("td", r.retained < 0 ? "unknown" : size(r.retained), "n"), make("td", r.ready ? "yes" : "no", r.ready ? "" : "bad"));
    tr.firstChild.scope = "row";
    return tr;
  });
  id("minutes").replaceChildren(...lines);
};

const redraw = () => {
  if (!past.length) return;
  const end = past[past.length - 1].at, list = bands();
  for (const c of charts) {
    draw(c, end);
    shade(c, list, end);
  }
  point();
  tabulate();
  figures();
};

// The tiles take the last ten seconds together, so that they can be read.
const figures = () => {
  const last = past.slice(-10), now = past[past.length - 1];
  const events = last.reduce((n, p) => n + p.events, 0), known = last.filter((p) => p.lag >= 0);
  put(id("rate"), rate(events / last.length));
  put(id("lag"), now.lag < 0 ? "unknown" : span(Math.max(...known.map((p) => p.lag))));
  put(id("retained"), now.retained < 0 ? "unknown" : size(now.retained));
};
