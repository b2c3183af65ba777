// SPDX-License-Identifier: MIT
// The source of the functions that cost the most, with the sampled instructions of each line.

function sourceLink(report, symbol, object) {
	const known = report.page.source.functions.some(f => f.symbol === symbol && f.object === object);
	return known ? `#source/${encodeURIComponent(symbol)}/${encodeURIComponent(object)}` : null;
}

const SOURCE_COLUMNS = [['cycles', 'Cycles', 'percent'], ['latency', 'Latency', 'number'],
	['samples', 'Samples', 'count'], ['reason', 'Reason', 'text'], ['l1d_refill', 'L1 miss', 'percent'],
	['llc_refill', 'LLC miss', 'percent'], ['mispred', 'Mispred.', 'percent']];

// The greatest width of the page in pixels, and the number of columns with room beside the source.
const ROOM = [[600, 1], [1000, 2], [1600, 4], [Infinity, Infinity]];

const OPEN_LEAST = 0.1;  // part of the cost of a function from which the instructions of a line are shown at first

function costOf(row) {
	return row ? row.cycles || row.overhead || 0 : 0;
}

// Return the number of blanks that all lines begin with.
function indentation(texts) {
	return Math.min(...texts.filter(text => text.trim()).map(text => text.search(/\S/)));
}

// Return the lines of a function in one file: lines with samples, and the lines around them.
function fileLines(report, f, file) {
	const sampled = new Map();
	for (const row of f.lines.filter(line => (line.file || null) === file)) {
		if (!sampled.has(row.line)) sampled.set(row.line, []);
		sampled.get(row.line).push(row);
	}
	const texts = new Map((report.page.source.files.find(x => x.file === file) || {lines: []}).lines);
	const near = [...texts.keys()].filter(line => [...sampled.keys()].some(at => Math.abs(at - line) <= 4));
	const numbers = [...new Set([...sampled.keys(), ...near])].sort((a, b) => a - b);
	return numbers.flatMap(line => (sampled.get(line) || [null]).map(row => ({line, row, text: texts.get(line)})));
}

function values(row, columns) {
	return columns.map(([key, , type]) => el('td', {class: type === 'text' ? 'text' : null}, row && row[key] ? format(row[key], type) : ''));
}

function heat(cost, most) {
	return {'--heat': String(6 + 40 * cost / most)};
}

function instructionRow(instruction, columns, most) {
	const reason = instruction.reason && !columns.some(([key]) => key === 'reason') ? `  ${instruction.reason}` : '';
	return el('tr', {class: 'instruction', style: heat(costOf(instruction), most)}, values(instruction, columns), el('td'),
		el('td', {class: 'source'}, el('span', {class: 'quiet'}, `${instruction.address}  `), instruction.text || NONE,
			el('span', {class: 'quiet'}, reason)));
}

// Make the row of a line, and the rows of its instructions. A button in the first row shows or hides the others.
function lineRows({line, row, text}, columns, most, open) {
	const cost = costOf(row), instructions = (row && row.instructions || []).map(each => instructionRow(each, columns, most));
	const show = shown => instructions.forEach(each => { each.hidden = !shown; });
	const button = instructions.length ? el('button', {type: 'button', class: 'fold', 'aria-expanded': String(open),
		'aria-label': `Instructions of line ${line || 'unknown'}`, on: {click: event => {
			const shown = event.target.getAttribute('aria-expanded') === 'false';
			event.target.setAttribute('aria-expanded', String(shown));
			show(shown);
		}}}) : el('span', {class: 'fold'});
	show(open);
	return [el('tr', {class: cost ? 'hot' : null, style: heat(cost, most)}, values(row, columns),
		el('td', {class: 'line'}, line ? String(line) : ''),
		el('td', {class: 'source'}, button, text,
			row && row.inlined_in_file ? el('span', {class: 'quiet'},
				`  (inlined at ${baseName(row.inlined_in_file)}:${row.inlined_in_line})`) : null)), ...instructions];
}

function codeTable(report, f, file) {
	const lines = fileLines(report, f, file), info = report.page.source.files.find(x => x.file === file);
	const most = Math.max(...f.lines.map(costOf), 1e-9), all = f.lines.reduce((sum, row) => sum + costOf(row), 0);
	const columns = SOURCE_COLUMNS.filter(([key]) => f.lines.some(row => row[key]))
		.slice(0, ROOM.find(([width]) => innerWidth <= width)[1]);
	const blanks = indentation(lines.filter(l => l.text !== undefined).map(l => l.text));
	const rows = [];
	lines.forEach(({line, row, text}, i) => {
		if (i && line > lines[i - 1].line + 1)
			rows.push(el('tr', {class: 'gap'}, el('td', {colspan: columns.length + 2}, '\u22ee')));
		rows.push(...lineRows({line: file ? line : 0, row, text: text === undefined ? '' : text.slice(blanks)}, columns, most,
			costOf(row) >= OPEN_LEAST * all));
	});
	return el('div', {class: 'scroll'}, el('table', {class: 'code'},
		el('caption', {}, file || 'No line information',
			info && !info.found ? el('span', {class: 'quiet'}, ' (not found; give its folder with --source DIR)') : null),
		el('thead', {}, el('tr', {}, columns.map(([, title, type]) =>
			el('th', {scope: 'col', class: type === 'text' ? 'text' : null}, title)),
			el('th', {scope: 'col'}, 'Line'), el('th', {scope: 'col', class: 'text source'}, 'Source'))),
		el('tbody', {}, rows)));
}

function sourceView(report, symbol, object) {
	const functions = report.page.source.functions;
	const at = Math.max(0, functions.findIndex(f => f.symbol === symbol && f.object === object));
	const f = functions[at];
	if (!f) return [el('p', {class: 'quiet'}, 'No function has samples.')];
	const cost = file => f.lines.filter(row => (row.file || null) === file).reduce((sum, row) => sum + costOf(row), 0);
	const files = [...new Set(f.lines.map(row => row.file || null))].sort((a, b) => cost(b) - cost(a));
	return [el('div', {class: 'listing'},
		el('ol', {class: 'picks', 'aria-label': 'Functions that cost the most'}, functions.map((other, i) => el('li', {},
			el('button', {type: 'button', 'aria-current': i === at ? 'true' : null,
				on: {click: () => { location.hash = sourceLink(report, other.symbol, other.object); }}},
				el('span', {class: 'value'}, percent(other.share, 1)), el('span', {class: 'name mono'}, shortened(other.symbol)))))),
		el('div', {}, el('p', {class: 'note'}, el('strong', {class: 'mono'}, f.symbol), ` in ${f.object}: `,
			`${percent(f.share)} of the total, ${count(f.samples)} samples`,
			f.left_out ? `; ${count(f.left_out)} more lines are not shown` : '',
			f.no_disassembly ? `; instructions have no text: ${f.no_disassembly}` : ''),
			files.map(file => codeTable(report, f, file))))];
}
