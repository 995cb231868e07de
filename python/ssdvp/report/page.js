// Draws the figures, switches between light and dark, saves figures and their data.
"use strict";
(() => {
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const root = document.documentElement;
  // Okabe and Ito's colours; on dark ground lighter ones of the same hues.
  const palettes = {
    light: {
      blue: "#0072b2", orange: "#e69f00", green: "#009e73", vermillion: "#d55e00",
      purple: "#cc79a7", sky: "#56b4e9", yellow: "#f0e442", grey: "#8a8f98", faint: "#d0d4da",
      page: "#ffffff", ink: "#1a1d21", line: "#dde1e6", soft: "#59616b", hatch: "#ffffffa0",
    },
    dark: {
      blue: "#4a9fe8", orange: "#e69f00", green: "#1fbf92", vermillion: "#f0753a",
      purple: "#dd93bd", sky: "#8ccfff", yellow: "#f0e442", grey: "#9aa1ab", faint: "#59616b",
      page: "#14171b", ink: "#e8eaed", line: "#333b45", soft: "#a4adb8", hatch: "#14171b70",
    },
  };
  const darkFills = new Set(["blue", "vermillion", "ink"]);  // in light: they need white letters

  // --- light and dark

  function remembered() {
    try { return localStorage.getItem("ssdvp-theme"); } catch { return null; }
  }
  function remember(theme) {
    try { localStorage.setItem("ssdvp-theme", theme); } catch { /* a file may have no storage */ }
  }
  const system = matchMedia("(prefers-color-scheme: dark)");
  function theme() { return root.dataset.theme; }
  function setTheme(name) {
    root.dataset.theme = name;
    document.getElementById("theme").textContent = name === "dark" ? "Light" : "Dark";
    document.getElementById("theme").setAttribute(
      "aria-label", name === "dark" ? "Switch to light" : "Switch to dark");
  }
  setTheme(remembered() || (system.matches ? "dark" : "light"));
  system.addEventListener("change", () => {
    if (!remembered()) { setTheme(system.matches ? "dark" : "light"); drawAll(); }
  });
  document.getElementById("theme").addEventListener("click", () => {
    setTheme(theme() === "dark" ? "light" : "dark");
    remember(theme());
    drawAll();
  });

  // --- figures

  function colour(word) {
    const palette = palettes[theme()];
    const name = word.slice(1);
    if (name.startsWith("ink_on_")) {
      const dark = theme() === "light" && darkFills.has(name.slice(7));
      return dark ? "#ffffff" : "#14171b";
    }
    if (name.endsWith("_faint")) return palette[name.slice(0, -6)] + "40";
    return palette[name] || word;
  }
  // Plotly takes strings for markup, and these have names in them that come from files.
  function plain(text) {
    return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
      .replaceAll("\n", "<br>");
  }
  // A copy of a figure for Plotly. What a string is, its key says: a colour of the theme, the
  // markup of a hover, or text.
  function prepared(value, key) {
    if (typeof value === "string") {
      if (key === "hovertemplate") return value;
      return /color$/.test(key) && value.startsWith("@") ? colour(value) : plain(value);
    }
    if (Array.isArray(value)) return value.map((v) => prepared(v, key));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, prepared(v, k)]));
    }
    return value;
  }
  function axis(own, palette, narrow) {
    const nticks = narrow && own.type !== "category" ? { nticks: 5 } : {};
    return {
      gridcolor: palette.line, zerolinecolor: palette.line, linecolor: palette.soft,
      automargin: true, tickfont: { size: narrow ? 11 : 12 }, fixedrange: narrow, ...nticks, ...own,
      title: { standoff: 8, font: { size: narrow ? 11 : 12.5, color: palette.soft }, ...own.title },
    };
  }
  // Rows that the legend will take, for the room above the figure.
  function legendRows(traces, width) {
    const names = traces.filter((t) => t.showlegend !== false && t.name).map((t) => t.name);
    if (names.length < 2) return 0;
    const widest = Math.max(...names.map((n) => 55 + 7 * n.length));
    return Math.ceil(names.length / Math.max(1, Math.floor(width / widest)));
  }
  function layoutOf(figure, width) {
    const palette = palettes[theme()];
    const narrow = width < 500;
    const rows = legendRows(figure.data, width - (narrow ? 60 : 110));
    const own = prepared(figure.layout);
    const layout = {
      ...own, height: figure.height + 20 * rows, autosize: true,
      margin: { l: 20, r: narrow ? 8 : 20, t: 12 + 20 * rows, b: 20 },
      paper_bgcolor: palette.page, plot_bgcolor: palette.page,
      font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: palette.ink },
      showlegend: rows > 0,
      legend: { orientation: "h", x: 0, xanchor: "left", y: 1.01, yanchor: "bottom",
                traceorder: "normal", font: { size: narrow ? 11 : 12 } },
      hoverlabel: { font: { size: 12 } },
      dragmode: narrow ? false : "zoom",
    };
    for (const name of Object.keys(own).filter((k) => /^[xy]axis\d*$/.test(k))) {
      layout[name] = axis(own[name], palette, narrow);
    }
    return layout;
  }
  async function draw(figure) {
    const place = document.getElementById(`plot-${figure.name}`);
    const layout = layoutOf(figure, place.clientWidth);
    place.style.minHeight = `${layout.height}px`;
    await Plotly.react(place, figure.data.map((trace) => prepared(trace)), layout,
                       { displayModeBar: false, responsive: false });
  }
  let round = 0;
  async function drawAll() {
    if (!window.Plotly) return;
    const mine = ++round;
    delete root.dataset.drawn;
    for (const figure of figures) {
      await draw(figure);
      await new Promise((done) => setTimeout(done));
      if (mine !== round) return;  // another round has begun
    }
    root.dataset.drawn = String(figures.length);
  }
  let width = innerWidth;
  let waiting = 0;
  addEventListener("resize", () => {
    if (innerWidth === width) return;  // phones hide their bars while they scroll
    width = innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(drawAll, 150);
  });

  // --- saving

  function save(name, href) {
    const link = document.createElement("a");
    link.href = href;
    link.download = name;
    link.click();
  }
  function quoted(value) {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }
  function csvOf(figure) {
    const lines = [["series", "x", "y", "value"]];
    for (const trace of figure.data) {
      if (trace.type === "heatmap") {
        trace.z.forEach((row, y) => row.forEach((z, x) =>
          lines.push([trace.name || "", trace.x[x], trace.y[y], z])));
      } else {
        trace.y.forEach((y, i) => lines.push([trace.name, trace.x[i], y, ""]));
      }
    }
    return lines.map((line) => line.map(quoted).join(",")).join("\r\n") + "\r\n";
  }
  async function saveAs(kind, name) {
    const figure = figures.find((f) => f.name === name);
    if (kind === "csv") {
      const link = URL.createObjectURL(new Blob([csvOf(figure)], { type: "text/csv" }));
      save(`${name}.csv`, link);
      setTimeout(() => URL.revokeObjectURL(link), 10000);
      return;
    }
    const place = document.getElementById(`plot-${name}`);
    const picture = await Plotly.toImage(place, {
      format: kind, width: place.clientWidth, height: place.clientHeight,
      scale: kind === "png" ? 2 : 1,
    });
    save(`${name}.${kind}`, picture);
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-save]");
    if (button) saveAs(button.dataset.save, button.dataset.of);
  });

  // --- the plotting library, packed

  function trouble(text) {
    const place = document.getElementById("trouble");
    place.textContent = text;
    place.hidden = false;
  }
  async function unpack(packed) {
    const letters = atob(packed.trim());
    const bytes = Uint8Array.from(letters, (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  }
  async function start() {
    if (!window.DecompressionStream) {
      trouble("This browser is too old to unpack the figures (it lacks DecompressionStream; "
              + "browsers from 2023 on have it). Numbers, tables and the CSV buttons work.");
      return;
    }
    const script = document.createElement("script");
    script.textContent = await unpack(document.getElementById("plotly").textContent);
    document.head.append(script);
    await drawAll();
  }
  start().catch((error) => trouble(`The figures cannot be drawn: ${error.message}`));
})();
