// SPDX-License-Identifier: MIT
// Call stacks as a tree.

const WEIGHTS = ['samples', 'cycles'];

// Return the nearest node from here to the root that is in the same function, or null.
function caller(node, same) {
	for (let n = node; n; n = n.parent) if (n.same === same) return n;
	return null;
}

// Return name, object, number and mark of a function. A negative number is minus the number of functions in a frame "other".
function functionOf(stacks, f) {
	return f < 0 ? ['other', '', null, 0] : stacks.functions[f];
}

// Make the nodes with their own samples, cycles and reasons. In a folded tree, a function is at most once on a stack:
// where it appears again, the stack continues from its first appearance.
function stackNodes(stacks, root, folded) {
	const all = [], of = [];
	for (let i = 0, at = 0; i < stacks.nodes.length; i += 4) {
		const [parent, f, samples, cycles] = stacks.nodes.slice(i, i + 4);
		const [name, object, same, inlined] = functionOf(stacks, f), key = Math.max(f, -1);
		const above = parent < 0 ? root : of[parent];
		let node = (folded ? caller(above, same) : null) || above.byFunction.get(key);
		if (!node) {
			node = {name, object, same, inlined: Boolean(inlined), small: 0, self: {samples: 0, cycles: 0},
				reasons: new Array(looks.size).fill(0), children: [],
				byFunction: new Map(), depth: above.depth + 1, parent: above};
			above.children.push(node);
			above.byFunction.set(key, node);
			all.push(node);
		}
		of.push(node);
		node.small += Math.max(-f, 0);
		node.self.samples += samples;
		node.self.cycles += cycles;
		for (let left = stacks.cycles[at++]; left > 0; left--, at += 2)
			node.reasons[stacks.cycles[at]] += stacks.cycles[at + 1];
	}
	return all;
}

// Make the tree with its totals. The root has all samples. The reasons of a node include those of its children.
function stackTree(stacks, folded) {
	const root = {name: 'all', object: '', small: 0, self: {samples: 0, cycles: 0}, reasons: new Array(looks.size).fill(0),
		children: [], byFunction: new Map(), depth: 0, parent: null};
	const nodes = stackNodes(stacks, root, folded);
	for (const node of [root, ...nodes]) node.total = {...node.self};
	for (const node of nodes.reverse()) {
		for (const weight of WEIGHTS) node.parent.total[weight] += node.total[weight];
		node.reasons.forEach((cycles, r) => { node.parent.reasons[r] += cycles; });
	}
	return root;
}

// Return true if a function is on a stack twice.
function isRecursive(stacks) {
	const paths = [];
	for (let i = 0; i < stacks.nodes.length; i += 4) {
		const same = functionOf(stacks, stacks.nodes[i + 1])[2], above = {same, parent: paths[stacks.nodes[i]]};
		if (caller(above.parent, same)) return true;
		paths.push(above);
	}
	return false;
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
