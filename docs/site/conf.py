# SPDX-License-Identifier: MIT
"""Sphinx settings for the pages that docs/site/make-site collects."""
project = 'spemu'
extensions = ['myst_parser']
root_doc = 'index'
# The pages are CommonMark with tables. Plain text would match MyST's additions by accident.
myst_disable_syntax = ['myst_line_comment', 'myst_block_break', 'myst_target', 'myst_role']
myst_heading_anchors = 6
suppress_warnings = ['myst.header']
highlight_language = 'none'
pygments_style = 'default'
html_theme = 'basic'
html_theme_options = {'globaltoc_collapse': False, 'globaltoc_includehidden': True}
html_sidebars = {'**': ['searchbox.html', 'globaltoc.html']}
html_title = 'spemu'
html_static_path = ['_site']
html_css_files = ['site.css', 'dark.css']
html_show_sphinx = False
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
html_use_index = False
# For excerpts of search results a page reads other pages, which browsers forbid to files.
html_show_search_summary = False
