// SPDX-License-Identifier: MIT
// Colors of reasons, the same everywhere on the page. The reasons of an area share its color; a pattern tells them apart.
// The color-blind can tell the colors apart, too.

const AREAS = {'contention': 'contention', 'remote memory': 'remote', 'DRAM': 'dram', 'last-level cache': 'llc', 'L2 cache': 'l2',
	'lines in flight': 'flight', 'TLB': 'tlb', 'stores': 'store', 'misprediction': 'branch', 'L1 cache': 'l1',
	'execution': 'execution', 'waiting to issue': 'issue'};
const PATTERNS = ['plain', 'hatched', 'barred', 'lined'];
const looks = new Map();
const reasonWords = (data.page.sides ? data.page.sides[0] : data).page.reasons;
for (const [word, area] of reasonWords) {
	// The reason that its area is named after is plain, else the first one.
	const others = reasonWords.filter(other => other[1] === area).sort((a, b) => (b[0] === area) - (a[0] === area));
	const pattern = PATTERNS[others.findIndex(other => other[0] === word) % PATTERNS.length];
	looks.set(word, [`k-${AREAS[area] || 'other'}`, pattern]);
}

// Return the classes of an element that has the color and the pattern of a reason.
function look(word) {
	return looks.get(word) || ['k-other'];
}

// Return the color of a reason as a value of CSS, without its pattern.
function color(word) {
	return `var(--${look(word)[0]})`;
}

// Return the reasons as [word, cycles, share in percent], the largest first.
function shares(reasons) {
	const whole = reasons.reduce((sum, [, cycles]) => sum + cycles, 0);
	return reasons.filter(([, cycles]) => cycles).map(([word, cycles]) => [word, cycles, 100 * cycles / whole])
		.sort((a, b) => b[1] - a[1]);
}

function shareText([word, , share]) {
	return `${word} ${percent(share, 0)}`;
}

function chip(word) {
	return el('i', {class: look(word).join(' ')});
}

// List the reasons that have at least one percent.
function reasonLegend(parts) {
	return el('ul', {class: 'legend'}, parts.filter(([, , share]) => share >= 1)
		.map(part => el('li', {}, chip(part[0]), shareText(part))));
}

function reasonsBar(cycles) {
	const parts = shares(Object.entries(cycles));
	if (!parts.length) return [];
	return [
		el('div', {class: 'stack', role: 'img', 'aria-label': `Reasons: ${parts.map(shareText).join(', ')}`},
			parts.map(part => el('i', {class: look(part[0]).join(' '), title: shareText(part), style: {width: `${part[2]}%`}}))),
		reasonLegend(parts),
	];
}
