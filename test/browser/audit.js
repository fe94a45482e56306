// What keeps a person from using a page: one line a problem. It is written after the success criteria of WCAG 2.2 at
// level AA that a program can judge.
(() => {
  const problems = [];
  const all = [...document.querySelectorAll("body *")];
  const hidden = (e) => !e.checkVisibility({ visibilityProperty: true }) || e.closest("[aria-hidden=true]") !== null;
  const where = (e) => e.tagName.toLowerCase() + (e.id ? "#" + e.id : "") + (e.className && e.className.baseVal === undefined ? "." + e.className.replace(/\s+/g, ".") : "");
  const say = (e, what) => problems.push(`${where(e)}: ${what}`);

  // 3.1.1, 2.4.2: language and title of the page.
  if (!document.documentElement.lang) problems.push("the page names no language");
  if (!document.title.trim()) problems.push("the page has no title");
  if (!document.querySelector("meta[name=viewport]")) problems.push("the page does not fit small screens");

  // 1.3.1: one main part, one first heading, no level left out.
  if (document.querySelectorAll("main").length !== 1) problems.push("not exactly one main");
  let level = 0;
  for (const h of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    const now = Number(h.tagName[1]);
    if (now > level + 1) say(h, `heading of level ${now} behind one of level ${level}`);
    level = now;
  }
  if (document.querySelectorAll("h1").length !== 1) problems.push("not exactly one h1");
  for (const table of document.querySelectorAll("table")) {
    if (![...table.querySelectorAll("thead th")].every((th) => th.scope === "col" && th.textContent.trim())) say(table, "a column without a heading");
  }

  // 4.1.1: what refers to an id finds it, and ids are unique.
  const ids = new Set();
  for (const e of all) {
    if (e.id && ids.has(e.id)) say(e, "its id is not unique");
    if (e.id) ids.add(e.id);
  }
  for (const e of all) for (const id of (e.getAttribute("aria-labelledby") || "").split(/\s+/).filter(Boolean)) if (!ids.has(id)) say(e, `there is no #${id}`);

  // 4.1.2: everything that can be used has a name.
  const name = (e) => {
    const by = (e.getAttribute("aria-labelledby") || "").split(/\s+/).filter(Boolean).map((id) => document.getElementById(id)?.textContent).join(" ");
    return (by || e.getAttribute("aria-label") || (e.labels && [...e.labels].map((l) => l.textContent).join(" ")) || e.textContent || "").trim();
  };
  const usable = all.filter((e) => e.matches("a[href], button, input, select, textarea, summary, [tabindex]") && !hidden(e));
  for (const e of [...usable, ...all.filter((e) => e.matches("section, nav, progress, [role=region], [role=slider], img") && !hidden(e))]) {
    if (!name(e)) say(e, "it has no name");
  }

  // 2.4.3: the order of the tab key is that of the page. 2.5.8: it can be hit.
  for (const e of usable) {
    if (e.tabIndex > 0) say(e, "it is out of the order of the tab key");
    const box = e.getBoundingClientRect();
    if (!e.closest("nav, p") && e.matches("a, button, summary") && box.height < 18) say(e, `it is only ${box.height} high`);
  }

  // 1.4.10: no scrolling to the side, but for tables.
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) {
    problems.push(`the page is ${document.documentElement.scrollWidth} wide in a window of ${document.documentElement.clientWidth}`);
  }

  // 1.4.3: text stands out from what is behind it.
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const parse = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => top.map((v, i) => (i === 3 ? 1 : v * top[3] + below[i] * (1 - top[3])));
  const behind = (e) => {
    if (!e) return parse(getComputedStyle(document.documentElement).backgroundColor || "white")[3] ? parse(getComputedStyle(document.documentElement).backgroundColor) : [255, 255, 255, 1];
    const style = getComputedStyle(e), own = parse(style.backgroundColor);
    let color = own[3] === 1 ? own : over(own, behind(e.parentElement));
    const tint = style.backgroundImage.match(/rgba?\([^)]*\)|color\([^)]*\)/);
    if (tint) color = over(parse(tint[0]), color);
    return color;
  };
  const light = ([r, g, b]) => {
    const f = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b);
  };
  for (const e of all) {
    const own = [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.textContent.trim());
    if (!own || hidden(e) || e.matches("script, style, noscript, noscript *")) continue;
    const style = getComputedStyle(e), ground = behind(e);
    const [high, low] = [light(over(parse(style.color), ground)), light(ground)].sort((a, b) => b - a);
    const contrast = (high + 0.05) / (low + 0.05), size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    if (contrast < least) say(e, `contrast is ${contrast.toFixed(2)}, at least ${least} is needed: ${style.color} on ${ground.map(Math.round)}, "${e.textContent.trim().slice(0, 30)}"`);
    if (size < 12) say(e, `text of ${size} px`);
  }
  return problems;
})();
