#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Parser of tools/options/*.txt: the commands and their options.

A file describes a command in lines "Keyword text":

  Command  NAME
  Summary  what it does, for the list of commands
  Usage    the text after the command's name
  About    a paragraph of --help; may be repeated
  Operands file | none | command (options end at the first operand: the rest is a command line)
  Closing  a last paragraph of --help, if there is one

and a group for each option:

  Option   -s, --long ARGUMENT     as --help shows it; --long[=ARGUMENT] if it may be left out
  Values   the kind of the argument. The command accepts only:
             one-of WORD...           one of these words
             number [LEAST [MOST]]    a number; k, M and G are powers of 1000
             size [LEAST [MOST]]      a number; K, M and G are powers of 1024
             power-of-two LEAST MOST  a size that is a power of two
           Other kinds serve only completion:
             file, directory, choice (of arch/choices.txt)
             such-as WORD...          a text, which may be one of these words
             list-of WORD...          words separated by commas
           @NAME stands for a list of words.txt, @events for the words of arch/events.txt
  Passed   to the plugin            the plugin's configuration gets a line with the option's name and value
  Needs    --other                  the option is refused without the other one
  Help     the text of --help
  Manual:
    the text of the manual page: mdoc, indented by two blanks

  Include  NAME                    the options of a group

and two lines for each option of perf that the command does not have:

  Foreign  -s, --long              one or both forms of it; or --long VALUE, a value that only perf's option has
  Instead  the reason, and what to use instead: the end of the error message, and a sentence of the manual page

shared.txt, which precedes the commands, contains groups: "Group NAME", and its options.
Every command has -h, --help.
"""
import os
import re
from dataclasses import dataclass, field, replace

import arch_data
import choice_data
import event_data

OPTION = re.compile(r'(?:-([A-Za-z]), )?--([a-z][a-z-]*)(?:(\[=)([^\]]+)\]| (\S+))?')
FOREIGN = re.compile(r'(?:-([A-Za-z]))?(?:(?:^|, )--([a-z][a-z0-9-]*))?(?: (\S+))?')
WORD_VALUES = ('one-of', 'such-as', 'list-of')
NUMBER_VALUES = {'number': 1000, 'size': 1024, 'power-of-two': 1024}  # with the unit of their suffixes
VALUES = ('file', 'directory', 'choice', *WORD_VALUES, *NUMBER_VALUES)


@dataclass
class Option:
    spec: str  # as --help shows it
    letter: str
    name: str
    argument: str  # "": none
    optional: bool
    line: int
    values: str = ''
    words: list = field(default_factory=list)
    limits: list = field(default_factory=list)  # of a number, as written in the file
    passed: str = ''
    needs: str = ''
    help: str = ''
    manual: list = field(default_factory=list)


@dataclass
class Foreign:
    """An option of perf, or a value of one of the command's options in perf."""
    spec: str
    letter: str
    name: str
    value: str
    line: int
    instead: str = ''


@dataclass
class Command:
    name: str
    summary: str = ''
    usage: str = ''
    about: list = field(default_factory=list)
    operands: str = ''
    closing: str = ''
    options: list = field(default_factory=list)
    foreign: list = field(default_factory=list)


def help_option():
    return Option('-h, --help', 'h', 'help', '', False, 0, help='print this text',
                  manual=['Print a summary of the options.'])


def read_words(path, lists):
    name = None
    for number, text in arch_data.text_lines(path):
        if not text[0].isspace():
            name, text = text.split(None, 1)
            if name in lists:
                arch_data.fail(path, number, f'{name} is there twice')
            lists[name] = []
        lists[name] += text.split()


