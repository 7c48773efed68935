// report.pdf from report.html, by WeasyPrint where it is installed. Where it is not, a notice says how to get
// it; a browser prints report.html on the same pages.
#pragma once

void report_write_pdf(
    const char *folder); // of the trials. No failure of it makes the trials fail: it is said
