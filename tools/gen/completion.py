#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generate completion scripts for bash, zsh and fish from the commands that option_data.py reads."""
import textwrap


def forms(option):
    return ([f'-{option.letter}'] if option.letter else []) + [f'--{option.name}']


def choice_words(choices):
    return ['all=random'] + [f'{c.name}={o}' for c in choices
                             for o in [o.name for o in c.options] + ['random']]


def words_of(option, choices):
    return choice_words(choices) if option.values == 'choice' else option.words


def single_quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


# bash: the word before the cursor's word determines COMPREPLY.

BASH_HEAD = r'''# Completion of spemu's commands and options for bash.
_spemu()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
	local words= head= i

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W "@COMMANDS@ help --version --help" -- "$cur"))
		return
	fi
	# If "=" breaks words, "--machine=n" is three words.
	if [[ $cur == "=" ]]; then
		cur=
	elif [[ $prev == "=" ]]; then
		prev=${COMP_WORDS[COMP_CWORD-2]}
	fi
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			COMPREPLY=($(compgen -f -- "$cur"))
			return
		fi
	done
	case $command:$prev in
	help:*)
		words="@COMMANDS@" ;;'''

BASH_TAIL = r'''	esac
	if [[ -n $words ]]; then
		COMPREPLY=($(compgen -P "$head" -W "$words" -- "${cur##*,}"))
		return
	fi
	if [[ $cur == -* ]]; then
		case $command in
@OPTIONS@
		esac
		COMPREPLY=($(compgen -W "$words" -- "$cur"))
		return
	fi
	COMPREPLY=($(compgen -f -- "$cur"))
}
complete -o filenames -F _spemu spemu'''


def filled(words, tabs):
    """Return the words in quotes, in lines that begin with tabs."""
    lines = textwrap.wrap(' '.join(words), 90, break_on_hyphens=False, break_long_words=False)
    return '"' + ('\n' + '\t' * tabs).join(lines) + '"'


def bash_action(option, choices):
    if option.values == 'file':
        return 'COMPREPLY=($(compgen -f -- "$cur")); return'
    if option.values == 'directory':
        return 'COMPREPLY=($(compgen -d -- "$cur")); return'
    if option.values == 'choice':  # bash completes the text after "=" separately
        return f'words={filled([c.name + "=" for c in choices] + ["all=random"], 3)}'
    if option.values == 'list-of':
        return '[[ $cur == *,* ]] && head=${cur%,*},\n\t\twords=' + filled(option.words, 3)
    return f'words={filled(option.words, 3)}' if option.words else 'return'


def bash(commands, choices, note):
    names = ' '.join(c.name for c in commands)
    out = ['# SPDX-License-Identifier: MIT', f'# {note}', BASH_HEAD.replace('@COMMANDS@', names)]
    actions = {}
    for c in commands:
        for o in c.options:
            if o.argument and not o.optional:
                actions.setdefault(bash_action(o, choices), []).extend(
                    f'{c.name}:{form}' for form in forms(o))
    for choice in choices:
        names = ' '.join([o.name for o in choice.options] + ['random'])
        actions.setdefault(f'words="{names}"', []).append(f'*:{choice.name}')
    for action, patterns in actions.items():
        lines = textwrap.wrap(' | '.join(patterns), 90, break_on_hyphens=False,
                              break_long_words=False)
        out += ['\t' + ' \\\n\t\t'.join(lines) + ')', f'\t\t{action} ;;']
    options = '\n'.join(f'\t\t{c.name}) words={filled(["--" + o.name for o in c.options], 4)} ;;'
                        for c in commands)
    return out + [BASH_TAIL.replace('@OPTIONS@', options)]


# zsh: _arguments for each command.

def zsh_text(text):
    return ''.join('\\' + c if c in '[]:\\' else c for c in text)


def zsh_action(option, choices):
    words = ' '.join(words_of(option, choices))
    if option.values == 'file':
        return '_files'
    if option.values == 'directory':
        return '_files -/'
    if option.values == 'list-of':
        return f'_values -s , {option.name} {words}'
    return f'({words})' if words else ' '


