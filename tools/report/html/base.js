// SPDX-License-Identifier: MIT
// What all parts of the page share. Names from the recording come into the page as text nodes and attributes
// alone, never as markup.

const data = JSON.parse(document.getElementById('data').textContent);

// An element: attributes by their names; "on" has listeners, "style" properties, and null is left out.
function el(tag, attributes, ...children) {
	const e = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {})) {
		if (value === null || value === undefined || value === false) continue;
		if (name === 'on')
			for (const [event, listener] of Object.entries(value)) e.addEventListener(event, listener);
		else if (name === 'style')
			for (const [property, text] of Object.entries(value)) e.style.setProperty(property, text);
		else e.setAttribute(name, value === true ? '' : value);
	}
	e.append(...children.flat().filter(child => child !== null && child !== undefined));
	return e;
}

const grouped = new Intl.NumberFormat('en-US');
const NONE = '\u2013';

function count(n) {
	return n === null || n === undefined ? NONE : grouped.format(n);
}

function percent(n, digits = 2) {
	return n === null || n === undefined ? NONE : n.toFixed(digits) + '%';
}

// A value of a column as text.
function format(value, type) {
	if (value === null || value === undefined || value === '') return NONE;
	switch (type) {
	case 'percent': return percent(value);
	case 'change': return (value > 0 ? '+' : '') + percent(value);
	case 'count': return count(value);
	case 'number': return value.toFixed(1);
	case 'probability': return value < 0.0001 ? '<0.0001' : value.toFixed(4);
	default: return String(value);
	}
}

const COLORS = 10;
const colorOf = new Map();
// The same word has the same color everywhere on the page.
function color(word) {
	if (!colorOf.has(word)) colorOf.set(word, colorOf.size % COLORS);
	return `var(--c${colorOf.get(word)})`;
}

function card(title, ...children) {
	return el('section', {class: 'card'}, title ? el('h3', {}, title) : null, ...children);
}

// Of a section by its key how it is shown; undefined: it is not there.
function tableOf(report, key) {
	return report.page.tables.find(table => table.key === key);
}

// The recordings of a report: of one, its members are the report's.
function inputsOf(report) {
	return report.inputs || [report];
}

// The last part of a path.
function baseName(path) {
	return path.slice(path.lastIndexOf('/') + 1) || path;
}

let lastId = 0;
function newId(word) {
	return `${word}-${++lastId}`;
}

// Buttons of which one is pressed: [word, text] each.
function choice(label, values, current, choose) {
	const buttons = values.map(([word, text]) => el('button', {
		type: 'button', 'aria-pressed': String(word === current),
		on: {click: event => {
			for (const button of buttons) button.setAttribute('aria-pressed', String(button === event.target));
			choose(word);
		}}}, text));
	return el('div', {role: 'group', 'aria-label': label, class: 'choice'}, buttons);
}
