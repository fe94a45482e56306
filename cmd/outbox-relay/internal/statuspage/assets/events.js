// What the relay sends.
let final = false, said = null;
const trim = () => {
  const oldest = past[past.length - 1].at - minutes * 60000;
  past = past.filter((p) => p.at >= oldest);
};
const take = {
  past: (h) => {
    past = h.at.map((at, i) => ({ at, lag: h.lag[i] / 1000, events: h.events[i], retained: h.retained[i], ready: h.ready[i] }));
  },
  point: (p) => {
    if (!past.length || p.at > past[past.length - 1].at) past.push({ ...p, lag: p.lag / 1000 });
    trim();
    redraw();
  },
  words: (w) => {
    final = w.final;
    said = w;
    delete body.dataset.stale;
    say(w);
  },
  state, topics, events, log,
};

let source = null, again = 0, heard = Date.now();
const connect = () => {
  clearTimeout(again);
  if (source) source.close();
  source = new EventSource(location.origin + body.dataset.events);
  for (const name of Object.keys(take)) {
    source.addEventListener(name, (e) => {
      heard = Date.now();
      take[name](JSON.parse(e.data));
    });
  }
  source.onerror = () => {
    source.close();
    again = setTimeout(connect, 2000);
  };
};
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    clearTimeout(again);
    source.close();
    return;
  }
  heard = Date.now();
  connect();
});

// A page that has heard nothing says so instead of showing an old state as if it were the present one.
setInterval(() => {
  const silent = Date.now() - heard;
  if (final || document.hidden || silent < 4000) return;
  body.dataset.stale = "";
  say({
    tone: "bad", title: "No answer from the relay.",
    detail: `For ${span(silent)}. ${said ? "It last said: " + said.title + " " + said.detail : ""}`,
    advice: "It may have been stopped or be starting again; this page goes on trying.",
  });
}, 1000);

id("defaults").addEventListener("change", (e) => id("options").classList.toggle("changed", !e.target.checked));
connect();
