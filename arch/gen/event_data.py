#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Parse and check arch/events.txt: the events of the Events packet and their words."""
import re
from dataclasses import dataclass

import arch_data

WORD = re.compile(r'[a-z][a-z0-9-]*')


@dataclass
class Event:
    bit: int
    words: list  # output uses the first word
    meaning: str


def load(path):
    events, words = [], set()
    for number, text in arch_data.text_lines(path):
        match = re.fullmatch(r'(\d+)\s+(\S+)\s+(\S+)\s+(\S.*)', text)
        if not match:
            arch_data.fail(path, number, 'expected: BIT WORD OTHER-WORDS MEANING')
        event = Event(int(match[1]), [match[2]], match[4])
        event.words += [] if match[3] == '-' else match[3].split(',')
        if event.bit > 63 or events and event.bit <= events[-1].bit:
            arch_data.fail(path, number, 'bits ascend from 0 to 63')
        for word in event.words:
            if not WORD.fullmatch(word) or word in words:
                arch_data.fail(path, number, f'not a word, or there already: {word}')
            words.add(word)
        events.append(event)
    return events
