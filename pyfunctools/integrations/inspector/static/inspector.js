// Two comforts: search as you type, and the sizes as a map. Everything else works without this.
"use strict";
const field = document.getElementById("q");
if (field) {
  let whole = field.value ? null : document.getElementById("found");
  let last = null, timer = 0;
  const show = (node) => document.getElementById("found").replaceWith(node);
  const find = async () => {
    const words = field.value.trim();
    if (last) last.abort();
    if (!words && whole) return show(whole);
    last = new AbortController();
    try {
      const url = new URL(field.form.action);
      if (words) url.searchParams.set("q", words);
      const answer = await fetch(url, { signal: last.signal });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      show(document.adoptNode(page.getElementById("found")));
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    }
  };
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(find, 80);
  });
}

const map = document.getElementById("map");
if (map) {
  const size = (node) => Number(node.dataset.size);
  const place = (node, box) => {
    for (const [name, at] of Object.entries(box)) node.style[name] = at + "px";
    node.classList.toggle("tiny", box.width < 56 || box.height < 16);
  };
  // Halve the sorted boxes by size along the longer side until one is left.
  const split = (nodes, sizes, box, done) => {
    if (nodes.length === 1) return done(nodes[0], box);
    const total = sizes.reduce((a, b) => a + b, 0);
    let half = 0, n = 0;
    while (n < nodes.length - 1 && (n === 0 || half + sizes[n] / 2 < total / 2)) half += sizes[n++];
    const wide = box.width > box.height, part = total ? half / total : 0.5;
    const one = wide ? { ...box, width: box.width * part } : { ...box, height: box.height * part };
    const two = wide
      ? { ...box, left: box.left + one.width, width: box.width - one.width }
      : { ...box, top: box.top + one.height, height: box.height - one.height };
    split(nodes.slice(0, n), sizes.slice(0, n), one, done);
    split(nodes.slice(n), sizes.slice(n), two, done);
  };
  const draw = () => {
    map.className = "drawn";
    const groups = [...map.children].filter((each) => each.querySelector(".leaves button"));
    const sums = groups.map((each) =>
      [...each.querySelectorAll(".leaves button")].reduce((sum, leaf) => sum + size(leaf), 0));
    const box = { left: 0, top: 0, width: map.clientWidth, height: map.clientHeight };
    split(groups, sums, box, (group, at) => {
      place(group, at);
      const leaves = [...group.querySelectorAll(".leaves button")];
      const top = at.height > 44 ? 22 : Math.min(8, at.height / 3);
      place(group.firstElementChild, { left: 0, top: 0, width: at.width, height: top });
      const inside = { left: 0, top, width: at.width, height: at.height - top };
      split(leaves, leaves.map(size), inside, place);
    });
  };
  draw();
  addEventListener("resize", draw);
  map.form = map.closest("form");
  map.form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const pressed = event.submitter;
    pressed.setAttribute("aria-pressed", pressed.getAttribute("aria-pressed") !== "true");
    const url = new URL(map.form.action);
    for (const each of map.querySelectorAll("[aria-pressed=true]"))
      url.searchParams.append(each.name.replace("toggle-", ""), each.value);
    history.replaceState(null, "", url);
    const page = new DOMParser().parseFromString(await (await fetch(url)).text(), "text/html");
    for (const id of ["choice", "pressed"])
      document.getElementById(id).replaceWith(document.adoptNode(page.getElementById(id)));
  });
}
