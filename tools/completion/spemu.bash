# SPDX-License-Identifier: MIT
# Completion of spemu's commands and options for bash.
_spemu()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
	local events="exception retired l1d-access l1d-refill l1d-miss tlb-access tlb-walk not-taken
		mispredicted llc-access llc-miss remote-access misaligned transactional partial-pred
		empty-pred l2d-access l2d-miss data-modified recently-fetched snooped streaming smcu"
	local words= head=

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W "record vm report dump run explain regs help --version --help" -- "$cur"))
		return
	fi
	# In a list, complete what follows the last comma.
	[[ $cur == *,* ]] && head=${cur%,*},
	case $command:$prev in
	help:*)
		words="record vm report dump run explain regs" ;;
	record:--machine | vm:--machine)
		words="neoverse-n1 neoverse-v2 generic none" ;;
	record:--layout | vm:--layout)
		words="dense neoverse words" ;;
	record:--uarch)
		words="l1d_size= l1d_ways= l1d_cycles= l2_size= l2_ways= l2_cycles= llc_size= llc_ways=
			llc_cycles= dtlb_entries= dtlb_cycles= l2tlb_entries= l2tlb_ways= l2tlb_cycles=
			walk_cycles= store_entries= store_cycles= return_entries= bimodal_entries=
			gshare_entries= history_bits= indirect_entries= line_size= page_size=
			peer_cycles= dram_cycles= core_mhz=" ;;
	record:--filter)
		words="load store branch fp simd" ;;
	record:--event-filter | record:--inv-event-filter)
		words=$events ;;
	vm:--spe)
		words="v1p0 v1p1 v1p2 v1p3 v1p4 v1p5" ;;
	vm:--count-size)
		words="12 16" ;;
	vm:--min-interval)
		words="256 512 768 1024 1536 2048 3072 4096" ;;
	report:--section)
		words="functions lines operations cache-lines branches latency sources events" ;;
	report:-s | report:--sort)
		words="comm pid tid dso sym" ;;
	record:--choose | run:--choose | explain:--choose | vm:--choose)
		# "NAME=" is a word of its own where "=" breaks words.
		words="$(spemu run --choices --json 2>/dev/null | sed -n 's/^{"name":"\([^"]*\)".*/\1=/p')" ;;
	explain:--at)
		words="EL0 EL1 EL2 EL3" ;;
	*:-L | *:--sysroot)
		COMPREPLY=($(compgen -d -- "$cur"))
		return ;;
	*:-f | *:--file | *:-o | *:--output | *:-i | *:--input | *:--raw | *:--qemu)
		[[ $command:$prev != record:-i ]] && {
			COMPREPLY=($(compgen -f -- "$cur"))
			return
		} ;;
	*:-c | *:--count | *:-n | *:--limit | *:-m | *:--buffer | *:--seed | *:--min-latency | \
		*:--line-size | *:--queue | *:--cpu | *:--from | *:--to | *:--max-size | *:--align | \
		*:--inject | *:--error-exitcode)
		return ;;
	esac
	if [[ -n $words ]]; then
		COMPREPLY=($(compgen -P "$head" -W "$words" -- "${cur##*,}"))
		return
	fi
	if [[ $cur == -* ]]; then
		case $command in
		record)
			words="--output --count --jitter --filter --event-filter --inv-event-filter
				--min-latency --no-timestamps --buffer --seed --choose --machine --uarch --layout
				--no-inherit
				--pa --strict --memory-callbacks --sysroot --qemu --verbose --quiet --help" ;;
		vm)
			words="--spe --max-size --align --count-size --min-interval --layout --machine --choose
				--seed --inject --vm-rules --pmu-snapshot --strict --vmlinux --suppressions --sarif
				--error-exitcode --trace --qemu --verbose --quiet --help" ;;
		report)
			words="--input --section --sort --limit --line-size --sysroot --json --no-color
				--quiet --help" ;;
		explain)
			words="--file --enabled --owner --access --event --capture --choose --at --batch --json
				--no-color --verbose --quiet --help" ;;
		regs)
			words="--json --help" ;;
		dump)
			words="--input --raw --records --json --queue --cpu --from --to --quiet --help" ;;
		run)
			words="--features --seed --choose --choices --save --strict --vm-rules --suppressions
				--elf --sarif --error-exitcode --json --tap --verbose --quiet --help" ;;
		esac
		COMPREPLY=($(compgen -W "$words" -- "$cur"))
		return
	fi
	COMPREPLY=($(compgen -f -- "$cur"))
}
complete -o filenames -F _spemu spemu
