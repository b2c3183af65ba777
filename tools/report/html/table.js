// SPDX-License-Identifier: MIT
// A section as a table that can be sorted and filtered.

const ROWS_AT_ONCE = 200;
const CHARACTER = 8;  // pixels of a character, about
const CELL = 20;      // pixels around the text of a cell
const TEXT_LEAST = 150; // least pixels of a column of text
const LAST_LEAST = 320; // least pixels of the last column
const LAST_SHORTEST = 160; // its pixels if all of its texts are short
const FIRST_LEAST = 104; // least pixels of the first column, if it has numbers
const NARROW = 0.55;    // part of a narrow page that is enough for the last column

// Parse a filter. A row must contain each word, must not contain -word, and must satisfy column>number.
function parseFilter(text) {
	return text.trim().split(/\s+/).filter(Boolean).map(word => {
		const comparison = /^([a-z0-9_]+)(<=|>=|=|<|>)(-?[0-9.]+)$/i.exec(word);
		if (comparison)
			return {key: comparison[1].toLowerCase(), sign: comparison[2], number: Number(comparison[3])};
		return word.length > 1 && word[0] === '-' ? {not: word.slice(1).toLowerCase()} : {has: word.toLowerCase()};
	});
}

function compares(value, sign, number) {
	if (typeof value !== 'number') return false;
	switch (sign) {
	case '<': return value < number;
	case '>': return value > number;
	case '<=': return value <= number;
	case '>=': return value >= number;
	default: return value === number;
	}
}

function passes(row, text, words) {
	return words.every(word => word.not !== undefined ? !text.includes(word.not)
		: word.has !== undefined ? text.includes(word.has)
		: compares(row[word.key], word.sign, word.number));
}

function isText(column) {
	return column.type === 'text';
}

// Compare by a column. Unknown values come last in either direction.
function compareBy(column, direction) {
	return (a, b) => {
		const x = a[column.key], y = b[column.key];
		const none = (x === null || x === undefined) - (y === null || y === undefined);
		if (none) return none;
		if (column.type === 'address') {
			const p = BigInt(x), q = BigInt(y);
			return direction * (p < q ? -1 : p > q ? 1 : 0);
		}
		if (isText(column)) return direction * (x < y ? -1 : x > y ? 1 : 0);
		return direction * (x - y);
	};
}

// Open a row or close it. An open row shows whole names.
function toggleRow(row) {
	const open = row.classList.toggle('open');
	for (const name of row.querySelectorAll('.short'))
		name.replaceWith(open ? el('span', {class: 'short', title: name.title}, name.title) : shortened(name.title));
}

// Return the natural width of a column in pixels.
function naturalWidth(column, rows) {
	const longest = Math.max((column.heading || column.key).length + 2,
		...rows.map(row => shortName(format(row[column.key], column.type)).length));
	return longest * CHARACTER + CELL;
}

// Return the columns that fit. As on a terminal, columns with the highest "drop" are dropped first, then the columns before the last.
function fitting(columns, rows, width) {
	const chosen = columns.filter(column => column.heading);
	const natural = new Map(chosen.map(column => [column, naturalWidth(column, rows)]));
	const need = (column, i) => {
		if (!isText(column)) return Math.max(natural.get(column), i ? 0 : FIRST_LEAST);
		return i < chosen.length - 1 ? Math.min(natural.get(column), TEXT_LEAST)
			: Math.max(LAST_SHORTEST, Math.min(natural.get(column), LAST_LEAST, NARROW * width));
	};
	for (;;) {
		const sum = chosen.reduce((n, column, i) => n + need(column, i), 0);
		const worst = chosen.reduce((most, column) => (column.drop || 0) > (most ? most.drop : 0) ? column : most, null);
		if (sum <= width || chosen.length < 3) return chosen;
		chosen.splice(worst ? chosen.indexOf(worst) : chosen.length - 2, 1);
	}
}

