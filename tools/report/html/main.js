// SPDX-License-Identifier: MIT
// Sections, navigation and keys.

const IF_ANY = new Set(['heap', 'heap_offsets', 'types', 'members', 'layout', 'unknown']);

// Make the view of a section. As in the text form, some sections are hidden if they are empty.
function section(key) {
	return {has: report => tableOf(report, key) !== undefined && (!IF_ANY.has(key) || report[key].length > 0),
		rows: report => report[key].length,
		show: report => [dataTable(tableOf(report, key), report[key], row => sourceLink(report, row.symbol, row.object))]};
}

const VIEWS = [
	{id: 'overview', title: 'Overview', has: () => true, show: overview},
	{id: 'reasons', title: 'Reasons', ...section('reasons')},
	{group: 'Code'},
	{id: 'functions', title: 'Functions', ...section('functions')},
	{id: 'flame', title: 'Flame graph', has: report => report.page.stacks !== undefined, show: flameView},
	{id: 'totals', title: 'With callees', ...section('totals')},
	{id: 'callers', title: 'Callers', ...section('callers')},
	{id: 'callees', title: 'Callees', ...section('callees')},
	{id: 'lines', title: 'Source lines', ...section('lines')},
	{id: 'source', title: 'Source', has: report => report.page.source.functions.length > 0, show: sourceView},
	{id: 'branches', title: 'Branches', ...section('branches')},
	{id: 'operations', title: 'Operations', ...section('operations')},
	{group: 'Data'},
	{id: 'heat', title: 'Heat map', has: report => report.page.heat !== undefined, show: heatView},
	{id: 'cache-lines', title: 'Cache lines', ...section('cache_lines')},
	{id: 'types', title: 'Data types', ...section('types')},
	{id: 'members', title: 'Members', ...section('members')},
	{id: 'layout', title: 'Structures', has: section('layout').has, show: layoutView},
	{id: 'unknown', title: 'Unknown types', ...section('unknown')},
	{id: 'objects', title: 'Objects', ...section('objects')},
	{id: 'heap', title: 'Heap', ...section('heap')},
	{id: 'heap-offsets', title: 'Heap offsets', ...section('heap_offsets')},
	{id: 'offsets', title: 'Offsets', ...section('offsets')},
	{id: 'pages', title: 'Pages', ...section('pages')},
	{group: 'Counts'},
	{id: 'latency', title: 'Latency', has: report => tableOf(report, 'latency') !== undefined, show: latencyView},
	{id: 'sources', title: 'Data sources', has: report => tableOf(report, 'sources') !== undefined, show: sourcesView},
	{id: 'events', title: 'Events', has: report => tableOf(report, 'events') !== undefined, show: eventsView},
];

// For two recordings, the differences, and then each section of both.
const sides = data.page.sides;

function difference(id, key, title) {
	return {id, title, has: () => tableOf(data, key) !== undefined, rows: () => data[key].length,
		show: () => [dataTable(tableOf(data, key), data[key])]};
}

const CHANGES = [
	{id: 'changes', title: 'What changed', has: () => true, show: () => [el('p', {class: 'note'}, data.page.note),
		...['functions', 'lines', 'events'].filter(key => tableOf(data, key)).map(key =>
			card(tableOf(data, key).title, changeBars(data[key].slice(0, 8), key)))]},
	difference('changed-functions', 'functions', 'Functions'),
	{id: 'changed-flame', title: 'Flame graph', has: () => sides.every(side => side.page.stacks), show: () => changedFlameView(sides)},
	difference('changed-lines', 'lines', 'Source lines'),
	difference('changed-events', 'events', 'Events'),
	{group: 'Both'},
];

// Show the same section of both recordings side by side.
function beside(view) {
	if (view.group) return view;
	return {id: view.id, title: view.title, has: () => sides.some(view.has),
		show: (report, ...rest) => [el('div', {class: 'sides'}, sides.map((side, i) => {
			const name = `${i ? 'New' : 'Old'}: ${baseName(side.file)}`;
			return el('section', {'aria-label': name}, el('h3', {class: 'side'}, name),
				view.has(side) ? view.show(side, ...rest) : el('p', {class: 'quiet'}, 'This recording has no such data.'));
		}))]};
}

const ALL = sides ? [...CHANGES, ...VIEWS.map(beside)] : VIEWS;
const views = ALL.filter(view => view.id && view.has(data));
const content = document.getElementById('content');

function drawNavigation() {
	const links = document.getElementById('links');
	for (const view of ALL) {
		if (view.group) links.append(el('h3', {}, view.group));
		else if (views.includes(view)) links.append(el('a', {href: `#${view.id}`}, view.title,
			view.rows ? el('span', {'aria-label': `${view.rows(data)} rows`}, count(view.rows(data))) : null));
	}
}