class Reader:
    def __init__(self, path, lists, groups):
        self.path, self.lists, self.groups = path, lists, groups
        self.command = None
        self.in_group = False
        self.option = None  # the option that the next lines describe
        self.in_manual = False

    def fail(self, number, why):
        arch_data.fail(self.path, number, why)

    def add_option(self, number, option):
        for other in self.command.options:
            if option.name == other.name or option.letter and option.letter == other.letter:
                self.fail(number, f'{option.spec}: like that of line {other.line}')
        self.command.options.append(replace(option, line=number))
        self.option = self.command.options[-1]

    def include(self, number, name):
        if name not in self.groups:
            self.fail(number, f'no group {name}')
        for option in self.groups[name].options:
            self.add_option(number, option)
        self.command.foreign += self.groups[name].foreign
        self.option = None

    def begin_group(self, number, name):
        if name in self.groups:
            self.fail(number, f'group {name} is there twice')
        self.command = Command(name)
        self.groups[name] = self.command
        self.in_group = True
        self.option = None

    def parse_option(self, number, spec):
        match = OPTION.fullmatch(spec)
        if not match:
            self.fail(number, f'not an option: {spec}')
        letter, name, optional, inner, argument = match.groups()
        if name == 'help' or letter == 'h':
            self.fail(number, '--help is added to every command')
        self.add_option(number, Option(spec, letter or '', name, inner or argument or '', bool(optional), number))

    def parse_foreign(self, number, spec):
        match = FOREIGN.fullmatch(spec)
        if not match or not (match[1] or match[2]):
            self.fail(number, f'not an option: {spec}')
        self.command.foreign.append(Foreign(spec, *(part or '' for part in match.groups()), number))
        self.option = None

    def values(self, number, option, text):
        option.values, *words = text.split()
        if option.values not in VALUES or not option.argument:
            self.fail(number, f'{option.name}: {text}')
        if option.values in NUMBER_VALUES:
            option.limits = words
            if len(words) > 2 or not all(re.fullmatch(r'[0-9]+[kKMG]?', word) for word in words):
                self.fail(number, f'{option.name}: not limits: {text}')
            return
        for word in words:
            if word.startswith('@') and word[1:] not in self.lists:
                self.fail(number, f'no list {word}')
            option.words += self.lists[word[1:]] if word.startswith('@') else [word]
        if bool(option.words) != (option.values in WORD_VALUES):
            self.fail(number, f'{option.values} with or without words')

    def keyword(self, number, key, rest):
        command, option = self.command, self.option
        if key == 'Command' and not command:
            self.command = Command(rest)
        elif key == 'Group' and (self.in_group or not command):
            self.begin_group(number, rest)
        elif command and key == 'Option':
            self.parse_option(number, rest)
        elif command and key == 'Foreign':
            self.parse_foreign(number, rest)
        elif command and command.foreign and key == 'Instead' and not option and not command.foreign[-1].instead:
            command.foreign[-1].instead = rest
        elif command and key == 'Include':
            self.include(number, rest)
        elif option and key == 'Values' and not option.values:
            self.values(number, option, rest)
        elif option and key in ('Help', 'Passed', 'Needs') and not getattr(option, key.lower()):
            setattr(option, key.lower(), rest)
        elif option and key == 'Manual:' and not option.manual:
            self.in_manual = True
        elif command and not command.options and key == 'About':
            command.about.append(rest)
        elif (command and not command.options and key in ('Summary', 'Usage', 'Operands', 'Closing')
              and not getattr(command, key.lower())):
            setattr(command, key.lower(), rest)
        else:
            self.fail(number, f'not expected here: {key}')

    def line(self, number, text):
        if text.startswith('  ') and self.in_manual:
            self.option.manual.append(text[2:])
            return
        self.in_manual = False
        key, _, rest = text.partition(' ')
        self.keyword(number, key, rest.strip())

    def check_options(self, options):
        for option in options:
            if not option.help or not option.manual:
                self.fail(option.line, f'--{option.name} has no Help or no Manual:')

    def check_foreign(self, foreign, options):
        own = [option.name for option in options]
        for row in foreign:
            if not row.instead:
                self.fail(row.line, f'{row.spec} has no Instead')
            if bool(row.value) != (row.name in own):
                self.fail(row.line, f'{row.spec} is an option of the command' if row.name in own else
                          f'{row.spec}: the command has no --{row.name}')

    def finish(self):
        command = self.command
        if self.in_group:
            for group in self.groups.values():
                self.check_options(group.options)
            return None
        for key in ('summary', 'usage', 'about', 'operands'):
            if not getattr(command, key):
                self.fail(1, f'{command.name} has no {key}')
        if command.operands not in ('file', 'none', 'command'):
            self.fail(1, f'unknown operands: {command.operands}')
        self.check_options(command.options)
        self.check_foreign(command.foreign, command.options)
        for option in command.options:
            if option.needs and option.needs not in [f'--{other.name}' for other in command.options]:
                self.fail(option.line, f'--{option.name} needs {option.needs}, which there is not')
        command.options.append(help_option())
        return command


def check_letters(commands):
    """Refuse a letter of two long options, and a long option that has its letter in some commands only."""
    letters, names = {}, {}
    for command in commands:
        for option in command.options:
            where = f'spemu {command.name}'
            known, other = letters.setdefault(option.letter or option.name, (option.name, where))
            if known != option.name:
                raise arch_data.DataError(f'-{option.letter} is --{option.name} of {where} and --{known} of {other}')
            known, other = names.setdefault(option.name, (option.letter, where))
            if known != option.letter:
                raise arch_data.DataError(f'--{option.name} has the letter {option.letter or "none"!r} in {where} and '
                                          f'{known or "none"!r} in {other}')


def load(arch, paths):
    """Return the commands in the order of the paths; words.txt and shared.txt have none."""
    lists = {'events': [w for e in event_data.load(os.path.join(arch, 'events.txt'))
                        for w in e.words]}
    choices = choice_data.load(os.path.join(arch, 'choices.txt'),
                               os.path.join(arch, 'features.txt'))
    commands, groups = [], {}
    for path in paths:
        if os.path.basename(path) == 'words.txt':
            read_words(path, lists)
            continue
        reader = Reader(path, lists, groups)
        for number, text in arch_data.text_lines(path):
            reader.line(number, text)
        command = reader.finish()
        if command:
            commands.append(command)
    check_letters(commands)
    return commands, choices
