// SPDX-License-Identifier: MIT
// The largest causes, histograms and bars.

function causeItem(report, cause) {
	const link = sourceLink(report, cause.symbol, cause.object);
	const name = cause.functions ? `${count(cause.functions)} functions` : shortened(cause.symbol);
	const samples = `${count(cause.samples)} samples` + (cause.latency ? ` of ${cause.latency.toFixed(1)} cycles` : '')
		+ (cause.model_error !== null ? ` (model error ${cause.model_error} %)` : '');
	const lines = cause.lines.map(line => `${line.file}:${line.line}` + (cause.lines.length > 1 ? ` (${percent(line.share, 0)})` : ''));
	return el('li', {},
		el('span', {class: 'share'}, percent(cause.share, 1)),
		el('div', {class: 'where'}, chip(cause.reason), el('strong', {}, cause.reason),
			link ? el('a', {class: 'mono', href: link}, name) : el('span', {class: 'mono'}, name),
			el('span', {class: 'quiet'}, lines.length ? ` at ${lines.join(', ')}` : ` in ${cause.object}`)),
		el('div', {class: 'quiet'}, `${cause.meaning}; ${cause.advice}; ${samples}`,
			cause.threads ? `, ${count(cause.threads)} threads${cause.estimated ? ', estimated' : ''}` : null,
			cause.data ? ['; data: ', el('span', {class: 'mono'}, cause.data)] : null),
		el('div', {}, reasonsBar(cause.cycles)));
}

// List the functions with the most cycles, for a program whose causes explain little.
function hotList(report, functions) {
	return el('ol', {class: 'causes'}, functions.map(f => {
		const link = sourceLink(report, f.symbol, f.object);
		return el('li', {}, el('span', {class: 'share'}, percent(f.share, 1)),
			el('div', {class: 'where'}, link ? el('a', {class: 'mono', href: link}, shortened(f.symbol))
				: el('span', {class: 'mono'}, shortened(f.symbol)), el('span', {class: 'quiet'}, ` in ${f.object}`)));
	}));
}

// Show what bounds the program, the area of each cycle, and the causes.
function answerCard(report) {
	const answer = report.answer;
	if (!answer) return null;
	return card('Summary', el('p', {class: 'answer'}, answer.text), reasonsBar(answer.cycles),
		answer.causes.length ? [el('h4', {}, 'The largest causes'),
			el('ol', {class: 'causes'}, answer.causes.map(cause => causeItem(report, cause)))] : null,
		answer.functions.length ? [el('h4', {}, 'The functions that cost the most'), hotList(report, answer.functions)] : null);
}

const LATENCIES = [['total', 'Total latency'], ['issue', 'Issue latency'], ['translation', 'Translation latency']];

// Draw the histogram of one kind of latency: the number of samples by cycles.
function histogram(rows, kind, title, logarithmic) {
	const samples = rows.map(row => row[kind]), all = samples.reduce((a, b) => a + b, 0);
	const most = Math.max(...samples), mode = samples.indexOf(most);
	const height = n => !n ? 0 : logarithmic ? Math.log(1 + n) / Math.log(1 + most) : n / most;
	const share = i => percent(100 * samples[i] / all, 1);
	const step = Math.ceil(rows.length / 9);
	if (!all) return el('figure', {}, el('figcaption', {}, el('h3', {}, title)),
		el('p', {class: 'quiet'}, 'No sample has this latency.'));
	return el('figure', {},
		el('figcaption', {}, el('h3', {}, title),
			el('span', {class: 'quiet'}, `most frequent: ${rows[mode].cycles} cycles, ${share(mode)}`)),
		el('div', {class: 'plot', role: 'img', 'aria-label': `${title} in cycles: `
				+ rows.map((row, i) => samples[i] ? `${row.cycles}: ${share(i)}` : '').filter(Boolean).join(', ')},
			rows.map((row, i) => el('div', {class: i === mode ? 'mode' : null,
				title: `${row.cycles} cycles: ${count(samples[i])} samples, ${share(i)}`},
				el('i', {style: {height: `${100 * height(samples[i])}%`}})))),
		el('div', {class: 'ticks', 'aria-hidden': 'true'},
			rows.map((row, i) => el('span', {}, i % step ? '' : shortNumber(row.from)))));
}

function shortNumber(n) {
	return n >= 1024 ? `${n >> 10}k` : String(n);
}

function histograms(report, logarithmic) {
	return LATENCIES.map(([kind, title]) => card(null, histogram(report.latency, kind, title, logarithmic)));
}

function latencyView(report) {
	const grid = el('div', {class: 'grid small'}, histograms(report, false));
	return [
		el('div', {class: 'controls'}, choice('Scale of the histograms', [['linear', 'Linear'], ['log', 'Logarithmic']],
			'linear', word => grid.replaceChildren(...histograms(report, word === 'log')))),
		grid, card(null, dataTable(tableOf(report, 'latency'), report.latency)),
	];
}

// Draw rows as bars with label(row) and the share in percent at key. more has [heading, text(row)] for each further column.
function bars(caption, heading, rows, label, key, more) {
	const most = Math.max(1e-9, ...rows.map(row => row[key] || 0));
	return el('table', {class: 'bars', 'aria-label': caption},
		el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, heading), el('th', {'aria-hidden': 'true'}),
			el('th', {scope: 'col', class: 'value'}, 'Share'),
			more.map(([title]) => el('th', {scope: 'col', class: 'value'}, title)))),
		el('tbody', {}, rows.map(row => el('tr', {}, el('th', {scope: 'row'}, label(row)),
			el('td', {class: 'bar', 'aria-hidden': 'true'},
				el('i', {style: {width: `${100 * (row[key] || 0) / most}%`}})),
			el('td', {class: 'value'}, percent(row[key], 1)),
			more.map(([, text]) => el('td', {class: 'value'}, text(row)))))));
}

