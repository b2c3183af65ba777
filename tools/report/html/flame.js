// SPDX-License-Identifier: MIT
// Call stacks as a flame graph, or upside down as an icicle graph.

const FRAME_HEIGHT = 22;  // pixels
const FRAME_LEAST = 1.5;  // width of the narrowest frame that is drawn
const TEXT_LEAST_WIDTH = 24;
const FRAME_CHARACTER = 7.3; // pixels of a character, about
const STRIPE_LEAST = 2;   // percent of the cycles of a frame that a part of its stripe has

// Make a tree with its controls. make(folded) makes the tree, and recursive is true if folding changes it. weights has [word, text]
// of each possible width, the default first. describe(node, weight) returns the description of a frame, paint(node) its class and
// style, legend(node) the meaning of the colors while node is zoomed, or null.
function flameGraph({make, recursive, weights, describe: inWords, paint, legend}) {
	let root = make(true);
	const state = {zoomed: root, weight: weights[0][0], icicle: false, word: ''};
	const graph = el('div', {class: 'flame', role: 'tree', 'aria-label': 'Call stacks'});
	const scroll = el('div', {class: 'scroll flame-scroll'}, graph);
	const told = el('p', {class: 'note', role: 'status'});
	const found = el('span', {class: 'status', role: 'status'});
	const meaning = el('div', {class: 'flame-legend'});
	const frames = new Map(); // by node
	const reset = el('button', {type: 'button', disabled: true, on: {click: () => zoom(root)}}, 'Whole');

	const describe = node => inWords(node, state.weight);
	const matches = node => state.word && node !== root && node.name.toLowerCase().includes(state.word);

	function frame(node, left, width, pixels, depth) {
		const level = state.icicle ? node.depth : depth - node.depth;
		const paints = paint(node), kind = ['frame', ...paints.kind];
		if (matches(node)) kind.push('match');
		if (node !== state.zoomed && isAbove(node, state.zoomed)) kind.push('above');
		if (node.inlined) kind.push('inlined');
		const button = el('button', {type: 'button', class: kind.join(' '), role: 'treeitem', tabindex: '-1',
			'aria-level': node.depth + 1, 'aria-label': describe(node),
			title: describe(node),
			style: {left: `${left * 100}%`, width: `${width * 100}%`, top: `${level * FRAME_HEIGHT}px`,
				...paints.style}}, frameText(node.name, width * pixels));
		frames.set(node, button);
		button.node = node;
		return button;
	}

	function draw(focus) {
		const pixels = graph.clientWidth || 1000;
		const places = layout(state.zoomed, state.weight, FRAME_LEAST / pixels);
		const depth = places.reduce((most, [node]) => Math.max(most, node.depth), 0);
		frames.clear();
		graph.replaceChildren(...places.map(([node, left, width]) => frame(node, left, width, pixels, depth)));
		graph.classList.toggle('searching', Boolean(state.word));
		graph.style.setProperty('height', `${(depth + 1) * FRAME_HEIGHT}px`);
		frames.get(state.zoomed).tabIndex = 0;
		reset.disabled = state.zoomed === root;
		found.textContent = state.word ? `${percent(100 * matchedWeight(state.zoomed, matches, state.weight)
			/ (state.zoomed.total[state.weight] || 1))} matched` : '';
		told.textContent = describe(state.zoomed);
		meaning.replaceChildren(...legend ? legend(state.zoomed) : []);
		if (focus && frames.has(focus)) select(focus);
	}

	function select(node) {
		for (const button of graph.querySelectorAll('[tabindex="0"]')) button.tabIndex = -1;
		frames.get(node).tabIndex = 0;
		frames.get(node).focus();
	}

	function fold(folded) {
		root = make(folded);
		state.zoomed = root;
		draw();
	}

	function zoom(node) {
		state.zoomed = node;
		draw(node);
	}

	// Return the frame that a key moves to.
	function toward(node, key) {
		const drawn = list => list.filter(n => frames.has(n)).sort((a, b) => b.total[state.weight] - a.total[state.weight]);
		const deeper = key === (state.icicle ? 'ArrowDown' : 'ArrowUp');
		if (key === 'Home') return root;
		if (key === 'ArrowUp' || key === 'ArrowDown') return deeper ? drawn(node.children)[0] : node.parent;
		const beside = drawn(node.parent ? node.parent.children : [root]);
		return beside[beside.indexOf(node) + (key === 'ArrowRight' ? 1 : -1)];
	}

	graph.addEventListener('click', event => {
		const button = event.target.closest('.frame');
		if (button) zoom(button.node);
	});
	graph.addEventListener('keydown', event => {
		const node = event.target.node;
		if (!node || event.ctrlKey || event.metaKey || event.altKey) return;
		if (event.key === 'Escape' || event.key === 'Backspace') zoom(event.key === 'Escape' ? root : state.zoomed.parent || root);
		else if (['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home'].includes(event.key)) {
			const to = toward(node, event.key);
			if (to) select(to);
		} else return;
		event.preventDefault();
		event.stopPropagation();
	});
	for (const kind of ['pointerover', 'focusin'])
		graph.addEventListener(kind, event => {
			if (event.target.node) told.textContent = describe(event.target.node);
		});

	const search = el('input', {type: 'search', placeholder: 'Highlight functions', 'aria-label': 'Highlight functions',
		'aria-keyshortcuts': '/', autocomplete: 'off', spellcheck: 'false',
		on: {input: () => { state.word = search.value.trim().toLowerCase(); draw(); }}});
	let width = 0;
	new ResizeObserver(entries => {
		const now = entries[0].contentRect.width;
		if (now === width) return;
		width = now;
		draw();
		scroll.scrollTop = state.icicle ? 0 : scroll.scrollHeight;
	}).observe(scroll);
	draw();
	return [
		el('div', {class: 'controls'}, search, found,
			choice('Direction', [['flame', 'Flame'], ['icicle', 'Icicle']], 'flame', word => {
				state.icicle = word === 'icicle';
				draw();
				scroll.scrollTop = state.icicle ? 0 : scroll.scrollHeight;
			}),
			weights.length > 1 ? choice('Width', weights, state.weight, word => {
				state.weight = word;
				draw();
			}) : null,
			recursive ? choice('Recursion', [['folded', 'Folded'], ['whole', 'Unfolded']], 'folded', word => fold(word === 'folded'))
				: null, reset),
		meaning, scroll, told,
	];
}