// Make a table. links(row) returns the link of the last column of a row, or null.
function dataTable(table, rows, links) {
	const state = {words: [], sort: null, direction: 1, shown: ROWS_AT_ONCE, columns: null, chosen: false};
	const texts = new Map(rows.map(row => [row, Object.values(row).join('\n').toLowerCase()]));
	const status = el('span', {class: 'status', role: 'status'});
	const head = el('thead'), body = el('tbody');
	const scroll = el('div', {class: 'scroll'},
		el('table', {class: 'data'}, el('caption', {}, table.title), head, body));
	const filter = el('input', {type: 'search', placeholder: 'Filter: words, -word, samples>100',
		'aria-label': `Filter ${table.title}`, 'aria-keyshortcuts': '/', autocomplete: 'off', spellcheck: 'false',
		on: {input: () => { state.words = parseFilter(filter.value); state.shown = ROWS_AT_ONCE; drawBody(); }}});
	const menu = el('details', {class: 'columns'}, el('summary', {}, 'Columns'), el('div'));

	function sorted() {
		const kept = rows.filter(row => passes(row, texts.get(row), state.words));
		return state.sort ? kept.sort(compareBy(state.sort, state.direction)) : kept;
	}

	function sortBy(column) {
		const first = isText(column) ? 1 : -1;
		if (state.sort !== column) { state.sort = column; state.direction = first; }
		else if (state.direction === first) state.direction = -first;
		else state.sort = null;
		drawHead();
		drawBody();
		head.querySelector(`[data-key="${CSS.escape(column.key)}"]`).focus();
	}

	function drawHead() {
		head.replaceChildren(el('tr', {}, state.columns.map(column => el('th', {
			scope: 'col', class: isText(column) ? 'text' : null,
			'aria-sort': state.sort !== column ? 'none' : state.direction > 0 ? 'ascending' : 'descending',
		}, el('button', {type: 'button', 'data-key': column.key, on: {click: () => sortBy(column)}},
			column.heading || column.key)))));
	}

	function cell(row, column, index) {
		const value = row[column.key], text = format(value, column.type);
		const last = index === state.columns.length - 1;
		const td = el('td');
		const link = last && links ? links(row) : null;
		const shown = isText(column) && value ? shortened(text) : text;
		td.append(link ? el('a', {href: link, tabindex: '-1'}, shown) : shown);
		if (isText(column)) td.className = last ? 'text last' : 'text';
		if (index === 0 && column.type === 'percent' && value) {
			td.className = 'share';
			td.style.setProperty('--share', `${Math.min(value, 100) * 0.96}%`);
		}
		if (column.type === 'change' && value) td.className = value > 0 ? 'rise' : 'fall';
		return td;
	}

	function drawBody() {
		const all = sorted(), some = all.slice(0, state.shown);
		body.replaceChildren(...some.map((row, i) => el('tr', {tabindex: i ? '-1' : '0'},
			state.columns.map((column, index) => cell(row, column, index)))));
		if (!some.length)
			body.append(el('tr', {}, el('td', {class: 'empty', colspan: state.columns.length},
				rows.length ? 'No row matches the filter.' : 'The recording has no such data.')));
		if (some.length < all.length)
			body.append(el('tr', {}, el('td', {class: 'empty', colspan: state.columns.length},
				el('button', {type: 'button', on: {click: () => { state.shown *= 5; drawBody(); }}},
					`Show more of ${count(all.length)} rows`))));
		status.textContent = (all.length === rows.length ? `${count(rows.length)} rows`
			: `${count(all.length)} of ${count(rows.length)} rows`)
			+ (table.left_out ? `; ${count(table.left_out)} more are not on this page (-n, --percent-limit)` : '');
	}

	function drawMenu() {
		menu.lastElementChild.replaceChildren(...table.columns.map(column => {
			const box = el('input', {type: 'checkbox', on: {change: () => {
				state.chosen = true;
				state.columns = table.columns.filter(c => c === column ? box.checked : state.columns.includes(c));
				drawHead();
				drawBody();
			}}});
			box.checked = state.columns.includes(column);
			return el('label', {}, box, ' ', column.heading || column.key);
		}));
	}

	// Show the columns that fit a width according to their texts.
	function place(width) {
		const columns = fitting(table.columns, rows, width);
		scroll.classList.toggle('tight', columns.reduce((sum, column) => sum + naturalWidth(column, rows), 0) > width);
		if (state.columns && columns.length === state.columns.length) return;
		state.columns = columns;
		drawHead();
		drawBody();
		drawMenu();
	}

	// Fit the table into the width of the page, unless the reader chose the columns. The real widths decide.
	function fit(width) {
		if (state.chosen || width === state.width) return;
		state.width = width;
		place(width);
		for (let room = width; scroll.scrollWidth > scroll.clientWidth && state.columns.length > 2;)
			place(room -= CELL);
	}

	body.addEventListener('click', event => {
		const row = event.target.closest('tr');
		if (row && !event.target.closest('a, button')) toggleRow(row);
	});
	body.addEventListener('keydown', event => moveRow(event, body));
	fit(Infinity);
	new ResizeObserver(entries => fit(entries[0].contentRect.width)).observe(scroll);
	return el('div', {class: 'section-table'},
		table.note ? el('p', {class: 'note'}, table.note) : null,
		el('div', {class: 'controls'}, filter, menu, status), scroll);
}

// Handle a key while a row has the focus.
function moveRow(event, body) {
	const rows = [...body.querySelectorAll('tr[tabindex]')], at = rows.indexOf(event.target);
	const steps = {ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 15, PageUp: -15, Home: -at, End: rows.length};
	if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
	if (event.key === 'Enter') {
		const link = rows[at].querySelector('a');
		if (link) link.click();
		else toggleRow(rows[at]);
	} else if (event.key === ' ') {
		toggleRow(rows[at]);
	} else if (event.key in steps) {
		const to = rows[Math.max(0, Math.min(rows.length - 1, at + steps[event.key]))];
		rows[at].tabIndex = -1;
		to.tabIndex = 0;
		to.focus();
	} else {
		return;
	}
	event.preventDefault();
}
