# SPDX-License-Identifier: MIT
"""Sphinx's settings for the pages that docs/site/make-site has collected."""
project = 'spemu'
extensions = ['myst_parser']
root_doc = 'index'
# Pages are written for readers of the repository: CommonMark and tables. What MyST adds would find itself in them.
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
# A page that was opened as a file must not read other files, which excerpts in search results would require.
html_show_search_summary = False
