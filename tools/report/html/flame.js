// SPDX-License-Identifier: MIT
// Call stacks as a flame graph, or upside down as an icicle graph.

const FRAME_HEIGHT = 22;  // pixels
const FRAME_LEAST = 1.5;  // width of the narrowest frame that is drawn
const TEXT_LEAST_WIDTH = 24;
const HUES = [28, 205, 130, 280, 335, 180];

function hash(text) {
	let n = 0;
	for (let i = 0; i < text.length; i++) n = (n * 31 + text.charCodeAt(i)) >>> 0;
	return n;
}

// Make the tree with its totals. The root has all samples.
function stackTree(stacks) {
	const root = {name: 'all', object: '', self: {samples: 0, cycles: 0}, children: [], depth: 0, parent: null};
	const nodes = [];
	for (let i = 0; i < stacks.nodes.length; i += 4) {
		const [parent, f, samples, cycles] = stacks.nodes.slice(i, i + 4);
		const above = parent < 0 ? root : nodes[parent];
		const node = {name: stacks.functions[f][0], object: stacks.functions[f][1], self: {samples, cycles},
			children: [], depth: above.depth + 1, parent: above};
		above.children.push(node);
		nodes.push(node);
	}
	for (const node of [root, ...nodes]) node.total = {...node.self};
	for (const node of nodes.reverse())
		for (const weight of ['samples', 'cycles']) node.parent.total[weight] += node.total[weight];
	return root;
}

// Return programs and libraries, the most expensive first. Each has its own color.
function byCost(root) {
	const cost = new Map();
	const add = node => {
		cost.set(node.object, (cost.get(node.object) || 0) + node.self.samples);
		node.children.forEach(add);
	};
	root.children.forEach(add);
	return [...cost.keys()].sort((a, b) => cost.get(b) - cost.get(a));
}

function isAbove(node, other) {
	for (let n = other; n; n = n.parent) if (n === node) return true;
	return false;
}

// Return the nodes of a zoomed tree that are wide enough, as [node, left, width] in parts of the whole.
function layout(zoomed, weight, least) {
	const places = [];
	for (let n = zoomed.parent; n; n = n.parent) places.unshift([n, 0, 1]);
	const add = (node, left, width) => {
		places.push([node, left, width]);
		const children = [...node.children].sort((a, b) => b.total[weight] - a.total[weight]);
		for (const child of children) {
			const part = node.total[weight] ? width * child.total[weight] / node.total[weight] : 0;
			if (part >= least) add(child, left, part);
			left += part;
		}
	};
	add(zoomed, 0, 1);
	return places;
}

// Return the weight of a node that is in matching functions, each sample once.
function matchedWeight(node, matches, weight) {
	return matches(node) ? node.total[weight]
		: node.children.reduce((sum, child) => sum + matchedWeight(child, matches, weight), 0);
}

// Make a tree with its controls. weights has [word, text] of each possible width, the default first. describe(node, weight) returns
// the description of a frame, paint(node) its class and style.
function flameGraph(root, {weights, describe: inWords, paint}) {
	const state = {zoomed: root, weight: weights[0][0], icicle: false, word: ''};
	const graph = el('div', {class: 'flame', role: 'tree', 'aria-label': 'Call stacks'});
	const scroll = el('div', {class: 'scroll flame-scroll'}, graph);
	const told = el('p', {class: 'note', role: 'status'});
	const found = el('span', {class: 'status', role: 'status'});
	const frames = new Map(); // by node
	const reset = el('button', {type: 'button', disabled: true, on: {click: () => zoom(root)}}, 'Whole');

	const describe = node => inWords(node, state.weight);
	const matches = node => state.word && node !== root && node.name.toLowerCase().includes(state.word);

	function frame(node, left, width, pixels, depth) {
		const level = state.icicle ? node.depth : depth - node.depth;
		const paints = paint(node), kind = ['frame', ...paints.kind];
		if (matches(node)) kind.push('match');
		if (node !== state.zoomed && isAbove(node, state.zoomed)) kind.push('above');
		const button = el('button', {type: 'button', class: kind.join(' '), role: 'treeitem', tabindex: '-1',
			'aria-level': node.depth + 1, 'aria-label': describe(node), title: node.name,
			style: {left: `${left * 100}%`, width: `${width * 100}%`, top: `${level * FRAME_HEIGHT}px`,
				...paints.style}}, width * pixels >= TEXT_LEAST_WIDTH ? shortName(node.name) : '');
		if (node === root) button.classList.add('root');
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
		graph.style.setProperty('height', `${(depth + 1) * FRAME_HEIGHT}px`);
		frames.get(state.zoomed).tabIndex = 0;
		reset.disabled = state.zoomed === root;
		found.textContent = state.word ? `${percent(100 * matchedWeight(state.zoomed, matches, state.weight)
			/ (state.zoomed.total[state.weight] || 1))} matched` : '';
		told.textContent = describe(state.zoomed);
		if (focus && frames.has(focus)) select(focus);
	}

	function select(node) {
		for (const button of graph.querySelectorAll('[tabindex="0"]')) button.tabIndex = -1;
		frames.get(node).tabIndex = 0;
		frames.get(node).focus();
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
			}) : null, reset),
		scroll, told,
	];
}

function smallFrames(...reports) {
	const small = reports.reduce((sum, report) => sum + report.page.stacks.small, 0);
	return small ? el('p', {class: 'note'}, `${count(small)} small frames are added to their callers.`) : null;
}

function flameView(report) {
	const root = stackTree(report.page.stacks), objects = byCost(root);
	const hue = node => HUES[Math.max(0, objects.indexOf(node.object)) % HUES.length] + hash(node.name) % 24 - 12;
	const share = (node, part, weight) => 100 * node[part][weight] / (root.total[weight] || 1);
	return [...flameGraph(root, {
		weights: root.total.cycles ? [['cycles', 'Cycles'], ['samples', 'Samples']] : [['samples', 'Samples']],
		describe: (node, weight) => `${node.name}${node.object ? ` in ${node.object}` : ''}: `
			+ `${percent(share(node, 'total', weight))} of ${weight}, ${percent(share(node, 'self', weight))} self, `
			+ `${count(node.total.samples)} samples`,
		paint: node => ({kind: [], style: {'--hue': String(hue(node))}}),
	}), smallFrames(report)];
}