// Show or hide the list of sections on a narrow page. A wide page always shows it.
function showSections(shown) {
	document.getElementById('sections').setAttribute('aria-expanded', String(shown));
}

function current() {
	const [id, ...words] = location.hash.slice(1).split('/');
	return [views.find(view => view.id === id) || views[0], words.map(decodeURIComponent)];
}

let drawn = null;
function draw() {
	const [view, words] = current();
	content.replaceChildren(el('section', {'aria-labelledby': 'section-title'},
		el('h2', {id: 'section-title'}, view.title), ...view.show(data, ...words)));
	for (const link of document.querySelectorAll('nav a')) {
		const here = link.hash === `#${view.id}`;
		if (here) link.setAttribute('aria-current', 'page');
		else link.removeAttribute('aria-current');
		if (here) link.scrollIntoView({block: 'nearest', inline: 'center'});
	}
	document.getElementById('sections').textContent = `Section: ${view.title}`;
	showSections(false);
	if (drawn && drawn !== view) { window.scrollTo(0, 0); content.focus({preventScroll: true}); }
	drawn = view;
}

function go(step) {
	const at = views.indexOf(current()[0]) + step;
	location.hash = `#${views[(at + views.length) % views.length].id}`;
}

const THEMES = [['', 'Auto', 'as in the system'], ['light', 'Light', 'light'], ['dark', 'Dark', 'dark']];
function nextTheme(button) {
	const at = THEMES.findIndex(theme => theme[0] === (document.documentElement.dataset.theme || ''));
	const [word, text, meaning] = THEMES[(at + 1) % THEMES.length];
	if (word) document.documentElement.dataset.theme = word;
	else delete document.documentElement.dataset.theme;
	button.textContent = text;
	button.setAttribute('aria-label', `Colors: ${meaning}`);
	document.dispatchEvent(new Event('colors'));
}

const SHORTCUTS = [[['/'], 'filter the table'], [['Esc'], 'clear the filter, and leave it'],
	[['[', ']'], 'previous and next section'], [['1', '9'], 'first to ninth section'],
	[['\u2191', '\u2193', 'k', 'j'], 'previous and next row'], [['Enter'], 'show the source of the row, or its whole text'],
	[['t'], 'go to the table or graph'], [['\u2190', '\u2191', '\u2192', '\u2193'], 'in a graph: move to the next frame'],
	[['+', '\u2212', '\u2190', '\u2192'], 'in the heat map: zoom and move'], [['d'], 'change the colors'], [['?'], 'show this list']];

const FIRST = 'tr[tabindex="0"], .frame[tabindex="0"], canvas.heat';

function pressed(event) {
	const typing = event.target.closest('input, select, textarea');
	const filter = content.querySelector('input[type="search"]');
	if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
	if (event.key === 'Escape' && typing) {
		typing.value = '';
		typing.dispatchEvent(new Event('input'));
		typing.blur();
	} else if (typing) {
		return;
	} else if (event.key === '/' && filter) filter.focus();
	else if (event.key === '?') document.getElementById('shortcuts').showModal();
	else if (event.key === '[') go(-1);
	else if (event.key === ']') go(1);
	else if (event.key === 'd') nextTheme(document.getElementById('theme'));
	else if (event.key === 't' && content.querySelector(FIRST)) content.querySelector(FIRST).focus();
	else if (/^[1-9]$/.test(event.key) && views[event.key - 1]) location.hash = `#${views[event.key - 1].id}`;
	else return;
	event.preventDefault();
}

function start() {
	const names = inputsOf(data).map(input => baseName(input.file)).join(', ');
	document.title = `${names} - spemu ${sides ? 'diff' : 'report'}`;
	document.getElementById('title').textContent = `spemu ${sides ? 'diff' : 'report'}`;
	const about = document.getElementById('about');
	about.title = `${names}: ${count(data.samples)} samples (${data.version})`;
	about.append(shortened(names), el('span', {class: 'wide'}, about.title.slice(names.length)));
	document.querySelector('#shortcuts dl').append(...SHORTCUTS.flatMap(([keys, text]) =>
		[el('dt', {}, keys.flatMap(key => [el('kbd', {}, key), ' '])), el('dd', {}, text)]));
	document.getElementById('help').addEventListener('click', () => document.getElementById('shortcuts').showModal());
	document.getElementById('sections').addEventListener('click', event =>
		showSections(event.target.getAttribute('aria-expanded') === 'false'));
	document.getElementById('theme').addEventListener('click', event => nextTheme(event.target));
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => document.dispatchEvent(new Event('colors')));
	document.addEventListener('keydown', pressed);
	addEventListener('hashchange', draw);
	drawNavigation();
	draw();
}

start();
