// SPDX-License-Identifier: MIT
// The call stacks of two recordings as one flame graph. The width of a frame is its total share, its color the change of its self share.

// Merge both trees, in shares of each recording. Frames are the same if their callers are the same.
function changeTree(sides, folded) {
	const trees = sides.map(side => stackTree(side.page.stacks, folded));
	const weight = trees.every(tree => tree.total.cycles) ? 'cycles' : 'samples';
	const nothing = () => ({old: 0, new: 0});
	const node = (name, object, inlined, parent) => ({name, object, inlined, parent, depth: parent ? parent.depth + 1 : 0, children: [],
		self: nothing(), total: nothing(), samples: nothing(), small: nothing()});
	const root = node('all', '', false, null);
	const keyOf = child => `${child.name}\n${child.object}\n${child.inlined}`;
	const add = (to, from, word, whole) => {
		to.self[word] += 100 * from.self[weight] / whole;
		to.total[word] += 100 * from.total[weight] / whole;
		to.samples[word] += from.total.samples;
		to.small[word] += from.small;
		const known = new Map(to.children.map(child => [keyOf(child), child]));
		for (const child of from.children) {
			const key = keyOf(child);
			if (!known.has(key)) {
				known.set(key, node(child.name, child.object, child.inlined, to));
				to.children.push(known.get(key));
			}
			add(known.get(key), child, word, whole);
		}
	};
	trees.forEach((tree, i) => add(root, tree, i ? 'new' : 'old', tree.total[weight] || 1));
	return [root, weight];
}

function changeOf(node, part) {
	return node[part].new - node[part].old;
}

function largestChange(node) {
	return node.children.reduce((most, child) => Math.max(most, largestChange(child)), Math.abs(changeOf(node, 'self')));
}

const LEAST_CHANGE = 0.01;  // percent of the whole; smaller changes, which the text shows as 0, have no color

function changedFlameView(sides) {
	const [whole, weight] = changeTree(sides, false), most = Math.max(largestChange(whole), LEAST_CHANGE);
	const change = (node, part) => `${percent(node[part].old)} \u2192 ${percent(node[part].new)} (${format(changeOf(node, part), 'change')})`;
	const small = ({small: {old, new: now}}) => old + now && `${count(old)} \u2192 ${count(now)}`;
	return [el('p', {class: 'note'}, 'Red frames have a larger self share than in the old recording, blue frames a smaller one; '
			+ 'stronger colors are larger changes. Shares are of each recording. "What changed" shows which changes are more than chance. '
			+ 'Names of inlined functions are in italics.'),
		...flameGraph({
			make: folded => changeTree(sides, folded)[0], recursive: sides.some(side => isRecursive(side.page.stacks)),
			weights: [['new', 'New'], ['old', 'Old']],
			describe: node => `${frameName(node, small(node))}: ${change(node, 'total')} of ${weight}, `
				+ `${change(node, 'self')} self, ${count(node.samples.old)} \u2192 ${count(node.samples.new)} samples`,
			paint: node => {
				const by = changeOf(node, 'self');
				return {kind: Math.abs(by) < LEAST_CHANGE ? ['same'] : [by > 0 ? 'grown' : 'shrunk'],
					style: {'--part': `${Math.round(20 + 80 * Math.min(1, Math.abs(by) / most))}%`}};
			},
		}), smallFrames(...sides)];
}
