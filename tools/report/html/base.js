// SPDX-License-Identifier: MIT
// Functions that all parts of the page share. Names from the recording enter the page only as text nodes and
// attributes, never as markup.

const data = JSON.parse(document.getElementById('data').textContent);

// Make an element with attributes and children. "on" has listeners, "style" has properties, and null is ignored.
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

// Return a value of a column as text.
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

const shortNames = new Map(Object.entries(data.page.names));
// Return the short form of a long symbol, and any other text unchanged.
function shortName(text) {
	return shortNames.get(text) || text;
}

const TAIL = 12; // characters at the end that a shortened name keeps, if it has three times as many

// Make a name that loses its middle where it does not fit. A long symbol has its short form. Its title is the whole name.
function shortened(text, most = TAIL) {
	const letters = [...shortName(text)], tail = letters.length - Math.min(most, Math.floor(letters.length / 3));
	return el('span', {class: 'short', title: text}, el('span', {}, letters.slice(0, tail).join('')),
		el('span', {}, letters.slice(tail).join('')));
}

function card(title, ...children) {
	return el('section', {class: 'card'}, title ? el('h3', {}, title) : null, ...children);
}

// Return the title, note and columns of a section, or undefined if the report does not have it.
function tableOf(report, key) {
	return report.page.tables.find(table => table.key === key);
}

// Return the recordings of a report. The members of a single recording are those of the report.
function inputsOf(report) {
	return report.inputs || [report];
}

// Return the last part of a path.
function baseName(path) {
	return path.slice(path.lastIndexOf('/') + 1) || path;
}

let lastId = 0;
function newId(word) {
	return `${word}-${++lastId}`;
}

// Make a group of buttons, one of them pressed. Each value is [word, text].
function choice(label, values, current, choose) {
	const buttons = values.map(([word, text]) => el('button', {
		type: 'button', 'aria-pressed': String(word === current),
		on: {click: event => {
			for (const button of buttons) button.setAttribute('aria-pressed', String(button === event.target));
			choose(word);
		}}}, text));
	return el('div', {role: 'group', 'aria-label': label, class: 'choice'}, buttons);
}
