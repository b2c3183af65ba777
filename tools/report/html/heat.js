// SPDX-License-Identifier: MIT
// A heat map of memory accesses by time (to the right) and address (upward). Addresses without accesses take no space.

const HEAT_HEIGHT = 420;  // pixels
const DOT = 3;            // pixels of the smallest part that is drawn
const GAP_PART = 0.01;    // part of the height for a gap between areas, if there are few
const GAPS_PART = 0.2;    // largest part of the height for all gaps
const STOPS = {light: [[150, 190, 232], [60, 125, 200], [200, 90, 30], [110, 20, 30]],
	dark: [[56, 98, 145], [70, 150, 220], [240, 150, 60], [255, 235, 170]]};
const METRICS = [['samples', 'Accesses'], ['latency', 'Latency'], ['writes', 'Writes']];

function isDark() {
	const theme = document.documentElement.dataset.theme;
	return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

// Return the color of a value from 0 to 1.
function scaleColor(part) {
	const stops = STOPS[isDark() ? 'dark' : 'light'], at = Math.max(0, Math.min(1, part)) * (stops.length - 1);
	const i = Math.min(Math.floor(at), stops.length - 2);
	return `rgb(${stops[i].map((c, n) => Math.round(c + (stops[i + 1][n] - c) * (at - i))).join(' ')})`;
}

function timeText(ns) {
	for (const [unit, word] of [[1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s']])
		if (ns >= unit) return `${(ns / unit).toPrecision(4)} ${word}`;
	return `${Math.round(ns)} ns`;
}

// Stack the areas of one process, and give each cell its row in the whole.
function heatWorld(heat, areas) {
	const world = {areas: [], cells: [], rows: 0, times: 1};
	const rows = areas.reduce((sum, area) => sum + rowsOf(area), 0), gap = Math.max(1, Math.ceil(rows * Math.min(GAP_PART, GAPS_PART / areas.length)));
	for (const area of areas) {
		const at = world.rows, sums = {samples: 0, writes: 0, timed: 0, cycles: 0};
		for (let i = 0; i < area.cells.length; i += 6) {
			const [offset, time, samples, writes, timed, cycles] = area.cells.slice(i, i + 6);
			world.cells.push({row: at + offset, time, samples, writes, timed, cycles});
			world.times = Math.max(world.times, time + 1);
			for (const [key, n] of Object.entries({samples, writes, timed, cycles})) sums[key] += n;
		}
		world.areas.push({...area, from: at, to: at + rowsOf(area), ...sums});
		world.rows = at + rowsOf(area) + gap;
	}
	world.rows -= gap;
	return world;
}

function rowsOf(area) {
	let most = 0;
	for (let i = 0; i < area.cells.length; i += 6) most = Math.max(most, area.cells[i]);
	return most + 1;
}

function addressText(heat, area, row) {
	return '0x' + (BigInt(area.start) + (BigInt(Math.floor(row) - area.from) << BigInt(heat.address_shift))).toString(16);
}

// Add up the cells inside the view in a grid that fits the canvas.
function heatGrid(world, view, columns, rows) {
	const grid = new Map();
	for (const cell of world.cells) {
		if (cell.time < Math.floor(view.t0) || cell.time >= view.t1 || cell.row < Math.floor(view.r0) || cell.row >= view.r1) continue;
		const x = Math.max(0, Math.floor((cell.time - view.t0) / (view.t1 - view.t0) * columns));
		const y = Math.max(0, Math.floor((cell.row - view.r0) / (view.r1 - view.r0) * rows));
		const key = y * columns + x;
		const sums = grid.get(key) || {x, y, samples: 0, writes: 0, timed: 0, cycles: 0};
		for (const n of ['samples', 'writes', 'timed', 'cycles']) sums[n] += cell[n];
		grid.set(key, sums);
	}
	return [...grid.values()];
}

function valueOf(sums, metric) {
	if (metric === 'latency') return sums.timed ? sums.cycles / sums.timed : 0;
	return metric === 'writes' ? sums.writes : sums.samples;
}

function heatView(report) {
	const heat = report.page.heat, nsPerCell = 2 ** heat.time_shift;
	const processes = [...new Set(heat.areas.map(area => `${area.input}/${area.pid}`))];
	const total = process => heat.areas.filter(area => `${area.input}/${area.pid}` === process)
		.reduce((sum, area) => sum + area.cells.reduce((n, x, i) => n + (i % 6 === 2 ? x : 0), 0), 0);
	processes.sort((a, b) => total(b) - total(a));
	const state = {world: null, view: null, metric: 'samples', drag: null, width: 0};
	const canvas = el('canvas', {class: 'heat', tabindex: '0', role: 'application',
		'aria-label': 'Memory accesses by time and address. Arrow keys move, plus and minus zoom, Escape shows all.'});
	const mark = el('div', {class: 'heat-mark', hidden: true});
	const box = el('div', {class: 'heat-box'}, canvas, mark);
	const axis = el('div', {class: 'heat-axis quiet'});
	const told = el('p', {class: 'note', role: 'status'});
	const legend = el('div', {class: 'heat-legend quiet'});
	const list = el('div');

	function whole() {
		return {t0: 0, t1: state.world.times, r0: 0, r1: state.world.rows};
	}

	function areaAt(row) {
		return state.world.areas.find(area => row >= area.from && row < area.to);
	}

	function drawLabels(context, width, y) {
		context.font = '11px ui-monospace, monospace';
		for (const area of state.world.areas) {
			const top = y(area.to), bottom = y(area.from);
			if (bottom < 0 || top > HEAT_HEIGHT || bottom - top < 14) continue;
			const at = Math.min(Math.max(top, 0) + 11, HEAT_HEIGHT - 3), text = baseName(area.name);
			const size = Math.min(context.measureText(text).width + 6, width / 2);
			context.fillStyle = isDark() ? 'rgb(28 32 39 / 0.8)' : 'rgb(255 255 255 / 0.8)';
			context.fillRect(0, at - 11, size, 14);
			context.fillStyle = isDark() ? '#e4e8ee' : '#1b1f24';
			context.fillText(text, 3, at, size - 4);
		}
	}

	function drawCanvas(grid, columns, rows, most) {
		const scale = devicePixelRatio || 1, context = canvas.getContext('2d'), view = state.view;
		canvas.width = Math.round(state.width * scale);
		canvas.height = Math.round(HEAT_HEIGHT * scale);
		context.scale(scale, scale);
		const y = row => HEAT_HEIGHT * (1 - (row - view.r0) / (view.r1 - view.r0));
		context.fillStyle = isDark() ? '#14171c' : '#f6f7f9';
		for (const area of state.world.areas) context.fillRect(0, y(area.to), state.width, y(area.from) - y(area.to));
		const w = state.width / columns, h = HEAT_HEIGHT / rows;
		for (const sums of grid) {
			const value = valueOf(sums, state.metric);
			if (!value) continue;
			context.fillStyle = scaleColor(most > 1 ? Math.log(value) / Math.log(most) : 1);
			context.fillRect(sums.x * w, HEAT_HEIGHT - (sums.y + 1) * h, Math.max(w, 1), Math.max(h, 1));
		}
		drawLabels(context, state.width, y);
	}

	function draw() {
		const view = state.view;
		if (!state.width) return;
		const columns = Math.max(1, Math.min(Math.floor(state.width / DOT), Math.ceil(view.t1 - view.t0)));
		const rows = Math.max(1, Math.min(Math.floor(HEAT_HEIGHT / DOT), Math.ceil(view.r1 - view.r0)));
		const grid = heatGrid(state.world, view, columns, rows);
		const most = grid.reduce((n, sums) => Math.max(n, valueOf(sums, state.metric)), 0);
		drawCanvas(grid, columns, rows, most);
		axis.replaceChildren(...[0, 0.25, 0.5, 0.75, 1].map(part =>
			el('span', {}, timeText((view.t0 + part * (view.t1 - view.t0)) * nsPerCell))));
		legend.replaceChildren('1', el('i', {style: {background:
			`linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map(scaleColor).join(', ')})`}}),
			state.metric === 'latency' ? `mean of ${most.toFixed(0)} cycles` : count(most));
		tellAll(grid);
	}

	function tellAll(grid) {
		const sum = key => grid.reduce((n, sums) => n + sums[key], 0), view = state.view;
		const low = state.world.areas.find(area => area.to > view.r0), high = [...state.world.areas].reverse().find(area => area.from < view.r1);
		told.textContent = `${count(sum('samples'))} memory accesses, ${count(sum('writes'))} of them writes`
			+ (sum('timed') ? `, ${(sum('cycles') / sum('timed')).toFixed(1)} cycles each` : '')
			+ `, from ${timeText(view.t0 * nsPerCell)} to ${timeText(view.t1 * nsPerCell)}`
			+ (low && high ? `, ${addressText(heat, low, Math.max(low.from, view.r0))} to ${addressText(heat, high, Math.min(high.to, view.r1))}` : '')
			+ `. A dot covers at least ${timeText(nsPerCell)} and ${count(2 ** heat.address_shift)} bytes.`
			+ (heat.without_time ? ` ${count(heat.without_time)} memory accesses without a time are not shown.` : '');
	}

	// Show a part of the world, at least one cell.
	function look(t0, t1, r0, r1) {
		const clamp = (a, b, most) => {
			const size = Math.max(1, Math.min(b - a, most)), from = Math.max(0, Math.min(a, most - size));
			return [from, from + size];
		};
		const [a, b] = clamp(t0, t1, state.world.times), [c, d] = clamp(r0, r1, state.world.rows);
		state.view = {t0: a, t1: b, r0: c, r1: d};
		draw();
	}

	function zoomAt(x, y, factor) {
		const v = state.view, t = v.t0 + x * (v.t1 - v.t0), r = v.r0 + y * (v.r1 - v.r0);
		look(t - (t - v.t0) * factor, t + (v.t1 - t) * factor, r - (r - v.r0) * factor, r + (v.r1 - r) * factor);
	}

	function pan(x, y) {
		const v = state.view, dt = x * (v.t1 - v.t0), dr = y * (v.r1 - v.r0);
		look(v.t0 + dt, v.t1 + dt, v.r0 + dr, v.r1 + dr);
	}

	// Return the position of an event as parts of the canvas, to the right and upward.
	function place(event) {
		const at = canvas.getBoundingClientRect();
		return [Math.max(0, Math.min(1, (event.clientX - at.left) / at.width)),
			Math.max(0, Math.min(1, 1 - (event.clientY - at.top) / at.height))];
	}

	function tell(x, y) {
		const v = state.view, row = v.r0 + y * (v.r1 - v.r0), area = areaAt(row);
		const time = timeText((v.t0 + x * (v.t1 - v.t0)) * nsPerCell);
		told.textContent = area ? `${time}, ${addressText(heat, area, row)} in ${area.name}` : `${time}, between areas`;
	}

	function choose(process) {
		state.world = heatWorld(heat, heat.areas.filter(area => `${area.input}/${area.pid}` === process));
		state.view = whole();
		const rows = [...state.world.areas].sort((a, b) => b.samples - a.samples).slice(0, 50);
		const all = rows.reduce((sum, area) => sum + area.samples, 0) || 1;
		list.replaceChildren(bars('Areas', 'Area', rows.map(area => ({...area, share: 100 * area.samples / all})),
			area => el('button', {type: 'button', title: `${area.name} at ${area.start}`,
				on: {click: () => { look(0, state.world.times, area.from, area.to); canvas.focus(); }}},
				shortened(`${baseName(area.name)} ${area.start}`)), 'share',
			[['Accesses', area => count(area.samples)], ['Mean cycles', area => area.timed ? (area.cycles / area.timed).toFixed(1) : NONE]]));
		draw();
	}

	const keys = {ArrowLeft: () => pan(-0.2, 0), ArrowRight: () => pan(0.2, 0), ArrowUp: () => pan(0, 0.2), ArrowDown: () => pan(0, -0.2),
		'+': () => zoomAt(0.5, 0.5, 0.5), '=': () => zoomAt(0.5, 0.5, 0.5), '-': () => zoomAt(0.5, 0.5, 2),
		Escape: () => look(0, Infinity, 0, Infinity), Home: () => look(0, Infinity, 0, Infinity)};
	canvas.addEventListener('keydown', event => {
		if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
		keys[event.key]();
		event.preventDefault();
		event.stopPropagation();
	});
	canvas.addEventListener('wheel', event => {
		zoomAt(...place(event), event.deltaY > 0 ? 1.25 : 0.8);
		event.preventDefault();
	}, {passive: false});
	canvas.addEventListener('pointerdown', event => {
		state.drag = place(event);
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener('pointermove', event => {
		const at = place(event), from = state.drag;
		tell(...at);
		mark.hidden = !from;
		if (!from) return;
		mark.style.left = `${100 * Math.min(at[0], from[0])}%`;
		mark.style.width = `${100 * Math.abs(at[0] - from[0])}%`;
		mark.style.bottom = `${100 * Math.min(at[1], from[1])}%`;
		mark.style.height = `${100 * Math.abs(at[1] - from[1])}%`;
	});
	canvas.addEventListener('pointerup', event => {
		const at = place(event), from = state.drag, v = state.view;
		state.drag = null;
		mark.hidden = true;
		if (!from || Math.abs(at[0] - from[0]) * state.width < 5 || Math.abs(at[1] - from[1]) * HEAT_HEIGHT < 5) return;
		const t = [at[0], from[0]].map(x => v.t0 + x * (v.t1 - v.t0)).sort((a, b) => a - b);
		const r = [at[1], from[1]].map(y => v.r0 + y * (v.r1 - v.r0)).sort((a, b) => a - b);
		look(t[0], t[1], r[0], r[1]);
	});
	canvas.addEventListener('pointercancel', () => { state.drag = null; mark.hidden = true; });
	document.addEventListener('colors', () => { if (canvas.isConnected) draw(); });
	new ResizeObserver(entries => {
		if (entries[0].contentRect.width === state.width) return;
		state.width = entries[0].contentRect.width;
		draw();
	}).observe(box);
	choose(processes[0]);
	const pick = processes.length < 2 ? null : el('label', {}, 'Process ', el('select', {on: {change: event => choose(event.target.value)}},
		processes.map(process => el('option', {value: process}, process.split('/')[1] === '0' ? 'kernel' : process.split('/')[1],
			inputsOf(report).length > 1 ? ` of ${baseName(inputsOf(report)[Number(process.split('/')[0])].file)}` : ''))));
	const button = (text, label, act) => el('button', {type: 'button', 'aria-label': label, on: {click: act}}, text);
	return [
		el('div', {class: 'controls'}, pick, choice('Color', METRICS, 'samples', metric => { state.metric = metric; draw(); }),
			el('div', {role: 'group', 'aria-label': 'Zoom', class: 'choice'}, button('+', 'Zoom in', keys['+']), button('\u2212', 'Zoom out', keys['-']),
				button('Whole', 'Show all', keys.Home)), legend),
		box, axis, told, card('Areas', list),
	];
}