// Return the name of a frame. small says how many small frames it has the samples of, or is empty.
function frameName(node, small) {
	return `${node.name}${node.inlined ? ' (inlined)' : ''}${small ? ` (${small} small frames)` : ''}${node.object ? ` in ${node.object}` : ''}`;
}

function frameText(name, pixels) {
	if (pixels < TEXT_LEAST_WIDTH) return '';
	const room = pixels / FRAME_CHARACTER;
	return name.length > room ? shortened(name, Math.min(TAIL, Math.floor(room / 3))) : name;
}

function smallFrames(...reports) {
	const small = reports.reduce((sum, report) => sum + report.page.stacks.small, 0);
	return small ? el('p', {class: 'note'}, `${count(small)} small frames are shown as "other" above their callers.`) : null;
}

// Return the reasons of a frame with its callees.
function reasonsOf(node) {
	return shares([...looks.keys()].map((word, r) => [word, node.reasons[r]]));
}

// Return a stripe with the reasons of a frame side by side.
function stripe(parts) {
	let at = 0;
	const stops = parts.filter(([, , share]) => share >= STRIPE_LEAST).map(([word, , share]) => {
		const from = at;
		at += share;
		return `${color(word)} ${from.toFixed(1)}% ${at.toFixed(1)}%`;
	});
	return stops.length > 1 ? `linear-gradient(to right, ${stops.join(', ')}, transparent ${at.toFixed(1)}%)` : 'none';
}

function flameLegend(node) {
	const parts = reasonsOf(node);
	return parts.length ? [reasonLegend(parts), el('p', {class: 'note'}, 'A frame has the color of its main reason, with its callees. '
			+ 'The stripe at its bottom shows all reasons. Names of inlined functions are in italics.')]
		: [el('p', {class: 'note'}, 'No reason is known, because the records do not have both latencies and events. '
			+ 'Names of inlined functions are in italics.')];
}

function flameView(report) {
	const stacks = report.page.stacks, whole = stackTree(stacks, false).total;
	const share = (node, part, weight) => 100 * node[part][weight] / (whole[weight] || 1);
	return [...flameGraph({
		make: folded => stackTree(stacks, folded), recursive: isRecursive(stacks),
		weights: whole.cycles ? [['cycles', 'Cycles'], ['samples', 'Samples']] : [['samples', 'Samples']],
		describe: (node, weight) => `${frameName(node, node.small && count(node.small))}: `
			+ `${percent(share(node, 'total', weight))} of ${weight}, ${percent(share(node, 'self', weight))} self, `
			+ [`${count(node.total.samples)} samples`, ...reasonsOf(node).filter(part => part[2] >= 5).map(shareText)].join(', '),
		paint: node => {
			const parts = reasonsOf(node);
			return {kind: parts.length ? look(parts[0][0]) : ['k-other'], style: {'--stripe': stripe(parts)}};
		},
		legend: node => flameLegend(node),
	}), smallFrames(report)];
}
