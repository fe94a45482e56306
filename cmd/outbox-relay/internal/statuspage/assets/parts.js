const fact = (list, name, value, className) => {
  if (value === "" || value === undefined) return;
  const dd = make("dd", undefined, className);
  dd.append(value);
  list.push(make("dt", name), dd);
};
const state = (s) => {
  put(id("unacked"), number(s.unacked));
  put(id("memory"), s.unacked ? `${size(s.unacked_bytes)} of ${size(s.limit_bytes)} of memory` : "none waits in memory");
  put(id("delivered"), s.delivered ? `${number(s.delivered)} since ${clock(s.since).slice(0, 5)}` : "none since the start");
  put(id("safe"), s.slot.retained < 0 ? "not known now" : s.slot.safe < 0 ? "without a limit" : `${size(s.slot.safe)} until it is in danger`);
  const progress = id("progress");
  progress.hidden = !s.progress;
  progress.value = s.progress || 0;

  const slot = [], amount = (n) => (n < 0 ? "unknown" : size(n));
  fact(slot, "Slot", s.slot.state ? s.slot.state + (s.slot.wal_status ? `, WAL ${s.slot.wal_status}` : "") : "not looked up yet", ["lost", "missing"].includes(s.slot.state) ? "bad" : "");
  fact(slot, "Received up to", s.received_lsn);
  fact(slot, "Confirmed up to", s.confirmed_lsn);
  fact(slot, "Not received yet", amount(s.slot.unreceived));
  fact(slot, "Not confirmed yet", amount(s.slot.unconfirmed));
  fact(slot, "System, timeline", s.system_id ? `${s.system_id}, ${s.timeline}` : "");
  fact(slot, "Look-up failed", s.slot.error, "bad");
  id("slot").replaceChildren(...slot);

  const kafka = [];
  fact(kafka, "Brokers", s.kafka.connected ? "connected" : "not connected", s.kafka.connected ? "" : "bad");
  fact(kafka, "Last acknowledged", s.kafka.last_ack ? moment(s.kafka.last_ack) : "nothing yet");
  fact(kafka, "Retrying since", s.kafka.retrying ? moment(s.kafka.retrying) : "", "bad");
  fact(kafka, "In requests", `${number(s.kafka.in_flight)} events in ${number(s.kafka.requests)}`);
  fact(kafka, "Waiting to be sent", `${number(s.kafka.queued)} events`);
  fact(kafka, "Error", s.kafka.error, "bad");
  id("kafka").replaceChildren(...kafka);
};

const none = (text, columns) => {
  const tr = make("tr", undefined, "none"), td = make("td", text);
  td.colSpan = columns;
  tr.append(td);
  return tr;
};
const nothing = "No event has been acknowledged since the start.";
const topics = (list) => {
  const rows = list || [], all = rows.reduce((n, t) => n + t.per_second, 0);
  put(id("topics-note"), rows.length ? `${number(rows.length)} ${rows.length === 1 ? "topic" : "topics"}, rates of the last ten seconds` : "");
  id("topics").replaceChildren(...(rows.length ? rows.map((t) => {
    const tr = make("tr"), name = make("td", t.name);
    name.style.setProperty("--share", all ? (100 * t.per_second / all).toFixed(1) + "%" : "0%");
    tr.append(name, make("td", rate(t.per_second), "n"), make("td", number(t.events), "n"));
    return tr;
  }) : [none(nothing, 3)]));
};
const events = (newest) => {
  const rows = (newest || []).slice(0, 18).map((e) => {
    const tr = make("tr"), at = make("td", undefined, "time");
    at.append(moment(e.acked));
    tr.append(at, make("td", e.topic), make("td", e.id || "none", "id"), make("td", e.delay ? span(e.delay / 1e6) : "–", "n"));
    return tr;
  });
  const list = id("events");
  list.replaceChildren(...(rows.length ? rows : [none(nothing, 4)]));
  for (const tr of list.children) { // a narrow window lays rows out as no table, which must not keep them from being one
    tr.setAttribute("role", "row");
    for (const td of tr.children) td.setAttribute("role", "cell");
  }
};
const log = (l) => {
  const lines = l.lines || [];
  put(id("log-note"), l.total > lines.length ? `the last ${lines.length} of ${number(l.total)} since the start` : "");
  id("log").replaceChildren(...(lines.length ? lines.map((line) => {
    const li = make("li", undefined, line.level), at = make("span", undefined, "time");
    at.append(moment(line.time));
    li.append(at, make("span", line.level === "warn" ? "warning" : line.level, "level"), make("span", line.message));
    for (const more of [line.error, line.fields]) if (more) li.append(make("span", more, "more"));
    return li;
  }) : [make("li", "None since the start.", "none")]));
};
