// SPDX-License-Identifier: MIT
// The members of structures in the order of memory: a strip for each cache line, and a table.

const LINES_MOST = 64;     // cache lines of a structure that are drawn
const NAME_LEAST = 4;      // bytes of a part from which it shows its name on a wide page
const NAME_NARROW = 8;     // the same on a narrow page
const PART_HEAT = 45;      // percent of the color of the most expensive part, with enough contrast below text

// Return the structures of the section, each with its row and those of its parts.
function structuresOf(report) {
	const all = [];
	for (const row of report.layout)
		if (row.type_offset === null) all.push({row, parts: []});
		else all[all.length - 1].parts.push(row);
	return all;
}

function isGap(part) {
	return part.member_type === null;
}

// Return the parts without those that contain other parts, cut at the borders of cache lines. Of overlapping parts, as in
// a union, the first one is kept.
function piecesOf({row, parts}) {
	const start = row.line_offset || 0, size = row.line_size, pieces = [];
	const inner = parts.filter((part, i) => !parts[i + 1] || isGap(part)
		|| !parts[i + 1].data_member.startsWith(`${part.data_member}.`));
	let at = start;
	for (const part of inner.sort((a, b) => a.type_offset - b.type_offset)) {
		const end = start + part.type_offset + part.size;
		for (at = Math.max(at, start + part.type_offset); at < end;) {
			const to = Math.min(end, (Math.floor(at / size) + 1) * size);
			pieces.push({part, line: Math.floor(at / size), from: at % size, bytes: to - at});
			at = to;
		}
	}
	return pieces;
}

function partText(part) {
	const numbers = part.samples ? `: ${percent(part.cycles)} of all, ${count(part.samples)} samples, ${count(part.loads)} loads, `
		+ `${count(part.stores)} stores` : isGap(part) ? '' : ': no samples';
	return `${part.data_member} at ${part.type_offset}, ${count(part.size)} bytes${numbers}`;
}

function pieceBox({part, bytes}, size, most) {
	const style = {'flex-basis': `${100 * bytes / size}%`, '--heat': String(PART_HEAT * (part.cycles || 0) / most)};
	return el('i', {class: isGap(part) ? 'gap' : part.samples ? 'hot' : null, style, title: partText(part)},
		bytes >= NAME_LEAST && !isGap(part) ? el('span', {class: bytes < NAME_NARROW ? 'wide' : null}, part.data_member.split('.').pop()) : null);
}

// Draw a line of the structure. Its description has the parts with samples.
function lineBox(line, pieces, size, most) {
	const lead = pieces[0].from, hot = pieces.filter(piece => piece.part.samples);
	const text = hot.length ? hot.map(piece => partText(piece.part)).join('; ') : 'no samples';
	return el('div', {class: 'strip'}, el('span', {class: 'number quiet', 'aria-hidden': 'true'}, String(line)),
		el('div', {role: 'img', 'aria-label': `Cache line ${line}: ${text}`},
			lead ? el('i', {class: 'lead', style: {'flex-basis': `${100 * lead / size}%`}, title: 'before the object'}) : null,
			pieces.map(piece => pieceBox(piece, size, most))));
}

function strips(structure) {
	const {row, parts} = structure, pieces = piecesOf(structure);
	const most = Math.max(...parts.filter(part => part.samples).map(part => part.cycles || 0), 1e-9);
	const lines = [...new Set(pieces.map(piece => piece.line))];
	return card(`${row.data_type}, ${count(row.size)} bytes`,
		lines.slice(0, LINES_MOST).map(line => lineBox(line, pieces.filter(piece => piece.line === line), row.line_size, most)),
		el('p', {class: 'note'}, `One row is a cache line of ${row.line_size} bytes; members with more color cost more. `,
			row.line_offset === null ? 'Objects begin at different places in their lines; the picture shows one at the start of a line.'
				: row.line_offset ? `Objects begin ${row.line_offset} bytes into a line.` : 'Objects begin at the start of a line.',
			lines.length > LINES_MOST ? ` ${count(lines.length - LINES_MOST)} more lines are not drawn.` : ''));
}

// Return the columns of the table, with the member in the last one, which has the rest of the width.
function partColumns(table) {
	const member = table.columns.find(column => column.key === 'data_member');
	const type = table.columns.find(column => column.key === 'member_type');
	return [...table.columns.filter(column => column !== member && column !== type), {...type, drop: 1}, member];
}

function layoutView(report, name) {
	const all = structuresOf(report), at = Math.max(0, all.findIndex(each => each.row.data_type === name));
	const table = tableOf(report, 'layout'), chosen = all[at];
	return [el('div', {class: 'listing'},
		el('ol', {class: 'picks', 'aria-label': 'Structures that cost the most'}, all.map(({row}, i) => el('li', {},
			el('button', {type: 'button', 'aria-current': i === at ? 'true' : null,
				on: {click: () => { location.hash = `#layout/${encodeURIComponent(row.data_type)}`; }}},
				el('span', {class: 'value'}, percent(row.cycles, 1)), el('span', {class: 'name mono'}, shortened(row.data_type)))))),
		el('div', {class: 'structure'}, strips(chosen),
			dataTable({...table, columns: partColumns(table), title: chosen.row.data_type, left_out: 0}, chosen.parts)))];
}
