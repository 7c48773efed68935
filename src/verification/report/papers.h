// The papers, row by row: which case judges which figure, table and equation, and with what agreement.
#pragma once

// Prints the page docs/papers.md to standard output.
void papers_print(void);
