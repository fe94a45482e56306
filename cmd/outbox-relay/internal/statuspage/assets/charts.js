// The charts: columns of the last 15 minutes. A lag is in milliseconds here.
const minutes = 15, width = 900;
let past = [];
const nice = (n) => {
  const step = 10 ** Math.floor(Math.log10(n));
  return [1, 2, 5, 10].map((by) => step * by).find((top) => top >= n);
};
const linear = (top, write) => ({ top, ticks: [[top, write(top)], [top / 2, write(top / 2)]], at: (v) => v / top });
// A lag is milliseconds on a good day and hours on a bad one: its scale is logarithmic.
const lags = [[10, "10 ms"], [100, "100 ms"], [1000, "1 s"], [1e4, "10 s"], [6e4, "1 min"], [6e5, "10 min"], [36e5, "1 h"], [36e6, "10 h"], [864e5, "1 day"], [864e6, "10 days"]];
const series = {
  lag: {
    write: span,
    scale: (most) => {
      const ticks = lags.slice(0, Math.max(3, lags.findIndex(([v]) => v >= most) + 1) || lags.length), top = ticks[ticks.length - 1][0];
      return { top, ticks, at: (v) => Math.max(0, Math.log10(Math.max(v, 1)) / Math.log10(top)) };
    },
  },
  events: { write: rate, scale: (most) => linear(nice(Math.max(most, 10)), rate) },
  retained: {
    write: size,
    scale: (most) => {
      let unit = 1 << 20;
      while (most / unit > 1024) unit *= 1024;
      return linear(nice(Math.max(1, most / unit)) * unit, size);
    },
  },
};
const charts = [...document.querySelectorAll(".chart")].map((root) => ({
  ...series[root.dataset.series],
  key: root.dataset.series,
  value: root.querySelector("b"),
  ticks: root.querySelector(".ticks"),
  grid: root.querySelector(".grid"),
  area: root.querySelector(".area"),
  line: root.querySelector(".line"),
  cursor: root.querySelector(".cursor"),
  bands: root.querySelector(".bands"),
}));

// The top of the scale is a little below the picture's, so that a line there is not cut.
const height = (part) => 100 - 96 * part;
const rule = (chart, scale) => {
  if (chart.ruled === scale.top) return;
  chart.ruled = scale.top;
  chart.grid.setAttribute("d", scale.ticks.map(([v]) => `M0 ${height(scale.at(v))}H900`).join("") + "M300 0V100M600 0V100");
  chart.ticks.replaceChildren(...scale.ticks.map(([v, text]) => {
    const label = make("span", text);
    label.style.top = height(scale.at(v)) + "%";
    return label;
  }));
};

const place = (at, end) => width - (end - at) * (width / (minutes * 60000));
const draw = (chart, end) => {
  const scale = chart.scale(past.reduce((m, p) => Math.max(m, p[chart.key]), 0));
  rule(chart, scale);
  let line = "", area = "", from = -1, x = 0, before = 0;
  const shut = () => {
    if (from >= 0) area += `L${x} 100L${from} 100Z`;
    from = -1;
  };
  for (const p of past) {
    const gap = p[chart.key] < 0 || p.at - before > 5000;
    before = p.at;
    if (gap) shut();
    if (p[chart.key] < 0) continue;
    x = place(p.at, end).toFixed(1);
    const step = (from < 0 ? "M" : "L") + x + " " + height(scale.at(p[chart.key])).toFixed(1);
    if (from < 0) from = x;
    line += step;
    area += step;
  }
  shut();
  chart.line.setAttribute("d", line);
  chart.area.setAttribute("d", area);
};

// Times when the relay was not ready.
const bands = () => {
  const out = [];
  for (const p of past) {
    const last = out[out.length - 1];
    if (p.ready) continue;
    if (last && p.at - last.to < 2500) last.to = p.at;
    else out.push({ from: p.at - 1000, to: p.at });
  }
  return out;
};
const shade = (chart, list, end) => {
  chart.bands.replaceChildren(...list.map((b) => {
    const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    const x = Math.max(0, place(b.from, end));
    rect.setAttribute("x", x);
    rect.setAttribute("width", Math.max(1, place(b.to, end) - x));
    rect.setAttribute("height", 100);
    return rect;
  }));
};