function sourceBars(report) {
	const rows = [...report.sources].sort((a, b) => b.samples - a.samples);
	if (!rows.length) return el('p', {class: 'quiet'}, 'No sample has a data source.');
	return bars('Data sources', 'Source', rows, row => row.name || row.source, 'share',
		[['Mean cycles', row => format(row.latency, 'number')]]);
}

function sourcesView(report) {
	return [card(null, sourceBars(report)), card(null, dataTable(tableOf(report, 'sources'), report.sources))];
}

function eventsView(report) {
	const rows = [...report.events].sort((a, b) => b.samples - a.samples);
	return [card(null, bars('Events', 'Event', rows, row => row.event, 'share', [['Samples', row => count(row.samples)]])),
		card(null, dataTable(tableOf(report, 'events'), report.events))];
}

// Draw the first functions as bars, for the overview.
function functionBars(report) {
	const rows = report.functions.slice(0, 10), key = rows.some(row => row.cycles) ? 'cycles' : 'overhead';
	if (!rows.length || !(key in rows[0])) return el('p', {class: 'quiet'}, 'No function has samples.');
	return bars('Functions', 'Function', rows, row => {
		const name = row.symbol || row.source || row.object || '', link = sourceLink(report, name, row.object);
		return link ? el('a', {class: 'mono', href: link}, shortened(name)) : el('span', {class: 'mono'}, shortened(name));
	}, key, [['Mean cycles', row => format(row.latency, 'number')]]);
}

// Draw the old and new shares as bars, for the overview of two recordings.
function changeBars(rows, key) {
	const most = Math.max(1e-9, ...rows.flatMap(row => [row.old_share, row.new_share]));
	const name = row => row.symbol || row.source || row.event || row.object || '';
	const bar = (share, kind) => el('i', {class: kind, style: {width: `${100 * share / most}%`}});
	return el('table', {class: 'bars changes', 'aria-label': `Changes of ${key}`},
		el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'Name'), el('th', {'aria-hidden': 'true'}),
			['Old', 'New', 'Change', 'Sig.'].map(word => el('th', {scope: 'col', class: 'value'}, word)))),
		el('tbody', {}, rows.map(row => el('tr', {}, el('th', {scope: 'row', class: 'mono'}, shortened(name(row))),
			el('td', {class: 'bar', 'aria-hidden': 'true'}, bar(row.old_share, 'old'), bar(row.new_share, 'new')),
			el('td', {class: 'value'}, percent(row.old_share, 1)), el('td', {class: 'value'}, percent(row.new_share, 1)),
			el('td', {class: `value ${row.change > 0 ? 'rise' : row.change < 0 ? 'fall' : ''}`}, format(row.change, 'change')),
			el('td', {class: 'value'}, row.significance || '')))));
}

// List the facts about each recording.
function factList(report) {
	return inputsOf(report).map(input => {
		const facts = [['Samples', count(input.samples)], ['Period', input.period ? `${count(input.period)} operations` : null],
			['Machine', input.machine], ['Processes', count(input.processes)], ['Threads', count(input.threads)],
			['Left out by filters', input.left_out ? count(input.left_out) : null],
			['Buffers truncated', input.truncated_buffers ? count(input.truncated_buffers) : null],
			['Buffers with collisions', input.collided_buffers ? count(input.collided_buffers) : null],
			['Events lost', input.lost_events ? count(input.lost_events) : null],
			['Cut off', input.cut_off ? 'the end of the recording is missing' : null]];
		return el('dl', {class: 'facts'},
			facts.filter(fact => fact[1]).map(([word, text]) => el('div', {}, el('dt', {}, word), el('dd', {}, text))),
			el('div', {}, el('dt', {}, 'Recording'), el('dd', {class: 'text'}, input.file)),
			input.command_line.length ? el('div', {}, el('dt', {}, 'Recorded by'),
				el('dd', {class: 'text'}, input.command_line.join(' '))) : null);
	});
}

function overview(report) {
	return [
		report.damaged_bytes ? el('p', {class: 'warn'},
			`Damaged: ${count(report.damaged_records)} records are left out, ${count(report.damaged_bytes)} bytes of trace.`) : null,
		report.hidden_sve && report.hidden_sve * 100 >= report.samples ? el('p', {class: 'warn'},
			`${count(report.hidden_sve)} samples of SVE operations do not show vector length and predicates.`) : null,
		report.sve_accesses_without_address && report.sve_accesses_without_address * 100 >= report.sve_accesses ? el('p', {class: 'warn'},
			`${count(report.sve_accesses_without_address)} SVE loads and stores have no data address.`) : null,
		answerCard(report),
		el('div', {class: 'grid'},
			report.functions ? card('Functions', functionBars(report)) : null,
			report.sources ? card('Where data came from', sourceBars(report)) : null),
		el('div', {class: 'grid small'},
			report.latency ? LATENCIES.filter(([kind]) => report.latency.some(row => row[kind])).map(([kind, title]) =>
				card(null, histogram(report.latency, kind, title, false))) : null),
		card(inputsOf(report).length > 1 ? 'Recordings' : 'Recording', factList(report)),
	].filter(Boolean);
}