def zsh_spec(option, choices):
    tail = f'[{zsh_text(option.help)}]'
    if option.argument:
        tail += f':{":" if option.optional else ""}{zsh_text(option.argument)}:' + zsh_action(
            option, choices)
    # "=-" takes the argument in the same word only; "=" takes it in the next word, too.
    equals = '=-' if option.optional else '=' if option.argument else ''
    repeated = '*' if option.values == 'choice' or option.name == 'inject' else ''
    if not option.letter:
        return single_quoted(f'{repeated}--{option.name}{equals}{tail}')
    both = ' '.join(forms(option))
    short = '+' if option.argument else ''
    return (single_quoted(f'({both})') + '{' + f'-{option.letter}{short},--{option.name}{equals}' + '}'
            + single_quoted(tail))


ZSH_OPERANDS = {'file': "'*:file:_files'", 'none': "'*: : '", 'command': "'*::program:_normal'"}


def zsh(commands, choices, note):
    out = ['#compdef spemu', '# SPDX-License-Identifier: MIT', f'# {note}', '_spemu()', '{',
           '\tlocal -a commands=(']
    out += [f'\t\t{single_quoted(c.name + ":" + c.summary)}' for c in commands]
    out += ["\t\t'help:explain a command'", '\t)', '',
            '\tif ((CURRENT == 2)); then',
            "\t\t_describe -t commands 'spemu command' commands",
            "\t\t_values 'option' --version --help", '\t\treturn', '\tfi',
            '\tshift words', '\t((CURRENT--))', '\tcase $words[1] in',
            "\thelp) _describe -t commands 'spemu command' commands ;;"]
    for c in commands:
        out.append(f'\t{c.name})\n\t\t_arguments -s -S \\')
        out += [f'\t\t\t{zsh_spec(o, choices)} \\' for o in c.options]
        out.append(f'\t\t\t{ZSH_OPERANDS[c.operands]} ;;')
    return out + ['\tesac', '}', '', '_spemu "$@"']


# fish: a line for each option.

FISH_HEAD = r'''# Succeed if the command line is for this command.
function __spemu_command
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test $words[2] = $argv[1]
end
function __spemu_no_command
    test (count (commandline -opc)) -eq 1
end
complete -c spemu -f'''


def fish_quoted(text):
    return "'" + text.replace('\\', '\\\\').replace("'", "\\'") + "'"


def fish_action(option, choices):
    words = ' '.join(words_of(option, choices))
    if option.optional or not option.argument:
        return ''
    if option.values == 'file':
        return ' -r -F'
    if option.values == 'directory':
        return " -x -a '(__fish_complete_directories)'"
    if option.values == 'list-of':
        return f" -x -a '(__fish_append , {words})'"
    return f" -x -a '{words}'" if words else ' -x'


def fish(commands, choices, note):
    out = ['# SPDX-License-Identifier: MIT', f'# {note}', FISH_HEAD]
    for c in commands:
        out.append(f'complete -c spemu -n __spemu_no_command -a {c.name} '
                   f'-d {fish_quoted(c.summary)}')
    names = ' '.join(c.name for c in commands)
    out += ["complete -c spemu -n __spemu_no_command -a help -d 'explain a command'",
            "complete -c spemu -n __spemu_no_command -l version -d 'print the version'",
            "complete -c spemu -n __spemu_no_command -l help -d 'print the commands'",
            f"complete -c spemu -n '__spemu_command help' -a '{names}'"]
    for c in commands:
        when = f"complete -c spemu -n '__spemu_command {c.name}'"
        if c.operands != 'none':
            out.append(f'{when} -F')
        for o in c.options:
            letter = f' -s {o.letter}' if o.letter else ''
            out.append(f'{when}{letter} -l {o.name}{fish_action(o, choices)} '
                       f'-d {fish_quoted(o.help)}')
    return out


WRITERS = {'spemu': bash, '_spemu': zsh, 'spemu.fish': fish}
